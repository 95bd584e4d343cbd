/* The matrix of order 1 with integrals at the vertices, by rows: what a problem on hexes is on its coarsest order. */
#pragma once

#include "../solve/sparse.h"
#include "poisson_solver.h"

/* The pattern, a row an unknown. The problem is of order 1. */
wisp_status wisp_vertex_pattern(wisp_error *err, const wisp_poisson *problem, wisp_sparse *out);

/* Its numbers, in the pattern's order: caller's memory. */
wisp_status wisp_vertex_values(wisp_error *err, const wisp_poisson *problem, const wisp_sparse *pattern,
                               double *values);
