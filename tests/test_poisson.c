/* Claim: the Poisson solver's conjugate gradients solve the assembled equations of BP1, BP3 and BP5, whatever the
 * preconditioner and wherever the geometry comes from; the error in the energy norm falls in every iteration, and that
 * of the solution with order N + 1 in the mesh. */
#include "test.h"
#include "poisson_case.h"

#include <lapacke.h>

static const char *const kernels[6] = {"mass",           "stiffness",           "collocated",
                                       "mass_trilinear", "stiffness_trilinear", "collocated_trilinear"};

/* y = A x for the assembled matrix, by the reference. */
static void multiply(const wisp_poisson *p, const double *x, double *y)
{
  const size_t locals = p->mesh->elements * (size_t)p->hex->Np, n = p->copies->unknowns;
  double *u = zeros(2 * locals), *image = u + locals, *vertices = zeros(24 * p->mesh->elements);
  wisp_hex_vertices(p->mesh, &p->frame, 0, p->mesh->elements, vertices);
  for (size_t g = 0; g < n; g++)
    for (int c = p->copies->start[g]; c < p->copies->start[g + 1]; c++) u[p->copies->copy[c]] = x[g];
  GOOD(wisp_hex_apply(err, p->hex, p->op, vertices, p->mesh->elements, p->lambda, u, image));
  for (size_t g = 0; g < n; g++) {
    y[g] = 0;
    for (int c = p->copies->start[g]; c < p->copies->start[g + 1]; c++) y[g] += image[p->copies->copy[c]];
  }
  free(u), free(vertices);
}

/* The dense matrix and the solution with it; the caller frees the matrix. */
static double *solve_densely(const wisp_poisson *p, double *x)
{
  const size_t n = p->copies->unknowns;
  double *A = zeros(n * n), *factor = zeros(n * n), *unit = zeros(n);
  for (size_t i = 0; i < n; i++) {
    unit[i] = 1;
    multiply(p, unit, A + i * n);
    unit[i] = 0;
  }
  memcpy(factor, A, n * n * sizeof *A);
  memcpy(x, p->b, n * sizeof *x);
  assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (int)n, 1, factor, (int)n, x, (int)n), 0);
  free(factor), free(unit);
  return A;
}

static double largest_difference(const double *a, const double *b, size_t count)
{
  double most = 0, scale = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(b[i]));
  }
  return most / scale;
}

TEST(test_dense)
{
  for (int k = 0; k < 6; k++)
    for (int m = 0; m < 3; m++) {
      const poisson_setup setup = {kernels[k], 3, 0.5 * m, WISP_F64, (wisp_preconditioner)m, 0};
      poisson_case c;
      poisson_open(&c, hex_box(2, 0.05), &setup);
      OWNED(free) double *x = zeros(c.problem->copies->unknowns);
      free(solve_densely(c.problem, x));
      const wisp_cg_report report = poisson_solve(&c, 1e-13, 1000);
      assert_true(report.converged && report.residual <= 1e-13);
      assert_true(report.iterations > 0 && report.iterations < 1000);
      double error = largest_difference(c.x, x, c.problem->copies->unknowns);
      if (!(error < 1e-11)) fail_msg("%s, preconditioner %d: error %g", kernels[k], m, error);
      poisson_close(&c);
    }
}

/* (e, A e) of the error e = x - exact. */
static double energy(const wisp_poisson *p, const double *x, const double *exact)
{
  const size_t n = p->copies->unknowns;
  double *e = zeros(2 * n), sum = 0;
  for (size_t i = 0; i < n; i++) e[i] = x[i] - exact[i];
  multiply(p, e, e + n);
  for (size_t i = 0; i < n; i++) sum += e[i] * e[n + i];
  free(e);
  return sum;
}

