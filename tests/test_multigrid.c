/* Claim: multigrid over orders of hexes is a symmetric and positive preconditioner, solves in a number of iterations
 * that hardly grows with the mesh, and each of its parts is what its header says. */
#include "poisson_case.h"
#include "../runtime/tensor/multigrid.h"
#include "../runtime/tensor/vertex_matrix.h"
#include "solving.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static const poisson_setup multigrid = {
    .kernel = "collocated", .order = 3, .lambda = 0, .preconditioner = WISP_MULTIGRID};

/* --- the preconditioner --- */

static double *draw(size_t count, uint32_t seed)
{
  double *x = calloc(count, sizeof *x);
  assert_non_null(x);
  for (size_t i = 0; i < count; i++) {
    seed = 1664525 * seed + 1013904223;
    x[i] = (float)((double)(seed >> 8) / (1 << 23) - 1);
  }
  return x;
}

/* z = M^-1 r by a cycle alone. */
static double *cycle(poisson_case *c, const double *r)
{
  const wisp_poisson_cycle by = wisp_multigrid_cycle(((wisp_poisson_run *)c->base)->multigrid);
  const size_t n = c->problem->copies->unknowns;
  double *z = calloc(n, sizeof *z);
  float *numbers = calloc(2 * n, sizeof *numbers);
  assert_non_null(z), assert_non_null(numbers);
  GOOD(wisp_poisson_diagonal(err, c->problem, z));
  for (size_t i = 0; i < n; i++) numbers[i] = (float)r[i], numbers[n + i] = (float)(by.scale * r[i] / z[i]);
  GOOD(wisp_device_upload(err, c->session->device, by.r, numbers, n * sizeof *numbers));
  GOOD(wisp_device_upload(err, c->session->device, by.z, numbers + n, n * sizeof *numbers));
  GOOD(wisp_launches_run(err, by.launches, NULL));
  GOOD(wisp_device_download(err, c->session->device, numbers, by.z, n * sizeof *numbers));
  for (size_t i = 0; i < n; i++) z[i] = numbers[i];
  free(numbers);
  return z;
}

