/* Claim: wisp db diff says what changed from one store to another: trials that one lacks, times that differ by more
 * than noise, and winners that are another candidate. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"

static wisp_trial trial(int number, double ms)
{
  wisp_trial t = fixture_trial(1);
  snprintf(t.params, sizeof t.params, "wp=%d", number);
  strcpy(t.outcome, "ok"), t.reason[0] = '\0', t.tie[0] = '\0';
  t.ms = ms;
  return t;
}

static double count(const cJSON *json, const char *name)
{
  return json_number(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "devices"), 0), name);
}

TEST_IN_FOLDER(test_what_changed)
{
  const wisp_trial before[] = {trial(1, 4), trial(2, 5), trial(3, 6), trial(4, 9)};
  const wisp_trial after[] = {trial(1, 4.01), trial(2, 3), trial(3, 7), trial(5, 8)};
  fixture_put(fixture_path(*state, "a.db"), before, 4);
  fixture_put(fixture_path(*state, "b.db"), after, 4);
  OWNED(cJSON_Delete)
  cJSON *json = run_json_with(*state, "", "db diff --json %s/a.db %s/b.db", (char *)*state, (char *)*state);
  assert_true(count(json, "only_before") == 1 && count(json, "only_after") == 1 && count(json, "both") == 3);
  assert_true(count(json, "faster") == 1 && count(json, "slower") == 1);
  const cJSON *winners = cJSON_GetObjectItem(json, "winners"), *one = cJSON_GetArrayItem(winners, 0);
  assert_int_equal(cJSON_GetArraySize(winners), 1);
  assert_string_equal(json_text(cJSON_GetObjectItem(one, "before"), "params"), "wp=1");
  assert_string_equal(json_text(cJSON_GetObjectItem(one, "after"), "params"), "wp=2");
  run_expect(*state, "", 0, "1 winner changed", "db diff %s/a.db %s/b.db", (char *)*state, (char *)*state);
  run_expect(*state, "", 0, "\n0 winners changed", "db diff %s/a.db %s/a.db", (char *)*state, (char *)*state);
  run_expect(*state, "", 1, "no such file", "db diff %s/a.db %s/c.db", (char *)*state, (char *)*state);
  run_expect(*state, "", 2, "two stores", "db diff %s/a.db", (char *)*state);
}
