/* Claim: a step of heat conduction ends by the residual of its own equations, whatever its linear solves are content
 * with; where none is reached the run fails, and leaves no file. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"

static double error_of(const char *folder, const char *arguments)
{
  return solve_number(folder, "l2_error", "heat", "%s", arguments);
}

/* A step ends by its own residual: what its linear solves are content with shows in their number, not in u. Where the
 * problem is linear, a step that hardly changes u is solved all the same. */
TEST_IN_FOLDER(test_loose)
{
  static const char *const runs[] = {"-n 2 --box 8 --steps 4", "-n 1 --element tet --box 4 --capacity 0",
                                     "-n 2 --box 8 --capacity 0 --kappa 'exp(-u) + 0.5'"};
  static const char *const loose[] = {"1e-12", "1e-3", "1"};
  for (size_t i = 0; i < WISP_COUNT(runs); i++) {
    double error[3];
    for (int k = 0; k < 3; k++) {
      cJSON *json = solve_json(*state, "heat", "%s --tolerance %s", runs[i], loose[k]);
      error[k] = json_number(json, "l2_error");
      assert_true(json_number(json, "residual") <= 1e-12);
      cJSON_Delete(json);
      if (!(fabs(error[k] / error[0] - 1) < 1e-6))
        fail_msg("%s, %s: %g, not %g", runs[i], loose[k], error[k], error[0]);
    }
  }
  const double exact = error_of(*state, "-n 1 --box 8 --kappa 1 --steps 400");
  assert_true(error_of(*state, "-n 1 --box 8 --kappa 1 --steps 400 --tolerance 1e-2") < 1.2 * exact);
  assert_true(error_of(*state, "-n 1 --box 8 --kappa 1 --steps 400 --tolerance 1e-2 -pf32") < 1.2 * exact);
}

/* Rounding keeps the residual above what is asked for: then u that moves no more ends the step. */
TEST_IN_FOLDER(test_rounding)
{
  const double fine = error_of(*state, "-n 3 --box 16 --capacity 0 --nonlinear 1e-15");
  assert_true(fabs(error_of(*state, "-n 3 --box 16 --capacity 0") / fine - 1) < 1e-4);
  assert_true(error_of(*state, "-n 1 --box 24 --capacity 0 -pf32 --nonlinear 1e-12") < 5e-3);
}

/* No file is left of a solve that failed, be it by few iterations or by few assemblies. */
TEST_IN_FOLDER(test_failed)
{
  static const char *const failing[] = {"--kappa 1 --iterations 2", "--assemblies 1", "--assemblies 3 --iterations 9"};
  static const char *const names[] = {"none.vtu", "none.mtx", "none_b.mtx"};
  for (size_t i = 0; i < WISP_COUNT(failing); i++) {
    run_expect(*state, "", 1, "no convergence",
               "run heat -q -d %s -n 2 --steps 1 %s -o %s/none.vtu --export %s/none.mtx", test_device_name(),
               failing[i], (const char *)*state, (const char *)*state);
    for (int k = 0; k < 3; k++) assert_int_not_equal(access(fixture_path(*state, names[k]), F_OK), 0);
  }
}

GROUP(no_shipped_winners, NULL)
