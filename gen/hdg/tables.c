#include "tables.h"
#include "../jacobi.h"
#include "../nodal/tet_internal.h"

#include <math.h>

void wisp_hdg_edge_modes(int N, double t, double *psi)
{
  double before = 0, here = 1;
  for (int k = 0; k <= N; k++) {
    psi[k] = sqrt((2 * k + 1) / 2.0) * here;
    const double next = ((2 * k + 1) * t * here - k * before) / (k + 1); /* Legendre's recurrence */
    before = here, here = next;
  }
}

void wisp_hdg_on_edge(int edge, double t, double *r, double *s)
{
  const double along[3][2] = {{t, -1}, {-t, t}, {-1, -t}};
  *r = along[edge][0], *s = along[edge][1];
}

/* --- tables of integrals --- */

/* D, and slope for the modes of degree P + 1. */
static wisp_status integrate_inside(wisp_error *err, wisp_hdg_tables *t)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  double phi[WISP_HDG_MAX_NP], dphi[2 * WISP_HDG_MAX_NP], star[WISP_HDG_MAX_NS], dstar[2 * WISP_HDG_MAX_NS];
  CALL(wisp_triangle_quadrature(err, 2 * t->N, &rule));
  for (size_t q = 0; q < rule.count; q++) {
    wisp_triangle_modes(t->N, rule.r[q], rule.s[q], phi, dphi);
    wisp_triangle_modes(t->N + 1, rule.r[q], rule.s[q], star, dstar);
    for (int c = 0; c < 2; c++)
      for (int i = 0; i < t->Np; i++) {
        const double weighed = rule.w[q] * phi[i];
        for (int j = 0; j < t->Np; j++) t->D[c][i * t->Np + j] += weighed * dphi[c * t->Np + j];
        for (int j = 0; j < t->Ns; j++) t->slope[c][i * t->Ns + j] += weighed * dstar[c * t->Ns + j];
      }
  }
  return WISP_OK;
}

static wisp_status integrate_edges(wisp_error *err, wisp_hdg_tables *t)
{
  double x[WISP_HDG_MAX_N], w[WISP_HDG_MAX_N], phi[WISP_HDG_MAX_NP], psi[WISP_HDG_MAX_N], r, s;
  CALL(wisp_jacobi_gauss(err, 0, 0, t->n, x, w));
  for (int l = 0; l < 3; l++)
    for (int q = 0; q < t->n; q++) {
      wisp_hdg_on_edge(l, x[q], &r, &s);
      wisp_triangle_modes(t->N, r, s, phi, NULL);
      wisp_hdg_edge_modes(t->N, x[q], psi);
      for (int i = 0; i < t->Np; i++)
        for (int k = 0; k < t->n; k++) t->F[l][i * t->n + k] += w[q] * phi[i] * psi[k];
    }
  return WISP_OK;
}

/* --- products of them --- */

/* C += scale A B^T, or A B, or A^T B: C is rows x columns, the sum over `inner`. */
typedef enum product { A_BT, A_B, AT_B } product;

static void multiply(product how, int rows, int columns, int inner, double scale, const double *A, const double *B,
                     double *C, int stride)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int k = 0; k < inner; k++) {
        const double a = how == AT_B ? A[k * rows + i] : A[i * inner + k];
        const double b = how == A_BT ? B[j * inner + k] : B[k * columns + j];
        C[i * stride + j] += scale * a * b;
      }
}

/* Edge l's outward normal times its length, over 2 J: so many times grad r and grad s. */
static const int normal[3][2] = {{0, -1}, {1, 1}, {-1, 0}};

static void make_S(wisp_hdg_tables *t)
{
  const int Np = t->Np;
  for (int l = 0; l < 3; l++) multiply(A_BT, Np, Np, t->n, 1, t->F[l], t->F[l], t->S[l], Np);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) multiply(A_BT, Np, Np, Np, 1, t->D[a], t->D[b], t->S[3 + a + b], Np);
}

