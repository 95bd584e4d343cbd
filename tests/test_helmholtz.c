/* Claim: a program sets the Helmholtz problem up once, on its own triangles, and solves it for one right-hand side
 * after the other: polynomials of the order come out exactly, with their flux and u*, whatever was solved before; what
 * the command says of the paper's test a program finds as well; where u is known up to a constant its mean is 0. What
 * makes no sense gets a status and a line. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/nodal/tet.h"
#include "../gen/random.h"
#include "../runtime/hdg/helmholtz_solver.h"

enum { MOST = 10, VERTICES = (MOST + 1) * (MOST + 1), ELEMENTS = 2 * MOST * MOST };

/* n x n squares, cut from lower left to upper right, inner vertices moved; fluxes are given where x = 1 and y = 1. */
typedef struct square {
  int n;
  double xyz[3 * VERTICES], kappa[ELEMENTS], lambda[ELEMENTS];
  int corners[3 * ELEMENTS];
  unsigned char fluxes[3 * ELEMENTS];
} square;

static void make_square(square *s, int n, double move)
{
  uint64_t random = WISP_RANDOM_SEED;
  *s = (square){.n = n};
  for (int v = 0; v < (n + 1) * (n + 1); v++) {
    const int at[2] = {v % (n + 1), v / (n + 1)};
    for (int c = 0; c < 2; c++)
      s->xyz[3 * v + c] = (at[c] + (at[c] > 0 && at[c] < n ? move * wisp_random_real(&random) : 0)) / n;
  }
  for (int e = 0; e < 2 * n * n; e++) {
    const int q = e / 2, low = q / n * (n + 1) + q % n;
    const int of[2][3] = {{0, 1, n + 2}, {0, n + 2, n + 1}};
    for (int c = 0; c < 3; c++) s->corners[3 * e + c] = low + of[e % 2][c];
    s->kappa[e] = 2, s->lambda[e] = 0.5;
    s->fluxes[3 * e + 1] = 1; /* x = 1 of lower triangles, y = 1 of upper ones; inner edges do not count */
  }
}

/* A problem, its sizes, and memory for a solve. */
typedef struct bench {
  wisp_session *session;
  wisp_helmholtz *problem;
  wisp_helmholtz_counts n;
  double *xyz, *edge_xyz, *f, *g;
  int *edge;
  wisp_helmholtz_data data;
} bench;

static void *lend(const bench *b, size_t numbers)
{
  void *memory = NULL;
  GOOD(wisp_memory_create(err, b->session, numbers * sizeof(double), &memory));
  return memory;
}

static void open_bench(bench *b, const wisp_solver_request *request, const wisp_helmholtz_input *input)
{
  *b = (bench){.session = api_session()};
  GOOD(wisp_helmholtz_create(err, b->session, request, input, &b->problem));
  GOOD(wisp_helmholtz_size(err, b->problem, &b->n));
  const size_t inside = b->n.elements * b->n.points, outside = b->n.boundary * b->n.edge_points;
  b->xyz = calloc(4 * (inside + outside), sizeof *b->xyz);
  b->edge = calloc(b->n.boundary, sizeof *b->edge);
  assert_true(b->xyz && b->edge);
  b->edge_xyz = b->xyz + 3 * inside, b->f = b->edge_xyz + 3 * outside, b->g = b->f + inside;
  GOOD(wisp_helmholtz_points(err, b->problem, b->xyz, b->edge_xyz, b->edge));
  b->data = (wisp_helmholtz_data){WISP_INIT(wisp_helmholtz_data),
                                  lend(b, b->n.load),
                                  lend(b, b->n.given),
                                  lend(b, b->n.u),
                                  lend(b, b->n.flux),
                                  lend(b, b->n.ustar),
                                  lend(b, b->n.trace)};
}

