/* Checks on a problem of the size that kernels are timed on: faults of size, and races, do not show on a small one. A
 * kernel's outputs there are compared with the reference, from inputs such as solvers have: all of them where that is
 * quick, else those of a sample, and all with another kernel's, between which the whole reference decides. */
#pragma once

#include "problems.h"

typedef struct wisp_at_size wisp_at_size;

/* device, workload and problems are borrowed. */
wisp_status wisp_at_size_create(wisp_error *err, wisp_device *device, const wisp_workload *workload,
                                const wisp_problems *problems, wisp_at_size **out);
void wisp_at_size_destroy(wisp_at_size *at_size); /* NULL is fine */
WISP_OWNED(wisp_at_size, wisp_at_size_destroy)

/* Computes what kernels like this plan's must leave on their problem. It is kept until others are needed. */
wisp_status wisp_at_size_prepare(wisp_error *err, wisp_at_size *at_size, wisp_problem *problem, const wisp_plan *plan);

/* Launches the kernel once. WISP_EWRONG with the place where an output is not the reference's, or a guard zone was
 * written: numbers of long arrays may be off by twice the tolerance times the largest sum of magnitudes, those of short
 * ones as in any check. */
wisp_status wisp_at_size_check(wisp_error *err, wisp_at_size *at_size, wisp_problem *problem,
                               const wisp_kernel *kernel);

/* Launches it *left times from the same inputs, or for so many seconds (four times as long where its strategy varies),
 * and compares outputs with the first one's, bit for bit unless its strategy varies: all of *thorough launches, each in
 * another schedule than the one before, and then of each 25th. WISP_EWRONG where one differs. *left, *thorough:
 * launches that there was no time for. */
wisp_status wisp_at_size_repeat(wisp_error *err, wisp_at_size *at_size, wisp_problem *problem,
                                const wisp_kernel *kernel, double seconds, int *left, int *thorough);
