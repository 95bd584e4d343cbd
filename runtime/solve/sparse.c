#include "sparse.h"

void wisp_sparse_free(wisp_sparse *matrix)
{
  free(matrix->start), free(matrix->column), free(matrix->value);
  *matrix = (wisp_sparse){.rows = 0};
}

wisp_status wisp_sparse_begin(wisp_error *err, size_t rows, size_t columns, wisp_sparse *out)
{
  *out = (wisp_sparse){.rows = rows, .columns = columns};
  return wisp_new(err, rows + 1, sizeof *out->start, &out->start);
}

wisp_status wisp_sparse_append(wisp_error *err, wisp_sparse *matrix, size_t row, size_t column, double value)
{
  CALL(wisp_require(err, matrix->count < INT32_MAX, WISP_EUSAGE, "a coarse matrix has more than 2^31 - 1 numbers"));
  if (matrix->count >= matrix->room)
    CALL(wisp_grow(err, &matrix->column, &matrix->room, matrix->count + 1, sizeof *matrix->column));
  if (matrix->count >= matrix->value_room)
    CALL(wisp_grow(err, &matrix->value, &matrix->value_room, matrix->count + 1, sizeof *matrix->value));
  matrix->column[matrix->count] = (int32_t)column;
  matrix->value[matrix->count++] = value;
  matrix->start[row + 1] = (int32_t)matrix->count;
  return WISP_OK;
}

wisp_status wisp_sparse_multiply(wisp_error *err, const wisp_sparse *A, const wisp_sparse *B, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse C = {.rows = 0};
  OWNED(free) int32_t *at = NULL; /* of each column: where this row has it, counted from 1 */
  CALL(wisp_sparse_begin(err, A->rows, B->columns, &C));
  CALL(wisp_new(err, B->columns, sizeof *at, &at));
  for (size_t i = 0; i < A->rows; i++) {
    const int32_t begin = C.start[i + 1] = C.start[i];
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
      for (int32_t q = B->start[A->column[p]]; q < B->start[A->column[p] + 1]; q++) {
        const int32_t j = B->column[q];
        const double term = A->value[p] * B->value[q];
        if (at[j] > begin) {
          C.value[at[j] - 1] += term;
        } else {
          CALL(wisp_sparse_append(err, &C, i, (size_t)j, term));
          at[j] = (int32_t)C.count;
        }
      }
  }
  return GIVE(C, out);
}

wisp_status wisp_sparse_transpose(wisp_error *err, const wisp_sparse *A, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse T = {.rows = 0};
  OWNED(free) int32_t *next = NULL;
  CALL(wisp_sparse_begin(err, A->columns, A->rows, &T));
  CALL(wisp_new(err, A->count, sizeof *T.column, &T.column));
  CALL(wisp_new(err, A->count, sizeof *T.value, &T.value));
  CALL(wisp_new(err, A->columns, sizeof *next, &next));
  T.count = A->count;
  for (size_t q = 0; q < A->count; q++) T.start[A->column[q] + 1]++;
  for (size_t j = 0; j < A->columns; j++) {
    T.start[j + 1] += T.start[j];
    next[j] = T.start[j];
  }
  for (size_t i = 0; i < A->rows; i++)
    for (int32_t q = A->start[i]; q < A->start[i + 1]; q++) {
      const int32_t to = next[A->column[q]]++;
      T.column[to] = (int32_t)i;
      T.value[to] = A->value[q];
    }
  return GIVE(T, out);
}
