#include "jacobi.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

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
  CALL(wisp_require(err, count >= 1, WISP_EUSAGE, "Gauss points: %d asked for, must be 1 or more", count));
  CALL(wisp_new(err, (size_t)count, sizeof *a, &a));
  for (int n = 0; n < count; n++) {
    x[n] = wisp_jacobi_b(alpha, beta, n);
    a[n] = wisp_jacobi_a(alpha, beta, n + 1);
  }
  lapack_int info = LAPACKE_dsterf(count, x, a);
  CALL(wisp_require(err, info == 0, WISP_ESYSTEM,
                    "Gauss points: LAPACK's dsterf answers %d for %d points of weight (%g,%g): check the LAPACK "
                    "installed",
                    (int)info, count, alpha, beta));
  for (int n = 0; n < count; n++) w[n] = christoffel(alpha, beta, count, x[n]);
  return WISP_OK;
}
