/* Claim: the hexes' reference operators are what they stand for: mass integrates, stiffness annihilates constants, all
 * are symmetric and positive, their diagonals are theirs, and polynomial solutions satisfy the assembled equations. */
#include "test.h"
#include "bent_box.h"
#include "../runtime/tensor/hex_reference.h"
#include "solving.h"

typedef struct hexes {
  wisp_hexmesh *mesh;
  wisp_hex *hex;
  wisp_hexnodes *nodes;
  size_t size; /* local nodes */
  double *vertices;
} hexes;

static hexes make(int N, double bend)
{
  const int n[3] = {2, 3, 2};
  hexes h;
  GOOD(wisp_mesh_grid(err, 8, n, &h.mesh));
  GOOD(bend_box(err, h.mesh, bend));
  GOOD(wisp_hex_create(err, N, &h.hex));
  GOOD(wisp_hexnodes_create(err, "box", h.mesh, N, &h.nodes));
  h.size = h.mesh->elements * (size_t)h.hex->Np;
  h.vertices = zeros(24 * h.mesh->elements);
  wisp_hex_vertices(h.mesh, &wisp_frame_none, 0, h.mesh->elements, h.vertices);
  return h;
}

static void drop(hexes *h)
{
  free(h->vertices);
  wisp_hexnodes_destroy(h->nodes);
  wisp_hex_destroy(h->hex);
  wisp_mesh_destroy(h->mesh);
}

static void apply(const hexes *h, wisp_hex_operator op, double lambda, const double *u, double *y)
{
  GOOD(wisp_hex_apply(err, h->hex, op, h->vertices, h->mesh->elements, lambda, u, y));
}

/* Sums of all entries: the volume of the box for mass, lambda times it for the others; constants alone give nothing. */
TEST(test_volume)
{
  for (int N = 1; N <= 15; N += N < 6 ? 1 : 3)
    for (int op = 0; op < 3; op++) {
      hexes h = make(N, 0.05);
      double *one = zeros(h.size), *y = zeros(h.size), sum = 0, most = 0;
      for (size_t i = 0; i < h.size; i++) one[i] = 1;
      apply(&h, (wisp_hex_operator)op, 2.5, one, y);
      for (size_t i = 0; i < h.size; i++) sum += y[i];
      /* The Jacobian has degree 2 in each direction, the nodes of order 1 are exact to degree 1. */
      if (op != WISP_HEX_COLLOCATED || N > 1) assert_true(fabs(sum / (op == WISP_HEX_MASS ? 1 : 2.5) - 1) < 1e-13);
      apply(&h, (wisp_hex_operator)op, 0, one, y);
      for (size_t i = 0; i < h.size; i++) most = fmax(most, fabs(y[i]));
      if (op != WISP_HEX_MASS) assert_true(most < 1e-12);
      free(one), free(y), drop(&h);
    }
}

