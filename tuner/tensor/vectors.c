/* The vector kernels of conjugate gradients in the tuner: on continuous elements, beside a copy of as many bytes as
 * they must move. */
#include "../trial/workload.h"
#include "elements.h"
#include "../../gen/random.h"
#include "../../runtime/tensor/cg_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels[] = {"update", "spread",   "gather", "advance", "smooth",  "enter", "leave",
                                      "defect", "restrict", "begin",  "prolong", "correct", NULL};

/* Iterations that history has room for, parts that a sum can have, and of sums that are read while timed, has. */
enum { ITERATIONS = 16, PARTS = 65536, TIMED_PARTS = 792 };

/* --- the test mesh: unknowns within hexes, boundary values given --- */

enum { NODES_TO_CHECK = 100000 };

size_t wisp_tensor_elements(const wisp_limits *limits, int order, long long asked)
{
  static const size_t gpu_nodes = 10000000, host_nodes = 100000;
  const size_t nodes = limits->gpu ? gpu_nodes : host_nodes;
  const size_t Nq = (size_t)order + 1, Np = Nq * Nq * Nq;
  return asked > 0 ? (size_t)asked : (nodes + Np - 1) / Np;
}

/* At the lowest order unknowns that 16 bits do not count, at others elements, as long as these have few nodes. */
long long wisp_tensor_many(const wisp_spec *spec)
{
  static const long long UNKNOWNS = 43 * 43 * 43, ELEMENTS = 66000, NODES = 4300000;
  const long long Nq = spec->order + 1, fit = NODES / (Nq * Nq * Nq);
  return spec->order == 1 ? UNKNOWNS : fit < ELEMENTS ? fit : ELEMENTS;
}

typedef struct test_mesh {
  size_t elements;
  wisp_hexcopies *copies;
} test_mesh;

static void close_test_mesh(void *context)
{
  test_mesh *g = context;
  if (!g) return;
  wisp_hexcopies_destroy(g->copies);
  free(g);
}
WISP_OWNED(test_mesh, close_test_mesh)

static wisp_status open_test_mesh(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec,
                                  long long *elements, const wisp_mesh_source *source, void **out)
{
  OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = NULL;
  OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
  OWNED(close_test_mesh) test_mesh *g = NULL;
  const int order = spec->order, Nq = order + 1, Np = Nq * Nq * Nq;
  static const int few[] = {0, 1, 3, 64}, corners_inside[] = {0, 8, 27, 64}; /* hexes of order 1 have no nodes inside */
  const size_t to_check = !source && *elements ? (size_t)(order > 1 ? few : corners_inside)[*elements]
                                               : (size_t)((NODES_TO_CHECK + Np - 1) / Np);
  CALL(wisp_mesh_some(err, 8, source, source ? wisp_tensor_elements(limits, order, *elements) : to_check, &mesh));
  CALL(wisp_hexnodes_create(err, "box", mesh, order, &nodes));
  CALL(wisp_new(err, 1, sizeof *g, &g));
  g->elements = mesh->elements;
  *elements = (long long)mesh->elements;
  CALL(wisp_hexcopies_create(err, nodes, true, &g->copies));
  CALL(wisp_require(err, g->copies->unknowns, WISP_EUSAGE, "%zu hexes of order %d have no node inside: take more",
                    mesh->elements, order));
  return GIVE(g, out);
}

/* --- discretisations --- */

/* Counts the unknowns within elements, which no others share. */
static wisp_status count(wisp_error *err, const wisp_spec *spec, size_t elements, wisp_discretisation *out)
{
  static const wisp_cg_capacity capacity = {.rz_parts = PARTS, .pAp_parts = PARTS, .iterations = ITERATIONS};
  const size_t inner = (size_t)spec->order - 1, within = elements * inner * inner * inner;
  (void)err;
  *out =
      wisp_cg_discretisation(&(wisp_hexcopies){.unknowns = within, .within = within}, elements, spec->order, &capacity);
  return WISP_OK;
}

static wisp_status discretise(wisp_error *err, const void *context, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  static const wisp_cg_capacity capacity = {.rz_parts = PARTS, .pAp_parts = PARTS, .iterations = ITERATIONS};
  const test_mesh *g = context;
  (void)err, (void)layout, (void)fixed;
  *out = wisp_cg_discretisation(g->copies, g->elements, spec->order, &capacity);
  return WISP_OK;
}

/* --- launches --- */

