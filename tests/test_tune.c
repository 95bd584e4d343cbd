/* Claim: a sweep ends, stores every trial with a default for each strategy and a step of the winners; a second one
 * repeats nothing; a budget is respected, but a default of each kernel comes first; what is enough ends a search; a
 * request without meaning is refused before anything is done. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

#include <sys/wait.h>
#include <time.h>

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

/* Within a budget: every kernel has its default at least, and stages of the winners are measured. */
TEST_IN_FOLDER(test_budget)
{
  const char *folder = *state;
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  const wisp_family *family = wisp_family_find("nodal");
  int kernels = 0;
  while (family->kernels[kernels].name) kernels++;
  r.budget_seconds = getenv("WISP_TEST_COARSE") ? 24 : 8; /* sanitized checks take three times as long */
  double start = clock_now();
  wisp_tune_summary summary = run_tune(&r);
  assert_true(clock_now() - start < r.budget_seconds + 90); /* what was begun is ended: on a busy machine, in a while */
  assert_true(summary.trials > kernels);                    /* and a step */
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  int steps = 0, volumes = 0;
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    steps += strncmp(t->spec, "nodal.step:", 11) == 0 && t->ms > 0;
    volumes += strncmp(t->spec, "nodal.volume:", 13) == 0 && t->is_default && t->ms > 0;
  }
  assert_true(volumes > 0);
  assert_true(steps > 0);
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

/* Kernels of the nodal family's own element that have a candidate here; others serve the other basis alone. */
typedef struct served {
  const wisp_family *family;
  bool kernel[WISP_MAX_KERNELS];
} served;

static void note_served(void *context, const plan_case *c)
{
  served *s = context;
  if (c->family != s->family || c->element != s->family->elements || !c->plan) return;
  if (wisp_strategy_is_candidate(NULL, c->strategy, c->names) != WISP_OK) return;
  for (int k = 0; s->family->kernels[k].name; k++)
    s->kernel[k] |= strcmp(s->family->kernels[k].name, c->spec.kernel) == 0;
}

static int count_served(void)
{
  static const plan_range range = {{1, 1}, {WISP_F64, 0}};
  served s = {.family = wisp_family_find("nodal")};
  wisp_device *device = open_test_device();
  int kernels = 0;
  each_plan(wisp_device_limits(device), &range, note_served, &s);
  wisp_device_close(device);
  for (int k = 0; k < WISP_MAX_KERNELS; k++) kernels += s.kernel[k];
  return kernels;
}

/* In a process of its own: CUDA does not begin in workers of one in which it has. */
static int count_served_apart(void)
{
  int how = 0;
  const pid_t pid = fork();
  if (pid == 0) _exit(count_served());
  assert_true(pid > 0 && waitpid(pid, &how, 0) == pid && WIFEXITED(how));
  return WEXITSTATUS(how);
}

/* The sweep tries a default candidate of every kernel first, however little time there is. Left out are kernels whose
 * compositions have another one without candidates and, on a GPU, those that by the bytes they move cannot be of the
 * fastest stage. Nothing is known from elsewhere. */
TEST(test_default_comes_first)
{
  setenv("WISP_SHIPPED", "none", 1);
  const int kernels = count_served_apart();
  assert_true(kernels >= 12);
  for (int tiny = 0; tiny < 2; tiny++) {
    char folder[64];
    firsts f = {0};
    fixture_folder(folder);
    wisp_tune_request r = request(fixture_path(folder, "tune.db"));
    r.budget_seconds = tiny ? 1e-3 : 3;
    r.progress = on_first;
    r.context = &f;
    wisp_tune_summary summary = run_tune(&r);
    assert_in_range(f.specs, strcmp(test_device_name(), "host") == 0 ? 12 : 1, kernels);
    assert_int_equal(f.defaults, f.specs);
    if (tiny) assert_int_equal(summary.trials, f.specs + 1); /* the step */
    fixture_remove(folder);
  }
  unsetenv("WISP_SHIPPED");
}

/* A step is measured again once one of its kernels was measured after it, by whomever; and not before. */
TEST_IN_FOLDER(test_step_follows)
{
  const char *folder = *state;
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  r.budget_seconds = 1e-3;
  run_tune(&r);
  assert_int_equal(run_tune(&r).trials, 0);
  wisp_store *store = fixture_open(db);
  size_t at = 0;
  for (const wisp_trial *of; (of = fixture_next(store, &at));) {
    wisp_trial t = *of;
    if (strstr(t.spec, ".step:") || wisp_trial_outcome(&t) != WISP_TRIAL_OK) continue;
    snprintf(t.when, sizeof t.when, "2100-01-01T00:00:00Z");
    fixture_put(db, &t, 1);
  }
  wisp_store_close(store);
  assert_int_equal(run_tune(&r).trials, 1);
}

static void count_rows(const char *db, int *kernels, int *steps)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  *kernels = *steps = 0;
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) ++*(strstr(t->spec, ".step:") ? steps : kernels);
}

/* Whole stages of what is known, and no candidate. */
TEST_IN_FOLDER(test_steps_alone)
{
  const char *folder = *state;
  int kernels, steps, repeated, more;
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  r.budget_seconds = 1e-3;
  run_tune(&r);
  count_rows(db, &kernels, &steps);
  assert_true(kernels > 0 && steps == 1);
  r.kernel = "step", r.budget_seconds = 0;
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
