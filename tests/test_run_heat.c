/* Claim: wisp run heat conducts heat on triangles and tets with the order of its elements, at every order, by every way
 * of assembling; what it exports is the system that it solved; it says what it did in text and JSON; and whatever is
 * wrong with the request is one line on stderr and the right exit status. */
#include "test.h"
#include "command.h"
#include "parts.h"
#include "solving.h"
#include "store_fixture.h"
#include "../gen/text.h"
#include "../runtime/assembly/heat_solver.h"
#include "../runtime/api/api.h"
#include "../runtime/mesh/source.h"

#include <lapacke.h>
#include <signal.h>
#include <sys/resource.h>

static double error_of(const char *folder, const char *arguments)
{
  return solve_number(folder, "l2_error", "heat", "%s", arguments);
}

/* kappa = 1 + u^2 and u linear in time: the error is that of the elements, of order N + 1. */
static void check_order(const char *folder, const char *element, int N, const int boxes[3])
{
  double error[3];
  for (int i = 0; i < 3; i++) {
    error[i] = solve_number(folder, "l2_error", "heat", "--element %s -n %d --box %d --jitter 0.2 --steps 1", element,
                            N, boxes[i]);
    assert_true(!i || error[i] < error[i - 1]);
  }
  const double order = log(error[0] / error[2]) / log((double)boxes[2] / boxes[0]);
  if (!(order >= N + 0.7))
    fail_msg("%s, order %d: %.2e, %.2e, %.2e: only %.2f", element, N, error[0], error[1], error[2], order);
}

/* As the polynomial, what is written as an expression; and any other is as good. */
TEST(test_expression)
{
  const double same[] = {error_of(*state, "-n 2 --box 4 --steps 1"),
                         error_of(*state, "-n 2 --box 4 --steps 1 --kappa '1 + pow(u, 2)'")};
  assert_true(fabs(same[0] - same[1]) < 1e-9 * same[0]);
  const double error[] = {error_of(*state, "-n 1 --box 6 --steps 1 --kappa 'exp(-u) + 0.5 * sin(u)'"),
                          error_of(*state, "-n 1 --box 12 --steps 1 --kappa 'exp(-u) + 0.5 * sin(u)'")};
  assert_true(log2(error[0] / error[1]) > 1.7);
}

/* Sanitized, at the lowest alone: what else runs there, other tests do. */
TEST(test_orders)
{
  const bool is_coarse = getenv("WISP_TEST_COARSE");
  static const int coarse[] = {8, 16, 24}, fine[] = {4, 8, 12}, cubes[3][3] = {{4, 8, 12}, {2, 4, 8}, {2, 3, 5}};
  for (int N = 1; N <= (is_coarse ? 1 : 5); N++) check_order(*state, "tri", N, N < 3 ? coarse : fine);
  for (int N = 1; N <= (is_coarse ? 1 : 3); N++) check_order(*state, "tet", N, cubes[N - 1]);
}

static double number_of(const char *folder, const char *arguments, const char *name)
{
  OWNED(cJSON_Delete) cJSON *json = solve_json(folder, "heat", "%s", arguments);
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "l2_error")));
  const double value = json_number(json, name);
  return value;
}

