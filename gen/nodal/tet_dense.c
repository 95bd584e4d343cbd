/* Dense products and inverses of a tet's operators, and what follows from them and the modes: Vandermonde matrices,
 * interpolation, changes of basis. */
#include "tet_internal.h"
#include "../lapack.h"
#include "../wide.h"

/* So many columns of B lie side by side while rows of A pass, two at a time. */
enum { FOURS = 3, PANEL = 4 * FOURS };
typedef struct panel {
  wisp_four row[WISP_TET_MAX_NP][FOURS];
} panel;

/* So many rows of A times a panel: the first columns of C. */
WISP_UNCHECKED static inline __attribute__((always_inline)) void
multiply_panel(int rows, int n, const double *A, const panel *B, int columns, int stride, double *C)
{
  wisp_four sum[2][FOURS] = {{{0}}};
  for (int k = 0; k < n; k++)
#pragma GCC unroll 2
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
      for (int f = 0; f < FOURS; f++) sum[i][f] += A[i * n + k] * B->row[k][f];
  for (int i = 0; i < rows; i++) memcpy(C + i * stride, sum[i], (size_t)columns * sizeof *C);
}

/* Each number is one sum in the order of A's columns, whatever the widths of vectors and panels. */
WISP_UNCHECKED WISP_WIDE static void multiply_dense(int n, int columns, const double *A, const double *B, double *C)
{
  panel side;
  for (int first = 0; first < columns; first += PANEL) {
    const int count = columns - first < PANEL ? columns - first : PANEL;
    int i = 0;
    memset(side.row, 0, (size_t)n * sizeof side.row[0]); /* zeros beyond the last column */
    for (int k = 0; k < n; k++) memcpy(side.row[k], B + k * columns + first, (size_t)count * sizeof *B);
    for (; i + 1 < n; i += 2) multiply_panel(2, n, A + i * n, &side, count, columns, C + i * columns + first);
    for (; i < n; i++) multiply_panel(1, n, A + i * n, &side, count, columns, C + i * columns + first);
  }
}

void wisp_tet_multiply(int n, int columns, const double *A, const double *B, double *C)
{
  multiply_dense(n, columns, A, B, C);
}

/* D and the interpolation multiply by X from the right, so that their exactness on
 * the modes rests on X A = 1. Row-major getri serves that side: D of order 10 is 20 times as exact as by column-major.
 */
wisp_status wisp_tet_invert(wisp_error *err, const char *what, int n, double *A)
{
  OWNED(free) lapack_int *pivot = NULL;
  const wisp_lapack *lapack = NULL;
  CALL(wisp_lapack_load(err, &lapack));
  CALL(wisp_new(err, (size_t)n, sizeof *pivot, &pivot));
  lapack_int info = lapack->dgetrf(LAPACK_ROW_MAJOR, n, n, A, n, pivot);
  if (info == 0) info = lapack->dgetri(LAPACK_ROW_MAJOR, n, A, n, pivot);
  return wisp_require(err, info == 0, WISP_ESYSTEM,
                      "tet: LAPACK cannot invert the %s of size %d (info %d): check the LAPACK installed", what, n,
                      (int)info);
}

wisp_status wisp_tet_vandermonde(wisp_error *err, wisp_tet *tet, double *slopes)
{
  const size_t row = (size_t)tet->Np;
  OWNED(free) double *gradient = NULL;
  CALL(wisp_new(err, 3 * row, sizeof *gradient, &gradient));
  for (size_t i = 0; i < row; i++) {
    wisp_tet_modes(tet->N, tet->r[i], tet->s[i], tet->t[i], tet->V + i * row, slopes ? gradient : NULL);
    for (size_t c = 0; slopes && c < 3; c++)
      for (size_t m = 0; m < row; m++) slopes[(c * row + i) * row + m] = gradient[c * row + m];
  }
  for (size_t i = 0; i < row * row; i++) tet->inverse_V[i] = tet->V[i];
  return wisp_tet_invert(err, "Vandermonde matrix", tet->Np, tet->inverse_V);
}

/* u = A u */
static void change(int Np, const double *A, double *u)
{
  double changed[WISP_TET_MAX_NP];
  if (!A) return;
  for (int i = 0; i < Np; i++) {
    changed[i] = 0;
    for (int j = 0; j < Np; j++) changed[i] += A[i * Np + j] * u[j];
  }
  memcpy(u, changed, (size_t)Np * sizeof *u);
}

void wisp_tet_from_nodes(const wisp_tet *tet, double *u)
{
  change(tet->Np, tet->from_nodes, u);
}

void wisp_tet_to_nodes(const wisp_tet *tet, double *u)
{
  change(tet->Np, tet->to_nodes, u);
}

/* I = (modes at the points) V^-1, a row at a time. */
wisp_status wisp_tet_interpolation(wisp_error *err, const wisp_tet *tet, size_t count, const double *r, const double *s,
                                   const double *t, double *I)
{
  size_t Np = (size_t)tet->Np;
  OWNED(free) double *psi = NULL;
  CALL(wisp_new(err, Np, sizeof *psi, &psi));
  for (size_t p = 0; p < count; p++) {
    double *row = I + p * Np;
    wisp_tet_modes(tet->N, r[p], s[p], t[p], psi, NULL);
    for (size_t i = 0; i < Np; i++) row[i] = 0;
    for (size_t m = 0; m < Np; m++)
      for (size_t i = 0; i < Np; i++) row[i] += psi[m] * tet->inverse_V[m * Np + i];
  }
  return WISP_OK;
}
