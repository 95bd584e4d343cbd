/* The cases of a check, with what must come of them, in the order that no layout has a part in: computed once for all
 * layouts, groupings and precisions. */
#pragma once

#include "workload.h"

typedef struct wisp_test_cases wisp_test_cases;

/* Test cases of a workload on a test mesh of one order, which both outlive them; so many are kept, at most
 * WISP_MOST_CASES. */
enum { WISP_MOST_CASES = 28 };
wisp_status wisp_test_cases_create(wisp_error *err, const wisp_workload *workload, const void *test_mesh, int most,
                                   wisp_test_cases **out);

/* Likewise for large problems: of kernels that leave no sums of all, the right outputs of a sample. */
wisp_status wisp_test_cases_sample(wisp_error *err, const wisp_workload *workload, const void *test_mesh, int most,
                                   wisp_test_cases **out);
/* Is this number of an output of a test case known? */
bool wisp_test_case_knows(const wisp_test_case *test_case, size_t array, size_t number);
void wisp_test_cases_destroy(wisp_test_cases *cases); /* NULL is fine */
WISP_OWNED(wisp_test_cases, wisp_test_cases_destroy)

/* The rounding of a plan's strategy: WISP_MIXES, WISP_ONE_EXPONENT. */
unsigned wisp_plan_rounding(const wisp_plan *plan);

/* For kernels of such a rounding. Valid until as many others as are kept were asked for. */
wisp_status wisp_test_cases_get(wisp_error *err, wisp_test_cases *cases, const wisp_spec *spec, unsigned rounding,
                                int number, uint64_t seed, const wisp_test_case **out);

/* The outputs of a launch, in the order of the test case's `after`; NULL where that is. */
typedef struct wisp_results {
  double *of[WISP_MAX_ARRAYS];
} wisp_results;

wisp_status wisp_results_create(wisp_error *err, const wisp_test_case *test_case, wisp_results *out);
void wisp_results_free(wisp_results *results);
/* The largest error of an element over its largest result. */
double wisp_results_error(const wisp_results *results, const wisp_test_case *test_case);

/* That error of plain sums in single precision, of a workload that has them; computed once a test case. */
wisp_status wisp_test_cases_single_error(wisp_error *err, wisp_test_cases *cases, const wisp_test_case *test_case,
                                         double *error);

/* Enqueues a launch with the test case's scalars; on the host in this schedule. */
wisp_status wisp_test_case_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                  const wisp_test_case *test_case, wisp_schedule schedule);
