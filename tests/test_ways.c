/* Claim: of several ways to one result that one is taken which the store says is fastest, all its kernels added up;
 * where one of a way's kernels was not measured, or on another card of which nothing tells how fast this one is, the
 * first that is named, unless nothing was measured and the family's defaults prefer another. And a set-up leaves
 * matrices as what reads them tens of times is fastest. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../runtime/hdg/helmholtz_solver.h"
#include "../runtime/solve/choose.h"

#define BOTH "recover+postprocess|recover_star"

static wisp_strategies *strategies;
static wisp_limits limits;

static wisp_choose_request request_for(const char *composition)
{
  return (wisp_choose_request){.spec = wisp_family_spec(wisp_family_find("hdg"), 2, NULL, WISP_F64),
                               .composition = composition};
}

/* Stores a time of the default that suits, on so many elements, as if measured here with today's text; or on
 * another card of this architecture. */
static void record_of(const wisp_fixed *fixed, const char *folder, const char *kernel, double ms, long long elements,
                      const char *device)
{
  wisp_trial t = fixture_trial(1);
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request request = request_for(NULL);
  request.fixed = fixed;
  wisp_spec_name_kernel(&request.spec, kernel);
  GOOD(wisp_choose(err, &(wisp_chooser){strategies, NULL, &limits, NULL}, &request, &stage));
  const wisp_plan *plan = stage.plan[0];
  wisp_plan_hash(plan, "cuda", t.template_hash);
  wisp_spec_print(&plan->spec, t.spec);
  snprintf(t.strategy, sizeof t.strategy, "%s", plan->strategy->name);
  snprintf(t.params, sizeof t.params, "%s", plan->params);
  snprintf(t.layout, sizeof t.layout, "%s", stage.choice[0].layout);
  snprintf(t.device, sizeof t.device, "%s", device);
  snprintf(t.target, sizeof t.target, "%s", limits.target);
  snprintf(t.driver, sizeof t.driver, "%s", limits.driver);
  snprintf(t.compiler, sizeof t.compiler, "%s", limits.compiler);
  strcpy(t.outcome, "ok");
  t.units = limits.units, t.elements = elements, t.ms = ms;
  fixture_put(fixture_path(folder, "user.db"), &t, 1);
}

static void record(const char *folder, const char *kernel, double ms, long long elements, const char *device)
{
  record_of(NULL, folder, kernel, ms, elements, device);
}

static void expect(const char *folder, const char *composition, const char *taken)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(fixture_path(folder, "user.db"));
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  const wisp_choose_request request = request_for(composition);
  GOOD(wisp_choose(err, &(wisp_chooser){strategies, store, &limits, NULL}, &request, &stage));
  assert_string_equal(stage.composition, taken);
}

/* 3 + 4 against 8, then against 6.5, of as many elements or of twice as many. */
TEST_IN_FOLDER(test_sums)
{
  expect(*state, BOTH, "recover+postprocess");
  expect(*state, "recover_star|recover+postprocess", "recover_star");
  record(*state, "recover_star", 8, 1000, limits.name);
  record(*state, "recover", 3, 1000, limits.name);
  expect(*state, BOTH, "recover+postprocess");
  expect(*state, "recover_star|recover+postprocess", "recover_star");
  record(*state, "postprocess", 4, 1000, limits.name);
  expect(*state, BOTH, "recover+postprocess");
  expect(*state, "recover_star|recover+postprocess", "recover+postprocess");
  record(*state, "recover_star", 6.5, 1000, limits.name);
  expect(*state, BOTH, "recover_star");
}

/* An element counts, not the mesh that was measured. */
TEST_IN_FOLDER(test_sizes)
{
  record(*state, "recover", 3, 1000, limits.name);
  record(*state, "postprocess", 4, 1000, limits.name);
  record(*state, "recover_star", 8, 2000, limits.name);
  expect(*state, BOTH, "recover_star");
}

