/* Claim: what removes something from a store says what, keeps what was there, and removes nothing that was not meant;
 * winners travel alone, as JSON and as text; a text is imported whole or not at all; the good rows of a damaged file
 * are rescued. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"

#include <sys/stat.h>

static int setup(void **state)
{
  unsetenv("WISP_SITE_DB");
  setenv("WISP_SHIPPED", "none", 1);
  return fixture_set_up(state);
}

static void add(const char *path, int number, const char *when, const char *result)
{
  wisp_trial t = fixture_trial(number);
  snprintf(t.when, sizeof t.when, "%s", when);
  snprintf(t.outcome, sizeof t.outcome, "%s", result);
  fixture_put(path, &t, 1);
}

static const char *fill(const char *folder)
{
  static const char *const when[] = {"2025-12-31T23:59:59Z",
                                     "2026-01-15T08:00:00Z",
                                     "2026-03-01T08:00:00Z",
                                     "2026-10-15T08:00:00Z",
                                     "2026-11-20T08:00:00Z",
                                     "2026-12-31T08:00:00Z",
                                     "",
                                     "once"};
  const char *path = fixture_path(folder, "user.db");
  for (int i = 0; i < 8; i++) add(path, i, when[i], "ok");
  return path;
}

static void expect(const char *folder, const char *arguments, int status, const char *word)
{
  HELD(forget) outcome o = run_with(folder, "WISP_SHIPPED=none", "db %s", arguments);
  if (o.status != status || (!strstr(o.out, word) && !strstr(o.err, word)))
    fail_msg("%s: status %d, not %d: '%s%s' without '%s'", arguments, o.status, status, o.out, o.err, word);
}

TEST_WITH(only_days_are_dates, setup, fixture_tear_down)
{
  static const char *const no_days[] = {"2026-9-1",           "2026-13-45", "2026-1-1",   "2026-00-00",
                                        "2026-11-21junk",     "2026-04-31", "2026-02-29", "2026-11-21T08:00:00Z",
                                        "'2026-11-01 extra'", "''"};
  const char *path = fill(*state);
  for (size_t i = 0; i < sizeof no_days / sizeof *no_days; i++) {
    char line[64];
    snprintf(line, sizeof line, "prune --before %s", no_days[i]);
    expect(*state, line, 2, "must be a day");
  }
  assert_int_equal(fixture_count(path), 8);
  expect(*state, "prune --before 2024-02-29", 0, "0 trials removed");
  expect(*state, "prune --before 2026-01-15", 0, "1 trial removed"); /* what has no date is not old */
  expect(*state, "prune --before 2026-09-01", 0, "2 trials removed");
  assert_int_equal(fixture_count(path), 5);
}

TEST_WITH(prune_shows_and_keeps_a_backup, setup, fixture_tear_down)
{
  const char *path = fill(*state), *backup = fixture_path(*state, "user.db.backup-1");
  struct stat about;
  assert_int_equal(chmod(path, 0640), 0);
  expect(*state, "prune --before 2026-09-01 --dry-run", 0, "3 trials would be removed, and 5 stay");
  expect(*state, "prune --before 2026-09-01 --dry-run", 0, "2025-12-31 to 2026-03-01");
  assert_int_equal(fixture_count(path), 8);
  assert_int_equal(access(backup, F_OK), -1);
  expect(*state, "prune --before 2026-09-01", 0, "user.db.backup-1");
  assert_int_equal(fixture_count(path), 5);
  assert_int_equal(fixture_count(backup), 8);
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0640);
  assert_int_equal(stat(backup, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0640);
  expect(*state, "prune --before 2026-09-01", 0, "0 trials removed"); /* nothing gone, nothing kept */
  assert_int_equal(access(fixture_path(*state, "user.db.backup-2"), F_OK), -1);
  expect(*state, "prune --before 2026-11-01", 0, "user.db.backup-2"); /* the first backup stays */
  assert_int_equal(fixture_count(backup), 8);
  expect(*state, "prune --before 2026-12-01 --no-backup", 0, "1 trial removed");
  assert_int_equal(access(fixture_path(*state, "user.db.backup-3"), F_OK), -1);
  assert_int_equal(fixture_count(path), 3);
}

