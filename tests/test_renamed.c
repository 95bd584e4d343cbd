/* Claim: strategies and parameters that were renamed (cache/renamed.list) keep their trials. A store of before is read
 * under the new names, and its winners answer; the first writer renames its rows once. Command lines and the user's
 * spaces may have the old names, and a note gives the new one. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../cache/database.h"
#include "../cache/columns.h"
#include "../gen/strategy/strategy.h"

/* Winners as they shipped before, and their names of today. */
#define BEHIND                                                                                             \
  "device=\"NVIDIA H200\" target=sm_90 units=132 driver=580.159.04 compiler=\"NVRTC 13.0\" elements=1000 " \
  "mesh=ordered version=0.1.0 when=2026-11-24T23:00:12Z outcome=ok ms=0.1 gdofs=1 gbps=1 gflops=1 tie=chosen "
static const struct {
  const char *line, *strategy, *params;
} won[] = {
    {BEHIND "spec=hdg.assemble:tri:p1:helmholtz:f64 layout=none strategy=by-matrix template_hash=171cc349a59d0597 "
            "params=\"by_matrix=1 min_blocks=0 rows=4\"\n",
     "aos", "aos=1 min_blocks=0 rows=4"},
    {BEHIND "spec=assembly.fill:tet:p2:heat:f64 layout=none strategy=entities template_hash=eb4b1934a4142adf "
            "params=\"ahead=2 many=64 min_blocks=0 sums=4992 written=1\"\n",
     "entity-rows", "group_entities=64 min_blocks=0 prefetch=2 shared_sums=4992 unrolled=1"},
    {BEHIND "spec=nodal.volume_update_nested:bernstein-tet:p7:maxwell:f64 layout=slab-km32 strategy=sparse-halves "
            "template_hash=461cdc788adc826d params=\"chunks=2 lanes=16 min_blocks=0 u_in_shared=1 wp=1 ws=1\"\n",
     "sparse-chunks", "chunks=2 lanes=16 min_blocks=0 u_in_shared=1 wp=1 ws=1"}};
enum { WON = sizeof won / sizeof *won };

static void fill(const char *path)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  for (int i = 0; i < WON; i++) GOOD(wisp_shipped_parse(err, "before", won[i].line, NULL, &list));
  assert_int_equal(list.count, WON);
  fixture_put(path, list.trials, WON);
}

/* The file's rows that have an old name. */
static long long old_rows(const char *path)
{
  wisp_database database = {0};
  long long rows = 0;
  GOOD(wisp_database_open(err, path, path, SQLITE_OPEN_READONLY, false, &database));
  GOOD(wisp_database_number(err, &database,
                            "SELECT count(*) FROM trial WHERE strategy IN ('by-matrix', 'sparse-halves') "
                            "OR params LIKE '%written=%'",
                            &rows));
  wisp_database_close(NULL, &database);
  return rows;
}

/* Today's names, with the hash that the strategy's texts have today. */
static void expect_renamed(const char *path)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  GOOD(wisp_strategies_load(err, &all));
  assert_int_equal(wisp_store_count(store), WON);
  for (int i = 0; i < WON; i++) {
    bool found = false;
    for (size_t k = 0; k < WON && !found; k++) {
      const wisp_trial *t = wisp_store_trial(store, k, NULL);
      wisp_spec spec;
      char hash[20];
      assert_int_equal(wisp_spec_parse(NULL, t->spec, &spec), WISP_OK);
      if (strcmp(t->strategy, won[i].strategy) != 0 || strcmp(t->params, won[i].params) != 0) continue;
      const wisp_strategy *s = wisp_strategies_find(all, spec.family, spec.kernel, t->strategy);
      assert_non_null(s);
      assert_true(wisp_strategy_lists(s, t->params));
      wisp_strategy_hash(s, spec.system, "cuda", hash);
      assert_string_equal(t->template_hash, hash);
      found = true;
    }
    if (!found) fail_msg("%s %s is not there", won[i].strategy, won[i].params);
  }
}

TEST_IN_FOLDER(test_store)
{
  const char *path = fixture_path(*state, "user.db");
  fill(path);
  assert_int_equal(old_rows(path), 3);
  expect_renamed(path);
  outcome o = run_in(*state, "WISP_SHIPPED=none", "best -d \"NVIDIA H200\" -f hdg -n 1 -p f64 --kernels");
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "aos=1"));
  assert_null(strstr(o.out, "by-matrix"));
  forget(&o);
  fixture_put(path, NULL, 0); /* which renames its rows */
  assert_int_equal(old_rows(path), 0);
  expect_renamed(path);
}

static void expect_note(void **state, const char *before, const char *arguments, const char *note)
{
  HELD(forget) outcome o = run_in(*state, before, arguments);
  if (o.status || !strstr(o.err, note)) fail_msg("%s: status %d, not '%s': %s", arguments, o.status, note, o.err);
}

TEST_IN_FOLDER(test_command)
{
  expect_note(state, "", "emit -f hdg -k assemble -s by-matrix", "strategy 'by-matrix' is now called 'aos'");
  expect_note(state, "", "emit -f hdg -k condense -s thread -n 1 --set written=0",
              "parameter 'written' is now called 'unrolled'");
  run_expect(*state, "", 2, "", "emit -f hdg -k invert --set written=0");
}

TEST_IN_FOLDER(test_users_space)
{
  static const char space[] = "kernel fill\nparam held 32 64 requires 0\ndefault held=64\nblock held\n"
                              "grid ceil(unknowns,held)\narg out real values\narg value int unknowns\n";
  static const char text[] = "values[0] = {{held}};\n";
  char before[128];
  fixture_text(*state, "assembly/fill.mine.space", space);
  fixture_text(*state, "assembly/fill.mine.k", text);
  snprintf(before, sizeof before, "WISP_TEMPLATES=%s", (const char *)*state);
  expect_note(state, before, "emit -f assembly -k fill -s mine",
              "fill.mine.space: parameter 'held' is now called 'group_elements'");
  run_expect(*state, before, 0, "values[0] = 32;", "emit -f assembly -k fill -s mine --set group_elements=32");
}

GROUP(no_shipped_winners, NULL)
