/* One SQLite file of the store: opened, recognised, migrated, and its failures put in words. Nothing above this layer
 * sees SQLITE_BUSY: whoever finds the file locked waits. */
#pragma once

#include "store.h"

#include <sqlite3.h>

WISP_OWNED(sqlite3_stmt, sqlite3_finalize)
WISP_OWNED(sqlite3_stmt, sqlite3_reset)

enum { WISP_APPLICATION_ID = 0x77697370 }; /* "wisp" */

/* ---- Waiting for files that other processes hold: how long, who holds them, and who is told. */

/* A wait takes WISP_PATIENCE seconds at most. One who can go on without the file takes WISP_HASTE, of all waits for it
 * together. */
#define WISP_PATIENCE 120.0
#define WISP_HASTE 0.8

/* Waits for one file. Zero-initialise what is not known. */
typedef struct wisp_waiting {
  const char *path; /* the file */
  double *left;     /* seconds that are left of all waits together; NULL: each has its own */
  wisp_store_note note;
  void *context;
  /* of the wait that goes on */
  double start;
  int pauses;
  bool reported;
} wisp_waiting;

/* Begins a wait. Each call of the second pauses a little, longer as they go on; false where the time is over. Who is to
 * be told is told after a second. */
void wisp_waiting_begin(wisp_waiting *waiting);
bool wisp_waiting_pause(wisp_waiting *waiting);

/* WISP_ESTORE: the file is held, and by whom. */
wisp_status wisp_fail_held(wisp_error *err, const char *path);

/* ---- The file. */

typedef struct wisp_database {
  sqlite3 *db;
  char *path;
  wisp_waiting *waiting; /* for those who hold the file; its time and who is told may be changed */
} wisp_database;

/* A SQLite result code as an error: path, what happened, what to do. SQLITE_OK, _ROW and _DONE give WISP_OK. */
wisp_status wisp_database_fail(wisp_error *err, const wisp_database *database, int code);

/* Opens a file with SQLite's flags (SQLITE_OPEN_READONLY, ...), whatever its name (":memory:" is one like any other);
 * messages call it path. immutable: it cannot change. Close is fine on a zeroed one. */
wisp_status wisp_database_open(wisp_error *err, const char *path, const char *file, int flags, bool immutable,
                               wisp_database *out);
wisp_status wisp_database_close(wisp_error *err, wisp_database *database);

/* Runs statements without results, waiting for whoever holds the file. */
wisp_status wisp_database_run(wisp_error *err, const wisp_database *database, const char *sql);
/* The first column of the first row of a query, as a number; 0 where there is none. */
wisp_status wisp_database_number(wisp_error *err, const wisp_database *database, const char *sql, long long *out);

/* The first step of a statement, waiting for whoever holds the file: SQLite's code. */
int wisp_database_first(const wisp_database *database, sqlite3_stmt *statement);

/* Begins a transaction that "COMMIT" or wisp_database_rollback ends. Only one writer is inside; the others wait. */
#define WISP_BEGIN "BEGIN IMMEDIATE"
void wisp_database_rollback(const wisp_database *database); /* nothing where it was committed */
WISP_OWNED(const wisp_database, wisp_database_rollback)

/* The schema's newest version: the number of cache/schema_N.sql files. */
int wisp_database_newest(void);
/* Is it a wisp store that this version can read? WISP_ESTORE says what it is otherwise. *version 0: an empty file. */
wisp_status wisp_database_recognise(wisp_error *err, const wisp_database *database, int *version);
/* SQLite's own check of the file's structure; the quick one is left out where the file is large. */
wisp_status wisp_database_verify(wisp_error *err, const wisp_database *database, bool thorough);
/* Brings an empty or older file up to date, in one transaction. */
wisp_status wisp_database_migrate(wisp_error *err, const wisp_database *database);
