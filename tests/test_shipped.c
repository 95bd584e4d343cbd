/* The shipped text form: what is printed reads back bit for bit; a bad line costs only itself and is named. The
 * shipped winners are legal and of today's kernel texts; they can be left out. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../cache/columns.h"
#include "../gen/embedded.h"
#include "../gen/family.h"
#include "../runtime/kernel.h"
#include "../runtime/solve/choose.h"

TEST(test_round_trip)
{
  HELD(wisp_text_free) wisp_text text = {0};
  wisp_text warning = {0};
  wisp_trials list = {0};
  for (int i = 0; i < 50; i++) {
    wisp_trial trial = fixture_trial(i);
    GOOD(wisp_shipped_print(err, &trial, &text));
  }
  GOOD(wisp_shipped_parse(err, "x.txt", text.data, &warning, &list));
  assert_int_equal(warning.length, 0);
  assert_int_equal(list.count, 50);
  for (int i = 0; i < 50; i++) {
    wisp_trial expected = fixture_trial(i);
    assert_true(fixture_same(&list.trials[i], &expected));
  }
  free(list.trials);
}

#define RIGHT "spec=a.b:tet:p1:s:f64 strategy=x outcome=ok"
TEST(test_bad_lines)
{
  static const char *const bad[] = {
      "nonsense",
      RIGHT " colour=red",
      RIGHT " ms=fast",
      RIGHT " params=\"open",
      RIGHT " params=\"a\\q\"",
      RIGHT " params=\"\\",
      "strategy=x",
      "=",
      RIGHT " units=1e9",
      RIGHT " samples=[1,2",
      RIGHT " samples=[",
      RIGHT " params=\"a\"b",
      RIGHT " units=99999999999",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    HELD(wisp_text_free) wisp_text text = {0}, warning = {0};
    wisp_trials list = {0};
    wisp_text_print(NULL, &text, "# winners\n\n%s ms=1.5\n%s\r\n\t%s ms=2.5 params=\"p=1\"", RIGHT, bad[i], RIGHT);
    GOOD(wisp_shipped_parse(err, "w.txt", text.data, &warning, &list));
    assert_int_equal(list.count, 2);
    assert_true(list.trials[1].ms == 2.5);
    assert_string_equal(list.trials[1].params, "p=1");
    assert_ptr_equal(strstr(warning.data, "w.txt:4: "), warning.data);
    assert_null(strchr(warning.data, '\n'));
    free(list.trials);
  }
}

/* A text from before a column was there reads as if nothing were known of it. */
TEST(test_older_text)
{
  wisp_trials list = {0};
  GOOD(wisp_shipped_parse(err, "x", RIGHT " ms=1.5\n" RIGHT " ms=2 tie=chosen\n", NULL, &list));
  assert_int_equal(list.count, 2);
  assert_string_equal(list.trials[0].tie, "");
  assert_string_equal(list.trials[1].tie, WISP_TIE_CHOSEN);
  free(list.trials);
}

TEST_IN_FOLDER(test_winners_only)
{
  const char *path = fixture_path(*state, "wisp.db");
  HELD(wisp_text_free) wisp_text text = {0};
  wisp_trials list = {0};
  fixture_fill(path, 0, 36); /* trials n, n + 18 compete: the first is the faster; every fifth is a default; n % 7 == 3
                                is refused; n % 11 == 4 or 5 is in a tie */
  GOOD(wisp_store_export(err, path, true, true, &text));
  GOOD(wisp_shipped_parse(err, "x", text.data, NULL, &list));
  size_t expected = 0;
  for (int n = 0; n < 36; n++) {
    bool winner = n < 18 || (n - 18) % 7 == 3;
    expected += n % 7 != 3 && (winner || n % 5 == 0 || n % 11 == 4 || n % 11 == 5);
  }
  assert_int_equal(list.count, expected);
  for (size_t i = 0; i < list.count; i++) {
    assert_string_equal(list.trials[i].outcome, "ok");
    assert_int_equal(list.trials[i].sample_count, 0);
  }
  free(list.trials);
}

/* The fastest right trial of each strategy in one competition, whichever won. */
TEST(test_fastest_of_each)
{
  static const struct {
    const char *strategy, *params, *outcome;
    double ms;
    bool kept;
  } tried[] = {{"one", "a=1", "ok", 2, false}, {"one", "a=2", "ok", 1, true},    {"two", "a=1", "ok", 4, false},
               {"two", "a=2", "ok", 3, true},  {"two", "a=3", "slow", 9, false}, {"three", "a=1", "slow", 8, false}};
  wisp_trials list = {0};
  size_t kept = 0;
  for (size_t i = 0; i < WISP_COUNT(tried); i++) {
    wisp_trial t = fixture_trial(1);
    strcpy(t.strategy, tried[i].strategy), strcpy(t.params, tried[i].params), strcpy(t.outcome, tried[i].outcome);
    t.ms = tried[i].ms, t.is_default = 0, *t.tie = '\0';
    GOOD(wisp_trials_add(err, &list, &t));
  }
  wisp_shipped_select(&list, true);
  for (size_t i = 0; i < WISP_COUNT(tried); i++)
    if (tried[i].kept)
      for (size_t k = 0; k < list.count; k++)
        kept += strcmp(list.trials[k].strategy, tried[i].strategy) == 0 && list.trials[k].ms == tried[i].ms;
  assert_int_equal(kept, 2);
  assert_int_equal(list.count, 2);
  wisp_trials_free(&list);
}

