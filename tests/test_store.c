/* Claim: a stored trial is found again, field by field, and answers are graded: what matches
 * better and the nearer layer answer where they are expected to be faster; size before speed. */
#include "test.h"
#include "store_fixture.h"

#include <sys/stat.h>

#define SPEC "nodal.volume:tet:p9:test:f64" /* of a system that never ships */

static const wisp_asker h200 = {"NVIDIA H200", "sm_90", "580.159", "NVRTC 13.0", 132, false};

/* Stores one ok trial of SPEC. */
static void put(const char *path, const char *device, const char *target, const char *driver, const char *params,
                long long elements, double ms)
{
  wisp_trial t = fixture_trial(1);
  strcpy(t.spec, SPEC);
  strcpy(t.device, device);
  strcpy(t.target, target);
  strcpy(t.driver, driver);
  strcpy(t.params, params);
  t.elements = elements;
  t.ms = ms;
  fixture_put(path, &t, 1);
}

static void put_sister(const char *path, const char *params, double ms)
{
  put(path, "NVIDIA GH200", "sm_90", "580.159", params, 1000, ms);
}

static void put_here(const char *path, const char *params, double ms)
{
  put(path, "NVIDIA H200", "sm_90", "580.159", params, 1000, ms);
}

static wisp_answer ask(const char *path, long long elements, char params[200])
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  const wisp_answer answer = fixture_answer(store, &h200, SPEC, "slab-km32", elements, NULL);
  strcpy(params, answer.trial ? answer.trial->params : "");
  return answer;
}

TEST_IN_FOLDER(test_round_trip)
{
  const char *path = fixture_path(*state, "deep/er/wisp.db"); /* folders are made */
  fixture_fill(path, 0, 40);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  for (int i = 0; i < 40; i++) {
    wisp_trial expected = fixture_trial(i);
    assert_true(fixture_same(wisp_store_trial(store, (size_t)i, NULL), &expected));
  }
}

/* A spec's own trials are those that a search through all finds, in the same order and of the same layers. */
TEST_IN_FOLDER(test_trials_of_a_spec)
{
  const char *path = fixture_path(*state, "user.db");
  fixture_fill(path, 0, 60);
  unsetenv("WISP_SHIPPED");
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  size_t seen = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const char *spec = wisp_store_trial(store, i, NULL)->spec;
    size_t before = 0, at = 0, place = 0;
    while (before < i && strcmp(wisp_store_trial(store, before, NULL)->spec, spec) != 0) before++;
    if (before < i) continue; /* not its first */
    for (const wisp_trial *t, *same; (same = wisp_store_trial(store, place, NULL)); place++) {
      wisp_layer layer, expected;
      if (strcmp(same->spec, spec) != 0) continue;
      t = wisp_store_next(store, spec, &at, &layer);
      wisp_store_trial(store, place, &expected);
      assert_ptr_equal(t, same);
      assert_int_equal(layer, expected);
      seen++;
    }
    assert_null(wisp_store_next(store, spec, &at, NULL));
  }
  size_t at = 0;
  assert_true(seen > 60);
  assert_int_equal(seen, wisp_store_count(store));
  assert_null(wisp_store_next(store, "nodal.volume:tet:p77:maxwell:f64", &at, NULL));
}

/* Numbers of an outcome come back from their columns to the last bit. A trial of an earlier version, whose reason alone
 * says them, has them in the columns once it is read. */
TEST_IN_FOLDER(test_numbers_of_outcomes)
{
  const char *path = fixture_path(*state, "user.db");
  wisp_trial t[6];
  for (int i = 0; i < 6; i++) t[i] = fixture_trial(i);
  wisp_reason_refuse(&t[0], 1234, "too many threads");
  wisp_reason_drop(&t[1], 4.0 / 3, "another");
  wisp_reason_begin(&t[2], 2);
  wisp_trial_end(&t[3], WISP_TRIAL_REFUSED, "1234 candidates: too many threads");
  wisp_trial_end(&t[4], WISP_TRIAL_SLOW, "1.33 times the time of another, dropped");
  wisp_trial_end(&t[5], WISP_TRIAL_UNFINISHED, "begun 2 times, never ended");
  fixture_put(path, t, 6);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  for (size_t i = 0; i < 6; i++) {
    const wisp_trial *read = wisp_store_trial(store, i, NULL);
    assert_int_equal(wisp_reason_candidates(read), i % 3 == 0 ? 1234 : 1);
    assert_true(i == 1 ? read->ratio == 4.0 / 3 : i == 4 ? read->ratio == 1.33 : isnan(read->ratio));
    assert_int_equal(wisp_reason_begun(read), i % 3 == 2 ? 2 : 0);
    if (i < 3) assert_true(fixture_same(read, &t[i]));
    if (i == 3) assert_string_equal(read->reason, "too many threads");
  }
  assert_true(wisp_reason_slower_than(wisp_store_trial(store, 4, NULL), "another"));
}

