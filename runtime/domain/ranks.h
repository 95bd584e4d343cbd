/* Processes that solve one problem together: ranks 0 to count - 1, each with a device of its own. This is their way to
 * exchange scalars and texts; fields travel by runtime/domain/exchange.h.
 *
 * All ranks make these calls in the same order. NULL stands for a process alone, rank 0 of 1. */
#pragma once

#include "../../gen/check.h"

typedef struct wisp_ranks wisp_ranks;

int wisp_ranks_own(const wisp_ranks *ranks);
int wisp_ranks_count(const wisp_ranks *ranks);

/* Bytes of all ranks: those of rank r are data[begin[r]] .. data[begin[r + 1] - 1]. */
typedef struct wisp_gathered {
  char *data;
  size_t *begin; /* count + 1 */
} wisp_gathered;
void wisp_gathered_free(wisp_gathered *gathered);

/* Gathers bytes, of any number on each rank, on all ranks, or on rank 0 alone: then the others get none. */
wisp_status wisp_ranks_gather(wisp_error *err, wisp_ranks *ranks, const void *mine, size_t bytes, bool everywhere,
                              wisp_gathered *out);

/* Waits for all ranks. */
wisp_status wisp_ranks_meet(wisp_error *err, wisp_ranks *ranks);
/* Gives all ranks what rank 0 has. */
wisp_status wisp_ranks_agree(wisp_error *err, wisp_ranks *ranks, void *data, size_t bytes);
/* Sums and least values over all ranks, in the order of ranks: all get the same bits. */
wisp_status wisp_ranks_sum(wisp_error *err, wisp_ranks *ranks, size_t count, double *values);
wisp_status wisp_ranks_least(wisp_error *err, wisp_ranks *ranks, double *value);

/* A signal for all ranks that has come since the last call; 0: none. */
typedef int (*wisp_ranks_signal)(void *context);

/* Forks this process into `count` ranks. In each, *ranks is its own, and the caller goes on; what it writes to standard
 * output counts on rank 0 alone. In the first process, which only watches, *ranks is NULL, and the call returns when
 * all have ended. Where one is killed, stopped for 5 s or fails, it ends the others and returns a failure that names
 * the rank. It passes on the signals that `signal` (NULL: none) gives. *exit_status: that of rank 0, which is 0 or, of
 * one that a signal has stopped, above 128. Files and threads of before are shared as after any fork: nothing may run,
 * and no GPU be open. */
wisp_status wisp_ranks_fork(wisp_error *err, int count, wisp_ranks_signal signal, void *context, wisp_ranks **ranks,
                            int *exit_status);
/* Ends a rank's part, which a failure (NULL: none) ends for all; the process then exits. */
void wisp_ranks_end(wisp_ranks *ranks, wisp_status status, const wisp_error *failure);
