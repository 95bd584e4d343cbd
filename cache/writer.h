/* What the care of files needs of a writer beyond store.h: several changes in one transaction. */
#ifndef WISP_WRITER_H
#define WISP_WRITER_H

#include "rows.h"

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

/* Opens the file itself; the writer gives lock (or -1) back when it is closed, except where this fails. */
wisp_status wisp_writer_attach(wisp_error *err, const char *path, int lock, bool rollback, wisp_writer **out);

#endif
