/* Loops over many alike things, spread over the machine's cores. */
#pragma once

#include "../gen/check.h"

/* Does from .. to - 1. Runs at the same time as others of the loop: it may write only what is its own. */
typedef void (*wisp_sweep)(void *context, size_t from, size_t to);
typedef wisp_status (*wisp_range)(wisp_error *err, void *context, size_t from, size_t to); /* the same, if it can */

/* Calls `sweep` or `range` for parts of 0 .. count - 1 in $WISP_THREADS threads, else one a core; the first failure. */
void wisp_parallel_for(size_t count, wisp_sweep sweep, void *context);
/* The same of single numbers, each a matter of nanoseconds: no more threads than have enough to do. */
void wisp_parallel_numbers(size_t count, wisp_sweep sweep, void *context);
wisp_status wisp_parallel(wisp_error *err, size_t count, wisp_range range, void *context);

/* memcpy and memset, in threads where there is much. */
void wisp_parallel_copy(void *to, const void *from, size_t bytes);
void wisp_parallel_fill(void *to, unsigned char byte, size_t bytes);
