/* Claim: media that jump from element to element are solved as they are. The upwind flux never lets the energy grow,
 * the central one holds it, with walls of every kind; standing waves converge with order N + 0.7 or better; a plane
 * wave at a jump of impedance is transmitted and reflected with the exact coefficients; coefficients that have no
 * meaning are one line. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "parts.h"
#include "store_fixture.h"
#include "../gen/random.h"

/* --- from a program --- */

typedef struct problem {
  api_solve s;
  double *xyz, *u;
} problem;

static problem make(const wisp_solver_request *request)
{
  problem p = {0};
  api_open(&p.s, request);
  p.xyz = zeros(3 * p.s.K * p.s.Np), p.u = zeros(p.s.n * p.s.K * p.s.Np);
  GOOD(wisp_solver_nodes(err, p.s.solver, p.xyz));
  return p;
}

static void free_problem(problem *p)
{
  api_close(&p->s);
  free(p->xyz), free(p->u);
}

static double energy(const problem *p)
{
  return api_number(&p->s, "energy_final");
}

/* Coefficients between 1/4 and 8 at random. */
static void jump(problem *p, const char *name, uint64_t seed)
{
  uint64_t random = wisp_random_from(seed);
  OWNED(free) double *values = zeros(p->s.K);
  for (size_t k = 0; k < p->s.K; k++)
    values[k] = ldexp(1.5 + wisp_random_real(&random) / 2, (int)wisp_random_below(&random, 5) - 2);
  GOOD(wisp_solver_set(err, p->s.solver, name, values));
}

static const struct {
  const char *system, *coefficients[2], *boundary;
} cases[] = {
    {"acoustics", {"rho", "kappa"}, "soft"},       {"acoustics", {"rho", "kappa"}, "rigid"},
    {"acoustics", {"rho", "kappa"}, "absorbing"},  {"maxwell_media", {"eps", "mu"}, "pec"},
    {"maxwell_media", {"eps", "mu"}, "absorbing"},
};
enum { CASES = sizeof cases / sizeof *cases };

static problem make_case(size_t i, int order, int central)
{
  const wisp_solver_setting settings[] = {
      {"boundary", cases[i].boundary}, {"alpha", central ? "0" : "1"}, {NULL, NULL}};
  problem p = make(&(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = cases[i].system, .order = order,
                                          .box = "2", .settings = settings});
  for (int c = 0; c < 2; c++) jump(&p, cases[i].coefficients[c], 3 * i + (size_t)c);
  return p;
}

/* Random data has every mode that the mesh can hold; the step is the one that is offered. */
TEST(test_upwind)
{
  for (size_t i = 0; i < CASES; i++) {
    uint64_t random = wisp_random_from(i);
    problem p = make_case(i, 2 + (int)i % 2, 0);
    for (size_t q = 0; q < p.s.n * p.s.K * p.s.Np; q++) p.u[q] = wisp_random_real(&random);
    GOOD(wisp_solver_set(err, p.s.solver, NULL, p.u));
    const double first = energy(&p);
    double before = first;
    for (int step = 0; step < 40; step++) {
      api_steps(&p.s, 0, 1);
      const double now = energy(&p);
      if (!(now <= before * (1 + 1e-14)))
        fail_msg("%s, %s, step %d: the energy grows from %.17g to %.17g", cases[i].system, cases[i].boundary, step,
                 before, now);
      before = now;
    }
    assert_true(before < 0.9 * first && before > 0);
    free_problem(&p);
  }
}

/* The steps lose a fifth power of the step from smooth fields, with a step of a sixteenth of the longest. Walls that
 * absorb are left out: they take energy away. */
TEST(test_central)
{
  for (size_t i = 0; i < CASES; i++) {
    if (strcmp(cases[i].boundary, "absorbing") == 0) continue;
    problem p = make_case(i, 3, 1);
    for (size_t q = 0; q < p.s.K * p.s.Np; q++)
      for (size_t f = 0; f < p.s.n; f++)
        p.u[f * p.s.K * p.s.Np + q] = sin(3 * p.xyz[3 * q + f % 3]) * cos(2 * p.xyz[3 * q + (f + 1) % 3]);
    GOOD(wisp_solver_set(err, p.s.solver, NULL, p.u));
    const double first = energy(&p);
    api_steps(&p.s, api_number(&p.s, "dt") / 16, 200);
    const double change = energy(&p) / first - 1;
    if (!(fabs(change) < 1e-6))
      fail_msg("%s, %s: the energy changes by %g", cases[i].system, cases[i].boundary, change);
    free_problem(&p);
  }
}

/* --- a plane wave along z that meets another medium at z = 1/2; rigid walls beside it leave it plane --- */

static const double width = 0.07, from = 0.22, until = 0.46;
enum { LAYERS = 24 };

