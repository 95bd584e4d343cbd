/* Claim: a stage of one kernel and that kernel are one measurement. Of two old records the later one counts, whichever
 * it is, and best and the report print it for both. README's table of stages has the stored times. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../runtime/solve/choose.h"

/* ---- A card of which two records are planted: of a stage, and of its one kernel. */

static void plant(const char *folder, const wisp_strategies *all, bool stage, double ms, const char *when)
{
  wisp_trial t = fixture_trial(1);
  char hash[20];
  const wisp_strategy *s = wisp_strategies_find(all, "nodal", "stage_nested", "literal");
  assert_non_null(s);
  wisp_strategy_hash(s, "maxwell", "cuda", hash);
  strcpy(t.spec, stage ? "nodal.step:tet:p2:maxwell:f64" : "nodal.stage_nested:tet:p2:maxwell:f64");
  strcpy(t.strategy, stage ? "stage_nested" : "literal");
  strcpy(t.params, stage ? "" : "MB=1 by_face=0 grouping=0 min_blocks=0 unroll=1 wp=1");
  if (stage) snprintf(hash, sizeof hash, "%016llx", (unsigned long long)wisp_composition_hash(WISP_HASH_SEED, hash));
  strcpy(t.template_hash, hash);
  strcpy(t.layout, "slab-km32");
  strcpy(t.device, "Imaginary 1");
  snprintf(t.when, sizeof t.when, "%s", when);
  t.ms = ms, t.gdofs = 10 / ms, t.gbps = 100 / ms, t.efficiency = 0.1 / ms, t.sample_count = 0;
  fixture_put(fixture_path(folder, "user.db"), &t, 1);
}

/* Both rows of best, and the page of the report, have this time. */
static void expect(const char *folder, double ms)
{
  OWNED(cJSON_Delete) cJSON *json = run_json(folder, "", "best -d Imaginary --json");
  char cell[64];
  size_t length = 0;
  const cJSON *row = NULL;
  assert_int_equal(cJSON_GetArraySize(json), 2);
  cJSON_ArrayForEach(row, json)
  {
    assert_true(fabs(json_number(row, "ms") - ms) < 1e-12);
    assert_true(fabs(json_number(row, "gdofs") - 10 / ms) < 1e-9);
    assert_true(fabs(json_number(row, "efficiency") - 0.1 / ms) < 1e-9);
  }
  run_expect(folder, "", 0, "", "report -d Imaginary -o %s/report", folder);
  OWNED(free) char *page = fixture_read(fixture_path(folder, "report/index.html"), &length);
  snprintf(cell, sizeof cell, ">%#.4g<", ms);
  const char *first = strstr(page, cell);
  if (!first || !strstr(first + 1, cell)) fail_msg("the report has no two cells %s", cell);
}

TEST_IN_FOLDER(test_later_counts)
{
  const char *folder = *state;
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  plant(folder, all, false, 2.5, "2026-11-21T08:00:00Z");
  plant(folder, all, true, 3.25, "2026-11-22T08:00:00Z");
  expect(folder, 3.25);
  plant(folder, all, false, 2.75, "2026-11-23T08:00:00Z");
  expect(folder, 2.75);
  plant(folder, all, true, 2.25, "2026-11-24T08:00:00Z");
  expect(folder, 2.25);
}

/* ---- What ships. */

static const cJSON *row_of(const cJSON *json, const cJSON *like, const char *kernel)
{
  static const char *const same[] = {"family", "element", "system", "precision", "layout"};
  const cJSON *row = NULL;
  cJSON_ArrayForEach(row, json)
  {
    bool is = strcmp(json_text(row, "kernel"), kernel) == 0 && json_number(row, "order") == json_number(like, "order");
    for (size_t i = 0; is && i < WISP_COUNT(same); i++)
      is = strcmp(json_text(row, same[i]), json_text(like, same[i])) == 0;
    if (is) return row;
  }
  return NULL;
}

TEST_IN_FOLDER(test_shipped_stages)
{
  OWNED(cJSON_Delete) cJSON *json = run_json(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' --json");
  const cJSON *stage = NULL;
  int found = 0;
  cJSON_ArrayForEach(stage, json)
  {
    const char *composition = json_text(stage, "strategy");
    if (strcmp(json_text(stage, "kernel"), "step") != 0 || strchr(composition, '+')) continue;
    const cJSON *kernel = row_of(json, stage, composition);
    assert_non_null(kernel);
    if (json_number(kernel, "ms") != json_number(stage, "ms"))
      fail_msg("%s N=%g: %g ms, its kernel %g ms", composition, json_number(stage, "order"), json_number(stage, "ms"),
               json_number(kernel, "ms"));
    found++;
  }
  assert_true(found > 30);
}

/* README's row of stored stages, one number an order. */
TEST_IN_FOLDER(test_readme)
{
  static const char title[] = "| wisp, tuned, an irregular mesh, as stored |";
  OWNED(cJSON_Delete)
  cJSON *json =
      run_json(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' -f nodal --system maxwell -p f32 -n 1-9 --json");
  char row[256];
  size_t length = 0, used = (size_t)snprintf(row, sizeof row, "%s", title);
  OWNED(free) char *page = fixture_read("README.md", &length);
  const cJSON *stage = NULL;
  cJSON_ArrayForEach(stage, json)
  {
    if (strcmp(json_text(stage, "kernel"), "step") != 0 || strcmp(json_text(stage, "element"), "tet") != 0) continue;
    used += (size_t)snprintf(row + used, sizeof row - used, " %.0f |", json_number(stage, "gdofs"));
  }
  if (!strstr(page, row)) fail_msg("README.md is to have: %s", row);
}

GROUP(no_shipped_winners, NULL)
