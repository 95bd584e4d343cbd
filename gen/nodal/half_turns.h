/* Classes of nodes under the half turns of the tet (docs/reference/half-turns.md): three quarters of the products of D
 * and LIFT are zero there. Entries that the symmetries make equal are equal in every bit. */
#pragma once

#include "tet.h"

typedef struct wisp_half_turns {
  int orbits;       /* S: of nodes. Those of four first, then those on the axes of 1, 2 and 3, then the centre */
  int size[4];      /* rows of each class. Row i of class 0 is orbit i; of class k > 0 orbit turned[(k - 1) S + i] */
  int *node;        /* S x 4: node g x of each orbit, by g */
  int *row;         /* S x 4: where an orbit is in class k; -1: nowhere */
  int *rotated;     /* 3 x S: the orbit that each becomes by m third turns about vertex 0, m = 0, 1, 2 */
  int *face_node;   /* Nfp x 4: face node, face * Nfp + node, of face orbit j, by g: for g = 0 node j of face 2 */
  int *face_orbit;  /* 4 Nfp: of each face node its orbit and the half turn that takes the first there, 4 j + g */
  int *face_turned; /* 3 x Nfp: the same of the orbits of face nodes */
  /* Blocks, S x S each, zero behind their rows and columns: [m][k], m = 0, 1, 2, takes u_(k ^ (m + 1)) to 1/4 (D_(m+1)
   * u)_k. With R = turned[m]: [m][0] in row R i, column j and [m][m + 1] in row i, column R j are [0][0] and [0][1] in
   * i, j; of the other two [m][what k is turned into] is [0][k], k = 2, 3. */
  double *D;
  /* Blocks S x Nfp by class, from f_k to 1/4 (LIFT f)_k. [1 + m] in column face_turned[m] j is [1] in column j; [0]
   * stays itself with rows and columns turned. */
  double *LIFT;
} wisp_half_turns;

/* Rows of each class, size above, of order N. */
void wisp_half_turns_classes(int N, int size[4]);

/* Makes the classes of a tet with operators of either basis. */
wisp_status wisp_half_turns_create(wisp_error *err, const wisp_tet *tet, wisp_half_turns **out);
void wisp_half_turns_destroy(wisp_half_turns *classes);
WISP_OWNED(wisp_half_turns, wisp_half_turns_destroy)

/* Sums of magnitudes behind numbers that are computed by classes: Np x Np for each of Dr, Ds, Dt, then Np x 4 Nfp for
 * LIFT; one allocation. A block's entry sums over the images of a row, a class value over those of a column. Operators
 * stay the same where both are turned, so entry (x, j) of LIFT counts for each image of j as those at all of them do
 * together, and so does D_m's. The metric term of Dr is part of those of D_2 and D_3, and so forth. */
wisp_status wisp_half_turns_sizes(wisp_error *err, const wisp_tet *tet, double **sizes);

/* chi_k(g) */
static inline int wisp_half_turn_sign(int k, int g)
{
  return k && g && k != g ? -1 : 1;
}
