#include "sparse.h"
#include "../parallel.h"

void wisp_sparse_free(wisp_sparse *matrix)
{
  WISP_FREE(matrix->start, matrix->column);
  *matrix = (wisp_sparse){.rows = 0};
}

/* --- rows, a part of them a thread --- */

enum { PARTS = 16 };

typedef struct making {
  size_t rows, columns, most;
  wisp_sparse_row list;
  const void *context;
  int32_t *start;         /* of row i + 1 for now: how many columns row i has */
  int32_t *column[PARTS]; /* of each part's rows */
} making;

static void free_making(making *m)
{
  for (int i = 0; i < PARTS; i++) free(m->column[i]);
  free(m->start);
}

/* Those of `count` columns that the row has not yet, to `to`. marked: of each column the row that had it last. */
static size_t take_columns(size_t row, size_t count, const int32_t *listed, int32_t *marked, int32_t *to)
{
  size_t taken = 0;
  for (size_t i = 0; i < count; i++) {
    if (marked[listed[i]] == (int32_t)row + 1) continue;
    marked[listed[i]] = (int32_t)row + 1;
    size_t at = taken++; /* rows are short, and mostly come in runs that rise */
    for (; at > 0 && to[at - 1] > listed[i]; at--) to[at] = to[at - 1];
    to[at] = listed[i];
  }
  return taken;
}

/* A wisp_range over parts. */
static wisp_status make_parts(wisp_error *err, void *context, size_t from, size_t to)
{
  making *m = context;
  for (size_t part = from; part < to; part++) {
    OWNED(free) int32_t *marked = NULL, *listed = NULL;
    size_t capacity = 0, used = 0;
    CALL(wisp_new(err, m->columns, sizeof *marked, &marked));
    CALL(wisp_new(err, m->most, sizeof *listed, &listed));
    for (size_t row = m->rows * part / PARTS; row < m->rows * (part + 1) / PARTS; row++) {
      const size_t count = m->list(m->context, row, listed);
      if (used + count > capacity) CALL(wisp_grow(err, &m->column[part], &capacity, used + count, sizeof *listed));
      const size_t taken = take_columns(row, count, listed, marked, m->column[part] + used);
      m->start[row + 1] = (int32_t)taken;
      used += taken;
    }
  }
  return WISP_OK;
}

wisp_status wisp_sparse_make(wisp_error *err, size_t rows, size_t columns, size_t most, wisp_sparse_row list,
                             const void *context, wisp_sparse *out)
{
  HELD(free_making) making m = {.rows = rows, .columns = columns, .most = most, .list = list, .context = context};
  HELD(wisp_sparse_free) wisp_sparse made = {.rows = rows, .columns = columns};
  size_t numbers = 0;
  CALL(wisp_new(err, rows + 1, sizeof *m.start, &m.start));
  CALL(wisp_parallel(err, PARTS, make_parts, &m));
  for (size_t i = 1; i <= rows; i++) numbers += (size_t)m.start[i];
  CALL(wisp_require(err, numbers < INT32_MAX, WISP_EUSAGE,
                    "a coarse matrix has more than 2^31 - 1 numbers: take fewer elements or a lower order"));
  for (size_t i = 1; i <= rows; i++) m.start[i] += m.start[i - 1];
  CALL(wisp_new(err, numbers, sizeof *made.column, &made.column));
  for (size_t part = 0; part < PARTS; part++) {
    const size_t from = (size_t)m.start[rows * part / PARTS], to = (size_t)m.start[rows * (part + 1) / PARTS];
    if (to > from) memcpy(made.column + from, m.column[part], (to - from) * sizeof *made.column);
  }
  made.start = m.start, m.start = NULL;
  return GIVE(made, out);
}

/* --- products --- */

typedef struct product {
  const wisp_sparse *A, *B;
} product;

/* A wisp_sparse_row. */
static size_t list_product(const void *context, size_t row, int32_t *columns)
{
  const wisp_sparse *A = ((const product *)context)->A, *B = ((const product *)context)->B;
  size_t count = 0;
  for (int32_t p = A->start[row]; p < A->start[row + 1]; p++)
    for (int32_t q = B->start[A->column[p]]; q < B->start[A->column[p] + 1]; q++) columns[count++] = B->column[q];
  return count;
}

wisp_status wisp_sparse_multiply(wisp_error *err, const wisp_sparse *A, const wisp_sparse *B, wisp_sparse *out)
{
  size_t most = 0;
  for (size_t row = 0; row < A->rows; row++) {
    size_t terms = 0;
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++)
      terms += (size_t)(B->start[A->column[p] + 1] - B->start[A->column[p]]);
    if (terms > most) most = terms;
  }
  return wisp_sparse_make(err, A->rows, B->columns, most, list_product, &(product){A, B}, out);
}

wisp_status wisp_sparse_transpose(wisp_error *err, const wisp_sparse *A, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse T = {.rows = A->columns, .columns = A->rows};
  const int32_t numbers = A->start[A->rows];
  OWNED(free) int32_t *next = NULL;
  CALL(wisp_new(err, A->columns + 1, sizeof *T.start, &T.start));
  CALL(wisp_new(err, (size_t)numbers, sizeof *T.column, &T.column));
  CALL(wisp_new(err, A->columns, sizeof *next, &next));
  for (int32_t q = 0; q < numbers; q++) T.start[A->column[q] + 1]++;
  for (size_t j = 0; j < A->columns; j++) next[j] = T.start[j], T.start[j + 1] += T.start[j];
  for (size_t i = 0; i < A->rows; i++)
    for (int32_t q = A->start[i]; q < A->start[i + 1]; q++) T.column[next[A->column[q]]++] = (int32_t)i;
  return GIVE(T, out);
}