static void bind(const wisp_cg_scalars *s, wisp_scalar_list *out)
{
  wisp_cg_bind(s, out->of);
  out->count = WISP_CG_SCALARS;
}

static void scalars(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out)
{
  static const wisp_cg_scalars of[] = {
      [WISP_FOR_TIMING] = {.scale = 1, .rz_parts = TIMED_PARTS, .rr_parts = TIMED_PARTS, .pAp_parts = TIMED_PARTS},
      [WISP_FOR_CHECKS] = {.scale = 0.5,
                           .beta = 0.25,
                           .alpha = 0.75,
                           .rz_parts = TIMED_PARTS,
                           .rr_parts = TIMED_PARTS,
                           .pAp_parts = TIMED_PARTS}};
  (void)stage;
  bind(&of[purpose], out);
  out->of[out->count++] = (wisp_binding){"vector", wisp_arrays_at(problem->arrays, "p"), 0};
}

/* To time: a limit that no residual exceeds, so that alpha and beta are 0, p = z, nothing else changes, and a kernel
 * can run any number of times; what it must read and write is the same. To check: a residual above its limit, so that
 * everything moves. Behind the last unknown all is 0. */
static wisp_status set_state(wisp_error *err, wisp_problem *problem, wisp_purpose purpose)
{
  static const double of[][WISP_CG_STATE] = {
      [WISP_FOR_TIMING] = {[WISP_CG_AT_LIMIT] = 1e30},
      [WISP_FOR_CHECKS] = {
          [WISP_CG_AT_RZ] = 512, [WISP_CG_AT_RZ_BEFORE] = 1024, [WISP_CG_AT_ALPHA] = 0.375, [WISP_CG_AT_RUNNING] = 1}};
  static const int left = 1 << 20;
  static const double zeros[4] = {0};
  static const char *const vectors[] = {"solution", "p", "z", "r", "Ap", "d"};
  const wisp_hexcopies *copies = problem->d.self;
  wisp_arrays *arrays = problem->arrays;
  CALL(wisp_arrays_upload(err, arrays, "state", of[purpose]));
  CALL(wisp_arrays_upload_ints(err, arrays, "left", &left));
  for (size_t i = 0; i < WISP_COUNT(vectors); i++)
    CALL(wisp_arrays_upload_part(err, arrays, vectors[i], copies->unknowns,
                                 wisp_cg_padded(copies->unknowns) - copies->unknowns, zeros));
  return WISP_OK;
}

/* --- checks: what an iteration can find --- */

static const struct iteration_case {
  int polynomial, first_step; /* z is made by a polynomial; its first step */
  double rz_before, limit;    /* 0 before the first iteration; no residual is above 2^100 */
  double iteration;           /* ITERATIONS: history is full */
  bool running;               /* or converged before */
  bool no_pAp;                /* p . Ap is 0: before the first iteration */
  bool shapes;                /* numbers of very different size, and zeros among them */
} iteration_cases[] = {
    {0, 0, 1.5, 0.25, 5, true, false, false},               /* in the middle */
    {1, 0, 0.75, 0.25, 3, true, false, true},               /* with a polynomial, */
    {1, 1, 1.25, 0.25, ITERATIONS - 1, true, false, false}, /* and its first step; history's last place */
    {0, 0, 0, 0.25, 0, true, true, false},                  /* before the first iteration */
    {0, 0, 1.5, 0x1p100, 6, true, false, false},            /* found to have converged, */
    {0, 0, 1.5, 0.25, 6, false, false, true},               /* and after that */
    {0, 0, 1.5, 0.25, ITERATIONS, true, false, false},
};

static int count_cases(const char *kernel)
{
  (void)kernel;
  return WISP_COUNT(iteration_cases);
}

static double draw_share(wisp_test_case *r, const char *scalar)
{
  return wisp_test_case_scalar(r, scalar, 0.25 + fabs(wisp_random_real(&r->random)));
}

/* No more than kernels that add them up one after the other may have, by their tolerance: as many as solvers pass. */
static int draw_parts(wisp_test_case *r, const char *scalar)
{
  static const double MOST = 2112;
  return (int)fmin(MOST, wisp_test_case_scalar(r, scalar, 50 + (double)wisp_random_below(&r->random, 200)));
}

static size_t count_locals(const wisp_discretisation *d)
{
  return wisp_discretisation_count(d, "elements") * wisp_discretisation_count(d, "Np");
}

