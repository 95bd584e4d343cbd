/* The operators of the reference tet, from its nodes and modes (tet_nodes.c). */
#include "tet_internal.h"
#include "../wide.h"

#include <math.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#undef I /* from complex.h, by way of lapacke.h; here it is the interpolation matrix */

const int wisp_tet_face_vertices[WISP_TET_FACES][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};

const int wisp_tet_turns[WISP_TET_TURNS][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

/* So many columns of B lie side by side while rows of A pass, two at a time. */
enum { FOURS = 3, PANEL = 4 * FOURS };
typedef struct panel {
  wisp_four row[WISP_TET_MAX_NP][FOURS];
} panel;

/* Zeros beyond the last column. */
static void fill_panel(int n, int columns, int first, const double *B, panel *out)
{
  const int count = columns - first < PANEL ? columns - first : PANEL;
  memset(out->row, 0, (size_t)n * sizeof out->row[0]);
  for (int k = 0; k < n; k++) memcpy(out->row[k], B + k * columns + first, (size_t)count * sizeof *B);
}

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
WISP_UNCHECKED WISP_WIDE static void multiply(int n, int columns, const double *A, const double *B, double *C)
{
  panel side;
  for (int first = 0; first < columns; first += PANEL) {
    const int count = columns - first < PANEL ? columns - first : PANEL;
    int i = 0;
    fill_panel(n, columns, first, B, &side);
    for (; i + 1 < n; i += 2) multiply_panel(2, n, A + i * n, &side, count, columns, C + i * columns + first);
    for (; i < n; i++) multiply_panel(1, n, A + i * n, &side, count, columns, C + i * columns + first);
  }
}

void wisp_tet_multiply(int n, int columns, const double *A, const double *B, double *C)
{
  multiply(n, columns, A, B, C);
}

/* C = A A^T, row major n x n. */
static wisp_status multiply_transposed(wisp_error *err, int n, const double *A, double *C)
{
  OWNED(free) double *turned = NULL;
  CALL(wisp_new(err, (size_t)n * (size_t)n, sizeof *turned, &turned));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) turned[k * n + i] = A[i * n + k];
  wisp_tet_multiply(n, n, A, turned, C);
  return WISP_OK;
}

/* D and the interpolation multiply by X from the right, so that their exactness on
 * the modes rests on X A = 1. Row-major getri serves that side: D of order 10 is 20 times as exact as by column-major.
 */
wisp_status wisp_tet_invert(wisp_error *err, const char *what, int n, double *A)
{
  OWNED(free) lapack_int *pivot = NULL;
  CALL(wisp_new(err, (size_t)n, sizeof *pivot, &pivot));
  lapack_int info = LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, A, n, pivot);
  if (info == 0) info = LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, A, n, pivot);
  return wisp_require(err, info == 0, WISP_ESYSTEM,
                      "tet: LAPACK cannot invert the %s of size %d (info %d): check the LAPACK installed", what, n,
                      (int)info);
}

/* Everything that the tet owns, at the sizes that its order gives. */
static wisp_status allocate(wisp_error *err, wisp_tet *tet)
{
  size_t Np = (size_t)tet->Np, Nfp = (size_t)tet->Nfp;
  struct {
    size_t count;
    double **array;
  } reals[] = {{Np, &tet->r},
               {Np, &tet->s},
               {Np, &tet->t},
               {Np * Np, &tet->V},
               {Np * Np, &tet->inverse_V},
               {Np * Np, &tet->D[0]},
               {Np * Np, &tet->D[1]},
               {Np * Np, &tet->D[2]},
               {Np * WISP_TET_FACES * Nfp, &tet->LIFT}};
  for (size_t i = 0; i < WISP_COUNT(reals); i++) CALL(wisp_new(err, reals[i].count, sizeof(double), reals[i].array));
  CALL(wisp_new(err, WISP_TET_FACES * Nfp, sizeof *tet->Fmask, &tet->Fmask));
  return wisp_new(err, WISP_TET_FACES * WISP_TET_TURNS * Nfp, sizeof *tet->facelist, &tet->facelist);
}

/* The node of face f with barycentric coordinates near[a] / N at vertex a of the face. */
static int face_node(int N, int f, const int near[3])
{
  int step[4] = {0};
  for (int a = 0; a < 3; a++) step[wisp_tet_face_vertices[f][a]] = near[a];
  return wisp_tet_node(N, step[1], step[2], step[3]);
}

