/* Claim: wisp run poisson solves BP1, BP3 and BP5 on a box or a Gmsh mesh of hexes and says with what, in text and
 * JSON; whatever is wrong with the request or with the mesh is one line on stderr and the right exit status. */
#include "test.h"
#include "command.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../cache/columns.h"
#include "../runtime/tensor/poisson_solver.h"

TEST_IN_FOLDER(test_json)
{
  OWNED(cJSON_Delete) cJSON *json = solve_json(*state, "poisson", "-n 4 --box 8");
  assert_true(json_number(json, "elements") == 512 && json_number(json, "dofs") == 31 * 31 * 31);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "converged")) && json_number(json, "residual") <= 1e-10);
  assert_true(json_number(json, "iterations") > 10 && json_number(json, "iterations") < 1000);
  assert_true(json_number(json, "l2_error") < 1e-6);
  const double ms = json_number(json, "ms_per_iteration");
  assert_true(ms > 0 && fabs(json_number(json, "gdofs") * ms * 1e6 / (31 * 31 * 31) - 1) < 1e-9);
  assert_string_equal(json_text(json, "system"), "poisson");
  assert_string_equal(json_text(json, "problem"), "bp5");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "kernels")), 5);
}

TEST_IN_FOLDER(test_options)
{
  cJSON *json =
      solve_json(*state, "poisson",
                 "--orders=3 --box 2,3,4 --problem bp3 --geometry stored --preconditioner chebyshev --degree 4 "
                 "--lambda 0 --default");
  assert_true(json_number(json, "elements") == 24 && json_number(json, "dofs") == 5 * 8 * 11 &&
              json_number(json, "lambda") == 0);
  assert_string_equal(json_text(json, "composition"), "update+spread+stiffness+gather+advance+smooth");
  assert_string_equal(json_text(json, "geometry"), "stored");
  assert_true(json_number(json, "degree") == 4 && json_number(json, "eigenvalue_bound") > 1);
  cJSON_Delete(json);
  json = solve_json(*state, "poisson",
                    "-n 2 --box 3 --problem bp1 -pf32 --tolerance 0 --iterations 5 --preconditioner none");
  assert_true(json_number(json, "dofs") == 7 * 7 * 7 && json_number(json, "iterations") == 5);
  assert_string_equal(json_text(json, "precision"), "f32");
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "eigenvalue_bound")));
  cJSON_Delete(json);
}

/* A sheared box of two hexes, in Gmsh's first format; their ELEMENTS follow. */
#define NODES                                                                                                    \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.2 0 1\n6 1.2 0 1\n" \
  "7 1.2 1 1\n8 0.2 1 1\n9 0.5 0 2\n10 1.5 0 2\n11 1.5 1 2\n12 0.5 1 2\n$EndNodes\n$Elements\n"
static const char two_hexes[] = NODES "2\n1 5 2 0 1 1 2 3 4 5 6 7 8\n2 5 2 0 1 5 6 7 8 9 10 11 12\n$EndElements\n";
static const char tets[] = NODES "1\n1 4 2 0 1 1 2 3 5\n$EndElements\n";
static const char folded[] = NODES "1\n1 5 2 0 1 1 2 4 3 5 6 7 8\n$EndElements\n";
static const char twice[] = NODES "2\n1 5 2 0 1 5 6 7 8 1 2 3 4\n2 5 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n";

/* Puts into the user's store that BP1's operator takes `ms`, and all other kernels of its step 1 ms. */
static void plant(const char *folder, const char *kernel, double ms)
{
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  char composition[WISP_POISSON_COMPOSITION];
  wisp_poisson_composition(kernel, WISP_JACOBI, composition);
  const wisp_choose_request request = {.spec = wisp_family_spec(wisp_family_find("tensor"), 2, "poisson", WISP_F64),
                                       .elements = 27,
                                       .composition = composition};
  GOOD(wisp_strategies_load(err, &strategies));
  const wisp_limits *limits = wisp_device_limits(device);
  GOOD(wisp_choose(err, &(wisp_chooser){strategies, NULL, limits, NULL}, &request, &stage));
  for (int i = 0; i < stage.kernels; i++) {
    const wisp_choice *c = &stage.choice[i];
    wisp_trial t;
    wisp_trial_blank(&t);
    t.units = limits->units, t.elements = 27;
    snprintf(t.spec, sizeof t.spec, "tensor.%s:hex:p2:poisson:f64", c->kernel);
    strcpy(t.strategy, c->strategy), strcpy(t.params, c->params), strcpy(t.layout, c->layout);
    strcpy(t.device, limits->name), strcpy(t.target, limits->target);
    strcpy(t.driver, limits->driver), strcpy(t.compiler, limits->compiler);
    wisp_plan_hash(stage.plan[i], limits->kind, t.template_hash);
    strcpy(t.version, WISP_VERSION), strcpy(t.mode, "made up");
    strcpy(t.when, "2026-11-21T08:00:00Z"), strcpy(t.outcome, "ok");
    t.ms = strcmp(c->kernel, kernel) == 0 ? ms : 1;
    fixture_put(fixture_path(folder, "user.db"), &t, 1);
  }
}