/* A column of cubes of six tets each, from z = 0 to 1, as a Gmsh file: physical volume 7 and, from z = 1/2 on, 3. */
static const char *write_column(const char *folder)
{
  const char *path = fixture_path(folder, "column.msh");
  wisp_mesh *mesh = make_grid(4, 1, 1, LAYERS);
  for (size_t v = 0; v < mesh->vertices; v++) mesh->xyz[3 * v] /= LAYERS, mesh->xyz[3 * v + 1] /= LAYERS;
  for (size_t k = 0; k < mesh->elements; k++) mesh->region[k] = k < mesh->elements / 2 ? 7 : 3;
  write_mesh(path, mesh);
  return path;
}

typedef struct medium {
  double rho, kappa;
} medium;

static double gauss(double z)
{
  return exp(-z * z / (width * width));
}

/* The mean z of an element's nodes. */
static double middle(const problem *p, size_t k)
{
  double z = 0;
  for (size_t i = 0; i < p->s.Np; i++) z += p->xyz[3 * (k * p->s.Np + i) + 2] / (double)p->s.Np;
  return z;
}

static void set_wave(problem *p, const medium media[2])
{
  OWNED(free) double *values = zeros(p->s.K);
  const size_t nodes = p->s.K * p->s.Np;
  const double Z = sqrt(media[0].rho * media[0].kappa);
  for (int c = 0; c < 2; c++) {
    for (size_t k = 0; k < p->s.K; k++) values[k] = c ? media[middle(p, k) > 0.5].kappa : media[middle(p, k) > 0.5].rho;
    GOOD(wisp_solver_set(err, p->s.solver, c ? "kappa" : "rho", values));
  }
  for (size_t q = 0; q < nodes; q++) {
    const double pressure = gauss(p->xyz[3 * q + 2] - from);
    p->u[q] = pressure;
    p->u[3 * nodes + q] = pressure / Z;
  }
  GOOD(wisp_solver_set(err, p->s.solver, NULL, p->u));
}

/* The amplitude of a pulse of pressure at `centre`, by least squares over the nodes of one medium. */
static double amplitude(const problem *p, bool second, double centre, double stretch)
{
  double product = 0, square = 0;
  for (size_t k = 0; k < p->s.K; k++)
    for (size_t i = 0; i < p->s.Np && (middle(p, k) > 0.5) == second; i++) {
      const double shape = gauss((p->xyz[3 * (k * p->s.Np + i) + 2] - centre) / stretch);
      product += shape * p->u[k * p->s.Np + i];
      square += shape * shape;
    }
  return product / square;
}

/* The distance of the two amplitudes from the exact ones. */
static double wave_error(const char *mesh, int order, const medium media[2])
{
  static const wisp_solver_setting rigid[] = {{"boundary", "rigid"}, {NULL, NULL}};
  problem p = make(&(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "acoustics", .order = order,
                                          .mesh = mesh, .settings = rigid});
  double Z[2], c[2];
  for (int m = 0; m < 2; m++) {
    Z[m] = sqrt(media[m].rho * media[m].kappa);
    c[m] = sqrt(media[m].kappa / media[m].rho);
  }
  set_wave(&p, media);
  const double time = until / c[0];
  GOOD(wisp_solver_advance(err, p.s.solver, &(wisp_until){WISP_INIT(wisp_until), .time = time}));
  GOOD(wisp_solver_get(err, p.s.solver, p.u));
  const double ratio = c[1] / c[0], beyond = from + until - 0.5;
  const double transmitted = amplitude(&p, true, 0.5 + ratio * beyond, ratio);
  const double reflected = amplitude(&p, false, 0.5 - beyond, 1);
  const double t = 2 * Z[1] / (Z[0] + Z[1]), r = (Z[1] - Z[0]) / (Z[0] + Z[1]);
  print_message("order %d: transmitted %.6f of %.6f, reflected %.6f of %.6f\n", order, transmitted, t, reflected, r);
  free_problem(&p);
  return hypot(transmitted - t, reflected - r);
}

TEST_IN_FOLDER(test_plane_wave)
{
  const char *mesh = write_column(*state);
  static const medium jumps[][2] = {{{1, 1}, {2, 2}}, {{1, 1}, {0.5, 0.72}}, {{1.5, 6}, {0.75, 3}}};
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
    const double coarse = wave_error(mesh, 2, jumps[i]), fine = wave_error(mesh, 4, jumps[i]);
    if (!(fine < 2e-3 && fine < coarse / 8)) fail_msg("jump %zu: off by %g at order 2, %g at order 4", i, coarse, fine);
  }
}

/* The step that is offered is one of the media: waves twice as fast want steps half as long. Values that have no
 * meaning leave all as it was. */
