/* Claim: a store's name is a file's, whatever it looks like; a file from elsewhere runs no code of its own, keeps no
 * reader busy and steers no terminal; what replaces a file keeps its owner and rights, and asks the same lock by every
 * name. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../cache/database.h"
#include "../cache/reader.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { NOBODY = 65534 };

static int setup(void **state)
{
  unsetenv("WISP_SITE_DB");
  setenv("WISP_SHIPPED", "none", 1);
  return fixture_set_up(state);
}

/* Names that SQLite has a meaning of its own for are files here, for --db and for WISP_DB; none at all is refused. */
TEST_WITH(names_are_files, setup, fixture_tear_down)
{
  static const char *const names[] = {":memory:", "file:x?mode=memory", "file:lit.db", "a%20b?c#d"};
  char here[4096];
  fixture_fill(fixture_path(*state, "user.db"), 0, 3);
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(chdir(*state), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fixture_fill(names[i], 0, 3);
    assert_int_equal(access(names[i], F_OK), 0);
    assert_int_equal(fixture_count(names[i]), 3);
    setenv("WISP_DB", names[i], 1);
    assert_int_equal(fixture_count(NULL), 3);
    unsetenv("WISP_DB");
  }
  assert_int_equal(chdir(here), 0);
  static const char *const commands[] = {"db show",
                                         "db export",
                                         "db check",
                                         "best -d all",
                                         "run maxwell -n 1 --box 1 -d host",
                                         "tune -d host -n 1 -p f32 --kernel update --box 1",
                                         "report -o page",
                                         "db prune --failed"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    run_expect(*state, "", 2, "empty", "%s --db ''", commands[i]);
}

/* A view, a virtual table, or columns that are computed in the table's place: refused at once, by everybody. */
TEST_WITH(only_a_plain_table_is_read, setup, fixture_tear_down)
{
  static const char *const changes[] = {
      "ALTER TABLE trial RENAME TO t0; CREATE VIEW trial AS SELECT * FROM t0",
      "ALTER TABLE trial RENAME TO t0; CREATE VIEW trial AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
      "FROM c) SELECT t0.* FROM c JOIN t0 ON t0.rowid = -c.x",
      "ALTER TABLE trial RENAME TO t0; CREATE VIEW trial AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
      "FROM c) SELECT t0.* FROM c JOIN t0",
      "ALTER TABLE trial ADD COLUMN more TEXT AS (hex(zeroblob(900000)))",
  };
  wisp_error err = {0};
  wisp_store *store = NULL;
  wisp_writer *writer = NULL;
  HELD(wisp_text_free) wisp_text report = {0};
  long long count;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char name[16];
    snprintf(name, sizeof name, "%zu.db", i);
    const char *path = fixture_path(*state, name), *fresh = fixture_path(*state, "fresh.db");
    fixture_fill(path, 0, 5);
    fixture_sql(path, "DROP VIEW winner");
    fixture_sql(path, changes[i]);
    assert_int_equal(wisp_store_open(&err, path, false, NULL, &store), WISP_ESTORE);
    assert_non_null(strstr(err.text, "no plain table"));
    assert_int_equal(wisp_store_check(&err, path, &report), WISP_ESTORE);
    assert_int_equal(wisp_writer_open(&err, path, NULL, &writer), WISP_ESTORE);
    assert_int_equal(wisp_store_merge(&err, fresh, 1, &path, &count), WISP_ESTORE);
    assert_int_equal(wisp_store_export(&err, path, false, false, &report), WISP_ESTORE);
  }
}

