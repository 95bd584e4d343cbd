/* Claim: a sweep ends, stores every trial with a default for each strategy and a step of the winners; a second one
 * repeats nothing; a budget begins with the kernels of the stage that a solver takes, or with the default of the
 * kernels that are named; what is enough ends a search; a request without meaning is refused before anything is done.
 */
#include "test.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

static wisp_tune_request request(const char *db)
{
  wisp_tune_request r = tune_request("nodal", NULL, db);
  r.elements = 384;
  return r;
}

typedef struct watch {
  long long calls, failed;
  char best[512];
} watch;

static void on_progress(void *context, const wisp_tune_progress *progress)
{
  watch *w = context;
  w->calls++;
  w->failed = progress->failed;
  assert_true(progress->done == w->calls);
  assert_true(progress->total >= progress->done);
  if (wisp_trial_outcome(progress->last) == WISP_TRIAL_OK && !strstr(progress->spec, ".step:"))
    assert_non_null(progress->best);
}

/* One strategy, exhaustively, twice. */
TEST_IN_FOLDER(test_sweep_repeats_nothing)
{
  const char *folder = *state;
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  watch w = {0};
  r.kernel = "update";
  r.progress = on_progress;
  r.context = &w;
  wisp_tune_summary first = run_tune(&r);
  assert_true(first.trials >= 16);
  assert_int_equal(first.known, 0);
  assert_int_equal(first.failed, 0);
  assert_int_equal(w.calls, first.trials);
  wisp_tune_summary second = run_tune(&r);
  assert_int_equal(second.trials, 0);
  assert_int_equal(second.known, first.trials);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  long long ok = 0, defaults = 0;
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    if (wisp_trial_outcome(t) != WISP_TRIAL_OK) continue;
    ok++;
    defaults += t->is_default;
    assert_true(t->ms > 0 && t->gbps > 0 && t->efficiency > 0 && t->error < 1e-12);
    assert_true(t->sample_count >= 7);
    assert_int_equal(t->elements, 384);
  }
  assert_true(ok > 0);
  assert_true(defaults > 0);
}

/* Each strategy's default alone, and none is dropped for being slow; of the kernels that are listed. */
TEST_IN_FOLDER(test_defaults_alone)
{
  const char *folder = *state;
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  r.family = "assembly", r.kernel = "multiply,fill", r.elements = 128, r.defaults_only = true;
  const wisp_tune_summary summary = run_tune(&r);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  long long ok = 0, others = 0;
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    others += strncmp(t->spec, "assembly.multiply:", 18) == 0;
    if (strncmp(t->spec, "assembly.multiply:", 18) == 0) continue;
    assert_int_equal(strncmp(t->spec, "assembly.fill:", 14), 0);
    if (wisp_trial_outcome(t) == WISP_TRIAL_REFUSED) continue;
    assert_int_equal(wisp_trial_outcome(t), WISP_TRIAL_OK);
    assert_int_equal(t->is_default, 1);
    ok++;
  }
  assert_true(others > 0);
  assert_true(ok >= 8 && ok <= summary.trials);
}

/* The first trial of each spec, and what it was. */
typedef struct firsts {
  int specs, defaults;
  char spec[WISP_MAX_KERNELS][112];
} firsts;

static void on_first(void *context, const wisp_tune_progress *progress)
{
  firsts *f = context;
  if (strstr(progress->spec, ".step:")) return;
  for (int i = 0; i < f->specs; i++)
    if (strcmp(f->spec[i], progress->spec) == 0) return;
  assert_true(f->specs < WISP_MAX_KERNELS);
  strcpy(f->spec[f->specs++], progress->spec);
  f->defaults += progress->last->is_default == 1;
}

/* The sweep tries a default candidate of each kernel that is named first, however little time there is. Nothing is
 * known from elsewhere. */
TEST(test_default_comes_first)
{
  setenv("WISP_SHIPPED", "none", 1);
  for (int tiny = 0; tiny < 2; tiny++) {
    char folder[64];
    firsts f = {0};
    fixture_folder(folder);
    wisp_tune_request r = request(fixture_path(folder, "tune.db"));
    r.kernel = "volume,gather,update";
    r.budget_seconds = tiny ? 1e-3 : 1;
    r.progress = on_first;
    r.context = &f;
    wisp_tune_summary summary = run_tune(&r);
    assert_int_equal(f.specs, 3);
    assert_int_equal(f.defaults, f.specs);
    if (tiny) assert_int_equal(summary.trials, f.specs);
    fixture_remove(folder);
  }
  unsetenv("WISP_SHIPPED");
}

