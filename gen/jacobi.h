/* Jacobi polynomials P_n^(alpha,beta) on [-1,1], orthonormal for the weight (1-x)^alpha (1+x)^beta. */
#pragma once

#include "check.h"

/* The integral of the weight; P_0 = 1/sqrt of it. */
double wisp_jacobi_weight(double alpha, double beta);

/* Coefficients of x P_n = a_n P_(n-1) + b_n P_n + a_(n+1) P_(n+1) (Hesthaven & Warburton 2008, appendix A): a for n >=
 * 1, b for n >= 0. */
double wisp_jacobi_a(double alpha, double beta, int n);
double wisp_jacobi_b(double alpha, double beta, int n);

/* Gauss points and weights, count each (caller's memory), points ascending: exact for degree 2 count - 1 under the
 * weight. The weights are positive. */
wisp_status wisp_jacobi_gauss(wisp_error *err, double alpha, double beta, int count, double *x, double *w);
