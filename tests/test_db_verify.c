/* Claim: wisp db verify verifies the winners of a store anew: it names those that are wrong or crash, with the reason,
 * and ends with status 1; right ones, what is not legal on the device and what was measured with other texts it counts;
 * a store of verdicts, or a share of the rows, leaves out the rest. */
#include "test.h"
#include "command.h"
#include "each_plan.h"
#include "planted.h"
#include "store_fixture.h"
#include "tuning.h"

static const char spec[] = "nodal.assemble:tet:p4:maxwell:f64";

/* A stored winner: the layout decides which rows compete. */
static wisp_trial winner(const wisp_strategies *all, const char *strategy, const char *layout, double ms)
{
  wisp_trial t = fixture_trial(1);
  const wisp_strategy *s = wisp_strategies_find(all, "nodal", "assemble", strategy);
  snprintf(t.spec, sizeof t.spec, "%s", spec);
  snprintf(t.layout, sizeof t.layout, "%s", layout);
  snprintf(t.strategy, sizeof t.strategy, "%s", strategy);
  strcpy(t.outcome, "ok"), strcpy(t.params, ""), strcpy(t.target, "host"), strcpy(t.mesh, "box");
  t.reason[0] = t.tie[0] = '\0', t.ms = ms, t.ratio = NAN;
  assert_non_null(s);
  wisp_strategy_hash(s, "maxwell", "host", t.template_hash);
  return t;
}

static void fill(const char *folder, const char *store)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  plant(folder, "right", "");
  plant(folder, "thousandth", "rhs[here] *= (real)1.001;");
  plant(folder, "segfault", "if (m == 1) *(volatile real *)4096 = 1;");
  setenv("WISP_TEMPLATES", folder, 1);
  GOOD(wisp_strategies_load(err, &all));
  wisp_trial rows[] = {winner(all, "right", "slab-km32", 2),
                       winner(all, "thousandth", "slab-km32", 3),
                       winner(all, "thousandth", "node-km1-pad48", 1),
                       winner(all, "segfault", "node-km4-pad144", 1),
                       winner(all, "right", "slab-km7", 1),
                       winner(all, "right", "slab-km64", 1)};
  strcpy(rows[5].template_hash, "0123456789abcdef");
  fixture_put(store, rows, WISP_COUNT(rows));
}

/* The entry of those that are not right with this outcome. */
static const cJSON *find_row(const cJSON *json, const char *what)
{
  const cJSON *list = cJSON_GetObjectItem(json, "not_right");
  for (int i = 0; i < cJSON_GetArraySize(list); i++)
    if (strcmp(json_text(cJSON_GetArrayItem(list, i), "outcome"), what) == 0) return cJSON_GetArrayItem(list, i);
  fail_msg("nothing is %s", what);
  return NULL;
}

/* Rows by share: all of them in one part of two, for they are one unit. */
static void check_shares(const char *folder, const char *before)
{
  const char *name = test_device_name();
  run_expect(folder, before, 2, "must be I/N", "db verify -q -d %s --share 3/2", name);
  run_expect(folder, before, 0, "0 ", "db verify -q -d %s --share 2/2", name);
  run_expect(folder, before, 1, "no trial of today's kernel texts", "db verify -q -d %s -k gather", name);
  run_expect(folder, before, 2, "leave one out", "db verify -q -d %s --shipped --db %s/user.db", name, folder);
}

TEST_IN_FOLDER(test_verdicts)
{
  const char *folder = *state;
  char before[160];
  snprintf(before, sizeof before, "WISP_TEMPLATES=%s", folder);
  compile_quickly();
  fill(folder, fixture_path(folder, "user.db"));
  run_expect(folder, before, 1, "2 of 4 stored kernels failed", "db verify -q -d %s -o %s/verdicts.db",
             test_device_name(), folder);
  assert_int_equal(fixture_count(fixture_path(folder, "verdicts.db")), 4);
  outcome o = run_with(folder, before, "db verify -q -d %s -o %s/verdicts.db --json", test_device_name(), folder);
  OWNED(cJSON_Delete) cJSON *json = cJSON_Parse(o.out);
  assert_int_equal(o.status, 1);
  assert_true(json_number(json, "kernels") == 4 && json_number(json, "right") == 1 && json_number(json, "failed") == 2);
  assert_true(json_number(json, "refused") == 1 && json_number(json, "stale") == 1 && json_number(json, "left") == 0);
  assert_non_null(strstr(json_text(find_row(json, "wrong"), "reason"), "error 1.0"));
  const char *crash = json_text(find_row(json, "crash"), "reason");
  assert_true(*crash && (!test_device_is_host() || strstr(crash, "signal")));
  assert_string_equal(json_text(find_row(json, "refused"), "layout"), "slab-km7");
  forget(&o);
  check_shares(folder, before);
}