/* 7 here against 1 on another card; then that card has one of the others, too, and is 4 or 8 times as fast. */
TEST_IN_FOLDER(test_closeness)
{
  record(*state, "recover", 3, 1000, limits.name);
  record(*state, "postprocess", 4, 1000, limits.name);
  record(*state, "recover_star", 1, 1000, "Imaginary 2");
  expect(*state, BOTH, "recover+postprocess");
  record(*state, "postprocess", 1, 1000, "Imaginary 2");
  expect(*state, BOTH, "recover_star");
  record(*state, "postprocess", 0.5, 1000, "Imaginary 2");
  expect(*state, BOTH, "recover+postprocess");
}

/* Only what was measured here: one way is enough, none is an error. */
TEST_IN_FOLDER(test_exact)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  wisp_stage stage = {.kernels = 0};
  wisp_error why = {.text = ""};
  wisp_choose_request request = request_for(BOTH);
  request.exact_match_only = true;
  record(*state, "recover", 3, 1000, limits.name);
  GOOD(wisp_store_open(err, fixture_path(*state, "user.db"), false, NULL, &store));
  const wisp_chooser from = {strategies, store, &limits, NULL};
  assert_int_equal(wisp_choose(&why, &from, &request, &stage), WISP_EMISSING);
  assert_non_null(strstr(why.text, "postprocess"));
  wisp_store_close(store);
  record(*state, "recover_star", 9, 1000, limits.name);
  GOOD(wisp_store_open(err, fixture_path(*state, "user.db"), false, NULL, &store));
  GOOD(wisp_choose(err, &(wisp_chooser){strategies, store, &limits, NULL}, &request, &stage));
  assert_string_equal(stage.composition, "recover_star");
  wisp_stage_free(&stage);
  request.composition = "recover+postprocess|forget";
  assert_int_equal(wisp_choose(&why, &(wisp_chooser){strategies, store, &limits, NULL}, &request, &stage), WISP_EUSAGE);
  assert_non_null(strstr(why.text, "'forget'"));
}

/* An untuned GPU makes the geometry of the vertices, but for the mass; a CPU reads it. */
TEST(test_defaults_decide)
{
  static const struct {
    const char *target, *operator, * taken;
  } cases[] = {{"host", "mass", ""},
               {"host", "stiffness", ""},
               {"host", "collocated", ""},
               {"sm_90", "mass", ""},
               {"sm_90", "stiffness", "_trilinear"},
               {"sm_90", "collocated", "_trilinear"}};
  for (size_t i = 0; i < 2 * WISP_COUNT(cases); i++) {
    const char *const name = cases[i / 2].operator, * const end = i % 2 ? "+smooth" : "";
    char both[256], taken[128];
    const wisp_limits device = target_limits(cases[i / 2].target);
    HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
    snprintf(both, sizeof both, "update+spread+%s+gather+advance%s|update+spread+%s_trilinear+gather+advance%s", name,
             end, name, end);
    snprintf(taken, sizeof taken, "update+spread+%s%s+gather+advance%s", name, cases[i / 2].taken, end);
    const wisp_choose_request request = {.spec = wisp_family_spec(wisp_family_find("tensor"), 3, NULL, WISP_F64),
                                         .composition = both};
    GOOD(wisp_choose(err, &(wisp_chooser){strategies, NULL, &device, NULL}, &request, &stage));
    assert_string_equal(stage.composition, taken);
  }
}

static const char *iteration(wisp_trace_preconditioner how, wisp_trace_matrix matrix, const char *setup)
{
  const wisp_helmholtz_method method = {.preconditioner = how, .matrix = matrix};
  const wisp_choose_request request = request_for(setup);
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  GOOD(wisp_choose(err, &(wisp_chooser){strategies, NULL, &limits, NULL}, &request, &stage));
  const char *composition = wisp_helmholtz_composition(WISP_HELMHOLTZ_ITERATION, &method, &stage);
  return composition;
}

/* The default application of the traces' matrix: 10 by rows, then 4 + 3 by halves, where the set-up
 * leaves these. */