TEST(test_values)
{
  wisp_error refused = {0};
  problem p =
      make(&(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "acoustics", .order = 2, .box = "2"});
  const double before = api_number(&p.s, "dt");
  OWNED(free) double *values = zeros(p.s.K);
  for (size_t k = 0; k < p.s.K; k++) values[k] = 4;
  GOOD(wisp_solver_set(err, p.s.solver, "kappa", values));
  const double after = api_number(&p.s, "dt");
  assert_true(fabs(after / before - 0.5) < 0.05);
  for (size_t q = 0; q < p.s.K * p.s.Np; q++) p.u[q] = 3;
  GOOD(wisp_solver_set(err, p.s.solver, NULL, p.u));
  assert_true(fabs(energy(&p) - 0.5 / 4 * 9) < 1e-12);
  static const double bad[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    values[5] = bad[i];
    assert_int_equal(wisp_solver_set(&refused, p.s.solver, "rho", values), WISP_EINPUT);
    assert_non_null(strstr(refused.text, "in element 5"));
  }
  assert_int_equal(wisp_solver_set(&refused, p.s.solver, "Z", values), WISP_EUSAGE);
  assert_non_null(strstr(refused.text, "acoustics has no coefficient 'Z'"));
  assert_true(api_number(&p.s, "dt") == after && fabs(energy(&p) - 0.5 / 4 * 9) < 1e-12);
  free_problem(&p);
}

/* --- by the command --- */

static double error_of(const char *folder, const char *arguments, int order, int box)
{
  return solve_number(folder, "l2_error", arguments, "-n %d --box %d --time 0.3 --default", order, box);
}

TEST_IN_FOLDER(test_convergence)
{
  static const char *const runs[] = {"acoustics --rho 1.5 --kappa 2.25", "acoustics --rho 0.5 --boundary rigid",
                                     "maxwell_media --eps 2 --mu 0.75 --mode 1,1,1"};
  static const int boxes[][2] = {{4, 6}, {4, 6}, {4, 6}, {3, 4}, {2, 3}};
  const int highest = getenv("WISP_TEST_COARSE") ? 2 : 5;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    for (int order = 1; order <= (i ? 3 : highest) && order <= highest; order++) {
      const int *box = boxes[order - 1];
      const double coarse = error_of(*state, runs[i], order, box[0]), fine = error_of(*state, runs[i], order, box[1]);
      const double found = log(coarse / fine) / log((double)box[1] / box[0]);
      print_message("%s, order %d: %.2f\n", runs[i], order, found);
      if (!(found >= order + 0.7)) fail_msg("%s, N = %d: converges with order %.2f only", runs[i], order, found);
    }
}

/* If media differ, no solution is known, and the JSON has the members of any run. */
TEST_IN_FOLDER(test_json)
{
  cJSON *json =
      solve_json(*state, "acoustics", "-n 2 --box 2 --steps 20 --rho 'x < 0.5 ? 1 : 1 + y*z' --kappa 2.25 --default");
  const cJSON *all = cJSON_GetObjectItem(json, "coefficients"), *rho = cJSON_GetObjectItem(all, "rho");
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "l2_error")));
  assert_true(json_number(json, "energy_final") < json_number(json, "energy_initial"));
  assert_true(cJSON_GetArrayItem(rho, 0)->valuedouble == 1 && cJSON_GetArrayItem(rho, 1)->valuedouble > 1.5);
  assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(all, "kappa"), 1)->valuedouble == 2.25);
  cJSON_Delete(json);
}

/* A mesh's physical volumes are regions, wherever its elements are put. The step is given: its limit is an estimate. */
TEST_IN_FOLDER(test_regions)
{
  static const char *const texts[] = {"region == 3 ? 2.5 : 1", "z > 0.5 ? 2.5 : 1"};
  const char *mesh = write_column(*state);
  double last[3];
  for (int i = 0; i < 3; i++)
    last[i] = solve_number(*state, "energy_final", "acoustics",
                           "-n 2 --mesh %s --steps 20 --dt 0.005 --start pulse --rho '%s' %s --default", mesh,
                           texts[i % 2], i == 2 ? "--order as-given" : "");
  assert_true(last[0] > 0 && last[0] == last[1] && fabs(last[2] / last[0] - 1) < 1e-9);
}

TEST_IN_FOLDER(test_bad)
{
  static const struct {
    const char *arguments;
    int status;
    const char *words;
  } bad[] = {
      {"acoustics --rho -1", 1, "rho is -1 in element 0, must be positive and finite"},
      {"acoustics --rho 0", 1, "rho is 0 in element 0, must be positive and finite"},
      {"acoustics --kappa 'x - 0.5'", 1, "kappa is -"},
      {"acoustics --kappa '1 / (x - x)'", 1, "kappa is inf in element 0"},
      {"acoustics --kappa q", 2, "coefficient kappa: expression 'q', column 1: the name 'q' is not defined"},
      {"acoustics --rho '1 +'", 2, "coefficient rho: expression '1 +'"},
      {"acoustics --rho ''", 2, "coefficient rho: "},
      {"acoustics --Z 1", 2, "--Z"},
      {"maxwell --rho 1", 2, "--rho"},
      {"acoustics --boundary pec", 2, "must be soft or rigid or absorbing"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    run_expect(*state, "", bad[i].status, bad[i].words, "run %s -n 1 --box 2 -d %s", bad[i].arguments,
               test_device_name());
}
