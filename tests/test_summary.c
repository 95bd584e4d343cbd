/* Claim: the summary of a sweep names each reason for which trials failed, with its count: reasons that differ in
 * numbers only are one, and the counts add up to the failed trials, as text and as JSON. What failed is named first.
 * Strategies for tensor cores are no candidates on the host, and no defaults there, though they run if they are asked
 * for. */
#include "test.h"
#include "command.h"
#include "planted.h"
#include "store_fixture.h"
#include "tuning.h"
#include "../tuner/sweep/sweep.h"

static void count(wisp_tune_summary *summary, wisp_outcome end, const char *reason)
{
  wisp_trial trial = fixture_trial(1);
  wisp_trial_end(&trial, end, "%s", reason);
  wisp_summary_count(summary, &trial);
}

TEST(test_reasons_are_counted)
{
  wisp_tune_summary s = {0};
  count(&s, WISP_TRIAL_OK, "");
  count(&s, WISP_TRIAL_WRONG, "error 1.25e-3");
  count(&s, WISP_TRIAL_WRONG, "error 3.5e-3");
  count(&s, WISP_TRIAL_CRASH, "error 1.25e-3");
  count(&s, WISP_TRIAL_REFUSED, "too large");
  count(&s, WISP_TRIAL_WRONG, "not finite");
  assert_int_equal(s.failed, 4);
  assert_int_equal(s.failures, 3);
  assert_int_equal(s.failure[0].count, 2);
  assert_string_equal(s.failure[0].outcome, "wrong");
  assert_string_equal(s.failure[0].reason, "error 1.25e-3");
  assert_int_equal(s.failure[1].count + s.failure[2].count, 2);
}

/* A failure says why nothing is right, before whatever was refused; without one, the first that was refused. */
TEST(test_failures_come_first)
{
  wisp_tune_summary s = {0};
  count(&s, WISP_TRIAL_REFUSED, "another layout");
  count(&s, WISP_TRIAL_REFUSED, "too large");
  assert_non_null(strstr(s.why, "another layout"));
  count(&s, WISP_TRIAL_COMPILE_ERROR, "no such name");
  count(&s, WISP_TRIAL_WRONG, "error 3.5e-3");
  count(&s, WISP_TRIAL_REFUSED, "too small");
  assert_non_null(strstr(s.why, "compile-error: no such name"));
}

/* However many reasons there are, no failure is left out. */
TEST(test_no_failure_is_lost)
{
  wisp_tune_summary s = {0};
  long long sum = 0;
  for (int i = 0; i < 26; i++) {
    char reason[32];
    snprintf(reason, sizeof reason, "fault %c", 'a' + i);
    for (int times = 0; times <= i % 3; times++) count(&s, WISP_TRIAL_WRONG, reason);
  }
  for (int i = 0; i < s.failures; i++) sum += s.failure[i].count;
  assert_int_equal(s.failures, WISP_MOST_FAILURES);
  assert_int_equal(sum, s.failed);
  assert_string_equal(s.failure[WISP_MOST_FAILURES - 1].reason, "for other reasons");
}

/* Two strategies that are wrong for one reason, one for another, as a user sees it. */
TEST_IN_FOLDER(test_command_names_them)
{
  static const char sweep[] =
      "tune -q -d host -n 1 -p f64 -k assemble -l node-km1-pad16 --elements 48 --exhaustive --retry-failed";
  char environment[256], line[160];
  OWNED(cJSON_Delete) cJSON *json = NULL;
  long long sum = 0;
  bool named = false;
  plant(*state, "thousandth", "rhs[here] *= (real)1.001;");
  plant(*state, "hundredth", "rhs[here] *= (real)1.01;");
  plant(*state, "last-nan", "if (m == groups - 1) rhs[here] = (real)0 / (real)0;");
  snprintf(environment, sizeof environment, "WISP_SHIPPED=none WISP_TEMPLATES=%s", (const char *)*state);
  json = run_json_with(*state, environment, "%s --json", sweep);
  const cJSON *failures = cJSON_GetObjectItem(json, "failures"), *failure = NULL;
  cJSON_ArrayForEach(failure, failures)
  {
    sum += (long long)json_number(failure, "count");
    named |= strstr(json_text(failure, "reason"), "not finite") && json_number(failure, "count") == 1 &&
             strcmp(json_text(failure, "outcome"), "wrong") == 0;
  }
  assert_int_equal(json_number(json, "failed"), 3);
  assert_int_equal(sum, 3);
  assert_true(named && cJSON_GetArraySize(failures) >= 2);
  HELD(forget) outcome o = run_in(*state, environment, sweep);
  cJSON_ArrayForEach(failure, failures)
  {
    snprintf(line, sizeof line, "%6.0f  %s: %.80s", json_number(failure, "count"), json_text(failure, "outcome"),
             json_text(failure, "reason"));
    if (!strstr(o.out, line)) fail_msg("there is no '%s' in\n%s", line, o.out);
  }
}

/* --- tensor cores --- */

static bool is_for_tensor_cores(const wisp_strategy *s)
{
  return strstr(s->title, "tensor cores") != NULL;
}

static size_t tried(const char *target, const char *spec)
{
  search_case c;
  size_t count = 0;
  search_open(&c, spec, target);
  for (size_t i = 0; i < c.search.count; i++) count += is_for_tensor_cores(c.search.candidates[i].strategy);
  search_close(&c);
  return count;
}

TEST(test_host_has_no_tensor_cores)
{
  static const char *const specs[] = {"nodal.volume:tet:p5:maxwell:f32",       "nodal.volume:tet:p5:maxwell:f64",
                                      "nodal.lift:tet:p5:maxwell:f32",         "nodal.lift:tet:p5:maxwell:f64",
                                      "nodal.fused:tet:p5:maxwell:f32",        "nodal.fused:tet:p5:maxwell:f64",
                                      "nodal.stage_nested:tet:p5:maxwell:f32", "nodal.stage_nested:tet:p5:maxwell:f64",
                                      "hdg.condense:tri:p5:helmholtz:f64"};
  for (size_t i = 0; i < WISP_COUNT(specs); i++) {
    assert_int_equal(tried("host", specs[i]), 0);
    assert_true(tried("sm_90", specs[i]) > 0);
  }
}
