/* The tensor-product family in the tuner: element-local operators on random hexahedra, beside a copy of as many bytes
 * as they must move (the roofline of Swirydowicz, Chalmers, Karakus, Warburton 2019). The vectors of continuous
 * elements are workload_vectors.c's. */
#include "elements.h"
#include "../trial/workload.h"
#include "../../gen/random.h"
#include "templates/tensor/family.h"
#include "../../runtime/tensor/multigrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels[] = {
    "mass", "stiffness", "collocated", "mass_trilinear", "stiffness_trilinear", "collocated_trilinear", NULL};

/* --- the test mesh: hexes that stand alone --- */

/* Elements come again after so many numbers of the largest array: making 10^8 nodes' factors would take the host
 * minutes, and a device sees no difference, since all are in its memory. */
enum { PERIOD_NUMBERS = 1 << 22 };

/* To check on: so many hexes, every other one thin, every fourth one small. */
typedef struct shapes {
  size_t elements;
  double thickness, size;
  uint64_t seed;
} shapes;
static const shapes to_check[] = {{29, 1, 1, 0}, {1, 1, 1, 1}, {5, 0x1p-7, 1, 2}, {64, 0x1p-7, 0x1p-10, 3}};

typedef struct test_mesh {
  wisp_hex *hex;
  size_t elements, period, numbers[WISP_TENSOR_ARRAYS]; /* numbers: of one element */
  double *geometry[WISP_TENSOR_ARRAYS];                 /* of `period` elements; NULL for arrays that are none */
  unsigned char *only;                                  /* a reference's sample: 1 for its elements; NULL: all */
} test_mesh;

static void close_test_mesh(void *context)
{
  test_mesh *g = context;
  if (!g) return;
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) free(g->geometry[a]);
  wisp_hex_destroy(g->hex);
  free(g);
}
WISP_OWNED(test_mesh, close_test_mesh)

/* Coordinate d of a unit cube's vertex v, the cube turned to one of the twelve directions that axes in cyclic order
 * have: kernels must not mind which way an element lies. */
static double rotated_cube(size_t element, size_t v, size_t d)
{
  size_t axis = (d + element) % 3, kept = element / 3 % 4;
  double sign = kept < 3 && kept != d ? -1 : 1; /* two axes change sign, or none */
  return sign * (double)(v >> axis & 1);
}

/* Every vertex moved by up to an eighth, so that no Jacobian comes near zero; then hexes are made thin, and small. */
static void move_vertices(size_t count, const shapes *as, double *vertices)
{
  uint64_t random = wisp_random_from(WISP_RANDOM_SEED + as->seed);
  for (size_t i = 0; i < 3 * WISP_HEX_VERTICES * count; i++) {
    size_t v = i % WISP_HEX_VERTICES, d = i / WISP_HEX_VERTICES % 3, element = i / (3 * WISP_HEX_VERTICES);
    vertices[i] = rotated_cube(element, v, d) + wisp_random_real(&random) / 8;
    if (d == 2 && element % 2) vertices[i] *= as->thickness;
    if (element % 4 == 2) vertices[i] *= as->size;
  }
}

/* Counts the numbers of the fixed arrays that operators read, of one element. */
static void count_numbers(test_mesh *g)
{
  const wisp_array_decl *list = wisp_family_find("tensor")->arrays;
  const wisp_discretisation one = {
      .family = wisp_family_find("tensor"),
      .counts = {{"elements", 1}, {"Np", (size_t)g->hex->Np}, {"glNp", (size_t)g->hex->glNp}}};
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    if (list[a].kind != WISP_FIXED || !wisp_discretisation_size(&one, &list[a], &g->numbers[a])) g->numbers[a] = 0;
}

static wisp_status make_geometry(wisp_error *err, const shapes *as, test_mesh *g)
{
  const size_t glNp = (size_t)g->hex->glNp, wJ = 6 * glNp, count = g->period;
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    if (g->numbers[a]) CALL(wisp_new(err, count * g->numbers[a], sizeof **g->geometry, &g->geometry[a]));
  double *gauss = g->geometry[WISP_TENSOR_GAUSS_FACTORS], *vertices = g->geometry[WISP_TENSOR_VERTICES];
  move_vertices(count, as, vertices);
  CALL(wisp_hex_factors(err, g->hex, WISP_HEX_GAUSS, vertices, 0, count, gauss));
  CALL(wisp_hex_factors(err, g->hex, WISP_HEX_GLL, vertices, 0, count, g->geometry[WISP_TENSOR_GLL_FACTORS]));
  for (size_t e = 0; e < count; e++)
    memcpy(g->geometry[WISP_TENSOR_GAUSS_MASS] + e * glNp, gauss + e * WISP_HEX_FACTORS * glNp + wJ,
           glNp * sizeof *gauss);
  return WISP_OK;
}

