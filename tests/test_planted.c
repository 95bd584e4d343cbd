/* Claim: a sweep over planted candidates (through $WISP_TEMPLATES) that crash, never end, abort, leave, write out of
 * bounds, are wrong, are NaN in the last element, do not compile or put the compiler to sleep ends by itself: each is
 * stored with its own outcome and reason, the right winner is found, a second sweep repeats none of them, and one with
 * retry_failed repeats those that failed and no others. What runs while the tuner is killed is known afterwards. */
#include "each_plan.h"
#include "store_fixture.h"
#include "../tuner/tune.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* The assembly of rhs from derivatives, one group a block, with one statement more. */
static const char space[] =
    "kernel assemble\nlayouts node slab\nblock 32\ngrid groups ceil(NpM,32)\n"
    "arg in real dux\narg in real duy\narg in real duz\narg out real rhs\narg value int groups\n";
static const char text[] = "const INDEX m = bx;\n"
                           "FOR_Y(y, 1)\n"
                           "  FOR_X(x, 32)\n"
                           "    const INDEX at = by * 32 + x, here = m * {{= n * NpM}} + at;\n"
                           "    if (at < {{NpM}}) {\n"
                           "      {{#fields}}\n"
                           "      rhs[here + {{= f * NpM}}] = {{#terms}}{{coefficient}} * {{#if axis == "
                           "0}}dux{{/if}}{{#if axis == 1}}duy{{/if}}"
                           "{{#if axis == 2}}duz{{/if}}[here + {{= in * NpM}}]{{#if !last}} + {{/if}}{{/terms}};\n"
                           "      {{/fields}}\n"
                           "      %s\n"
                           "    }\n"
                           "  END_X\n"
                           "END_Y\n";

enum { HOST = 1, GPU = 2, ANY = 3 };
static const struct {
  const char *name, *fault;
  int where;
  const char *outcome, *reason;
} planted[] = {
    {"right", "", ANY, "ok", ""},
    {"idle", "for (volatile int q = 0; q < 2000; q++) continue;", ANY, "ok", ""},
    {"beyond", "if (m == groups - 1 && at == 0) rhs[groups * {{= n * NpM}} + 3] = 1;", ANY, "wrong",
     "writes outside array rhs"},
    {"thousandth", "rhs[here] *= (real)1.001;", ANY, "wrong", "error 1.0"},
    {"last-nan", "if (m == groups - 1) rhs[here] = (real)0 / (real)0;", ANY, "wrong", "not finite"},
    {"segfault", "if (m == 1) *(volatile real *)4096 = 1;", HOST, "crash", "signal"},
    {"address", "if (m == 1) rhs[(long long)1 << 40] = 1;", GPU, "crash", "illegal"},
    {"abort", "if (m == 1) { extern void abort(void); abort(); }", HOST, "crash", "signal 6"},
    {"leave", "if (m == 1) { extern void _exit(int); _exit(3); }", HOST, "crash", "status 3"},
    {"endless", "for (volatile int q = 0; q < 1;) continue;", ANY, "hang", "WISP_TRIAL_SECONDS"},
    {"no-text", "this is no statement;", ANY, "compile-error", "assemble"},
    {"sleep", "int planted_to_sleep = 0; (void)planted_to_sleep;", HOST, "compile-error", "WISP_COMPILE_SECONDS"},
};
enum { PLANTED = sizeof planted / sizeof *planted };

static bool applies(int i)
{
  return planted[i].where & (strcmp(test_device_name(), "host") == 0 ? HOST : GPU);
}

static void write_file(const char *path, const char *content, mode_t mode)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(content, file);
  fclose(file);
  assert_int_equal(chmod(path, mode), 0);
}

