#include "change.h"
#include "reader.h"
#include "../gen/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A writer. */

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
static wisp_status rehash(wisp_error *err, wisp_writer *writer, const wisp_trials *rows)
{
  OWNED(wisp_database_rollback) const wisp_database *database = &writer->database;
  OWNED(wisp_rehashing_free) wisp_rehashing *rehashing = NULL;
  bool begun = false;
  CALL(wisp_rehashing_load(err, &rehashing));
  for (size_t i = 0; i < rows->count; i++) {
    wisp_trial trial = rows->trials[i];
    if (!wisp_rehashing_apply(rehashing, &trial)) continue;
    if (!begun) CALL(wisp_database_run(err, database, WISP_BEGIN));
    begun = true;
    CALL(wisp_rows_bind_key(err, database, writer->remove, &rows->trials[i]));
    const int code = sqlite3_step(writer->remove);
    sqlite3_reset(writer->remove);
    CALL(wisp_database_fail(err, database, code));
    CALL(wisp_rows_insert(err, database, writer->newer, &trial, NULL));
  }
  if (begun) CALL(wisp_database_run(err, database, "COMMIT"));
  return WISP_OK;
}

static const char asks_for_wal[] = "SELECT journal_mode = 'wal' FROM pragma_journal_mode";

/* Opens the file itself; the writer gives lock (or -1) back when it is closed, except where this fails. */
static wisp_status attach(wisp_error *err, const char *path, int lock, bool rollback, wisp_writer **out)
{
  OWNED(wisp_writer_close) wisp_writer *writer = NULL;
  HELD(wisp_trials_free) wisp_trials rows = {0};
  long long is_wal = 0;
  CALL(wisp_new(err, 1, sizeof *writer, &writer));
  writer->lock = -1;
  CALL(look_first(err, path, &rows));
  CALL(wisp_database_open(err, path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, &writer->database));
  CALL(wisp_database_run(err, &writer->database, "PRAGMA synchronous=FULL"));
  CALL(wisp_database_migrate(err, &writer->database));
  /* WAL where the place allows: readers and writers do not wait for each other. */
  CALL(wisp_database_run(err, &writer->database, rollback ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL"));
  CALL(wisp_database_number(err, &writer->database, asks_for_wal, &is_wal));
  writer->wal = is_wal != 0;
  CALL(wisp_rows_prepare_insert(err, &writer->database, WISP_INSERT_REPLACE, &writer->replace));
  CALL(wisp_rows_prepare_insert(err, &writer->database, WISP_INSERT_NEWER, &writer->newer));
  CALL(wisp_rows_prepare_keyed(err, &writer->database, "SELECT * FROM trial", &writer->find));
  CALL(wisp_rows_prepare_keyed(err, &writer->database, "DELETE FROM trial", &writer->remove));
  CALL(rehash(err, writer, &rows));
  writer->lock = lock;
  return GIVE(writer, out);
}

wisp_status wisp_writer_open(wisp_error *err, const char *path, char **warning, wisp_writer **out)
{
  OWNED(free) char *real = NULL;
  HELD(wisp_lock_close) int lock = -1;
  HELD(wisp_text_free) wisp_text text = {0};
  wisp_lock_state state;
  if (warning) *warning = NULL;
  CALL(wisp_place_prepare(err, path, &real));
  const bool rollback = wisp_environment_is("WISP_JOURNAL", "rollback") || wisp_place_on_network(real);
  CALL(wisp_lock_take(err, real, false, true, NULL, &lock, &state));
  if (state == WISP_LOCK_TAKEN) return wisp_fail_held(err, path);
  if (rollback && warning)
    CALL(wisp_text_print(
        err, &text,
        WISP_MESSAGE("%s %s: it keeps a rollback journal, so that writers wait for each other; "
                     "tuners on several hosts do better with a file each and 'wisp db merge'"),
        path, wisp_place_on_network(path) ? "is on a network file system" : "is treated so by WISP_JOURNAL=rollback"));
  CALL(attach(err, real, lock, rollback, out));
  lock = -1;
  return warning ? GIVE(text.data, warning) : WISP_OK;
}

void wisp_writer_report_waits(wisp_writer *writer, wisp_store_note note, void *context)
{
  writer->database.waiting->note = note;
  writer->database.waiting->context = context;
}

wisp_status wisp_writer_add(wisp_error *err, wisp_writer *writer, const wisp_trial *trial)
{
  OWNED(wisp_database_rollback) const wisp_database *database = &writer->database;
  CALL(wisp_database_run(err, database, WISP_BEGIN));
  CALL(wisp_rows_insert(err, database, writer->replace, trial, NULL));
  return wisp_database_run(err, database, "COMMIT");
}

wisp_status wisp_writer_has(wisp_error *err, wisp_writer *writer, const wisp_trial *key, bool *found, wisp_trial *trial)
{
  OWNED(sqlite3_reset) sqlite3_stmt *find = writer->find;
  wisp_trial row;
  CALL(wisp_rows_bind_key(err, &writer->database, find, key));
  int code = wisp_database_first(&writer->database, find);
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

/* ---- Many changes at once. */

static wisp_status change_in_place(wisp_error *err, const char *path, wisp_change change, const void *context,
                                   long long *changed)
{
  OWNED(wisp_writer_close) wisp_writer *writer = NULL;
  long long count = 0;
  CALL(wisp_writer_open(err, path, NULL, &writer));
  CALL(wisp_database_run(err, &writer->database, WISP_BEGIN));
  CALL(change(err, writer, context, &count));
  CALL(wisp_database_run(err, &writer->database, "COMMIT"));
  *changed = count;
  return WISP_OK;
}

/* Makes all of the old file's content lie in that one file, in the state that a rename may take the place of: without a
 * WAL, which would be taken for the new file's. *done false: readers were in the way all the time. */
static wisp_status flush(wisp_error *err, const char *path, bool *done)
{
  wisp_status status = WISP_OK;
  wisp_reader reader = {.lock = -1};
  wisp_database database = {0};
  bool there = false;
  long long is_wal = 0;
  *done = false;
  TRY(wisp_reader_open(err, path, true, &there, &reader)); /* refuses what is no store, before anything is written */
  wisp_reader_close(&reader);
  *done = !there;
  if (!there) goto done;
  TRY(wisp_database_open(err, path, path, SQLITE_OPEN_READWRITE, false, &database));
  sqlite3_busy_timeout(database.db, 2000);
  sqlite3_exec(database.db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL); /* the next line tells */
  TRY(wisp_database_number(err, &database, asks_for_wal, &is_wal));
  *done = !is_wal;
done:
  wisp_reader_close(&reader);
  wisp_database_close(NULL, &database);
  return status;
}

static wisp_status sync_path(wisp_error *err, const char *path, int flags)
{
  int file = open(path, flags | O_CLOEXEC);
  bool good = file >= 0 && fsync(file) == 0;
  int why = errno;
  if (file >= 0) close(file);
  if (good || ((flags & O_DIRECTORY) && why == EINVAL)) return WISP_OK; /* some file systems sync no folders */
  return wisp_fail(err, WISP_ESTORE, "%s: cannot be synced to disk: %s: make room, or name another file", path,
                   strerror(why));
}

/* Syncs the new file, and puts it in the old one's place. */
static wisp_status publish(wisp_error *err, const char *fresh, const char *path)
{
  char folder[4096];
  CALL(sync_path(err, fresh, O_RDONLY));
  CALL(wisp_require(err, rename(fresh, path) == 0, WISP_ESTORE,
                    "%s: cannot be put in the place of %s: %s: name a file in a writable folder", fresh, path,
                    strerror(errno)));
  snprintf(folder, sizeof folder, "%s", path);
  return sync_path(err, dirname(folder), O_RDONLY | O_DIRECTORY);
}

/* Makes an empty file with the owner and the rights of the file `like`, where that is there. *alike false: its owner is
 * somebody else, and only root can give files away. */
static wisp_status make_like(wisp_error *err, const char *path, const char *like, bool *alike)
{
  struct stat old, own;
  bool there = stat(like, &old) == 0;
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, there ? 0600 : 0666);
  if (file < 0)
    return wisp_fail(err, WISP_ESTORE, "%s: cannot be made: %s: name a file in a writable folder", path,
                     strerror(errno));
  *alike = !there || (fstat(file, &own) == 0 && own.st_uid == old.st_uid && own.st_gid == old.st_gid) ||
           fchown(file, old.st_uid, old.st_gid) == 0;
  if (there && fchmod(file, old.st_mode & 07777) != 0) *alike = false;
  close(file);
  return WISP_OK;
}

wisp_status wisp_store_write_new(wisp_error *err, const char *path, const char *like, const wisp_trials *list)
{
  OWNED(wisp_writer_close) wisp_writer *writer = NULL;
  bool alike;
  CALL(make_like(err, path, like, &alike));
  CALL(attach(err, path, -1, true, &writer));
  CALL(wisp_database_run(err, &writer->database, WISP_BEGIN));
  for (size_t i = 0; i < list->count; i++)
    CALL(wisp_rows_insert(err, &writer->database, writer->newer, &list->trials[i], NULL));
  CALL(wisp_database_run(err, &writer->database, "COMMIT"));
  wisp_writer *full = writer;
  writer = NULL;
  CALL(wisp_writer_close(err, full));
  return sync_path(err, path, O_RDONLY);
}

/* The first of path.backup-1, path.backup-2, ... that is not there. */
static wisp_status name_backup(wisp_error *err, const char *path, char **out)
{
  HELD(wisp_text_free) wisp_text name = {0};
  struct stat about;
  for (int number = 1; number == 1 || lstat(name.data, &about) == 0; number++) {
    name.length = 0;
    CALL(wisp_text_print(err, &name, "%s.backup-%d", path, number));
  }
  return GIVE(name.data, out);
}

static void remove_fresh(const char *fresh)
{
  char journal[4096];
  snprintf(journal, sizeof journal, "%s-journal", fresh);
  unlink(fresh);
  unlink(journal);
}

/* The caller holds the lock alone, so that the new file's name is ours: what is there was left by a merge that was
 * killed. *renamed false: the file is another user's, and would become ours. */
static wisp_status change_by_rename(wisp_error *err, const char *path, wisp_change change, const void *context,
                                    long long *changed, bool *renamed)
{
  wisp_status status = WISP_OK;
  wisp_writer *writer = NULL;
  HELD(wisp_text_free) wisp_text fresh = {0};
  HELD(wisp_trials_free) wisp_trials list = {0};
  long long count = 0;
  TRY(wisp_text_print(err, &fresh, "%s.new", path));
  remove_fresh(fresh.data);
  TRY(make_like(err, fresh.data, path, renamed));
  if (!*renamed) goto done;
  TRY(attach(err, fresh.data, -1, true, &writer));
  TRY(wisp_database_run(err, &writer->database, WISP_BEGIN));
  TRY(wisp_reader_load(err, path, false, NULL, NULL, &list));
  for (size_t i = 0; i < list.count; i++)
    TRY(wisp_rows_insert(err, &writer->database, writer->replace, &list.trials[i], NULL));
  TRY(change(err, writer, context, &count));
  TRY(wisp_database_run(err, &writer->database, "COMMIT"));
  status = wisp_writer_close(err, writer);
  writer = NULL;
  TRY(status);
  TRY(publish(err, fresh.data, path));
  *changed = count;
done:
  wisp_writer_close(NULL, writer);
  if (fresh.data && (status != WISP_OK || !*renamed)) remove_fresh(fresh.data);
  return status;
}

wisp_status wisp_store_change(wisp_error *err, const char *path, wisp_change change, const void *context,
                              long long *changed)
{
  OWNED(free) char *real = NULL;
  HELD(wisp_lock_close) int lock = -1;
  wisp_lock_state state;
  bool renamed = false;
  CALL(wisp_place_prepare(err, path, &real));
  CALL(wisp_lock_take(err, real, true, false, NULL, &lock, &state));
  if (state == WISP_LOCK_HELD) CALL(flush(err, real, &renamed));
  if (renamed) CALL(change_by_rename(err, real, change, context, changed, &renamed));
  wisp_lock_close(&lock);
  return renamed ? WISP_OK : change_in_place(err, real, change, context, changed);
}

wisp_status wisp_store_replace(wisp_error *err, const char *path, const wisp_trials *list, char **backup)
{
  static const char *const beside[] = {"-wal", "-journal"};
  wisp_status status = WISP_OK;
  HELD(wisp_text_free) wisp_text fresh = {0};
  char from[4096], to[4096], *kept = NULL;
  TRY(wisp_text_print(err, &fresh, "%s.new", path));
  remove_fresh(fresh.data);
  TRY(wisp_store_write_new(err, fresh.data, path, list));
  TRY(name_backup(err, path, &kept));
  TRY(wisp_require(err, link(path, kept) == 0, WISP_ESTORE,
                   "%s: cannot be kept as %s: %s: name a file in a writable folder", path, kept, strerror(errno)));
  for (size_t i = 0; i < WISP_COUNT(beside); i++) {
    snprintf(from, sizeof from, "%s%s", path, beside[i]);
    snprintf(to, sizeof to, "%s%s", kept, beside[i]);
    TRY(wisp_require(err, rename(from, to) == 0 || errno == ENOENT, WISP_ESTORE,
                     "%s: cannot be kept as %s: %s: name a file in a writable folder", from, to, strerror(errno)));
  }
  TRY(publish(err, fresh.data, path));
  *backup = kept;
done:
  if (fresh.data && status != WISP_OK) remove_fresh(fresh.data);
  if (status != WISP_OK) free(kept);
  return status;
}

/* ---- The care of files. */

wisp_status wisp_store_check(wisp_error *err, const char *path, wisp_text *report)
{
  wisp_tally tally = {0};
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_reader_load_there(err, path, true, &list));
  for (size_t i = 0; i < list.count; i++) wisp_tally_add(&tally, &list.trials[i]);
  CALL(wisp_text_print(err, report, "%s: whole; %zu trials, each with its checksum%s", path, list.count,
                       list.count ? ": " : ""));
  CALL(wisp_tally_print(err, &tally, report));
  return wisp_text_print(err, report, "\n");
}

wisp_status wisp_change_add_newer(wisp_error *err, wisp_writer *writer, const void *context, long long *changed)
{
  const wisp_trials *list = context;
  for (size_t i = 0; i < list->count; i++) {
    bool added = false;
    CALL(wisp_rows_insert(err, &writer->database, writer->newer, &list->trials[i], &added));
    *changed += added;
  }
  return WISP_OK;
}

wisp_status wisp_store_merge(wisp_error *err, const char *into, size_t count, const char *const *from, long long *added)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  for (size_t i = 0; i < count; i++) CALL(wisp_reader_load_there(err, from[i], false, &list));
  return wisp_store_change(err, into, wisp_change_add_newer, &list, added);
}

