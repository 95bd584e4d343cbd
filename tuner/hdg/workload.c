/* The hdg family in the tuner: on triangles, against the elements' matrices by LAPACK on the host, beside a copy of as
 * many bytes as must move. */
#include "inputs.h"
#include "paper.h"
#include "../../runtime/batched.h"
#include "../../runtime/hdg/helmholtz_solver.h"
#include "../../runtime/hdg/reference_parts.h"
#include "../../runtime/solve/cg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the test mesh: a skeleton, two sides of the box given --- */

/* Parts that a sum can have, and of sums that are read while timed, has. */
enum { PARTS = 65536, TIMED_PARTS = 792 };

static void close_test_mesh(void *test_mesh)
{
  wisp_hdg *s = test_mesh;
  wisp_mesh *mesh = s ? (wisp_mesh *)(uintptr_t)s->mesh : NULL;
  wisp_hdg_destroy(s);
  wisp_mesh_destroy(mesh);
}

/* To time on: as many numbers in blocks as suit the device, unless the elements are given. Bounds of condensed matrices
 * hold on the thinnest elements up to order HIGH. */
static wisp_status open_test_mesh(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec,
                                  long long *elements, const wisp_mesh_source *source, void **out)
{
  enum { HIGH = 3 };
  static const int32_t sides[] = {1, 2};
  static const double gpu_numbers = 6e7, host_numbers = 3e5;
  const wisp_fixing fixed = {.count = source && source->file ? 0 : WISP_COUNT(sides), .tag = sides};
  const double most = limits->gpu ? gpu_numbers : host_numbers, n = spec->order + 1;
  const size_t wanted = *elements > 0 ? (size_t)*elements : (size_t)ceil(most / (1.5 * WISP_HDG_ROW * n * n));
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_hdg_destroy) wisp_hdg *s = NULL;
  CALL(wisp_require(err, source || *elements < WISP_CHECK_MESHES - 1 || spec->order <= HIGH, WISP_EREFUSED,
                    "mesh %lld to check on is for low orders", *elements));
  CALL(source ? wisp_mesh_some(err, 3, source, wanted, &mesh) : wisp_mesh_to_check(err, 3, (int)*elements, &mesh));
  if (source) wisp_workload_round(spec, mesh);
  CALL(wisp_hdg_create(err, "mesh", mesh, spec->order, &fixed, &s));
  CALL(wisp_hdg_coarsen(err, s, source ? WISP_CYCLE_DIRECT : 8));
  *elements = (long long)mesh->elements;
  mesh = NULL; /* it goes with what was made on it */
  return GIVE(s, out);
}

/* Edges as a square has them, those on its sides given. */
static wisp_status count(wisp_error *err, const wisp_spec *spec, size_t elements, wisp_discretisation *out)
{
  const int n = spec->order + 1;
  const wisp_hdg_tables tables = {
      .N = spec->order, .n = n, .m = 3 * n, .Np = n * (n + 1) / 2, .Ns = (n + 1) * (n + 2) / 2};
  const wisp_mesh mesh = {.elements = elements, .vertices = elements / 2};
  const size_t edges = elements * 3 / 2, sides = (size_t)sqrt(2 * (double)elements);
  const wisp_hdg s = {.mesh = &mesh,
                      .tables = (wisp_hdg_tables *)(uintptr_t)&tables,
                      .edges = edges,
                      .free_edges = edges > sides ? edges - sides : 0};
  const wisp_hdg_capacity capacity = {.iterations = 0};
  (void)err;
  *out = wisp_hdg_discretisation(&s, &capacity);
  return WISP_OK;
}

static wisp_status discretise(wisp_error *err, const void *test_mesh, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  const wisp_hdg_capacity capacity = {.rz_parts = PARTS,
                                      .pAp_parts = PARTS,
                                      .iterations = WISP_HDG_ITERATIONS,
                                      .aos = wisp_fixed_value(fixed, "aos", 0)};
  (void)err, (void)spec, (void)layout;
  *out = wisp_hdg_discretisation(test_mesh, &capacity);
  return WISP_OK;
}

/* --- launches --- */