/* Between two sides u is linear, whatever the triangles; with kappa = 1 + u, u + u^2/2 is. By f alone, u'' = -f. */
TEST(test_given)
{
  static const char *const elements[] = {"tri -n 2", "tet -n 1", "tri -n 5"};
  char line[160];
  for (int i = 0; i < 3; i++) {
    snprintf(line, sizeof line, "--capacity 0 --element %s --box 3 --kappa 2 --fix 1=200,2=10", elements[i]);
    assert_true(fabs(number_of(*state, line, "u_mean") - 105) < 1e-8);
    assert_true(fabs(number_of(*state, line, "u_highest") - 200) < 1e-8);
  }
  const char *bent = "--capacity 0 -n 5 --box 4 --fix 1=0,2=0 --kappa 1 --source 8 --order metis --shuffle 3";
  assert_true(fabs(number_of(*state, bent, "u_highest") - 1) < 1e-9); /* 4 x (1 - x) */
  snprintf(line, sizeof line, "--capacity 0 -n 3 --box 4 --kappa 1 --fix 1=1 -o %s/u.vtu", (const char *)*state);
  assert_true(number_of(*state, line, "u_highest") > 0.9);
  assert_int_equal(access(fixture_path(*state, "u.vtu"), R_OK), 0);
  const char *warmed = "--capacity 1 --time 40 --steps 20 -n 2 --box 4 --kappa 1 --fix 3=1";
  assert_true(fabs(number_of(*state, warmed, "u_lowest") - 1) < 1e-9);
}

/* In slices of 32 rows the matrix is the same, and so is what follows from it. */
TEST(test_sliced)
{
  static const char *const problems[] = {"-n 3 --box 5 --jitter 0.2 --steps 1", "-n 2 --element tet --box 2 --steps 1",
                                         "-n 1 --box 9 --shuffle 1 --capacity 0 --kappa 3"};
  for (int i = 0; i < 3; i++) {
    double error[2];
    FILE *file[2];
    char line[4][256];
    for (int m = 0; m < 2; m++) {
      cJSON *json = solve_json(*state, "heat", "%s --matrix %s --export %s/m%d.mtx", problems[i],
                               m ? "sliced-ell" : "csr", (const char *)*state, m);
      assert_string_equal(cJSON_GetObjectItem(json, "matrix")->valuestring, m ? "sliced-ell" : "csr");
      error[m] = json_number(json, "l2_error");
      cJSON_Delete(json);
      snprintf(line[m], sizeof *line, "m%d.mtx", m);
      file[m] = fopen(fixture_path(*state, line[m]), "r");
      assert_non_null(file[m]);
    }
    assert_true(fabs(error[0] - error[1]) < 1e-7 * error[0]);
    while (fgets(line[0], sizeof *line, file[0])) {
      int row[2], column[2];
      double value[2];
      assert_non_null(fgets(line[1], sizeof *line, file[1]));
      for (int m = 0; m < 2; m++)
        if (sscanf(line[m], "%d %d %lf", &row[m], &column[m], &value[m]) != 3) row[m] = column[m] = 0, value[m] = 0;
      assert_true(row[0] == row[1] && column[0] == column[1] &&
                  fabs(value[0] - value[1]) < 1e-7 * (1 + fabs(value[0])));
    }
    assert_null(fgets(line[1], sizeof *line, file[1]));
    fclose(file[0]), fclose(file[1]);
  }
}

TEST(test_report)
{
  cJSON *json = solve_json(*state, "heat",
                           "-n 2 --box 8,6 --shuffle 3 --jitter 0.2 --steps 3 --time 0.3 --capacity 2 --kappa 1,0.5");
  assert_true(json_number(json, "elements") == 96 && json_number(json, "unknowns") == 15 * 11);
  assert_true(json_number(json, "steps") == 3 && fabs(json_number(json, "time") - 0.3) < 1e-12);
  assert_true(json_number(json, "assemblies") > 3 && json_number(json, "iterations") > 30);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "converged")) && json_number(json, "residual") <= 1e-12);
  assert_true(json_number(json, "seconds") >= json_number(json, "seconds_assemblies"));
  assert_non_null(json_text(json, "assembly"));
  cJSON_Delete(json);
  json = solve_json(*state, "heat", "-n 1 --kappa 2 --capacity 0 -pf32 --default"); /* linear and steady: once */
  assert_true(json_number(json, "assemblies") == 1 && json_number(json, "steps") == 1);
  assert_string_equal(json_text(json, "precision"), "f32");
  cJSON_Delete(json);
  run_expect(*state, "", 0, "unit square, 16 x 16 squares: 512 triangles of order 1, 3 nodes each, 225 unknowns",
             "run heat -n 1 -d %s", test_device_name());
}

