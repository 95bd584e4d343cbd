/* What the hdg family's kernels must leave, in double: elements by LAPACK. */
#ifndef WISP_HDG_REFERENCE_H
#define WISP_HDG_REFERENCE_H

#include "../trial/workload.h"

enum { WISP_HDG_ITERATIONS = 16 }; /* that history has room for */

/* A wisp_workload's solve. */
wisp_status wisp_hdg_solve(wisp_error *err, wisp_round *round);

#endif
