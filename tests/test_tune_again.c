/* Claim: a candidate that was dropped for being slow is tried again once what it was slow against is gone (its text
 * edited, its strategy removed, its row replaced in a merge), and not before; until then the fastest of those that were
 * dropped answers; `wisp best` and `wisp tune` say the same. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

enum { MOST = 64 };
static const char gone[] = "plain lanes=128 (0123456789abcdef)"; /* no strategy and no text of today's */

typedef struct sweep {
  char folder[64];
  const char *db;
  size_t count;
  wisp_trial trials[MOST]; /* what a first sweep found to be right, fastest first */
} sweep;

static wisp_tune_summary tune_layout(const sweep *s, const char *layout)
{
  static const wisp_precision precision = WISP_F32;
  wisp_tune_request r = tune_request("nodal", "update", s->db);
  r.precisions = &precision, r.layout = layout, r.elements = 384;
  wisp_tune_summary summary = {0};
  GOOD(wisp_tune(err, "host", &r, &summary));
  return summary;
}

static wisp_tune_summary tune(const sweep *s)
{
  return tune_layout(s, "slab-km32");
}

static int by_time(const void *a, const void *b)
{
  const wisp_trial *x = a, *y = b;
  return (x->ms > y->ms) - (x->ms < y->ms);
}

static void load(sweep *s)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(s->db);
  s->count = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *t = wisp_store_trial(store, i, NULL);
    if (wisp_trial_is_right(t) && s->count < MOST) s->trials[s->count++] = *t;
  }
  qsort(s->trials, s->count, sizeof *s->trials, by_time);
}

static int begin(void **state)
{
  sweep *s = calloc(1, sizeof *s);
  fixture_folder(s->folder);
  s->db = fixture_path(s->folder, "user.db");
  wisp_tune_summary first = tune(s);
  load(s);
  assert_int_equal(first.ok, s->count);
  assert_true(s->count > 4);
  *state = s;
  return 0;
}

static int end(void **state)
{
  OWNED(free) sweep *s = *state;
  fixture_remove(s->folder);
  return 0;
}

/* Stores the trials from `first` on, one millisecond each and a little more, as dropped at twice the time of `rival`.
 */
static void drop(sweep *s, size_t first, const char *rival)
{
  for (size_t i = first; i < s->count; i++) {
    wisp_trial t = s->trials[i];
    wisp_reason_drop(&t, 2, rival);
    *t.tie = '\0';
    t.ms = 1 + 1e-3 * (double)i;
    fixture_put(s->db, &t, 1);
  }
}

/* The fastest trial, chosen, of that time. */
static void choose(sweep *s, double ms)
{
  wisp_trial t = s->trials[0];
  wisp_trial_end(&t, WISP_TRIAL_OK, "%s", "");
  strcpy(t.tie, WISP_TIE_CHOSEN);
  t.ms = ms;
  fixture_put(s->db, &t, 1);
}

static bool best_says(const sweep *s, const char *words)
{
  HELD(forget) outcome o = run_in(s->folder, "WISP_SHIPPED=none", "best -d host -n 1 -p f32 --kernels");
  if (o.status != 0) fail_msg("%s", o.err);
  bool mentioned = strstr(o.out, words) != NULL;
  return mentioned;
}

/* Nothing valid is left: the fastest dropped one answers, best says what to do, and doing it measures all of them. */
TEST_WITH(test_rival_is_gone, begin, end)
{
  sweep *s = *state;
  wisp_asker asker = {.units = s->trials->units};
  drop(s, 0, gone);
  memcpy(asker.device, s->trials->device, sizeof asker.device);
  memcpy(asker.target, s->trials->target, sizeof asker.target);
  wisp_store *store = fixture_open(s->db);
  const wisp_answer answer = fixture_answer(store, &asker, s->trials->spec, "slab-km32", 384, NULL);
  assert_non_null(answer.trial);
  assert_string_equal(answer.trial->params, s->trials[0].params);
  wisp_store_close(store);
  assert_true(best_says(s, "'wisp tune' has measured them"));
  assert_int_equal(tune(s).trials, s->count);
  assert_false(best_says(s, "'wisp tune' has measured them"));
  assert_int_equal(tune(s).trials, 0);
}

/* The remaining trials are valid and slower than the lost one: the dropped ones may be better. */
TEST_WITH(test_rest_is_slower, begin, end)
{
  sweep *s = *state;
  choose(s, 0.6); /* they lost to something that took 0.5 ms */
  drop(s, 1, gone);
  assert_int_equal(tune(s).trials, s->count - 1);
}

/* Something valid is as fast as what was lost to, or is what was lost to, whatever it took when it was last timed. */
TEST_WITH(test_rival_is_there, begin, end)
{
  sweep *s = *state;
  char name[WISP_TRIAL_NAME];
  choose(s, 0.4);
  drop(s, 1, gone);
  assert_int_equal(tune(s).trials, 0);
  choose(s, 0.9);
  wisp_trial_name(&s->trials[0], name);
  drop(s, 1, name);
  wisp_tune_summary repeated = tune(s);
  assert_int_equal(repeated.trials, 0);
  assert_int_equal(repeated.known, s->count);
  assert_int_equal(repeated.known_ok, s->count);
}

/* A row says what it was slow against, so that all of this is known of it. */
TEST_WITH(test_rows_tell, begin, end)
{
  sweep *s = *state;
  for (size_t i = 0; i < s->count; i++) {
    const char *at = strstr(s->trials[i].reason, " times the time of ");
    if (wisp_trial_outcome(&s->trials[i]) == WISP_TRIAL_SLOW) assert_non_null(at);
  }
}

/* The default's time for the kernel in wisp best; NaN: it has none. */
static double default_of(const sweep *s)
{
  HELD(forget) outcome o = run_in(s->folder, "WISP_SHIPPED=none", "best -d host -n 1 -p f32 --json");
  OWNED(cJSON_Delete) cJSON *json = cJSON_Parse(o.out);
  const cJSON *ms = cJSON_GetObjectItem(cJSON_GetArrayItem(json, 0), "default_ms");
  if (!ms) fail_msg("%s%s", o.out, o.err);
  double value = cJSON_IsNumber(ms) ? ms->valuedouble : NAN;
  return value;
}

/* `best` compares with what runs without a store, measured with today's text, or with nothing. */
TEST_WITH(test_best_and_default, begin, end)
{
  sweep *s = *state;
  wisp_writer *writer = NULL;
  tune_layout(s, NULL); /* whichever layout the default is of */
  assert_true(default_of(s) > 0);
  load(s);
  GOOD(wisp_writer_open(err, s->db, NULL, &writer));
  for (size_t i = 0; i < s->count; i++) { /* defaults of an older text, and none of today's */
    wisp_trial t = s->trials[i];
    if (!t.is_default) continue;
    strcpy(t.template_hash, "0123456789abcdef");
    GOOD(wisp_writer_add(err, writer, &t));
    t = s->trials[i];
    strcpy(t.outcome, "wrong");
    GOOD(wisp_writer_add(err, writer, &t));
  }
  GOOD(wisp_writer_close(err, writer));
  assert_true(isnan(default_of(s)));
}

GROUP(no_shipped_winners, NULL)
