/* Claim: a sweep ends, stores every trial with a default for each strategy and a step of the winners; a second one
 * repeats nothing; a budget is respected, but a default of each kernel comes first; what is enough ends a search; a
 * request without meaning is refused before anything is done. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "../tuner/workers/tune.h"

#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int order_one = 1;
static const wisp_precision both[] = {WISP_F64, WISP_F32};

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static wisp_tune_request request(const char *db)
{
  return (wisp_tune_request){.family = "nodal",
                             .orders = &order_one,
                             .order_count = 1,
                             .precisions = both,
                             .precision_count = 1,
                             .elements = 384,
                             .db = db};
}

static wisp_tune_summary tune(const wisp_tune_request *r)
{
  wisp_tune_summary summary = {0};
  GOOD(wisp_tune(err, test_device_name(), r, &summary));
  return summary;
}

static wisp_store *open_store(const char *path)
{
  wisp_store *store = NULL;
  GOOD(wisp_store_open(err, path, false, NULL, &store));
  return store;
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
TEST(test_sweep_repeats_nothing)
{
  char folder[64];
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  watch w = {0};
  r.kernel = "update";
  r.progress = on_progress;
  r.context = &w;
  wisp_tune_summary first = tune(&r);
  assert_true(first.trials >= 16);
  assert_int_equal(first.known, 0);
  assert_int_equal(first.failed, 0);
  assert_int_equal(w.calls, first.trials);
  wisp_tune_summary second = tune(&r);
  assert_int_equal(second.trials, 0);
  assert_int_equal(second.known, first.trials);
  wisp_store *store = open_store(db);
  long long ok = 0, defaults = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    if (layer != WISP_LAYER_USER || wisp_trial_outcome(t) != WISP_TRIAL_OK) continue;
    ok++;
    defaults += t->is_default;
    assert_true(t->ms > 0 && t->gbps > 0 && t->efficiency > 0 && t->error < 1e-12);
    assert_true(t->sample_count >= 7);
    assert_int_equal(t->elements, 384);
  }
  assert_true(ok > 0);
  assert_true(defaults > 0);
  wisp_store_close(store);
  fixture_remove(folder);
}

/* Each strategy's default alone, and none is dropped for being slow; of the kernels that are listed. */
TEST(test_defaults_alone)
{
  char folder[64];
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  r.family = "assembly", r.kernel = "multiply,fill", r.elements = 128, r.defaults_only = true;
  const wisp_tune_summary summary = tune(&r);
  wisp_store *store = open_store(db);
  long long ok = 0, others = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    if (layer != WISP_LAYER_USER) continue;
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
  wisp_store_close(store);
  fixture_remove(folder);
}

/* Within a budget: every kernel has its default at least, and stages of the winners are measured. */
TEST(test_budget)
{
  char folder[64];
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  const wisp_family *family = wisp_family_find("nodal");
  int kernels = 0;
  while (family->kernels[kernels].name) kernels++;
  r.budget_seconds = 8;
  double start = seconds();
  wisp_tune_summary summary = tune(&r);
  assert_true(seconds() - start < r.budget_seconds + 90); /* what was begun is ended: on a busy machine, in a while */
  assert_true(summary.trials > kernels);                  /* and a step */
  wisp_store *store = open_store(db);
  int steps = 0, volumes = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    if (layer != WISP_LAYER_USER) continue;
    steps += strncmp(t->spec, "nodal.step:", 11) == 0 && t->ms > 0;
    volumes += strncmp(t->spec, "nodal.volume:", 13) == 0 && t->is_default && t->ms > 0;
  }
  assert_true(volumes > 0);
  assert_true(steps > 0);
  wisp_store_close(store);
  fixture_remove(folder);
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
    wisp_tune_summary summary = tune(&r);
    assert_in_range(f.specs, strcmp(test_device_name(), "host") == 0 ? 12 : 1, kernels);
    assert_int_equal(f.defaults, f.specs);
    if (tiny) assert_int_equal(summary.trials, f.specs + 1); /* the step */
    fixture_remove(folder);
  }
  unsetenv("WISP_SHIPPED");
}

/* A step is measured again once one of its kernels was measured after it, by whomever; and not before. */
TEST(test_step_follows)
{
  char folder[64];
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  r.budget_seconds = 1e-3;
  tune(&r);
  assert_int_equal(tune(&r).trials, 0);
  wisp_store *store = open_store(db);
  wisp_writer *writer = NULL;
  GOOD(wisp_writer_open(err, db, NULL, &writer));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    wisp_trial t = *wisp_store_trial(store, i, &layer);
    if (layer != WISP_LAYER_USER || strstr(t.spec, ".step:") || wisp_trial_outcome(&t) != WISP_TRIAL_OK) continue;
    snprintf(t.when, sizeof t.when, "2100-01-01T00:00:00Z");
    GOOD(wisp_writer_add(err, writer, &t));
  }
  GOOD(wisp_writer_close(err, writer));
  wisp_store_close(store);
  assert_int_equal(tune(&r).trials, 1);
  fixture_remove(folder);
}

static void count_rows(const char *db, int *kernels, int *steps)
{
  wisp_store *store = open_store(db);
  *kernels = *steps = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    if (layer == WISP_LAYER_USER) ++*(strstr(t->spec, ".step:") ? steps : kernels);
  }
  wisp_store_close(store);
}

/* Whole stages of what is known, and no candidate. */
TEST(test_steps_alone)
{
  char folder[64];
  int kernels, steps, repeated, more;
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  wisp_tune_request r = request(db);
  r.budget_seconds = 1e-3;
  tune(&r);
  count_rows(db, &kernels, &steps);
  assert_true(kernels > 0 && steps == 1);
  r.kernel = "step", r.budget_seconds = 0;
  const long long trials = tune(&r).trials;
  count_rows(db, &repeated, &more);
  assert_true(repeated == kernels && trials > 0 && more == steps + trials);
  assert_int_equal(tune(&r).trials, 0);
  fixture_remove(folder);
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
    wisp_tune_summary summary = tune(&r);
    trials[budgeted] = summary.trials;
    wisp_store *store = open_store(db);
    for (size_t i = 0; i < wisp_store_count(store); i++) {
      wisp_layer layer;
      const wisp_trial *t = wisp_store_trial(store, i, &layer);
      int at = 0;
      if (layer != WISP_LAYER_USER || !(t->ms > 0)) continue;
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

TEST(test_senseless_requests)
{
  char folder[64];
  fixture_folder(folder);
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
  fixture_remove(folder);
}
