/* Verification: a kernel runs on a small ragged problem and is compared with the double reference. */
#pragma once

#include "workload.h"
#include "../../gen/family.h"

#include <math.h>

/* Holds the small problems of each workload, of the order at hand, with their data and references, made at first need
 * and kept for the next candidates. device is borrowed. */
typedef struct wisp_verifier wisp_verifier;
wisp_status wisp_verifier_create(wisp_error *err, wisp_device *device, wisp_verifier **out);
void wisp_verifier_destroy(wisp_verifier *verifier);

/* Data of the checks from here on; at first WISP_RANDOM_SEED's. A winner is checked with the other's too. */
#define WISP_OTHER_SEED (WISP_RANDOM_SEED << 1 | 1)
void wisp_verifier_seed(wisp_verifier *verifier, uint64_t seed);

/* At most so many cases of values that solvers pass, in place of each of them and some that are drawn. For tests that
 * check one text at order after order. */
void wisp_verifier_extremes(wisp_verifier *verifier, int most);

/* Makes what a check of this plan needs, so that the check itself is about the kernel only. */
wisp_status wisp_verifier_prepare(wisp_error *err, wisp_verifier *verifier, const wisp_plan *plan);

/* Checks a kernel on the workload's test mesh for checks, on several test cases of random inputs and scalars. All other
 * arrays are NaN: outputs, padding, arrays that the kernel does not read. Launched several times from the same data, it
 * must repeat bit for bit, unless its strategy `varies`. *error: the largest error relative to the sum of the
 * magnitudes of a result's terms. WISP_EWRONG with the place of a written guard zone, a changed input, a result that is
 * not finite, does not repeat, or is farther from the reference than wisp_tolerance or the family's max_error allows;
 * WISP_EDEVICE where the launch failed. */
wisp_status wisp_verifier_check(wisp_error *err, wisp_verifier *verifier, const wisp_kernel *kernel, double *error);

/* The kernel's error in single precision and that of plain sums, each the largest of an element over its largest
 * result, on the data of this round. 0 and 0 where there are no such sums: other precisions, other families, no matrix.
 * Of a kernel that was checked. */
wisp_status wisp_verifier_compare_single(wisp_error *err, wisp_verifier *verifier, const wisp_kernel *kernel,
                                         wisp_test_inputs data, double *error, double *single);

/* Checks infinite and NaN inputs: WISP_EWRONG with the first element whose results are not finite and should be, or the
 * other way round. Within an element any result may be it: the reference multiplies by zeros. For kernels that were
 * checked, of a family with single-precision sums. */
wisp_status wisp_verifier_unbounded(wisp_error *err, wisp_verifier *verifier, const wisp_kernel *kernel);

/* Waits for what was launched. WISP_EWRONG where it has written outside an array. */
wisp_status wisp_verify_guards(wisp_error *err, wisp_arrays *arrays);

/* ---- How far a kernel's result may be from the double reference. */

/* Relative to the sum of the magnitudes that the result is added up from. */
wisp_status wisp_tolerance(wisp_error *err, const wisp_spec *spec, double *out);
/* Likewise where a discretisation's sums may be longer than usual. */
wisp_status wisp_tolerance_on(wisp_error *err, const wisp_spec *spec, const wisp_discretisation *d, double *out);

/* Is this error, relative to its sum of magnitudes, larger than *worst, which it then becomes? HUGE_VAL: there is
 * nothing that could have been rounded; the first such error stays. */
static inline bool wisp_is_worse(double difference, double size, double *worst)
{
  if (!(difference > 0) || *worst >= HUGE_VAL || difference <= *worst * size) return false;
  *worst = size > 0 ? difference / size : HUGE_VAL;
  return true;
}