/* The geometry is that of the faster operator, whatever stands beside it in the step. */
TEST_IN_FOLDER(test_geometry)
{
  static const struct {
    const char *kernel;
    double ms;
    const char *geometry;
  } planted[] = {{"mass", 0.25, "stored"}, /* the one that is known */
                 {"mass_trilinear", 0.5, "stored"},
                 {"mass_trilinear", 0.125, "trilinear"}};
  for (int i = 0; i < 3; i++) {
    plant(*state, planted[i].kernel, planted[i].ms);
    OWNED(cJSON_Delete) cJSON *json = solve_json(*state, "poisson", "-n 2 --box 3 --problem bp1");
    assert_string_equal(json_text(json, "geometry"), planted[i].geometry);
  }
}

/* An untuned CPU reads the geometry, which it makes slowly. */
TEST_IN_FOLDER(test_untuned_geometry)
{
  static const char *const problems[] = {"bp1", "bp3", "bp5"};
  for (int i = 0; i < 3; i++) {
    cJSON *json =
        run_json_with(*state, "WISP_SHIPPED=none", "run poisson --json -d host -n 2 --box 3 --problem %s", problems[i]);
    assert_string_equal(json_text(json, "geometry"), "stored");
    cJSON_Delete(json);
  }
}

TEST_IN_FOLDER(test_mesh)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(*state, "poisson", "-n 9 --mesh %s", fixture_text(*state, "two.msh", two_hexes));
  assert_true(json_number(json, "elements") == 2 && json_number(json, "dofs") == 8 * 8 * 17);
  assert_true(json_number(json, "l2_error") < 1e-5);
}

TEST_IN_FOLDER(test_table)
{
  static const char *const words[] = {"27 hexes",   "order 2", "125 unknowns", "bp5",      "geometry", "update",
                                      "collocated", "default", "iterations",   "L2 error", "GDOF/s"};
  HELD(forget) outcome o = run_with(*state, "", "run poisson -n 2 --box 3 --default -d %s", test_device_name());
  if (o.status != 0) fail_msg("%s", o.err);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strstr(o.out, words[i])) fail_msg("no '%s' in: %s", words[i], o.out);
  assert_string_equal(o.err, "");
}

TEST_IN_FOLDER(test_bad_requests)
{
  static const struct {
    const char *arguments, *words;
    int status;
  } bad[] = {
      {"", "-n 1 to 15", 2},
      {"-n 0", "1 to 15", 2},
      {"-n 16", "1 to 15", 2},
      {"-n 3 maxwell poisson", "maxwell", 2},
      {"-n 3 --box 0", "--box", 2},
      {"-n 3 --box 2,3", "8,8,16", 2},
      {"-n 3 --box 2 --mesh x.msh", "leave one out", 2},
      {"-n 3 --problem bp2", "bp2", 2},
      {"-n 3 --lambda -1", "--lambda", 2},
      {"-n 3 --preconditioner ilu", "ilu", 2},
      {"-n 3 --degree 2", "chebyshev", 2},
      {"-n 3 --tolerance nan", "--tolerance", 2},
      {"-n 3 --geometry curved", "curved", 2},
      {"-n 3 --default --match exact", "--default", 2},
      {"-n 15 --box 400", "take fewer elements", 2},
      {"-n 1 --box 1", "nothing to solve for", 2},
      {"-n 3 --box 1 --match exact", "tune it", 1},
      {"-n 3 --mesh /nowhere/at/all.msh", "/nowhere/at/all.msh", 1},
      {"-n 3 --box 4 --iterations 2", "no convergence", 1},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    run_expect(*state, "", bad[i].status, bad[i].words, "run poisson -d %s %s", test_device_name(), bad[i].arguments);
}

TEST_IN_FOLDER(test_bad_meshes)
{
  static const struct {
    const char *text, *words;
  } bad[] = {{tets, "only straight hexahedra"}, {folded, "degenerate"}, {twice, "overlap"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    run_expect(*state, "", 1, bad[i].words, "run poisson -d %s -n 2 --mesh %s", test_device_name(),
               fixture_text(*state, "bad.msh", bad[i].text));
}

GROUP(no_shipped_winners, NULL)
