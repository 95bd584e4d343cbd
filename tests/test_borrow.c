/* Claim: a family borrows what another has. The chain, which the library knows nothing of, has one kernel of its own, a
 * matrix times a vector; with advance and update of the tensor family it is conjugate gradients, solved by the
 * library's, chosen and tuned as a whole. What it has no arrays for it cannot borrow. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../runtime/solve/cg.h"
#include "../runtime/solve/choose.h"
#include "../tuner/trial/workload.h"
#include "../tuner/workers/tune.h"

/* --- the family --- */

enum { P, AP, PAP_SUMS };

static const wisp_array_decl arrays[] = {
    [P] = {.name = "p", .type = WISP_REAL, .kind = WISP_FIELD, .size = "padded", .meaning = "the direction"},
    [AP] = {.name = "Ap", .type = WISP_REAL, .kind = WISP_FIELD, .size = "padded", .meaning = "A p"},
    [PAP_SUMS] =
        {.name = "pAp_sums", .type = WISP_REAL, .kind = WISP_PARTS, .size = "room", .meaning = "parts of p . Ap"},
    {.name = "solution", .type = WISP_REAL, .kind = WISP_FIELD, .size = "padded", .meaning = "the solution"},
    {.name = "r", .type = WISP_REAL, .kind = WISP_FIELD, .size = "padded", .meaning = "the residual"},
    {.name = "z", .type = WISP_REAL, .kind = WISP_FIELD, .size = "padded", .meaning = "the residual, preconditioned"},
    {.name = "inverse", .type = WISP_SINGLE, .kind = WISP_POSITIVE, .size = "padded", .meaning = "of the diagonal"},
    {.name = "rz_sums", .type = WISP_REAL, .kind = WISP_PARTS, .size = "room", .meaning = "parts of r . z"},
    {.name = "rr_sums", .type = WISP_REAL, .kind = WISP_PARTS, .size = "room", .meaning = "parts of r . r"},
    {.name = "state", .type = WISP_REAL, .kind = WISP_STATE, .size = "states", .meaning = "see runtime/solve/cg.h"},
    {.name = "history", .type = WISP_REAL, .kind = WISP_STATE, .size = "3*history_room", .meaning = "likewise"},
    {.name = "left", .type = WISP_INT, .kind = WISP_STATE, .size = "1", .meaning = "iterations"},
    {.name = NULL},
};

/* An element is an unknown. */
static const wisp_kernel_decl kernels[] = {
    {.name = "apply", .reads = "p", .writes = "Ap pAp_sums", .sum = "3", .numbers = "2", .flops = "6", .dofs = "1"},
    {.name = "iterate",
     .reads = "p r solution inverse",
     .writes = "p r solution",
     .sum = "3",
     .numbers = "12",
     .flops = "20",
     .dofs = "1"},
    {.name = NULL},
};

static const char *const compositions[] = {"apply+tensor.advance+tensor.update", NULL};
static const wisp_element elements[] = {{.name = "line", .orders = {1, 2}}, {.name = NULL}};

/* A strategy of this family needs no names but the target's. */
static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, wisp_env *env)
{
  return WISP_OK;
}

static const wisp_family chain = {.name = "chain",
                                  .elements = elements,
                                  .arrays = arrays,
                                  .kernels = kernels,
                                  .composition_kernel = "iterate",
                                  .max_error = {1e-5, 1e-13},
                                  .compositions = compositions,
                                  .default_system = "none",
                                  .names = names};

/* --- in the tuner --- */

enum { ROOM = 4096, HISTORY = 64, UNKNOWNS = 1001 };

static wisp_discretisation discretise_chain(size_t unknowns)
{
  return (wisp_discretisation){.family = &chain,
                               .counts = {{"elements", unknowns},
                                          {"unknowns", unknowns},
                                          {"padded", (unknowns + 3) / 4 * 4},
                                          {"room", ROOM},
                                          {"states", WISP_CG_STATE},
                                          {"history_room", HISTORY}}};
}

static wisp_status open_test_mesh(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec, long long *count,
                                  const wisp_mesh_source *source, void **out)
{
  size_t *unknowns = NULL;
  wisp_status status = wisp_new(err, 1, sizeof *unknowns, &unknowns);
  if (status != WISP_OK) return status;
  *unknowns = source && *count > 0 ? (size_t)*count : UNKNOWNS;
  *count = (long long)*unknowns;
  *out = unknowns;
  return WISP_OK;
}