static double dot(size_t n, const double *x, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* s . M^-1 r = r . M^-1 s, to single precision, and both are positive for r = s. On 5^3 bent elements of order 3 there
 * are orders 3 and 1, and an inverse. */
TEST(test_symmetric_positive)
{
  poisson_case c;
  poisson_open(&c, hex_box(5, 0.1), &multigrid);
  const size_t n = c.problem->copies->unknowns;
  OWNED(free) double *r = draw(n, 1), *s = draw(n, 2), *Mr = NULL, *Ms = NULL;
  Mr = cycle(&c, r), Ms = cycle(&c, s);
  const double rMr = dot(n, r, Mr), sMs = dot(n, s, Ms), sMr = dot(n, s, Mr), rMs = dot(n, r, Ms);
  assert_true(rMr > 0 && sMs > 0);
  assert_true(sMr * sMr < rMr * sMs);
  assert_true(fabs(sMr - rMs) < 1e-5 * sqrt(rMr * sMs));
  poisson_close(&c);
}

/* --- iterations --- */

static long long count_iterations(const poisson_setup *setup, int box, double bent)
{
  poisson_case c;
  poisson_open(&c, hex_box(box, bent), setup);
  const wisp_cg_report report = poisson_solve(&c, 1e-10, 100);
  assert_true(report.converged);
  poisson_close(&c);
  return report.iterations;
}

/* Jacobi's iterations double with the box; these may grow by 3 where cells are halved, and stay below 15. */
TEST(test_iterations)
{
  static const int orders[] = {1, 2, 3};
  for (int i = 0; i < 3; i++) {
    poisson_setup setup = multigrid;
    setup.order = orders[i];
    const int box = orders[i] == 1 ? 6 : 3;
    const long long few = count_iterations(&setup, box, 0.05), many = count_iterations(&setup, 2 * box, 0.05);
    assert_true(few >= 2 && many <= 14);
    assert_true(many <= few + 3);
  }
}

/* Integrals at Gauss points, in single precision, and a slab all of whose vertices lie on the boundary: the coarsest
 * order is 2 there. */
TEST(test_other_problems)
{
  const poisson_setup gauss = {
      .kernel = "stiffness", .order = 2, .lambda = 1, .precision = WISP_F64, .preconditioner = WISP_MULTIGRID};
  const poisson_setup slab = {.kernel = "collocated", .order = 4, .lambda = 0, .preconditioner = WISP_MULTIGRID};
  const int sides[3] = {6, 6, 1};
  wisp_hexmesh *mesh = NULL;
  poisson_case c;
  assert_true(count_iterations(&gauss, 6, 0) <= 12);
  GOOD(wisp_mesh_grid(err, 8, sides, &mesh));
  poisson_open(&c, mesh, &slab);
  assert_int_equal(wisp_multigrid_describe(((wisp_poisson_run *)c.base)->multigrid).orders, 2);
  const wisp_cg_report report = poisson_solve(&c, 1e-10, 100);
  assert_true(report.converged && report.iterations <= 60);
  poisson_close(&c);
}

/* Cells ten times flatter than they are wide: aggregates follow their short edges, and order 1 takes as many iterations
 * as on cubes. */
TEST(test_flat_cells)
{
  poisson_setup setup = multigrid;
  setup.order = 1;
  for (int box = 8; box <= 12; box += 4) {
    wisp_hexmesh *mesh = hex_box(box, 0);
    poisson_case c;
    for (size_t v = 0; v < mesh->vertices; v++) mesh->xyz[3 * v + 2] /= 10;
    poisson_open(&c, mesh, &setup);
    const wisp_cg_report report = poisson_solve(&c, 1e-10, 100);
    assert_true(report.converged && report.iterations <= 10);
    poisson_close(&c);
  }
}

/* --- parts --- */

/* A polynomial of the coarser order keeps its values at the finer order's nodes. */
TEST(test_transfer)
{
  for (int N = 2; N <= WISP_HEX_MAX_ORDER; N++) {
    OWNED(wisp_hex_destroy) wisp_hex *fine = NULL, *coarse = NULL;
    GOOD(wisp_hex_create(err, N, &fine));
    GOOD(wisp_hex_create(err, N / 2, &coarse));
    assert_int_equal(fine->Mq, coarse->Nq);
    for (int degree = 0; degree <= N / 2; degree++)
      for (int m = 0; m < fine->Nq; m++) {
        double value = 0;
        for (int n = 0; n < fine->Mq; n++) value += fine->J[m * fine->Mq + n] * pow(coarse->gll_points[n], degree);
        assert_true(fabs(value - pow(fine->gll_points[m], degree)) < 1e-13);
      }
  }
}

/* Order 1 by rows does to a vector what the operator does element by element. */
TEST(test_vertex_matrix)
{
  poisson_setup setup = multigrid;
  setup.order = 1, setup.lambda = 3;
  poisson_case c;
  poisson_open(&c, hex_box(4, 0.1), &setup);
  const wisp_poisson *p = c.problem;
  const size_t n = p->copies->unknowns;
  HELD(wisp_sparse_free) wisp_sparse A = {.rows = 0};
  GOOD(wisp_vertex_pattern(err, p, &A));
  OWNED(free) double *values = calloc((size_t)A.start[n], sizeof *values), *x = draw(n, 3), *y = calloc(n, sizeof *y);
  assert_non_null(values), assert_non_null(y);
  GOOD(wisp_vertex_values(err, p, &A, values));
  for (size_t e = 0; e < p->mesh->elements; e++) {
    double vertices[24], u[8], Au[8];
    wisp_hex_vertices(p->mesh, &p->frame, e, 1, vertices);
    for (int i = 0; i < 8; i++) {
      const int32_t unknown = p->copies->unknown[p->nodes->global[8 * e + (size_t)i]];
      u[i] = unknown < 0 ? 0 : x[unknown];
    }
    GOOD(wisp_hex_apply(err, p->hex, WISP_HEX_COLLOCATED, vertices, 1, p->lambda, u, Au));
    for (int i = 0; i < 8; i++) {
      const int32_t unknown = p->copies->unknown[p->nodes->global[8 * e + (size_t)i]];
      if (unknown >= 0) y[unknown] += Au[i];
    }
  }
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (int32_t q = A.start[i]; q < A.start[i + 1]; q++) sum += values[q] * x[A.column[q]];
    assert_true(fabs(sum - y[i]) < 1e-12);
  }
  poisson_close(&c);
}

/* No eigenvalue of A / diagonal is above a level's bound, nor far below it: the order 1 by 300 power iterations. */
TEST(test_bound)
{
  poisson_setup setup = multigrid;
  setup.order = 1;
  poisson_case c;
  poisson_open(&c, hex_box(6, 0.1), &setup);
  const size_t n = c.problem->copies->unknowns;
  HELD(wisp_sparse_free) wisp_sparse A = {.rows = 0};
  GOOD(wisp_vertex_pattern(err, c.problem, &A));
  OWNED(free) double *values = calloc((size_t)A.start[n], sizeof *values), *x = draw(n, 4), *y = calloc(n, sizeof *y);
  OWNED(free) double *diagonal = calloc(n, sizeof *diagonal);
  assert_non_null(values), assert_non_null(y), assert_non_null(diagonal);
  GOOD(wisp_vertex_values(err, c.problem, &A, values));
  GOOD(wisp_poisson_diagonal(err, c.problem, diagonal));
  double largest = 0;
  for (int k = 0; k < 300; k++) {
    for (size_t i = 0; i < n; i++) {
      y[i] = 0;
      for (int32_t q = A.start[i]; q < A.start[i + 1]; q++) y[i] += values[q] * x[A.column[q]];
      y[i] /= diagonal[i];
    }
    largest = sqrt(dot(n, y, y) / dot(n, x, x));
    for (size_t i = 0; i < n; i++) x[i] = y[i] / largest;
  }
  const double bound = wisp_multigrid_describe(((wisp_poisson_run *)c.base)->multigrid).bound[0];
  assert_true(bound > largest && bound < 1.2 * largest);
  poisson_close(&c);
}