/* On request the run leaves out compositions whose results vary, also if the store knows them as fastest. */
TEST(test_reproducible)
{
  double error[2];
  expect_varying(wisp_family_spec(wisp_family_find("assembly"), 2, "heat", WISP_F64), "zero+scatter");
  for (int i = 0; i < 2; i++) error[i] = error_of(*state, "-n 2 --box 8 --steps 2 --reproducible");
  assert_true(memcmp(&error[0], &error[1], sizeof error[0]) == 0);
  HELD(forget) outcome o = run_in(*state, "", "emit -f assembly -n 2");
  /* All by atomics: four ways to scatter, and one of stored matrices. */
  assert_int_equal(occurrences(o.out, "adds up in no fixed order"), 5);
  assert_non_null(strstr(o.out, "atomic "));
  assert_non_null(strstr(o.out, "scatter_stored"));
}

/* --- the exported system --- */

/* Dense, of n unknowns; and the vector behind it. */
static void read_system(const char *folder, int n, double *A, double *b)
{
  size_t length = 0;
  OWNED(free) char *matrix = fixture_read(fixture_path(folder, "heat.mtx"), &length);
  char *vector = fixture_read(fixture_path(folder, "heat_b.mtx"), &length), *at;
  int rows, columns, count, end;
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  assert_int_equal(
      sscanf(matrix, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n%n", &rows, &columns, &count, &end),
      3);
  assert_true(rows == n && columns == n);
  at = matrix + end;
  for (int i = 0; i < count; i++) {
    const long row = strtol(at, &at, 10), column = strtol(at, &at, 10);
    assert_true(row >= 1 && row <= n && column >= 1 && column <= n);
    A[(row - 1) * n + column - 1] = strtod(at, &at);
  }
  assert_int_equal(sscanf(vector, "%%%%MatrixMarket matrix array real general\n%d %d\n%n", &rows, &columns, &end), 2);
  assert_true(rows == n && columns == 1);
  at = vector + end;
  for (int i = 0; i < n; i++) b[i] = strtod(at, &at);
  free(vector);
}

/* The files hold the system that u solves: to 1e-10 as LAPACK solves it. */
static void check_system(const char *folder, const wisp_heat *heat, const wisp_heat_solver *solver)
{
  const int n = (int)heat->assembly->pattern->rows;
  OWNED(free) double *A = zeros((size_t)(n * n)), *b = zeros((size_t)n);
  OWNED(free) int *pivots = calloc((size_t)n, sizeof *pivots);
  assert_non_null(pivots);
  GOOD(wisp_heat_export(err, solver, fixture_path(folder, "heat.mtx")));
  read_system(folder, n, A, b);
  for (int i = 0; i < n * n; i++) assert_true(fabs(A[i] - A[i % n * n + i / n]) < 1e-13);
  assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, A, n, pivots, b, 1), 0);
  OWNED(free) double *u = zeros(heat->assembly->nodes->nodes);
  GOOD(wisp_heat_solver_field(err, solver, u));
  for (int i = 0; i < n; i++) assert_true(fabs(b[i] - u[i]) < 1e-10);
}

