#include "hex.h"
#include "../jacobi.h"

#include <math.h>

/* P_n(x) of Legendre, P_n(1) = 1, by its three-term recurrence. */
static double legendre(int n, double x)
{
  double before = 0, P = 1;
  for (int k = 1; k <= n; k++) {
    double next = ((2 * k - 1) * x * P - (k - 1) * before) / k;
    before = P, P = next;
  }
  return P;
}

/* Points and weights of a symmetric rule become symmetric to the last bit, so that all matrices made of them are. */
static void symmetrise(int count, double *x, double *w)
{
  for (int i = 0, j = count - 1; i <= j; i++, j--) {
    double half = (x[j] - x[i]) / 2, mean = (w[i] + w[j]) / 2;
    x[i] = -half, x[j] = half;
    w[i] = w[j] = mean;
  }
}

/* The ends, and between them the roots of P_N': Gauss points of the weight (1-x)(1+x). */
static wisp_status make_gll(wisp_error *err, int N, double *x, double *w)
{
  if (N > 1) CALL(wisp_jacobi_gauss(err, 1, 1, N - 1, x + 1, w + 1));
  x[0] = -1, x[N] = 1;
  for (int i = 0; i <= N; i++) w[i] = 2 / (N * (N + 1) * pow(legendre(N, x[i]), 2));
  symmetrise(N + 1, x, w);
  return WISP_OK;
}

/* Weights of the barycentric formula (Berrut & Trefethen 2004); their common factor is of no matter. */
static void barycentric(int count, const double *x, double *b)
{
  for (int i = 0; i < count; i++) {
    b[i] = 1;
    for (int j = 0; j < count; j++)
      if (j != i) b[i] /= 2 * (x[i] - x[j]);
  }
}

/* A[m][n] is Lagrange polynomial n of the nodes x at point to[m]; rows sum to 1. */
static void interpolation(int nodes, const double *x, const double *b, int points, const double *to, double *A)
{
  for (int m = 0; m < points; m++) {
    double sum = 0;
    int met = -1;
    for (int n = 0; n < nodes; n++)
      if (to[m] == x[n]) met = n; /* a point that is a node: the formula would divide by zero */
    for (int n = 0; n < nodes; n++) {
      A[m * nodes + n] = met >= 0 ? n == met : b[n] / (to[m] - x[n]);
      sum += A[m * nodes + n];
    }
    for (int n = 0; n < nodes; n++) A[m * nodes + n] /= sum;
  }
}

/* The diagonal takes what makes a row sum to zero: constants have no derivative, and the error is the smallest so. */
static void differentiation(int nodes, const double *x, const double *b, double *A)
{
  for (int i = 0; i < nodes; i++) {
    double sum = 0;
    for (int j = 0; j < nodes; j++) {
      A[i * nodes + j] = i == j ? 0 : b[j] / b[i] / (x[i] - x[j]);
      sum += A[i * nodes + j];
    }
    A[i * nodes + i] = -sum;
  }
}

/* Rounding breaks A[rows-1-m][columns-1-n] = sign A[m][n]; the mean of both restores it. */
static void restore_symmetry(int rows, int columns, int sign, double *A)
{
  for (int i = 0, j = rows * columns - 1; i <= j; i++, j--) {
    double mean = (A[i] + sign * A[j]) / 2;
    A[i] = mean, A[j] = sign * mean;
  }
}

/* From nodes of half the order. */
static wisp_status make_transfer(wisp_error *err, wisp_hex *hex)
{
  double b[WISP_HEX_MAX_ORDER + 1], nodes[WISP_HEX_MAX_ORDER + 1], weights[WISP_HEX_MAX_ORDER + 1];
  CALL(wisp_new(err, (size_t)(hex->Nq * hex->Mq), sizeof(double), &hex->J));
  for (int m = 0; hex->Mq == 1 && m < hex->Nq; m++) hex->J[m] = 1;
  if (hex->Mq == 1) return WISP_OK;
  CALL(make_gll(err, hex->Mq - 1, nodes, weights));
  barycentric(hex->Mq, nodes, b);
  interpolation(hex->Mq, nodes, b, hex->Nq, hex->gll_points, hex->J);
  restore_symmetry(hex->Nq, hex->Mq, 1, hex->J);
  return WISP_OK;
}

static void make_matrices(wisp_hex *hex)
{
  double b[WISP_HEX_MAX_ORDER + 2];
  barycentric(hex->Nq, hex->gll_points, b);
  interpolation(hex->Nq, hex->gll_points, b, hex->Gl, hex->gauss_points, hex->I);
  differentiation(hex->Nq, hex->gll_points, b, hex->D);
  barycentric(hex->Gl, hex->gauss_points, b);
  differentiation(hex->Gl, hex->gauss_points, b, hex->glD);
  restore_symmetry(hex->Gl, hex->Nq, 1, hex->I);
  restore_symmetry(hex->Nq, hex->Nq, -1, hex->D);
  restore_symmetry(hex->Gl, hex->Gl, -1, hex->glD);
}

wisp_status wisp_hex_create(wisp_error *err, int N, wisp_hex **out)
{
  OWNED(wisp_hex_destroy) wisp_hex *hex = NULL;
  CALL(wisp_require(err, N >= 1 && N <= WISP_HEX_MAX_ORDER, WISP_EUSAGE,
                    "hexahedron: order %d is out of range: use 1 to %d", N, WISP_HEX_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *hex, &hex));
  hex->N = N;
  hex->Nq = N + 1;
  hex->Gl = wisp_hex_gauss(N);
  hex->Mq = N / 2 + 1;
  hex->Np = hex->Nq * hex->Nq * hex->Nq;
  hex->glNp = hex->Gl * hex->Gl * hex->Gl;
  const size_t Nq = (size_t)hex->Nq, Gl = (size_t)hex->Gl;
  CALL(wisp_new(err, Nq, sizeof(double), &hex->gll_points));
  CALL(wisp_new(err, Nq, sizeof(double), &hex->gll_weights));
  CALL(wisp_new(err, Gl, sizeof(double), &hex->gauss_points));
  CALL(wisp_new(err, Gl, sizeof(double), &hex->gauss_weights));
  CALL(wisp_new(err, Gl * Nq, sizeof(double), &hex->I));
  CALL(wisp_new(err, Nq * Nq, sizeof(double), &hex->D));
  CALL(wisp_new(err, Gl * Gl, sizeof(double), &hex->glD));
  CALL(make_gll(err, N, hex->gll_points, hex->gll_weights));
  CALL(wisp_jacobi_gauss(err, 0, 0, hex->Gl, hex->gauss_points, hex->gauss_weights));
  symmetrise(hex->Gl, hex->gauss_points, hex->gauss_weights);
  make_matrices(hex);
  CALL(make_transfer(err, hex));
  return GIVE(hex, out);
}

void wisp_hex_destroy(wisp_hex *hex)
{
  if (!hex) return;
  free(hex->gll_points), free(hex->gll_weights);
  free(hex->gauss_points), free(hex->gauss_weights);
  free(hex->I), free(hex->D), free(hex->glD), free(hex->J);
  free(hex);
}

void wisp_hex_halves(const double *A, int rows, int columns, double *even, double *odd)
{
  int half = (columns + 1) / 2;
  for (int m = 0; m < (rows + 1) / 2; m++)
    for (int n = 0; n < half; n++) {
      double left = A[m * columns + n], right = A[m * columns + columns - 1 - n];
      bool middle = 2 * n + 1 == columns;
      even[m * half + n] = middle ? left : (left + right) / 2;
      odd[m * half + n] = middle ? 0 : (left - right) / 2;
    }
}
