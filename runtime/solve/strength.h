/* Strong connections of a matrix, for aggregates that follow them: where cells are stretched, an error is smooth along
 * their short edges alone, and only along these may unknowns be put together. */
#pragma once

#include "sparse.h"

/* A row's neighbours: of its columns those that at most three strong connections lead to, the row itself among them. A
 * connection is strong if its number is at least a quarter of the largest beside the row's diagonal. */
wisp_status wisp_strong_neighbours(wisp_error *err, const wisp_sparse *A, const double *values, wisp_sparse *out);

/* T A T^T for a T whose numbers are 1, a row an aggregate: pattern and numbers, which the caller frees. */
wisp_status wisp_sparse_contract(wisp_error *err, const wisp_sparse *A, const double *values, const wisp_sparse *T,
                                 wisp_sparse *out, double **out_values);
