#include "strength.h"

#include <math.h>

static const double share = 0.25;

/* --- neighbours --- */

typedef struct filter {
  const wisp_sparse *A, *kept; /* kept NULL: strong connections; else those columns of A that it has too */
  const double *values;
} filter;

static bool has_column(const wisp_sparse *of, size_t row, int32_t column)
{
  const int32_t behind = of->start[row + 1], at = wisp_sparse_find(of->column, of->start[row], behind, column);
  return at < behind && of->column[at] == column;
}

/* A wisp_sparse_row. */
static size_t list_kept(const void *context, size_t row, int32_t *columns)
{
  const filter *f = context;
  const wisp_sparse *A = f->A;
  double largest = 0;
  size_t count = 0;
  for (int32_t q = A->start[row]; !f->kept && q < A->start[row + 1]; q++)
    if ((size_t)A->column[q] != row) largest = fmax(largest, fabs(f->values[q]));
  for (int32_t q = A->start[row]; q < A->start[row + 1]; q++) {
    const bool own = (size_t)A->column[q] == row;
    const bool stays = f->kept ? has_column(f->kept, row, A->column[q]) : fabs(f->values[q]) >= share * largest;
    if (own || stays) columns[count++] = A->column[q];
  }
  return count;
}

static size_t longest_row(const wisp_sparse *of)
{
  int32_t most = 1;
  for (size_t i = 0; i < of->rows; i++)
    if (of->start[i + 1] - of->start[i] > most) most = of->start[i + 1] - of->start[i];
  return (size_t)most;
}

wisp_status wisp_strong_neighbours(wisp_error *err, const wisp_sparse *A, const double *values, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse strong = {.rows = 0}, two = {.rows = 0}, three = {.rows = 0};
  const size_t most = longest_row(A);
  CALL(wisp_sparse_make(err, A->rows, A->columns, most, list_kept, &(filter){.A = A, .values = values}, &strong));
  CALL(wisp_sparse_multiply(err, &strong, &strong, &two));
  CALL(wisp_sparse_multiply(err, &two, &strong, &three));
  return wisp_sparse_make(err, A->rows, A->columns, most, list_kept, &(filter){.A = A, .kept = &three}, out);
}

/* --- the matrix of aggregates --- */

wisp_status wisp_sparse_contract(wisp_error *err, const wisp_sparse *A, const double *values, const wisp_sparse *T,
                                 wisp_sparse *out, double **out_values)
{
  HELD(wisp_sparse_free) wisp_sparse Tt = {.rows = 0}, TA = {.rows = 0}, made = {.rows = 0};
  OWNED(free) double *sums = NULL, *numbers = NULL;
  CALL(wisp_sparse_transpose(err, T, &Tt));
  CALL(wisp_sparse_multiply(err, T, A, &TA));
  CALL(wisp_sparse_multiply(err, &TA, &Tt, &made));
  CALL(wisp_new(err, T->rows, sizeof *sums, &sums));
  CALL(wisp_new(err, (size_t)made.start[made.rows], sizeof *numbers, &numbers));
  for (size_t row = 0; row < T->rows; row++) {
    for (int32_t m = T->start[row]; m < T->start[row + 1]; m++)
      for (int32_t q = A->start[T->column[m]]; q < A->start[T->column[m] + 1]; q++) {
        const int32_t member = A->column[q];
        if (Tt.start[member] < Tt.start[member + 1]) sums[Tt.column[Tt.start[member]]] += values[q];
      }
    for (int32_t q = made.start[row]; q < made.start[row + 1]; q++)
      numbers[q] = sums[made.column[q]], sums[made.column[q]] = 0;
  }
  CALL(GIVE(numbers, out_values));
  return GIVE(made, out);
}