static void scalars(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out)
{
  const wisp_cycle *c = ((const wisp_hdg *)problem->d.self)->coarse->cycle;
  (void)purpose, (void)stage;
  wisp_scalar_add(out, "pAp_parts", TIMED_PARTS);
  wisp_hdg_add_step(wisp_hdg_find_step(c, WISP_CYCLE_PRODUCT, 1), out);
  wisp_hdg_add_step(wisp_hdg_find_step(c, WISP_CYCLE_INVERT, 0), out);
  wisp_scalar_add(out, "cycle_rows", (double)c->span[c->spans - 1].count);
  wisp_scalar_add(out, "span", (double)(c->spans - 1));
  wisp_hdg_add_small(c, out);
  wisp_scalar_add(out, "gain", 1);
  wisp_scalar_add(out, "keep", 0);
  wisp_scalar_add(out, "first_step", 0);
  wisp_scalar_add(out, "smoothed", 0);
  wisp_scalar_add(out, "summed", 0);
}

/* To time: not running, so that alpha is 0, and a kernel can run any number of times. To check: all moves. */
static wisp_status set_state(wisp_error *err, wisp_problem *problem, wisp_purpose purpose)
{
  static const double of[][WISP_CG_STATE] = {[WISP_FOR_TIMING] = {[WISP_CG_AT_LIMIT] = 1e30},
                                             [WISP_FOR_CHECKS] = {[WISP_CG_AT_RZ] = 512, [WISP_CG_AT_RUNNING] = 1}};
  static const int left = 1 << 20;
  CALL(wisp_arrays_upload(err, problem->arrays, "state", of[purpose]));
  return wisp_arrays_upload_ints(err, problem->arrays, "left", &left);
}

/* --- rivals. Condensed matrices: seven tables, a_0, a_1, a_2, G_rr, G_rs, G_ss and lambda J --- */

enum { TERMS = 7, SAMPLE = 16 };

/* S, R and K_F of a term, column by column. */
static void fill_table(const wisp_hdg_tables *t, int term, double *to)
{
  const int Np = t->Np, n = t->n, m = t->m;
  double *R = to + Np * Np, *K = R + Np * m;
  for (int q = 0; q < Np * Np; q++) to[q] = term < WISP_HDG_S ? t->S[term][q] : q % (Np + 1) == 0;
  for (int q = 0; q < Np * m && term < WISP_HDG_S; q++) {
    const int k = q / Np, i = q % Np;
    if (term >= 3 || k / n == term) R[q] = t->R[term >= 3 ? term - 2 : 0][i * m + k];
  }
  for (int q = 0; q < m * m && term < WISP_HDG_S; q++)
    K[q] = term >= 3 ? t->K[term - 3][q] : q % (m + 1) == 0 && q / m / n == term;
}

/* tau, kappa and lambda 1. */
static wisp_hdg_factors factors_at(const wisp_hdg *s, size_t e)
{
  const wisp_hdg_triangle at = wisp_hdg_triangle_at(s, e, (double[3]){1, 1, 1}, 1, 1);
  wisp_hdg_factors out;
  wisp_hdg_factors_of(&at, &out);
  return out;
}

/* The largest error of a sample's entries, over the largest of them. */
static wisp_status batched_error(wisp_error *err, const wisp_hdg *s, wisp_batched *batched, double *error)
{
  const wisp_hdg_tables *t = s->tables;
  const size_t size = (size_t)(t->m * t->m);
  OWNED(free) double *K = NULL, *load = NULL;
  OWNED(free) wisp_hdg_condensed *exact = NULL;
  size_t first = 0;
  double worst = 0, largest = 0;
  CALL(wisp_new(err, SAMPLE * size, sizeof *K, &K));
  CALL(wisp_new(err, (size_t)t->Np, sizeof *load, &load));
  CALL(wisp_new(err, 1, sizeof *exact, &exact));
  CALL(wisp_batched_run(err, batched));
  CALL(wisp_batched_last(err, batched, SAMPLE, &first, K));
  for (size_t i = 0; i < SAMPLE && first + i < s->mesh->elements; i++) {
    const wisp_hdg_factors factors = factors_at(s, first + i);
    CALL(wisp_hdg_condense(err, t, &factors, load, exact));
    for (size_t q = 0; q < size; q++) {
      const double off = fabs(K[i * size + q] - exact->K[q]);
      worst = isfinite(off) ? fmax(worst, off) : INFINITY, largest = fmax(largest, fabs(exact->K[q]));
    }
  }
  *error = worst / largest;
  return WISP_OK;
}

static void destroy_batched(void *batched)
{
  wisp_batched_destroy(batched);
}