TEST(test_monotone)
{
  for (int m = 0; m < 3; m++) {
    const poisson_setup setup = {"collocated", 4, 1, WISP_F64, (wisp_preconditioner)m, 0};
    poisson_case c;
    poisson_open(&c, hex_box(2, 0.05), &setup);
    OWNED(free) double *exact = zeros(c.problem->copies->unknowns);
    free(solve_densely(c.problem, exact));
    double before = energy(c.problem, c.x, exact);
    for (int iterations = 1; iterations <= 12; iterations++) {
      const wisp_cg_report report = poisson_solve(&c, 0, iterations);
      assert_int_equal(report.iterations, iterations);
      const double now = energy(c.problem, c.x, exact);
      assert_true(now < before);
      before = now;
    }
    poisson_close(&c);
  }
}

/* Preconditioners are worth their name: fewer iterations on a mesh of uneven elements, fewest with the polynomial,
 * whose interval ends above the largest eigenvalue. */
TEST(test_preconditioners)
{
  long long iterations[3];
  for (int m = 0; m < 3; m++) {
    const poisson_setup setup = {"stiffness", 5, 0, WISP_F64, (wisp_preconditioner)m, 0};
    poisson_case c;
    poisson_open(&c, hex_box(3, 0.05), &setup);
    iterations[m] = poisson_solve(&c, 1e-10, 2000).iterations;
    assert_true(isnan(c.solver->bound) == (m != WISP_CHEBYSHEV));
    if (m == WISP_CHEBYSHEV) assert_true(c.solver->bound > 1 && c.solver->bound < 20);
    poisson_close(&c);
  }
  assert_true(iterations[1] < iterations[0] && 2 * iterations[2] < iterations[1]);
}

static double solution_error(const char *kernel, int order, int n, double amplitude, wisp_precision precision)
{
  const poisson_setup setup = {kernel, order, 1, precision, WISP_JACOBI, 0};
  poisson_case c;
  double error = NAN;
  poisson_open(&c, hex_box(n, amplitude), &setup);
  poisson_solve(&c, precision == WISP_F64 ? 1e-12 : 1e-6, 2000);
  assert_int_equal(wisp_poisson_error(NULL, c.problem, c.x, &error), WISP_OK);
  poisson_close(&c);
  return error;
}

/* Twice as many elements a side, an error 2^(N+1) times smaller. */
TEST(test_order)
{
  static const int sides[4] = {6, 4, 3, 3};
  for (int k = 0; k < 3; k++)
    for (int N = 1; N <= 4; N++) {
      const int n = sides[N - 1];
      const double coarse = solution_error(kernels[k], N, n, 0.02, WISP_F64);
      const double fine = solution_error(kernels[k], N, 2 * n, 0.02, WISP_F64);
      const double order = log2(coarse / fine);
      if (!(order > N + 0.75 && order < N + 2)) fail_msg("%s, N = %d: order %.2f", kernels[k], N, order);
    }
}

TEST(test_single_precision)
{
  for (int k = 0; k < 3; k++) {
    const double twice = solution_error(kernels[k], 3, 4, 0.05, WISP_F64);
    const double once = solution_error(kernels[k], 3, 4, 0.05, WISP_F32);
    assert_true(fabs(once - twice) < 1e-5);
  }
}

/* Sums are added in the same order every time: a second run gives the same numbers, to the last bit. */
TEST(test_repeatable)
{
  const poisson_setup setup = {"collocated", 3, 1, WISP_F64, WISP_CHEBYSHEV, 0};
  poisson_case c;
  poisson_open(&c, hex_box(4, 0.05), &setup);
  const size_t bytes = c.problem->copies->unknowns * sizeof(double);
  OWNED(free) double *first = zeros(c.problem->copies->unknowns);
  const long long iterations = poisson_solve(&c, 1e-8, 1000).iterations;
  memcpy(first, c.x, bytes);
  assert_int_equal(poisson_solve(&c, 1e-8, 1000).iterations, iterations);
  assert_memory_equal(first, c.x, bytes);
  poisson_close(&c);
}