typedef struct pruning {
  wisp_current keep;
  const void *context;
  const char *path;
  char **backup;
} pruning;

static wisp_status remove_unkept(wisp_error *err, wisp_writer *writer, const void *context, long long *changed)
{
  OWNED(sqlite3_reset) sqlite3_stmt *deletion = writer->remove;
  const pruning *how = context;
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_rows_read(err, &writer->database, &list));
  for (size_t i = 0; i < list.count; i++) {
    if (how->keep(how->context, &list.trials[i])) continue;
    if (how->backup && *changed == 0) { /* all that the file holds now, under a name of its own */
      CALL(name_backup(err, how->path, how->backup));
      CALL(wisp_store_write_new(err, *how->backup, how->path, &list));
    }
    CALL(wisp_rows_bind_key(err, &writer->database, deletion, &list.trials[i]));
    CALL(wisp_database_fail(err, &writer->database, sqlite3_step(deletion)));
    (*changed)++;
  }
  return WISP_OK;
}

wisp_status wisp_store_prune(wisp_error *err, const char *path, wisp_current keep, const void *context, char **backup,
                             long long *removed)
{
  wisp_status status = WISP_OK;
  OWNED(free) char *real = NULL;
  HELD(wisp_trials_free) wisp_trials list = {0};
  if (backup) *backup = NULL;
  TRY(wisp_reader_load_there(err, path, false, &list)); /* it is there, and whole */
  TRY(wisp_place_resolve(err, path, &real));
  const pruning how = {keep, context, real, backup};
  TRY(wisp_store_change(err, path, remove_unkept, &how, removed));
done:
  if (status != WISP_OK && backup && *backup) { /* nothing was removed */
    unlink(*backup);
    free(*backup);
    *backup = NULL;
  }
  return status;
}