/* A steady linear problem, assembled in each way that there is. */
TEST(test_export)
{
  static const wisp_heat_kappa kappa = {.number = {3, 0, 0}};
  static const wisp_heat_method method = {
      .precision = WISP_F64, .tolerance = 1e-13, .standstill = 1e-10, .iterations = 1000, .assemblies = 1};
  const wisp_mesh_source source = {.box = {5, 6}, .jitter = 0.2, .shuffle = true, .seed = 3};
  const wisp_family *family = wisp_family_find("assembly");
  OWNED(wisp_session_close) wisp_session *session = default_session();
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_heat_destroy) wisp_heat *heat = NULL;
  GOOD(wisp_mesh_make(err, 3, &source, &mesh));
  GOOD(wisp_heat_create(err, "box", mesh, 2, &kappa, 0, NULL, &heat));
  for (int i = 0; family->compositions[i]; i++) {
    const wisp_chooser from = wisp_session_chooser(session);
    wisp_choose_request request = {.spec = wisp_family_spec(family, 2, "heat", WISP_F64),
                                   .composition = family->compositions[i]};
    wisp_stage assembly = {.kernels = 0}, iteration = {.kernels = 0};
    wisp_heat_solver *solver = NULL;
    GOOD(wisp_choose(err, &from, &request, &assembly));
    request.composition = WISP_HEAT_ITERATION;
    GOOD(wisp_choose(err, &from, &request, &iteration));
    GOOD(wisp_heat_solver_create(err, session->device, heat, &assembly, &iteration, &method, &solver));
    GOOD(wisp_heat_step(err, solver));
    check_system(*state, heat, solver);
    wisp_heat_solver_destroy(solver);
    wisp_stage_free(&assembly), wisp_stage_free(&iteration);
  }
}

/* A file that could not be written whole is not there: no folder, no room on the device, and none for so long a file.
 */
