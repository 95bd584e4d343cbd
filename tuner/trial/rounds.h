/* The rounds of a check, with what must come of them, in the order that no layout has a part in: computed once for all
 * layouts, groupings and precisions. */
#ifndef WISP_ROUNDS_H
#define WISP_ROUNDS_H

#include "workload.h"

typedef struct wisp_rounds wisp_rounds;

/* Of a workload, on a ground of one order; both are borrowed. */
wisp_status wisp_rounds_create(wisp_error *err, const wisp_workload *workload, const void *ground, wisp_rounds **out);
void wisp_rounds_destroy(wisp_rounds *rounds); /* NULL is fine */

/* For strategies that mix numbers, or for those that do not. Valid until two dozen others were asked for. */
wisp_status wisp_rounds_get(wisp_error *err, wisp_rounds *rounds, const wisp_spec *spec, bool mixes, int number,
                            uint64_t seed, const wisp_test_case **out);

/* What is left of a round's outputs, in the order of its `after`; NULL where that is. */
typedef struct wisp_results {
  double *of[WISP_MAX_ARRAYS];
} wisp_results;

wisp_status wisp_results_create(wisp_error *err, const wisp_test_case *round, wisp_results *out);
void wisp_results_free(wisp_results *results);
/* The largest error of an element over its largest result. */
double wisp_results_error(const wisp_results *results, const wisp_test_case *round);

/* That error of plain sums in single precision, of a workload that has them; computed once a round. */
wisp_status wisp_rounds_plain(wisp_error *err, wisp_rounds *rounds, const wisp_test_case *round, double *error);

/* Enqueues a launch with the round's scalars. */
wisp_status wisp_round_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                              const wisp_test_case *round);

#endif
