/* Claim: a basis is another way to write the same polynomials. Right-hand sides of the nodal and of the
 * Bernstein-Bezier discretisation are one after a change of basis, on irregular tets in every layout; so are solutions,
 * errors and energies of whole runs; which basis --basis auto takes is told, and why. */
#include "test.h"
#include "command.h"
#include "each_plan.h"
#include "dg_case.h"
#include "store_fixture.h"
#include "../cache/columns.h"
#include "../runtime/solve/choose.h"

/* --- right-hand sides --- */

/* Volume, fluxes and lift of the case's tets, by the definitions. */
static double *right_hand_side(const wisp_dg *dg, const double *u)
{
  double *rhs = dg_case_volume(dg), *flux = dg_case_face(dg);
  wisp_reference_volume(dg, u, rhs);
  wisp_reference_gather(dg, 0.75, u, NULL, flux, NULL);
  wisp_reference_lift(dg, flux, rhs);
  free(flux);
  return rhs;
}

/* Every field of every element through one of the two changes of basis. */
static void change(const wisp_dg *dg, void (*how)(const wisp_tet *tet, double *u), const wisp_tet *tet, double *u)
{
  const int n = dg->system->fields;
  double own[WISP_TET_MAX_NP];
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; f < n && dg->slot[k] != WISP_EMPTY; f++) {
      for (size_t i = 0; i < (size_t)tet->Np; i++) own[i] = u[wisp_layout_volume(&dg->layout, n, f, k, i)];
      how(tet, own);
      for (size_t i = 0; i < (size_t)tet->Np; i++) u[wisp_layout_volume(&dg->layout, n, f, k, i)] = own[i];
    }
}

/* The largest difference over the largest number; padding is nobody's. */
static double distance(const wisp_dg *dg, const double *a, const double *b)
{
  double most = 0, largest = 0;
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t i = 0; dg->slot[k] != WISP_EMPTY && i < (size_t)(dg->system->fields * dg->tet->Np); i++) {
      const size_t at =
          wisp_layout_volume(&dg->layout, dg->system->fields, (int)i / dg->tet->Np, k, i % (size_t)dg->tet->Np);
      most = fmax(most, fabs(a[at] - b[at]));
      largest = fmax(largest, fabs(a[at]));
    }
  assert_true(largest > 0);
  return most / largest;
}

static void compare(int N)
{
  dg_case nodal;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  wisp_layout layouts[8];
  dg_case_make(&nodal, N, 2, 0.2);
  GOOD(wisp_tet_create_for(err, "bernstein-tet", true, N, &tet));
  const int count = wisp_layouts(tet->Np, WISP_TET_FACES * tet->Nfp, layouts);
  dg_case_discretise(&nodal, &layouts[N % count], WISP_GROUP_NATURAL, 1, N % 2 ? "pec" : "absorbing");
  dg_case bernstein = nodal;
  bernstein.tet = tet, bernstein.dg = NULL;
  dg_case_discretise(&bernstein, &layouts[N % count], WISP_GROUP_NATURAL, 1, N % 2 ? "pec" : "absorbing");
  double *u = dg_case_volume(nodal.dg), *c = dg_case_volume(nodal.dg);
  dg_case_noise(nodal.dg, u);
  memcpy(c, u, wisp_dg_volume_size(nodal.dg) * sizeof *c);
  change(bernstein.dg, wisp_tet_from_nodes, tet, c);
  double *exact = right_hand_side(nodal.dg, u), *got = right_hand_side(bernstein.dg, c);
  change(bernstein.dg, wisp_tet_to_nodes, tet, got);
  const double error = distance(nodal.dg, exact, got);
  if (!(error < 1e-11)) fail_msg("order %d: %g", N, error);
  free(u), free(c), free(exact), free(got);
  wisp_dg_destroy(bernstein.dg);
  dg_case_free(&nodal);
}

TEST(test_right_hand_sides)
{
  for (int N = 1; N <= (getenv("WISP_TEST_QUICK") ? 4 : 10); N++) compare(N);
}

/* --- runs --- */

static cJSON *run(const char *folder, const char *arguments)
{
  char line[1024];
  snprintf(line, sizeof line, "run --json -d %s %s", test_device_name(), arguments);
  return run_json(folder, "", line);
}

static void expect_close(const cJSON *a, const cJSON *b, const char *key, double relative)
{
  const double x = json_number(a, key), y = json_number(b, key);
  if (!(fabs(x - y) <= relative * fabs(x))) fail_msg("%s: %.17g and %.17g", key, x, y);
}

