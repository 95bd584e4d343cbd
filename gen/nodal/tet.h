/* Reference operators of the tetrahedron: the nodal ones (Hesthaven & Warburton 2008, ch. 6 and 10), or those of
 * another basis of the same polynomials, whose coefficients then take the place of the values in the nodes.
 *
 * Bi-unit tet with vertices (-1,-1,-1), (1,-1,-1), (-1,1,-1), (-1,-1,1); faces 0: t=-1 (vertices 0,1,2), 1: s=-1
 * (0,1,3), 2: r+s+t=-1 (1,2,3), 3: r=-1 (0,2,3). Nodes: warp & blend (Warburton 2006), optimised alpha. All matrices
 * are dense, row major, double.
 */
#pragma once

#include "../check.h"

enum { WISP_TET_FACES = 4, WISP_TET_ORIENTATIONS = 6, WISP_TET_MAX_ORDER = 15 };
enum { WISP_TET_MAX_NP = 816, WISP_TET_MAX_NFP = 136 }; /* of that order */

typedef struct wisp_tet {
  int N, Np, Nfp;     /* order; (N+1)(N+2)(N+3)/6 nodes; (N+1)(N+2)/2 nodes a face */
  double *r, *s, *t;  /* node coordinates, Np each */
  double *V;          /* Vandermonde of the orthonormal PKDO modes, Np x Np, rows are nodes, or coefficients */
  double *inverse_V;  /* its inverse, Np x Np */
  double *D[3];       /* Dr, Ds, Dt, Np x Np: (Dr u)_i = sum_j Dr[i*Np+j] u_j */
  double *LIFT;       /* M^-1 [Mf0 | Mf1 | Mf2 | Mf3], Np x 4 Nfp */
  int *Fmask;         /* volume node of each face node, 4 x Nfp, in face order */
  int *facelist;      /* [4 faces][6 turns][Nfp]: see wisp_tet_create */
  double *to_nodes;   /* values in the nodes from coefficients, Np x Np; NULL: these are the same */
  double *from_nodes; /* and back */
  double *D_size[3];  /* what entries of Dr, Ds, Dt are added up from, without signs; NULL: nothing cancels in them */
  double *LIFT_size;  /* likewise of LIFT */
} wisp_tet;

/* Vertices of each face, in the order that face nodes run (first to second fastest). */
extern const int wisp_tet_face_vertices[WISP_TET_FACES][3];

/* The six ways two faces can meet: vertex a of our face lies on vertex wisp_tet_orientations[turn][a] of theirs. */
extern const int wisp_tet_orientations[WISP_TET_ORIENTATIONS][3];

/* Operators of order N, 1..15 (WISP_EUSAGE otherwise). facelist[(f*6+turn)*Nfp+i] is the node of an element that meets
 * node i of another element's face, when the other's face touches this element's face f with that turn: turn maps
 * vertex a of the *other's* face to vertex turns[turn][a] of *this* element's face f. Turn 0 is the identity, so
 * facelist at turn 0 equals Fmask. */
wisp_status wisp_tet_create(wisp_error *err, int N, wisp_tet **out);
/* Those of an element as specs name it: "tet", nodal, or "bernstein-tet". Without modes: where a basis needs none for
 * D, LIFT, Fmask and facelist, it has none, and no change of basis. */
wisp_status wisp_tet_create_for(wisp_error *err, const char *element, bool with_modes, int N, wisp_tet **out);
void wisp_tet_destroy(wisp_tet *tet);
WISP_OWNED(wisp_tet, wisp_tet_destroy)

/* Coefficients from values in the nodes, in place, and back: Np numbers. Nothing changes where they are the same. */
void wisp_tet_from_nodes(const wisp_tet *tet, double *u);
void wisp_tet_to_nodes(const wisp_tet *tet, double *u);

/* Interpolation from the nodes, or evaluation from coefficients, at count points: I is count x Np, caller's memory. */
wisp_status wisp_tet_interpolation(wisp_error *err, const wisp_tet *tet, size_t count, const double *r, const double *s,
                                   const double *t, double *I);

/* A quadrature on the bi-unit tet, weights summing to its volume 4/3, exact for polynomials of total degree `degree`
 * (0..40), positive weights, all points inside. One allocation per array; release with wisp_quadrature_free. */
typedef struct wisp_quadrature {
  size_t count;
  double *r, *s, *t, *w;
} wisp_quadrature;
wisp_status wisp_tet_quadrature(wisp_error *err, int degree, wisp_quadrature *out);
/* The same on the bi-unit triangle, of area 2; t is 0. */
wisp_status wisp_triangle_quadrature(wisp_error *err, int degree, wisp_quadrature *out);
void wisp_quadrature_free(wisp_quadrature *quadrature);