static void close_bench(bench *b)
{
  void *const all[] = {(void *)(uintptr_t)b->data.load,
                       (void *)(uintptr_t)b->data.given,
                       b->data.u,
                       b->data.flux,
                       b->data.ustar,
                       b->data.trace};
  for (int i = 0; i < 6; i++) wisp_memory_destroy(b->session, all[i]);
  wisp_helmholtz_destroy(b->problem);
  wisp_session_close(b->session);
  free(b->xyz), free(b->edge);
}

/* x^i y^j and its derivatives. */
typedef struct monomial {
  int i, j;
} monomial;

static double power(double x, int i)
{
  return i < 0 ? 0 : pow(x, i);
}

static double u_at(monomial m, const double *x)
{
  return power(x[0], m.i) * power(x[1], m.j);
}

static double slope_at(monomial m, int along, const double *x)
{
  return along ? m.j * power(x[0], m.i) * power(x[1], m.j - 1) : m.i * power(x[0], m.i - 1) * power(x[1], m.j);
}

static double source_at(monomial m, double kappa, double lambda, const double *x)
{
  const double xx = m.i * (m.i - 1) * power(x[0], m.i - 2) * power(x[1], m.j);
  const double yy = m.j * (m.j - 1) * power(x[0], m.i) * power(x[1], m.j - 2);
  return lambda * u_at(m, x) - kappa * (xx + yy);
}

static void fill_inputs(bench *b, const square *s, monomial m)
{
  for (size_t i = 0; i < b->n.elements * b->n.points; i++)
    b->f[i] = source_at(m, s->kappa[0], s->lambda[0], b->xyz + 3 * i);
  for (size_t i = 0; i < b->n.boundary * b->n.edge_points; i++) {
    const int edge = b->edge[i / b->n.edge_points];
    const double *x = b->edge_xyz + 3 * i;
    b->g[i] = s->fluxes[edge] ? s->kappa[0] * slope_at(m, edge / 3 % 2, x) : u_at(m, x);
  }
  GOOD(wisp_helmholtz_integrate(err, b->problem, b->f, b->g, (void *)(uintptr_t)b->data.load,
                                (void *)(uintptr_t)b->data.given));
}

/* At three points of each triangle, one of them its first corner. */
static void check(bench *b, const square *s, monomial m, double tolerance)
{
  static const double rs[] = {-1, -1, -0.25, -0.5, 0.5, -0.75};
  OWNED(free) double *values = zeros(4 * 3 * b->n.elements);
  double *u = values, *ustar = u + 3 * b->n.elements, *flux = ustar + 3 * b->n.elements;
  GOOD(wisp_helmholtz_values(err, b->problem, "u", b->data.u, 3, rs, u));
  GOOD(wisp_helmholtz_values(err, b->problem, "ustar", b->data.ustar, 3, rs, ustar));
  GOOD(wisp_helmholtz_values(err, b->problem, "flux", b->data.flux, 3, rs, flux));
  for (size_t i = 0; i < 3 * b->n.elements; i++) {
    double x[2] = {0, 0};
    const double *at = rs + 2 * (i % 3), share[3] = {-(at[0] + at[1]) / 2, (1 + at[0]) / 2, (1 + at[1]) / 2};
    for (int q = 0; q < 6; q++) x[q % 2] += share[q / 2] * s->xyz[3 * s->corners[3 * (i / 3) + (size_t)q / 2] + q % 2];
    assert_true(fabs(u[i] - u_at(m, x)) < tolerance && fabs(ustar[i] - u_at(m, x)) < tolerance);
    for (int c = 0; c < 2; c++) assert_true(fabs(flux[2 * i + (size_t)c] - 2 * slope_at(m, c, x)) < 10 * tolerance);
  }
}

static wisp_solver_request request_for(const square *s, int order, const wisp_solver_setting *settings)
{
  const size_t n = (size_t)s->n;
  return (wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "helmholtz", .order = order,
                               .vertices = (n + 1) * (n + 1),  .elements = 2 * n * n,  .xyz = s->xyz,
                               .corners = s->corners,          .settings = settings};
}

