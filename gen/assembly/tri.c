#include "tri.h"
#include "../nodal/tet_internal.h"

#include <lapacke.h>
#include <math.h>

/* A^-1, n x n. */
static wisp_status invert(wisp_error *err, int n, double *A)
{
  lapack_int pivot[(WISP_TRI_MAX_ORDER + 1) * (WISP_TRI_MAX_ORDER + 2) / 2];
  lapack_int info = LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, A, n, pivot);
  if (info == 0) info = LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, A, n, pivot);
  return wisp_require(err, info == 0, WISP_ESYSTEM, "triangle: LAPACK cannot invert a matrix of size %d (info %d)", n,
                      (int)info);
}

void wisp_tri_at(const wisp_tri *tri, double r, double s, double *phi, double *slopes[2])
{
  enum { MOST = (WISP_TRI_MAX_ORDER + 1) * (WISP_TRI_MAX_ORDER + 2) / 2 };
  double psi[MOST], gradient[2 * MOST];
  const int Np = tri->Np;
  wisp_triangle_modes(tri->N, r, s, psi, gradient);
  for (int a = 0; a < Np; a++) {
    phi[a] = 0;
    for (int c = 0; slopes && c < 2; c++) slopes[c][a] = 0;
    for (int m = 0; m < Np; m++) {
      const double of_mode = tri->inverse_V[m * Np + a];
      phi[a] += psi[m] * of_mode;
      for (int c = 0; slopes && c < 2; c++) slopes[c][a] += gradient[c * Np + m] * of_mode;
    }
  }
}

/* What rounding leaves of a zero is a zero. */
static void clean(double *table, int count)
{
  static const double noise = 1e-13;
  for (int i = 0; i < count; i++)
    if (fabs(table[i]) < noise) table[i] = 0;
}

static wisp_status make_mass(wisp_error *err, wisp_tri *tri)
{
  const int Np = tri->Np;
  for (int i = 0; i < Np; i++) wisp_triangle_modes(tri->N, tri->r[i], tri->s[i], tri->inverse_V + i * Np, NULL);
  for (int i = 0; i < Np * Np; i++)
    for (int m = 0; m < Np; m++) tri->mass[i] += tri->inverse_V[i / Np * Np + m] * tri->inverse_V[i % Np * Np + m];
  CALL(invert(err, Np, tri->mass));
  clean(tri->mass, Np * Np);
  return invert(err, Np, tri->inverse_V);
}

/* What a point of the quadrature adds to the tables, of weight w. */
static void add_point(wisp_tri *tri, double w, const double *phi, double *const slopes[2])
{
  const size_t Np = (size_t)tri->Np;
  for (size_t d = 0; d < WISP_TRI_DIRECTIONS; d++)
    for (size_t a = 0; a < Np; a++)
      for (size_t b = 0; b < Np; b++) {
        const double *p = slopes[d / 2], *q = slopes[(d + 1) / 2]; /* 00, 01, 11 */
        const double term = w * (d == 1 ? p[a] * q[b] + q[a] * p[b] : p[a] * q[b]);
        tri->stiffness[d][a * Np + b] += term;
        for (size_t m = 0; m < Np; m++) tri->interpolated[d][(m * Np + a) * Np + b] += term * phi[m];
      }
}

/* Two slopes and a coefficient have degree 3 N - 2 together. */
static wisp_status make_stiffness(wisp_error *err, wisp_tri *tri)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  OWNED(free) double *values = NULL;
  CALL(wisp_triangle_quadrature(err, 3 * tri->N - 2, &rule));
  CALL(wisp_new(err, 3 * (size_t)tri->Np, sizeof *values, &values));
  double *slopes[2] = {values + tri->Np, values + 2 * tri->Np};
  for (size_t q = 0; q < rule.count; q++) {
    wisp_tri_at(tri, rule.r[q], rule.s[q], values, slopes);
    add_point(tri, rule.w[q], values, slopes);
  }
  for (int d = 0; d < WISP_TRI_DIRECTIONS; d++) {
    clean(tri->stiffness[d], tri->Np * tri->Np);
    clean(tri->interpolated[d], tri->Np * tri->Np * tri->Np);
  }
  return WISP_OK;
}

wisp_status wisp_tri_create(wisp_error *err, int N, wisp_tri **out)
{
  OWNED(wisp_tri_destroy) wisp_tri *tri = NULL;
  CALL(wisp_require(err, N >= 1 && N <= WISP_TRI_MAX_ORDER, WISP_EUSAGE,
                    "triangle: order %d is out of range: use 1 to %d", N, WISP_TRI_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *tri, &tri));
  tri->N = N;
  tri->Np = wisp_triangle_size(N);
  const size_t Np = (size_t)tri->Np;
  CALL(wisp_new(err, Np, sizeof *tri->r, &tri->r));
  CALL(wisp_new(err, Np, sizeof *tri->s, &tri->s));
  CALL(wisp_new(err, Np * Np, sizeof *tri->inverse_V, &tri->inverse_V));
  CALL(wisp_new(err, Np * Np, sizeof *tri->mass, &tri->mass));
  for (int d = 0; d < WISP_TRI_DIRECTIONS; d++) {
    CALL(wisp_new(err, Np * Np, sizeof **tri->stiffness, &tri->stiffness[d]));
    CALL(wisp_new(err, Np * Np * Np, sizeof **tri->interpolated, &tri->interpolated[d]));
  }
  CALL(wisp_triangle_nodes(err, N, tri->r, tri->s));
  CALL(make_mass(err, tri));
  CALL(make_stiffness(err, tri));
  return GIVE(tri, out);
}

void wisp_tri_destroy(wisp_tri *tri)
{
  if (!tri) return;
  free(tri->r), free(tri->s), free(tri->inverse_V), free(tri->mass);
  for (int d = 0; d < WISP_TRI_DIRECTIONS; d++) free(tri->stiffness[d]), free(tri->interpolated[d]);
  free(tri);
}

int wisp_tri_edge_node(int N, int edge, int i)
{
  const int column[3] = {i, N - i, 0}, row[3] = {0, i, N - i};
  return wisp_tet_node(N, column[edge], row[edge], 0);
}