/* R_l = a_l F_l + (D_r, D_s) F_l weighed by kappa J n_l . (grad r, grad s): G_rr is of r and r, G_rs of both. */
static void make_R(wisp_hdg_tables *t)
{
  for (int l = 0; l < 3; l++) {
    for (int i = 0; i < t->Np * t->n; i++) t->R[0][i / t->n * t->m + l * t->n + i % t->n] = t->F[l][i];
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++)
        multiply(A_B, t->Np, t->n, t->Np, normal[l][a], t->D[b], t->F[l], t->R[1 + a + b] + l * t->n, t->m);
  }
}

static void make_K(wisp_hdg_tables *t)
{
  for (int l = 0; l < 3; l++)
    for (int k = 0; k < 3; k++)
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
          multiply(AT_B, t->n, t->n, t->Np, normal[l][a] * normal[k][b], t->F[l], t->F[k],
                   t->K[a + b] + l * t->n * t->m + k * t->n, t->m);
}

static void make_post(wisp_hdg_tables *t)
{
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) multiply(AT_B, t->Ns, t->Ns, t->Np, 1, t->slope[a], t->slope[b], t->post[a + b], t->Ns);
  for (int i = 0, at = 0, next = 0; i <= t->N; i++, next++) /* the modes (i, j), j fastest */
    for (int j = 0; j <= t->N - i; j++) t->nested[at++] = next++;
}

/* --- continuous elements --- */

/* Values of all modes at a point, as they are before they are made orthogonal. */
static void continuous_modes(const wisp_hdg_tables *t, double r, double s, double *out)
{
  const double corner[3] = {-(r + s) / 2, (1 + r) / 2, (1 + s) / 2};
  double inside[WISP_HDG_MAX_NP];
  if (t->N >= 3) wisp_triangle_modes(t->N - 3, r, s, inside, NULL);
  for (int i = 0; i < t->inside && t->N >= 3; i++) out[i] = corner[0] * corner[1] * corner[2] * inside[i];
  for (int l = 0; l < 3; l++) {
    double *edge = out + t->inside + l * t->N, psi[WISP_HDG_MAX_N];
    const double from = corner[l], to = corner[(l + 1) % 3];
    wisp_hdg_edge_modes(t->N, to - from, psi);
    edge[0] = from;
    for (int k = 1; k < t->N; k++) edge[k] = from * to * psi[k - 1];
  }
}

/* C's columns, of `rows` numbers: what the first ones have of the others is taken off these; the first ones are made
 * orthonormal. Twice, so that rounding shows nowhere. */
static void make_orthogonal(int rows, int first, int columns, double *C)
{
  for (int twice = 0; twice < 2; twice++)
    for (int j = 0; j < columns; j++) {
      double square = 0;
      for (int i = 0; i < first && i < j; i++) {
        double share = 0;
        for (int q = 0; q < rows; q++) share += C[q * columns + i] * C[q * columns + j];
        for (int q = 0; q < rows; q++) C[q * columns + j] -= share * C[q * columns + i];
      }
      for (int q = 0; q < rows; q++) square += C[q * columns + j] * C[q * columns + j];
      for (int q = 0; q < rows && j < first; q++) C[q * columns + j] /= sqrt(square);
    }
}

