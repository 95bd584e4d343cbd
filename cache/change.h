/* Many changes to one store file at once: all or none, readers undisturbed. */
#pragma once

#include "columns.h"

/* ---- What the care of files needs of a writer beyond store.h: several changes in one transaction. */

struct wisp_writer {
  wisp_database database;
  sqlite3_stmt *replace, *newer, *find, *remove; /* insert (two ways), select by key, delete by key */
  int lock;                                      /* of the lock file, shared; -1 where a caller holds it */
  bool wal;
};

/* OWNED: closed whatever that says. */
static inline void wisp_writer_close_owned(wisp_writer *const *own)
{
  wisp_writer_close(NULL, *own);
}

/* Makes the changes through writer, inside a transaction, and adds how many to *changed. */
typedef wisp_status (*wisp_change)(wisp_error *err, wisp_writer *writer, const void *context, long long *changed);

/* Applies a change to the file at path (made where missing). Where nobody else writes, a new file is made beside it,
 * synced and renamed into place, so that readers on any file system see the old or the new one. Where somebody writes,
 * renaming would lose their work: the change is one transaction of the file instead. */
wisp_status wisp_store_change(wisp_error *err, const char *path, wisp_change change, const void *context,
                              long long *changed);

/* The change that adds a list's (const wisp_trials *) trials, each unless the file has a later one. */
wisp_status wisp_change_add_newer(wisp_error *err, wisp_writer *writer, const void *context, long long *changed);

/* A new store file at path (there must be none) that holds the list's trials; with the rights, and where that is
 * allowed the owner, of the file `like`. */
wisp_status wisp_store_write_new(wisp_error *err, const char *path, const char *like, const wisp_trials *list);
/* Puts such a file in the place of path, whose lock the caller holds alone; the old one stays under the name *backup
 * (free). */
wisp_status wisp_store_replace(wisp_error *err, const char *path, const wisp_trials *list, char **backup);