/* A row of each outcome, and one that another version may have written. */
static const char *fill_outcomes(const char *folder)
{
  static const char *const outcomes[] = {"ok",          "slow",          "wrong", "refused",    "crash",
                                         "fell asleep", "compile-error", "hang",  "unfinished", "refused"};
  const char *path = fixture_path(folder, "user.db");
  for (int i = 0; i < 10; i++) add(path, i, "2026-11-21T08:00:00Z", outcomes[i]);
  return fixture_path(folder, "user.db");
}

/* Five words count a trial, the same ones everywhere: show as text and as JSON, check, and what prune takes. */
TEST_WITH(outcomes_are_counted_alike, setup, fixture_tear_down)
{
  static const struct {
    const char *word;
    int count;
  } counts[] = {{"trials", 10}, {"ok", 1}, {"slow", 1}, {"refused", 2}, {"failed", 5}, {"unfinished", 1}};
  char titles[512] = "", numbers[512] = "";
  fill_outcomes(*state);
  cJSON *list = run_json(*state, "WISP_SHIPPED=none", "db show --json");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    assert_int_equal(json_number(cJSON_GetArrayItem(list, 0), counts[i].word), counts[i].count);
  cJSON_Delete(list);
  outcome o = run_in(*state, "WISP_SHIPPED=none", "db show");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    sprintf(titles + strlen(titles), " %s", counts[i].word);
    sprintf(numbers + strlen(numbers), " %*d", (int)strlen(counts[i].word), counts[i].count);
  }
  if (!strstr(o.out, titles) || !strstr(o.out, numbers)) fail_msg("%s, not\n%s\n%s", o.out, titles, numbers);
  forget(&o);
  expect(*state, "check", 0, ": 1 ok, 1 slow, 2 refused (2 candidates), 5 failed, 1 unfinished\n");
  expect(*state, "prune --failed --dry-run", 0, "5 trials would be removed, and 5 stay");
  expect(*state, "prune --failed", 0, "5 trials removed");
  expect(*state, "check", 0, ": 1 ok, 1 slow, 2 refused (2 candidates), 1 unfinished\n");
}

/* A sweep reports its trials as its store does: a refused one with the number of candidates that it stands for.
 */
TEST_WITH(a_sweep_counts_like_its_store, setup, fixture_tear_down)
{
  char words[64];
  OWNED(cJSON_Delete)
  cJSON *sweep = run_json(*state, "WISP_SHIPPED=none",
                          "tune -q -d host -n 3 -p f64 -k assemble -s stream -l node-km1-pad32 --elements 48 "
                          "--exhaustive --json");
  OWNED(cJSON_Delete) cJSON *list = run_json(*state, "WISP_SHIPPED=none", "db show -d host --json");
  const cJSON *held = cJSON_GetArrayItem(list, 0);
  const double refused = json_number(sweep, "refused");
  assert_int_equal(cJSON_GetArraySize(list), 1);
  assert_true(json_number(sweep, "ok") > 0 && refused > json_number(held, "refused"));
  assert_int_equal(json_number(sweep, "ok"), json_number(held, "ok") + json_number(held, "slow"));
  assert_int_equal(json_number(sweep, "failed"), json_number(held, "failed"));
  assert_int_equal(refused, json_number(held, "refused_candidates"));
  snprintf(words, sizeof words, "%.0f refused (%.0f candidates)", json_number(held, "refused"), refused);
  expect(*state, "check", 0, words);
}

