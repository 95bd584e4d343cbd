/* A V-cycle of smoothed aggregation (Vanek, Mandel, Brezina 1996) for A x = b, A symmetric and positive, as nothing but
 * sums over rows: spans of rows one after the other, each row a sum over numbers of one vector `levels` and a place in
 * it that takes the sum. Before it, `levels` begins with b; after it x stands at solution_at.
 *
 * D has the sums of the magnitudes of A's rows, so that no eigenvalue of D^-1 A is above 1. On each level two steps of
 * Jacobi's smoothing before and after, their weights w and v one over the roots of Chebyshev's polynomial: E = (I - w
 * A D^-1) (I - v A D^-1), and from 0 they make Q b = ((w + v) D^-1 - w v D^-1 A D^-1) b. T of each aggregate the
 * constants, S = I - 8/5 A D^-1, P = S^T T. Smoothing from 0, the residual and its restriction are one matrix, and so
 * are prolongation and smoothing again:
 *
 *     b_(l+1) = T^T S E b_l,    x_l = (E^T Q + Q) b_l + (T^T S E)^T x_(l+1),    A_(l+1) = P^T A P
 *
 * The last level is solved by its inverse, the second and a large third are visited twice, the second time for what the
 * first has left of b.
 * Others may smooth A's own level: `levels` then has what they leave of b, and their x from solution_at on, and the
 * cycle is x += P x_1 for b_1 = P^T b.
 * The pattern follows from that of A, and is found here; the numbers are computed on the device, by steps. */
#pragma once

#include "../problem.h"
#include "sparse.h"

enum {
  WISP_CYCLE_LEVELS = 16,
  WISP_CYCLE_SPANS = 128,
  WISP_CYCLE_DIRECT = 64 /* unknowns of which an inverse is made */
};

/* Rows of a matrix among all rows; its column j is there `shift` + j. */
typedef struct wisp_cycle_matrix {
  size_t first, rows, columns, shift;
} wisp_cycle_matrix;

/* A step that makes the numbers of some rows.
 * WEIGH: of left, A, one over the sums of its rows' magnitudes, 1 / D, from weights_at on, and A D^-1 to out.
 * PRODUCT: (own I + left_scale X) (right_one I + right_scale Y) to those of out's rows' columns that are its own, X
 * left and Y right, or transposed: Y^T; times 1 / D from weights_at on, if it is not -1.
 * INVERT: the inverse of left, to out. */
typedef struct wisp_cycle_step {
  enum wisp_cycle_how { WISP_CYCLE_WEIGH, WISP_CYCLE_PRODUCT, WISP_CYCLE_INVERT, WISP_CYCLE_HOWS } how;
  wisp_cycle_matrix out, left, right;
  double own, left_scale, right_one, right_scale;
  long long weights_at;
  bool transposed;
} wisp_cycle_step;

typedef struct wisp_cycle {
  size_t rows, numbers; /* those of all spans, then of the matrices that these are made with */
  int32_t *start;       /* rows + 1 */
  int32_t *column;      /* of spans' rows places in levels; columns of a row rise */
  int32_t *target;      /* of spans' rows: where the sums go */
  size_t width, solution_at;
  wisp_span span[WISP_CYCLE_SPANS];
  size_t spans;
  wisp_cycle_matrix A;                             /* whose numbers come from elsewhere */
  wisp_cycle_matrix aggregates[WISP_CYCLE_LEVELS]; /* T^T of each level but the last, whose numbers are 1 */
  size_t coarsenings;
  wisp_cycle_step step[9 * WISP_CYCLE_LEVELS];
  size_t steps;
} wisp_cycle;

/* Takes A, which has all of its diagonal. values: its numbers, whose strong connections aggregates follow; NULL: they
 * follow the pattern. direct: unknowns for an inverse, at most WISP_CYCLE_DIRECT. smoothed: A's own level is, by
 * others; solution_at is then a multiple of 4, and numbers between b and x are 0. */
wisp_status wisp_cycle_create(wisp_error *err, wisp_sparse *A, const double *values, size_t direct, bool smoothed,
                              wisp_cycle **out);
void wisp_cycle_destroy(wisp_cycle *cycle);
WISP_OWNED(wisp_cycle, wisp_cycle_destroy)

/* Spans from `from` on that are small enough to be one launch: the one behind the last, `from` where it is not. */
enum { WISP_CYCLE_SMALL = 4096 };
size_t wisp_cycle_small(const wisp_cycle *cycle, size_t from);

/* The bindings of the hdg family's coarse kernels for a step: at most WISP_CYCLE_BINDINGS. Returns how many. */
enum { WISP_CYCLE_BINDINGS = 13 };
size_t wisp_cycle_bindings(const wisp_cycle_step *step, wisp_binding bindings[WISP_CYCLE_BINDINGS]);
