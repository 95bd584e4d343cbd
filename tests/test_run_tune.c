/* Claim: wisp run --tune tunes the run's kernels before it starts, says what came of it, and keeps it: the run takes
 * what won, and so does the next one. A program does the same by wisp_solver_tune. An untuned run offers it in its
 * first line. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "solving.h"
#include "store_fixture.h"

static bool is_tuned(const cJSON *run)
{
  const cJSON *kernel = NULL;
  bool tuned = true;
  cJSON_ArrayForEach(kernel, cJSON_GetObjectItem(run, "kernels")) tuned &=
      strcmp(json_text(kernel, "match"), "exact") == 0 && strcmp(json_text(kernel, "layer"), "user") == 0;
  return tuned;
}

TEST_IN_FOLDER(test_run)
{
  static const char run[] = "run maxwell -d host -n 1 -p f32 --box 2 --steps 2";
  const char *none = "WISP_SHIPPED=none";
  HELD(forget) outcome o = run_in(*state, none, run);
  assert_int_equal(o.status, 0);
  if (strncmp(o.out, "untuned ", 8) != 0 || !strstr(o.out, "--tune 20s")) fail_msg("%s", o.out);
  OWNED(cJSON_Delete) cJSON *first = run_json_with(*state, none, "%s --tune 4s --json", run);
  const cJSON *tuning = cJSON_GetObjectItem(first, "tuning");
  assert_non_null(tuning);
  assert_true(json_number(tuning, "trials") > 0 && json_number(tuning, "seconds") > 0);
  assert_true(is_tuned(first));
  OWNED(cJSON_Delete) cJSON *next = run_json_with(*state, none, "%s --json", run);
  assert_true(is_tuned(next));
  assert_null(cJSON_GetObjectItem(next, "tuning"));
  run_expect(*state, none, 2, "--tune", "%s --default --tune 4s", run);
  run_expect(*state, none, 2, "--tune", "%s --tune soon", run);
}

/* The same by a program: a solver that is created anew takes what won. */
TEST_IN_FOLDER(test_program)
{
  char store[128];
  wisp_solver *solver = NULL;
  wisp_kernel_info info;
  wisp_tuning tuning;
  OWNED(wisp_session_close) wisp_session *session = NULL;
  setenv("WISP_SHIPPED", "none", 1);
  snprintf(store, sizeof store, "%s", fixture_path(*state, "tuned.db"));
  GOOD(wisp_session_open(err,
                         &(wisp_session_request){WISP_INIT(wisp_session_request), .device = test_device_name(),
                                                 .store = store, .command = getenv("WISP_COMMAND")},
                         &session));
  const wisp_solver_request request = {WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1,
                                       .precision = WISP_F32, .box = "2"};
  GOOD(wisp_solver_create(err, session, &request, &solver));
  GOOD(wisp_solver_kernel(err, solver, 0, &info));
  assert_string_equal(info.match, "default");
  BAD(wisp_solver_tune(err, solver, 0.5, &tuning), WISP_EUSAGE, "a second");
  GOOD(wisp_solver_tune(err, solver, 3, &tuning));
  assert_true(tuning.trials > 0 && tuning.seconds > 0 && tuning.before_ms >= 0 && tuning.after_ms >= 0);
  GOOD(wisp_solver_advance(err, solver, &(wisp_until){WISP_INIT(wisp_until), .steps = 1})); /* as it was */
  wisp_solver_destroy(solver);
  GOOD(wisp_solver_create(err, session, &request, &solver));
  GOOD(wisp_solver_kernel(err, solver, 0, &info));
  assert_string_equal(info.match, "exact");
  assert_string_equal(info.layer, "user");
  wisp_solver_destroy(solver);
}
