/* Reference operators of the hexahedron, one direction of three: fields are tensor products of Lagrange polynomials on
 * Gauss-Lobatto-Legendre (GLL) nodes; integrals are taken at those nodes or at Gauss points (Swirydowicz, Chalmers,
 * Karakus, Warburton 2019). All matrices are dense, row major, double. */
#pragma once

#include "../check.h"

enum { WISP_HEX_MAX_ORDER = 15, WISP_HEX_VERTICES = 8, WISP_HEX_FACTORS = 7 };

typedef struct wisp_hex {
  int N, Nq, Np, Gl, glNp;              /* order; Nq = N+1 nodes a direction, Np = Nq^3; Gl = N+2 points, glNp = Gl^3 */
  int Mq;                               /* nodes a direction of order N/2, multigrid's next; 1 for order 1 */
  double *gll_points, *gll_weights;     /* Nq each, ascending from -1 to 1; exact for degree 2N-1 */
  double *gauss_points, *gauss_weights; /* Gl each, ascending; exact for degree 2Gl-1 */
  double *I;                            /* from nodes to Gauss points, Gl x Nq */
  double *D;                            /* derivative at the nodes, Nq x Nq; rows sum to zero */
  double *glD;                          /* derivative at the Gauss points of their own interpolant, Gl x Gl */
  double *J;                            /* from nodes of order N/2 to the nodes, Nq x Mq; ones for order 1 */
} wisp_hex;

/* Operators of order N, 1..15 (WISP_EUSAGE otherwise). Their symmetry is exact: points[n-1-i] = -points[i],
 * I[Gl-1-m][Nq-1-n] = I[m][n], J likewise, D[Nq-1-i][Nq-1-j] = -D[i][j], and glD like D. */
wisp_status wisp_hex_create(wisp_error *err, int N, wisp_hex **out);
void wisp_hex_destroy(wisp_hex *hex);
WISP_OWNED(wisp_hex, wisp_hex_destroy)

/* Gl of order N. */
static inline int wisp_hex_gauss(int N)
{
  return N + 2;
}

/* The halves of a matrix A, rows x columns, with A[rows-1-m][columns-1-n] = sign A[m][n]. With e_n = u_n + u_(C-1-n)
 * and o_n = u_n - u_(C-1-n) for n < C/2, and e = u in the middle of odd C = columns,
 *
 *     p_m = sum_n even[m][n] e_n,   q_m = sum_n odd[m][n] o_n,   (A u)_m = p_m + q_m,
 *     (A u)_(rows-1-m) = sign (p_m - q_m),   m < ceil(rows / 2).
 *
 * even and odd: ceil(rows/2) x ceil(columns/2), row major, caller's memory; odd's middle column is zero. */
void wisp_hex_halves(const double *A, int rows, int columns, double *even, double *odd);
