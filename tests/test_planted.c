/* Claim: a sweep over planted candidates (through $WISP_TEMPLATES) that crash, never end, abort, leave, write out of
 * bounds, are wrong, are NaN in the last element, do not compile or put the compiler to sleep ends by itself: each is
 * stored with its own outcome and reason, the right winner is found, a second sweep repeats none of them, and one with
 * retry_failed repeats those that failed and no others. What runs while the tuner is killed is known afterwards. */
#include "test.h"
#include "each_plan.h"
#include "planted.h"
#include "store_fixture.h"
#include "../runtime/kernel.h"
#include "../runtime/process.h"
#include "tuning.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* A busy kernel reads memory, which no compiler may leave out; nvcc does leave a volatile local out. */
enum { HOST = 1, GPU = 2, ANY = 3 };
static const struct {
  const char *name, *fault;
  int where;
  wisp_outcome outcome;
  const char *reason;
} planted[] = {
    {"right", "", ANY, WISP_TRIAL_OK, ""},
    {"idle", "for (int q = 0; q < 2000; q++) (void)*(volatile real *)(rhs + here);", ANY, WISP_TRIAL_OK, ""},
    {"beyond", "if (m == groups - 1 && at == 0) rhs[groups * {{= n * NpM}} + 3] = 1;", ANY, WISP_TRIAL_WRONG,
     "writes outside array rhs"},
    {"thousandth", "rhs[here] *= (real)1.001;", ANY, WISP_TRIAL_WRONG, "error 1.0"},
    {"last-nan", "if (m == groups - 1) rhs[here] = (real)0 / (real)0;", ANY, WISP_TRIAL_WRONG, "not finite"},
    {"segfault", "if (m == 1) *(volatile real *)4096 = 1;", HOST, WISP_TRIAL_CRASH, "signal"},
    {"address", "if (m == 1) rhs[(long long)1 << 40] = 1;", GPU, WISP_TRIAL_CRASH, "illegal"},
    {"abort", "if (m == 1) { extern void abort(void); abort(); }", HOST, WISP_TRIAL_CRASH, "signal 6"},
    {"leave", "if (m == 1) { extern void _exit(int); _exit(3); }", HOST, WISP_TRIAL_CRASH, "status 3"},
    {"endless", "while (*(volatile real *)(rhs + here) != (real)1e30) continue;", ANY, WISP_TRIAL_HANG,
     "WISP_TRIAL_SECONDS"},
    {"no-text", "this is no statement;", ANY, WISP_TRIAL_COMPILE_ERROR, "assemble"},
    {"sleep", "int planted_to_sleep = 0; (void)planted_to_sleep;", HOST, WISP_TRIAL_COMPILE_ERROR,
     "WISP_COMPILE_SECONDS"},
};
enum { PLANTED = sizeof planted / sizeof *planted };

static bool applies(int i)
{
  return planted[i].where & (strcmp(test_device_name(), "host") == 0 ? HOST : GPU);
}

/* A compiler that falls asleep over one of the candidates. */
static void plant_compiler(const char *folder)
{
  char body[512];
  const char *cc = getenv("WISP_CC");
  if (!getenv("PLANTED_CC")) setenv("PLANTED_CC", cc ? cc : "cc", 1); /* the real one: this is done twice */
  snprintf(body, sizeof body,
           "#!/bin/sh\nfor a; do test -f \"$a\" && grep -q planted_to_sleep \"$a\" && sleep 1000; done\n"
           "exec %s \"$@\"\n",
           getenv("PLANTED_CC"));
  const char *path = fixture_text(folder, "cc", body);
  assert_int_equal(chmod(path, 0700), 0);
  setenv("WISP_CC", path, 1);
}

/* The time of a compilation at the moment, the machine being as busy as it is. */
static double compile_seconds(void)
{
  static int number = 0;
  char source[96];
  wisp_binary binary = {0};
  snprintf(source, sizeof source, "void probe(void) {} /* %d %d: in no cache */\n", (int)getpid(), number++);
  const double start = wisp_seconds();
  wisp_compile(NULL, "host", "probe", source, &binary);
  free(binary.data);
  return wisp_seconds() - start;
}