static wisp_helmholtz_input input_for(const square *s)
{
  return (wisp_helmholtz_input){WISP_INIT(wisp_helmholtz_input), .fluxes = s->fluxes, .kappa = s->kappa,
                                .lambda = s->lambda};
}

TEST(test_many)
{
  static const monomial all[] = {{0, 0}, {1, 0}, {0, 1}, {2, 1}, {0, 3}, {1, 0}};
  static const struct {
    wisp_precision precision;
    wisp_solver_setting settings[3];
    double tolerance, close;
  } cases[] = {{WISP_F64, {{"tolerance", "1e-13"}, {"tau", "2"}}, 1e-13, 1e-10},
               {WISP_F32, {{"tolerance", "1e-6"}, {"tau", "2"}}, 1e-6, 1e-3}};
  square s;
  make_square(&s, 6, 0.2);
  for (size_t c = 0; c < 2; c++) {
    bench b;
    wisp_kernel_info info;
    wisp_helmholtz_report report = {.iterations = 0};
    wisp_solver_request request = request_for(&s, 3, cases[c].settings);
    const wisp_helmholtz_input input = input_for(&s);
    request.precision = cases[c].precision;
    open_bench(&b, &request, &input);
    assert_true(b.n.elements == 72 && b.n.boundary == 24 && b.n.edges == 120 && b.n.unknowns == 108 * 4);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
      fill_inputs(&b, &s, all[i]);
      GOOD(wisp_helmholtz_solve(err, b.problem, &b.data, &report));
      check(&b, &s, all[i], cases[c].close);
      assert_true(report.iterations > 0 && report.residual <= cases[c].tolerance && report.seconds_iterations > 0);
    }
    assert_true(report.bytes_setup > 0 && report.bytes_iterations > 0 && report.bytes_fields > 0);
    GOOD(wisp_solver_kernel(err, wisp_helmholtz_as_solver(b.problem), 0, &info));
    assert_string_equal(info.kernel, "condense");
    BAD(wisp_solver_kernel(err, wisp_helmholtz_as_solver(b.problem), 99, &info), WISP_EMISSING, "no more");
    close_bench(&b);
  }
}

/* No data: all is 0, and nothing is waited for. */
TEST(test_nothing)
{
  square s;
  bench b;
  wisp_helmholtz_report report = {.iterations = 1};
  make_square(&s, 3, 0);
  const wisp_solver_request request = request_for(&s, 1, NULL);
  const wisp_helmholtz_input input = input_for(&s);
  open_bench(&b, &request, &input);
  fill_inputs(&b, &s, (monomial){1, 0});
  GOOD(wisp_helmholtz_solve(err, b.problem, &b.data, NULL));
  wisp_helmholtz_data none = b.data;
  none.load = none.given = NULL;
  GOOD(wisp_helmholtz_solve(err, b.problem, &none, &report));
  assert_int_equal(report.iterations, 0);
  double u[2 * 9 * 3];
  GOOD(wisp_helmholtz_values(err, b.problem, "u", b.data.u, 3, (const double[]){-1, -1, 1, -1, -1, 1}, u));
  for (size_t i = 0; i < sizeof u / sizeof *u; i++) assert_true(fabs(u[i]) < 1e-14);
  close_bench(&b);
}

static double waves(const double *x)
{
  static const double two_pi = 6.283185307179586;
  return sin(two_pi * x[0]) * sin(two_pi * x[1]);
}