static wisp_cg_scalars make_scalars(wisp_test_case *r, const struct iteration_case *given)
{
  return (wisp_cg_scalars){.scale = draw_share(r, "scale"),
                           .beta = draw_share(r, "keep"),
                           .alpha = draw_share(r, "gain"),
                           .polynomial = given->polynomial,
                           .first_step = given->first_step,
                           .rz_parts = draw_parts(r, "rz_parts"),
                           .rr_parts = draw_parts(r, "rr_parts"),
                           .pAp_parts = draw_parts(r, "pAp_parts"),
                           .averaged = given->polynomial,
                           .vector = given->polynomial ? WISP_TENSOR_Z : WISP_TENSOR_P,
                           .history_room = ITERATIONS,
                           .locals = count_locals(r->discretisation)};
}

_Static_assert(WISP_TENSOR_INVERSE - WISP_TENSOR_SOLUTION == 6 && WISP_TENSOR_INVERSE < WISP_TENSOR_RZ_SUMS,
               "the padded vectors stand together, inverse last: solution, p, z, r, Ap, d, inverse");

static const int sums[] = {WISP_TENSOR_RZ_SUMS, WISP_TENSOR_RR_SUMS, WISP_TENSOR_PAP_SUMS};

/* Zeros, and powers of two, in what neither divides nor must be positive; nothing behind the last unknown, where
 * kernels may write it, too. */
static wisp_status shape(wisp_error *err, wisp_test_case *r, const struct iteration_case *given, int a,
                         uint64_t *random)
{
  const wisp_hexcopies *copies = r->discretisation->self;
  const bool padded = a >= WISP_TENSOR_SOLUTION && a <= WISP_TENSOR_INVERSE;
  if (padded && r->after[a] && !r->before[a]) {
    CALL(wisp_new(err, r->numbers[a], sizeof **r->before, &r->before[a]));
    for (size_t i = 0; i < r->numbers[a]; i++) r->before[a][i] = NAN;
  }
  for (size_t i = 0; r->before[a] && i < r->numbers[a]; i++) {
    const uint64_t draw = wisp_random_next(random) >> 32;
    const double factor = draw % 4 == 0 ? 0 : ldexp(1, (int)(draw / 4 % 3) * 10 - 10);
    if (given->shapes && a < WISP_TENSOR_INVERSE) r->before[a][i] *= factor;
    if (a == WISP_TENSOR_PAP_SUMS && given->no_pAp) r->before[a][i] = 0;
    if (padded && i >= copies->unknowns) r->before[a][i] = 0;
  }
  return WISP_OK;
}

/* In a case of extremes 2 to a power from -most to most, `step` further from turn to turn. */
static double find_power(const wisp_test_case *r, int most, int step)
{
  const int turn = wisp_test_case_extreme(r);
  return turn < 0 ? 1 : ldexp(1, (turn + 1) * step % (2 * most + 1) - most);
}

/* Extremes are of iterations in the middle, in turn with a polynomial, with steps of any length, and down to nothing.
 */
static struct iteration_case choose_iteration(wisp_test_case *r)
{
  const int turn = wisp_test_case_extreme(r);
  const int extreme = turn > 0 && turn % 2 ? turn / 2 % 2 + 1 : 0;
  struct iteration_case given = iteration_cases[r->number < WISP_EXTREMES ? r->number : extreme];
  if (turn < 0) return given;
  given.rz_before = given.rz_before * find_power(r, 12, 9);
  given.limit = turn % 3 == 2 ? 0 : ldexp(given.limit, -(int)wisp_random_below(&r->random, 21));
  given.shapes = false;
  return given;
}