TEST(test_full_disk)
{
  static const char *const paths[] = {"none/heat.mtx", "/dev/full", "long.mtx"};
  const struct rlimit short_files = {.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
  struct rlimit before;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  for (int i = 0; i < 3; i++) {
    const char *path = paths[i][0] == '/' ? paths[i] : fixture_path(*state, paths[i]);
    if (i == 2) assert_int_equal(setrlimit(RLIMIT_FSIZE, &short_files), 0);
    run_expect(*state, "", 1, paths[i], "run heat -q -n 3 -d %s --capacity 0 --kappa 1 --box 20 --export %s",
               test_device_name(), path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  static const char *const none[] = {"long.mtx", "long_b.mtx"};
  for (int i = 0; i < 2; i++) assert_int_not_equal(access(fixture_path(*state, none[i]), F_OK), 0);
}

/* --- what is refused --- */

static void expect(const char *folder, int status, const char *arguments, const char *why)
{
  run_expect(folder, "", status, why, "run heat -q -d %s %s", test_device_name(), arguments);
}

/* Two triangles that do not touch, and a line of the first. */
TEST(test_singular)
{
  static const char apart[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 5 0 0\n5 6 0 0\n"
      "6 5 1 0\n$EndNodes\n$Elements\n3\n1 1 2 7 1 1 2\n2 2 2 0 1 1 2 3\n3 2 2 0 1 4 5 6\n$EndElements\n";
  char line[256];
  snprintf(line, sizeof line, "-n 2 --mesh %s --fix 7=1 --steps 1", fixture_text(*state, "apart.msh", apart));
  assert_true(fabs(number_of(*state, line, "u_highest") - 1) < 1e-6);
  strcat(line, " --capacity 0");
  expect(*state, 2, line, "nothing is fixed of what hangs together with (5, 0, 0)");
}

/* A store in which this strategy won on another device: the assembly's kernels of heat, an iteration's of the family's
 * own form. */
static void let_win(const char *folder, const char *kernel, const char *strategy, const char *params)
{
  static const char key[] = "layout=none device=\"another\" target=%s units=1 driver=any compiler=any elements=1000 "
                            "mesh=ordered outcome=ok ms=0.001 template_hash=%.16s\n";
  const char *const target = strcmp(test_device_name(), "host") == 0 ? "host" : "sm_90";
  const char *const system = strcmp(kernel, "fill") == 0 ? "heat" : "laplace";
  char form[512], rows[1024];
  outcome o = run_with(folder, "", "emit -f assembly -n 2 -p f64 --system %s -k %s -s %s --hash --dialect %s -q",
                       system, kernel, strategy, strcmp(target, "host") == 0 ? "host" : "cuda");
  assert_int_equal(o.status, 0);
  snprintf(form, sizeof form, "spec=assembly.%%s:tri:p2:%%s:f64 strategy=%%s %%s%%s%%s%s", key);
  snprintf(rows, sizeof rows, form, kernel, system, strategy, "params=\"", params, "\" ", target, o.out);
  snprintf(rows + strlen(rows), sizeof rows - strlen(rows), form, "step", "heat", "fill", "", "", "", target, o.out);
  forget(&o);
  run_expect(folder, "", 0, "", "db import --db %s/%s.db %s", folder, strategy, fixture_text(folder, "rows.txt", rows));
}

/* A run says which kernel of a strategy it takes, with such parameters. */
static void expect_kernel(const char *folder, const char *db, const char *domain, const char *const kernel[3])
{
  char line[512], *at = NULL;
  HELD(forget)
  outcome o = run_with(folder, "WISP_SHIPPED=none", "run heat -d %s -n 2 --steps 1 --tolerance 0.1 --db %s/%s.db %s",
                       test_device_name(), folder, db, domain);
  assert_int_equal(o.status, 0);
  snprintf(line, sizeof line, "\n%-*s %s ", strcmp(kernel[0], "fill") == 0 ? 6 : 8, kernel[0], kernel[1]);
  at = strstr(o.out, line);
  if (!at || !strstr(strtok(at + 1, "\n"), kernel[2]))
    fail_msg("%s: no%s with %s in\n%s", domain, line, kernel[2], o.out);
}

#define WON_GATHERS "gather_unroll=4 group_elements=32 lanes=32 pairs_per_thread=4 shared_products=192 tensor_cores=0"
#define WON_NONZEROS "by_edges=0 codes_in_shared=0 lanes=256 matrices_in_shared=1 max_elements=256 min_blocks=0 ws=1"
#define WON_COLUMNS "lanes=256 resident=1024 team=1 tile_nonzeros=1024"

/* Lists that won elsewhere have no room for many triangles around a vertex, nor has the shared memory of a part, nor a
 * block for so long a row: what takes their place has longer ones, or, where there are none so long, does without. */
TEST(test_no_room)
{
  static const struct {
    const char *kernel, *strategy, *params, *before, *longer;
    int around[2];
  } won[] = {{"fill", "gathered-products", WON_GATHERS, "group_elements=32", "group_elements=64", {40, 300}},
             {"fill", "shared-nonzeros", WON_NONZEROS, "max_elements=256", "max_elements=512", {300, 900}},
             {"multiply", "shared-columns", WON_COLUMNS, "tile_nonzeros=1024", "tile_nonzeros=2048", {300, 1200}}};
  const bool on_host = strcmp(test_device_name(), "host") == 0;
  const char *const without[] = {"rows", on_host ? "rows" : "stream"}; /* lists, to fill and to multiply */
  char form[512];
  for (size_t i = 0; i < WISP_COUNT(won); i++) {
    const char *const kernel[3][3] = {{won[i].kernel, won[i].strategy, won[i].before},
                                      {won[i].kernel, won[i].strategy, won[i].longer},
                                      {won[i].kernel, without[strcmp(won[i].kernel, "multiply") == 0], ""}};
    let_win(*state, won[i].kernel, won[i].strategy, won[i].params);
    expect_kernel(*state, won[i].strategy, "--box 4", kernel[0]);
    for (int k = 0; k < 2; k++) {
      write_mesh(fixture_path(*state, "fan.msh"), make_fan(won[i].around[k]));
      snprintf(form, sizeof form, "--mesh %s", fixture_path(*state, "fan.msh"));
      expect_kernel(*state, won[i].strategy, form, kernel[k + 1]);
    }
  }
}

/* So it is timed beside a box, and the bench says what runs there. */
TEST(test_bench_with_room)
{
  static const struct {
    int around;
    const char *says;
  } of[] = {{40, "on the mesh: fill by gathered-products, gather_unroll=4 group_elements=64"},
            {300, "on the mesh: fill by rows"}};
  char line[512];
  let_win(*state, "fill", "gathered-products", WON_GATHERS);
  for (size_t i = 0; i < WISP_COUNT(of); i++) {
    write_mesh(fixture_path(*state, "fan.msh"), make_fan(of[i].around));
    HELD(forget)
    outcome o = run_with(
        *state, "WISP_SHIPPED=none",
        "bench --json -d %s -f assembly -k fill --system heat -n 2 -p f64 --db %s/gathered-products.db --mesh %s",
        test_device_name(), (const char *)*state, fixture_path(*state, "fan.msh"));
    if (o.status != 0) fail_msg("%s", o.err);
    if (!strstr(o.err, of[i].says)) fail_msg("%s", o.err);
    snprintf(line, sizeof line, ": row 0 has %d elements around it", of[i].around);
    assert_non_null(strstr(o.err, line));
    const char *rate = strstr(o.out, "\"mesh_gdofs\":");
    assert_true(rate && strtod(strchr(rate, ':') + 1, NULL) > 0);
  }
}

TEST(test_refused)
{
  const char *folder = *state;
  const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  if (memory < 33e9 && strcmp(test_device_name(), "host") == 0)
    expect(folder, 2, "-n 5 --box 1660", "5511200 triangles of order 5: the matrix alone takes 34.2 GB");
  expect(folder, 2, "-n 1 --kappa 'sqrt(u - 1)'", "kappa is not a number where u is");
  expect(folder, 2, "-n 1 --fix ''", "TAG=VALUE");
  expect(folder, 2, "", "give the order of the elements: -n 1 to 5");
  expect(folder, 2, "-n 0", "must be an order from 1 to 5");
  expect(folder, 2, "-n 6", "must be an order from 1 to 5");
  expect(folder, 2, "-n 1 --box 0", "must be from 1 to 16384");
  expect(folder, 2, "-n 1 --box 4x4", "must be squares a side");
  expect(folder, 2, "-n 1 --element hex", "hex");
  expect(folder, 2, "-n 1 --box 1", "all 4 nodes are fixed");
  expect(folder, 2, "-n 1 --kappa 1,2,3,4", "one to three numbers");
  expect(folder, 2, "-n 1 --kappa x", "or an expression of u");
  expect(folder, 2, "-n 1 --kappa '1 + v'", "column 5: the name 'v' is not defined");
  expect(folder, 2, "-n 1 --kappa -1", "kappa is -1 where u is");
  expect(folder, 2, "-n 1 --kappa 1,-1", "must be positive");
  expect(folder, 2, "-n 1 --capacity -1", "capacity");
  expect(folder, 2, "-n 1 --fix 9=1", "'9' is no tag, nor a name, of a physical curve: there are 1, 2, 3, 4");
  expect(folder, 2, "-n 1 --fix 1", "TAG=VALUE");
  expect(folder, 2, "-n 1 --fix 1=x", "TAG=VALUE");
  expect(folder, 2, "-n 1 --fix 1=0,", "TAG=VALUE");
  expect(folder, 2, "-n 1 --source 1", "--source is for --fix");
  expect(folder, 2, "-n 1 --element tet --box 4,4", "must be cubes a side");
  expect(folder, 2, "-n 5 --element tet --box 100", "6000000 tets of order 5: the matrix has 1.38e+10 nonzeros");
  expect(folder, 2, "-n 5 --box 3000", "the matrix has 6.975e+09 nonzeros, more than 2^31 - 1");
  expect(folder, 1, "-n 3 --iterations 2 --assemblies 1 --steps 1", "no convergence");
}

GROUP(fixture_set_up, fixture_tear_down)
