/* Claim: the coarse cycle is what its header says. Its steps, done here one after the other on full matrices, leave
 * numbers with which its sums over rows do what a V-cycle of smoothed aggregation does that is written down as a
 * recursion: two steps of smoothing before and after, the second level twice, the last exactly. It is symmetric, and
 * reduces the error. */
#include "test.h"
#include "../runtime/solve/cycle.h"

enum { SIDE = 24, ROWS = SIDE * SIDE, DIRECT = 6, MOST = 8 };

/* --- the steps --- */

/* Number (i, j) of some rows, or NULL. */
static double *number(const wisp_cycle *c, double *values, const wisp_cycle_matrix *m, size_t i, size_t j)
{
  for (int32_t q = c->start[m->first + i]; q < c->start[m->first + i + 1]; q++)
    if ((size_t)c->column[q] == m->shift + j) return &values[q];
  return NULL;
}

static double value(const wisp_cycle *c, double *values, const wisp_cycle_matrix *m, size_t i, size_t j)
{
  const double *at = number(c, values, m, i, j);
  return at ? *at : 0;
}

static void weigh(const wisp_cycle *c, const wisp_cycle_step *s, double *values, double *over)
{
  for (size_t i = 0; i < s->out.rows; i++) {
    double sum = 0;
    for (size_t j = 0; j < s->out.rows; j++) sum += fabs(value(c, values, &s->left, i, j));
    over[(size_t)s->weights_at + i] = 1 / sum;
    for (size_t j = 0; j < s->out.rows; j++)
      if (number(c, values, &s->out, j, i)) *number(c, values, &s->out, j, i) = value(c, values, &s->left, j, i) / sum;
  }
}

/* Checks every number of the product, also those outside its pattern: they must be 0. */
static void multiply(const wisp_cycle *c, const wisp_cycle_step *s, double *values, const double *over)
{
  const size_t inner = s->transposed ? s->right.columns : s->right.rows;
  for (size_t i = 0; i < s->out.rows; i++) {
    double x[ROWS] = {0};
    for (size_t k = 0; k < inner; k++)
      x[k] = (k == i ? s->own : 0) + (s->left_scale == 0 ? 0 : s->left_scale * value(c, values, &s->left, i, k));
    for (size_t j = 0; j < s->out.columns; j++) {
      double sum = 0, *to = number(c, values, &s->out, i, j);
      for (size_t k = 0; k < inner; k++)
        if (x[k] != 0)
          sum += x[k] *
                 ((k == j ? s->right_one : 0) + s->right_scale * (s->transposed ? value(c, values, &s->right, j, k)
                                                                                : value(c, values, &s->right, k, j)));
      if (!to && sum != 0) fail_msg("a product has no place for (%zu, %zu), %g", i, j, sum);
      if (to) *to = s->weights_at < 0 ? sum : sum * over[(size_t)s->weights_at + i];
    }
  }
}

/* x of A x = b, A positive, by elimination. */
static void solve(const wisp_cycle *c, const wisp_cycle_matrix *A, double *values, const double *b, double *x)
{
  const size_t n = A->rows;
  double dense[DIRECT][DIRECT];
  assert_true(n <= DIRECT);
  for (size_t i = 0; i < n * n; i++) dense[i / n][i % n] = value(c, values, A, i / n, i % n);
  for (size_t i = 0; i < n; i++) x[i] = b[i];
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      const double factor = dense[i][k] / dense[k][k];
      for (size_t j = k; j < n; j++) dense[i][j] -= factor * dense[k][j];
      x[i] -= factor * x[k];
    }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++) x[i] -= dense[i][j] * x[j];
    x[i] /= dense[i][i];
  }
}

static void invert(const wisp_cycle *c, const wisp_cycle_step *s, double *values)
{
  for (size_t j = 0; j < s->out.rows; j++) {
    double unit[DIRECT] = {0}, x[DIRECT];
    unit[j] = 1;
    solve(c, &s->left, values, unit, x);
    for (size_t i = 0; i < s->out.rows; i++) *number(c, values, &s->out, i, j) = x[i];
  }
}

/* --- the recursion --- */

typedef struct multigrid {
  const wisp_cycle *c;
  double *values;
  wisp_cycle_matrix A[MOST];
  size_t levels;
} multigrid;

/* r = b - A x; sizes of rows' magnitudes to D. */
static void residual(const multigrid *m, size_t l, const double *b, const double *x, double *r, double *D)
{
  const wisp_cycle_matrix *A = &m->A[l];
  for (size_t i = 0; i < A->rows; i++) {
    r[i] = b ? b[i] : 0, D[i] = 0;
    for (int32_t q = m->c->start[A->first + i]; q < m->c->start[A->first + i + 1]; q++)
      r[i] -= m->values[q] * x[m->c->column[q]], D[i] += fabs(m->values[q]);
  }
}

static void smooth(const multigrid *m, size_t l, const double *b, bool second, double *x)
{
  double r[ROWS], D[ROWS];
  residual(m, l, b, x, r, D);
  for (size_t i = 0; i < m->A[l].rows; i++) x[i] += 2 / (1.1 + (second ? -0.9 : 0.9) * sqrt(0.5)) * r[i] / D[i];
}