/* The L2 error of the paper's test is what the command says. */
TEST(test_command)
{
  square s;
  bench b;
  double sum = 0;
  wisp_quadrature rule;
  char line[160];
  make_square(&s, 10, 0);
  for (int e = 0; e < ELEMENTS; e++) s.kappa[e] = s.lambda[e] = 1;
  static const wisp_solver_setting settings[] = {{"tolerance", "1e-13"}, {NULL, NULL}};
  const wisp_solver_request request = request_for(&s, 2, settings);
  wisp_helmholtz_input input = input_for(&s);
  input.fluxes = NULL;
  open_bench(&b, &request, &input);
  for (size_t i = 0; i < b.n.elements * b.n.points; i++) b.f[i] = (1 + 8 * 9.869604401089358) * waves(b.xyz + 3 * i);
  for (size_t i = 0; i < b.n.boundary * b.n.edge_points; i++) b.g[i] = waves(b.edge_xyz + 3 * i);
  GOOD(wisp_helmholtz_integrate(err, b.problem, b.f, b.g, (void *)(uintptr_t)b.data.load,
                                (void *)(uintptr_t)b.data.given));
  GOOD(wisp_helmholtz_solve(err, b.problem, &b.data, NULL));
  GOOD(wisp_triangle_quadrature(err, 12, &rule));
  assert_int_equal(rule.count, b.n.points);
  OWNED(free) double *rs = zeros(2 * rule.count), *u = zeros(b.n.elements * rule.count);
  for (size_t q = 0; q < rule.count; q++) rs[2 * q] = rule.r[q], rs[2 * q + 1] = rule.s[q];
  GOOD(wisp_helmholtz_values(err, b.problem, "u", b.data.u, rule.count, rs, u));
  for (size_t i = 0; i < b.n.elements * rule.count; i++)
    sum += rule.w[i % rule.count] / 400 * pow(u[i] - waves(b.xyz + 3 * i), 2);
  snprintf(line, sizeof line, "run helmholtz --json -q -d %s -n 2 --box 10 --tolerance 1e-13", test_device_name());
  OWNED(cJSON_Delete) cJSON *json = run_json(*state, "", line);
  assert_true(fabs(sqrt(sum) / json_number(json, "l2_u") - 1) < 1e-8);
  wisp_quadrature_free(&rule);
  close_bench(&b);
}

/* All of the boundary has a flux, and lambda is 0: u = x - 1/2, and not x. */
TEST(test_mean)
{
  square s;
  bench b;
  double u[2 * 16];
  make_square(&s, 4, 0.2);
  memset(s.fluxes, 1, sizeof s.fluxes), memset(s.lambda, 0, sizeof s.lambda);
  static const wisp_solver_setting settings[] = {{"tolerance", "1e-11"}, {NULL, NULL}};
  const wisp_solver_request request = request_for(&s, 2, settings);
  const wisp_helmholtz_input input = input_for(&s);
  open_bench(&b, &request, &input);
  for (size_t i = 0; i < b.n.boundary * b.n.edge_points; i++) {
    const double x = b.edge_xyz[3 * i];
    b.g[i] = x > 1 - 1e-9 ? 2 : x < 1e-9 ? -2 : 0;
  }
  GOOD(wisp_helmholtz_integrate(err, b.problem, NULL, b.g, (void *)(uintptr_t)b.data.load,
                                (void *)(uintptr_t)b.data.given));
  GOOD(wisp_helmholtz_solve(err, b.problem, &b.data, NULL));
  GOOD(wisp_helmholtz_values(err, b.problem, "ustar", b.data.ustar, 1, (const double[]){-1, -1}, u));
  for (size_t e = 0; e < 2 * 16; e++) assert_true(fabs(u[e] - (s.xyz[3 * s.corners[3 * e]] - 0.5)) < 1e-8);
  for (size_t i = 0; i < b.n.elements * b.n.points; i++) b.f[i] = 1;
  GOOD(wisp_helmholtz_integrate(err, b.problem, b.f, b.g, (void *)(uintptr_t)b.data.load,
                                (void *)(uintptr_t)b.data.given));
  BAD(wisp_helmholtz_solve(err, b.problem, &b.data, NULL), WISP_EUSAGE, "1 flows in");
  b.g[0] = NAN;
  BAD(wisp_helmholtz_integrate(err, b.problem, b.f, b.g, (void *)(uintptr_t)b.data.load,
                               (void *)(uintptr_t)b.data.given),
      WISP_EUSAGE, "not finite on edge");
  close_bench(&b);
}

