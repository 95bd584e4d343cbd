/* One triangle of the hybridized method in double, by LAPACK: what kernels must leave, and with each number the sum of
 * the magnitudes that its rounding errors go by: of a solve S x = y those of |S^-1| (|S| |x| + |y|), as for any stable
 * elimination. Traces, and all that belongs to edges, run along the element: edge l from vertex l to l + 1. */
#pragma once

#include "../../gen/hdg/tables.h"

/* A triangle, counterclockwise, and its coefficients. */
typedef struct wisp_hdg_triangle {
  double xy[3][2], tau[3], kappa, lambda;
} wisp_hdg_triangle;

/* The numbers that its matrices are made of (gen/hdg/tables.h). */
typedef struct wisp_hdg_factors {
  double J, slope[2][2];   /* dr/dx, dr/dy; ds/dx, ds/dy */
  double a[3], G[3], mass; /* tau_l h_l / 2; rr, rs, ss; lambda J */
  double kappa, G_size[3];
  double blur; /* of J: the magnitudes that it is a difference of, over it */
} wisp_hdg_factors;

void wisp_hdg_factors_of(const wisp_hdg_triangle *triangle, wisp_hdg_factors *out);

/* The length of edge l. */
double wisp_hdg_length(const wisp_hdg_triangle *triangle, int edge);

typedef struct wisp_hdg_condensed {
  double K[WISP_HDG_MAX_M * WISP_HDG_MAX_M], b[WISP_HDG_MAX_M]; /* m x m and m */
  double U[WISP_HDG_MAX_NP * WISP_HDG_MAX_M];                   /* S^-1 R, Np x m */
  double K_size[WISP_HDG_MAX_M * WISP_HDG_MAX_M], b_size[WISP_HDG_MAX_M];
} wisp_hdg_condensed;

/* load: (f, phi_i), Np numbers. WISP_EWRONG where S is not positive to rounding. */
wisp_status wisp_hdg_condense(wisp_error *err, const wisp_hdg_tables *tables, const wisp_hdg_factors *factors,
                              const double *load, wisp_hdg_condensed *out);

/* The same of a continuous element, its inside eliminated. K is around x around; b is R^T S^-1 f, load inside numbers.
 */
wisp_status wisp_hdg_condense_continuous(wisp_error *err, const wisp_hdg_tables *tables,
                                         const wisp_hdg_factors *factors, const double *load, wisp_hdg_condensed *out);

/* S and R, rows of Np and of m, and K_F, m x m. */
typedef struct wisp_hdg_bordered {
  double S[WISP_HDG_MAX_NP * WISP_HDG_MAX_NP], R[WISP_HDG_MAX_NP * WISP_HDG_MAX_M], K[WISP_HDG_MAX_M * WISP_HDG_MAX_M];
} wisp_hdg_bordered;

/* The matrices, and the magnitudes that their entries are sums of. */
void wisp_hdg_border(const wisp_hdg_tables *tables, const wisp_hdg_factors *factors, wisp_hdg_bordered out[2]);

/* u, and p = kappa grad u, its x first: Np and 2 Np modes. */
typedef struct wisp_hdg_inside {
  double u[WISP_HDG_MAX_NP], p[2 * WISP_HDG_MAX_NP], u_size[WISP_HDG_MAX_NP], p_size[2 * WISP_HDG_MAX_NP];
} wisp_hdg_inside;

wisp_status wisp_hdg_recover(wisp_error *err, const wisp_hdg_tables *tables, const wisp_hdg_factors *factors,
                             const double *load, const double *trace, wisp_hdg_inside *out);

/* p, which is 0 before, of the trace and of u as it is there. */
void wisp_hdg_flux(const wisp_hdg_tables *tables, const wisp_hdg_factors *factors, const double *trace,
                   wisp_hdg_inside *inside);

/* u* of degree P + 1, Ns modes: (grad u*, grad w) = (p / kappa, grad w), and u's mean. */
wisp_status wisp_hdg_postprocess(wisp_error *err, const wisp_hdg_tables *tables, const wisp_hdg_factors *factors,
                                 const double *u, const double *p, double *ustar, double *size);