/* Winners alone, in both forms, come to the same store; what lost is not there. */
TEST_WITH(winners_travel_alone, setup, fixture_tear_down)
{
  const char *path = fixture_path(*state, "user.db");
  char line[512];
  long counts[2];
  wisp_text texts[2] = {{0}, {0}};
  fixture_fill(path, 0, 40);
  static const char *const forms[] = {"json", "text"};
  for (int i = 0; i < 2; i++) {
    const char *file = fixture_path(*state, forms[i]), *to = fixture_path(*state, i ? "b.db" : "a.db");
    snprintf(line, sizeof line, "export --winners --format %s -o %s", forms[i], file);
    expect(*state, line, 0, "");
    snprintf(line, sizeof line, "import --db %s %s", to, file);
    expect(*state, line, 0, "trials added");
    counts[i] = fixture_count(to);
    GOOD(wisp_store_export(err, to, false, true, &texts[i]));
  }
  assert_true(counts[0] > 0 && counts[0] < 40);
  assert_int_equal(counts[0], counts[1]);
  assert_string_equal(texts[0].data, texts[1].data);
  wisp_text_free(&texts[0]);
  wisp_text_free(&texts[1]);
}

static void write_text(const char *folder, const char *name, const char *format, const char *a, const char *b)
{
  HELD(wisp_text_free) wisp_text text = {0};
  GOOD(wisp_text_add(err, &text, "", 0));
  for (; *format; format++) {
    const char *part = *format == 'a' ? a : *format == 'b' ? b : NULL;
    size_t length = part ? strlen(part) : 1;
    const char byte = *format == '0' ? '\0' : *format;
    GOOD(wisp_text_add(err, &text, part ? part : &byte, length));
  }
  fixture_write(fixture_path(folder, name), text.data, text.length);
}

/* Concatenated documents are all read; where anything else follows, nothing is. */
TEST_WITH(import_is_all_or_nothing, setup, fixture_tear_down)
{
  static const struct {
    const char *parts;
    long count; /* 0: refused */
  } cases[] = {{"a", 3}, {"ab", 7}, {"a\n b\n", 7}, {"abjunk", 0}, {"a}", 0}, {"ab0", 0}, {"a0b", 0}, {"ab{", 0}};
  const char *from = fixture_path(*state, "from.db"), *other = fixture_path(*state, "other.db");
  wisp_text a[2] = {{0}, {0}}, b[2] = {{0}, {0}};
  fixture_fill(from, 0, 3);
  fixture_fill(other, 3, 7);
  GOOD(wisp_store_export(err, from, false, false, &a[0]));
  GOOD(wisp_store_export(err, other, false, false, &b[0]));
  GOOD(wisp_store_export(err, from, false, true, &a[1]));
  GOOD(wisp_store_export(err, other, false, true, &b[1]));
  for (size_t form = 0; form < 2; form++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      const char *to = fixture_path(*state, "to.db");
      write_text(*state, "texts", cases[i].parts, a[form].data, b[form].data);
      char line[512];
      snprintf(line, sizeof line, "import --db %s %s", to, fixture_path(*state, "texts"));
      expect(*state, line, cases[i].count ? 0 : 1, cases[i].count ? "added" : "texts:");
      assert_int_equal(fixture_count(to), cases[i].count);
      unlink(to);
    }
  for (size_t form = 0; form < 2; form++) wisp_text_free(&a[form]), wisp_text_free(&b[form]);
}

/* Every trial of the file at path is one of those that fixture_trial makes. */
static void assert_true_rows(const char *path, long least)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  size_t count = wisp_store_count(store);
  assert_true((long)count >= least);
  for (size_t i = 0; i < count; i++) {
    const wisp_trial *t = wisp_store_trial(store, i, NULL);
    wisp_trial expected = fixture_trial((int)(t->shared_bytes / 1024));
    assert_true(fixture_same(t, &expected));
  }
}

