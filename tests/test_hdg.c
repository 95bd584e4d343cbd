/* Claim: the hybridized method on triangles is right. The condensed matrix is that of the 3 Np saddle problem in
 * another basis; every polynomial of the order solves its element's equation, on triangles with angles down to two
 * degrees; condensed continuous elements keep constants and the energy of linear functions. The tuner verifies
 * every candidate with it (test_kernels). */
#include "test.h"
#include "../gen/jacobi.h"
#include "../gen/nodal/tet_internal.h"
#include "../gen/random.h"
#include "../runtime/hdg/element.h"

#include <lapacke.h>

static const double PI = 3.14159265358979323846;

enum { NP = WISP_HDG_MAX_NP, M = WISP_HDG_MAX_M };

/* --- identities --- */

/* A triangle of any shape whose angles are two degrees or more, of any place and size. */
static wisp_hdg_triangle random_triangle(uint64_t *random)
{
  wisp_hdg_triangle at = {.kappa = exp(wisp_random_real(random)), .lambda = 1 + wisp_random_real(random)};
  for (double least = 0; least < PI / 90;) {
    for (int i = 0; i < 6; i++) at.xy[i / 2][i % 2] = wisp_random_real(random);
    least = PI;
    for (int v = 0; v < 3; v++) {
      const double *o = at.xy[v], *a = at.xy[(v + 1) % 3], *b = at.xy[(v + 2) % 3];
      const double ax = a[0] - o[0], ay = a[1] - o[1], bx = b[0] - o[0], by = b[1] - o[1];
      least = fmin(least, atan2(ax * by - ay * bx, ax * bx + ay * by)); /* below 0: clockwise */
    }
  }
  for (int l = 0; l < 3; l++) at.tau[l] = exp(2 * wisp_random_real(random));
  return at;
}

/* out += scale A x, or A^T x. */
static void add(const double *A, int rows, int columns, bool transposed, double scale, const double *x, double *out)
{
  for (int i = 0; i < rows * columns; i++) {
    const int row = i / columns, column = i % columns;
    out[transposed ? column : row] += scale * A[i] * x[transposed ? row : column];
  }
}

/* K^e q - b^e = <kappa dq/dn, psi> for f = lambda q - kappa laplace(q), to 1e-12 of |K^e| |q|. */
static void check_polynomial(const wisp_hdg_tables *t, const wisp_hdg_triangle *at, const double *q)
{
  static const int normal[3][2] = {{0, -1}, {1, 1}, {-1, 0}};
  wisp_hdg_factors f;
  wisp_hdg_condensed of;
  double load[NP] = {0}, slope[2][NP] = {{0}}, trace[M] = {0}, flux[M] = {0}, norm = 0, size = 0;
  wisp_hdg_factors_of(at, &f);
  for (int a = 0; a < 2; a++) add(t->D[a], t->Np, t->Np, false, 1, q, slope[a]);
  for (int i = 0; i < t->Np; i++) load[i] = f.mass * q[i];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) add(t->D[a], t->Np, t->Np, false, -f.G[a + b], slope[b], load);
  for (int l = 0; l < 3; l++) {
    add(t->F[l], t->Np, t->n, true, 1, q, trace + l * t->n);
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) add(t->F[l], t->Np, t->n, true, normal[l][a] * f.G[a + b], slope[b], flux + l * t->n);
  }
  GOOD(wisp_hdg_condense(err, t, &f, load, &of));
  for (int i = 0; i < t->m; i++) size += trace[i] * trace[i];
  for (int i = 0; i < t->m * t->m; i++) norm += of.K[i] * of.K[i];
  for (int i = 0; i < t->m; i++) {
    double left = -of.b[i] - flux[i];
    for (int j = 0; j < t->m; j++) left += of.K[i * t->m + j] * trace[j];
    if (!(fabs(left) <= 1e-12 * sqrt(norm * size)))
      fail_msg("P = %d: row %d is off by %g of %g", t->N, i, left, sqrt(norm * size));
  }
}

/* --- continuous elements --- */

/* v^T K v of a function on the boundary that is linear on each edge. */
static double energy(const wisp_hdg_condensed *of, const wisp_hdg_tables *t, const double *at_corners)
{
  double sum = 0;
  for (int i = 0; i < 9; i++)
    sum += at_corners[i / 3] * of->K[i / 3 * t->N * t->around + i % 3 * t->N] * at_corners[i % 3];
  return sum;
}

/* Without lambda a linear function's energy is kappa |slope|^2 times the area, a constant's row sums 0; with lambda a
 * constant's is lambda times the area at order 1, and falls from order to order once there are modes inside. */
