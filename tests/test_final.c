/* Claim: at the end of a sweep one candidate of each kernel and layout is chosen: of those as fast as the best within
 * noise the one that a fixed rule names, whatever came first; a second sweep changes nothing of it. A winner that is
 * wrong, or crashes, when it is loaded once more does not win: the next best does. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

#include <sys/stat.h>

static wisp_trial timed(double ms, int registers, const char *params)
{
  wisp_trial t = {.ms = ms, .registers = registers};
  snprintf(t.strategy, sizeof t.strategy, "made-up");
  snprintf(t.params, sizeof t.params, "%s", params);
  return t;
}

TEST(test_rule)
{
  static const struct {
    double ms[3], noise[3];
    int registers[3];
    const char *params[3], *chosen;
    int tied; /* the chosen one included */
  } cases[] = {
      {{1.000, 1.004, 1.006}, {0, 0, 0}, {64, 32, 16}, {"w=1", "w=2", "w=3"}, "w=2", 2},       /* 0.5 % at least */
      {{1.000, 1.004, 1.006}, {.002, 0, .005}, {64, 32, 16}, {"w=1", "w=2", "w=3"}, "w=3", 3}, /* more by spread */
      {{1.000, 1.012, 1.020}, {.05, .05, .05}, {64, 32, 16}, {"w=1", "w=2", "w=3"}, "w=1", 1}, /* 1 % at most */
      {{1.004, 1.000, 1.002}, {0, 0, 0}, {32, 32, 32}, {"w=16", "w=8 x=2", "w=8"}, "w=8", 3},  /* as numbers */
      {{1.004, 1.000, 1.002}, {0, 0, 0}, {-1, 255, -1}, {"w=1", "w=2", "w=3"}, "w=2", 3},      /* unknown is most */
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int first = 0; first < 3; first++) {
      wisp_trial trials[3];
      double noise[3];
      int tied = 0;
      for (int i = 0; i < 3; i++) {
        int from = (i + first) % 3;
        trials[i] = timed(cases[c].ms[from], cases[c].registers[from], cases[c].params[from]);
        noise[i] = cases[c].noise[from];
      }
      size_t chosen = wisp_resolve_tie(3, trials, noise);
      assert_string_equal(trials[chosen].params, cases[c].chosen);
      assert_string_equal(trials[chosen].tie, WISP_TIE_CHOSEN);
      for (int i = 0; i < 3; i++) tied += *trials[i].tie != '\0';
      assert_int_equal(tied, cases[c].tied);
    }
}

/* --- sweeps --- */

static wisp_tune_summary tune(const char *db, const char *kernel, const char *layout, long long elements)
{
  wisp_tune_request r = tune_request("nodal", kernel, db);
  r.layout = layout, r.elements = elements;
  return run_tune(&r);
}

/* The user's n-th trial that succeeded; NULL after the last. */
static const wisp_trial *ok_trial(const wisp_store *store, size_t n)
{
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));)
    if (wisp_trial_outcome(t) == WISP_TRIAL_OK && n-- == 0) return t;
  return NULL;
}

TEST_IN_FOLDER(test_one_is_chosen)
{
  const char *folder = *state;
  const char *db = fixture_path(folder, "tune.db");
  HELD(wisp_text_free) wisp_text before = {0}, after = {0};
  tune(db, "update", NULL, 384);
  wisp_store *store = fixture_open(db);
  const wisp_trial *t, *other;
  for (size_t i = 0; (t = ok_trial(store, i)); i++) {
    int chosen = 0;
    double best = t->ms;
    const wisp_trial *winner = NULL;
    for (size_t k = 0; (other = ok_trial(store, k)); k++) {
      if (wisp_ranking_order(t, other) != 0) continue;
      if (strcmp(other->tie, WISP_TIE_CHOSEN) == 0) chosen++, winner = other;
      if (*other->tie && other->ms < best) best = other->ms;
    }
    assert_int_equal(chosen, 1);
    if (!*t->tie) continue;
    assert_true(t->ms <= 1.0001 * wisp_ranking_margin * best);
    assert_false(wisp_ranking_simpler(t, winner));
  }
  wisp_store_close(store);
  GOOD(wisp_store_export(err, db, false, false, &before));
  assert_int_equal(tune(db, "update", NULL, 384).trials, 0);
  GOOD(wisp_store_export(err, db, false, false, &after));
  assert_string_equal(before.data, after.data);
  assert_non_null(strstr(before.data, "\"chosen\""));
}

