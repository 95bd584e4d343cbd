/* Claim: a budget is for whole stages. The first trials are the kernels of the stage that a solver takes, then that
 * stage as a whole; the sweep ends in time, and names what had none; kernels that make the stage slower, however fast
 * their own rows are, are dropped, and a solver goes on with the stage of before, whose record is of its kernels.
 * Checks on the timed problem hold after whole stages ran there, and when a kernel comes back. */
#include "test.h"
#include "command.h"
#include "each_plan.h"
#include "plants.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

static const char layout[] = "node-km1-pad16";

static double budget(double seconds)
{
  return getenv("WISP_TEST_COARSE") ? 4 * seconds : seconds;
}

static wisp_tune_request request(const char *db)
{
  wisp_tune_request r = tune_request("nodal", NULL, db);
  r.elements = 48, r.layout = layout;
  return r;
}

static const wisp_trial *find(const wisp_store *store, const char *kernel, const char *strategy)
{
  char head[64];
  size_t at = 0;
  snprintf(head, sizeof head, "nodal.%s:", kernel);
  for (const wisp_trial *t; (t = fixture_next(store, &at));)
    if (strncmp(t->spec, head, strlen(head)) == 0 && strcmp(t->strategy, strategy) == 0 &&
        wisp_trial_outcome(t) != WISP_TRIAL_REFUSED)
      return t;
  return NULL;
}

/* --- kernels whose rows say that they are fast --- */

enum { LIARS = 7 };

typedef struct liar {
  const char *db;
  wisp_trial row[LIARS];
  int trials, step; /* step: the number of the first whole stage among the trials */
  char first[112];
} liar;

/* Once the gather of before is timed, the store has others that seem to take a tenth of that, and less. */
static void on_trial(void *context, const wisp_tune_progress *progress)
{
  liar *l = context;
  const wisp_trial *t = progress->last;
  if (!l->trials++) snprintf(l->first, sizeof l->first, "%s", t->spec);
  if (!l->step && strstr(t->spec, ".step:")) l->step = l->trials;
  if (l->row->ms > 0 || strncmp(t->spec, "nodal.gather:", 13) != 0) return;
  for (int i = 0; i < LIARS; i++) l->row[i].ms = t->ms / (10 + i);
  fixture_put(l->db, l->row, LIARS);
}

/* They wait in each block. */
static void plant_slow(const char *folder)
{
  const edit edits[MOST_EDITS] = {{"^", "volatile double wait = 0;\nfor (int w = 0; w < 5000; w++) wait += w;\n"}};
  for (int i = 0; i < LIARS; i++) {
    char name[8];
    snprintf(name, sizeof name, "slow%d", i);
    plant_edited(folder, "nodal", "gather", "direct", name, edits, MOST_EDITS);
  }
}

/* The rows of all of them, of which one was tried elsewhere. */
static void copy_rows(const char *db, liar *l)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  const wisp_trial *row = find(store, "gather", "slow0");
  assert_non_null(row);
  GOOD(wisp_strategies_load(err, &all));
  for (int i = 0; i < LIARS; i++) {
    l->row[i] = *row, l->row[i].ms = 0;
    l->row[i].strategy[4] = (char)('0' + i);
    wisp_strategy_hash(wisp_strategies_find(all, "nodal", "gather", l->row[i].strategy), "maxwell", "host",
                       l->row[i].template_hash);
  }
}

/* The rows are dropped, and a solver takes another kernel, in a stage that was timed with it. */
static void check_chosen(const char *db)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  const wisp_choose_request wanted = {.spec = wisp_family_spec(wisp_family_find("nodal"), 1, "maxwell", WISP_F64),
                                      .layout = layout};
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_choose(err, &(wisp_chooser){all, store, wisp_device_limits(device), NULL}, &wanted, &stage));
  assert_true(wisp_composition_has(stage.composition, "gather"));
  for (int i = 0; i < stage.kernels; i++) assert_null(strstr(stage.choice[i].strategy, "slow"));
  assert_true(stage.record.match == WISP_MATCH_EXACT && !stage.record.stale);
  for (int i = 0; i < LIARS; i++) {
    const wisp_trial *slow = find(store, "gather", (const char[]){'s', 'l', 'o', 'w', (char)('0' + i), '\0'});
    assert_non_null(slow);
    assert_string_equal(slow->outcome, "slow");
  }
}

