/* Verification: a kernel runs on a small ragged problem and is compared with the double reference. */
#ifndef WISP_VERIFY_H
#define WISP_VERIFY_H

#include "workload.h"
#include "../runtime/arrays.h"

/* Holds what each family's workload needs for it (small problems, their data and references), made at first need and
 * kept for the next candidates. device is borrowed. */
typedef struct wisp_verifier wisp_verifier;
wisp_status wisp_verifier_create(wisp_error *err, wisp_device *device, wisp_verifier **out);
void wisp_verifier_destroy(wisp_verifier *verifier);

/* Data of the checks from here on; at first WISP_RANDOM_SEED's. */
void wisp_verifier_seed(wisp_verifier *verifier, uint64_t seed);

/* Makes what a check of this plan needs, so that the check itself is about the kernel only. */
wisp_status wisp_verifier_prepare(wisp_error *err, wisp_verifier *verifier, const wisp_plan *plan);

/* A prime number of elements (ragged for every group and block), random inputs, everything else NaN: outputs, padding,
 * empty slots, arrays that the kernel has no business with. *error is the largest error relative to the reference's
 * largest value. WISP_EWRONG with the place where a guard zone was written, a result is not finite or is farther from
 * the reference than wisp_tolerance; WISP_EDEVICE where the launch failed. */
wisp_status wisp_verifier_check(wisp_error *err, wisp_verifier *verifier, const wisp_kernel *kernel, double *error);

/* Waits for the launch that a workload checks. WISP_EWRONG where it has written outside an array. */
wisp_status wisp_verify_guards(wisp_error *err, wisp_device *device, wisp_arrays *arrays);

#endif