/* --- planted candidates --- */

/* The assembly of rhs from derivatives, which leaves a group alone whose first number is there already, so that none is
 * faster at doing the same over and over. From its second loading on it does something else. */
static const char space[] =
    "kernel assemble\nlayouts node slab\nblock 32\ngrid groups\n"
    "arg in real dux\narg in real duy\narg in real duz\narg out real rhs\narg value int groups\n";
#define RATE                                                                                                      \
  "{{#terms}}{{coefficient}} * {{#if axis == 0}}dux{{/if}}{{#if axis == 1}}duy{{/if}}{{#if axis == 2}}duz{{/if}}" \
  "[here + {{= in * NpM}}]{{#if !last}} + {{/if}}{{/terms}}"
static const char text[] = "const INDEX m = bx;\n"
                           "real first = 0;\n"
                           "{\n"
                           "  const INDEX here = m * {{= n * NpM}};\n"
                           "  {{#fields}}\n  {{#if f == 0}}\n  first = " RATE ";\n  {{/if}}\n  {{/fields}}\n"
                           "}\n"
                           "const int there = rhs[m * {{= n * NpM}}] == first;\n"
                           "for (INDEX from = 0; from < {{NpM}} && (!there || m == 0); from += 32) {\n"
                           "  FOR_X(x, 32)\n"
                           "    const INDEX at = from + x, here = m * {{= n * NpM}} + at;\n"
                           "    if (at < {{NpM}}) {\n"
                           "      {{#fields}}\n"
                           "      rhs[here + {{= f * NpM}}] = " RATE ";\n"
                           "      {{/fields}}\n"
                           "    }\n"
                           "    if (m == 0 && at == 0) {\n"
                           "      extern char *getenv(const char *);\n"
                           "      extern int mkdir(const char *, unsigned);\n"
                           "      extern void abort(void);\n"
                           "      static int loaded, again;\n"
                           "      if (!loaded) again = mkdir(getenv(\"PLANTED_MARK\"), 0700) != 0;\n"
                           "      loaded = 1;\n"
                           "      if (again) %s;\n"
                           "    }\n"
                           "  END_X\n"
                           "}\n";

static void plant(const char *folder, const char *fault)
{
  char path[256], body[4096];
  snprintf(path, sizeof path, "%s/nodal", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/nodal/assemble.planted.space", folder);
  fixture_write(path, space, strlen(space));
  snprintf(path, sizeof path, "%s/nodal/assemble.planted.k", folder);
  snprintf(body, sizeof body, text, fault);
  fixture_write(path, body, strlen(body));
}

static void check_planted(const char *fault, const char *outcome, const char *reason)
{
  char folder[64];
  int planted = 0, chosen = 0;
  fixture_folder(folder);
  const char *db = fixture_path(folder, "tune.db");
  plant(folder, fault);
  setenv("WISP_TEMPLATES", folder, 1);
  setenv("PLANTED_MARK", fixture_path(folder, "loaded"), 1); /* there once it was loaded, by whichever worker */
  wisp_tune_summary summary = tune(db, "assemble", first_layout(), 10000);
  unsetenv("WISP_TEMPLATES");
  assert_true(summary.failed > 0);
  wisp_store *store = fixture_open(db);
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    chosen += strcmp(t->tie, WISP_TIE_CHOSEN) == 0;
    if (strcmp(t->strategy, "planted") != 0) continue;
    planted++;
    if (strcmp(t->outcome, outcome) != 0 || !strstr(t->reason, reason)) fail_msg("%s: %s", t->outcome, t->reason);
    assert_string_equal(t->tie, "");
  }
  assert_int_equal(planted, 1);
  assert_int_equal(chosen, 1);
  wisp_store_close(store);
  fixture_remove(folder);
}

TEST(test_wrong_when_loaded_again)
{
  if (strcmp(test_device_name(), "host") != 0) skip();
  check_planted("rhs[0] = 1000", "wrong", "in the final round: rhs is 1000");
}

TEST(test_crash_when_loaded_again)
{
  if (strcmp(test_device_name(), "host") != 0) skip();
  check_planted("abort()", "crash", "signal 6");
}