/* A tree of pages of which each names the same page many times over: more rows than the file could hold. */
TEST_WITH(endless_trees_are_given_up, setup, fixture_tear_down)
{
  enum { PAGE = 512 };
  const char *path = fixture_path(*state, "user.db");
  wisp_error err = {0};
  wisp_store *store = NULL;
  fixture_sql(path, "PRAGMA page_size=512");
  fixture_fill(path, 0, 1);
  fixture_sql(path, "PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM; CREATE TABLE fill (x);"
                    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9000)"
                    "INSERT INTO fill SELECT zeroblob(1000) FROM c");
  sqlite3 *db = NULL;
  sqlite3_stmt *query = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'trial'", -1, &query, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(query), SQLITE_ROW);
  long root = (long)sqlite3_column_int64(query, 0);
  sqlite3_finalize(query);
  sqlite3_close(db);
  size_t length;
  unsigned char *data = (unsigned char *)fixture_read(path, &length);
  assert_true(length > (9u << 20)); /* so large that its structure is not checked first */
  /* The row's page moves to the end of the file's pages in use; 8 levels above it, each with 60 times the one below. */
  enum { LEVELS = 8, CELLS = 60 };
  unsigned char leaf[PAGE];
  memcpy(leaf, data + (root - 1) * PAGE, PAGE);
  long first = (long)(length / PAGE) - LEVELS; /* of `fill`: nobody reads it */
  memcpy(data + (first - 1) * PAGE, leaf, PAGE);
  for (int level = 0; level < LEVELS; level++) {
    long at = level == LEVELS - 1 ? root : first + 1 + level, below = first + level;
    unsigned char *page = data + (at - 1) * PAGE, *cells = page + PAGE - 5 * CELLS;
    memset(page, 0, PAGE);
    page[0] = 5; /* inner page of a table */
    page[4] = CELLS;
    page[5] = (unsigned char)((PAGE - 5 * CELLS) >> 8), page[6] = (unsigned char)(PAGE - 5 * CELLS);
    for (int shift = 0; shift < 4; shift++) page[8 + shift] = (unsigned char)(below >> (24 - 8 * shift));
    for (int c = 0; c < CELLS; c++) {
      int offset = PAGE - 5 * CELLS + 5 * c;
      page[12 + 2 * c] = (unsigned char)(offset >> 8), page[13 + 2 * c] = (unsigned char)offset;
      for (int shift = 0; shift < 4; shift++) cells[5 * c + shift] = (unsigned char)(below >> (24 - 8 * shift));
      cells[5 * c + 4] = 1;
    }
  }
  fixture_write(path, data, length);
  free(data);
  assert_int_equal(wisp_store_open(&err, path, false, NULL, &store), WISP_ESTORE);
  assert_non_null(strstr(err.text, "longer than its size allows"));
}

/* Merge, import and prune leave a file that is read-only as it is, whoever asks; others keep their rights. */
TEST_WITH(rights_are_kept, setup, fixture_tear_down)
{
  const char *path = fixture_path(*state, "user.db"), *from = fixture_path(*state, "from.db");
  wisp_error err = {0};
  HELD(wisp_text_free) wisp_text json = {0};
  wisp_writer *writer = NULL;
  struct stat about;
  long long count;
  fixture_fill(path, 0, 3);
  fixture_fill(from, 3, 6);
  assert_int_equal(wisp_store_export(NULL, from, false, false, &json), WISP_OK);
  assert_int_equal(chmod(path, 0444), 0);
  assert_int_equal(wisp_store_merge(&err, path, 1, &from, &count), WISP_ESTORE);
  assert_non_null(strstr(err.text, "cannot be written"));
  assert_int_equal(wisp_store_import(&err, path, "export", json.data, json.length, &count), WISP_ESTORE);
  assert_int_equal(wisp_writer_open(&err, path, NULL, &writer), WISP_ESTORE);
  run_expect(*state, "", 1, "", "db prune -d 'NVIDIA H200'");
  assert_int_equal(fixture_count(path), 3);
  assert_int_equal(chmod(path, 0606), 0);
  assert_int_equal(wisp_store_merge(&err, path, 1, &from, &count), WISP_OK);
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0606);
}

/* Another user's file stays theirs, also where only its content may be written; root's changes keep the owner. */
TEST_WITH(owners_are_kept, setup, fixture_tear_down)
{
  const char *path = fixture_path(*state, "user.db"), *from = fixture_path(*state, "from.db");
  struct stat about;
  long long count;
  int status = 0;
  if (geteuid() != 0) skip();
  fixture_fill(path, 0, 3);
  fixture_fill(from, 3, 6);
  assert_int_equal(chmod(*state, 0777), 0);
  assert_int_equal(chmod(path, 0666), 0);
  assert_int_equal(chmod(fixture_path(*state, "user.db.lock"), 0666), 0);
  pid_t child = fork();
  if (child == 0) {
    wisp_error err = {0};
    bool good = setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0 &&
                wisp_store_merge(&err, path, 1, &from, &count) == WISP_OK;
    if (!good) fprintf(stderr, "%s\n", err.text);
    _exit(good ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_uid, 0);
  assert_int_equal(fixture_count(path), 6);
  assert_int_equal(access(fixture_path(*state, "user.db.new"), F_OK), -1);
  assert_int_equal(chown(path, NOBODY, NOBODY), 0);
  run_expect(*state, "", 0, "", "db prune -d 'NVIDIA H200'");
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_uid, NOBODY);
}

