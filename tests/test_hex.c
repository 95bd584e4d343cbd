/* Claim: the hexahedron's operators of every order 1..15 are exact for what they promise: GLL quadrature for degree
 * 2N-1, Gauss for 2Gl-1, interpolation and derivatives for degree N (at Gauss points N+1), derivatives of constants are
 * zero; the halves of a symmetric matrix give its product; an order out of range is refused. */
#include "test.h"
#include "../gen/tensor/hex.h"

enum { MOST = WISP_HEX_MAX_ORDER + 2 };

static wisp_hex *make(int N)
{
  wisp_error err = {0};
  wisp_hex *hex = NULL;
  if (wisp_hex_create(&err, N, &hex) != WISP_OK) fail_msg("order %d: %s", N, err.text);
  assert_int_equal(hex->N, N);
  return hex;
}

typedef void order_check(const wisp_hex *hex);

static void all_orders(order_check *check)
{
  for (int N = 1; N <= WISP_HEX_MAX_ORDER; N++) {
    OWNED(wisp_hex_destroy) wisp_hex *hex = make(N);
    check(hex);
  }
}

static double legendre(int n, double x)
{
  double before = 0, P = 1;
  for (int k = 1; k <= n; k++) {
    double next = ((2 * k - 1) * x * P - (k - 1) * before) / k;
    before = P, P = next;
  }
  return P;
}

/* Legendre polynomials up to `degree` integrate to 0, but for P_0; those beyond it do not all. */
static void check_rule(int count, const double *x, const double *w, int degree)
{
  for (int n = 0; n <= degree + 1; n++) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += w[i] * legendre(n, x[i]);
    if (n <= degree)
      assert_true(fabs(sum - (n ? 0 : 2)) < 1e-14);
    else
      assert_true(fabs(sum) > 1e-3); /* exact for no more than it says */
  }
  for (int i = 0; i < count; i++) {
    assert_true(w[i] > 0);
    assert_true(x[i] == -x[count - 1 - i] && w[i] == w[count - 1 - i]);
    assert_true(i == 0 || x[i] > x[i - 1]);
  }
}

static void check_quadrature(const wisp_hex *hex)
{
  assert_int_equal(hex->Nq, hex->N + 1);
  assert_int_equal(hex->Gl, hex->N + 2);
  assert_int_equal(hex->Np, hex->Nq * hex->Nq * hex->Nq);
  assert_int_equal(hex->glNp, hex->Gl * hex->Gl * hex->Gl);
  assert_true(hex->gll_points[0] == -1 && hex->gll_points[hex->N] == 1);
  check_rule(hex->Nq, hex->gll_points, hex->gll_weights, 2 * hex->N - 1);
  check_rule(hex->Gl, hex->gauss_points, hex->gauss_weights, 2 * hex->Gl - 1);
}

/* Derivative of P_n: sum over P_(n-1), P_(n-3), ... of (2k+1) P_k. */
static double legendre_slope(int n, double x)
{
  double sum = 0;
  for (int k = n - 1; k >= 0; k -= 2) sum += (2 * k + 1) * legendre(k, x);
  return sum;
}

typedef double function(int n, double x);

/* A maps P_n at the points x to the values of `image` at the points y, for n = 0..degree. The bound is that of a sum's
 * rounding: of the terms' absolute values. */
static void check_exact(int rows, int columns, const double *A, const double *x, const double *y, int degree,
                        function *image)
{
  for (int n = 0; n <= degree; n++)
    for (int m = 0; m < rows; m++) {
      double sum = 0, size = 1;
      for (int c = 0; c < columns; c++) {
        double term = A[m * columns + c] * legendre(n, x[c]);
        sum += term, size += fabs(term);
      }
      assert_true(fabs(sum - image(n, y[m])) < 1e-14 * size);
    }
}

static void check_matrices(const wisp_hex *hex)
{
  int Nq = hex->Nq, Gl = hex->Gl;
  check_exact(Gl, Nq, hex->I, hex->gll_points, hex->gauss_points, hex->N, legendre);
  check_exact(Nq, Nq, hex->D, hex->gll_points, hex->gll_points, hex->N, legendre_slope);
  check_exact(Gl, Gl, hex->glD, hex->gauss_points, hex->gauss_points, hex->N + 1, legendre_slope);
}

static void check_rows(int n, const double *D)
{
  for (int i = 0; i < n; i++) {
    double sum = 0, size = 0;
    for (int j = 0; j < n; j++) sum += D[i * n + j], size += fabs(D[i * n + j]);
    assert_true(fabs(sum) <= 4e-16 * size);
  }
}

static void check_constants(const wisp_hex *hex)
{
  check_rows(hex->Nq, hex->D);
  check_rows(hex->Gl, hex->glD);
}

/* y = A u by the even and odd halves, as hex.h writes it. */
static void apply_halves(const double *A, int rows, int columns, int sign, const double *u, double *y)
{
  double even[MOST * MOST], odd[MOST * MOST];
  int half = (columns + 1) / 2;
  wisp_hex_halves(A, rows, columns, even, odd);
  for (int m = 0; m < (rows + 1) / 2; m++) {
    double p = 0, q = 0;
    for (int n = 0; n < half; n++) {
      bool middle = 2 * n + 1 == columns;
      p += even[m * half + n] * (middle ? u[n] : u[n] + u[columns - 1 - n]);
      q += odd[m * half + n] * (u[n] - u[columns - 1 - n]);
    }
    y[rows - 1 - m] = sign * (p - q);
    y[m] = p + q;
  }
}

static void check_product(const double *A, int rows, int columns, int sign)
{
  double u[MOST], y[MOST];
  for (int n = 0; n < columns; n++) u[n] = sin(1.7 * n + 0.3); /* neither even nor odd */
  apply_halves(A, rows, columns, sign, u, y);
  for (int m = 0; m < rows; m++) {
    double sum = 0, size = 0;
    for (int n = 0; n < columns; n++) sum += A[m * columns + n] * u[n], size += fabs(A[m * columns + n]);
    assert_true(fabs(y[m] - sum) <= 1e-15 * size);
    for (int n = 0; n < columns; n++)
      assert_true(A[m * columns + n] == sign * A[(rows - 1 - m) * columns + columns - 1 - n]);
  }
}

static void check_halves(const wisp_hex *hex)
{
  check_product(hex->I, hex->Gl, hex->Nq, 1);
  check_product(hex->D, hex->Nq, hex->Nq, -1);
  check_product(hex->glD, hex->Gl, hex->Gl, -1);
}

TEST(test_quadrature)
{
  all_orders(check_quadrature);
}

TEST(test_matrices)
{
  all_orders(check_matrices);
}

TEST(test_constants)
{
  all_orders(check_constants);
}

TEST(test_halves)
{
  all_orders(check_halves);
}

TEST(test_range)
{
  const int bad[] = {0, -1, WISP_HEX_MAX_ORDER + 1, 1 << 30};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error err = {0};
    wisp_hex *hex = NULL;
    assert_int_equal(wisp_hex_create(&err, bad[i], &hex), WISP_EUSAGE);
    assert_non_null(strstr(err.text, "1 to 15"));
    assert_null(hex);
  }
  wisp_hex_destroy(NULL);
}