/* The iteration ends when it should, and the same recording serves any tolerance and length: at the first iteration
 * whose residual is small enough, which is then the same as with that many iterations allowed and no tolerance; after
 * as many as are allowed; and before the first one. */
TEST(test_ends)
{
  static const wisp_precision precisions[2] = {WISP_F64, WISP_F32};
  for (int i = 0; i < 8; i++) {
    const poisson_setup setup = {"collocated", 3, 1, precisions[i % 2], i & 2 ? WISP_CHEBYSHEV : WISP_JACOBI, 0};
    const double tolerances[3] = {0.9, 1e-2, i % 2 ? 1e-5 : 1e-9};
    poisson_case c;
    if (i == 4) setenv("WISP_GRAPH_LOOPS", "host", 1);
    poisson_open(&c, hex_box(4, 0.05), &setup);
    const size_t n = c.problem->copies->unknowns;
    OWNED(free) double *x = zeros(n);
    for (int t = 0; t < 3; t++) {
      const wisp_cg_report free_run = poisson_solve(&c, tolerances[t], 1000);
      assert_true(free_run.converged && free_run.ms_per_iteration > 0);
      memcpy(x, c.x, n * sizeof *x);
      const wisp_cg_report counted = poisson_solve(&c, 0, free_run.iterations);
      assert_true(counted.iterations == free_run.iterations && counted.residual == free_run.residual);
      assert_memory_equal(x, c.x, n * sizeof *x);
      const wisp_cg_report cut = poisson_solve(&c, tolerances[t], free_run.iterations - 1);
      assert_int_equal(cut.iterations, free_run.iterations - 1);
      assert_false(cut.converged);
    }
    const wisp_cg_report none = poisson_solve(&c, 1e-9, 0);
    assert_true(none.iterations == 0 && none.ms_per_iteration == 0 && !none.converged);
    assert_true(fabs(none.residual - 1) < 1e-5);
    for (size_t k = 0; k < n; k++) assert_true(c.x[k] == 0);
    assert_int_equal(poisson_solve(&c, 2, 10).iterations, 0);
    poisson_close(&c);
  }
  unsetenv("WISP_GRAPH_LOOPS");
}

/* Values on the boundary are not zero where the domain is no box: part of a ring. */
TEST(test_other_domain)
{
  double error[2];
  for (int i = 0; i < 2; i++) {
    const poisson_setup setup = {"collocated", 6, 2, WISP_F64, WISP_JACOBI, 0};
    poisson_case c;
    wisp_hexmesh *mesh = hex_box(2 * i + 2, 0);
    for (size_t v = 0; v < mesh->vertices; v++) {
      double *x = mesh->xyz + 3 * v, r = 1 + x[0], angle = 1.5 * x[1];
      x[0] = r * cos(angle), x[1] = r * sin(angle), x[2] *= 1 + x[0] / 4;
    }
    poisson_open(&c, mesh, &setup);
    assert_true(poisson_solve(&c, 1e-12, 2000).converged);
    assert_int_equal(wisp_poisson_error(NULL, c.problem, c.x, &error[i]), WISP_OK);
    poisson_close(&c);
  }
  if (!(error[0] < 1e-2 && error[1] < error[0] / 64)) fail_msg("errors %g, then %g", error[0], error[1]);
}

/* The reports that a watch has had. */
typedef struct reports {
  int calls;
  long long iterations;
  double share;
} reports;

static void listen(void *context, long long iterations, double share)
{
  reports *t = context;
  assert_true(iterations > t->iterations && share >= 0 && share <= 1);
  *t = (reports){t->calls + 1, iterations, share};
}

