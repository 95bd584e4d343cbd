/* Claim: measurements outlive a change of hashes that leaves what is compiled as it is (cache/rehashed.list): trials
 * with an older hash are read with the one of today, on their kind of device; a store that is written to keeps them so;
 * whole steps follow their kernels; all others stay as they are. */
#include "test.h"
#include "store_fixture.h"
#include "../cache/database.h"
#include "../cache/columns.h"
#include "../gen/embedded.h"
#include "../runtime/solve/choose.h"

/* A line of the list. */
typedef struct line {
  char old[20], target[16], new[20], kernel[48], strategy[40], system[24];
} line;

/* The next line of the list; false at its end. */
static bool next_line(const char **at, line *l)
{
  while (**at == '#') *at += strcspn(*at, "\n") + 1;
  const bool is_one =
      sscanf(*at, "%19s %15s %19s %47s %39s %23s", l->old, l->target, l->new, l->kernel, l->strategy, l->system) == 6;
  *at += strcspn(*at, "\n");
  *at += **at == '\n';
  return is_one;
}

/* The first line of a kernel for such targets whose hash changed; fails where there is none. */
static line find_line(const char *kernel, const char *target)
{
  const char *at = wisp_embedded_text("cache/rehashed.list");
  assert_non_null(at);
  for (line l; next_line(&at, &l);)
    if (strcmp(l.kernel, kernel) == 0 && strcmp(l.target, target) == 0 && strcmp(l.old, l.new) != 0) return l;
  fail_msg("no line for %s", kernel);
  return (line){.old = ""};
}

static wisp_trial trial_of(const line *l)
{
  wisp_trial t = fixture_trial(1);
  snprintf(t.spec, sizeof t.spec, "%s:tet:p2:%s:f64", l->kernel, l->system);
  snprintf(t.strategy, sizeof t.strategy, "%s", l->strategy);
  strcpy(t.target, strcmp(l->target, "host") == 0 ? "host" : "sm_90");
  strcpy(t.template_hash, l->old);
  return t;
}

/* A stage of these kernels, with their older texts or today's. */
static wisp_trial step_of(const line *gather, const line *fused, bool old)
{
  wisp_trial t = trial_of(gather);
  uint64_t hash = wisp_composition_hash(WISP_HASH_SEED, old ? gather->old : gather->new);
  hash = wisp_composition_hash(hash, old ? fused->old : fused->new);
  strcpy(t.spec, "nodal.step:tet:p2:maxwell:f64");
  strcpy(t.strategy, "gather+fused");
  snprintf(t.template_hash, sizeof t.template_hash, "%016llx", (unsigned long long)hash);
  return t;
}

enum { TRIALS = 5 };

/* Two kernels, one of them on both kinds of device, their step, and one of texts that nobody knows. */
static void make_trials(wisp_trial old[TRIALS], wisp_trial now[TRIALS])
{
  const line lines[] = {find_line("nodal.gather", "sm_"), find_line("nodal.fused", "sm_"),
                        find_line("nodal.gather", "host")};
  for (int i = 0; i < 3; i++) {
    old[i] = now[i] = trial_of(&lines[i]);
    strcpy(now[i].template_hash, lines[i].new);
  }
  old[3] = step_of(&lines[0], &lines[1], true);
  now[3] = step_of(&lines[0], &lines[1], false);
  old[4] = now[4] = fixture_trial(2);
}

/* Are these the trials of a list, in whatever order, and none besides? */
static void expect_trials(const wisp_store *store, const wisp_trial expected[TRIALS])
{
  assert_int_equal(wisp_store_count(store), TRIALS);
  for (int e = 0; e < TRIALS; e++) {
    bool found = false;
    for (size_t i = 0; i < TRIALS; i++) found |= fixture_same(wisp_store_trial(store, i, NULL), &expected[e]);
    if (!found) fail_msg("%s %s %s is not there", expected[e].spec, expected[e].target, expected[e].template_hash);
  }
}

static void expect_in_file(const char *path, const wisp_trial expected[TRIALS])
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  expect_trials(store, expected);
}

/* The number of rows in a file that have the hash of one of these trials. */
static long long rows_with(const char *path, const wisp_trial *trials, int count)
{
  wisp_database database = {0};
  HELD(wisp_text_free) wisp_text sql = {0};
  long long rows = 0;
  GOOD(wisp_database_open(err, path, path, SQLITE_OPEN_READONLY, false, &database));
  GOOD(wisp_text_print(err, &sql, "SELECT count(*) FROM trial WHERE template_hash IN (''"));
  for (int i = 0; i < count; i++) GOOD(wisp_text_print(err, &sql, ", '%s'", trials[i].template_hash));
  GOOD(wisp_text_print(err, &sql, ")"));
  GOOD(wisp_database_number(err, &database, sql.data, &rows));
  wisp_database_close(NULL, &database);
  return rows;
}