/* The candidates; and a compiler that falls asleep over one of them. */
static void plant(const char *folder)
{
  char path[256], body[2048];
  snprintf(path, sizeof path, "%s/nodal", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  for (int i = 0; i < PLANTED; i++) {
    if (!applies(i)) continue;
    snprintf(path, sizeof path, "%s/nodal/assemble.%s.space", folder, planted[i].name);
    write_file(path, space, 0600);
    snprintf(path, sizeof path, "%s/nodal/assemble.%s.k", folder, planted[i].name);
    snprintf(body, sizeof body, text, planted[i].fault);
    write_file(path, body, 0600);
  }
  const char *cc = getenv("WISP_CC");
  if (!getenv("PLANTED_CC")) setenv("PLANTED_CC", cc ? cc : "cc", 1); /* the real one: this is done twice */
  snprintf(path, sizeof path, "%s/cc", folder);
  snprintf(body, sizeof body,
           "#!/bin/sh\nfor a; do test -f \"$a\" && grep -q planted_to_sleep \"$a\" && sleep 1000; done\n"
           "exec %s \"$@\"\n",
           getenv("PLANTED_CC"));
  write_file(path, body, 0700);
  setenv("WISP_CC", path, 1);
  setenv("WISP_TEMPLATES", folder, 1);
  setenv("WISP_TRIAL_SECONDS", "2", 1);
  setenv("WISP_COMPILE_SECONDS", "3", 1);
}

static void uproot(const char *folder)
{
  char path[256];
  static const char *const endings[] = {"space", "k"};
  for (int i = 0; i < 2 * PLANTED; i++) {
    snprintf(path, sizeof path, "%s/nodal/assemble.%s.%s", folder, planted[i / 2].name, endings[i % 2]);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s/nodal", folder);
  rmdir(path);
  snprintf(path, sizeof path, "%s/cc", folder);
  unlink(path);
  rmdir(folder);
}

static wisp_tune_summary tune(const char *db, const char *strategy, bool retry)
{
  static const int order = 1;
  static const wisp_precision precision = WISP_F64;
  wisp_layout layouts[8];
  char layout[WISP_LAYOUT_TEXT];
  wisp_family_find("nodal")->layouts(order, layouts);
  wisp_layout_print(&layouts[0], layout);
  wisp_tune_request r = {.family = "nodal",
                         .orders = &order,
                         .order_count = 1,
                         .precisions = &precision,
                         .precision_count = 1,
                         .kernel = "assemble",
                         .strategy = strategy,
                         .layout = layout,
                         .elements = 384,
                         .db = db,
                         .retry_failed = retry};
  wisp_tune_summary summary = {0};
  wisp_error err = {0};
  if (wisp_tune(&err, test_device_name(), &r, &summary) != WISP_OK) fail_msg("%s", err.text);
  return summary;
}

/* Right ones may come out "ok" or, behind a faster one (wisp's own are here as well), "slow". The winner is a right one
 * that does no more than it must, and none that is wrong. */
static void check_outcomes(const char *db, int others)
{
  wisp_store *store = NULL;
  wisp_error err = {0};
  int seen[PLANTED] = {0};
  const wisp_trial *best = NULL;
  if (wisp_store_open(&err, db, false, NULL, &store) != WISP_OK) fail_msg("%s", err.text);
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    int at = 0;
    if (layer != WISP_LAYER_USER) continue;
    while (at < PLANTED && strcmp(planted[at].name, t->strategy) != 0) at++;
    bool ok = strcmp(t->outcome, "ok") == 0, slow = strcmp(t->outcome, "slow") == 0;
    if (ok && (!best || t->ms < best->ms)) best = t;
    if (at == PLANTED) { /* wisp's own, or candidates that were refused */
      others -= strcmp(t->outcome, "refused") != 0;
      continue;
    }
    seen[at]++;
    if ((ok || slow) && strcmp(planted[at].outcome, "ok") == 0) continue;
    if (strcmp(t->outcome, planted[at].outcome) != 0 || !strstr(t->reason, planted[at].reason))
      fail_msg("planted '%s': %s: %s", t->strategy, t->outcome, t->reason);
  }
  for (int i = 0; i < PLANTED; i++) assert_int_equal(seen[i], applies(i) ? 1 : 0);
  assert_int_equal(others, 0);
  assert_non_null(best);
  for (int i = 1; i < PLANTED; i++) assert_string_not_equal(best->strategy, planted[i].name);
  wisp_store_close(store);
}

static void test_planted(void **state)
{
  (void)state;
  char folder[64], templates[] = "/tmp/wisp-planted-XXXXXX";
  int failing = 0, right = 0, others = 0;
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  assert_non_null(mkdtemp(templates));
  plant(templates);
  for (int i = 0; i < PLANTED; i++) {
    bool good = strcmp(planted[i].outcome, "ok") == 0;
    failing += applies(i) && !good;
    right += applies(i) && good;
  }
  for (int sweep = 0; sweep < 3; sweep++) {
    wisp_tune_summary s = tune(db, NULL, sweep == 2);
    assert_int_equal(s.failed, sweep == 1 ? 0 : failing);
    if (sweep == 0) others = (int)s.ok - right;
    assert_true(others >= 0);
    assert_int_equal(s.ok, sweep == 0 ? right + others : 0);
    assert_int_equal(s.trials, s.ok + s.failed);
    assert_int_equal(s.known, right + others + failing - s.trials);
    check_outcomes(db, others);
  }
  uproot(templates);
  fixture_remove(folder);
}

/* The row of the only candidate tried: what its outcome and reason say. */
static bool says(const char *db, const char *outcome, const char *reason)
{
  wisp_store *store = NULL;
  bool found = false;
  if (wisp_store_open(NULL, db, true, NULL, &store) != WISP_OK) return false;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    found |= layer == WISP_LAYER_USER && strcmp(t->outcome, outcome) == 0 && strstr(t->reason, reason);
  }
  wisp_store_close(store);
  return found;
}

/* A tuner that is killed while a candidate runs has left word of it: it is tried once more, and not a third time. */
static void test_journal(void **state)
{
  (void)state;
  char folder[64], templates[] = "/tmp/wisp-planted-XXXXXX";
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  assert_non_null(mkdtemp(templates));
  plant(templates);
  setenv("WISP_TRIAL_SECONDS", "600", 1);
  for (int killed = 1; killed <= 2; killed++) {
    bool seen = false;
    int how = 0;
    pid_t tuner = fork();
    if (tuner == 0) {
      tune(db, "endless", false);
      _exit(1);
    }
    for (int i = 0; i < 3000 && !seen; i++) {
      nanosleep(&(struct timespec){0, 10000000}, NULL);
      seen = says(db, "unfinished", killed == 1 ? "begun 1 times" : "begun 2 times");
    }
    kill(tuner, SIGKILL);
    assert_int_equal(waitpid(tuner, &how, 0), tuner);
    assert_true(seen);
    assert_true(WIFSIGNALED(how));
  }
  wisp_tune_summary s = tune(db, "endless", false);
  assert_int_equal(s.trials, 0);
  assert_int_equal(s.known, 1);
  assert_true(says(db, "crash", "twice"));
  uproot(templates);
  fixture_remove(folder);
}

int main(void)
{
  unsetenv("WISP_SITE_DB");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted), cmocka_unit_test(test_journal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
