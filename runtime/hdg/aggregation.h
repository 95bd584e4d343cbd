/* The cycle of aggregation (runtime/solve/cycle.h) on a device, by the hdg family's kernels: arrays and launches, for a
 * problem that has the cycle's arrays among others, and a problem of its own for a matrix of any other family. */
#pragma once

#include "../solve/choose.h"
#include "../solve/cycle.h"

/* ---- In a problem that has the cycle's arrays. */

/* Sizes of the cycle's arrays; returns how many. */
enum { WISP_CYCLE_COUNTS = 6 };
size_t wisp_cycle_counts(const wisp_cycle *cycle, wisp_count counts[WISP_CYCLE_COUNTS]);

/* The lists, to those of its arrays that are there. */
wisp_status wisp_cycle_upload_lists(wisp_error *err, const wisp_cycle *cycle, wisp_arrays *arrays);
/* The numbers of aggregates, which are 1. */
wisp_status wisp_cycle_upload_aggregates(wisp_error *err, const wisp_cycle *cycle, wisp_arrays *arrays);

/* Adds the launches that make all numbers from those of A, by those kernels of the stage that it has; and the cycle's
 * own. problem: that they are run on; NULL: the list's. */
wisp_status wisp_cycle_add_numbers(wisp_error *err, const wisp_cycle *cycle, const wisp_stage *stage,
                                   wisp_problem *problem, wisp_launches *to);
wisp_status wisp_cycle_add_spans(wisp_error *err, const wisp_cycle *cycle, const wisp_stage *stage,
                                 wisp_problem *problem, wisp_launches *to);

/* ---- A problem of its own. */

typedef struct wisp_aggregation {
  wisp_cycle *cycle;
  wisp_problem *problem;
  const wisp_stage *stage;
  wisp_launches numbers; /* which make all numbers from A's */
} wisp_aggregation;

/* The kernels of the cycle; to choose them: a spec of the family hdg, of order 1. */
wisp_choose_request wisp_aggregation_request(wisp_precision precision);

/* Takes the pattern of A, all of whose diagonal is there. values, smoothed: as of wisp_cycle_create. The stage and the
 * device are borrowed. */
wisp_status wisp_aggregation_create(wisp_error *err, wisp_device *device, wisp_stage *stage, wisp_precision precision,
                                    wisp_sparse *A, const double *values, bool smoothed, wisp_aggregation **out);
void wisp_aggregation_destroy(wisp_aggregation *aggregation); /* NULL is fine */
WISP_OWNED(wisp_aggregation, wisp_aggregation_destroy)

/* Makes the numbers of all levels from those of A, in the order of its pattern. */
wisp_status wisp_aggregation_set(wisp_error *err, wisp_aggregation *aggregation, const double *values);

/* Adds the launches of a cycle, on its problem. */
wisp_status wisp_aggregation_add(wisp_error *err, const wisp_aggregation *aggregation, wisp_launches *to);

/* The places of b, which a cycle reads, and of x, numbers of the precision. */
wisp_pointer wisp_aggregation_b(const wisp_aggregation *aggregation);
wisp_pointer wisp_aggregation_x(const wisp_aggregation *aggregation);
