/* Functions that the files of the reference simplices share. */
#pragma once

#include "tet.h"

/* Nodes of a triangle of order N, and of a tet: the sizes, and how many come before row j and layer k. */
static inline int wisp_triangle_size(int N)
{
  return (N + 1) * (N + 2) / 2;
}

static inline int wisp_tet_size(int N)
{
  return (N + 1) * (N + 2) * (N + 3) / 6;
}

/* Number of the node that is i steps in r, j in s and k in t from vertex 0, i+j+k <= N: r runs fastest (EquiNodes3D).
 */
static inline int wisp_tet_node(int N, int i, int j, int k)
{
  int layers = wisp_tet_size(N) - wisp_tet_size(N - k);
  int rows = wisp_triangle_size(N - k) - wisp_triangle_size(N - k - j);
  return layers + rows + i;
}

/* C = A B, row major, n x n times n x columns; and the inverse X of A, n x n, in its place (tet_dense.c). */
void wisp_tet_multiply(int n, int columns, const double *A, const double *B, double *C);
wisp_status wisp_tet_invert(wisp_error *err, const char *what, int n, double *A);

/* Numbers below the noise of their sums become zero. */
static inline void wisp_drop_noise(double noise, double *table, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (table[i] < noise && table[i] > -noise) table[i] = 0;
}

/* Entries of a table that are zero but for rounding become zero: literal kernels drop them, and the reference must
 * agree (tet.c). */
void wisp_tet_drop_rounding(double *values, size_t count);

/* The node that this one becomes where vertex v goes to to[v]; the face opposite a vertex; the face node that a node is
 * (tet_symmetry.c). */
int wisp_tet_image(int N, int node, const int to[4]);
int wisp_tet_face_opposite(int vertex);
int wisp_tet_on_face(const wisp_tet *tet, int face, int node);

/* D and LIFT, of a nodal tet: entries that its symmetries take into each other become equal in every bit, those of D as
 * differences of such (tet_symmetry.c). */
wisp_status wisp_tet_make_symmetric(wisp_error *err, wisp_tet *tet);

/* V_ij = psi_j(r_i) and its inverse; slopes of the modes in the nodes, Vr, Vs and Vt, unless NULL (tet_dense.c). */
wisp_status wisp_tet_vandermonde(wisp_error *err, wisp_tet *tet, double *slopes);

/* Operators of the Bernstein-Bezier basis, of a tet with nodes and faces, and its modes if asked for (bernstein.c). */
wisp_status wisp_tet_make_bernstein(wisp_error *err, wisp_tet *tet, bool with_modes);

/* Warp & blend nodes of order N, 1..WISP_TET_MAX_ORDER, into r, s, t of wisp_tet_size(N) each (tet_nodes.c). */
wisp_status wisp_tet_nodes(wisp_error *err, int N, double *r, double *s, double *t);

/* The orthonormal PKDO modes psi_ijk, i+j+k <= N, at one point: i slowest, k fastest (Vandermonde3D). gradient takes
 * d/dr of all modes, then d/ds, then d/dt; it may be NULL (tet_nodes.c). */
void wisp_tet_modes(int N, double r, double s, double t, double *psi, double *gradient);

/* The same on the bi-unit triangle: psi_ij, i+j <= N. gradient takes d/dr of all modes, then d/ds. */
void wisp_triangle_modes(int N, double r, double s, double *psi, double *gradient);

/* And the triangle's own nodes, whose alpha is another: r and s of wisp_triangle_size(N) each, r fastest. */
wisp_status wisp_triangle_nodes(wisp_error *err, int N, double *r, double *s);
