/* One store file read whole: on writable and read-only media, beside writers, after a crash. Nothing is believed
 * unchecked. */
#ifndef WISP_READER_H
#define WISP_READER_H

#include "rows.h"

/* A file opened for reading, by whatever way its place allows. */
typedef struct wisp_reader {
  wisp_database database;
  char *copy; /* folder of a private copy, where only that can be read */
} wisp_reader;
/* *out stays zeroed and *there false where there is no file, or an empty one. The file is recognised, and a read
 * transaction is open. */
wisp_status wisp_reader_open(wisp_error *err, const char *path, bool *there, wisp_reader *out);
void wisp_reader_close(wisp_reader *reader);

/* Appends all trials of a file; none where it is missing or empty. `thorough` checks all of the file's structure. */
wisp_status wisp_reader_load(wisp_error *err, const char *path, bool thorough, wisp_trials *list);

#endif
