/* Shared by the filter's files. */
#pragma once

#include "../../tuner/trial/workload.h"
#include "tests/filter/templates/filter/family.h"

enum { FILTER_MAX_NP = 28 };

extern const wisp_family wisp_family_filter;
extern const wisp_workload wisp_workload_filter;

int filter_nodes(const wisp_spec *spec);

/* F[i * Np + j]: what node i takes of node j. */
wisp_status filter_matrix(wisp_error *err, const wisp_spec *spec, double *F);
