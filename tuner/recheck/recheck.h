/* Stored winners, verified anew by today's rules, without a time. */
#pragma once

#include "../link/request.h"

/* A kernel to verify: a winner, once for all cards, sizes and meshes that it won on. */
typedef struct wisp_recheck_row {
  wisp_spec spec;
  const wisp_trial *trial; /* one of those, of the caller */
  wisp_trial verdict;      /* outcome empty: it was not reached; refused: it is not legal here */
} wisp_recheck_row;

/* Rows by unit: rows of one element, order, system and precision, which share problems and references. */
typedef struct wisp_recheck {
  size_t count, capacity, units;
  wisp_recheck_row *rows;
  size_t *first; /* of unit u: rows [first[u], first[u + 1]) */
} wisp_recheck;
void wisp_recheck_free(wisp_recheck *recheck);

/* Adds a trial of a kernel, unless there is one of the same kernel, layout, strategy and parameters. Whole stages are
 * left out: their kernels are verified one by one. */
wisp_status wisp_recheck_add(wisp_error *err, wisp_recheck *recheck, const wisp_trial *trial);

/* Sorts the rows into units, the lightest first, and keeps every `of`-th unit, from number `part` (1 to `of`) on. */
wisp_status wisp_recheck_divide(wisp_error *err, wisp_recheck *recheck, int part, int of);

/* Verifies the rows on devices, a list as wisp_devices_read takes it, in so many worker processes on each: compiled, in
 * parallel; on all test cases, with other data than the tuner's first check; on a problem of at least
 * wisp_workload_many elements; and at launch after launch, as wisp_bench_repeat_check says. A row that crashes or never
 * ends costs a worker only. Verdicts are stored in request->db, and what that has is not verified again. Of the request
 * jobs, db, strategies (not NULL) and the callbacks count. summary->stopped names the signal that ended it early. */
wisp_status wisp_recheck_run(wisp_error *err, const char *devices, int workers, const wisp_tune_request *request,
                             wisp_recheck *recheck, wisp_tune_summary *summary);
