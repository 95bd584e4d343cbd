#include "change.h"

#include "place.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static wisp_status change_in_place(wisp_error *err, const char *path, wisp_change change, const void *context,
                                   long long *changed)
{
  wisp_status status = WISP_OK;
  wisp_writer *writer = NULL;
  long long count = 0;
  TRY(wisp_writer_open(err, path, NULL, &writer));
  TRY(wisp_writer_begin(err, writer));
  TRY(change(err, writer, context, &count));
  TRY(wisp_writer_commit(err, writer));
  *changed = count;
done:
  wisp_writer_close(NULL, writer);
  return status;
}

/* Makes all of the old file's content lie in that one file, in the state that a rename may take the place of: without a
 * WAL, which would be taken for the new file's. *done false: readers were in the way all the time. */
static wisp_status settle(wisp_error *err, const char *path, bool *done)
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
  TRY(wisp_database_open(err, path, path, SQLITE_OPEN_READWRITE, &database));
  sqlite3_busy_timeout(database.db, 2000);
  sqlite3_exec(database.db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL); /* the next line tells */
  TRY(wisp_database_number(err, &database, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", &is_wal));
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
  return wisp_fail(err, WISP_ESTORE, "%s: cannot be synced to disk: %s", path, strerror(why));
}

/* Gives the new file the old one's owner and rights, syncs it, and puts it in the old one's place. */
static wisp_status publish(wisp_error *err, const char *fresh, const char *path)
{
  wisp_status status = WISP_OK;
  struct stat old;
  char folder[4096];
  if (stat(path, &old) == 0) {
    if (chown(fresh, old.st_uid, old.st_gid) != 0) errno = 0; /* only root can, and only then it matters */
    TRY(wisp_require(err, chmod(fresh, old.st_mode & 07777) == 0, WISP_ESTORE, "%s: cannot set its rights: %s", fresh,
                     strerror(errno)));
  }
  TRY(sync_path(err, fresh, O_RDONLY));
  TRY(wisp_require(err, rename(fresh, path) == 0, WISP_ESTORE, "%s: cannot be put in the place of %s: %s", fresh, path,
                   strerror(errno)));
  snprintf(folder, sizeof folder, "%s", path);
  TRY(sync_path(err, dirname(folder), O_RDONLY | O_DIRECTORY));
done:
  return status;
}

static wisp_status copy_rows(wisp_error *err, const char *from, wisp_writer *to)
{
  wisp_status status = WISP_OK;
  wisp_trials list = {0};
  TRY(wisp_reader_load(err, from, false, NULL, &list));
  for (size_t i = 0; i < list.count; i++) TRY(wisp_rows_insert(err, &to->database, to->replace, &list.trials[i], NULL));
done:
  free(list.trials);
  return status;
}

static void remove_fresh(const char *fresh)
{
  char journal[4096];
  snprintf(journal, sizeof journal, "%s-journal", fresh);
  unlink(fresh);
  unlink(journal);
}

/* The caller holds the lock alone, so that the new file's name is ours: what is there was left by a merge that was
 * killed. */
static wisp_status change_by_rename(wisp_error *err, const char *path, wisp_change change, const void *context,
                                    long long *changed)
{
  wisp_status status = WISP_OK;
  wisp_writer *writer = NULL;
  wisp_text fresh = {0};
  long long count = 0;
  TRY(wisp_text_print(err, &fresh, "%s.new", path));
  remove_fresh(fresh.data);
  TRY(wisp_writer_attach(err, fresh.data, -1, true, &writer));
  TRY(wisp_writer_begin(err, writer));
  TRY(copy_rows(err, path, writer));
  TRY(change(err, writer, context, &count));
  TRY(wisp_writer_commit(err, writer));
  status = wisp_writer_close(err, writer);
  writer = NULL;
  TRY(status);
  TRY(publish(err, fresh.data, path));
  *changed = count;
done:
  wisp_writer_close(NULL, writer);
  if (status != WISP_OK && fresh.data) remove_fresh(fresh.data);
  wisp_text_free(&fresh);
  return status;
}

wisp_status wisp_store_change(wisp_error *err, const char *path, wisp_change change, const void *context,
                              long long *changed)
{
  wisp_status status = WISP_OK;
  char *real = NULL;
  int lock = -1;
  wisp_lock_state state;
  bool settled = false;
  TRY(wisp_place_resolve(err, path, &real));
  TRY(wisp_place_folders(err, real));
  TRY(wisp_lock_open(err, real, &lock));
  TRY(wisp_lock_take(err, lock, true, false, &state));
  if (state == WISP_LOCK_HELD) TRY(settle(err, real, &settled));
  if (settled)
    TRY(change_by_rename(err, real, change, context, changed));
  else {
    wisp_lock_close(lock);
    lock = -1;
    TRY(change_in_place(err, real, change, context, changed));
  }
done:
  wisp_lock_close(lock);
  free(real);
  return status;
}