TEST_IN_FOLDER(test_one_file_at_rest)
{
  fixture_fill(fixture_path(*state, "wisp.db"), 0, 3);
  assert_int_equal(access(fixture_path(*state, "wisp.db-wal"), F_OK), -1);
  assert_int_equal(access(fixture_path(*state, "wisp.db-shm"), F_OK), -1);
  assert_int_equal(access(fixture_path(*state, "wisp.db-journal"), F_OK), -1);
}

TEST_IN_FOLDER(test_has)
{
  wisp_error err = {0};
  wisp_writer *writer = NULL;
  wisp_trial key = fixture_trial(4), got;
  bool found = true;
  assert_int_equal(wisp_writer_open(&err, fixture_path(*state, "wisp.db"), NULL, &writer), WISP_OK);
  assert_int_equal(wisp_writer_has(&err, writer, &key, &found, &got), WISP_OK);
  assert_false(found);
  assert_int_equal(wisp_writer_add(&err, writer, &key), WISP_OK);
  assert_int_equal(wisp_writer_has(&err, writer, &key, &found, &got), WISP_OK);
  assert_true(found && fixture_same(&key, &got));
  key.ms *= 2; /* not part of the key */
  assert_int_equal(wisp_writer_has(&err, writer, &key, &found, NULL), WISP_OK);
  assert_true(found);
  strcpy(key.template_hash, "another");
  assert_int_equal(wisp_writer_has(&err, writer, &key, &found, NULL), WISP_OK);
  assert_false(found);
  wisp_writer_close(&err, writer);
}

TEST_IN_FOLDER(test_repeated_add_replaces)
{
  const char *path = fixture_path(*state, "wisp.db");
  char params[200];
  put(path, "NVIDIA H200", "sm_90", "580.159", "a=1", 1000, 5.0);
  put(path, "NVIDIA H200", "sm_90", "580.159", "a=1", 1000, 3.0);
  assert_int_equal(fixture_count(path), 1);
  wisp_answer answer = ask(path, 1000, params);
  assert_int_equal(answer.match, WISP_MATCH_EXACT);
}

TEST_IN_FOLDER(test_trial_without_spec_is_refused)
{
  wisp_error err = {0};
  wisp_writer *writer = NULL;
  wisp_trial empty = {0};
  assert_int_equal(wisp_writer_open(&err, fixture_path(*state, "wisp.db"), NULL, &writer), WISP_OK);
  assert_int_equal(wisp_writer_add(&err, writer, &empty), WISP_EINPUT);
  assert_non_null(strstr(err.text, "spec"));
  wisp_writer_close(&err, writer);
}

static void expect(const char *path, const char *params, wisp_match match)
{
  char taken[200];
  const wisp_answer answer = ask(path, 1000, taken);
  assert_string_equal(taken, params);
  assert_int_equal(answer.match, match);
}

/* Another architecture answers never; another card of this one does, until trials of here are expected to be faster. */
TEST_IN_FOLDER(test_matches)
{
  const char *path = fixture_path(*state, "wisp.db");
  char params[200];
  expect(path, "", WISP_MATCH_DEFAULT);
  put(path, "NVIDIA A100", "sm_80", "580.159", "other", 1000, 0.1);
  expect(path, "", WISP_MATCH_DEFAULT);
  put_sister(path, "sister", 1.0);
  expect(path, "sister", WISP_MATCH_ARCHITECTURE);
  put_here(path, "slow", 3.0);
  put_here(path, "right", 2.5);
  expect(path, "sister", WISP_MATCH_ARCHITECTURE); /* nothing tells how much slower this card is */
  put_sister(path, "slow", 2.0);                   /* 1.5 times: expected are 1.5 ms */
  expect(path, "sister", WISP_MATCH_ARCHITECTURE);
  put_sister(path, "right", 1.001); /* 1.5 and 2.5 times, in the middle 2 */
  expect(path, "sister", WISP_MATCH_ARCHITECTURE);
  put_here(path, "third", 4.0);
  put_sister(path, "third", 1.2); /* 1.5, 2.5 and 3.3 */
  put_here(path, "better", 2.4);
  expect(path, "better", WISP_MATCH_EXACT);
  put(path, "NVIDIA H200", "sm_90", "580.159", "small", 10, 0.01);
  ask(path, 20, params); /* nearest size over speed */
  assert_string_equal(params, "small");
}

/* If the other card's best was measured here, its time is known; if it failed here, it answers no
 * more. */