TEST_IN_FOLDER(test_matrix)
{
  static const wisp_trace_preconditioner all[] = {WISP_TRACE_DIAGONAL, WISP_TRACE_BLOCKS, WISP_TRACE_LEVELS};
  static const char set_up[] = "condense+assemble";
  record(*state, "apply", 10, 1000, limits.name);
  record(*state, "multiply", 4, 1000, limits.name);
  for (size_t i = 0; i < WISP_COUNT(all); i++)
    expect(*state, iteration(all[i], WISP_TRACE_EITHER, set_up), iteration(all[i], WISP_TRACE_ROWS, set_up));
  record(*state, "collect", 3, 1000, limits.name);
  for (size_t i = 0; i < WISP_COUNT(all); i++) {
    char symmetric[256];
    snprintf(symmetric, sizeof symmetric, "%s", iteration(all[i], WISP_TRACE_SYMMETRIC, set_up));
    symmetric[strcspn(symmetric, "|")] = '\0'; /* those in groups are not in the store */
    expect(*state, iteration(all[i], WISP_TRACE_EITHER, set_up), symmetric);
    assert_string_equal(iteration(all[i], WISP_TRACE_EITHER, "build"), iteration(all[i], WISP_TRACE_ROWS, "build"));
  }
}

/* A condensing kernel, of matrices that lie by themselves or in slabs, took so long. */
static void record_lying(const char *folder, int aos, const char *kernel, double ms)
{
  wisp_fixed lying = {.count = 0};
  wisp_fixed_ask(&lying, "aos", aos, 0);
  record_of(&lying, folder, kernel, ms, 1000, limits.name);
}

static void expect_lying(const char *folder, int aos)
{
  wisp_helmholtz_method method = {
      .preconditioner = WISP_TRACE_BLOCKS, .matrix = WISP_TRACE_EITHER, .setup = "condense+assemble"};
  wisp_stage stage[WISP_HELMHOLTZ_PARTS] = {{.kernels = 0}};
  wisp_choose_request request = request_for(NULL);
  OWNED(wisp_store_close) wisp_store *store = NULL;
  request.elements = 1000;
  GOOD(wisp_store_open(err, fixture_path(folder, "user.db"), false, NULL, &store));
  GOOD(wisp_helmholtz_choose(err, &(wisp_chooser){strategies, store, &limits, NULL}, &request, WISP_HELMHOLTZ_FIELDS,
                             &method, stage));
  assert_int_equal(wisp_fixed_value(&stage[WISP_HELMHOLTZ_SETUP].fixed, "aos", 0), aos);
  assert_int_equal(strstr(stage[WISP_HELMHOLTZ_ITERATION].composition, "multiply") != NULL, !aos);
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) wisp_stage_free(&stage[i]);
}

/* Matrices lie as the products of an iteration are fastest, and where it needs none as the set-up is: 10 by rows
 * against 4 + 3 by halves of slabs, then 5 by rows. */
TEST_IN_FOLDER(test_lying)
{
  record(*state, "apply", 10, 1000, limits.name);
  record(*state, "collect", 3, 1000, limits.name);
  for (int aos = 0; aos < 2; aos++) {
    record_lying(*state, aos, "condense", aos ? 1 : 2);
    record_lying(*state, aos, "multiply", aos ? 6 : 4);
    record_lying(*state, aos, "assemble", 1);
  }
  expect_lying(*state, 0);
  record(*state, "apply", 5, 1000, limits.name);
  expect_lying(*state, 1);
}

static int set_up(void **state)
{
  GOOD(wisp_strategies_load(err, &strategies));
  limits = target_limits("sm_80");
  strcpy(limits.name, "Imaginary 1"), strcpy(limits.driver, "1"), strcpy(limits.compiler, "1");
  return 0;
}

static int tear_down(void **state)
{
  wisp_strategies_free(strategies);
  return 0;
}

GROUP(set_up, tear_down)
