/* What the filter's files share. */
#ifndef FILTER_H
#define FILTER_H

#include "../../tuner/trial/workload.h"

enum { FILTER_MAX_ORDER = 6, FILTER_MAX_NP = 28 };

extern const wisp_family wisp_family_filter;
extern const wisp_workload wisp_workload_filter;

/* F[i * Np + j]: what node i takes of node j. */
wisp_status filter_matrix(wisp_error *err, int N, double *F);

#endif