TEST_IN_FOLDER(test_measured_here)
{
  const char *path = fixture_path(*state, "wisp.db");
  put_sister(path, "sister", 1.0);
  put_sister(path, "second", 1.1);
  put_here(path, "own", 2.0);
  expect(path, "sister", WISP_MATCH_ARCHITECTURE);
  put_here(path, "sister", 1.9);
  expect(path, "sister", WISP_MATCH_EXACT);
  put_here(path, "own", 1.8);
  expect(path, "own", WISP_MATCH_EXACT);
  wisp_trial t = fixture_trial(1);
  strcpy(t.spec, SPEC), strcpy(t.params, "sister");
  t.elements = 1000;
  wisp_trial_end(&t, WISP_TRIAL_WRONG, "made up");
  fixture_put(path, &t, 1);
  expect(path, "second", WISP_MATCH_ARCHITECTURE);
}

/* Another driver on the same chip is expected to be as fast, where candidates that both have do not tell. */
TEST_IN_FOLDER(test_drivers)
{
  const char *path = fixture_path(*state, "wisp.db");
  put(path, "NVIDIA H200", "sm_90", "570.1", "old", 1000, 2.0);
  put_here(path, "new", 2.5);
  expect(path, "old", WISP_MATCH_DRIVER);
  put_here(path, "new", 1.9);
  expect(path, "new", WISP_MATCH_EXACT);
  put(path, "NVIDIA H200", "sm_90", "570.1", "new", 1000, 2.1); /* which makes old 1.81 */
  expect(path, "old", WISP_MATCH_DRIVER);
}

/* In the same surroundings the faster answers, whatever the layer; for the same candidate, the nearer measurement. */
TEST_IN_FOLDER(test_layers)
{
  const char *user = fixture_path(*state, "user.db"), *site = fixture_path(*state, "site.db");
  char params[200];
  setenv("WISP_SITE_DB", site, 1);
  put_here(site, "site", 1.0);
  assert_int_equal(ask(user, 1000, params).layer, WISP_LAYER_SITE);
  put_here(user, "user", 2.0);
  assert_int_equal(ask(user, 1000, params).layer, WISP_LAYER_SITE);
  put_here(user, "user", 0.9);
  assert_int_equal(ask(user, 1000, params).layer, WISP_LAYER_USER);
  put_here(user, "user", 2.0);
  put_here(user, "site", 1.5);
  assert_int_equal(ask(user, 1000, params).layer, WISP_LAYER_USER);
  assert_string_equal(params, "site");
}

/* The ratio of the nearest: of the spec itself, else of the kernel in this precision, else of the family; none of
 * another precision. */
TEST_IN_FOLDER(test_ratios)
{
  static const struct {
    const char *spec;
    double here;
  } cases[] = {{"nodal.volume:tet:p9:test:f32", 9},
               {"tensor.volume:tet:p9:test:f64", 9},
               {"nodal.lift:tet:p4:test:f64", 4},
               {"nodal.volume:tet:p3:other:f64", 3},
               {SPEC, 2}};
  const char *path = fixture_path(*state, "wisp.db");
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int here = 0; here < 2; here++) {
      wisp_trial t = fixture_trial(1);
      strcpy(t.spec, cases[c].spec), strcpy(t.device, here ? "NVIDIA H200" : "NVIDIA GH200");
      strcpy(t.target, "sm_90"), strcpy(t.driver, "580.159"), strcpy(t.params, "both");
      t.elements = here ? 1500 : 1000;
      t.ms = here ? 1.5 * cases[c].here : 1;
      fixture_put(path, &t, 1);
    }
    wisp_trial there = fixture_trial(1);
    strcpy(there.spec, SPEC), strcpy(there.device, "NVIDIA GH200"), strcpy(there.target, "sm_90");
    OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
    const double ratio = wisp_store_ratio(store, &h200, &there);
    if (c < 2 ? !isnan(ratio) : fabs(ratio - cases[c].here) > 1e-9) fail_msg("%s: %g", cases[c].spec, ratio);
  }
}

/* Stores three candidates of SPEC in this order, with registers, parameters and what a final round said of each. */
static void put_tie(const char *path, const int order[3], const char *tie[3], const double ms[3])
{
  static const char *const params[3] = {"wi=16", "wi=8 wp=2", "wi=8 wp=16"};
  for (int i = 0; i < 3; i++) {
    wisp_trial t = fixture_trial(1);
    strcpy(t.spec, SPEC);
    strcpy(t.params, params[order[i]]);
    strcpy(t.tie, tie[order[i]]);
    t.elements = 1000;
    t.registers = order[i] == 0 ? 64 : 32;
    t.ms = ms[order[i]];
    fixture_put(path, &t, 1);
  }
}

/* Whatever the order of rows: the chosen one of a tie answers, unless one that no final round saw is clearly faster;
 * without a final round the fastest; of equally fast ones that with the fewest registers, then smallest parameters. */