/* x = M b, by P = (I - 8/5 D^-1 A) T. */
static void cycle(const multigrid *m, size_t l, const double *b, double *x)
{
  const size_t n = m->A[l].rows;
  if (l + 1 == m->levels) {
    solve(m->c, &m->A[l], m->values, b, x);
    return;
  }
  const wisp_cycle_matrix *T = &m->c->aggregates[l];
  double r[ROWS], D[ROWS], t[ROWS], coarse[ROWS] = {0}, y[ROWS], correction[ROWS], left[ROWS];
  memset(x, 0, n * sizeof *x);
  for (int k = 0; k < 2; k++) smooth(m, l, b, k, x);
  residual(m, l, b, x, r, D);
  for (size_t i = 0; i < n; i++) t[i] = r[i] / D[i];
  residual(m, l, NULL, t, y, D); /* -A D^-1 r */
  for (size_t a = 0; a < T->rows; a++)
    for (int32_t q = m->c->start[T->first + a]; q < m->c->start[T->first + a + 1]; q++)
      coarse[a] += r[m->c->column[q]] + 1.6 * y[m->c->column[q]];
  cycle(m, l + 1, coarse, y);
  if (l == 0 && m->levels > 2) {
    residual(m, 1, coarse, y, left, correction);
    cycle(m, 1, left, correction);
    for (size_t a = 0; a < T->rows; a++) y[a] += correction[a];
  }
  for (size_t a = 0; a < T->rows; a++)
    for (int32_t q = m->c->start[T->first + a]; q < m->c->start[T->first + a + 1]; q++) t[m->c->column[q]] = y[a];
  residual(m, l, NULL, t, r, D);
  for (size_t i = 0; i < n; i++) x[i] += t[i] + 1.6 * r[i] / D[i];
  for (int k = 2; k-- > 0;) smooth(m, l, b, k, x);
}

/* --- the test --- */

/* A wisp_sparse_row: a square's nodes and their eight neighbours. */
static size_t list(const void *context, size_t row, int32_t *columns)
{
  size_t count = 0;
  for (int k = 0; k < 9; k++) {
    const int i = (int)row / SIDE + k / 3 - 1, j = (int)row % SIDE + k % 3 - 1;
    if (i >= 0 && i < SIDE && j >= 0 && j < SIDE) columns[count++] = i * SIDE + j;
  }
  return count;
}

/* Bilinear elements of an operator that changes from place to place, 0 around the square. */
static double entry(size_t i, size_t j)
{
  const double change = 1 + 0.5 * sin((double)(i + j)) * cos((double)(i % SIDE * (j % SIDE)));
  return i == j ? 16 : -change;
}

static void make(multigrid *m, wisp_cycle *c, double *values, double *over)
{
  *m = (multigrid){.c = c, .values = values, .A = {c->A}, .levels = 1};
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < ROWS; j++)
      if (number(c, values, &c->A, i, j)) *number(c, values, &c->A, i, j) = entry(i < j ? i : j, i < j ? j : i);
  for (const wisp_cycle_matrix *T = c->aggregates; T < c->aggregates + c->coarsenings; T++)
    for (int32_t q = c->start[T->first]; q < c->start[T->first + T->rows]; q++) values[q] = 1;
  for (const wisp_cycle_step *s = c->step; s < c->step + c->steps; s++) {
    if (s->how == WISP_CYCLE_WEIGH) weigh(c, s, values, over);
    if (s->how == WISP_CYCLE_PRODUCT) multiply(c, s, values, over);
    if (s->how == WISP_CYCLE_INVERT) invert(c, s, values);
    if (s->how == WISP_CYCLE_WEIGH && s->left.first != c->A.first) m->A[m->levels++] = s->left;
    if (s->how == WISP_CYCLE_INVERT) m->A[m->levels++] = s->left;
  }
}

static void sum_up(const wisp_cycle *c, const double *values, const double *b, double *levels)
{
  memcpy(levels, b, ROWS * sizeof *b);
  for (const wisp_span *span = c->span; span < c->span + c->spans; span++)
    for (size_t row = span->first; row < span->first + span->count; row++) {
      double sum = 0;
      for (int32_t q = c->start[row]; q < c->start[row + 1]; q++) sum += values[q] * levels[c->column[q]];
      levels[c->target[row]] = sum;
    }
}

TEST(test_cycle)
{
  static double b[2][ROWS], x[2][ROWS], expected[ROWS], r[ROWS], D[ROWS];
  wisp_sparse A = {.rows = 0};
  OWNED(wisp_cycle_destroy) wisp_cycle *c = NULL;
  multigrid m;
  GOOD(wisp_sparse_make(err, ROWS, ROWS, 9, list, NULL, &A));
  GOOD(wisp_cycle_create(err, &A, NULL, DIRECT, false, &c));
  assert_true(c->coarsenings >= 2 && c->coarsenings < MOST);
  double *values = zeros((size_t)c->start[c->rows] + 2 * c->width), *over = values + c->start[c->rows];
  make(&m, c, values, over);
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < ROWS; i++) b[k][i] = sin((double)(i * i) + k);
    sum_up(c, values, b[k], over + c->width);
    memcpy(x[k], over + c->width + c->solution_at, sizeof x[k]);
    cycle(&m, 0, b[k], expected);
    for (size_t i = 0; i < ROWS; i++)
      if (!(fabs(x[k][i] - expected[i]) < 1e-12)) fail_msg("%zu: %.15g, not %.15g", i, x[k][i], expected[i]);
  }
  double one = 0, other = 0, before = 0, after = 0;
  residual(&m, 0, b[0], x[0], r, D);
  for (size_t i = 0; i < ROWS; i++) {
    one += b[0][i] * x[1][i], other += b[1][i] * x[0][i];
    before += b[0][i] * b[0][i], after += r[i] * r[i];
  }
  assert_true(fabs(one - other) < 1e-12 && after < 0.1 * before);
  free(values);
}
