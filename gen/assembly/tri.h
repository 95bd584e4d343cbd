/* Reference operators of the triangle for continuous elements, beside the nodal family's tet (gen/nodal/tet.h).
 *
 * Bi-unit triangle with vertices (-1,-1), (1,-1), (-1,1). Nodes: warp & blend (Warburton 2006), node (i, j) of
 * i + j <= N, i fastest; on edges Gauss-Lobatto points, so that neighbours' nodes meet. All matrices are dense, row
 * major, double. */
#ifndef WISP_TRI_H
#define WISP_TRI_H

#include "../check.h"

enum { WISP_TRI_MAX_ORDER = 5, WISP_TRI_DIRECTIONS = 3 };

/* S_rs = D_r^T M D_s. Directions are the pairs r <= s of derivatives, 00, 01, 11: stiffness[0] = S_00, stiffness[1] =
 * S_01 + S_10, stiffness[2] = S_11. An element's matrix is kappa times their sum, weighted by its geometry. */
typedef struct wisp_tri {
  int N, Np;                                 /* order; (N+1)(N+2)/2 nodes */
  double *r, *s;                             /* node coordinates, Np each */
  double *inverse_V;                         /* of the Vandermonde matrix of the orthonormal modes, Np x Np */
  double *mass;                              /* M = (V V^T)^-1, Np x Np */
  double *stiffness[WISP_TRI_DIRECTIONS];    /* Np x Np each */
  double *interpolated[WISP_TRI_DIRECTIONS]; /* likewise under a coefficient that is node m's polynomial: Np (m) x Np x
                                                Np; their sum over m is stiffness */
} wisp_tri;

/* Operators of order N, 1..5 (WISP_EUSAGE otherwise). */
wisp_status wisp_tri_create(wisp_error *err, int N, wisp_tri **out);
void wisp_tri_destroy(wisp_tri *tri);
WISP_OWNED(wisp_tri, wisp_tri_destroy)

/* The nodes' polynomials at a point, and their derivatives by r and s: Np each, caller's memory; slopes may be NULL. */
void wisp_tri_at(const wisp_tri *tri, double r, double s, double *phi, double *slopes[2]);

/* The i-th node along edge 0 (vertices 0, 1), 1 (1, 2) or 2 (2, 0), 0..N, from the edge's first vertex on. */
int wisp_tri_edge_node(int N, int edge, int i);

#endif
