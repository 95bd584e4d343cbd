#include "cycle.h"

#include <lapacke.h>
#include <math.h>

enum { DIRECT = 512 }; /* unknowns that are solved for by an inverse */

typedef struct level {
  wisp_sparse A, down, up; /* T^T S E and its transpose */
  wisp_sparse E;           /* what two steps of smoothing leave of a residual */
  size_t at;               /* of b in levels; x follows */
  double *over, rho;       /* 1 / D, and a bound of the eigenvalues of D^-1 A */
} level;

typedef struct hierarchy {
  level level[WISP_CYCLE_LEVELS];
  size_t levels, width;
} hierarchy;

static void release(hierarchy *h)
{
  for (level *l = h->level; l < h->level + WISP_CYCLE_LEVELS; l++) {
    wisp_sparse_free(&l->A), wisp_sparse_free(&l->down), wisp_sparse_free(&l->up);
    wisp_sparse_free(&l->E);
    free(l->over);
  }
}

void wisp_cycle_destroy(wisp_cycle *cycle)
{
  if (!cycle) return;
  wisp_sparse_free(&cycle->rows);
  free(cycle->target);
  free(cycle);
}

/* --- aggregates --- */

/* Takes row i and those of its neighbours that are nobody's. */
static void take(const wisp_sparse *A, size_t i, int32_t number, int32_t *of)
{
  for (int32_t q = A->start[i]; q < A->start[i + 1]; q++)
    if (of[A->column[q]] < 0) of[A->column[q]] = number;
  of[i] = number;
}

/* First rows whose neighbours are all free, with these; then what is left joins a neighbour; then the rest. */
static size_t aggregate(const wisp_sparse *A, int32_t *of, int32_t *joined)
{
  int32_t count = 0;
  for (size_t i = 0; i < A->rows; i++) of[i] = -1;
  for (size_t i = 0; i < A->rows; i++) {
    bool is_free = true;
    for (int32_t q = A->start[i]; q < A->start[i + 1]; q++) is_free &= of[A->column[q]] < 0;
    if (is_free) take(A, i, count++, of);
  }
  for (size_t i = 0; i < A->rows; i++) {
    joined[i] = of[i];
    for (int32_t q = A->start[i]; q < A->start[i + 1] && joined[i] < 0; q++) joined[i] = of[A->column[q]];
  }
  for (size_t i = 0; i < A->rows; i++) of[i] = joined[i];
  for (size_t i = 0; i < A->rows; i++)
    if (of[i] < 0) take(A, i, count++, of);
  return (size_t)count;
}

/* T^T: a row an aggregate, ones. */
static wisp_status aggregates(wisp_error *err, const wisp_sparse *A, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse T = {.rows = 0};
  OWNED(free) int32_t *of = NULL, *joined = NULL;
  CALL(wisp_new(err, A->rows, sizeof *of, &of));
  CALL(wisp_new(err, A->rows, sizeof *joined, &joined));
  const size_t count = aggregate(A, of, joined);
  CALL(wisp_sparse_begin(err, A->rows, count, &T));
  for (size_t i = 0; i < A->rows; i++) CALL(wisp_sparse_append(err, &T, i, (size_t)of[i], 1));
  return wisp_sparse_transpose(err, &T, out);
}

/* --- levels --- */

/* 1 / D, and Gershgorin's bound. */
static wisp_status weigh(wisp_error *err, level *l)
{
  double rho = 0;
  CALL(wisp_new(err, l->A.rows, sizeof *l->over, &l->over));
  for (size_t i = 0; i < l->A.rows; i++) {
    double sum = 0, diagonal = 0;
    for (int32_t q = l->A.start[i]; q < l->A.start[i + 1]; q++) {
      sum += fabs(l->A.value[q]);
      if ((size_t)l->A.column[q] == i) diagonal = l->A.value[q];
    }
    CALL(wisp_require(err, diagonal > 0, WISP_EWRONG, "row %zu of a coarse matrix of %zu has the diagonal %g", i,
                      l->A.rows, diagonal));
    l->over[i] = 1 / diagonal;
    rho = fmax(rho, sum / diagonal);
  }
  l->rho = rho;
  return WISP_OK;
}

