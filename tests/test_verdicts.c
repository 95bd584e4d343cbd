/* Claim: where candidates failed on another card of this architecture, a budget tries one for each reason; where it
 * fails for that reason here as well, the others are left out, counted and named; where it does not, they are tried. */
#include "test.h"
#include "plants.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

static wisp_trial failed(int number, const char *strategy, const char *reason)
{
  wisp_trial t = fixture_trial(number);
  snprintf(t.strategy, sizeof t.strategy, "%s", strategy);
  wisp_trial_end(&t, WISP_TRIAL_WRONG, "%s", reason);
  return t;
}

TEST(test_one_check_a_reason)
{
  const wisp_trial trials[] = {failed(1, "cores", "errors are 2.1 times"), failed(2, "cores", "errors are 3.5 times"),
                               failed(3, "cores", "not finite"), failed(4, "lean", "errors are 2.1 times")};
  wisp_trial right = trials[0];
  const wisp_trial *why = NULL;
  wisp_trial_end(&right, WISP_TRIAL_OK, "%s", "");
  for (int refuted = 0; refuted < 2; refuted++) {
    HELD(wisp_verdicts_free) wisp_verdicts v = {.count = WISP_COUNT(trials), .capacity = WISP_COUNT(trials)};
    GOOD(wisp_new(err, v.count, sizeof *v.list, &v.list));
    for (size_t i = 0; i < v.count; i++) v.list[i].trial = &trials[i];
    const wisp_trial other = fixture_trial(5);
    assert_int_equal(wisp_verdicts_judge(&v, &other, &why), WISP_UNKNOWN);
    assert_int_equal(wisp_verdicts_judge(&v, &trials[0], &why), WISP_TO_CHECK);
    assert_ptr_equal(why, &trials[0]);
    GOOD(wisp_verdicts_note(err, &v, why, refuted ? &right : &trials[0]));
    assert_int_equal(wisp_verdicts_judge(&v, &trials[1], &why), refuted ? WISP_UNKNOWN : WISP_LEFT_OUT);
    assert_int_equal(wisp_verdicts_judge(&v, &trials[2], &why), WISP_TO_CHECK);
    assert_int_equal(wisp_verdicts_judge(&v, &trials[3], &why), WISP_TO_CHECK);
  }
}

/* --- in a sweep --- */

static wisp_tune_request request(const char *db)
{
  wisp_tune_request r = tune_request("nodal", "update", db);
  r.elements = 48, r.layout = "slab-km32", r.strategy = "mine";
  return r;
}

/* The trials of a first sweep, as another card's; those that are right as wrong. */
static void put_elsewhere(const char *from, const char *to)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(from);
  size_t at = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    wisp_trial copy = *t;
    if (wisp_trial_outcome(t) == WISP_TRIAL_REFUSED) continue;
    if (wisp_trial_is_right(t)) wisp_trial_end(&copy, WISP_TRIAL_WRONG, "not what it was here");
    strcpy(copy.device, "Imaginary 2");
    fixture_put(to, &copy, 1);
  }
}

/* Right here and wrong elsewhere: all are tried. Wrong here as well, in more than one place: fewer are. */
TEST_IN_FOLDER(test_in_a_sweep)
{
  const char *site = fixture_path(*state, "site.db");
  for (int wrong = 0; wrong < 2; wrong++) {
    char folder[64];
    fixture_folder(folder);
    const edit edits[MOST_EDITS] = {
        {"^", wrong ? "const real changed = (real)0.015625;\n#define dt changed\n" : "/* as it is */\n"}};
    plant_edited(folder, "nodal", "update", "stream", "mine", edits, MOST_EDITS);
    setenv("WISP_TEMPLATES", folder, 1);
    wisp_tune_request r = request(fixture_path(folder, "first.db"));
    const wisp_tune_summary first = run_tune(&r);
    assert_true(first.trials > 3);
    put_elsewhere(r.db, site);
    setenv("WISP_SITE_DB", site, 1);
    r = request(fixture_path(folder, "user.db"));
    r.budget_seconds = 100;
    const wisp_tune_summary s = run_tune(&r);
    assert_int_equal(s.trials + s.left_out, first.trials);
    assert_true(wrong ? s.left_out > 0 && s.trials > 0 : s.left_out == 0);
    if (wrong) assert_non_null(strstr(s.failure[s.failures - 1].reason, "Imaginary 2"));
    unsetenv("WISP_SITE_DB");
    unsetenv("WISP_TEMPLATES");
    fixture_remove(folder);
  }
}

GROUP(no_shipped_winners, NULL)