TEST(test_continuous)
{
  static const double ones[3] = {1, 1, 1}, load[NP] = {0};
  uint64_t random = 7;
  for (int number = 0; number < 100; number++) {
    wisp_hdg_triangle at = random_triangle(&random);
    double before = INFINITY;
    for (int P = 1; P <= 9; P++) {
      OWNED(wisp_hdg_tables_destroy) wisp_hdg_tables *t = NULL;
      wisp_hdg_factors f;
      wisp_hdg_condensed of;
      double linear[3], norm = 0;
      GOOD(wisp_hdg_tables_create(err, P, &t));
      wisp_hdg_factors_of(&at, &f);
      const double area = 2 * f.J, lambda = f.mass;
      for (int v = 0; v < 3; v++) linear[v] = 3 * at.xy[v][0] - at.xy[v][1] + 2;
      GOOD(wisp_hdg_condense_continuous(err, t, &f, load, &of));
      const double constant = energy(&of, t, ones);
      assert_true(constant > 0 && constant <= 2 * lambda * (1 + 1e-9) && constant <= before * (1 + 1e-9));
      if (P < 3) assert_true(fabs(constant / (2 * lambda) - 1) < 1e-9);
      if (P > 3) assert_true(constant < before);
      before = constant;
      f.mass = 0;
      GOOD(wisp_hdg_condense_continuous(err, t, &f, load, &of));
      for (int i = 0; i < t->around * t->around; i++) norm = fmax(norm, fabs(of.K[i]));
      assert_true(fabs(energy(&of, t, linear) - 10 * f.kappa * area) < 1e-12 * norm * 100);
      for (int i = 0; i < t->around; i++) {
        double row = 0;
        for (int l = 0; l < 3; l++) row += of.K[i * t->around + l * P];
        assert_true(fabs(row) < 1e-12 * norm);
      }
    }
  }
}

TEST(test_identities)
{
  enum { TRIANGLES = 112 }; /* of each order: 1008 */
  uint64_t random = wisp_random_from(5);
  for (int P = 1; P <= WISP_HDG_MAX_ORDER; P++) {
    OWNED(wisp_hdg_tables_destroy) wisp_hdg_tables *t = NULL;
    GOOD(wisp_hdg_tables_create(err, P, &t));
    for (int i = 0; i < TRIANGLES; i++) {
      wisp_hdg_triangle at = random_triangle(&random);
      double q[NP] = {1};
      if (i % 4 == 0) at.lambda = 0;
      for (int k = 0; k < t->Np && i % 8; k++) q[k] = wisp_random_real(&random); /* else a constant */
      check_polynomial(t, &at, q);
    }
  }
}

/* --- the saddle problem --- */

enum { SADDLE = 3 * NP };

/* In the Lagrange basis: (p, w)/kappa + (u, div w) and -(div p, v) + lambda (u, v) by quadrature. */
static void integrate_saddle(const wisp_hdg_tables *t, const wisp_hdg_factors *f, const double *lagrange, double *A)
{
  const int Np = t->Np, size = 3 * Np;
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  double psi[NP], dpsi[2 * NP], phi[NP], slope[2][NP];
  GOOD(wisp_triangle_quadrature(err, 2 * t->N, &rule));
  for (size_t q = 0; q < rule.count; q++) {
    wisp_triangle_modes(t->N, rule.r[q], rule.s[q], psi, dpsi);
    memset(phi, 0, sizeof phi), memset(slope, 0, sizeof slope);
    add(lagrange, Np, Np, false, 1, psi, phi);
    for (int c = 0; c < 2; c++)
      for (int a = 0; a < 2; a++) add(lagrange, Np, Np, false, f->slope[a][c], dpsi + a * Np, slope[c]);
    const double w = rule.w[q] * f->J;
    for (int i = 0; i < Np; i++)
      for (int j = 0; j < Np; j++) {
        for (int c = 0; c < 2; c++) {
          A[(c * Np + i) * size + c * Np + j] += w * phi[i] * phi[j] / f->kappa;
          A[(c * Np + i) * size + 2 * Np + j] += w * slope[c][i] * phi[j];
          A[(2 * Np + i) * size + c * Np + j] -= w * phi[i] * slope[c][j];
        }
        A[(2 * Np + i) * size + 2 * Np + j] += f->mass / f->J * w * phi[i] * phi[j];
      }
  }
}