/* The same steps: errors and energies agree to rounding, the longest stable step to its estimate's error. In media
 * whose coefficients jump as well. */
TEST_IN_FOLDER(test_same_solution)
{
  static const struct {
    const char *system, *nodal, *bernstein; /* in layout slab-km32, by these compositions */
    bool exact;
  } compositions[] = {
      {"maxwell", "stage", "stage", true},
      {"maxwell", "gather+fused", "gather+fused", true},
      {"maxwell", "volume+gather+lift+update", "volume+gather+lift+update", true},
      {"maxwell", "stage", "gather+lift+volume_update", true},
      {"acoustics", "stage_nested", "gather_lift+volume_update_nested", true},
      {"acoustics --rho 'x<0.5?1:4' --kappa '1+y*z'", "stage", "stage", false},
      {"acoustics --rho 'x<0.5?1:4' --kappa '1+y*z'", "stage", "gather_lift+volume_update", false},
  };
  for (size_t i = 0; i < WISP_COUNT(compositions); i++) {
    char line[256];
    cJSON *json[2] = {NULL};
    for (int b = 0; b < 2; b++) {
      snprintf(line, sizeof line, "%s --composition %s -l slab-km32 -n 2 --box 2 --time 0.5 --dt 0.01 --basis %s",
               compositions[i].system, b ? compositions[i].bernstein : compositions[i].nodal,
               b ? "bernstein" : "nodal");
      json[b] = run(*state, line);
      assert_string_equal(json_text(json[b], "basis"), b ? "bernstein" : "nodal");
    }
    if (compositions[i].exact) assert_true(json_number(json[0], "l2_error") > 1e-4);
    if (compositions[i].exact) expect_close(json[0], json[1], "l2_error", 1e-10);
    expect_close(json[0], json[1], "energy_initial", 1e-12);
    expect_close(json[0], json[1], "energy_final", 1e-10);
    expect_close(json[0], json[1], "dt_limit", 0.1);
    for (int b = 0; b < 2; b++) cJSON_Delete(json[b]);
  }
}

/* If the discretisation is finer than single precision, coefficients lose no more than values in nodes. */
TEST_IN_FOLDER(test_single_precision)
{
  static const char *const bases[] = {"nodal", "bernstein"};
  double error[2][2];
  for (int b = 0; b < 2; b++)
    for (int p = 0; p < 2; p++) {
      char line[256];
      snprintf(line, sizeof line, "acoustics -n 9 --box 2 --time 0.1 --default --rho 1.5 --kappa 2.25 -p %s --basis %s",
               p ? "f64" : "f32", bases[b]);
      OWNED(cJSON_Delete) cJSON *json = run(*state, line);
      error[b][p] = json_number(json, "l2_error");
    }
  print_message("in single and double precision: nodal %.2e, %.2e; bernstein %.2e, %.2e\n", error[0][0], error[0][1],
                error[1][0], error[1][1]);
  assert_true(error[0][0] > 1.2 * error[0][1]);
  assert_true(fabs(error[0][1] - error[1][1]) < 1e-6 * error[0][1]);
  assert_true(error[1][0] < 2 * error[0][0]);
}

/* A record of the whole stage "stage" of order 2, as if measured here with today's texts, or with those of another
 * winner; or of that stage's one kernel. */
