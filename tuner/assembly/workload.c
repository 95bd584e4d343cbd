/* The assembly family in the tuner: on triangles and tets, against a double assembly on the host, beside a copy of as
 * many bytes as must move. */
#include "../trial/workload.h"
#include "../../gen/random.h"
#include "../../runtime/assembly/heat_solver.h"
#include "../../runtime/assembly/reference.h"
#include "../../runtime/mesh/mesh.h"
#include "../../runtime/assembly/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the test mesh: a matrix to be assembled, two sides of the box given --- */

enum { PARTS = 65536, CROWDED = WISP_CHECK_MESHES };

static void close_test_mesh(void *test_mesh)
{
  wisp_assembly *s = test_mesh;
  wisp_mesh *mesh = s ? (wisp_mesh *)(uintptr_t)s->mesh : NULL;
  wisp_assembly_destroy(s);
  wisp_mesh_destroy(mesh);
}

/* The nonzeros that an element of a large mesh adds: of its vertex, edges, faces and inside as they are in a box. */
static double nonzeros_of_one(const wisp_spec *spec, const wisp_cell *cell)
{
  static const size_t of_box[2][4] = {{1, 3, 2, 0}, {1, 7, 12, 6}};
  return (double)wisp_pattern_nonzeros(spec->order, of_box[cell->dimension - 2]) / cell->split;
}

/* More than 16 bits count, as long as these add few nonzeros; at most 2^17. */
static long long many_elements(const wisp_spec *spec)
{
  static const double NONZEROS = 5.1e6, ELEMENTS = 0x1p17;
  return (long long)fmin(NONZEROS / nonzeros_of_one(spec, wisp_cell_find(spec->element)), ELEMENTS);
}

/* On which kernels that add atomically are checked. Of few elements where each takes long. */
static wisp_status open_crowded(wisp_error *err, const wisp_spec *spec, const wisp_cell *cell, wisp_mesh **out)
{
  enum { LEAST = 256, MOST = 8192 };
  static const double WORK = 2e7;
  const double Np = cell->dimension == 2 ? (spec->order + 1) * (spec->order + 2) / 2.0
                                         : (spec->order + 1) * (spec->order + 2) * (spec->order + 3) / 6.0;
  return wisp_mesh_pages(err, cell->corners, (size_t)fmin(fmax(WORK / (Np * Np * Np), LEAST), MOST), out);
}

/* To time on: as many nonzeros as suit the device, unless the elements are given. */
static wisp_status open_test_mesh(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec,
                                  long long *elements, const wisp_mesh_source *source, void **out)
{
  static const int32_t sides[] = {1, 2};
  static const double gpu_nonzeros = 3e7, host_nonzeros = 3e5;
  const wisp_cell *cell = wisp_cell_find(spec->element);
  const int corners = cell->corners;
  const bool solid = cell->dimension == 3, few = *elements > 0 && (solid || *elements != 3); /* of a mesh to check on */
  const bool free = source ? source->file || solid : few;
  const wisp_fixing fixed = {.count = free ? 0 : WISP_COUNT(sides), .tag = sides};
  const double most = limits->gpu ? gpu_nonzeros : host_nonzeros;
  const size_t wanted = *elements > 0 ? (size_t)*elements : (size_t)ceil(most / nonzeros_of_one(spec, cell));
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  wisp_assembly *s = NULL;
  if (source)
    CALL(wisp_mesh_some(err, corners, source, wanted, &mesh));
  else if (*elements == CROWDED)
    CALL(open_crowded(err, spec, cell, &mesh));
  else
    CALL(wisp_mesh_to_check(err, corners, (int)*elements, &mesh));
  if (source) CALL(wisp_mesh_apply_order(err, mesh));
  if (source) wisp_workload_round(spec, mesh);
  CALL(wisp_assembly_create(err, "mesh", mesh, spec->order, &fixed, &s));
  *elements = (long long)mesh->elements;
  mesh = NULL; /* it goes with what was made on it */
  *out = s;
  return WISP_OK;
}

/* Expressions are then of all elements at once. */
static wisp_status own_sizes(wisp_error *err, const void *test_mesh, wisp_env *sizes)
{
  const wisp_assembly *s = test_mesh;
  const wisp_size all[] = {{"per", (int)s->mesh->elements},
                           {"vertices", (int)s->mesh->vertices},
                           {"unknowns", (int)s->pattern->rows},
                           {"matrix", (int)s->pattern->nonzeros}};
  return wisp_names_sizes(err, sizes, all, WISP_COUNT(all));
}

/* The same matrix for all forms, each with its own view of it. */
static wisp_status discretise(wisp_error *err, const void *test_mesh, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  static const wisp_cg_capacity capacity = {.pAp_parts = PARTS};
  (void)layout;
  return wisp_assembly_discretise(err, test_mesh, spec->system, fixed, &capacity, out);
}

/* --- launches --- */