/* one I - w A D^-1, or from the other side too: one D^-1 - w D^-1 A D^-1. */
static wisp_status smoother(wisp_error *err, const level *l, double one, double w, bool both, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse S = {.rows = 0};
  CALL(wisp_sparse_begin(err, l->A.rows, l->A.rows, &S));
  for (size_t i = 0; i < l->A.rows; i++)
    for (int32_t q = l->A.start[i]; q < l->A.start[i + 1]; q++) {
      const size_t j = (size_t)l->A.column[q];
      const double number = (i == j ? one : 0) - w * l->A.value[q] * l->over[j];
      CALL(wisp_sparse_append(err, &S, i, j, both ? l->over[i] * number : number));
    }
  return GIVE(S, out);
}

/* The weights of two steps: one over the roots of Chebyshev's polynomial on the upper part of the eigenvalues. */
static void find_weights(const level *l, double w[2])
{
  static const double share = 0.04;
  const double middle = l->rho * (1 + share) / 2, radius = l->rho * (1 - share) / 2;
  for (int i = 0; i < 2; i++) w[i] = 1 / (middle + (i ? -1 : 1) * radius * sqrt(0.5));
}

static wisp_status smooth(wisp_error *err, level *l)
{
  HELD(wisp_sparse_free) wisp_sparse one = {.rows = 0}, two = {.rows = 0};
  double w[2];
  find_weights(l, w);
  CALL(smoother(err, l, 1, w[0], false, &one));
  CALL(smoother(err, l, 1, w[1], false, &two));
  return wisp_sparse_multiply(err, &one, &two, &l->E);
}

/* E^T Q + Q, Q b what the two steps make of b from 0. */
static wisp_status smooth_twice(wisp_error *err, const level *l, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse Q = {.rows = 0}, EQ = {.rows = 0}, Et = {.rows = 0};
  double w[2];
  find_weights(l, w);
  CALL(smoother(err, l, w[0] + w[1], w[0] * w[1], true, &Q));
  CALL(wisp_sparse_transpose(err, &l->E, &Et));
  for (size_t i = 0; i < Et.rows; i++)
    for (int32_t q = Et.start[i]; q < Et.start[i + 1]; q++)
      if ((size_t)Et.column[q] == i) Et.value[q] += 1;
  CALL(wisp_sparse_multiply(err, &Et, &Q, &EQ));
  return GIVE(EQ, out);
}

/* The next level of l; no row: its aggregates are no fewer, and it is the last. */
static wisp_status coarsen(wisp_error *err, level *l, wisp_sparse *next)
{
  HELD(wisp_sparse_free)
  wisp_sparse T = {.rows = 0}, S = {.rows = 0}, Pt = {.rows = 0}, P = {.rows = 0}, PtA = {.rows = 0};
  CALL(aggregates(err, &l->A, &T));
  if (T.rows * 5 > l->A.rows * 4) return WISP_OK;
  CALL(smoother(err, l, 1, 4 / (3 * l->rho), false, &S));
  CALL(wisp_sparse_multiply(err, &T, &S, &Pt));
  CALL(wisp_sparse_multiply(err, &Pt, &l->E, &l->down));
  CALL(wisp_sparse_transpose(err, &l->down, &l->up));
  CALL(wisp_sparse_transpose(err, &Pt, &P));
  CALL(wisp_sparse_multiply(err, &Pt, &l->A, &PtA));
  return wisp_sparse_multiply(err, &PtA, &P, next);
}

static wisp_status make_levels(wisp_error *err, const wisp_sparse *A, hierarchy *h)
{
  HELD(wisp_sparse_free) wisp_sparse one = {.rows = 0}, next = {.rows = 0};
  CALL(wisp_sparse_begin(err, A->rows, A->rows, &one));
  for (size_t i = 0; i < A->rows; i++) CALL(wisp_sparse_append(err, &one, i, i, 1));
  CALL(wisp_sparse_multiply(err, &one, A, &next)); /* a copy */
  while (next.rows) {
    level *l = &h->level[h->levels++];
    l->A = next, l->at = h->width;
    next = (wisp_sparse){.rows = 0};
    h->width += 2 * l->A.rows;
    CALL(weigh(err, l));
    CALL(smooth(err, l));
    if (l->A.rows > DIRECT && h->levels < WISP_CYCLE_LEVELS) CALL(coarsen(err, l, &next));
  }
  return WISP_OK;
}