/* <tau u, v>; on the right <Lambda, w.n> and <tau Lambda, v>; below <p.n - tau (u - Lambda), psi>. */
static void integrate_traces(const wisp_hdg_tables *t, const wisp_hdg_triangle *at, const double *lagrange, double *A,
                             double *B, double *C, double *K)
{
  const int Np = t->Np, size = 3 * Np, m = t->m;
  double x[WISP_HDG_MAX_N], w[WISP_HDG_MAX_N], psi[NP], phi[NP], mu[WISP_HDG_MAX_N], r, s;
  GOOD(wisp_jacobi_gauss(err, 0, 0, t->n, x, w));
  for (int l = 0; l < 3; l++)
    for (int q = 0; q < t->n; q++) {
      const double *a = at->xy[l], *b = at->xy[(l + 1) % 3], half = w[q] * wisp_hdg_length(at, l) / 2;
      const double normal[2] = {w[q] * (b[1] - a[1]) / 2, -w[q] * (b[0] - a[0]) / 2};
      wisp_hdg_on_edge(l, x[q], &r, &s);
      wisp_triangle_modes(t->N, r, s, psi, NULL);
      wisp_hdg_edge_modes(t->N, x[q], mu);
      memset(phi, 0, sizeof phi);
      add(lagrange, Np, Np, false, 1, psi, phi);
      for (int i = 0; i < Np; i++) {
        for (int j = 0; j < Np; j++) A[(2 * Np + i) * size + 2 * Np + j] += at->tau[l] * half * phi[i] * phi[j];
        for (int k = 0; k < t->n; k++) {
          const int at_k = l * t->n + k;
          for (int c = 0; c < 2; c++) {
            B[(c * Np + i) * m + at_k] += normal[c] * phi[i] * mu[k];
            C[(c * Np + i) * m + at_k] += normal[c] * phi[i] * mu[k];
          }
          B[(2 * Np + i) * m + at_k] += at->tau[l] * half * phi[i] * mu[k];
          C[(2 * Np + i) * m + at_k] -= at->tau[l] * half * phi[i] * mu[k];
        }
      }
      for (int k = 0; k < t->n; k++)
        for (int j = 0; j < t->n; j++) K[(l * t->n + k) * m + l * t->n + j] += at->tau[l] * half * mu[k] * mu[j];
    }
}

static void check_saddle(const wisp_hdg_tables *t, const wisp_hdg_triangle *at)
{
  static double A[SADDLE * SADDLE], B[SADDLE * M], C[SADDLE * M], K[M * M], lagrange[NP * NP], V[NP * NP];
  const int Np = t->Np, size = 3 * Np, m = t->m;
  const double nothing[NP] = {0};
  double r[NP], s[NP];
  int pivot[SADDLE];
  wisp_hdg_factors f;
  wisp_hdg_condensed of;
  wisp_hdg_factors_of(at, &f);
  memset(A, 0, sizeof A), memset(B, 0, sizeof B), memset(C, 0, sizeof C), memset(K, 0, sizeof K);
  GOOD(wisp_triangle_nodes(err, t->N, r, s));
  for (int i = 0; i < Np; i++) wisp_triangle_modes(t->N, r[i], s[i], V + i * Np, NULL);
  assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, Np, Np, V, Np, pivot), 0);
  assert_int_equal(LAPACKE_dgetri(LAPACK_ROW_MAJOR, Np, V, Np, pivot), 0);
  for (int i = 0; i < Np * Np; i++) lagrange[i] = V[i % Np * Np + i / Np]; /* V^-T */
  integrate_saddle(t, &f, lagrange, A);
  integrate_traces(t, at, lagrange, A, B, C, K);
  assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, size, m, A, size, pivot, B, m), 0);
  for (int i = 0; i < m * m; i++)
    for (int k = 0; k < size; k++) K[i] += C[k * m + i / m] * B[k * m + i % m];
  GOOD(wisp_hdg_condense(err, t, &f, nothing, &of));
  double largest = 0;
  for (int i = 0; i < m * m; i++) largest = fmax(largest, fabs(K[i]));
  for (int i = 0; i < m * m; i++)
    if (!(fabs(of.K[i] - K[i]) <= 1e-11 * largest)) fail_msg("P = %d: K[%d] is %g, not %g", t->N, i, of.K[i], K[i]);
}

TEST(test_saddle)
{
  uint64_t random = wisp_random_from(7);
  for (int P = 1; P <= WISP_HDG_MAX_ORDER; P++) {
    OWNED(wisp_hdg_tables_destroy) wisp_hdg_tables *t = NULL;
    GOOD(wisp_hdg_tables_create(err, P, &t));
    const wisp_hdg_triangle at = random_triangle(&random);
    check_saddle(t, &at);
  }
}