/* Names and expressions of a file: kappa du/dn = 6 on "outlet", u = 0 on the rest, which is x = 0. */
TEST(test_file)
{
  bench b;
  double u[2];
  const char *path = fixture_path(*state, "two.msh");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 7 \"outlet\"\n1 8 \"sides\"\n2 9 \"steel\"\n"
        "$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n5\n"
        "1 2 2 9 1 1 2 3\n2 2 2 9 1 1 3 4\n3 1 2 7 1 2 3\n4 1 2 8 1 1 2\n5 1 2 8 1 3 4\n$EndElements\n",
        file);
  assert_int_equal(fclose(file), 0);
  wisp_solver_setting settings[] = {{"kappa", "region == steel ? 3 : 1"},
                                    {"lambda", "0"},
                                    {"tolerance", "1e-13"},
                                    {"neumann", "outlet,sides"},
                                    {NULL, NULL}};
  wisp_solver_request request = {WISP_INIT(wisp_solver_request), .problem = "helmholtz", .order = 1, .mesh = path,
                                 .settings = settings};
  open_bench(&b, &request, NULL);
  for (size_t i = 0; i < b.n.boundary * b.n.edge_points; i++) b.g[i] = b.edge_xyz[3 * i] > 1 - 1e-9 ? 6 : 0;
  GOOD(wisp_helmholtz_integrate(err, b.problem, NULL, b.g, (void *)(uintptr_t)b.data.load,
                                (void *)(uintptr_t)b.data.given));
  GOOD(wisp_helmholtz_solve(err, b.problem, &b.data, NULL));
  GOOD(wisp_helmholtz_values(err, b.problem, "u", b.data.u, 1, (const double[]){0, 0}, u));
  assert_true(fabs(u[0] - 2 * 1) < 1e-10 && fabs(u[1] - 2 * 0.5) < 1e-10);
  settings[3].value = "inlet";
  BAD(wisp_helmholtz_create(err, b.session, &request, NULL, &b.problem), WISP_EUSAGE, "'inlet' is no tag, nor a name");
  settings[3].name = NULL, settings[0].value = "x - x";
  BAD(wisp_helmholtz_create(err, b.session, &request, NULL, &b.problem), WISP_EUSAGE, "kappa is 0 in triangle 0");
  request.mesh = "/none.msh";
  BAD(wisp_helmholtz_create(err, b.session, &request, NULL, &b.problem), WISP_EINPUT, "/none.msh");
  close_bench(&b);
}