static wisp_status open_test_mesh(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec,
                                  long long *elements, const wisp_mesh_source *source, void **out)
{
  OWNED(close_test_mesh) test_mesh *g = NULL;
  CALL(wisp_new(err, 1, sizeof *g, &g));
  CALL(wisp_hex_create(err, spec->order, &g->hex));
  count_numbers(g);
  const shapes *as = &to_check[source ? 0 : *elements];
  g->elements = source ? wisp_tensor_elements(limits, spec->order, *elements) : as->elements;
  *elements = (long long)g->elements;
  g->period = PERIOD_NUMBERS / g->numbers[WISP_TENSOR_GAUSS_FACTORS];
  g->period = g->period < g->elements ? g->period : g->elements;
  CALL(make_geometry(err, as, g));
  return GIVE(g, out);
}

/* --- discretisations --- */

static wisp_status fill(wisp_error *err, const void *self, wisp_arrays *arrays)
{
  const test_mesh *g = self;
  const wisp_array_decl *list = wisp_family_find("tensor")->arrays;
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    if (g->geometry[a]) CALL(wisp_arrays_repeat(err, arrays, list[a].name, g->period * g->numbers[a], g->geometry[a]));
  return WISP_OK;
}

static void place(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT])
{
  const size_t Np = (size_t)((const test_mesh *)self)->hex->Np;
  (void)array;
  snprintf(text, WISP_PLACE_TEXT, "element %zu, node %zu", i / Np, i % Np);
}

static wisp_status count(wisp_error *err, const wisp_spec *spec, size_t elements, wisp_discretisation *out)
{
  const size_t Nq = (size_t)spec->order + 1, Gl = Nq + 1;
  (void)err;
  *out = (wisp_discretisation){
      .family = wisp_family_find(spec->family),
      .counts = {{"elements", elements}, {"groups", elements}, {"Np", Nq * Nq * Nq}, {"glNp", Gl * Gl * Gl}}};
  return WISP_OK;
}

static wisp_status discretise(wisp_error *err, const void *context, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  const test_mesh *g = context;
  (void)layout, (void)fixed;
  CALL(count(err, spec, g->elements, out));
  out->self = (void *)(uintptr_t)g;
  out->fill = fill;
  out->place = place;
  return WISP_OK;
}

static void scalars(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out)
{
  (void)problem, (void)purpose, (void)stage;
  wisp_scalar_add(out, "lambda", 1);
}

/* --- checks --- */

/* Round 0: fields whose size differs from element to element by 2^20; round 1: zeros among the numbers, and elements of
 * zeros. */
static wisp_status fill_inputs(wisp_error *err, wisp_test_case *r)
{
  const test_mesh *g = r->discretisation->self;
  const size_t Np = (size_t)g->hex->Np;
  double *lambda = NULL;
  CALL(wisp_new(err, 1, sizeof *lambda, &lambda));
  r->own = lambda;
  *lambda = wisp_test_case_scalar(r, "lambda", 0.25 + fabs(wisp_random_real(&r->random)));
  wisp_scalar_add(&r->scalars, "lambda", *lambda);
  for (size_t k = 0; k < g->elements; k++) {
    const double scale = r->number == 0   ? ldexp(1, 10 * (int)wisp_random_below(&r->random, 3) - 10)
                         : r->number == 1 ? k % 8 != 3
                                          : 1;
    for (size_t i = k * Np; i < (k + 1) * Np; i++)
      r->before[WISP_TENSOR_U][i] *= r->number == 1 && wisp_random_below(&r->random, 4) == 0 ? 0 : scale;
  }
  return WISP_OK;
}

/* An edge of a hex at corner v, along direction a of three. */
static void find_edge(const double vertices[24], int v, int a, double edge[3])
{
  const int bit = 1 << a % 3;
  for (int d = 0; d < 3; d++) edge[d] = vertices[8 * d + (v | bit)] - vertices[8 * d + (v & ~bit)];
}

