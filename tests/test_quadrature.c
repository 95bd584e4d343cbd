/* Claim: the quadrature of degree d integrates all polynomials of degree d over the tet exactly, with positive weights
 * that sum to 4/3 and all points inside; a degree out of range is refused. */
#include "test.h"
#include "../gen/nodal/tet.h"

enum { MOST = 40 };

static wisp_quadrature make(int degree)
{
  wisp_quadrature rule = {0};
  GOOD(wisp_tet_quadrature(err, degree, &rule));
  return rule;
}

static double factorial(int n)
{
  return tgamma(n + 1.0);
}

/* Powers 0..degree of (1+x)/2, a barycentric coordinate: power[p * (degree + 1) + i]. */
static double *powers(size_t count, const double *x, int degree)
{
  size_t row = (size_t)degree + 1;
  double *power = zeros(count * row);
  for (size_t p = 0; p < count; p++) {
    power[p * row] = 1;
    for (size_t i = 1; i < row; i++) power[p * row + i] = power[p * row + i - 1] * (1 + x[p]) / 2;
  }
  return power;
}

/* lambda_1^i lambda_2^j lambda_3^k, i+j+k <= degree, span the polynomials of that degree; the integral of each over the
 * bi-unit tet is 8 i! j! k! / (i+j+k+3)!. */
static void check_exact(int degree)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = make(degree);
  OWNED(free) double *x = powers(rule.count, rule.r, degree);
  OWNED(free) double *y = powers(rule.count, rule.s, degree), *z = powers(rule.count, rule.t, degree);
  size_t row = (size_t)degree + 1;
  for (int i = 0; i <= degree; i++)
    for (int j = 0; j <= degree - i; j++)
      for (int k = 0; k <= degree - i - j; k++) {
        double sum = 0, exact = 8 * factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
        for (size_t p = 0; p < rule.count; p++)
          sum += rule.w[p] * x[p * row + (size_t)i] * y[p * row + (size_t)j] * z[p * row + (size_t)k];
        if (!(fabs(sum / exact - 1) < 1e-12))
          fail_msg("degree %d, monomial (%d,%d,%d): off by %g, relative", degree, i, j, k, sum / exact - 1);
      }
}

TEST(test_exact)
{
  for (int degree = 0; degree <= 24; degree++) check_exact(degree);
}

/* At the far end, the single monomials of the full degree: (1+t)/2 alone, whose powers fall off the fastest. */
TEST(test_highest_degree)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = make(MOST);
  double sum[3] = {0};
  for (size_t p = 0; p < rule.count; p++) {
    sum[0] += rule.w[p] * pow((1 + rule.r[p]) / 2, MOST);
    sum[1] += rule.w[p] * pow((1 + rule.s[p]) / 2, MOST);
    sum[2] += rule.w[p] * pow((1 + rule.t[p]) / 2, MOST);
  }
  for (int c = 0; c < 3; c++) assert_true(fabs(sum[c] * (MOST + 1) * (MOST + 2) * (MOST + 3) / 8 - 1) < 1e-12);
}

TEST(test_weights_and_points)
{
  for (int degree = 0; degree <= MOST; degree++) {
    HELD(wisp_quadrature_free) wisp_quadrature rule = make(degree);
    assert_true(rule.count > 0);
    double sum = 0;
    for (size_t p = 0; p < rule.count; p++) {
      assert_true(rule.w[p] > 0);
      assert_true(rule.r[p] > -1 && rule.s[p] > -1 && rule.t[p] > -1);
      assert_true(rule.r[p] + rule.s[p] + rule.t[p] < -1);
      sum += rule.w[p];
    }
    assert_true(fabs(sum - 4.0 / 3) < 1e-13);
  }
}

TEST(test_range)
{
  const int bad[] = {-1, MOST + 1, -1000, 1 << 30};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error err = {0};
    wisp_quadrature rule = {.count = 7};
    assert_int_equal(wisp_tet_quadrature(&err, bad[i], &rule), WISP_EUSAGE);
    assert_int_equal(err.status, WISP_EUSAGE);
    assert_non_null(strstr(err.text, "0 to 40"));
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(rule.count, 7); /* outputs are untouched */
    assert_null(rule.r);
  }
  wisp_quadrature_free(NULL);
}