static void bind(const wisp_form_data *data, wisp_scalar_list *out)
{
  wisp_scalar_add(out, "kappa0", data->kappa[0]);
  wisp_scalar_add(out, "kappa1", data->kappa[1]);
  wisp_scalar_add(out, "kappa2", data->kappa[2]);
  wisp_scalar_add(out, "density", data->density);
  wisp_scalar_add(out, "mass", data->mass);
}

static const wisp_form_data to_launch = {.kappa = {1, 0.5, 1}, .density = 0.5, .mass = 8};

static void scalars(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out)
{
  (void)problem, (void)purpose, (void)stage;
  bind(&to_launch, out);
}

/* --- checks --- */

/* One that solvers pass, or a positive one of about this size. */
static double draw(wisp_test_case *r, const char *scalar, double size)
{
  return wisp_test_case_scalar(r, scalar, size * (0.25 + fabs(wisp_random_real(&r->random))));
}

static wisp_status fill_data(wisp_error *err, wisp_test_case *r)
{
  wisp_form_data *data = NULL;
  CALL(wisp_new(err, 1, sizeof *data, &data));
  r->own = data;
  data->kappa[0] = draw(r, "kappa0", 1);
  data->kappa[1] = draw(r, "kappa1", 1);
  data->kappa[2] = draw(r, "kappa2", 1);
  data->density = draw(r, "density", 1);
  data->mass = draw(r, "mass", 128); /* elements are small */
  bind(data, &r->scalars);
  return WISP_OK;
}

/* Round 1: numbers of very different size, and zeros among them. Nothing divides by zero. */
static wisp_status fill_inputs(wisp_error *err, wisp_test_case *r)
{
  static const int shaped[] = {WISP_ASSEMBLY_SOURCE, WISP_ASSEMBLY_U, WISP_ASSEMBLY_ELEMENT_DATA, WISP_ASSEMBLY_P};
  const bool divides = r->after[WISP_ASSEMBLY_INVERSE] != NULL;
  CALL(fill_data(err, r));
  for (size_t i = 0; r->number == 1 && i < WISP_COUNT(shaped); i++)
    for (size_t k = 0; r->before[shaped[i]] && k < r->numbers[shaped[i]]; k++) {
      const size_t draw = wisp_random_below(&r->random, 12);
      r->before[shaped[i]][k] *= draw % 4 == 0 ? 0 : ldexp(1, 4 * (int)(draw / 4) - 4);
    }
  for (size_t k = 0; divides && k < r->numbers[WISP_ASSEMBLY_VALUES]; k++) {
    double *value = &r->before[WISP_ASSEMBLY_VALUES][k];
    if (wisp_test_case_extreme(r) < 0) *value = 0.5 + fabs(*value);
    if (*value == 0) *value = 1;
  }
  return WISP_OK;
}

/* Elements of a colour add without asking whether another does: none may share an unknown, and each stands in one. */
static wisp_status lists(wisp_error *err, const wisp_problem *problem, const wisp_plan *plan)
{
  const wisp_assembly *s = problem->d.self;
  const size_t Np = (size_t)s->simplex->Np;
  OWNED(free) size_t *seen = NULL;
  size_t listed = 0;
  CALL(wisp_assembly_check_lists(err, s, plan));
  if (!wisp_plan_takes(plan, "coloured")) return WISP_OK;
  CALL(wisp_require(err, s->colours, WISP_EREFUSED, "more elements meet than there are colours"));
  CALL(wisp_new(err, s->nodes->nodes, sizeof *seen, &seen));
  for (size_t c = 0; c < s->colours; c++)
    for (size_t i = 0; i < s->colour[c].count; i++, listed++) {
      const int32_t e = s->coloured[s->colour[c].first + i];
      for (size_t a = 0; a < Np; a++) {
        const size_t node = (size_t)s->nodes->node[(size_t)e * Np + a];
        CALL(wisp_require(err, node >= s->pattern->rows || seen[node] <= c, WISP_EWRONG,
                          "two elements of colour %zu have node %zu, and one is element %d", c, node, e));
        seen[node] = c + 1;
      }
    }
  return wisp_require(err, listed == s->mesh->elements, WISP_EWRONG, "colours have %zu elements of %zu", listed,
                      s->mesh->elements);
}

/* The vendor's product of the sparse matrix with a vector, in each format. */
static wisp_status make_rival(wisp_error *err, wisp_device *device, const wisp_problem *problem, const wisp_spec *spec,
                              int number, wisp_yardstick *out)
{
  const wisp_pattern *p = ((const wisp_assembly *)problem->d.self)->pattern;
  const wisp_block_rows pattern = {1, p->rows, p->rows, p->start, p->column};
  const int format = WISP_SPMV_NUMBERS + number;
  if (strcmp(spec->kernel, "multiply") != 0 || format > WISP_SPMV_ORDERED) return WISP_OK;
  return wisp_yardstick_spmv(err, device, &pattern, spec->precision, (wisp_spmv_format)format, out);
}

/* --- on a solver's own mesh --- */

/* The view that a reference sees, with the form as its problem has it. */
typedef struct sampled {
  wisp_assembly view; /* in compressed rows and upper halves, whatever the solve's are */
  const wisp_discretisation *own;
  wisp_form form;
  wisp_mesh mesh; /* as the kernel sees it */
  unsigned char *only;
} sampled;

