/* Trials in and out of SQLite, by the table of columns. */
#ifndef WISP_ROWS_H
#define WISP_ROWS_H

#include "columns.h"
#include "database.h"

typedef enum wisp_insert {
  WISP_INSERT_REPLACE, /* a trial of the same key gives way */
  WISP_INSERT_NEWER    /* it gives way only to one measured later */
} wisp_insert;
wisp_status wisp_rows_prepare_insert(wisp_error *err, const wisp_database *database, wisp_insert how,
                                     sqlite3_stmt **out);
/* *changed (may be NULL): whether the row was written. */
wisp_status wisp_rows_insert(wisp_error *err, const wisp_database *database, sqlite3_stmt *insert,
                             const wisp_trial *trial, bool *changed);

/* "verb WHERE key = ?...": verb is "SELECT * FROM trial" or "DELETE FROM trial". */
wisp_status wisp_rows_prepare_keyed(wisp_error *err, const wisp_database *database, const char *verb,
                                    sqlite3_stmt **out);
wisp_status wisp_rows_bind_key(wisp_error *err, const wisp_database *database, sqlite3_stmt *keyed,
                               const wisp_trial *trial);

/* The row that a SELECT * stands on. Columns that an older file lacks are unknown. WISP_ESTORE where the row is
 * damaged. */
wisp_status wisp_rows_fetch(wisp_error *err, const wisp_database *database, sqlite3_stmt *row, wisp_trial *out);

/* A growable list of trials. */
typedef struct wisp_trials {
  wisp_trial *trials;
  size_t count, capacity;
} wisp_trials;
void wisp_trials_free(wisp_trials *list);
wisp_status wisp_trials_add(wisp_error *err, wisp_trials *list, const wisp_trial *trial);

/* All rows, appended. */
wisp_status wisp_rows_read(wisp_error *err, const wisp_database *database, wisp_trials *list);

#endif