/* The text that ships with this build has no bad line. */
TEST(test_shipped_files_are_good)
{
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    if (strncmp(wisp_embedded_files[i].path, "cache/shipped/", 14) != 0) continue;
    wisp_text warning = {0};
    wisp_trials list = {0};
    GOOD(wisp_shipped_parse(err, wisp_embedded_files[i].path, wisp_embedded_files[i].text, &warning, &list));
    if (warning.length) fail_msg("%s", warning.data);
    free(list.trials);
  }
}

#define SWEEP_AGAIN \
  "the shipped winners do not follow it: sweep the card again, as docs/reference/store.md (Shipping winners) says"

/* A shipped kernel's entry names a candidate that is legal on its card, with the text of today. */
static void check_kernel(const wisp_strategies *all, const wisp_spec *spec, const wisp_trial *t)
{
  wisp_error err = {0};
  const wisp_strategy *s = wisp_strategies_find(all, spec->family, spec->kernel, t->strategy);
  wisp_layout layouts[8], layout;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  char hash[20];
  if (!s) fail_msg("%s: strategy %s is gone, and " SWEEP_AGAIN, t->spec, t->strategy);
  wisp_strategy_hash(s, spec->system, wisp_target_dialect(t->target), hash);
  if (strcmp(hash, t->template_hash) != 0)
    fail_msg("%s: the text of %s has changed, and " SWEEP_AGAIN, t->spec, t->strategy);
  wisp_family_layouts(spec, layouts);
  assert_int_equal(wisp_layout_parse(&err, t->layout, layouts->Np, layouts->Nf, &layout), WISP_OK);
  const wisp_limits limits = target_limits(t->target);
  OWNED(wisp_env_destroy) wisp_env *names = plan_names(&limits, spec, &layout);
  if (wisp_plan_from_text(&err, s, spec, &layout, names, t->params, &plan) != WISP_OK)
    fail_msg("%s, %s, %s %s is not legal (%s), and " SWEEP_AGAIN, t->spec, t->layout, t->strategy, t->params, err.text);
}

/* A shipped step's entry is of today's texts, in a composition that there is. */
static void check_step(const wisp_strategies *all, const wisp_store *store, const wisp_spec *spec, const wisp_trial *t)
{
  const char *const *composition = wisp_family_find(spec->family)->compositions;
  wisp_error err = {0};
  wisp_limits limits = {.target = ""};
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  const wisp_choose_request request = {
      .spec = *spec, .composition = t->strategy, .layout = t->layout, .elements = t->elements};
  while (*composition && strcmp(*composition, t->strategy) != 0) composition++;
  if (!*composition) fail_msg("%s: composition %s is gone, and " SWEEP_AGAIN, t->spec, t->strategy);
  assert_int_equal(wisp_trial_limits(&err, t, &limits), WISP_OK);
  const wisp_status status = wisp_choose(&err, &(wisp_chooser){all, store, &limits, NULL}, &request, &stage);
  if (status != WISP_OK) fail_msg("%s: %s", t->spec, err.text);
  if (stage.record.trial != t || stage.record.stale)
    fail_msg("%s: kernels of %s in %s have changed, and " SWEEP_AGAIN, t->spec, t->strategy, t->layout);
}

/* Whoever edits a kernel text without measuring anew learns it here. */
TEST(test_shipped_is_of_today)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_store_close) wisp_store *store = fixture_open("/nowhere/none.db");
  int kernels = 0, steps = 0;
  const size_t stride = getenv("WISP_TEST_QUICK") ? 23 : getenv("WISP_TEST_COARSE") ? 5 : 1;
  GOOD(wisp_strategies_load(err, &all));
  for (size_t i = 0; i < wisp_store_count(store); i += stride) {
    const wisp_trial *t = wisp_store_trial(store, i, NULL);
    wisp_spec spec;
    GOOD(wisp_spec_parse(err, t->spec, &spec));
    if (!wisp_family_find(spec.family)) fail_msg("%s", t->spec);
    bool stage = strcmp(spec.kernel, "step") == 0;
    if (stage)
      check_step(all, store, &spec, t);
    else
      check_kernel(all, &spec, t);
    steps += stage, kernels += !stage;
  }
  assert_true(stride > 1 || (steps >= 18 && kernels > 100)); /* nine orders in two precisions at least */
}

/* Is there a shipped trial in a store without a user's and a site's file? */
static bool ships(void)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open("/nowhere/none.db");
  const bool some = wisp_store_count(store) > 0;
  return some;
}

/* The shipped layer is there unless somebody says that it shall not be; a misspelt request is an error. */
TEST(test_left_out)
{
  wisp_error err = {0};
  wisp_store *store = NULL;
  assert_true(ships());
  setenv("WISP_SHIPPED", "none", 1);
  assert_false(ships());
  setenv("WISP_SHIPPED", "nothing", 1);
  assert_int_equal(wisp_store_open(&err, "/nowhere/none.db", false, NULL, &store), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "'nothing'"));
  setenv("WISP_SHIPPED", "", 1);
  assert_true(ships());
  unsetenv("WISP_SHIPPED");
}