TEST_IN_FOLDER(test_never_slower)
{
  liar l = {.db = fixture_path(*state, "user.db")};
  plant_slow(*state);
  setenv("WISP_TEMPLATES", *state, 1);
  wisp_tune_request r = request(fixture_path(*state, "other.db"));
  r.kernel = "gather", r.strategy = "slow0", r.defaults_only = true;
  run_tune(&r);
  copy_rows(r.db, &l);
  r = request(l.db);
  r.budget_seconds = budget(15), r.enough = 1e-9, r.at_least = 1; /* one candidate of a kernel */
  r.progress = on_trial, r.context = &l;
  const wisp_tune_summary s = run_tune(&r);
  assert_true(l.row->ms > 0);
  check_chosen(l.db);
  assert_int_equal(s.failed, 0);
  assert_int_equal(s.targets, 1);
  assert_true(s.target->before_ms > 0 && s.target->after_ms <= s.target->before_ms);
  assert_int_equal(s.target->trials, l.trials);
  assert_true(strncmp(l.first, "nodal.volume:", 13) == 0 && l.step == 5); /* four kernels, and their stage */
}

/* --- budgets --- */

/* Eighteen targets, and time for one. */
TEST_IN_FOLDER(test_in_time)
{
  char line[64];
  const double seconds = budget(2), start = clock_now();
  HELD(forget)
  outcome o = run_with(*state, "WISP_SHIPPED=none", "tune -q -d host -n 1-9 --elements 48 --budget %.0fs --db %s/u.db",
                       seconds, (const char *)*state);
  const double took = clock_now() - start;
  int untouched = 0;
  assert_int_equal(o.status, 0);
  if (took > 1.1 * seconds + 2) fail_msg("%.1f s of %.0f", took, seconds);
  for (int n = 1; n <= 9; n++)
    for (int p = 0; p < 2; p++) {
      snprintf(line, sizeof line, "N=%d %s  ", n, p ? "f64" : "f32");
      const char *at = strstr(o.out, line);
      if (!at) fail_msg("no '%s' in\n%s", line, o.out);
      untouched += strncmp(at + strlen(line), "no time: left as it was", 23) == 0;
    }
  assert_in_range(untouched, 1, 18);
}

/* --- checks on the timed problem --- */

TEST(test_kernels_come_back)
{
  static const char *const kernels[] = {"volume", "gather", "lift", "update", "trace", "gather"};
  const wisp_mesh_source source = wisp_mesh_source_irregular();
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  const wisp_limits *limits = wisp_device_limits(device);
  const wisp_workload *workload = NULL;
  OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
  OWNED(wisp_at_size_destroy) wisp_at_size *at_size = NULL;
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 1, "maxwell", WISP_F64);
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_workload_find(err, "nodal", "volume", &workload));
  GOOD(wisp_problems_create(err, device, workload, &spec, 48, &source, 1 << 28, &problems));
  GOOD(wisp_at_size_create(err, device, workload, problems, &at_size));
  for (size_t i = 0; i < WISP_COUNT(kernels); i++) {
    HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
    HELD(wisp_problem_ref_end) wisp_problem_ref ref = {0};
    wisp_spec_name_kernel(&spec, kernels[i]);
    const wisp_choose_request wanted = {.spec = spec};
    GOOD(wisp_choose(err, &(wisp_chooser){all, NULL, limits, NULL}, &wanted, &stage));
    GOOD(wisp_stage_load(err, device, &stage));
    GOOD(wisp_problems_acquire(err, problems, (const wisp_plan *const *)stage.plan, 1, &ref));
    GOOD(wisp_at_size_check(err, at_size, ref.problem, stage.kernel[0]));
  }
}

GROUP(no_shipped_winners, NULL)
