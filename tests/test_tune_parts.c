/* Claim: a budget is for whole parts of a solver, whatever its family: each has a line of its own, the iteration first
 * where it decides how matrices lie; a kernel whose row is too good to be true does not stay in a part that it makes
 * slower, though the part's kernels are timed on two problems; and only the parts' kernels are tried. */
#include "test.h"
#include "each_plan.h"
#include "plants.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

static double budget(double seconds)
{
  return getenv("WISP_TEST_COARSE") ? 4 * seconds : seconds;
}

static const wisp_trial *find(const wisp_store *store, const char *spec, const char *strategy)
{
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));)
    if (strncmp(t->spec, spec, strlen(spec)) == 0 && strcmp(t->strategy, strategy) == 0 &&
        wisp_trial_outcome(t) != WISP_TRIAL_REFUSED)
      return t;
  return NULL;
}

/* The parts of a family, in their order; those that had time are never slower. */
static void check_parts(const wisp_tune_summary *s, int count, const char *const *names)
{
  assert_int_equal(s->failed, 0);
  assert_int_equal(s->targets, count);
  for (int i = 0; i < count; i++) {
    assert_string_equal(s->target[i].part, names[i]);
    assert_true(s->target[i].after_ms <= s->target[i].before_ms);
  }
  assert_true(s->target[0].trials > 0);
}

TEST_IN_FOLDER(test_hdg)
{
  static const char *const names[] = {"iteration", "set-up", "preconditioner", "fields"};
  wisp_tune_request r = tune_request("hdg", NULL, fixture_path(*state, "user.db"));
  r.elements = 64, r.budget_seconds = budget(3);
  const wisp_tune_summary s = run_tune(&r);
  check_parts(&s, 4, names);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(r.db);
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));)
    if (strstr(t->spec, ".apply_scalar:") || strstr(t->spec, "_unstored:")) fail_msg("%s is in no part", t->spec);
}

/* --- a kernel whose row says that it is fast --- */

typedef struct liar {
  const char *db;
  wisp_trial row;
} liar;

static void on_trial(void *context, const wisp_tune_progress *progress)
{
  liar *l = context;
  if (l->row.ms > 0 || strncmp(progress->last->spec, "tensor.gather:", 14) != 0) return;
  l->row.ms = progress->last->ms / 10;
  fixture_put(l->db, &l->row, 1);
}

TEST_IN_FOLDER(test_never_slower)
{
  static const char *const names[] = {"mass", "stiffness", "collocated"};
  const edit edits[MOST_EDITS] = {{"^", "volatile double wait = 0;\nfor (int w = 0; w < 100000; w++) wait += w;\n"}};
  liar l = {.db = fixture_path(*state, "user.db")};
  plant_edited(*state, "tensor", "gather", "stream", "slow", edits, MOST_EDITS);
  setenv("WISP_TEMPLATES", *state, 1);
  wisp_tune_request r = tune_request("tensor", "gather", fixture_path(*state, "other.db"));
  r.elements = 64, r.strategy = "slow", r.defaults_only = true;
  run_tune(&r);
  OWNED(wisp_store_close) wisp_store *other = fixture_open(r.db);
  const wisp_trial *row = find(other, "tensor.gather:", "slow");
  assert_non_null(row);
  l.row = *row, l.row.ms = 0;
  r = tune_request("tensor", NULL, l.db);
  r.elements = 64, r.budget_seconds = budget(6), r.enough = 1e-9, r.at_least = 1;
  r.progress = on_trial, r.context = &l;
  const wisp_tune_summary s = run_tune(&r);
  check_parts(&s, 3, names);
  assert_true(l.row.ms > 0 && s.target->before_ms > 0);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(l.db);
  assert_string_equal(find(store, "tensor.gather:", "slow")->outcome, "slow");
}

GROUP(no_shipped_winners, NULL)
