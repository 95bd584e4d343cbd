#include "change.h"

#include "place.h"
#include "reader.h"
#include "shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Refuses what is no store, or has a row that nobody could read, before SQLite may write there: even closing a foreign
 * file could change it. Gives all rows. */
static wisp_status look_first(wisp_error *err, const char *path, wisp_trials *rows)
{
  HELD(wisp_reader_close) wisp_reader reader = {.lock = -1};
  bool there = false;
  CALL(wisp_reader_open(err, path, true, &there, &reader));
  if (!there) return WISP_OK;
  CALL(wisp_database_verify(err, &reader.database, false));
  return wisp_rows_read(err, &reader.database, rows);
}

/* Rows whose texts were rewritten since get the hash that these have now: it is part of their key. */
static wisp_status renew(wisp_error *err, wisp_writer *writer, const wisp_trials *rows)
{
  OWNED(wisp_database_rollback) const wisp_database *database = &writer->database;
  OWNED(wisp_renewal_free) wisp_renewal *renewal = NULL;
  bool begun = false;
  CALL(wisp_renewal_load(err, &renewal));
  for (size_t i = 0; i < rows->count; i++) {
    wisp_trial trial = rows->trials[i];
    if (!wisp_renewal_apply(renewal, &trial)) continue;
    if (!begun) CALL(wisp_database_begin(err, database));
    begun = true;
    CALL(wisp_rows_bind_key(err, database, writer->remove, &rows->trials[i]));
    const int code = sqlite3_step(writer->remove);
    sqlite3_reset(writer->remove);
    CALL(wisp_database_fail(err, database, code));
    CALL(wisp_rows_insert(err, database, writer->newer, &trial, NULL));
  }
  if (begun) CALL(wisp_database_commit(err, database));
  return WISP_OK;
}

/* WAL where the place allows: readers and writers do not wait for each other. *wal tells what the file has now. */
static wisp_status choose_journal(wisp_error *err, const wisp_database *database, bool rollback, bool *wal)
{
  long long is_wal = 0;
  CALL(wisp_database_run(err, database, rollback ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL"));
  CALL(wisp_database_number(err, database, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", &is_wal));
  *wal = is_wal != 0;
  return WISP_OK;
}

static wisp_status warn(wisp_error *err, const char *path, char **warning)
{
  wisp_text text = {0};
  wisp_status status = wisp_text_print(
      err, &text,
      "%s %s: it keeps a rollback journal, so that writers wait for each other; "
      "tuners on several hosts do better with a file each and 'wisp db merge'",
      path, wisp_place_on_network(path) ? "is on a network file system" : "is treated so by WISP_JOURNAL=rollback");
  if (status == WISP_OK) *warning = text.data;
  return status;
}

wisp_status wisp_writer_attach(wisp_error *err, const char *path, int lock, bool rollback, wisp_writer **out)
{
  OWNED(wisp_writer_close) wisp_writer *writer = NULL;
  HELD(wisp_trials_free) wisp_trials rows = {0};
  CALL(wisp_new(err, 1, sizeof *writer, &writer));
  writer->lock = -1;
  CALL(look_first(err, path, &rows));
  CALL(wisp_database_open(err, path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, &writer->database));
  CALL(wisp_database_migrate(err, &writer->database));
  CALL(choose_journal(err, &writer->database, rollback, &writer->wal));
  CALL(wisp_rows_prepare_insert(err, &writer->database, WISP_INSERT_REPLACE, &writer->replace));
  CALL(wisp_rows_prepare_insert(err, &writer->database, WISP_INSERT_NEWER, &writer->newer));
  CALL(wisp_rows_prepare_keyed(err, &writer->database, "SELECT * FROM trial", &writer->find));
  CALL(wisp_rows_prepare_keyed(err, &writer->database, "DELETE FROM trial", &writer->remove));
  CALL(renew(err, writer, &rows));
  writer->lock = lock;
  return GIVE(writer, out);
}

wisp_status wisp_writer_open(wisp_error *err, const char *path, char **warning, wisp_writer **out)
{
  wisp_status status = WISP_OK;
  OWNED(free) char *real = NULL;
  int lock = -1;
  wisp_lock_state state;
  if (warning) *warning = NULL;
  TRY(wisp_place_resolve(err, path, &real));
  TRY(wisp_place_folders(err, real));
  TRY(wisp_place_writable(err, real));
  bool rollback = wisp_place_needs_rollback(real);
  TRY(wisp_lock_take(err, real, false, true, &lock, &state));
  if (rollback && warning) TRY(warn(err, path, warning));
  TRY(wisp_writer_attach(err, real, lock, rollback, out));
  lock = -1;
done:
  if (status != WISP_OK && warning) {
    free(*warning);
    *warning = NULL;
  }
  wisp_lock_close(&lock);
  return status;
}

wisp_status wisp_writer_add(wisp_error *err, wisp_writer *writer, const wisp_trial *trial)
{
  OWNED(wisp_database_rollback) const wisp_database *database = &writer->database;
  CALL(wisp_database_begin(err, database));
  CALL(wisp_rows_insert(err, database, writer->replace, trial, NULL));
  return wisp_database_commit(err, database);
}

wisp_status wisp_writer_has(wisp_error *err, wisp_writer *writer, const wisp_trial *key, bool *found, wisp_trial *trial)
{
  OWNED(sqlite3_reset) sqlite3_stmt *find = writer->find;
  wisp_trial row;
  CALL(wisp_rows_bind_key(err, &writer->database, find, key));
  int code = wisp_database_first(find);
  CALL(wisp_database_fail(err, &writer->database, code));
  if (code == SQLITE_ROW) CALL(wisp_rows_fetch(err, &writer->database, find, &row));
  if (code == SQLITE_ROW && trial) *trial = row;
  *found = code == SQLITE_ROW;
  return WISP_OK;
}

wisp_status wisp_writer_close(wisp_error *err, wisp_writer *writer)
{
  wisp_status status = WISP_OK;
  if (!writer) return WISP_OK;
  wisp_database_rollback(&writer->database);
  sqlite3_stmt *statements[] = {writer->replace, writer->newer, writer->find, writer->remove};
  for (size_t i = 0; i < WISP_COUNT(statements); i++) sqlite3_finalize(statements[i]);
  if (writer->wal) {
    /* At rest a store is one file that can be copied and read anywhere. Where others are at work they will see to that.
     */
    sqlite3_busy_handler(writer->database.db, NULL, NULL);
    sqlite3_exec(writer->database.db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
  }
  status = wisp_database_close(err, &writer->database);
  wisp_lock_close(&writer->lock);
  free(writer);
  return status;
}
