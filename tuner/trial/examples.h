/* The numbers of a test case in the arrays of a problem, in whatever layout, and a kernel's results held against the
 * right ones. */
#pragma once

#include "workload.h"

/* Uploads an array from natural order; NaN where a number is nobody's. */
wisp_status wisp_example_put(wisp_error *err, wisp_problem *problem, const wisp_array_decl *array,
                             const double *natural);
/* Downloads an array, integers too, as it lies on the device. */
wisp_status wisp_example_download(wisp_error *err, wisp_arrays *arrays, const wisp_array_decl *array, double *values);

/* A launch of a test case, and how far its results may be off. */
typedef struct wisp_judged {
  wisp_problem *problem;
  const wisp_plan *plan;
  const wisp_test_case *test_case;
  double tolerance; /* relative to a number's sum of magnitudes (wisp_tolerance) */
  double max_error; /* relative to the largest result: what a family promises of usual inputs; HUGE_VAL: nothing */
  double sum_error; /* of sums, relative to the root of the sum of squares: what it promises of any inputs */
} wisp_judged;

wisp_status wisp_judged_fill(wisp_error *err, wisp_problem *problem, const wisp_plan *plan,
                             const wisp_test_case *test_case, wisp_judged *out);

/* Compares each output of at most so many numbers, or of parts of a sum, with the right one: each number by the
 * tolerance and its sum of magnitudes, a sum of parts by its total, all by what the family promises. WISP_EWRONG with
 * the place of the worst. *error: the largest, over its sum of magnitudes, unless it was larger before. */
wisp_status wisp_judge(wisp_error *err, const wisp_judged *judged, size_t most, double *error);