static wisp_status discretise(wisp_error *err, const void *test_mesh, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  *out = discretise_chain(*(const size_t *)test_mesh);
  return WISP_OK;
}

static void scalars(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out)
{
  wisp_scalar_add(out, "scale", 1);
  wisp_scalar_add(out, "polynomial", 0);
  wisp_scalar_add(out, "rz_parts", 8);
  wisp_scalar_add(out, "rr_parts", 8);
  wisp_scalar_add(out, "pAp_parts", 8);
}

/* A limit that no residual exceeds: alpha and beta are 0, and nothing grows. */
static wisp_status set_state(wisp_error *err, wisp_problem *problem, wisp_purpose purpose)
{
  static const double state[WISP_CG_STATE] = {[WISP_CG_AT_LIMIT] = 1e30};
  static const int left = 1 << 20;
  wisp_status status = wisp_arrays_upload(err, problem->arrays, "state", state);
  return status == WISP_OK ? wisp_arrays_upload_ints(err, problem->arrays, "left", &left) : status;
}

static int count_cases(const char *kernel)
{
  return strcmp(kernel, "apply") == 0;
}

static wisp_status fill_inputs(wisp_error *err, wisp_test_case *r)
{
  return WISP_OK;
}

/* A p, and what is added up to it in magnitudes. */
static double multiply(const double *p, size_t unknowns, size_t i, double *size)
{
  const double before = i > 0 ? p[i - 1] : 0, after = i + 1 < unknowns ? p[i + 1] : 0;
  *size = 3 * fabs(p[i]) + fabs(before) + fabs(after);
  return 3 * p[i] - before - after;
}

static wisp_status compute_reference(wisp_error *err, wisp_test_case *r)
{
  const size_t unknowns = wisp_discretisation_count(r->discretisation, "unknowns");
  double sum = 0, squares = 0, size;
  for (size_t i = 0; i < unknowns; i++) {
    const double p = r->before[P][i];
    r->after[AP][i] = multiply(r->before[P], unknowns, i, &size);
    r->size[AP][i] = size;
    sum += p * r->after[AP][i];
    squares += p * size * p * size;
  }
  r->after[PAP_SUMS][0] = sum;
  r->size[PAP_SUMS][0] = sqrt(squares);
  return WISP_OK;
}

static const int one_stage = 1;
static const wisp_workload workload = {.family = "chain",
                                       .alone = true,
                                       .open = open_test_mesh,
                                       .close = free,
                                       .discretise = discretise,
                                       .scalars = scalars,
                                       .set_state = set_state,
                                       .stages = &one_stage,
                                       .cases = count_cases,
                                       .fill_inputs = fill_inputs,
                                       .reference = compute_reference};

const wisp_family *const wisp_own_families[] = {&chain, NULL};
const wisp_workload *const wisp_own_workloads[] = {&workload, NULL};

/* --- conjugate gradients --- */

typedef struct solver {
  wisp_device *device;
  wisp_strategies *strategies;
  wisp_stage stage;
  wisp_problem *problem;
  wisp_cg *cg;
} solver;

static double blocks(const solver *s, int kernel)
{
  unsigned grid[2];
  GOOD(wisp_plan_grid(err, s->stage.plan[kernel], s->problem->d.counts, grid));
  return grid[0];
}

static void open_solver(wisp_precision precision, solver *s)
{
  const double third = 1.0 / 3;
  wisp_discretisation d = discretise_chain(UNKNOWNS);
  *s = (solver){.device = open_test_device()};
  GOOD(wisp_strategies_load(err, &s->strategies));
  const wisp_chooser from = {s->strategies, NULL, wisp_device_limits(s->device), NULL};
  const wisp_choose_request request = {.spec = wisp_family_spec(&chain, 1, NULL, precision)};
  GOOD(wisp_choose(err, &from, &request, &s->stage));
  assert_int_equal(s->stage.kernels, 3);
  assert_string_equal(s->stage.plan[1]->spec.family, "tensor");
  assert_string_equal(s->stage.plan[2]->spec.kernel, "update");
  GOOD(wisp_stage_load(err, s->device, &s->stage));
  GOOD(wisp_problem_open(err, s->device, &d, precision, WISP_NARROW_GUARD, NULL, NULL, &s->problem));
  GOOD(wisp_arrays_repeat(err, s->problem->arrays, "inverse", 1, &third));
  const wisp_binding bindings[] = {{"scale", 0, 1},
                                   {"polynomial", 0, 0},
                                   {"rz_parts", 0, blocks(s, 1)},
                                   {"rr_parts", 0, blocks(s, 1)},
                                   {"pAp_parts", 0, blocks(s, 0)}};
  wisp_cg_system system = {.device = s->device, .problem = s->problem, .unknowns = UNKNOWNS};
  wisp_launches *const lists[] = {&system.apply, &system.precondition, &system.update};
  for (int i = 0; i < 3; i++)
    GOOD(wisp_launches_add(err, lists[i], s->stage.kernel[i], bindings, sizeof bindings / sizeof *bindings));
  GOOD(wisp_cg_create(err, &system, &s->cg));
}

