/* Checks for faults that a small problem does not show: faults of size, and races. On the timed problem, a candidate's
 * output is compared on the device with that of the default candidate of its kernel, from the same inputs. */
#pragma once

#include "../link/request.h"
#include "problems.h"

typedef struct wisp_baselines wisp_baselines;

/* device, strategies and profile are borrowed; what is compiled for a baseline is told to the profile. */
wisp_status wisp_baselines_create(wisp_error *err, wisp_device *device, const wisp_strategies *strategies,
                                  wisp_profile *profile, wisp_baselines **out);
void wisp_baselines_destroy(wisp_baselines *baselines);
/* Forgets all outputs: the problems go. */
void wisp_baselines_forget(wisp_baselines *baselines);

/* Acquires the problem of a plan, with the arrays that its baseline takes, too. */
wisp_status wisp_baseline_acquire(wisp_error *err, wisp_baselines *baselines, wisp_problems *problems,
                                  const wisp_plan *plan, wisp_problem_ref *ref);

/* Makes the output that candidates like this plan are compared with: by the first strategy that has a candidate for the
 * same problem, with its preferred parameters. It is kept until others are needed. */
wisp_status wisp_baseline_prepare(wisp_error *err, wisp_baselines *baselines, const wisp_workload *workload,
                                  wisp_problem *problem, const wisp_plan *plan);

/* Launches the kernel once from the same inputs. WISP_EWRONG with the place where its output and the baseline's differ
 * by more than twice the tolerance times the sum of magnitudes, or a guard zone was written. */
wisp_status wisp_baseline_check(wisp_error *err, wisp_baselines *baselines, const wisp_workload *workload,
                                wisp_problem *problem, const wisp_kernel *kernel);

/* Launches it *left times from the same inputs, or for so many seconds, and compares every output with the first one's:
 * bit for bit unless its strategy varies. WISP_EWRONG where one differs. *left: launches that there was no time for. */
wisp_status wisp_repeat_check(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                              const wisp_kernel *kernel, double seconds, int *left);
