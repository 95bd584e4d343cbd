/* Claim: the summary of a sweep names each reason for which trials failed, with its count: reasons that differ in
 * numbers only are one, and the counts add up to the failed trials, as text and as JSON. What failed is named first.
 * Strategies for tensor cores are no candidates on the host, and no defaults there, though they run if they are asked
 * for. */
#include "test.h"
#include "command.h"
#include "planted.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../runtime/kernel.h"
#include "../tuner/search/search.h"
#include "../tuner/sweep/sweep.h"

#include <cjson/cJSON.h>

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
  char environment[256], line[160], templates[64];
  cJSON *json = NULL;
  long long sum = 0;
  bool named = false;
  fixture_folder(templates);
  plant(templates, "thousandth", "rhs[here] *= (real)1.001;");
  plant(templates, "hundredth", "rhs[here] *= (real)1.01;");
  plant(templates, "last-nan", "if (m == groups - 1) rhs[here] = (real)0 / (real)0;");
  snprintf(environment, sizeof environment, "WISP_SHIPPED=none WISP_TEMPLATES=%s", templates);
  snprintf(line, sizeof line, "%s --json", sweep);
  json = run_json(*state, environment, line);
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
  outcome o = run_in(*state, environment, sweep);
  cJSON_ArrayForEach(failure, failures)
  {
    snprintf(line, sizeof line, "%6.0f  %s: %.80s", json_number(failure, "count"), json_text(failure, "outcome"),
             json_text(failure, "reason"));
    if (!strstr(o.out, line)) fail_msg("there is no '%s' in\n%s", line, o.out);
  }
  forget(&o);
  cJSON_Delete(json);
  fixture_remove(templates);
}

/* --- tensor cores --- */

static bool is_for_tensor_cores(const wisp_strategy *s)
{
  return strstr(s->title, "tensor cores") != NULL;
}

/* Candidates of strategies for tensor cores that a sweep of this kernel would try. */
static size_t tried(const wisp_strategies *all, const wisp_limits *limits, wisp_spec *spec, const char *kernel)
{
  const wisp_target target = wisp_limits_target(limits);
  wisp_scope scope = {0};
  wisp_search search = {0};
  size_t count = 0;
  wisp_spec_name_kernel(spec, kernel);
  GOOD(wisp_scope_create(err, wisp_family_find(spec->family), spec, &target, NULL, &scope));
  GOOD(wisp_search_create(err, all, &scope, NULL, 1, &search));
  for (size_t i = 0; i < search.count; i++) count += is_for_tensor_cores(search.candidates[i].strategy);
  wisp_search_free(&search);
  wisp_scope_free(&scope);
  return count;
}

TEST(test_host_has_no_tensor_cores)
{
  static const char *const kernels[] = {"volume", "lift", "fused", "stage_nested"};
  wisp_strategies *all = NULL;
  wisp_limits host, card;
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_target_limits(err, "host", &host));
  GOOD(wisp_target_limits(err, "sm_90", &card));
  for (int precision = 0; precision < 2; precision++) {
    wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 5, NULL, precision ? WISP_F64 : WISP_F32);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
      assert_int_equal(tried(all, &host, &spec, kernels[k]), 0);
      assert_true(tried(all, &card, &spec, kernels[k]) > 0);
    }
  }
  wisp_spec spec = wisp_family_spec(wisp_family_find("hdg"), 5, NULL, WISP_F64);
  assert_int_equal(tried(all, &host, &spec, "condense"), 0);
  assert_true(tried(all, &card, &spec, "condense") > 0);
  wisp_strategies_free(all);
}