/* Fmask and facelist, by counting steps on the lattice: no coordinate is compared. */
static void number_faces(wisp_tet *tet)
{
  int N = tet->N, Nfp = tet->Nfp, node = 0;
  for (int j = 0; j <= N; j++)
    for (int i = 0; i <= N - j; i++, node++) {
      const int near[3] = {N - i - j, i, j};
      for (int f = 0; f < WISP_TET_FACES; f++) {
        tet->Fmask[f * Nfp + node] = face_node(N, f, near);
        for (int turn = 0; turn < WISP_TET_TURNS; turn++) {
          int turned[3];
          for (int a = 0; a < 3; a++) turned[wisp_tet_turns[turn][a]] = near[a];
          tet->facelist[(f * WISP_TET_TURNS + turn) * Nfp + node] = face_node(N, f, turned);
        }
      }
    }
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

/* Dr = Vr V^-1, Ds, Dt likewise (H&W section 10.2). */
static wisp_status differentiate(wisp_error *err, wisp_tet *tet)
{
  const int Np = tet->Np;
  const size_t size = (size_t)Np * (size_t)Np;
  OWNED(free) double *slopes = NULL;
  CALL(wisp_new(err, 3 * size, sizeof *slopes, &slopes));
  CALL(wisp_tet_vandermonde(err, tet, slopes));
  for (size_t c = 0; c < 3; c++) wisp_tet_multiply(Np, Np, slopes + c * size, tet->inverse_V, tet->D[c]);
  return WISP_OK;
}

/* Mass matrix of a face, Nfp x Nfp, in coordinates of the bi-unit triangle: (V V^T)^-1. The nodes lie on every face
 * alike, so that face 0, where the coordinates are r and s, speaks for all. */
static wisp_status face_mass(wisp_error *err, const wisp_tet *tet, double *mass)
{
  size_t Nfp = (size_t)tet->Nfp;
  OWNED(free) double *V = NULL;
  CALL(wisp_new(err, Nfp * Nfp, sizeof *V, &V));
  for (size_t i = 0; i < Nfp; i++)
    wisp_triangle_modes(tet->N, tet->r[tet->Fmask[i]], tet->s[tet->Fmask[i]], V + i * Nfp, NULL);
  CALL(multiply_transposed(err, tet->Nfp, V, mass));
  return wisp_tet_invert(err, "face mass matrix", tet->Nfp, mass);
}

/* LIFT = M^-1 [Mf0 | Mf1 | Mf2 | Mf3] with M^-1 = V V^T (H&W section 10.2, Lift3D): a face's columns need only the
 * columns of M^-1 that belong to its nodes. */
static wisp_status lift(wisp_error *err, wisp_tet *tet)
{
  int Np = tet->Np, Nfp = tet->Nfp, width = WISP_TET_FACES * Nfp;
  OWNED(free) double *inverse_M = NULL, *mass = NULL;
  CALL(wisp_new(err, (size_t)Np * (size_t)Np, sizeof *inverse_M, &inverse_M));
  CALL(wisp_new(err, (size_t)Nfp * (size_t)Nfp, sizeof *mass, &mass));
  CALL(face_mass(err, tet, mass));
  CALL(multiply_transposed(err, Np, tet->V, inverse_M));
  for (int n = 0; n < Np; n++)
    for (int q = 0; q < width; q++) {
      const int *face = tet->Fmask + q / Nfp * Nfp;
      double sum = 0;
      for (int j = 0; j < Nfp; j++) sum += inverse_M[n * Np + face[j]] * mass[j * Nfp + q % Nfp];
      tet->LIFT[n * width + q] = sum;
    }
  return WISP_OK;
}

void wisp_tet_drop_rounding(double *values, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
  for (size_t i = 0; i < count; i++)
    if (fabs(values[i]) < 1e-14 * largest * sqrt((double)count)) values[i] = 0;
}

/* From nodes and faces to modes and operators. */
static wisp_status make_nodal(wisp_error *err, wisp_tet *tet)
{
  CALL(differentiate(err, tet));
  CALL(lift(err, tet));
  CALL(wisp_tet_make_symmetric(err, tet));
  for (int mu = 0; mu < 3; mu++) wisp_tet_drop_rounding(tet->D[mu], (size_t)tet->Np * (size_t)tet->Np);
  wisp_tet_drop_rounding(tet->LIFT, (size_t)tet->Np * WISP_TET_FACES * (size_t)tet->Nfp);
  return WISP_OK;
}

/* The bases, by the names of their elements: how modes and operators come about, and operators alone where that is
 * less.
 */
static const struct basis {
  const char *element;
  wisp_status (*make)(wisp_error *err, wisp_tet *tet);
  wisp_status (*make_operators)(wisp_error *err, wisp_tet *tet);
} bases[] = {{"tet", make_nodal, make_nodal},
             {"bernstein-tet", wisp_tet_make_bernstein, wisp_tet_make_bernstein_operators}};

static wisp_status create(wisp_error *err, const char *element, bool whole, int N, wisp_tet **out)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  size_t i = 0;
  while (i < WISP_COUNT(bases) && strcmp(bases[i].element, element) != 0) i++;
  CALL(wisp_require(err, i < WISP_COUNT(bases), WISP_EUSAGE, "tet: there is no element '%s'", element));
  CALL(wisp_require(err, N >= 1 && N <= WISP_TET_MAX_ORDER, WISP_EUSAGE, "tet: order %d is out of range: use 1 to %d",
                    N, WISP_TET_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *tet, &tet));
  tet->N = N;
  tet->Np = wisp_tet_size(N);
  tet->Nfp = wisp_triangle_size(N);
  CALL(allocate(err, tet));
  CALL(wisp_tet_nodes(err, N, tet->r, tet->s, tet->t));
  number_faces(tet);
  CALL((whole ? bases[i].make : bases[i].make_operators)(err, tet));
  return GIVE(tet, out);
}

wisp_status wisp_tet_create(wisp_error *err, int N, wisp_tet **out)
{
  return create(err, bases->element, true, N, out);
}

wisp_status wisp_tet_create_for(wisp_error *err, const char *element, int N, wisp_tet **out)
{
  return create(err, element, true, N, out);
}

wisp_status wisp_tet_create_operators(wisp_error *err, const char *element, int N, wisp_tet **out)
{
  return create(err, element, false, N, out);
}

void wisp_tet_destroy(wisp_tet *tet)
{
  if (!tet) return;
  free(tet->r), free(tet->s), free(tet->t);
  free(tet->V), free(tet->inverse_V), free(tet->LIFT);
  for (int c = 0; c < 3; c++) free(tet->D[c]);
  free(tet->Fmask), free(tet->facelist);
  free(tet->to_nodes), free(tet->from_nodes);
  for (int c = 0; c < 3; c++) free(tet->D_size[c]);
  free(tet->LIFT_size);
  free(tet);
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
