/* Claim: the tensor family's operators are their formulas, written down here apart from the reference that the tuner
 * verifies every candidate with (test_kernels): that reference at every order, to 1e-13 of the largest number. */
#include "test.h"
#include "../gen/tensor/hex.h"
#include "../runtime/tensor/hex_reference.h"

/* Elements with random contents: fields, geometric factors of trilinear hexahedra. */
typedef struct hex_case {
  wisp_hex *hex;
  size_t elements;
  double lambda;
  double *u;             /* [e][k][j][i], random */
  double *vertices;      /* [e][3][8]: unit cubes, each vertex moved */
  double *gauss_factors; /* [e][7][k][j][i]: G00 G01 G02 G11 G12 G22 GwJ */
  double *gauss_mass;    /* [e][k][j][i]: GwJ */
  double *gll_factors;
} hex_case;

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / (double)(1ull << 52) - 1;
}

/* --- geometry --- */

/* dx_d / dr_c of the trilinear map at (r, s, t). */
static void jacobian(const double *vertices, const double at[3], double A[3][3])
{
  memset(A, 0, 9 * sizeof A[0][0]);
  for (int v = 0; v < 8; v++) {
    double part[3], slope[3];
    for (int c = 0; c < 3; c++) {
      int up = v >> c & 1;
      part[c] = (up ? 1 + at[c] : 1 - at[c]) / 2;
      slope[c] = up ? 0.5 : -0.5;
    }
    for (int d = 0; d < 3; d++) {
      A[d][0] += vertices[8 * d + v] * slope[0] * part[1] * part[2];
      A[d][1] += vertices[8 * d + v] * part[0] * slope[1] * part[2];
      A[d][2] += vertices[8 * d + v] * part[0] * part[1] * slope[2];
    }
  }
}

/* G_ab = w J sum_d (dr_a/dx_d) (dr_b/dx_d) and GwJ = w J, by the inverse as the adjugate over the determinant. */
static void factors_at(const double *vertices, const double at[3], double w, double G[WISP_HEX_FACTORS])
{
  double A[3][3], inverse[3][3], J = 0;
  jacobian(vertices, at, A);
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++) {
      int d1 = (d + 1) % 3, d2 = (d + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
      inverse[a][d] = A[d1][a1] * A[d2][a2] - A[d1][a2] * A[d2][a1];
    }
  for (int d = 0; d < 3; d++) J += A[d][0] * inverse[0][d];
  assert_true(J > 0);
  for (int a = 0, c = 0; a < 3; a++)
    for (int b = a; b < 3; b++, c++) {
      G[c] = 0;
      for (int d = 0; d < 3; d++) G[c] += w / J * inverse[a][d] * inverse[b][d];
    }
  G[6] = w * J;
}

/* Elements lie in all twelve directions that axes in cyclic order have. */
static double turned_cube(int element, int v, int d)
{
  int axis = (d + element) % 3, kept = element / 3 % 4;
  return (kept < 3 && kept != d ? -1 : 1) * (v >> axis & 1);
}

/* Factors of one element at n^3 points, [c][k][j][i]. */
static void element_factors(const double *vertices, int n, const double *x, const double *w, double *out)
{
  double G[WISP_HEX_FACTORS];
  for (int k = 0, q = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, q++) {
        const double at[3] = {x[i], x[j], x[k]};
        factors_at(vertices, at, w[i] * w[j] * w[k], G);
        for (int c = 0; c < WISP_HEX_FACTORS; c++) out[c * n * n * n + q] = G[c];
      }
}

static void make_geometry(hex_case *c, uint64_t *seed)
{
  const wisp_hex *hex = c->hex;
  size_t Np = (size_t)hex->Np, glNp = (size_t)hex->glNp;
  for (size_t e = 0; e < c->elements; e++) {
    double *vertices = c->vertices + 24 * e, *gauss = c->gauss_factors + 7 * glNp * e;
    for (int v = 0; v < 24; v++) vertices[v] = turned_cube((int)e, v % 8, v / 8) + 0.15 * noise(seed);
    element_factors(vertices, hex->Gl, hex->gauss_points, hex->gauss_weights, gauss);
    element_factors(vertices, hex->Nq, hex->gll_points, hex->gll_weights, c->gll_factors + 7 * Np * e);
    memcpy(c->gauss_mass + glNp * e, gauss + 6 * glNp, glNp * sizeof *gauss);
  }
}

static void hex_case_make(hex_case *c, int N, size_t elements)
{
  uint64_t seed = 0x5eed;
  *c = (hex_case){.elements = elements, .lambda = 0.7};
  GOOD(wisp_hex_create(err, N, &c->hex));
  size_t Np = (size_t)c->hex->Np, glNp = (size_t)c->hex->glNp;
  c->u = zeros(elements * Np);
  c->vertices = zeros(elements * 24);
  c->gauss_factors = zeros(elements * 7 * glNp);
  c->gauss_mass = zeros(elements * glNp);
  c->gll_factors = zeros(elements * 7 * Np);
  for (size_t i = 0; i < elements * Np; i++) c->u[i] = noise(&seed);
  make_geometry(c, &seed);
}

static void hex_case_free(hex_case *c)
{
  wisp_hex_destroy(c->hex);
  free(c->u), free(c->vertices), free(c->gauss_factors), free(c->gauss_mass), free(c->gll_factors);
  *c = (hex_case){0};
}

