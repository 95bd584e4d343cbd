/* Claim: terms without a derivative are solved as they are. Modes of a cavity with conducting walls decay in a
 * conductor as they must and oscillate in a Drude medium, with order N + 0.7 or better; every composition gives the
 * same, in low storage and nested; the step becomes shorter where losses ask for it; each strategy either verifies with
 * such terms or says why it cannot carry them. The systems are examples/systems. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "each_plan.h"
#include "verifying.h"
#include "../gen/strategy/strategy.h"
#include "../gen/system.h"

static int set_up(void **state)
{
  setenv("WISP_TEMPLATES", "examples", 1);
  return fixture_set_up(state);
}

#define TEST_OF_SYSTEMS(name) TEST_WITH(name, set_up, fixture_tear_down)

/* --- solutions --- */

TEST_OF_SYSTEMS(test_convergence)
{
  static const char *const media[][2] = {{"conductor", "--sigma 2 --eps 2 --mu 1.5"},
                                         {"conductor", "--sigma 'x < 2 ? 0.5 : 1' --mode 1,2,1"},
                                         {"drude", "--wp 3 --gamma 1.5"}};
  const int highest = getenv("WISP_TEST_COARSE") ? 2 : 3;
  for (int order = 1; order <= highest; order++) {
    const int box[2] = {order == 1 ? 4 : 3, order == 1 ? 8 : 5};
    double error[2];
    for (int i = 0; i < 2; i++)
      error[i] = solve_number(*state, "l2_error", media[order - 1][0], "-n %d --box %d --time 0.4 --default %s", order,
                              box[i], media[order - 1][1]);
    const double found = log(error[0] / error[1]) / log((double)box[1] / box[0]);
    print_message("%s, order %d: %.2f\n", media[order - 1][0], order, found);
    if (!(found >= order + 0.7)) fail_msg("N = %d converges with order %.2f only", order, found);
  }
}

/* After a whole period the fields of a mode are those of the start times exp(-sigma T / 2 eps). */
TEST_OF_SYSTEMS(test_decay)
{
  const double sigma = 1.5, eps = 2, pi = acos(-1.0), decay = sigma / (2 * eps);
  const double period = 2 * pi / sqrt(2 * pi * pi / eps - decay * decay);
  OWNED(cJSON_Delete)
  cJSON *json =
      solve_json(*state, "conductor", "-n 4 --box 2 --time %.17g --default --sigma %g --eps %g", period, sigma, eps);
  const double rate = -log(json_number(json, "energy_final") / json_number(json, "energy_initial")) / (2 * period);
  print_message("decay %.6f, exactly %.6f\n", rate, decay);
  assert_true(fabs(rate / decay - 1) < 2e-3);
}

TEST_OF_SYSTEMS(test_compositions)
{
  static const char *const compositions[] = {
      "volume+gather+lift+update_nested", "gather+fused", "gather+fused_nested", "stage", "stage_nested",
      "trace+gather_traced+fused_nested"};
  static const char options[] = "-n 2 --box 2 --time 0.3 --dt 0.01 --default --wp 'x < 0.5 ? 2 : 3' --gamma 1";
  const double expected = solve_number(*state, "energy_final", "drude", "%s", options);
  for (size_t i = 0; i < WISP_COUNT(compositions); i++) {
    const double found = solve_number(*state, "energy_final", "drude", "%s --composition %s", options, compositions[i]);
    if (!(fabs(found / expected - 1) < 1e-12)) fail_msg("%s: %.17g, not %.17g", compositions[i], found, expected);
  }
  const double bernstein = solve_number(*state, "energy_final", "drude", "%s --basis bernstein", options);
  assert_true(fabs(bernstein / expected - 1) < 1e-10);
}

