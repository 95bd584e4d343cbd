/* Small sparse matrices on the host, by rows: what a hierarchy of coarse problems is made with. */
#ifndef WISP_SPARSE_H
#define WISP_SPARSE_H

#include "../../gen/check.h"

#include <stdint.h>

typedef struct wisp_sparse {
  size_t rows, columns, count, room, value_room; /* count: numbers */
  int32_t *start;                                /* rows + 1 */
  int32_t *column;
  double *value;
} wisp_sparse;

void wisp_sparse_free(wisp_sparse *matrix);

/* No numbers yet: rows are to be filled one after the other. */
wisp_status wisp_sparse_begin(wisp_error *err, size_t rows, size_t columns, wisp_sparse *out);

/* Appends a number to row `row`, which is the last that has any; later rows begin behind it. */
wisp_status wisp_sparse_append(wisp_error *err, wisp_sparse *matrix, size_t row, size_t column, double value);

/* A B, and A^T. The places of their numbers depend on the places of A's and B's alone. */
wisp_status wisp_sparse_multiply(wisp_error *err, const wisp_sparse *A, const wisp_sparse *B, wisp_sparse *out);
wisp_status wisp_sparse_transpose(wisp_error *err, const wisp_sparse *A, wisp_sparse *out);

#endif
