/* The operators of the reference tet, from its nodes and modes (tet_nodes.c). */
#include "tet_internal.h"

#include <math.h>

/* C = A A^T, row major n x n. */
static wisp_status multiply_transposed(wisp_error *err, int n, const double *A, double *C)
{
  OWNED(free) double *oriented = NULL;
  CALL(wisp_new(err, (size_t)n * (size_t)n, sizeof *oriented, &oriented));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) oriented[k * n + i] = A[i * n + k];
  wisp_tet_multiply(n, n, A, oriented, C);
  return WISP_OK;
}

/* Everything that the tet owns, at the sizes that its order gives. */
static wisp_status allocate(wisp_error *err, wisp_tet *tet)
{
  size_t Np = (size_t)tet->Np, Nfp = (size_t)tet->Nfp;
  double **const points[] = {&tet->r, &tet->s, &tet->t};
  double **const square[] = {&tet->V, &tet->inverse_V, &tet->D[0], &tet->D[1], &tet->D[2]};
  for (size_t i = 0; i < WISP_COUNT(points); i++) CALL(wisp_new(err, Np, sizeof(double), points[i]));
  for (size_t i = 0; i < WISP_COUNT(square); i++) CALL(wisp_new(err, Np * Np, sizeof(double), square[i]));
  CALL(wisp_new(err, Np * WISP_TET_FACES * Nfp, sizeof *tet->LIFT, &tet->LIFT));
  CALL(wisp_new(err, WISP_TET_FACES * Nfp, sizeof *tet->Fmask, &tet->Fmask));
  return wisp_new(err, WISP_TET_FACES * WISP_TET_ORIENTATIONS * Nfp, sizeof *tet->facelist, &tet->facelist);
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
        for (int turn = 0; turn < WISP_TET_ORIENTATIONS; turn++) {
          int oriented[3];
          for (int a = 0; a < 3; a++) oriented[wisp_tet_orientations[turn][a]] = near[a];
          tet->facelist[(f * WISP_TET_ORIENTATIONS + turn) * Nfp + node] = face_node(N, f, oriented);
        }
      }
    }
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

wisp_status wisp_tet_create_for(wisp_error *err, const char *element, bool with_modes, int N, wisp_tet **out)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  const bool bernstein = strcmp(element, "bernstein-tet") == 0;
  CALL(wisp_require(err, bernstein || strcmp(element, "tet") == 0, WISP_EUSAGE, "tet: there is no element '%s'",
                    element));
  CALL(wisp_require(err, N >= 1 && N <= WISP_TET_MAX_ORDER, WISP_EUSAGE, "tet: order %d is out of range: use 1 to %d",
                    N, WISP_TET_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *tet, &tet));
  tet->N = N;
  tet->Np = wisp_tet_size(N);
  tet->Nfp = wisp_triangle_size(N);
  CALL(allocate(err, tet));
  CALL(wisp_tet_nodes(err, N, tet->r, tet->s, tet->t));
  number_faces(tet);
  if (bernstein) {
    CALL(wisp_tet_make_bernstein(err, tet, with_modes));
    return GIVE(tet, out);
  }
  CALL(differentiate(err, tet));
  CALL(lift(err, tet));
  CALL(wisp_tet_make_symmetric(err, tet));
  for (int mu = 0; mu < 3; mu++) wisp_tet_drop_rounding(tet->D[mu], (size_t)tet->Np * (size_t)tet->Np);
  wisp_tet_drop_rounding(tet->LIFT, (size_t)tet->Np * WISP_TET_FACES * (size_t)tet->Nfp);
  return GIVE(tet, out);
}

wisp_status wisp_tet_create(wisp_error *err, int N, wisp_tet **out)
{
  return wisp_tet_create_for(err, "tet", true, N, out);
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