static void set_seconds(const char *variable, double seconds)
{
  char text[32];
  snprintf(text, sizeof text, "%g", seconds);
  setenv(variable, text, 1);
}

/* The candidates, and limits that fit them: those that end do so in a tenth of them. */
static void plant_all(const char *folder)
{
  for (int i = 0; i < PLANTED; i++)
    if (applies(i)) plant(folder, planted[i].name, planted[i].fault);
  plant_compiler(folder);
  setenv("WISP_TEMPLATES", folder, 1);
  const double busy = fmin(25 * compile_seconds(), 30); /* what never ends takes as long, too */
  set_seconds("WISP_TRIAL_SECONDS", fmax(5, busy));
  set_seconds("WISP_COMPILE_SECONDS", fmax(6, busy));
}

static wisp_tune_summary tune(const char *db, const char *strategy, bool retry)
{
  wisp_tune_request r = tune_request("nodal", "assemble", db);
  r.strategy = strategy, r.layout = first_layout(), r.elements = 384, r.retry_failed = retry;
  return run_tune(&r);
}

/* All that the store has, one line a trial: what a failure on a machine far away can be understood from. */
static void print_outcomes(const char *db)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  if (wisp_store_open(NULL, db, true, NULL, &store) != WISP_OK) return;
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));)
    print_message("%-18s %-14s %g ms %s %s\n", t->strategy, t->outcome, t->ms, t->params, t->reason);
}

static void expect(const char *db, const char *what, long long got, long long wanted)
{
  if (got == wanted) return;
  print_outcomes(db);
  fail_msg("%s: %lld, not %lld", what, got, wanted);
}

/* Right ones may come out "ok" or, behind a faster one (wisp's own are here as well), "slow". The winner is a right one
 * that does no more than it must, and none that is wrong. */
static void check_outcomes(const char *db, int others)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  int seen[PLANTED] = {0};
  const wisp_trial *best = NULL;
  size_t next = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &next));) {
    int at = 0;
    while (at < PLANTED && strcmp(planted[at].name, t->strategy) != 0) at++;
    bool ok = wisp_trial_outcome(t) == WISP_TRIAL_OK, slow = wisp_trial_outcome(t) == WISP_TRIAL_SLOW;
    if (ok && (!best || t->ms < best->ms)) best = t;
    if (at == PLANTED) { /* wisp's own, or candidates that were refused */
      others -= wisp_trial_outcome(t) != WISP_TRIAL_REFUSED;
      continue;
    }
    seen[at]++;
    if ((ok || slow) && planted[at].outcome == WISP_TRIAL_OK) continue;
    if (wisp_trial_outcome(t) != planted[at].outcome || !strstr(t->reason, planted[at].reason))
      expect(db, t->strategy, 0, 1);
  }
  for (int i = 0; i < PLANTED; i++) expect(db, planted[i].name, seen[i], applies(i) ? 1 : 0);
  expect(db, "others too few", others, 0);
  expect(db, "winners", best != NULL, 1);
  for (int i = 1; i < PLANTED; i++) expect(db, "a faulty winner", strcmp(best->strategy, planted[i].name) == 0, 0);
}

/* A strategy's default candidate, compiled for a GPU. */
static wisp_status compile(wisp_error *err, const wisp_strategies *all, const char *name, wisp_binary *out)
{
  wisp_status status = WISP_OK;
  const wisp_spec spec = {"nodal", "assemble", "tet", 1, "maxwell", WISP_F64};
  const wisp_layout layout = wisp_layout_padded(4, 12, 16);
  const wisp_limits limits = target_limits("sm_90");
  OWNED(wisp_env_destroy) wisp_env *names = plan_names(&limits, &spec, &layout);
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  TRY(wisp_plan_default(err, wisp_strategies_find(all, "nodal", "assemble", name), &spec, &layout, names, &plan));
  TRY(wisp_plan_compile(err, plan, "sm_90", out));
done:
  return status;
}

