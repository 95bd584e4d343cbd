/* Operators of the Bernstein-Bezier basis on the bi-unit tet (docs/guide/bernstein.md): sparse, and in closed form.
 *
 * l are the barycentric coordinates of the vertices in tet.h's order. Control points a / N are numbered as the nodes of
 * the nodal tet, those of a face as its nodes; those of degree N-1 likewise on their own lattice, those of triangles as
 * a face's. The derivative in two steps: s_a = sum over m of w_m c_(a + e_m), of degree N-1, then the sum over j of b_j
 * s_(b - e_j). The lift in one step: E_L Q, the reductions of all four faces in one matrix.
 */
#pragma once

#include "tet.h"

enum { WISP_BERNSTEIN_STENCIL = 7 }; /* nonzeros of a row of L0, at most */

typedef struct wisp_bernstein {
  int N, Np, Nfp;
  int lower;        /* points of degree N-1 */
  int *power;       /* Np x 4: the exponents a of each control point */
  int *up;          /* lower x 4: the control point c + e_m of each point c of degree N-1 */
  int *down;        /* Np x 4: the point b - e_j of degree N-1; -1 where b_j is 0 */
  int *column;      /* [m][b][j]: the column of D^m's entry b_j in row b, b - e_j + e_m; b itself where b_j is 0 */
  double *L0;       /* Nfp x Nfp */
  int *L0_column;   /* Nfp x 7: its nonzeros, the diagonal first; filled up with zeros on the diagonal */
  double *L0_value; /* likewise */
  int E_width;      /* Nfp + 3 */
  int *E_column;    /* Np x E_width: E_L, columns of the four faces one after the other; filled up with zeros */
  double *E_value;  /* likewise */
  int *slice_point; /* [face][s]: control point of point s, that of number s - d(d+1)(d+2)/6 in the layer of degree d */
  int *slice_of;    /* [b][face]: the number s of control point b among them */
  int *slice_up;    /* [s][k]: within the layer of degree d+1 the point a + e_k; of degree N: 0 */
  double *slice_weight; /* [s][k]: -(a_k + 1) / (N - d + 1) */
} wisp_bernstein;

/* All its tables, under the names that templates have for them. */
enum { WISP_BERNSTEIN_TABLES = 13 };
typedef struct wisp_bernstein_table {
  const char *name;
  size_t count;
  int **ints; /* or reals */
  double **reals;
} wisp_bernstein_table;
void wisp_bernstein_tables(wisp_bernstein *bernstein, wisp_bernstein_table out[WISP_BERNSTEIN_TABLES]);

/* E_width of order N. */
int wisp_bernstein_E_width(int N);

/* Makes order N, 1..WISP_TET_MAX_ORDER (WISP_EUSAGE otherwise). */
wisp_status wisp_bernstein_create(wisp_error *err, int N, wisp_bernstein **out);
void wisp_bernstein_destroy(wisp_bernstein *bernstein);
WISP_OWNED(wisp_bernstein, wisp_bernstein_destroy)

/* The dense Dr, Ds, Dt (Np x Np each), what their entries are added up from (D^m + D^0) / 2, and LIFT (Np x 4 Nfp),
 * into the caller's memory. */
void wisp_bernstein_dense(const wisp_bernstein *bernstein, double *const D[3], double *const D_size[3], double *LIFT);

/* The values of all Np basis functions at a point. */
void wisp_bernstein_values(const wisp_bernstein *bernstein, double r, double s, double t, double *values);