static wisp_status make_batched(wisp_error *err, wisp_device *device, const wisp_hdg *s, wisp_precision precision,
                                int method, wisp_yardstick *out)
{
  const wisp_hdg_tables *t = s->tables;
  const size_t width = (size_t)(t->Np * t->Np + t->Np * t->m + t->m * t->m), elements = s->mesh->elements;
  OWNED(free) double *table = NULL, *numbers = NULL;
  OWNED(wisp_batched_destroy) wisp_batched *batched = NULL;
  double error = NAN;
  CALL(wisp_new(err, TERMS * width, sizeof *table, &table));
  CALL(wisp_new(err, TERMS * elements, sizeof *numbers, &numbers));
  for (int term = 0; term < TERMS; term++) fill_table(t, term, table + (size_t)term * width);
  for (size_t e = 0; e < elements; e++) {
    const wisp_hdg_factors f = factors_at(s, e);
    const double all[TERMS] = {f.a[0], f.a[1], f.a[2], f.G[0], f.G[1], f.G[2], f.mass};
    memcpy(numbers + TERMS * e, all, sizeof all);
  }
  const wisp_bordered matrices = {t->Np, t->m, TERMS, table, elements, numbers, precision};
  CALL(wisp_batched_create(err, device, &matrices, (wisp_batched_method)method, &batched));
  CALL(batched_error(err, s, batched, &error));
  *out = (wisp_yardstick){.run = wisp_batched_run, .destroy = destroy_batched, .context = batched, .error = error};
  snprintf(out->name, sizeof out->name, "%s", wisp_batched_name(batched));
  batched = NULL;
  return WISP_OK;
}

/* Fills the pattern of the traces' matrix, by rows of at most five blocks, columns ascending. */
static void find_rows(const wisp_hdg *s, int32_t *start, int32_t *column)
{
  int32_t count = 0;
  for (size_t edge = 0; edge < s->free_edges; edge++) {
    start[edge] = count;
    for (int place = 0; place < WISP_HDG_ROW; place++) {
      const int32_t to = wisp_hdg_column(s, edge, place);
      int32_t at = count;
      if (to < 0 || (size_t)to >= s->free_edges) continue;
      for (; at > start[edge] && column[at - 1] > to; at--) column[at] = column[at - 1];
      column[at] = to, count++;
    }
  }
  start[s->free_edges] = count;
}

static wisp_status make_spmv(wisp_error *err, wisp_device *device, const wisp_hdg *s, wisp_precision precision,
                             int format, wisp_yardstick *out)
{
  OWNED(free) int32_t *start = NULL, *column = NULL;
  CALL(wisp_new(err, s->free_edges + 1, sizeof *start, &start));
  CALL(wisp_new(err, WISP_HDG_ROW * s->free_edges, sizeof *column, &column));
  find_rows(s, start, column);
  const wisp_block_rows pattern = {s->tables->n, s->free_edges, s->free_edges, start, column};
  return wisp_yardstick_spmv(err, device, &pattern, precision, (wisp_spmv_format)format, out);
}

/* Chains of the vendor's batched routines for the condensed matrices, its sparse product for the traces' matrix. */
static wisp_status make_rival(wisp_error *err, wisp_device *device, const wisp_problem *problem, const wisp_spec *spec,
                              int number, wisp_yardstick *out)
{
  if (strcmp(spec->kernel, "condense") == 0 && number < WISP_BATCHED_METHODS)
    return make_batched(err, device, problem->d.self, spec->precision, number, out);
  if (strcmp(spec->kernel, "apply") == 0 && number < WISP_SPMV_FORMATS)
    return make_spmv(err, device, problem->d.self, spec->precision, number, out);
  return WISP_OK;
}

/* --- on a solver's own mesh --- */

/* The skeleton that a reference sees. */
typedef struct sampled {
  wisp_hdg view;
  wisp_mesh mesh; /* as the kernel sees it */
  unsigned char *only;
} sampled;

static void free_sampled(void *self)
{
  sampled *s = self;
  free(s->only), free(s->mesh.xyz);
  free(s);
}

/* Both elements of so many edges, or all. */
static wisp_status pick_elements(wisp_error *err, const wisp_hdg *h, uint64_t *random, unsigned char **only)
{
  const double work = pow(h->tables->Np, 3) + 200; /* of an elimination */
  OWNED(free) unsigned char *edges = NULL;
  if (3e7 > work * (double)h->mesh->elements) return WISP_OK;
  CALL(wisp_sample_pick(err, h->edges, (size_t)fmax(48, 3e7 / work / 2), random, &edges));
  CALL(wisp_new(err, h->mesh->elements, 1, only));
  for (size_t i = 0; i < 2 * h->edges; i++)
    if (edges[i / 2] && h->side[i] >= 0) (*only)[h->side[i] / 3] = 1;
  return WISP_OK;
}

