/* A V-cycle of smoothed aggregation (Vanek, Mandel, Brezina 1996) for A x = b, A symmetric and positive, as nothing but
 * sums over rows: spans of rows one after the other, each row a sum over numbers of one vector `levels` and a place in
 * it that takes the sum. Before it, `levels` begins with b; after it x stands at solution_at.
 *
 * On each level two steps of Jacobi's smoothing before and after, their weights w and v one over the roots of
 * Chebyshev's polynomial: E = (I - w A D^-1) (I - v A D^-1), and from 0 they make Q b = ((w + v) D^-1 - w v D^-1 A
 * D^-1) b. T of each aggregate the constants, S = I - 4 / (3 rho) A D^-1, rho a bound of the eigenvalues, P = S^T T.
 * Smoothing from 0, the residual and its restriction are one matrix, and so are prolongation and smoothing again:
 *
 *     b_(l+1) = T^T S E b_l,    x_l = (E^T Q + Q) b_l + (T^T S E)^T x_(l+1),    A_(l+1) = P^T A P
 *
 * The last level is solved by its inverse. */
#ifndef WISP_CYCLE_H
#define WISP_CYCLE_H

#include "../discretisation.h"
#include "sparse.h"

enum { WISP_CYCLE_LEVELS = 16 };

typedef struct wisp_cycle {
  wisp_sparse rows; /* of all spans: columns are places in levels */
  int32_t *target;  /* rows: where the sums go */
  size_t width, solution_at;
  wisp_span span[2 * WISP_CYCLE_LEVELS];
  size_t spans;
} wisp_cycle;

/* Sizes and places depend on the places of A's numbers alone, of which each row has its diagonal. WISP_EWRONG where a
 * diagonal is not positive. */
wisp_status wisp_cycle_create(wisp_error *err, const wisp_sparse *A, wisp_cycle **out);
void wisp_cycle_destroy(wisp_cycle *cycle);
WISP_OWNED(wisp_cycle, wisp_cycle_destroy)

#endif
