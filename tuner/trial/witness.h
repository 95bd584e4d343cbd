/* What a small problem does not show: faults of size, and races. On the problem that kernels are timed on, a
 * candidate's output is compared with that of the default candidate of its kernel, from the same inputs, where it lies.
 */
#ifndef WISP_WITNESS_H
#define WISP_WITNESS_H

#include "../link/request.h"
#include "problems.h"

typedef struct wisp_witnesses wisp_witnesses;

/* device, strategies and ledger are borrowed; what is compiled for a witness is told to the ledger. */
wisp_status wisp_witnesses_create(wisp_error *err, wisp_device *device, const wisp_strategies *strategies,
                                  wisp_ledger *ledger, wisp_witnesses **out);
void wisp_witnesses_destroy(wisp_witnesses *witnesses);
/* Forgets all outputs: the problems go. */
void wisp_witnesses_forget(wisp_witnesses *witnesses);

/* wisp_problems_acquire for a plan that is to be witnessed: the problem has what the witness takes, too. */
wisp_status wisp_witness_acquire(wisp_error *err, wisp_witnesses *witnesses, wisp_problems *problems,
                                 const wisp_plan *plan, wisp_lease *lease);

/* Makes the output that candidates like this plan are compared with, on the problem that wisp_problems_acquire gives
 * for it: by the first strategy that has a candidate for just that problem (its layout, and what else fixes it), with
 * its preferred parameters. Kept until others were needed. */
wisp_status wisp_witness_prepare(wisp_error *err, wisp_witnesses *witnesses, const wisp_workload *workload,
                                 wisp_problem *problem, const wisp_plan *plan);

/* Launches the kernel once from the same inputs. WISP_EWRONG with the place where its output and the witness's differ
 * by more than twice the tolerance times the sum of magnitudes, or a guard zone was written. */
wisp_status wisp_witness_check(wisp_error *err, wisp_witnesses *witnesses, const wisp_workload *workload,
                               wisp_problem *problem, const wisp_kernel *kernel);

/* Launches it *left times from the same inputs, or for so many seconds, and compares every output with the first one's:
 * bit for bit unless its strategy varies. WISP_EWRONG where one differs. *left: launches that there was no time for. */
wisp_status wisp_insist(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                        const wisp_kernel *kernel, double seconds, int *left);

#endif