static wisp_status narrow(wisp_error *err, const wisp_discretisation *all, uint64_t *random, wisp_discretisation *out)
{
  const wisp_hdg *own = all->self;
  OWNED(free) unsigned char *only = NULL;
  sampled *s = NULL;
  CALL(pick_elements(err, own, random, &only));
  if (!only) return WISP_OK;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->view = *own;
  s->view.only = s->only = only;
  only = NULL;
  *out = *all;
  out->self = s, out->destroy = free_sampled;
  return WISP_OK;
}

/* Whether the launch is of this step of the coarse cycle. */
static bool is_of_step(const wisp_scalar_list *list, const wisp_cycle_step *step)
{
  wisp_binding of[WISP_CYCLE_BINDINGS];
  const size_t count = wisp_cycle_bindings(step, of);
  bool same = true;
  for (size_t i = 0; i < count; i++) same &= wisp_scalar_of(list, of[i].name, NAN) == of[i].value;
  return same;
}

static wisp_status adopt_step(wisp_error *err, const wisp_hdg *h, wisp_test_case *r)
{
  const wisp_cycle *c = h->coarse->cycle;
  const wisp_cycle_step *step = c->step;
  wisp_cycle_step *own = NULL;
  while (step < c->step + c->steps && !is_of_step(&r->scalars, step)) step++;
  CALL(wisp_require(err, step < c->step + c->steps, WISP_EMISSING, "no step of the coarse cycle has these scalars"));
  CALL(wisp_new(err, 1, sizeof *own, &own));
  *own = *step;
  r->own = own;
  return WISP_OK;
}

static wisp_status adopt(wisp_error *err, const wisp_solver *solver, const wisp_problem *problem, const wisp_plan *plan,
                         wisp_test_case *r, wisp_sample *out)
{
  const wisp_hdg *own = problem->d.self;
  const bool steps =
      wisp_list_has(r->kernel->writes, "cycle_value") && !wisp_list_has(r->kernel->reads, "corner_parts");
  sampled *s = NULL;
  (void)solver;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  out->d = problem->d;
  out->d.self = s, out->d.destroy = free_sampled; /* its place and origin see the view, which stands first */
  s->view = *own;
  if (steps) CALL(adopt_step(err, own, r));
  CALL(pick_elements(err, own, &r->random, &s->only));
  s->view.only = s->only;
  if (!wisp_plan_takes(plan, "vertices")) return WISP_OK;
  CALL(wisp_sample_round(err, plan->spec.precision, own->mesh, &own->frame, &s->mesh));
  s->view.mesh = &s->mesh, s->view.frame = wisp_frame_none;
  return WISP_OK;
}

/* --- parts of a solver --- */

/* The iteration with two levels comes first: its winners decide how matrices lie. What is made of the matrix once goes
 * with the preconditioner. */
static bool find_part(const wisp_limits *limits, const wisp_spec *spec, long long elements, int i, wisp_part *out)
{
  static const char rows[] = WISP_HELMHOLTZ_CYCLE("apply");
  static const char either[] = WISP_HELMHOLTZ_CYCLE("apply") "|" WISP_HELMHOLTZ_CYCLE("multiply+collect");
  static const wisp_part others[] = {{.name = "set-up", .share = 2},
                                     {.name = "preconditioner", .compositions = WISP_HELMHOLTZ_NUMBERS},
                                     {.name = "fields", .compositions = WISP_HELMHOLTZ_RECOVERY}};
  wisp_helmholtz_method method = {.precision = spec->precision, .preconditioner = WISP_TRACE_LEVELS};
  if (i > (int)WISP_COUNT(others)) return false;
  if (i > 0) return *out = others[i - 1], true;
  wisp_helmholtz_resolve_matrix(limits, spec->order, (double)elements, &method);
  *out =
      (wisp_part){.name = "iteration", .share = 4, .compositions = method.matrix == WISP_TRACE_EITHER ? either : rows};
  return true;
}

const wisp_workload wisp_workload_hdg = {
    .family = "hdg",
    .count = count,
    .open = open_test_mesh,
    .many = wisp_hdg_many,
    .last = "summed",
    .close = close_test_mesh,
    .discretise = discretise,
    .scalars = scalars,
    .set_state = set_state,
    .stages = &(const int){1},
    .part = find_part,
    .cases = wisp_hdg_cases,
    .fill_inputs = wisp_hdg_fill_inputs,
    .other_meshes = WISP_CHECK_MESHES - 1,
    .double_meshes = 1, /* single precision cannot eliminate such thin elements */
    .reference = wisp_hdg_reference,
    .narrow = narrow,
    .adopt = adopt,
    .rival = make_rival,
    .paper = wisp_hdg_paper,
};