TEST(test_bad)
{
  static square s;
  wisp_helmholtz *p = NULL;
  wisp_session *session = api_session();
  make_square(&s, 3, 0);
  wisp_solver_setting settings[] = {{NULL, NULL}, {NULL, NULL}};
  const wisp_solver_request good = request_for(&s, 1, settings);
  const wisp_helmholtz_input input = input_for(&s);
  wisp_solver_request request = good;
#define REFUSED(status, words)                                                   \
  BAD(wisp_helmholtz_create(err, session, &request, &input, &p), status, words); \
  make_square(&s, 3, 0);                                                         \
  settings[0].name = NULL;                                                       \
  request = good
#define SET(name, value) settings[0] = (wisp_solver_setting){name, value}
  s.corners[5] = 99;
  REFUSED(WISP_EINPUT, "99");
  s.corners[0] = s.corners[1];
  REFUSED(WISP_EINPUT, "");
  s.xyz[3 * 5 + 2] = 1;
  REFUSED(WISP_EINPUT, "plane");
  s.kappa[4] = 0;
  REFUSED(WISP_EUSAGE, "kappa is 0 in triangle 4");
  s.lambda[2] = -1;
  REFUSED(WISP_EUSAGE, "lambda is -1 in triangle 2");
  SET("tau", "-1");
  REFUSED(WISP_EUSAGE, "option --tau is '-1'");
  request.order = 10;
  REFUSED(WISP_EUSAGE, "10");
  request.problem = "heat";
  REFUSED(WISP_EUSAGE, "no Helmholtz problem");
  SET("preconditioner", "jacobi");
  REFUSED(WISP_EUSAGE, "two-levels");
  SET("smoothing", "9");
  REFUSED(WISP_EUSAGE, "option --smoothing");
  SET("neumann", "1");
  REFUSED(WISP_EUSAGE, "take fluxes");
  SET("kappa", "1");
  REFUSED(WISP_EUSAGE, "leave one out");
  request.corners = NULL;
  REFUSED(WISP_EUSAGE, "corners is NULL");
  request.elements = 0;
  REFUSED(WISP_EUSAGE, "no elements");
  SET("iterations", "1");
  GOOD(wisp_helmholtz_create(err, session, &request, &input, &p));
  wisp_helmholtz_counts n;
  GOOD(wisp_helmholtz_size(err, p, &n));
  void *load = NULL, *given = NULL;
  double *f = zeros(n.elements * n.points);
  for (size_t i = 0; i < n.elements * n.points; i++) f[i] = (double)(i % 7);
  GOOD(wisp_memory_create(err, session, n.load * sizeof *f, &load));
  GOOD(wisp_memory_create(err, session, n.given * sizeof *f, &given));
  GOOD(wisp_helmholtz_integrate(err, p, f, NULL, load, given));
  BAD(wisp_helmholtz_solve(err, p, &(wisp_helmholtz_data){WISP_INIT(wisp_helmholtz_data), .load = load}, NULL),
      WISP_EWRONG, "no convergence");
  BAD(wisp_helmholtz_values(err, p, "v", load, 1, f, f), WISP_EUSAGE, "no field 'v'");
  wisp_memory_destroy(session, load), wisp_memory_destroy(session, given);
  free(f);
  wisp_session_close(session);
  BAD(wisp_helmholtz_size(err, p, &n), WISP_EUSAGE, "its session was closed");
  wisp_helmholtz_destroy(p);
}

/* An impossible request is refused before anything begins, with what would do. */
TEST(test_memory)
{
  const wisp_limits limits = {.kind = "cuda", .gpu = true, .name = "a GPU", .memory = (size_t)1 << 30};
  wisp_helmholtz_method method = {.precision = WISP_F64, .preconditioner = WISP_TRACE_LEVELS};
  GOOD(wisp_helmholtz_check_memory(err, &limits, &method, 4, 1e5, 1.5e5));
  BAD(wisp_helmholtz_check_memory(err, &limits, &method, 4, 1e6, 1.5e6), WISP_EMEMORY, "by halves would need");
  BAD(wisp_helmholtz_check_memory(err, &limits, &method, 9, 1e8, 1.5e8), WISP_EUSAGE, "more than kernels can count");
  wisp_helmholtz_resolve_matrix(&limits, 4, 1e5, &method);
  assert_int_equal(method.matrix, WISP_TRACE_EITHER);
  wisp_helmholtz_resolve_matrix(&limits, 4, 1e6, &method);
  assert_int_equal(method.matrix, WISP_TRACE_ROWS);
  const double both = wisp_helmholtz_bytes(&method, 4, 1e5, 1.5e5);
  const size_t batch = wisp_helmholtz_batch(&method, &limits, 4, 200000, 300000);
  assert_true(batch >= 32 && batch < 200000 && batch % 32 == 0);
  assert_int_equal(wisp_helmholtz_batch(&method, &limits, 4, 1000, 1600), 1000);
  assert_int_equal(wisp_helmholtz_batch(&method, &limits, 4, 1000000, 1500000), 32);
  method.precision = WISP_F32;
  assert_true(wisp_helmholtz_bytes(&method, 4, 1e5, 1.5e5) < 0.7 * both);
}

GROUP(fixture_set_up, fixture_tear_down)
