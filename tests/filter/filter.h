/* What the filter's files share. */
#ifndef FILTER_H
#define FILTER_H

#include "../../tuner/trial/workload.h"

/* The family's arrays, as places in its list. */
enum { FILTER_U, FILTER_V, FILTER_W, FILTER_TROUBLED, FILTER_EDGES, FILTER_STRIP, FILTER_ARRAYS };

enum { FILTER_MAX_NP = 28 };

extern const wisp_family wisp_family_filter;
extern const wisp_workload wisp_workload_filter;

int filter_nodes(const wisp_spec *spec);

/* F[i * Np + j]: what node i takes of node j. */
wisp_status filter_matrix(wisp_error *err, const wisp_spec *spec, double *F);

#endif