static size_t origin_of_sampled(const void *self, const wisp_array_decl *array, size_t i)
{
  const wisp_discretisation *own = ((const sampled *)self)->own;
  return own->origin(own->self, array, i);
}

static void free_sampled(void *self)
{
  sampled *s = self;
  free(s->only), free(s->mesh.xyz);
  free(s);
}

/* All elements around so many rows, or all. */
static wisp_status pick_elements(wisp_error *err, const wisp_assembly *a, uint64_t *random, unsigned char **only)
{
  const wisp_pattern *p = a->pattern;
  const size_t Np = (size_t)a->simplex->Np, terms = a->form->kappa == WISP_BY_NODES ? Np : 1;
  const double work = (double)((size_t)a->simplex->directions * Np * Np * terms);
  const double around = (double)p->incidences / (double)p->rows;
  OWNED(free) unsigned char *rows = NULL;
  if (1e8 > work * (double)a->mesh->elements) return WISP_OK;
  CALL(wisp_sample_pick(err, p->rows, (size_t)fmax(48, 1e8 / work / around), random, &rows));
  CALL(wisp_new(err, a->mesh->elements, 1, only));
  for (size_t row = 0; row < p->rows; row++)
    for (int32_t i = p->around_start[row]; rows[row] && i < p->around_start[row + 1]; i++)
      (*only)[(size_t)p->around[i] / Np] = 1;
  return WISP_OK;
}

static wisp_status narrow(wisp_error *err, const wisp_discretisation *all, uint64_t *random, wisp_discretisation *out)
{
  const wisp_assembly *own = all->self;
  OWNED(free) unsigned char *only = NULL;
  sampled *s = NULL;
  CALL(pick_elements(err, own, random, &only));
  if (!only) return WISP_OK;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->view = *own, s->own = all;
  s->view.only = s->only = only;
  only = NULL;
  *out = *all;
  out->self = s, out->destroy = free_sampled;
  if (out->origin) out->origin = origin_of_sampled;
  return WISP_OK;
}

static wisp_status adopt(wisp_error *err, const wisp_solver *solver, const wisp_problem *problem, const wisp_plan *plan,
                         wisp_test_case *r, wisp_sample *out)
{
  const wisp_assembly *own = problem->d.self;
  const wisp_scalar_list *list = &r->scalars;
  wisp_form_data *data = NULL;
  sampled *s = NULL;
  CALL(wisp_new(err, 1, sizeof *data, &data));
  r->own = data;
  *data = (wisp_form_data){.kappa = {wisp_scalar_of(list, "kappa0", 0), wisp_scalar_of(list, "kappa1", 0),
                                     wisp_scalar_of(list, "kappa2", 0)},
                           .density = wisp_scalar_of(list, "density", 0),
                           .mass = wisp_scalar_of(list, "mass", 0)};
  CALL(wisp_new(err, 1, sizeof *s, &s));
  out->d = problem->d;
  out->d.self = s, out->d.destroy = free_sampled;
  if (out->d.origin) out->d.origin = origin_of_sampled;
  s->view = *own, s->form = *own->form, s->own = &problem->d;
  s->view.slices = NULL, s->view.full = false;
  if (solver->kind == &wisp_heat_kind) s->form.at_node = ((const wisp_heat_run *)solver)->heat->value;
  s->view.form = &s->form;
  CALL(pick_elements(err, own, &r->random, &s->only));
  s->view.only = s->only;
  if (!wisp_plan_takes(plan, "vertices")) return WISP_OK;
  CALL(wisp_sample_round(err, plan->spec.precision, own->mesh, &own->frame, &s->mesh));
  s->view.mesh = &s->mesh, s->view.frame = wisp_frame_none;
  return WISP_OK;
}

/* --- parts of a solver: the matrix in compressed rows --- */

static bool find_part(const wisp_limits *limits, const wisp_spec *spec, long long elements, int i, wisp_part *out)
{
  static const wisp_part parts[] = {{.name = "iteration", .compositions = "multiply", .share = 1},
                                    {.name = "assembly", .share = 2}};
  (void)limits, (void)spec, (void)elements;
  if (i >= (int)WISP_COUNT(parts)) return false;
  *out = parts[i];
  wisp_fixed_ask(&out->preset, "sliced_ell", 0, 0);
  return true;
}

const wisp_workload wisp_workload_assembly = {
    .family = "assembly",
    .listed = true,
    .open = open_test_mesh,
    .close = close_test_mesh,
    .many = many_elements,
    .own_sizes = own_sizes,
    .discretise = discretise,
    .scalars = scalars,
    .stages = &(const int){1},
    .part = find_part,
    .fill_inputs = fill_inputs,
    .other_meshes = WISP_CHECK_MESHES - 1,
    .crowded_mesh = true,
    .reference = wisp_assembly_reference,
    .lists = lists,
    .narrow = narrow,
    .adopt = adopt,
    .rival = make_rival,
    .accuracy = wisp_assembly_accuracy,
};