static void close_solver(solver *s)
{
  wisp_cg_destroy(s->cg);
  wisp_problem_destroy(s->problem);
  wisp_stage_free(&s->stage);
  wisp_strategies_free(s->strategies);
  wisp_device_close(s->device);
}

static int set_up(void **state)
{
  setenv("WISP_TEMPLATES", "tests/chain/templates", 1);
  return fixture_set_up(state);
}

/* --- the tuner --- */

/* Comes first: the tuner forks, and so opens its device before others do. */
TEST_WITH(test_tuned, set_up, fixture_tear_down)
{
  static const int order = 1;
  static const wisp_precision precision = WISP_F64;
  const char *db = fixture_path(*state, "chain.db");
  const wisp_tune_request request = {.family = "chain",
                                     .orders = &order,
                                     .order_count = 1,
                                     .precisions = &precision,
                                     .precision_count = 1,
                                     .elements = 10000,
                                     .db = db};
  wisp_tune_summary summary = {0};
  OWNED(wisp_store_close) wisp_store *store = NULL;
  int steps = 0;
  GOOD(wisp_tune(err, test_device_name(), &request, &summary));
  assert_int_equal(summary.failed, 0);
  assert_true(summary.ok >= 3); /* of apply two, and a step */
  GOOD(wisp_store_open(err, db, false, NULL, &store));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    steps += layer == WISP_LAYER_USER && strcmp(t->spec, "chain.step:line:p1:none:f64") == 0 &&
             strcmp(t->strategy, compositions[0]) == 0 && t->ms > 0;
  }
  assert_int_equal(steps, 1);
}

TEST_WITH(test_solved, set_up, fixture_tear_down)
{
  double x[UNKNOWNS], b[UNKNOWNS], got[UNKNOWNS], size, largest_eigenvalue;
  for (size_t i = 0; i < UNKNOWNS; i++) x[i] = sin((double)i);
  for (size_t i = 0; i < UNKNOWNS; i++) b[i] = multiply(x, UNKNOWNS, i, &size);
  for (wisp_precision precision = WISP_F32; precision <= WISP_F64; precision += WISP_F64 - WISP_F32) {
    const double tolerance = precision == WISP_F64 ? 1e-12 : 1e-6;
    solver s;
    wisp_cg_report report;
    open_solver(precision, &s);
    GOOD(wisp_cg_solve(err, s.cg, b, tolerance, 200, NULL, &report));
    assert_true(report.converged && report.iterations > 5);
    GOOD(wisp_cg_solution(err, s.cg, got));
    for (size_t i = 0; i < UNKNOWNS; i++) assert_true(fabs(got[i] - x[i]) < 100 * tolerance);
    GOOD(wisp_cg_largest(err, s.cg, &largest_eigenvalue)); /* of A / 3: from 1/3 to 5/3 */
    assert_true(largest_eigenvalue > 1.6 && largest_eigenvalue < 5.0 / 3 + 1e-6);
    close_solver(&s);
  }
}

/* --- what it cannot borrow --- */

TEST_WITH(test_refused, set_up, fixture_tear_down)
{
  const wisp_spec stage = wisp_family_spec(&chain, 1, NULL, WISP_F64);
  wisp_error err = {.text = ""};
  wisp_spec spec;
  assert_int_equal(wisp_composition_spec(&err, &stage, "tensor.update", &spec), WISP_OK);
  assert_string_equal(spec.element, "hex");
  assert_int_equal(wisp_composition_spec(&err, &stage, "tensor.smooth", &spec), WISP_EUSAGE);
  assert_string_equal(err.text, "tensor.smooth works on array y of type real: the chain family has none such");
  assert_int_equal(wisp_composition_spec(&err, &stage, "tensor.polish", &spec), WISP_EUSAGE);
  assert_int_equal(wisp_composition_spec(&err, &stage, "sphere.update", &spec), WISP_EUSAGE);
  assert_ptr_equal(strstr(err.text, "sphere.update: there is no family 'sphere'; there are: "), err.text);
}