/* One lock whatever the name, before the file is there as well. */
TEST_WITH(links_lead_to_one_lock, setup, fixture_tear_down)
{
  const char *real = fixture_path(*state, "real.db"), *link = fixture_path(*state, "link.db");
  char *resolved = NULL;
  assert_int_equal(symlink("middle.db", link), 0);
  assert_int_equal(symlink("real.db", fixture_path(*state, "middle.db")), 0);
  GOOD(wisp_place_resolve(err, link, &resolved));
  assert_string_equal(resolved, real);
  free(resolved);
  fixture_fill(link, 0, 0);
  assert_int_equal(access(real, F_OK), 0);
  assert_int_equal(access(fixture_path(*state, "real.db.lock"), F_OK), 0);
  assert_int_equal(access(fixture_path(*state, "link.db.lock"), F_OK), -1);
}

/* Whoever may write a store may lock it. */
TEST_WITH(locks_are_shared_as_the_store, setup, fixture_tear_down)
{
  const char *path = fixture_path(*state, "user.db");
  struct stat about;
  mode_t old = umask(077);
  fixture_fill(path, 0, 1);
  umask(old);
  assert_int_equal(chmod(path, 0664), 0);
  fixture_fill(path, 1, 2);
  assert_int_equal(stat(fixture_path(*state, "user.db.lock"), &about), 0);
  assert_int_equal(about.st_mode & 0777, 0664);
}

/* Stored text reaches a terminal as text. */
TEST_WITH(nothing_steers_the_terminal, setup, fixture_tear_down)
{
  static const char *const commands[] = {"db show",
                                         "best -d all",
                                         "best -d all --format csv",
                                         "best -d all --json",
                                         "db show --json",
                                         "db prune -d x --dry-run",
                                         "db prune --before 2027-01-01 --dry-run",
                                         "best -d x",
                                         "db export",
                                         "db export --format text --winners"};
  static const char evil[] = "\x1b]0;pwned\a\x1b[2J\xc2\x9b"
                             "31m\r\x7f card";
  wisp_trial t = fixture_trial(1);
  snprintf(t.device, sizeof t.device, "%s", evil);
  snprintf(t.strategy, sizeof t.strategy, "\x1b[31m");
  snprintf(t.params, sizeof t.params, "a=\x1b[31m");
  fixture_put(fixture_path(*state, "user.db"), &t, 1);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    HELD(forget) outcome o = run_in(*state, "WISP_SHIPPED=none", commands[i]);
    for (const char *c = "\x1b\a\r\x7f"; *c; c++)
      if (strchr(o.out, *c) || strchr(o.err, *c)) fail_msg("%s: a control character 0x%02x", commands[i], *c);
    assert_null(strstr(o.out, "\xc2\x9b"));
    if (i < 3) assert_non_null(strstr(o.out, "\\x1b]0;pwned\\x07\\x1b[2J"));
  }
  char shown[32];
  wisp_show_text("\xc3\xa9 \xff\n", shown, sizeof shown); /* letters stay */
  assert_string_equal(shown, "\xc3\xa9 \\xff\\x0a");
}

/* More devices than a screen has lines: each is there. */
TEST_WITH(every_device_is_shown, setup, fixture_tear_down)
{
  enum { DEVICES = 300 };
  static wisp_trial trials[DEVICES];
  for (int i = 0; i < DEVICES; i++) {
    trials[i] = fixture_trial(i);
    snprintf(trials[i].device, sizeof trials[i].device, "Card %d;", i);
  }
  fixture_put(fixture_path(*state, "user.db"), trials, DEVICES);
  HELD(forget) outcome o = run_in(*state, "WISP_SHIPPED=none", "db show");
  for (int i = 0; i < DEVICES; i++) {
    char name[24];
    snprintf(name, sizeof name, "Card %d;", i);
    assert_non_null(strstr(o.out, name));
  }
}

/* A message about a long path says what happened, and what to do, all the same. */
TEST_WITH(long_paths_leave_the_reason, setup, fixture_tear_down)
{
  char path[3600];
  wisp_error err = {0};
  wisp_writer *writer = NULL;
  int used = snprintf(path, sizeof path, "%s/", (const char *)*state);
  while (used < 3500)
    used += snprintf(path + used, sizeof path - (size_t)used, "%s/", "0123456789012345678901234567890123456789");
  snprintf(path + used, sizeof path - (size_t)used, "wisp.db");
  assert_int_equal(wisp_writer_open(&err, path, NULL, &writer), WISP_ESTORE);
  assert_non_null(strstr(err.text, *state));
  assert_non_null(strstr(err.text, "too long"));
  assert_non_null(strstr(err.text, "WISP_DB"));
  assert_int_equal(access(fixture_path(*state, "0123456789012345678901234567890123456789"), F_OK), -1);
}
