/* Pieces of work that are interrupted where they write to a range of memory, for the next one to run in between, on the
 * same thread: a piece has read a number, and another one changes it before it is stored back. Where that is no atomic
 * operation, what the other one wrote is lost, however few cores there are, and however busy they are. */
#pragma once

#include <stddef.h>

typedef void wisp_piece(void *context, unsigned piece);

/* Pieces write there. With a page of memory on both sides that nobody else writes to. */
typedef struct wisp_watched {
  void *from;
  size_t bytes;
} wisp_watched;

/* Runs pieces 0 to count - 1, each once, on the calling thread. Pieces must not wait for each other. SIGURG,
 * SIGSEGV and SIGTRAP are this function's meanwhile, in all of the process: other threads do as without it. */
void wisp_run_interrupted(wisp_piece *run, void *context, unsigned count, const wisp_watched *watched);