static wisp_status fill_inputs(wisp_error *err, wisp_test_case *r)
{
  const struct iteration_case chosen = choose_iteration(r), *given = &chosen;
  wisp_cg_scalars *s = NULL;
  const double size = wisp_test_case_passed(r, &r->discretisation->family->magnitudes, 1), square = size * size,
               length = find_power(r, 10, 8), weight = find_power(r, 12, 7);
  const double state[WISP_CG_STATE] = {[WISP_CG_AT_RZ] = 96.5 * length * square,
                                       [WISP_CG_AT_RZ_BEFORE] = 64 * given->rz_before * square,
                                       [WISP_CG_AT_ALPHA] = given->running ? 0.375 * length : 0,
                                       [WISP_CG_AT_RUNNING] = given->running,
                                       [WISP_CG_AT_RR] = 0.5 * square,
                                       [WISP_CG_AT_LIMIT] = given->limit * square,
                                       [WISP_CG_AT_ITERATION] = given->iteration};
  CALL(wisp_new(err, 1, sizeof *s, &s));
  r->own = s;
  *s = make_scalars(r, given);
  bind(s, &r->scalars);
  r->as = "vector";
  r->is = s->polynomial ? "z" : "p";
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) CALL(shape(err, r, given, a, &r->random));
  for (size_t k = 0; k < WISP_COUNT(sums); k++)
    for (size_t i = 0; r->before[sums[k]] && i < r->numbers[sums[k]]; i++) r->before[sums[k]][i] *= square;
  for (size_t i = 0; r->before[WISP_TENSOR_INVERSE] && i < r->numbers[WISP_TENSOR_INVERSE]; i++)
    r->before[WISP_TENSOR_INVERSE][i] *= weight;
  memcpy(r->before[WISP_TENSOR_STATE], state, sizeof state);
  r->before[WISP_TENSOR_LEFT][0] = 9;
  return WISP_OK;
}

static wisp_status compute_reference(wisp_error *err, wisp_test_case *r)
{
  double *at[WISP_TENSOR_ARRAYS];
  OWNED(wisp_hex_destroy) wisp_hex *hex = NULL;
  wisp_cg_scalars *s = r->own;
  if (wisp_list_has("restrict prolong", r->kernel->name)) {
    const int Nq = (int)lround(cbrt((double)wisp_discretisation_count(r->discretisation, "Np")));
    CALL(wisp_hex_create(err, Nq - 1, &hex));
    s->hex = hex;
  }
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) at[a] = r->after[a] ? r->after[a] : r->before[a];
  return wisp_cg_compute(err, r->discretisation->self, r->kernel->name, r->own, at, r->size);
}

/* --- on a solver's own mesh --- */

static void free_copies(void *copies)
{
  free(copies);
}

static int find_array(const char *name)
{
  int a = 0;
  while (strcmp(wisp_family_find("tensor")->arrays[a].name, name) != 0) a++;
  return a;
}

/* The solver's copies, or of another family's vectors their number alone: all of them, for they take little. */
static wisp_status adopt(wisp_error *err, const wisp_solver *solver, const wisp_problem *problem, const wisp_plan *plan,
                         wisp_test_case *r, wisp_sample *out)
{
  const wisp_scalar_list *list = &r->scalars;
  const bool own = strcmp(problem->d.family->name, "tensor") == 0;
  wisp_hexcopies *copies = NULL;
  wisp_cg_scalars *s = NULL;
  (void)solver, (void)plan;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  r->own = s;
  *s = (wisp_cg_scalars){.scale = wisp_scalar_of(list, "scale", 1),
                         .beta = wisp_scalar_of(list, "keep", 0),
                         .alpha = wisp_scalar_of(list, "gain", 0),
                         .polynomial = (int)wisp_scalar_of(list, "polynomial", 0),
                         .first_step = (int)wisp_scalar_of(list, "first_step", 0),
                         .rz_parts = (int)wisp_scalar_of(list, "rz_parts", 0),
                         .rr_parts = (int)wisp_scalar_of(list, "rr_parts", 0),
                         .pAp_parts = (int)wisp_scalar_of(list, "pAp_parts", 0),
                         .history_room = (int)wisp_discretisation_count(&problem->d, "history_room"),
                         .averaged = (int)wisp_scalar_of(list, "averaged", 0),
                         .locals = count_locals(&problem->d)};
  s->vector = r->as && r->is ? find_array(r->is) : WISP_TENSOR_P;
  CALL(wisp_new(err, 1, sizeof *copies, &copies));
  if (own) *copies = *(const wisp_hexcopies *)problem->d.self;
  copies->unknowns = wisp_discretisation_count(&problem->d, "unknowns");
  out->d = (wisp_discretisation){
      .family = wisp_family_find("tensor"), .self = copies, .destroy = free_copies, .place = problem->d.place};
  return WISP_OK;
}

const wisp_workload wisp_workload_vectors = {
    .family = "tensor",
    .kernels = kernels,
    .count = count,
    .open = open_test_mesh,
    .close = close_test_mesh,
    .many = wisp_tensor_many,
    .discretise = discretise,
    .scalars = scalars,
    .set_state = set_state,
    .stages = &(const int){1},
    .cases = count_cases,
    .fill_inputs = fill_inputs,
    .other_meshes = 3,
    .reference = compute_reference,
    .adopt = adopt,
};