TEST_IN_FOLDER(test_ties)
{
  static const int orders[4][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};
  static const struct {
    const char *tie[3];
    double ms[3];
    const char *answer;
  } cases[] = {
      {{"", "", ""}, {1.000, 1.004, 1.010}, "wi=16"},
      {{"tied", "chosen", ""}, {1.000, 1.004, 1.010}, "wi=8 wp=2"},
      {{"tied", "chosen", ""}, {1.000, 1.004, 0.980}, "wi=8 wp=2"},
      {{"tied", "chosen", ""}, {1.000, 1.004, 0.900}, "wi=8 wp=16"},
      {{"chosen", "", "chosen"}, {1.000, 1.004, 0.999}, "wi=8 wp=16"},
      {{"", "", ""}, {1, 1, 1}, "wi=8 wp=2"},
  };
  char params[200], name[32];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int o = 0; o < 4; o++) {
      snprintf(name, sizeof name, "%zu-%d.db", c, o);
      const char *path = fixture_path(*state, name);
      put_tie(path, orders[o], (const char **)cases[c].tie, cases[c].ms);
      ask(path, 1000, params);
      assert_string_equal(params, cases[c].answer);
    }
}

static bool never(const void *context, const wisp_trial *trial)
{
  return false;
}

TEST_IN_FOLDER(test_stale_and_failed_do_not_answer)
{
  const char *path = fixture_path(*state, "wisp.db");
  fixture_fill(path, 3, 4); /* refused */
  put(path, "NVIDIA H200", "sm_90", "580.159", "a=1", 1000, 1.0);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  wisp_answer answer = fixture_answer(store, &h200, SPEC, NULL, 1000, never);
  assert_null(answer.trial);
  assert_int_equal(answer.match, WISP_MATCH_DEFAULT);
  assert_int_equal(answer.layer, WISP_LAYER_NONE);
  wisp_trial refused = fixture_trial(3);
  answer = fixture_answer(store, &h200, refused.spec, refused.layout, 1000, NULL);
  assert_true(!answer.trial || answer.layer == WISP_LAYER_SHIPPED);
}

TEST_IN_FOLDER(test_tolerant_open)
{
  const char *user = fixture_path(*state, "user.db"), *site = fixture_path(*state, "site.db");
  wisp_error err = {0};
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) char *warning = NULL;
  fixture_write(user, "not a store, but long enough to look like one", 45);
  setenv("WISP_SITE_DB", site, 1);
  put(site, "NVIDIA H200", "sm_90", "580.159", "site", 1000, 1.0);
  assert_int_equal(wisp_store_open(&err, user, false, &warning, &store), WISP_ESTORE);
  assert_non_null(strstr(err.text, user));
  assert_int_equal(wisp_store_open(&err, user, true, &warning, &store), WISP_OK);
  assert_non_null(strstr(warning, user));
  assert_true(wisp_store_count(store) >= 1);
}

TEST_IN_FOLDER(test_default_path)
{
  char *path = NULL, expected[128];
  snprintf(expected, sizeof expected, "%s/wisp/wisp.db", (char *)*state);
  setenv("XDG_DATA_HOME", *state, 1);
  unsetenv("WISP_DB");
  GOOD(wisp_store_user_path(err, &path));
  assert_string_equal(path, expected);
  free(path);
  setenv("WISP_DB", "/elsewhere.db", 1);
  GOOD(wisp_store_user_path(err, &path));
  assert_string_equal(path, "/elsewhere.db");
  free(path);
  unsetenv("WISP_DB");
}

/* Without a place for a user's file the other layers are read all the same, and one line says so. */
TEST_IN_FOLDER(test_no_home)
{
  static const char *const names[] = {"HOME", "XDG_DATA_HOME", "WISP_DB"};
  const char *site = fixture_path(*state, "site.db");
  char *kept[3], *warning = NULL;
  wisp_store *store = NULL;
  put(site, "NVIDIA H200", "sm_90", "580.159", "site", 1000, 1.0);
  setenv("WISP_SITE_DB", site, 1);
  for (int i = 0; i < 3; i++) {
    const char *value = getenv(names[i]);
    kept[i] = value ? strdup(value) : NULL;
    setenv(names[i], "", 1);
  }
  GOOD(wisp_store_open(err, NULL, false, &warning, &store));
  assert_non_null(strstr(warning, "HOME"));
  assert_null(strchr(warning, '\n'));
  assert_true(wisp_store_count(store) >= 1);
  wisp_store_close(store);
  free(warning);
  for (int i = 0; i < 3; i++) {
    kept[i] ? setenv(names[i], kept[i], 1) : unsetenv(names[i]);
    free(kept[i]);
  }
}