/* The rounding of a geometric factor, in roundings of products, at the worst corner of a hex: two gradients
 * and a Jacobian are differences of products of edges, and in a thin hex the largest part of these may cancel. */
static double factor_blur(const double vertices[24])
{
  double worst = 1;
  for (int v = 0; v < WISP_HEX_VERTICES; v++)
    for (int a = 0; a < 3; a++) {
      double x[3], y[3], z[3], square = 0, squares = 0, J = 0, magnitude = 0;
      find_edge(vertices, v, a, x), find_edge(vertices, v, a + 1, y), find_edge(vertices, v, a + 2, z);
      for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        const double across = y[e] * z[f] - y[f] * z[e], products = fabs(y[e] * z[f]) + fabs(y[f] * z[e]);
        square += across * across, squares += products * products;
        J += x[d] * across, magnitude += fabs(x[d]) * products;
      }
      worst = fmax(worst, squares / square * magnitude / fabs(J));
    }
  return worst;
}

static wisp_status compute_reference(wisp_error *err, wisp_test_case *r)
{
  const test_mesh *g = r->discretisation->self;
  const double *vertices = g->geometry[WISP_TENSOR_VERTICES], *u = r->before[WISP_TENSOR_U];
  const double lambda = *(const double *)r->own;
  wisp_hex_operator op;
  CALL(wisp_require(err, wisp_hex_operator_find(r->kernel->name, &op), WISP_EUSAGE, "no reference for kernel '%s'",
                    r->kernel->name));
  const size_t Np = (size_t)g->hex->Np, together = g->only ? 1 : g->period;
  for (size_t e = 0; e < g->elements; e += together) {
    const size_t count = g->elements - e < together ? g->elements - e : together, at = e * Np;
    const double *own = vertices + 24 * (e % g->period);
    if (g->only && !g->only[e]) continue;
    CALL(wisp_hex_apply(err, g->hex, op, own, count, lambda, u + at, r->after[WISP_TENSOR_Y] + at));
    CALL(wisp_hex_apply_sizes(err, g->hex, op, own, count, lambda, u + at, r->size[WISP_TENSOR_Y] + at));
  }
  for (size_t e = 0; wisp_list_has(r->kernel->reads, "vertices") && e < g->elements; e++) {
    const double blur = factor_blur(vertices + 24 * (e % g->period));
    for (size_t i = 0; i < Np; i++) r->size[WISP_TENSOR_Y][e * Np + i] *= blur;
  }
  return WISP_OK;
}

/* --- samples --- */

static size_t afforded(const wisp_hex *hex)
{
  return 48 + 4000000 / ((size_t)hex->Np * (size_t)hex->Nq);
}

static void free_narrowed(void *self)
{
  free(((test_mesh *)self)->only);
  free(self);
}

static wisp_status narrow(wisp_error *err, const wisp_discretisation *all, uint64_t *random, wisp_discretisation *out)
{
  const test_mesh *g = all->self;
  test_mesh *view = NULL;
  if (afforded(g->hex) >= g->elements) return WISP_OK;
  CALL(wisp_new(err, 1, sizeof *view, &view));
  *view = *g, view->only = NULL;
  *out = *all;
  out->self = view, out->destroy = free_narrowed;
  return wisp_sample_pick(err, g->elements, afforded(g->hex), random, &view->only);
}

/* On a solver's own mesh: elements of the sample, one after the other, and the place of each of the mesh's among them,
 * SIZE_MAX for others. */
typedef struct sampled {
  test_mesh mesh; /* which a reference sees */
  size_t *where;
} sampled;

static size_t origin_of_sampled(const void *self, const wisp_array_decl *array, size_t i)
{
  const sampled *s = self;
  const size_t Np = (size_t)s->mesh.hex->Np;
  (void)array;
  return s->where[i / Np] == SIZE_MAX ? WISP_NOBODY : s->where[i / Np] * Np + i % Np;
}

static void free_sampled(void *self)
{
  sampled *s = self;
  free(s->where), free(s->mesh.geometry[WISP_TENSOR_VERTICES]);
  free(s);
}