/* Their coefficients in the modes phi, C; slopes D C; and products of these. */
static wisp_status make_continuous(wisp_error *err, wisp_hdg_tables *t)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  enum { MOST = WISP_HDG_MAX_NP };
  const int Np = t->Np, size = t->inside + t->around;
  double C[MOST * MOST] = {0}, slope[2][MOST * MOST] = {{0}}, phi[MOST], modes[MOST] = {0};
  CALL(wisp_triangle_quadrature(err, 2 * t->N, &rule));
  for (size_t q = 0; q < rule.count; q++) {
    wisp_triangle_modes(t->N, rule.r[q], rule.s[q], phi, NULL);
    continuous_modes(t, rule.r[q], rule.s[q], modes);
    for (int i = 0; i < Np; i++)
      for (int j = 0; j < size; j++) C[i * size + j] += rule.w[q] * phi[i] * modes[j];
  }
  make_orthogonal(Np, t->N < 3 ? 0 : t->inside, size, C);
  for (int a = 0; a < 2; a++) multiply(A_B, Np, size, Np, 1, t->D[a], C, slope[a], size);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) multiply(AT_B, size, size, Np, 1, slope[a], slope[b], t->continuous[a + b], size);
  multiply(AT_B, size, size, Np, 1, C, C, t->continuous[3], size);
  if (t->N < 3) t->continuous[0][0] = t->continuous[2][0] = t->continuous[3][0] = 1;
  return WISP_OK;
}

/* --- the whole --- */

enum { LISTED = 32 };

/* All tables with their sizes, one after the other. */
static size_t list_tables(wisp_hdg_tables *t, double **table[LISTED], size_t size[LISTED])
{
  const size_t Np = (size_t)t->Np, n = (size_t)t->n, m = (size_t)t->m, Ns = (size_t)t->Ns;
  size_t count = 0;
  for (int c = 0; c < 2; c++) table[count] = &t->D[c], size[count++] = Np * Np;
  for (int c = 0; c < 3; c++) table[count] = &t->F[c], size[count++] = Np * n;
  for (int c = 0; c < WISP_HDG_S; c++) table[count] = &t->S[c], size[count++] = Np * Np;
  for (int c = 0; c < WISP_HDG_R; c++) table[count] = &t->R[c], size[count++] = Np * m;
  for (int c = 0; c < WISP_HDG_K; c++) table[count] = &t->K[c], size[count++] = m * m;
  for (int c = 0; c < 2; c++) table[count] = &t->slope[c], size[count++] = Np * Ns;
  for (int c = 0; c < WISP_HDG_K; c++) table[count] = &t->post[c], size[count++] = Ns * Ns;
  const size_t modes = (size_t)(t->inside + t->around);
  for (int c = 0; c < 4; c++) table[count] = &t->continuous[c], size[count++] = modes * modes;
  return count;
}

wisp_hdg_tables wisp_hdg_sizes(int order)
{
  return (wisp_hdg_tables){.N = order,
                           .n = order + 1,
                           .Np = wisp_triangle_size(order),
                           .m = 3 * (order + 1),
                           .Ns = wisp_triangle_size(order + 1),
                           .inside = order < 3 ? 1 : wisp_triangle_size(order - 3),
                           .around = 3 * order};
}

wisp_status wisp_hdg_tables_create(wisp_error *err, int order, wisp_hdg_tables **out)
{
  OWNED(wisp_hdg_tables_destroy) wisp_hdg_tables *t = NULL;
  double **table[LISTED];
  size_t size[LISTED];
  CALL(wisp_require(err, order >= 1 && order <= WISP_HDG_MAX_ORDER, WISP_EUSAGE,
                    "hybridized triangle: order %d is out of range: use 1 to %d", order, WISP_HDG_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *t, &t));
  *t = wisp_hdg_sizes(order);
  const size_t count = list_tables(t, table, size);
  for (size_t i = 0; i < count; i++) CALL(wisp_new(err, size[i], sizeof **table[i], table[i]));
  CALL(integrate_inside(err, t));
  CALL(integrate_edges(err, t));
  make_S(t), make_R(t), make_K(t), make_post(t);
  CALL(make_continuous(err, t));
  for (size_t i = 0; i < count; i++) wisp_drop_noise(1e-13, *table[i], size[i]);
  return GIVE(t, out);
}

void wisp_hdg_tables_destroy(wisp_hdg_tables *t)
{
  if (!t) return;
  double **table[LISTED];
  size_t size[LISTED];
  for (size_t i = list_tables(t, table, size); i-- > 0;) free(*table[i]);
  free(t);
}