static double dot(const double *a, const double *b, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

TEST(test_symmetric_positive)
{
  for (int N = 1; N <= 7; N++)
    for (int op = 0; op < 3; op++) {
      hexes h = make(N, 0.05);
      double *u = zeros(2 * h.size), *v = u + h.size, *Au = zeros(h.size), *Av = zeros(h.size);
      fill_random(u, 2 * h.size);
      apply(&h, (wisp_hex_operator)op, 0.5, u, Au);
      apply(&h, (wisp_hex_operator)op, 0.5, v, Av);
      double scale = sqrt(dot(Au, Au, h.size) * dot(v, v, h.size));
      assert_true(fabs(dot(v, Au, h.size) - dot(u, Av, h.size)) < 1e-13 * scale);
      assert_true(dot(u, Au, h.size) > 0 && dot(v, Av, h.size) > 0);
      free(u), free(Au), free(Av), drop(&h);
    }
}

/* Entry (i, i) is what the i-th unit vector gives at i. */
TEST(test_diagonal)
{
  for (int N = 1; N <= 4; N++)
    for (int op = 0; op < 3; op++) {
      hexes h = make(N, 0.05);
      const size_t Np = (size_t)h.hex->Np;
      OWNED(free) double *u = zeros(Np), *y = zeros(Np), *diagonal = zeros(Np);
      wisp_hex_workspace *work = NULL;
      GOOD(wisp_hex_workspace_create(err, h.hex, (wisp_hex_operator)op, &work));
      for (size_t k = 0; k < 2; k++) {
        GOOD(wisp_hex_diagonal(err, work, h.vertices + 24 * k, k, 0.7, diagonal));
        for (size_t i = 0; i < Np; i++) {
          u[i] = 1;
          GOOD(wisp_hex_apply(err, h.hex, (wisp_hex_operator)op, h.vertices + 24 * k, 1, 0.7, u, y));
          assert_true(fabs(y[i] / diagonal[i] - 1) < 1e-13);
          u[i] = 0;
        }
      }
      wisp_hex_workspace_destroy(work);
      drop(&h);
    }
}

/* x^N + y^N z - 2 z^N x with what it needs as a source: -laplace u + lambda u; where `linear`, x - 2 y + 3 z. */
static double polynomial(const double x[3], int N, bool linear)
{
  return linear ? x[0] - 2 * x[1] + 3 * x[2] : pow(x[0], N) + pow(x[1], N) * x[2] - 2 * pow(x[2], N) * x[0];
}

static double source(const double x[3], int N, bool linear, double lambda)
{
  double second = N * (N - 1), laplace = 0;
  if (!linear && N > 1) laplace = second * (pow(x[0], N - 2) + pow(x[1], N - 2) * x[2] - 2 * pow(x[2], N - 2) * x[0]);
  return -laplace + lambda * polynomial(x, N, linear);
}

/* The largest assembled residual of A u = b inside, over the largest entry of A u. */
static double residual(const hexes *h, wisp_hex_operator op, bool linear, double lambda)
{
  const size_t Np = (size_t)h->hex->Np, most = 3 * (size_t)h->hex->glNp;
  OWNED(free)
  double *u = zeros(h->size), *y = zeros(h->size), *b = zeros(Np), *xyz = zeros(most), *f = zeros(most);
  double *sum = zeros(h->nodes->nodes), largest = 0, scale = 0;
  const wisp_hex_points points = wisp_hex_operator_points(op);
  const size_t count = (size_t)(points == WISP_HEX_GAUSS ? h->hex->glNp : h->hex->Np);
  OWNED(wisp_hex_workspace_destroy) wisp_hex_workspace *work = NULL;
  GOOD(wisp_hex_workspace_create(err, h->hex, op, &work));
  for (size_t k = 0; k < h->mesh->elements; k++) {
    const double *vertices = h->vertices + 24 * k;
    wisp_hex_coordinates(h->hex, WISP_HEX_GLL, vertices, xyz);
    for (size_t i = 0; i < Np; i++) u[k * Np + i] = polynomial(xyz + 3 * i, h->hex->N, linear);
    wisp_hex_coordinates(h->hex, points, vertices, xyz);
    for (size_t q = 0; q < count; q++) f[q] = source(xyz + 3 * q, h->hex->N, linear, lambda);
    GOOD(wisp_hex_load(err, work, vertices, k, f, b));
    for (size_t i = 0; i < Np; i++) sum[h->nodes->global[k * Np + i]] -= b[i];
  }
  apply(h, op, lambda, u, y);
  for (size_t i = 0; i < h->size; i++) {
    sum[h->nodes->global[i]] += y[i];
    scale = fmax(scale, fabs(y[i]));
  }
  for (size_t g = 0; g < h->nodes->nodes; g++)
    if (!h->nodes->outside[g]) largest = fmax(largest, fabs(sum[g]));
  free(sum);
  return largest / scale;
}

/* Gauss points integrate all of it exactly: on straight hexes for polynomials of degree N in each direction, on bent
 * ones, whose maps are not polynomial backwards, for linear functions. */
TEST(test_exact_solutions)
{
  for (int N = 1; N <= 8; N++) {
    hexes straight = make(N, 0), bent = make(N, 0.05);
    assert_true(residual(&straight, WISP_HEX_STIFFNESS, false, 1.5) < 1e-12);
    assert_true(residual(&bent, WISP_HEX_STIFFNESS, true, 1.5) < 1e-12);
    if (N >= 3) assert_true(residual(&bent, WISP_HEX_COLLOCATED, true, 0) < 1e-12);
    drop(&straight), drop(&bent);
  }
}

/* A hex with positive Jacobians at its corners can still be inverted inside; it is named. */
TEST(test_inverted_inside)
{
  wisp_error reason = {0};
  hexes h = make(2, 0);
  double factors[7 * 64], *v = h.vertices + 24;
  for (int i = 0; i < 8; i++) v[i] = -v[i];
  assert_int_equal(wisp_hex_factors(&reason, h.hex, WISP_HEX_GAUSS, v, 1, 1, factors), WISP_EINPUT);
  assert_non_null(strstr(reason.text, "hex 1 is degenerate"));
  drop(&h);
}
