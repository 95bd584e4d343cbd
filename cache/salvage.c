/* The good rows of a damaged file. A row is believed where its checksum holds; pages that cannot be read are passed
 * over. The damaged file itself is never written to: what is read is a copy. */
#include "change.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_ROW_BYTES = 64 }; /* in a file; a bound for how far behind a damaged page to look */

typedef struct rescue {
  wisp_database database;
  sqlite3_stmt *behind, *at; /* the rows behind a number, in their order; the row of a number */
  wisp_trials list;
  wisp_salvaged found;
  char *folder; /* of the copy */
} rescue;

/* SQLite refuses a file that is shorter than its head says. What was cut off becomes empty pages, which it passes over
 * as damaged. */
static void fill_up(const char *copy)
{
  unsigned char head[32];
  struct stat about;
  FILE *file = fopen(copy, "rb");
  size_t got = file ? fread(head, 1, sizeof head, file) : 0;
  if (file) fclose(file);
  if (got != sizeof head || stat(copy, &about) != 0) return;
  long long page = head[16] << 8 | head[17], pages = 0; /* both highest byte first */
  if (page == 1) page = 65536;
  for (int i = 28; i < 32; i++) pages = pages << 8 | head[i];
  if (page * pages > about.st_size && truncate(copy, page * pages) != 0) return; /* it is refused then */
}

static wisp_status open_copy(wisp_error *err, const char *path, const char *copy, rescue *r)
{
  int version = 0;
  fill_up(copy);
  CALL(wisp_database_open(err, path, copy, SQLITE_OPEN_READWRITE, false, &r->database));
  CALL(wisp_database_recognise(err, &r->database, &version));
  CALL(wisp_require(err, version > 0, WISP_ESTORE, "%s is empty: there is nothing to rescue", path));
  const char *const sql[] = {"SELECT rowid AS number, * FROM trial WHERE rowid > ? ORDER BY rowid",
                             "SELECT rowid AS number, * FROM trial WHERE rowid = ?"};
  CALL(wisp_database_fail(err, &r->database, sqlite3_prepare_v2(r->database.db, sql[0], -1, &r->behind, NULL)));
  return wisp_database_fail(err, &r->database, sqlite3_prepare_v2(r->database.db, sql[1], -1, &r->at, NULL));
}

/* Takes the rows that a statement gives for a number, as far as it goes. *last: the number of the last of them. */
static wisp_status take_rows(wisp_error *err, rescue *r, sqlite3_stmt *statement, long long number, long long *last,
                             int *code)
{
  OWNED(sqlite3_reset) sqlite3_stmt *rows = statement;
  wisp_trial trial;
  sqlite3_reset(rows);
  sqlite3_bind_int64(rows, 1, number);
  while ((*code = sqlite3_step(rows)) == SQLITE_ROW) {
    long long own = sqlite3_column_int64(rows, 0);
    *code = own > *last ? SQLITE_ROW : SQLITE_CORRUPT; /* pages that lead back to where it was */
    if (*code == SQLITE_CORRUPT) break;
    *last = own;
    if (wisp_rows_fetch(NULL, &r->database, rows, &trial) == WISP_OK)
      CALL(wisp_trials_add(err, &r->list, &trial));
    else
      r->found.damaged++;
  }
  return WISP_OK;
}

/* Row by row where a page cannot be read, until one behind it can. */
static wisp_status take_all(wisp_error *err, rescue *r, long long most)
{
  long long last = 0, end;
  int code = SQLITE_OK;
  r->found.complete = true;
  for (;;) {
    CALL(take_rows(err, r, r->behind, last, &last, &code));
    if (code == SQLITE_DONE) break;
    r->found.complete = false;
    end = last + most;
    for (bool read = false; !read && last < end;) {
      long long seen = last++;
      CALL(take_rows(err, r, r->at, last, &seen, &code));
      read = seen == last;
    }
    if (last >= end) break;
  }
  r->found.rescued = (long long)r->list.count;
  return WISP_OK;
}

static void release(rescue *r)
{
  sqlite3_finalize(r->behind);
  sqlite3_finalize(r->at);
  wisp_database_close(NULL, &r->database);
  if (r->folder) wisp_reader_remove_copy(r->folder);
  free(r->folder);
  wisp_trials_free(&r->list);
}

wisp_status wisp_store_salvage(wisp_error *err, const char *path, const char *into, char **backup, wisp_salvaged *out)
{
  HELD(release) rescue r = {0};
  OWNED(free) char *real = NULL, *fresh = NULL;
  HELD(wisp_lock_close) int lock = -1;
  wisp_lock_state state = WISP_LOCK_HELD;
  struct stat about;
  HELD(wisp_text_free) wisp_text copy = {0};
  CALL(wisp_place_resolve(err, path, &real));
  if (!into) {
    CALL(wisp_lock_take(err, real, true, false, NULL, &lock, &state));
    CALL(wisp_require(err, state == WISP_LOCK_HELD, WISP_ESTORE,
                      "%s is in use: end who writes to it first, or name a new file with -o", path));
  }
  CALL(wisp_require(err, stat(real, &about) == 0 && S_ISREG(about.st_mode), WISP_EMISSING,
                    "%s: there is no such file: check the name", real));
  CALL(wisp_reader_copy(err, real, &copy, &r.folder));
  CALL(open_copy(err, real, copy.data, &r));
  CALL(take_all(err, &r, about.st_size / LEAST_ROW_BYTES));
  CALL(wisp_require(err, r.list.count, WISP_ESTORE,
                    "%s: not one row of it is whole: nothing was rescued: restore it from a copy", path));
  CALL(into ? wisp_place_prepare(err, into, &fresh) : wisp_place_writable(err, real));
  CALL(into ? wisp_store_write_new(err, fresh, real, &r.list) : wisp_store_replace(err, real, &r.list, backup));
  *out = r.found;
  return WISP_OK;
}