static void record_as(const char *folder, const char *element, const char *what, bool stale, double ms)
{
  wisp_trial t;
  OWNED(wisp_device_close) wisp_device *device_ = NULL;
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  wisp_writer *writer = NULL;
  wisp_stage stage;
  GOOD(wisp_device_open(err, test_device_name(), &device_));
  GOOD(wisp_strategies_load(err, &strategies));
  const wisp_limits *limits = wisp_device_limits(device_);
  wisp_choose_request request = {.spec = wisp_family_spec(wisp_family_find("nodal"), 2, "maxwell", WISP_F64),
                                 .composition = "stage",
                                 .layout = "slab-km32"};
  wisp_spec_name_element(&request.spec, element);
  GOOD(wisp_choose(err, &(wisp_chooser){strategies, NULL, limits, NULL}, &request, &stage));
  wisp_trial_blank(&t);
  if (strcmp(what, "stage") == 0) {
    wisp_plan_hash(stage.plan[0], wisp_target_dialect(limits->target), t.template_hash);
    snprintf(t.strategy, sizeof t.strategy, "%s", stage.plan[0]->strategy->name);
    snprintf(t.params, sizeof t.params, "%s", stage.plan[0]->params);
  } else {
    wisp_plans_hash(stage.plan, stage.kernels, wisp_target_dialect(limits->target), t.template_hash);
    strcpy(t.strategy, "stage");
  }
  if (stale) t.template_hash[0] = t.template_hash[0] == '0' ? '1' : '0';
  snprintf(t.spec, sizeof t.spec, "nodal.%s:%s:p2:maxwell:f64", what, element);
  strcpy(t.layout, "slab-km32");
  snprintf(t.device, sizeof t.device, "%s", limits->name);
  snprintf(t.target, sizeof t.target, "%s", limits->target);
  snprintf(t.driver, sizeof t.driver, "%s", limits->driver);
  snprintf(t.compiler, sizeof t.compiler, "%s", limits->compiler);
  strcpy(t.version, WISP_VERSION), strcpy(t.mode, "made up");
  strcpy(t.when, "2026-11-21T08:00:00Z"), strcpy(t.outcome, "ok");
  t.units = limits->units, t.elements = 1000, t.ms = ms;
  GOOD(wisp_writer_open(err, fixture_path(folder, "user.db"), NULL, &writer));
  GOOD(wisp_writer_add(err, writer, &t));
  GOOD(wisp_writer_close(err, writer));
  wisp_stage_free(&stage);
}

static void record(const char *folder, const char *element, double ms)
{
  record_as(folder, element, "step", false, ms);
}

static void expect_auto(const char *folder, const char *arguments, const char *basis, const char *reason)
{
  char line[256];
  snprintf(line, sizeof line, "maxwell --box 2 --steps 2 --basis auto %s", arguments);
  OWNED(cJSON_Delete) cJSON *json = run(folder, line);
  assert_string_equal(json_text(json, "basis"), basis);
  assert_string_equal(json_text(json, "basis_reason"), reason);
}

TEST_IN_FOLDER(test_auto)
{
  expect_auto(*state, "-n 2 --default", "nodal", "no whole stage was measured on this device");
  expect_auto(*state, "-n 11 --default --box 1", "nodal", "no whole stage was measured on this device");
  expect_auto(*state, "-n 2 --composition gather+lift+volume_update --layout slab-km32", "bernstein",
              "there is no such stage of the nodal basis here");
  expect_auto(*state, "-n 2 --composition derivative+assemble+gather+lift+update", "nodal",
              "no whole stage was measured on this device");
  if (strcmp(test_device_name(), "host") != 0) return; /* for others winners ship */
  record(*state, "bernstein-tet", 1);
  expect_auto(*state, "-n 2", "bernstein", "no whole stage of the nodal basis was measured on this device");
  record(*state, "tet", 2);
  expect_auto(*state, "-n 2", "bernstein", "its stage takes 0.5 of the time of the nodal one");
}

TEST_IN_FOLDER(test_auto_nodal)
{
  if (strcmp(test_device_name(), "host") != 0) return;
  record(*state, "tet", 1);
  record(*state, "bernstein-tet", 4);
  expect_auto(*state, "-n 2", "nodal", "its stage takes 0.25 of the time of the bernstein one");
}

/* A step of one kernel, which has another winner since: what that takes is what the stage takes. */
TEST_IN_FOLDER(test_auto_newer_winner)
{
  if (strcmp(test_device_name(), "host") != 0) return;
  record(*state, "tet", 2);
  record_as(*state, "bernstein-tet", "step", true, 8);
  expect_auto(*state, "-n 2", "nodal", "no whole stage of the bernstein basis was measured on this device");
  record_as(*state, "bernstein-tet", "stage", false, 1);
  expect_auto(*state, "-n 2", "bernstein", "its stage takes 0.5 of the time of the nodal one");
}

TEST_IN_FOLDER(test_mistakes)
{
  static const struct {
    const char *line, *says;
  } bad[] = {{"run maxwell -n 2 --basis fourier", "basis 'fourier' is not known: use one of nodal, bernstein, auto"},
             {"run poisson -n 2 --basis bernstein", "--basis"},
             {"tune -n 2 --element bezier-tet", "bezier-tet"}};
  for (size_t i = 0; i < WISP_COUNT(bad); i++) run_expect(*state, "", 2, bad[i].says, "%s", bad[i].line);
}
