/* Patterns of small sparse matrices on the host, by rows with rising columns, for a hierarchy of coarse problems. */
#pragma once

#include "../../gen/check.h"

#include <stdint.h>

typedef struct wisp_sparse {
  size_t rows, columns;
  int32_t *start;  /* rows + 1 */
  int32_t *column; /* start[rows] */
} wisp_sparse;

void wisp_sparse_free(wisp_sparse *matrix);

/* The first of the rising columns [low, high) that is not below this one; high where all are. */
static inline int32_t wisp_sparse_find(const int32_t *columns, int32_t low, int32_t high, int32_t column)
{
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (columns[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Lists the columns of a row, with repetitions, in any order; returns how many. Called from several threads at once. */
typedef size_t (*wisp_sparse_row)(const void *context, size_t row, int32_t *columns);

/* WISP_EUSAGE where numbers are more than 31 bits count. */
wisp_status wisp_sparse_make(wisp_error *err, size_t rows, size_t columns, size_t most, wisp_sparse_row list,
                             const void *context, wisp_sparse *out);

/* A B, and A^T. */
wisp_status wisp_sparse_multiply(wisp_error *err, const wisp_sparse *A, const wisp_sparse *B, wisp_sparse *out);
wisp_status wisp_sparse_transpose(wisp_error *err, const wisp_sparse *A, wisp_sparse *out);