/* One altered row: tune refuses to write before it begins, salvage leaves that row out. */
TEST_WITH(altered_row_is_left_out, setup, fixture_tear_down)
{
  const char *path = fixture_path(*state, "user.db"), *fresh = fixture_path(*state, "new.db");
  char line[512];
  wisp_error err = {0};
  wisp_writer *writer = NULL;
  fixture_fill(path, 0, 50);
  fixture_sql(path, "UPDATE trial SET ms = ms * 0.5 WHERE rowid = 7");
  assert_int_equal(wisp_writer_open(&err, path, NULL, &writer), WISP_ESTORE);
  assert_non_null(strstr(err.text, "wisp db salvage"));
  snprintf(line, sizeof line, "salvage %s -o %s", path, fresh);
  expect(*state, line, 0, "49 trials rescued");
  expect(*state, line, 1, "new.db"); /* it is there now, and is not written over */
  assert_true_rows(fresh, 49);
  assert_int_equal(fixture_count(path), -1); /* as it was */
  snprintf(line, sizeof line, "salvage --db %s", path);
  expect(*state, line, 0, "user.db.backup-1");
  assert_true_rows(path, 49);
  assert_int_equal(fixture_count(fixture_path(*state, "user.db.backup-1")), -1);
}

/* Pages that are gone, in the middle and at the end: most of the rest is there, and nothing else. */
TEST_WITH(lost_pages_are_passed_over, setup, fixture_tear_down)
{
  enum { PAGE = 4096, ROWS = 400 };
  const char *path = fixture_path(*state, "user.db"), *fresh = fixture_path(*state, "new.db");
  wisp_error err = {0};
  wisp_salvaged found;
  size_t length;
  fixture_fill(path, 0, ROWS);
  OWNED(free) char *complete = fixture_read(path, &length);
  assert_true(length > 50 * PAGE);
  for (size_t page = 2; page < length / PAGE; page += 9) {
    char *torn = malloc(length);
    assert_non_null(torn);
    memcpy(torn, complete, length);
    memset(torn + page * PAGE, 0xA5, PAGE);
    fixture_write(path, torn, length);
    free(torn);
    if (wisp_store_salvage(&err, path, fresh, NULL, &found) != WISP_OK) fail_msg("page %zu: %s", page, err.text);
    assert_true_rows(fresh, ROWS - 40);
    assert_int_equal(fixture_count(fresh), found.rescued);
    unlink(fresh);
  }
  fixture_write(path, complete, length * 3 / 5 / PAGE * PAGE);
  if (wisp_store_salvage(&err, path, fresh, NULL, &found) != WISP_OK) fail_msg("cut: %s", err.text);
  assert_false(found.complete);
  assert_true_rows(fresh, ROWS / 4);
  unlink(fresh);
  fixture_write(path, complete, length);
  assert_int_equal(wisp_store_salvage(&err, path, fresh, NULL, &found), WISP_OK);
  assert_true(found.complete);
  assert_int_equal(found.rescued, ROWS);
}

/* The contents of a store: the orders, and the time of the newest trial. */
TEST_WITH(orders_and_days_are_shown, setup, fixture_tear_down)
{
  static const struct {
    int order;
    const char *when;
  } trials[] = {{1, "2026-11-20T08:00:00Z"}, {2, ""}, {3, "2026-11-22T08:00:00Z"}, {7, "2026-11-21T08:00:00Z"}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    wisp_trial t = fixture_trial(1);
    snprintf(t.spec, sizeof t.spec, "nodal.volume:tet:p%d:maxwell:f64", trials[i].order);
    snprintf(t.when, sizeof t.when, "%s", trials[i].when);
    fixture_put(fixture_path(*state, "user.db"), &t, 1);
  }
  HELD(forget) outcome o = run_in(*state, "WISP_SHIPPED=none", "db show");
  assert_non_null(strstr(o.out, " 1-3,7 "));
  assert_non_null(strstr(o.out, " 2026-11-20..2026-11-22\n"));
  forget(&o);
  o = run_in(*state, "WISP_SHIPPED=none", "db show --json");
  assert_non_null(strstr(o.out, "\"orders\":[1,2,3,7],\"first\":\"2026-11-20\",\"last\":\"2026-11-22\""));
}