TEST_IN_FOLDER(test_planted)
{
  const char *db = fixture_path(*state, "tune.db");
  int failing = 0, right = 0, others = 0;
  plant_all(*state);
  for (int i = 0; i < PLANTED; i++) {
    bool good = planted[i].outcome == WISP_TRIAL_OK;
    failing += applies(i) && !good;
    right += applies(i) && good;
  }
  for (int sweep = 0; sweep < 3; sweep++) {
    wisp_tune_summary s = tune(db, NULL, sweep == 2);
    expect(db, "failed", s.failed, sweep == 1 ? 0 : failing);
    if (sweep == 0) others = (int)s.ok - right;
    expect(db, "others missing", others < 0, 0);
    expect(db, "right", s.ok, sweep == 0 ? right + others : 0);
    expect(db, "trials", s.trials, s.ok + s.failed);
    expect(db, "known", s.known, right + others + failing - s.trials);
    check_outcomes(db, others);
  }
}

/* The row of the only candidate tried: what its outcome and reason say. */
static bool says(const char *db, const char *outcome, const char *reason)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  bool found = false;
  if (wisp_store_open(NULL, db, true, NULL, &store) != WISP_OK) return false;
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));)
    found |= strcmp(t->outcome, outcome) == 0 && strstr(t->reason, reason);
  return found;
}

/* A tuner that is killed while a candidate runs has left word of it: it is tried once more, and not a third time. */
TEST_IN_FOLDER(test_journal)
{
  const char *db = fixture_path(*state, "tune.db");
  plant_all(*state);
  setenv("WISP_TRIAL_SECONDS", "600", 1);
  for (int killed = 1; killed <= 2; killed++) {
    bool seen = false;
    int how = 0;
    pid_t tuner = fork();
    if (tuner == 0) {
      tune(db, "endless", false);
      _exit(1);
    }
    for (int i = 0; i < 12000 && !seen; i++) {
      nanosleep(&(struct timespec){0, 10000000}, NULL);
      seen = says(db, "unfinished", killed == 1 ? "begun 1 times" : "begun 2 times");
    }
    kill(tuner, SIGKILL);
    assert_int_equal(waitpid(tuner, &how, 0), tuner);
    expect(db, "seen while it ran", seen, true);
    expect(db, "ended by the kill", WIFSIGNALED(how), true);
  }
  wisp_tune_summary s = tune(db, "endless", false);
  expect(db, "trials", s.trials, 0);
  expect(db, "known", s.known, 1);
  expect(db, "left alone", says(db, "crash", "twice"), true);
}

/* No compiler takes a fault for something that may be left out: else a sweep on a GPU would meet none.
 * Comes last: NVRTC keeps things of this process that are not for the workers, which are its forks. */
TEST_IN_FOLDER(test_faults_stay)
{
  const char *templates = *state;
  wisp_error err = {0};
  wisp_strategies *all = NULL;
  wisp_binary right = {0};
  for (int i = 0; i < PLANTED; i++)
    if (planted[i].where & GPU) plant(templates, planted[i].name, planted[i].fault);
  setenv("WISP_TEMPLATES", templates, 1);
  if (wisp_strategies_load(&err, &all) != WISP_OK) fail_msg("%s", err.text);
  bool here = compile(&err, all, "right", &right) == WISP_OK;
  if (!here) print_message("no NVRTC here: %s\n", err.text);
  for (int i = 1; here && i < PLANTED; i++) {
    wisp_binary faulty = {0};
    if (!(planted[i].where & GPU)) continue;
    wisp_status status = compile(&err, all, planted[i].name, &faulty);
    if (planted[i].outcome == WISP_TRIAL_COMPILE_ERROR)
      assert_int_equal(status, WISP_ECOMPILE);
    else if (status != WISP_OK)
      fail_msg("%s: %s", planted[i].name, err.text);
    else if (faulty.length == right.length && memcmp(faulty.data, right.data, right.length) == 0)
      fail_msg("the compiler leaves the fault of '%s' out", planted[i].name);
    free(faulty.data);
  }
  free(right.data);
  wisp_strategies_free(all);
  unsetenv("WISP_TEMPLATES");
  if (!here) skip();
}
