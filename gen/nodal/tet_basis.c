/* The orthonormal PKDO modes (Proriol, Koornwinder, Dubiner, Owens) of triangle and tet: Hesthaven & Warburton 2008,
 * sections 6.1 and 10.1 (Simplex2DP, Simplex3DP),
 *
 *   psi_ijk = 2 sqrt(2) P_i^(0,0)(a) P_j^(2i+1,0)(b) (1-b)^i P_k^(2(i+j)+2,0)(c) (1-c)^(i+j).
 *
 * The collapsed coordinates a, b, c are quotients that have no value on an edge or at a vertex of the tet, though the
 * modes do. Hence each factor is computed made homogeneous, H_n(x,y) = y^n P_n(x/y): x and y are affine in r, s, t, and
 * nothing is divided:
 *
 *   a = x/y, y = -(s+t)/2 = (1-b)/2 (1-c)/2;   b = x/y, y = (1-t)/2 = (1-c)/2;   c = x/y, y = 1;
 *   psi_ijk = 2 sqrt(2) 4^i 2^j H_i(a) H_j(b) H_k(c).
 */
#include "tet_internal.h"
#include "../jacobi.h"

#include <math.h>

/* A value and its gradient in r, s, t. */
typedef struct jet {
  double value, d[3];
} jet;

static jet product(jet p, jet q)
{
  jet result = {.value = p.value * q.value};
  for (int c = 0; c < 3; c++) result.d[c] = p.d[c] * q.value + p.value * q.d[c];
  return result;
}

/* p + factor q */
static jet combine(jet p, double factor, jet q)
{
  jet result = {.value = p.value + factor * q.value};
  for (int c = 0; c < 3; c++) result.d[c] = p.d[c] + factor * q.d[c];
  return result;
}

/* H_0 .. H_N of P^(alpha,0), by the three-term recurrence times y^n. */
static void homogeneous_jacobi(int N, double alpha, jet x, jet y, jet *H)
{
  H[0] = (jet){.value = 1 / sqrt(wisp_jacobi_weight(alpha, 0))};
  for (int n = 0; n < N; n++) {
    jet next = product(combine(x, -wisp_jacobi_b(alpha, 0, n), y), H[n]);
    if (n) next = combine(next, -wisp_jacobi_a(alpha, 0, n), product(product(y, y), H[n - 1]));
    H[n + 1] = combine((jet){0}, 1 / wisp_jacobi_a(alpha, 0, n + 1), next);
  }
}

/* x and y of the collapsed coordinates a, b, c (rsttoabc). */
static void collapsed(double r, double s, double t, jet x[3], jet y[3])
{
  x[0] = (jet){1 + r + (s + t) / 2, {1, 0.5, 0.5}};
  y[0] = (jet){-(s + t) / 2, {0, -0.5, -0.5}};
  x[1] = (jet){s + (1 + t) / 2, {0, 1, 0.5}};
  y[1] = (jet){(1 - t) / 2, {0, 0, -0.5}};
  x[2] = (jet){t, {0, 0, 1}};
  y[2] = (jet){1, {0, 0, 0}};
}

void wisp_tet_modes(int N, double r, double s, double t, double *psi, double *gradient)
{
  int Np = wisp_tet_size(N), m = 0;
  jet x[3], y[3], A[WISP_TET_MAX_ORDER + 1], B[WISP_TET_MAX_ORDER + 1], C[WISP_TET_MAX_ORDER + 1];
  collapsed(r, s, t, x, y);
  homogeneous_jacobi(N, 0, x[0], y[0], A);
  for (int i = 0; i <= N; i++) {
    homogeneous_jacobi(N - i, 2 * i + 1, x[1], y[1], B);
    for (int j = 0; j <= N - i; j++) {
      homogeneous_jacobi(N - i - j, 2 * (i + j) + 2, x[2], y[2], C);
      jet AB = combine((jet){0}, ldexp(2 * sqrt(2), 2 * i + j), product(A[i], B[j]));
      for (int k = 0; k <= N - i - j; k++, m++) {
        jet mode = product(AB, C[k]);
        psi[m] = mode.value;
        for (int c = 0; gradient && c < 3; c++) gradient[c * Np + m] = mode.d[c];
      }
    }
  }
}

/* On the face t = -1 the tet's a and b are the triangle's: psi_ij = sqrt(2) P_i^(0,0)(a) P_j^(2i+1,0)(b) (1-b)^i. */
void wisp_triangle_modes(int N, double r, double s, double *psi, double *gradient)
{
  int Np = wisp_triangle_size(N), m = 0;
  jet x[3], y[3], A[WISP_TET_MAX_ORDER + 1], B[WISP_TET_MAX_ORDER + 1];
  collapsed(r, s, -1, x, y);
  homogeneous_jacobi(N, 0, x[0], y[0], A);
  for (int i = 0; i <= N; i++) {
    homogeneous_jacobi(N - i, 2 * i + 1, x[1], y[1], B);
    for (int j = 0; j <= N - i; j++, m++) {
      jet mode = combine((jet){0}, ldexp(sqrt(2), i), product(A[i], B[j]));
      psi[m] = mode.value;
      for (int c = 0; gradient && c < 2; c++) gradient[c * Np + m] = mode.d[c];
    }
  }
}
