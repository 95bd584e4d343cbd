/* One store file read whole: on writable and read-only media, beside writers, after a crash. Nothing is believed
 * unchecked. */
#ifndef WISP_READER_H
#define WISP_READER_H

#include "columns.h"

/* A file opened for reading, by whatever way its place allows. */
typedef struct wisp_reader {
  wisp_database database;
  char *copy;     /* folder of a private copy, where only that can be read */
  int lock;       /* of the lock file, where reading has to write; else -1 */
  long long work; /* how much SQLite may still do for it, by the file's size */
} wisp_reader;
/* locked: the caller holds the file's lock. *there is false where there is no file, or an empty one. To be closed in
 * any case. The file is recognised, and a read transaction is open. */
wisp_status wisp_reader_open(wisp_error *err, const char *path, bool locked, bool *there, wisp_reader *out);
void wisp_reader_close(wisp_reader *reader);

/* Copies a file and what belongs to it to a private folder (caller frees *folder and removes it); name is the copy. */
wisp_status wisp_reader_copy(wisp_error *err, const char *path, wisp_text *name, char **folder);
void wisp_reader_remove_copy(const char *folder);

/* Appends all trials of a file; none, and *there (may be NULL) false, where it is missing or empty. `thorough` checks
 * all of its structure. */
wisp_status wisp_reader_load(wisp_error *err, const char *path, bool thorough, bool *there, wisp_trials *list);
/* The same of a file that must be there: WISP_EMISSING. */
wisp_status wisp_reader_load_there(wisp_error *err, const char *path, bool thorough, wisp_trials *list);

#endif
