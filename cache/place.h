/* Where store files are and what their surroundings allow: default path, folders, network file systems, the lock beside
 * a file. */
#ifndef WISP_PLACE_H
#define WISP_PLACE_H

#include "../gen/text.h"

/* The file that path names, there or not, through symbolic links, so that everybody locks and replaces the same one.
 * WISP_EUSAGE for an empty name. Caller frees. */
wisp_status wisp_place_resolve(wisp_error *err, const char *path, char **out);
/* Refuses a file that is there and read-only. */
wisp_status wisp_place_writable(wisp_error *err, const char *path);
/* Makes the folders above path. */
wisp_status wisp_place_folders(wisp_error *err, const char *path);

/* Does a file system of this statfs type live on another machine, so that SQLite's WAL must not be used? */
bool wisp_place_is_network(unsigned long type);
bool wisp_place_on_network(const char *path);
/* Must a store here keep a rollback journal? By its file system, or by $WISP_JOURNAL=rollback. */
bool wisp_place_needs_rollback(const char *path);

/* The lock file PATH.lock. Writers share it for as long as they are open; whoever replaces the file holds it alone. */
typedef enum wisp_lock_state {
  WISP_LOCK_HELD,
  WISP_LOCK_TAKEN,      /* someone else has it: only where `wait` is false */
  WISP_LOCK_UNSUPPORTED /* the file system knows no flock */
} wisp_lock_state;
/* Opens it, made where it is missing, and takes it; *lock is to be closed whatever came of it, if it is not -1. */
wisp_status wisp_lock_take(wisp_error *err, const char *path, bool alone, bool wait, int *lock, wisp_lock_state *out);
void wisp_lock_close(int *lock); /* gives it back, where it is not -1, which it is from then on */

#endif