/* --- rows --- */

/* A span of sums over `one` times what stands at one_at, and `two`, which may be NULL, times what stands at two_at. */
static wisp_status add_span(wisp_error *err, wisp_cycle *c, size_t to, const wisp_sparse *one, size_t one_at,
                            const wisp_sparse *two, size_t two_at)
{
  const size_t first = c->spans ? c->span[c->spans - 1].first + c->span[c->spans - 1].count : 0;
  for (size_t i = 0; i < one->rows; i++) {
    const size_t row = first + i;
    c->rows.start[row + 1] = c->rows.start[row];
    for (int32_t q = one->start[i]; q < one->start[i + 1]; q++)
      CALL(wisp_sparse_append(err, &c->rows, row, one_at + (size_t)one->column[q], one->value[q]));
    for (int32_t q = two ? two->start[i] : 0; q < (two ? two->start[i + 1] : 0); q++)
      CALL(wisp_sparse_append(err, &c->rows, row, two_at + (size_t)two->column[q], two->value[q]));
    c->target[row] = (int32_t)(to + i);
  }
  c->span[c->spans++] = (wisp_span){first, one->rows};
  return WISP_OK;
}

/* The last level's inverse; a little on the diagonal makes one of a matrix whose null space is the constants. Where it
 * is too large, its smoothing. */
static wisp_status add_last(wisp_error *err, wisp_cycle *c, const level *l)
{
  HELD(wisp_sparse_free) wisp_sparse inverse = {.rows = 0};
  const size_t n = l->A.rows;
  OWNED(free) double *dense = NULL;
  if (n > DIRECT) {
    CALL(smooth_twice(err, l, &inverse));
    return add_span(err, c, l->at + n, &inverse, l->at, NULL, 0);
  }
  CALL(wisp_new(err, n * n, sizeof *dense, &dense));
  for (size_t i = 0; i < n; i++)
    for (int32_t q = l->A.start[i]; q < l->A.start[i + 1]; q++)
      dense[i * n + (size_t)l->A.column[q]] = l->A.value[q] * ((size_t)l->A.column[q] == i ? 1 + 1e-9 : 1);
  int info = (int)LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', (int)n, dense, (int)n);
  if (!info) info = (int)LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', (int)n, dense, (int)n);
  CALL(wisp_require(err, !info, WISP_EWRONG, "the coarsest matrix, of %zu, is not positive (pivot %d)", n, info));
  CALL(wisp_sparse_begin(err, n, n, &inverse));
  for (size_t i = 0; i < n * n; i++) {
    const size_t row = i / n, column = i % n;
    CALL(wisp_sparse_append(err, &inverse, row, column, dense[row < column ? i : column * n + row]));
  }
  return add_span(err, c, l->at + n, &inverse, l->at, NULL, 0);
}

wisp_status wisp_cycle_create(wisp_error *err, const wisp_sparse *A, wisp_cycle **out)
{
  OWNED(wisp_cycle_destroy) wisp_cycle *c = NULL;
  HELD(release) hierarchy h = {.levels = 0};
  CALL(make_levels(err, A, &h));
  CALL(wisp_new(err, 1, sizeof *c, &c));
  CALL(wisp_sparse_begin(err, h.width, h.width, &c->rows));
  CALL(wisp_new(err, h.width, sizeof *c->target, &c->target));
  for (size_t i = 0; i + 1 < h.levels; i++)
    CALL(add_span(err, c, h.level[i + 1].at, &h.level[i].down, h.level[i].at, NULL, 0));
  if (h.levels) CALL(add_last(err, c, &h.level[h.levels - 1]));
  for (size_t i = h.levels - (h.levels > 0); i-- > 0;) {
    const level *l = &h.level[i];
    HELD(wisp_sparse_free) wisp_sparse both = {.rows = 0};
    CALL(smooth_twice(err, l, &both));
    CALL(add_span(err, c, l->at + l->A.rows, &both, l->at, &l->up, h.level[i + 1].at + h.level[i + 1].A.rows));
  }
  c->rows.rows = c->spans ? c->span[c->spans - 1].first + c->span[c->spans - 1].count : 0;
  c->width = h.width;
  c->solution_at = A->rows;
  return GIVE(c, out);
}