static wisp_status take_vertices(wisp_error *err, const wisp_poisson *p, const wisp_plan *plan,
                                 const unsigned char *picked, sampled *s)
{
  double **vertices = &s->mesh.geometry[WISP_TENSOR_VERTICES];
  CALL(wisp_new(err, p->mesh->elements, sizeof *s->where, &s->where));
  for (size_t e = 0; e < p->mesh->elements; e++) s->where[e] = picked[e] ? s->mesh.elements++ : SIZE_MAX;
  s->mesh.period = s->mesh.elements;
  CALL(wisp_new(err, 3 * WISP_HEX_VERTICES * s->mesh.elements, sizeof **vertices, vertices));
  for (size_t e = 0; e < p->mesh->elements; e++)
    if (picked[e]) wisp_hex_vertices(p->mesh, &p->frame, e, 1, *vertices + 3 * WISP_HEX_VERTICES * s->where[e]);
  const bool rounded = wisp_plan_takes(plan, "vertices") && plan->spec.precision == WISP_F32;
  for (size_t i = 0; rounded && i < 3 * WISP_HEX_VERTICES * s->mesh.elements; i++)
    (*vertices)[i] = (float)(*vertices)[i];
  return WISP_OK;
}

static wisp_status adopt(wisp_error *err, const wisp_solver *solver, const wisp_problem *problem, const wisp_plan *plan,
                         wisp_test_case *r, wisp_sample *out)
{
  const wisp_poisson_run *run = (const wisp_poisson_run *)solver;
  const wisp_poisson *p = NULL;
  OWNED(free) unsigned char *picked = NULL;
  double *lambda = NULL;
  sampled *s = NULL;
  CALL(wisp_require(err, solver->kind == &wisp_poisson_kind, WISP_EMISSING, "no mesh of hexes"));
  if (run->multigrid) p = wisp_multigrid_problem(run->multigrid, problem);
  if (!p) p = run->problem;
  CALL(wisp_new(err, 1, sizeof *lambda, &lambda));
  r->own = lambda;
  *lambda = wisp_scalar_of(&r->scalars, "lambda", 0);
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->mesh.hex = p->hex;
  out->d = (wisp_discretisation){.self = s, .destroy = free_sampled};
  CALL(wisp_sample_pick(err, p->mesh->elements, afforded(p->hex), &r->random, &picked));
  CALL(take_vertices(err, p, plan, picked, s));
  wisp_discretisation d;
  CALL(count(err, &(wisp_spec){.family = "tensor", .order = p->hex->N}, s->mesh.elements, &d));
  d.self = s, d.destroy = free_sampled, d.origin = origin_of_sampled;
  out->d = d, out->compact = true;
  return WISP_OK;
}

static const wisp_alternative alternatives[] = {
    {"mass_trilinear", "mass"},
    {"stiffness_trilinear", "stiffness"},
    {"collocated_trilinear", "collocated"},
    {NULL, NULL},
};

/* --- parts of a solver: an iteration with each operator --- */

static bool find_part(const wisp_limits *limits, const wisp_spec *spec, long long elements, int i, wisp_part *out)
{
#define ITERATION(operator) "update+spread+" operator"+gather+advance"
#define EITHER(operator) ITERATION(operator) "|" ITERATION(operator"_trilinear")
  static const wisp_part parts[] = {{.name = "mass", .compositions = EITHER("mass")},
                                    {.name = "stiffness", .compositions = EITHER("stiffness")},
                                    {.name = "collocated", .compositions = EITHER("collocated")}};
  (void)limits, (void)spec, (void)elements;
  if (i >= (int)WISP_COUNT(parts)) return false;
  *out = parts[i];
  return true;
}

extern const wisp_workload wisp_workload_vectors;
const wisp_workload wisp_workload_tensor = {
    .family = "tensor",
    .more = &wisp_workload_vectors,
    .kernels = kernels,
    .alone = true,
    .count = count,
    .open = open_test_mesh,
    .close = close_test_mesh,
    .many = wisp_tensor_many,
    .discretise = discretise,
    .scalars = scalars,
    .stages = &(const int){1},
    .part = find_part,
    .fill_inputs = fill_inputs,
    .other_meshes = WISP_COUNT(to_check) - 1,
    .reference = compute_reference,
    .narrow = narrow,
    .adopt = adopt,
    .alternatives = alternatives,
};