/* Reading changes nothing; the first writer does, once and for all, and finds the trials under today's hashes. */
TEST_IN_FOLDER(test_file)
{
  const char *path = fixture_path(*state, "wisp.db");
  wisp_trial old[TRIALS], now[TRIALS];
  wisp_writer *writer = NULL;
  make_trials(old, now);
  fixture_put(path, old, TRIALS);
  assert_int_equal(rows_with(path, old, 4), 4);
  expect_in_file(path, now);
  assert_int_equal(rows_with(path, old, 4), 4);
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  for (int i = 0; i < TRIALS; i++) {
    bool found = false;
    GOOD(wisp_writer_has(err, writer, &now[i], &found, NULL));
    assert_true(found);
  }
  GOOD(wisp_writer_close(err, writer));
  assert_int_equal(rows_with(path, old, 4), 0);
  assert_int_equal(rows_with(path, now, TRIALS), TRIALS);
  expect_in_file(path, now);
}

/* If both are there, the later measurement stays. */
TEST_IN_FOLDER(test_both)
{
  for (int later = 0; later < 2; later++) {
    const char *path = fixture_path(*state, later ? "later.db" : "earlier.db");
    wisp_trial old[TRIALS], now[TRIALS];
    make_trials(old, now);
    strcpy(now[0].when, later ? "2026-11-22T08:00:00Z" : "2026-11-20T08:00:00Z");
    now[0].ms = 77;
    old[4] = now[0];
    fixture_put(path, old, TRIALS);
    fixture_put(path, NULL, 0); /* which renews its rows */
    OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
    assert_int_equal(wisp_store_count(store), TRIALS - 1);
    int measured = 0;
    for (size_t i = 0; i < TRIALS - 1; i++) measured += wisp_store_trial(store, i, NULL)->ms == 77;
    assert_int_equal(measured, later);
  }
}

/* Texts of older exports, and older stores that are merged. */
TEST_IN_FOLDER(test_import_and_merge)
{
  const char *path = fixture_path(*state, "old.db"), *merged = fixture_path(*state, "merged.db");
  const char *imported[] = {fixture_path(*state, "text.db"), fixture_path(*state, "json.db")};
  wisp_trial old[TRIALS], now[TRIALS];
  wisp_text texts[2] = {{0}};
  long long added = 0;
  make_trials(old, now);
  fixture_put(path, old, TRIALS);
  GOOD(wisp_store_merge(err, merged, 1, &path, &added));
  assert_int_equal(rows_with(merged, now, TRIALS), TRIALS);
  for (int i = 0; i < TRIALS; i++) {
    OWNED(cJSON_Delete) cJSON *json = wisp_trial_to_json(&old[i]);
    char *text = cJSON_PrintUnformatted(json);
    GOOD(wisp_shipped_print(err, &old[i], &texts[0]));
    GOOD(wisp_text_print(err, &texts[1], "%s%s", i ? "," : "{\"wisp_store\": 1, \"trials\": [", text));
    cJSON_free(text);
  }
  GOOD(wisp_text_print(err, &texts[1], "]}"));
  for (int i = 0; i < 2; i++) {
    GOOD(wisp_store_import(err, imported[i], "text", texts[i].data, texts[i].length, &added));
    assert_int_equal(rows_with(imported[i], now, TRIALS), TRIALS);
    wisp_text_free(&texts[i]);
  }
}

/* A hash of the list is one kind of device's: the other has its own. */
TEST_IN_FOLDER(test_kinds)
{
  const char *at = wisp_embedded_text("cache/rehashed.list");
  int shared = 0;
  for (line l, before = {.old = ""}; next_line(&at, &l); before = l) {
    if (strcmp(l.old, before.old) != 0) continue;
    assert_string_not_equal(l.target, before.target);
    assert_string_not_equal(l.new, before.new);
    shared++;
  }
  assert_true(shared > 10);
}

/* The list leads to today's hashes of the texts: what it proved once stays true until a text is edited, and then
 * its line is of no use. */
TEST_IN_FOLDER(test_leads_to_today)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  int lines = 0, today = 0;
  GOOD(wisp_strategies_load(err, &all));
  const char *at = wisp_embedded_text("cache/rehashed.list");
  for (line l; next_line(&at, &l);) {
    char hash[20] = "";
    char *dot = strchr(l.kernel, '.');
    *dot = '\0';
    const wisp_strategy *s = wisp_strategies_find(all, l.kernel, dot + 1, l.strategy);
    if (s) wisp_strategy_hash(s, l.system, strcmp(l.target, "host") == 0 ? "host" : "cuda", hash);
    lines++, today += strcmp(hash, l.new) == 0;
  }
  assert_true(lines > 50);
  assert_true(today > lines / 2);
}

GROUP(no_shipped_winners, NULL)
