/* One store file read whole: on writable and read-only media, beside writers, after a crash. Nothing is believed
 * unchecked. */
#pragma once

#include "columns.h"

/* ---- Where store files are and what their surroundings allow: default path, folders, network file systems, the lock
 * beside a file. */

/* The file that path names, there or not, through symbolic links, so that everybody locks and replaces the same one.
 * WISP_EUSAGE for an empty name. Caller frees. */
wisp_status wisp_place_resolve(wisp_error *err, const char *path, char **out);
/* Refuses a file that is there and read-only. */
wisp_status wisp_place_writable(wisp_error *err, const char *path);
/* The file for writing: resolved, its folders made, refused where it is read-only. Caller frees *out in any case. */
wisp_status wisp_place_prepare(wisp_error *err, const char *path, char **out);

/* Does a file system of this statfs type live on another machine, so that SQLite's WAL must not be used? */
bool wisp_place_is_network(unsigned long type);
bool wisp_place_on_network(const char *path);

/* The lock file PATH.lock. Writers share it for as long as they are open; whoever replaces the file holds it alone. */
typedef enum wisp_lock_state {
  WISP_LOCK_HELD,
  WISP_LOCK_TAKEN,      /* someone else has it; where `wait`, all the time that there was */
  WISP_LOCK_UNSUPPORTED /* the file system knows no flock */
} wisp_lock_state;
/* Opens it, made where it is missing, and takes it; *lock is to be closed whatever came of it, if it is not -1. *left
 * is how many seconds there are to wait, less what it took; NULL: as always. */
wisp_status wisp_lock_take(wisp_error *err, const char *path, bool alone, bool wait, double *left, int *lock,
                           wisp_lock_state *out);
void wisp_lock_close(int *lock); /* gives it back, where it is not -1, which it is from then on */

/* A file opened for reading, by whatever way its place allows. */
typedef struct wisp_reader {
  wisp_database database;
  char *copy;     /* folder of a private copy, where only that can be read */
  int lock;       /* of the lock file, where reading has to write; else -1 */
  long long work; /* how much SQLite may still do for it, by the file's size */
  double *left;   /* seconds that may be waited for it in all; NULL: as always */
} wisp_reader;
/* out->left holds. locked: the caller holds the file's lock. *there is false where there is no file, or an empty one.
 * To be closed in any case. The file is recognised, and a read transaction is open. */
wisp_status wisp_reader_open(wisp_error *err, const char *path, bool locked, bool *there, wisp_reader *out);
void wisp_reader_close(wisp_reader *reader);

/* Copies a file and what belongs to it to a private folder (caller frees *folder and removes it); name is the copy. */
wisp_status wisp_reader_copy(wisp_error *err, const char *path, wisp_text *name, char **folder);
void wisp_reader_remove_copy(const char *folder);

/* Appends all trials of a file; none, and *there (may be NULL) false, where it is missing or empty. thorough: checks
 * all of its structure. left: seconds to wait for those who hold the file; NULL: as always. */
wisp_status wisp_reader_load(wisp_error *err, const char *path, bool thorough, double *left, bool *there,
                             wisp_trials *list);
/* The same of a file that must be there: WISP_EMISSING. */
wisp_status wisp_reader_load_there(wisp_error *err, const char *path, bool thorough, wisp_trials *list);
