/* Waiting for files that other processes hold: how long, who holds them, and who is told. */
#pragma once

#include "store.h"

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
