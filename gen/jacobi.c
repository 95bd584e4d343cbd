#include "jacobi.h"
#include "lapack.h"
#include "nodal/tet.h"

#include <math.h>

double wisp_jacobi_weight(double alpha, double beta)
{
  return exp2(alpha + beta + 1) * tgamma(alpha + 1) * tgamma(beta + 1) / tgamma(alpha + beta + 2);
}

double wisp_jacobi_a(double alpha, double beta, int n)
{
  double sum = 2 * n + alpha + beta;
  return 2 / sum * sqrt(n * (n + alpha + beta) * (n + alpha) * (n + beta) / ((sum - 1) * (sum + 1)));
}

/* alpha + beta = 0 would make the first b 0/0; the numerator's factor cancels there. */
double wisp_jacobi_b(double alpha, double beta, int n)
{
  double sum = 2 * n + alpha + beta;
  return n ? (beta - alpha) * (beta + alpha) / (sum * (sum + 2)) : (beta - alpha) / (sum + 2);
}

/* The Gauss weight at a Gauss point is the Christoffel number 1 / sum of P_n(x)^2: positive whatever the rounding, and
 * relatively accurate where a squared eigenvector component is not. */
static double christoffel(double alpha, double beta, int count, double x)
{
  double P = 1 / sqrt(wisp_jacobi_weight(alpha, beta)), before = 0, a = 0, sum = 0;
  for (int n = 0; n < count; n++) {
    sum += P * P;
    double next_a = wisp_jacobi_a(alpha, beta, n + 1);
    double next = ((x - wisp_jacobi_b(alpha, beta, n)) * P - a * before) / next_a;
    before = P, P = next, a = next_a;
  }
  return 1 / sum;
}

/* Golub & Welsch 1969: the points are the eigenvalues of the recurrence's tridiagonal matrix. */
wisp_status wisp_jacobi_gauss(wisp_error *err, double alpha, double beta, int count, double *x, double *w)
{
  OWNED(free) double *a = NULL;
  const wisp_lapack *lapack = NULL;
  CALL(wisp_lapack_load(err, &lapack));
  CALL(wisp_require(err, count >= 1, WISP_EUSAGE, "Gauss points: %d asked for, must be 1 or more", count));
  CALL(wisp_new(err, (size_t)count, sizeof *a, &a));
  for (int n = 0; n < count; n++) {
    x[n] = wisp_jacobi_b(alpha, beta, n);
    a[n] = wisp_jacobi_a(alpha, beta, n + 1);
  }
  lapack_int info = lapack->dsterf(count, x, a);
  CALL(wisp_require(err, info == 0, WISP_ESYSTEM,
                    "Gauss points: LAPACK's dsterf answers %d for %d points of weight (%g,%g): check the LAPACK "
                    "installed",
                    (int)info, count, alpha, beta));
  for (int n = 0; n < count; n++) w[n] = christoffel(alpha, beta, count, x[n]);
  return WISP_OK;
}

/* ---- Quadrature on the bi-unit tet and triangle: Gauss points of the cube, collapsed on the tet; of the square. */

enum { MAX_DEGREE = 40, MAX_POINTS = MAX_DEGREE / 2 + 1 };

static wisp_status allocate(wisp_error *err, size_t count, wisp_quadrature *rule)
{
  rule->count = count;
  CALL(wisp_new(err, count, sizeof *rule->r, &rule->r));
  CALL(wisp_new(err, count, sizeof *rule->s, &rule->s));
  CALL(wisp_new(err, count, sizeof *rule->t, &rule->t));
  return wisp_new(err, count, sizeof *rule->w, &rule->w);
}

/* Direction c = 0, 1, 2 of the cube holds q points x[c] under the weight (1-x)^c. The map (a,b,c) -> (r,s,t), inverse
 * of Hesthaven & Warburton's rsttoabc (2008, section 10.1), has the Jacobian (1-b)/2 ((1-c)/2)^2: those weights,
 * over 8. */
static void collapse(int q, double x[3][MAX_POINTS], double w[3][MAX_POINTS], wisp_quadrature *rule)
{
  size_t p = 0;
  for (int k = 0; k < q; k++)
    for (int j = 0; j < q; j++)
      for (int i = 0; i < q; i++, p++) {
        double a = x[0][i], b = x[1][j], c = x[2][k];
        rule->r[p] = (1 + a) * (1 - b) * (1 - c) / 4 - 1;
        rule->s[p] = (1 + b) * (1 - c) / 2 - 1;
        rule->t[p] = c;
        rule->w[p] = w[0][i] * w[1][j] * w[2][k] / 8;
      }
}

/* A polynomial of total degree d has degree at most d in each of a, b, c: q points serve to 2q - 1. */
wisp_status wisp_tet_quadrature(wisp_error *err, int degree, wisp_quadrature *out)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  double x[3][MAX_POINTS], w[3][MAX_POINTS];
  CALL(wisp_require(err, degree >= 0 && degree <= MAX_DEGREE, WISP_EUSAGE,
                    "tet quadrature: degree %d is out of range: use 0 to %d", degree, MAX_DEGREE));
  int q = degree / 2 + 1;
  for (int c = 0; c < 3; c++) CALL(wisp_jacobi_gauss(err, c, 0, q, x[c], w[c]));
  CALL(allocate(err, (size_t)(q * q * q), &rule));
  collapse(q, x, w, &rule);
  return GIVE(rule, out);
}

/* Likewise: (1-b)/2 is the triangle's Jacobian. */
wisp_status wisp_triangle_quadrature(wisp_error *err, int degree, wisp_quadrature *out)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  double a[MAX_POINTS], b[MAX_POINTS], wa[MAX_POINTS], wb[MAX_POINTS];
  CALL(wisp_require(err, degree >= 0 && degree <= MAX_DEGREE, WISP_EUSAGE,
                    "triangle quadrature: degree %d is out of range: use 0 to %d", degree, MAX_DEGREE));
  const int q = degree / 2 + 1;
  CALL(wisp_jacobi_gauss(err, 0, 0, q, a, wa));
  CALL(wisp_jacobi_gauss(err, 1, 0, q, b, wb));
  CALL(allocate(err, (size_t)(q * q), &rule));
  for (int p = 0; p < q * q; p++) {
    rule.r[p] = (1 + a[p % q]) * (1 - b[p / q]) / 2 - 1;
    rule.s[p] = b[p / q];
    rule.w[p] = wa[p % q] * wb[p / q] / 2;
  }
  return GIVE(rule, out);
}

void wisp_quadrature_free(wisp_quadrature *quadrature)
{
  if (!quadrature) return;
  free(quadrature->r), free(quadrature->s), free(quadrature->t), free(quadrature->w);
  *quadrature = (wisp_quadrature){0};
}
