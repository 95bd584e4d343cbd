/* Reference operators of triangle and tet for continuous elements, beside the nodal family's (gen/nodal/tet.h).
 *
 * Bi-unit simplices: vertex 0 at (-1,-1) or (-1,-1,-1), vertex v at 1 along direction v - 1. Nodes: warp & blend
 * (Warburton 2006), node (i, j, k) of i + j + k <= N steps from vertex 0, i fastest; on edges Gauss-Lobatto points and
 * on faces alike from all sides, so that neighbours' nodes meet. All matrices are dense, row major, double. */
#pragma once

#include "../check.h"

enum { WISP_SIMPLEX_MAX_ORDER = 5, WISP_SIMPLEX_MAX_NP = 56, WISP_SIMPLEX_DIRECTIONS = 6 };

/* Pairs r <= s of derivatives; the first three are those of a triangle. */
extern const int wisp_simplex_pairs[WISP_SIMPLEX_DIRECTIONS][2];

/* S_rs = D_r^T M D_s. stiffness is S_rs of each pair, and S_rs + S_sr where r and s differ. An element's matrix is
 * kappa times their sum, weighted by its geometry. */
typedef struct wisp_simplex {
  int dimension, N, Np, directions;              /* of 2 or 3; order; nodes; pairs */
  double *node[3];                               /* coordinates r, s, t of the nodes, Np each; t of triangles is 0 */
  double *inverse_V;                             /* of the Vandermonde matrix of the orthonormal modes, Np x Np */
  double *mass;                                  /* M = (V V^T)^-1, Np x Np */
  double *stiffness[WISP_SIMPLEX_DIRECTIONS];    /* Np x Np each */
  double *interpolated[WISP_SIMPLEX_DIRECTIONS]; /* likewise under a coefficient that is node m's polynomial: Np (m) x
                                                    Np x Np; their sum over m is stiffness */
} wisp_simplex;

/* The nodes alone: Np numbers each; no t in 2 dimensions. */
wisp_status wisp_simplex_nodes(wisp_error *err, int dimension, int N, double *r, double *s, double *t);

/* Operators of order N, 1..5, in 2 or 3 dimensions (WISP_EUSAGE otherwise). */
wisp_status wisp_simplex_create(wisp_error *err, int dimension, int N, wisp_simplex **out);
void wisp_simplex_destroy(wisp_simplex *simplex);
WISP_OWNED(wisp_simplex, wisp_simplex_destroy)

/* Nodes of order N. */
int wisp_simplex_size(int dimension, int N);

/* For simplices of dimension 0 to 3: nodes inside, and pairs of nodes (a, b), each way round, that no part of the
 * surface has both of. */
void wisp_simplex_own(int N, int nodes[4], int pairs[4]);

/* Steps of each node towards vertex 0 .. dimension, N in all; 0 on the face opposite that vertex. */
void wisp_simplex_steps(int dimension, int N, int (*step)[4]);

/* The nodes' polynomials at a point, and their derivatives by each direction: Np each, caller's memory; slopes may be
 * NULL. */
void wisp_simplex_at(const wisp_simplex *simplex, const double point[3], double *phi, double *const *slopes);

/* ---- An element with its corners in another order, in which the inside of some corners looks alike in all elements.
 */

enum { WISP_ORIENTATIONS_MOST = 24 };

int wisp_orientations(int dimension); /* orders of the corners: 6, 24 */
/* The number of an order, from which of the element's corners is where. */
int wisp_orientation_number(int dimension, const int corner[4]);

/* The own node that each node of an element in this order is: Np numbers (wisp_simplex_steps). */
void wisp_orientation_nodes(int dimension, int N, int turn, int *node);

/* Nodes inside corner 0, inside the edge of corners 0 and 1, and so on: from first[k] on those of dimension k; as many
 * as first[dimension + 1]. */
void wisp_orientation_inside(int dimension, int N, int *node, int first[5]);

/* Columns that a word of 32 bits numbers, for rows of nodes inside a simplex of dimension k: 4 for short rows, else 2.
 */
int wisp_orientation_slots(int dimension, int N, int k);