/* Defaults of a stage's kernel alone, then whole stages of what is known. */
static wisp_tune_summary tune_stage(const char *db)
{
  wisp_tune_request r = request(db);
  r.layout = "slab-km32", r.kernel = "stage", r.defaults_only = true;
  run_tune(&r);
  r.kernel = "step", r.defaults_only = false;
  return run_tune(&r);
}

/* A step is measured again once one of its kernels was measured after it, by whomever; and not before. */
TEST_IN_FOLDER(test_step_follows)
{
  const char *folder = *state;
  const char *db = fixture_path(folder, "tune.db");
  setenv("WISP_SHIPPED", "none", 1);
  assert_int_equal(tune_stage(db).trials, 1);
  assert_int_equal(tune_stage(db).trials, 0);
  wisp_store *store = fixture_open(db);
  size_t at = 0;
  for (const wisp_trial *of; (of = fixture_next(store, &at));) {
    wisp_trial t = *of;
    if (strstr(t.spec, ".step:") || wisp_trial_outcome(&t) != WISP_TRIAL_OK) continue;
    snprintf(t.when, sizeof t.when, "2100-01-01T00:00:00Z");
    fixture_put(db, &t, 1);
  }
  wisp_store_close(store);
  assert_int_equal(tune_stage(db).trials, 1);
  unsetenv("WISP_SHIPPED");
}

static void count_rows(const char *db, int *kernels, int *steps)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  *kernels = *steps = 0;
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));)
    if (wisp_trial_outcome(t) != WISP_TRIAL_REFUSED) ++*(strstr(t->spec, ".step:") ? steps : kernels);
}

/* Whole stages of what is known, and no candidate. */
TEST_IN_FOLDER(test_steps_alone)
{
  const char *folder = *state;
  int kernels, steps, repeated, more;
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  r.layout = "slab-km32", r.kernel = "stage", r.defaults_only = true;
  run_tune(&r);
  count_rows(db, &kernels, &steps);
  assert_true(kernels > 0 && steps == 0);
  r.kernel = "step", r.defaults_only = false;
  const long long trials = run_tune(&r).trials;
  count_rows(db, &repeated, &more);
  assert_true(repeated == kernels && trials > 0 && more == steps + trials);
  assert_int_equal(run_tune(&r).trials, 0);
}

/* A budgeted search of a layout ends at the efficiency that is enough, once so many candidates of its kernel are known
 * as are asked for; an exhaustive one does not. */
TEST(test_enough)
{
  long long trials[3];
  for (int budgeted = 0; budgeted < 3; budgeted++) {
    char folder[64], layout[8][32] = {{0}};
    int layouts = 0;
    fixture_folder(folder);
    const char *db = fixture_path(folder, "tune.db");
    wisp_tune_request r = request(db);
    r.kernel = "update";
    r.enough = 1e-9;
    r.at_least = budgeted == 2 ? 7 : 1;
    r.budget_seconds = budgeted ? 600 : 0;
    wisp_tune_summary summary = run_tune(&r);
    trials[budgeted] = summary.trials;
    wisp_store *store = fixture_open(db);
    size_t next = 0;
    for (const wisp_trial *t; (t = fixture_next(store, &next));) {
      int at = 0;
      if (!(t->ms > 0)) continue;
      while (at < layouts && strcmp(layout[at], t->layout) != 0) at++;
      if (at == layouts) strcpy(layout[layouts++], t->layout);
    }
    assert_true(layouts > 1);
    if (budgeted == 2)
      assert_true(summary.trials >= 7 && summary.trials < trials[0]);
    else if (budgeted)
      assert_int_equal(summary.trials, layouts);
    else
      assert_true(summary.trials > 2 * layouts);
    wisp_store_close(store);
    fixture_remove(folder);
  }
}

TEST_IN_FOLDER(test_senseless_requests)
{
  const char *folder = *state;
  const char *db = fixture_path(folder, "none.db");
  static const int sixteen = 16;
  wisp_tune_request bad[6];
  for (int i = 0; i < 6; i++) bad[i] = request(db);
  bad[0].family = "nodule";
  bad[1].orders = &sixteen;
  bad[2].kernel = "volumes";
  bad[3].strategy = "best";
  bad[4].layout = "slab-km33";
  bad[5].kernel = "update,lifts";
  static const char *const words[6] = {"nodule", "16", "volumes", "best", "slab-km33", "lifts"};
  for (int i = 0; i < 6; i++) {
    wisp_error err = {0};
    wisp_tune_summary summary;
    assert_int_equal(wisp_tune(&err, test_device_name(), &bad[i], &summary), WISP_EUSAGE);
    if (!strstr(err.text, words[i])) fail_msg("%s", err.text);
  }
  FILE *made = fopen(db, "r");
  assert_null(made);
}
