/* A V-cycle over orders N, N/2, ..., 1 as a preconditioner of a Poisson problem on hexes, in single precision and on
 * the device alone. Each order has the operator with integrals at its nodes, which is equivalent to the one at Gauss
 * points, and smooths before and after by Chebyshev's polynomials of the fourth kind (Lottes 2023, Optimal polynomial
 * smoothers for multigrid V-cycles), with the diagonal inside. A cycle of aggregation
 * (runtime/hdg/aggregation.h) follows order 1. So the cycle is symmetric, and positive where no eigenvalue is above a
 * level's bound. */
#pragma once

#include "../hdg/aggregation.h"
#include "poisson_solver.h"

enum { WISP_MULTIGRID_ORDERS = 4 }; /* of order 15: 15, 7, 3, 1 */

typedef struct wisp_multigrid wisp_multigrid;

/* Lists the orders of a cycle, and returns how many. */
int wisp_multigrid_orders(int order, int orders[WISP_MULTIGRID_ORDERS]);

/* The kernels of an order as alternatives for wisp_choose. kernel: the operator's, collocated or collocated_trilinear.
 * finest: no other order leads to it. */
enum { WISP_MULTIGRID_COMPOSITION = WISP_NAME_TEXT + 96 };
void wisp_multigrid_composition(const char *kernel, int order, bool finest, char text[WISP_MULTIGRID_COMPOSITION]);

/* stage: of each order, then of the cycle of aggregation, all in single precision. Everything is borrowed, and outlives
 * it. degree: of each order's polynomial. */
wisp_status wisp_multigrid_create(wisp_error *err, wisp_device *device, const wisp_poisson *problem, wisp_stage *stage,
                                  int degree, wisp_multigrid **out);
void wisp_multigrid_destroy(wisp_multigrid *multigrid); /* NULL is fine */
WISP_OWNED(wisp_multigrid, wisp_multigrid_destroy)

/* The cycle: its launches, and the vectors at its ends. */
wisp_poisson_cycle wisp_multigrid_cycle(const wisp_multigrid *multigrid);

/* Shows each order's launches to a watch; NULL: no longer. */
void wisp_multigrid_watch(wisp_multigrid *multigrid, const wisp_launch_watch *watch);

/* The problem of the order with these vectors; NULL: there is none. */
const wisp_poisson *wisp_multigrid_problem(const wisp_multigrid *multigrid, const wisp_problem *vectors);

/* Levels, and the bound of the eigenvalues on each; levels of aggregation below them. */
typedef struct wisp_multigrid_info {
  int orders;
  int order[WISP_MULTIGRID_ORDERS];
  double bound[WISP_MULTIGRID_ORDERS];
  size_t aggregations;
} wisp_multigrid_info;
wisp_multigrid_info wisp_multigrid_describe(const wisp_multigrid *multigrid);