/* One who watches is told more than once, at the end all of it, and changes nothing. */
TEST(test_watched)
{
  static const long long most[] = {1000, 15};
  for (int i = 0; i < 2; i++) {
    const poisson_setup setup = {"collocated", 4, 1, WISP_F64, WISP_JACOBI, 0};
    poisson_case c;
    reports t = {0};
    wisp_cg_report report;
    poisson_open(&c, hex_box(4, 0.05), &setup);
    const wisp_cg_report alone = poisson_solve(&c, 1e-10, most[i]);
    OWNED(free) double *x = zeros(c.problem->copies->unknowns);
    GOOD(wisp_cg_solve(err, c.solver->cg, c.problem->b, 1e-10, most[i], &(wisp_cg_watch){listen, &t}, &report));
    GOOD(wisp_cg_solution(err, c.solver->cg, x));
    assert_memory_equal(x, c.x, c.problem->copies->unknowns * sizeof *x);
    assert_true(report.iterations == alone.iterations && report.residual == alone.residual);
    assert_true(report.converged == alone.converged && report.converged == (i == 0));
    assert_true(t.calls > 1 && t.share == 1 && t.iterations == report.iterations);
    poisson_close(&c);
  }
}

/* A solve that cannot begin says so, by name and not in printf's words; 0 is solved by 0, and what is small in single
 * precision by something, or not at all. */
TEST(test_no_number)
{
  const double bad[] = {NAN, -NAN, INFINITY};
  wisp_cg_report report;
  for (int single = 0; single < 2; single++) {
    const poisson_setup setup = {
        .kernel = "collocated", .order = 2, .preconditioner = WISP_JACOBI, .precision = single ? WISP_F32 : WISP_F64};
    poisson_case c;
    poisson_open(&c, hex_box(2, 0), &setup);
    const size_t n = c.problem->copies->unknowns;
    double *b = zeros(n), most = 0;
    for (size_t i = 0; i < WISP_COUNT(bad); i++) {
      wisp_error err = {0};
      b[n / 2] = bad[i];
      assert_int_equal(wisp_cg_solve(&err, c.solver->cg, b, 1e-5, 100, NULL, &report), WISP_EWRONG);
      assert_non_null(strstr(err.text, "before the first iteration"));
      assert_true(isinf(bad[i]) || strstr(err.text, "the residual is not a number"));
    }
    b[n / 2] = 0;
    GOOD(wisp_cg_solve(err, c.solver->cg, b, 1e-5, 100, NULL, &report));
    assert_true(report.converged && report.iterations == 0 && report.residual == 0);
    b[n / 2] = 1e-30;
    if (wisp_cg_solve(NULL, c.solver->cg, b, 1e-5, 100, NULL, &report) == WISP_OK) {
      GOOD(wisp_cg_solution(err, c.solver->cg, c.x));
      for (size_t i = 0; i < n; i++) most = fmax(most, fabs(c.x[i]));
      assert_true(most > 0 && report.iterations > 0);
    } else
      assert_true(single);
    free(b);
    poisson_close(&c);
  }
}

TEST(test_bad_requests)
{
  wisp_error err = {0};
  wisp_poisson *problem = NULL;
  wisp_hexmesh *one = hex_box(1, 0);
  assert_int_equal(wisp_poisson_create(&err, "box", one, 1, WISP_HEX_STIFFNESS, 0, &problem), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "nothing to solve for"));
  assert_int_equal(wisp_poisson_create(&err, "box", one, 2, WISP_HEX_STIFFNESS, -1, &problem), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "lambda is -1"));
  assert_int_equal(wisp_poisson_create(&err, "box", one, 16, WISP_HEX_MASS, 0, &problem), WISP_EUSAGE);
  assert_null(problem);
  wisp_mesh_destroy(one);
  const poisson_setup setup = {"mass", 1, 0, WISP_F64, WISP_JACOBI, 0};
  wisp_cg_report report;
  poisson_case c;
  poisson_open(&c, hex_box(1, 0), &setup);
  assert_int_equal(wisp_cg_solve(&err, c.solver->cg, c.problem->b, 0, -1, NULL, &report), WISP_EUSAGE);
  assert_int_equal(wisp_cg_solve(&err, c.solver->cg, c.problem->b, 0, 1LL << 31, NULL, &report), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "2147483648 iterations"));
  poisson_close(&c);
}