/* --- operators --- */

enum { MOST = (WISP_HEX_MAX_ORDER + 2) * (WISP_HEX_MAX_ORDER + 2) * (WISP_HEX_MAX_ORDER + 2) };

/* y = A u along direction `axis` of a field with extents n[0..2], i fastest; A is rows x columns, or its transpose is
 * meant; n[axis] becomes the number of results. */
static void contract(const double *A, int rows, int columns, bool transposed, int axis, int n[3], const double *u,
                     double *y)
{
  int results = transposed ? columns : rows, terms = transposed ? rows : columns;
  int stride = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1], outer = n[0] * n[1] * n[2] / (stride * terms);
  assert_int_equal(n[axis], terms);
  for (int o = 0; o < outer; o++)
    for (int m = 0; m < results; m++)
      for (int s = 0; s < stride; s++) {
        double sum = 0;
        for (int q = 0; q < terms; q++)
          sum += (transposed ? A[q * columns + m] : A[m * columns + q]) * u[(o * terms + q) * stride + s];
        y[(o * results + m) * stride + s] = sum;
      }
  n[axis] = results;
}

/* y = (A (x) A (x) A) u or its transpose, in place. */
static void contract_all(const double *A, int rows, int columns, bool transposed, double *u)
{
  static _Thread_local double y[MOST];
  int n[3] = {transposed ? rows : columns, transposed ? rows : columns, transposed ? rows : columns};
  for (int axis = 0; axis < 3; axis++) {
    contract(A, rows, columns, transposed, axis, n, u, y);
    memcpy(u, y, (size_t)(n[0] * n[1] * n[2]) * sizeof *u);
  }
}

/* u = D^T G D u + lambda GwJ u on n^3 points. */
static void stiffness(int points, const double *D, const double *G, double lambda, double *u)
{
  static _Thread_local double slope[3][MOST], flux[MOST], back[MOST];
  static const int of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  int n[3] = {points, points, points}, count = points * points * points;
  for (int a = 0; a < 3; a++) contract(D, points, points, false, a, n, u, slope[a]);
  for (int q = 0; q < count; q++) u[q] *= lambda * G[6 * count + q];
  for (int a = 0; a < 3; a++) {
    for (int q = 0; q < count; q++) {
      flux[q] = 0;
      for (int b = 0; b < 3; b++) flux[q] += G[of[a][b] * count + q] * slope[b][q];
    }
    contract(D, points, points, true, a, n, flux, back);
    for (int q = 0; q < count; q++) u[q] += back[q];
  }
}

/* y, Np numbers an element: the operator that a kernel of the tensor family ("mass", "stiffness_trilinear", ...)
 * applies. */
static void hex_case_reference(const hex_case *c, const char *kernel, double *y)
{
  static _Thread_local double v[MOST];
  const wisp_hex *hex = c->hex;
  size_t Np = (size_t)hex->Np, glNp = (size_t)hex->glNp;
  bool mass = strncmp(kernel, "mass", 4) == 0, gauss = mass || strncmp(kernel, "stiffness", 9) == 0;
  for (size_t e = 0; e < c->elements; e++) {
    memcpy(v, c->u + Np * e, Np * sizeof *v);
    if (gauss) contract_all(hex->I, hex->Gl, hex->Nq, false, v);
    if (mass)
      for (size_t q = 0; q < glNp; q++) v[q] *= c->gauss_mass[glNp * e + q];
    else if (gauss)
      stiffness(hex->Gl, hex->glD, c->gauss_factors + 7 * glNp * e, c->lambda, v);
    else
      stiffness(hex->Nq, hex->D, c->gll_factors + 7 * Np * e, c->lambda, v);
    if (gauss) contract_all(hex->I, hex->Gl, hex->Nq, true, v);
    memcpy(y + Np * e, v, Np * sizeof *v);
  }
}

/* --- the reference --- */

static double off_by(const double *y, const double *expected, size_t count)
{
  double most = 0, largest = 0;
  for (size_t i = 0; i < count; i++) {
    most = isfinite(y[i]) ? fmax(most, fabs(y[i] - expected[i])) : INFINITY;
    largest = fmax(largest, fabs(expected[i]));
  }
  return most / largest;
}

static void check_reference(const hex_case *c, const char *kernel)
{
  const size_t count = c->elements * (size_t)c->hex->Np;
  OWNED(free) double *y = zeros(count), *expected = zeros(count);
  wisp_hex_operator op = WISP_HEX_MASS;
  assert_true(wisp_hex_operator_find(kernel, &op));
  hex_case_reference(c, kernel, expected);
  GOOD(wisp_hex_apply(err, c->hex, op, c->vertices, c->elements, c->lambda, c->u, y));
  const double error = off_by(y, expected, count);
  if (!(error < 1e-13)) fail_msg("%s, order %d: off by %g", kernel, c->hex->N, error);
}

TEST(test_reference)
{
  static const char *const kernels[] = {"mass",       "mass_trilinear",      "stiffness", "stiffness_trilinear",
                                        "collocated", "collocated_trilinear"};
  for (int order = 1; order <= WISP_HEX_MAX_ORDER; order++) {
    hex_case problem;
    hex_case_make(&problem, order, 3);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) check_reference(&problem, kernels[k]);
    hex_case_free(&problem);
  }
}
