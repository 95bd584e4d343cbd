/* Warp & blend nodes of the tet (Warburton 2006; Hesthaven & Warburton 2008, section 10.1): equidistant nodes, moved
 * along the edges so that each edge carries Gauss-Lobatto points, and the edges' warp blended into faces and volume.
 *
 * The book moves points of an equilateral tet by vectors in its faces' planes. Each such vector is a sum of shifts
 * along the face's edges, so that here barycentric coordinates lambda are moved instead: the same nodes, symmetric as
 * they are.
 */
#include "tet_internal.h"
#include "../jacobi.h"

#include <math.h>

/* ---- The orthonormal PKDO modes (Proriol, Koornwinder, Dubiner, Owens) of triangle and tet: Hesthaven & Warburton
 * 2008, sections 6.1 and 10.1 (Simplex2DP, Simplex3DP),
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

/* The blending parameter alpha that gave the least Lebesgue constant, for N = 0, 1, 2, ... (the book's Nodes3D). */
static const double alphas[WISP_TET_MAX_ORDER + 1] = {0,      0,      0,       0,      0.1002, 1.1332, 1.5608, 1.3413,
                                                      1.2577, 1.1603, 1.10153, 0.6080, 0.4523, 0.8856, 0.8717, 0.9655};

/* The N-1 Gauss-Lobatto points inside [-1,1], zeros of P_N': Gauss points of the weight (1-x)(1+x). */
static wisp_status lobatto(wisp_error *err, int N, double *x)
{
  double w[WISP_TET_MAX_ORDER];
  return N < 2 ? WISP_OK : wisp_jacobi_gauss(err, 1, 1, N - 1, x, w);
}

/* w(x)/(1-x^2) with w the polynomial of degree N that takes the equidistant points to the Gauss-Lobatto points (H&W
 * section 6.1, evalwarp): w is 0 at both ends, whose Lagrange factors cancel against 1-x^2. */
static double warp(int N, const double *gauss_lobatto, double x)
{
  double sum = 0;
  for (int i = 1; i < N; i++) {
    double xi = -1 + 2.0 * i / N, term = (gauss_lobatto[i - 1] - xi) / (1 - xi * xi);
    for (int j = 1; j < N; j++) {
      double xj = -1 + 2.0 * j / N;
      if (j != i) term *= (x - xj) / (xi - xj);
    }
    sum += term;
  }
  return sum;
}

/* The share of the warp of the face opposite vertex v that a node takes (Nodes3D): 1 on the face, 0 on the others. A
 * node on an edge takes half of each of its two faces, whose warps agree there. step counts steps from the faces,
 * lambda N. */
static double blend(double alpha, const int step[4], const double lambda[4], int v)
{
  double result = 1;
  int zeros = 0;
  for (int a = 0; a < 4; a++) {
    zeros += step[a] == 0;
    if (a != v && step[v] > 0) result *= lambda[a] / (lambda[a] + lambda[v] / 2);
  }
  if (step[v] == 0) return zeros > 1 ? 0.5 : 1;
  return result * (1 + alpha * alpha * lambda[v] * lambda[v]);
}

/* Adds the warp of the face opposite v, times factor: each edge p-q moves the nodes along itself by
 * 4 lambda_p lambda_q warp(lambda_q - lambda_p) (1 + (alpha lambda_o)^2), o the third vertex (H&W section 10.1,
 * evalshift). An edge of the book's tet has length 2, hence the half. */
static void add_face_warp(int N, double alpha, const double *gauss_lobatto, const double lambda[4], int v,
                          double factor, double shift[4])
{
  const int *vertex = wisp_tet_face_vertices[wisp_tet_face_opposite(v)];
  for (int e = 0; e < 3; e++) {
    const int p = vertex[e], q = vertex[(e + 1) % 3], o = vertex[(e + 2) % 3];
    double along = 4 * lambda[p] * lambda[q] * warp(N, gauss_lobatto, lambda[q] - lambda[p]) *
                   (1 + alpha * alpha * lambda[o] * lambda[o]);
    shift[q] += factor * along / 2;
    shift[p] -= factor * along / 2;
  }
}

wisp_status wisp_tet_nodes(wisp_error *err, int N, double *r, double *s, double *t)
{
  double gauss_lobatto[WISP_TET_MAX_ORDER];
  CALL(lobatto(err, N, gauss_lobatto));
  for (int k = 0; k <= N; k++)
    for (int j = 0; j <= N - k; j++)
      for (int i = 0; i <= N - k - j; i++) {
        const int step[4] = {N - i - j - k, i, j, k}, node = wisp_tet_node(N, i, j, k);
        double lambda[4], shift[4] = {0};
        for (int v = 0; v < 4; v++) lambda[v] = (double)step[v] / N;
        for (int v = 0; v < 4; v++)
          add_face_warp(N, alphas[N], gauss_lobatto, lambda, v, blend(alphas[N], step, lambda, v), shift);
        r[node] = 2 * (lambda[1] + shift[1]) - 1;
        s[node] = 2 * (lambda[2] + shift[2]) - 1;
        t[node] = 2 * (lambda[3] + shift[3]) - 1;
      }
  return WISP_OK;
}

/* A triangle is the face opposite the tet's last vertex, with an alpha of its own (the book's Nodes2D). */
wisp_status wisp_triangle_nodes(wisp_error *err, int N, double *r, double *s)
{
  static const double of_triangles[WISP_TET_MAX_ORDER + 1] = {0,      0,      0,      1.4152, 0.1001, 0.2751,
                                                              0.9800, 1.0999, 1.2832, 1.3648, 1.4773};
  enum { LAST = 3 };
  double gauss_lobatto[WISP_TET_MAX_ORDER];
  CALL(lobatto(err, N, gauss_lobatto));
  for (int j = 0; j <= N; j++)
    for (int i = 0; i <= N - j; i++, r++, s++) {
      const double lambda[4] = {(double)(N - i - j) / N, (double)i / N, (double)j / N, 0};
      double shift[4] = {0};
      add_face_warp(N, of_triangles[N], gauss_lobatto, lambda, LAST, 1, shift);
      *r = 2 * (lambda[1] + shift[1]) - 1;
      *s = 2 * (lambda[2] + shift[2]) - 1;
    }
  return WISP_OK;
}