/* Losses of 1000 a unit of time need steps below 4.7e-3, whatever the mesh; both ways to a step know it. */
TEST_OF_SYSTEMS(test_step)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(*state, "conductor", "-n 1 --box 1 --steps 40 --default --sigma 1000 --start pulse");
  assert_true(json_number(json, "dt_limit") < 4.7e-3 && json_number(json, "dt_limit") > 3e-3);
  assert_true(json_number(json, "energy_final") < json_number(json, "energy_initial"));
  const double safe =
      solve_number(*state, "dt", "conductor", "-n 1 --box 1 --steps 2 --default --sigma 1000 --start pulse");
  assert_true(safe < 4.7e-3 && safe > 2e-4);
}

/* --- kernels --- */

/* All strategies of the kernels that add up rates, in one precision or the other; those of another basis and of GPUs
 * alone are not for this device. */
TEST_OF_SYSTEMS(test_strategies)
{
  static const char *const kernels[] = {"volume", "assemble", "fused", "fused_nested", "stage_nested"};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_verifier *verifier = NULL;
  wisp_device *device = open_test_device();
  int verified = 0, refused = 0;
  compile_quickly();
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_verifier_create(err, device, &verifier));
  for (size_t i = 0; i < WISP_COUNT(kernels) * all->count; i++) {
    const wisp_strategy *s = all->list[i % all->count];
    const wisp_precision precision = i / all->count % 2 ? WISP_F64 : WISP_F32;
    const wisp_spec spec = {"nodal", "", "tet", 2, "conductor", precision};
    wisp_spec own = spec;
    wisp_error why = {.text = ""};
    double error = 0;
    if (strcmp(s->family, "nodal") != 0 || strcmp(s->kernel, kernels[i / all->count]) != 0) continue;
    wisp_spec_name_kernel(&own, s->kernel);
    const wisp_status status = verify_strategy(&why, device, verifier, s, &own, NULL, &error);
    if (status != WISP_OK && status != WISP_EREFUSED) fail_msg("%s %s: %s", s->kernel, s->name, why.text);
    verified += status == WISP_OK, refused += strstr(why.text, "has a term without one") != NULL;
  }
  print_message("%d verified, %d refused for their texts\n", verified, refused);
  assert_true(verified >= 20 && refused >= 1);
  wisp_verifier_destroy(verifier);
  wisp_device_close(device);
}

/* --- what is refused --- */

static void write_system(const char *folder, const char *from, const char *to)
{
  size_t length = 0;
  OWNED(free) char *text = fixture_read("examples/systems/conductor.system", &length);
  char *at = strstr(text, from);
  OWNED(free) char *edited = malloc(length + strlen(to) + 1);
  assert_true(at && edited);
  sprintf(edited, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  fixture_text(folder, "systems/broken.system", edited);
  setenv("WISP_TEMPLATES", folder, 1);
}

TEST_OF_SYSTEMS(test_refused)
{
  static const struct {
    const char *to, *arguments;
    int status;
    const char *why;
  } bad[] = {
      {"- loss * Ew", "", 1, "broken.system:13: there is no field 'Ew'"},
      {"- loss * 2", "", 1, "broken.system:13: '- loss * 2' must end with a field, or a field's .x, .y or .z"},
      {"- 2 loss * Ex", "", 1, "loss"},
      {"- loss Ex", "", 1, "a * must stand before 'Ex'"},
      {"- q * Ex", "", 1, "the name 'q' is not defined"},
      {"- loss * by_mu * Ex", "", 1, "one quantity, loss here, may stand last"},
      {"- loss * Ex", "--sigma -1", 1, "sigma is -1 in element 0, must be 0 or positive, and finite"},
      {"- loss * Ex", "--eps 0", 1, "eps is 0 in element 0, must be positive and finite"},
      {"- loss * Ex", "--composition derivative+assemble+gather+lift+update", 1,
       "a rate of the system has a term without one"},
      {"+ 40 * Ex", "--steps 400", 1, "terms without a derivative in the rates of system broken add energy"},
  };
  for (size_t i = 0; i < WISP_COUNT(bad); i++) {
    write_system(*state, "- loss * Ex", bad[i].to);
    run_expect(*state, "", bad[i].status, bad[i].why, "run broken -q -n 1 --box 1 --default -d %s %s",
               test_device_name(), bad[i].arguments);
  }
}
