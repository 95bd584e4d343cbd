/* Claim: problems are computed in a frame of the mesh, and nothing of that is seen outside. Operators and matrices that
 * programs bring a mesh for, what they solve on it, exported systems, files and the command's options have the mesh's
 * coordinates and units; in single precision they are as exact far away and on tiny meshes as near 0. */
#include "test.h"
#include "command.h"
#include "api_case.h"
#include "moved.h"
#include "parts.h"
#include "solving.h"
#include "store_fixture.h"
#include "../runtime/assembly/heat_solver.h"
#include "../runtime/api/api.h"

/* The irregular test mesh, as it is and moved. */
static void open_pair(int corners, const motion *by, wisp_mesh *out[2])
{
  wisp_mesh *all[TEST_MESHES];
  make_test_meshes(corners, all);
  out[0] = all[1], out[1] = moved(all[1], by);
  wisp_mesh_destroy(all[0]), wisp_mesh_destroy(all[2]);
}

static void close_pair(wisp_mesh *mesh[2])
{
  wisp_mesh_destroy(mesh[0]), wisp_mesh_destroy(mesh[1]);
}

static void alike(const char *what, const double *near, const double *there, size_t count, double unit, double bound)
{
  double most = 0, off = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(near[i])), off = fmax(off, fabs(there[i] / unit - near[i]));
    assert_true(isfinite(there[i]));
  }
  if (!(most > 0 && off <= bound * most)) fail_msg("%s: off by %g of %g", what, off, most);
}

static void at_nodes(const motion *by, const double *near, const double *there, size_t count)
{
  for (size_t i = 0; i < 3 * count; i += 3) {
    double back[3];
    move_back(by, there + i, back);
    for (int d = 0; d < 3; d++) assert_true(fabs(back[d] - near[i + (size_t)d]) < 1e-8);
  }
}

/* A session's memory of floats, from doubles and to them. */
static void *put(wisp_session *session, const double *from, size_t count)
{
  void *memory = NULL;
  OWNED(free) float *single = calloc(count, sizeof *single);
  assert_non_null(single);
  for (size_t i = 0; from && i < count; i++) single[i] = (float)from[i];
  GOOD(wisp_memory_create(err, session, count * sizeof *single, &memory));
  GOOD(wisp_memory_put(err, session, memory, single, count * sizeof *single));
  return memory;
}

static void take(wisp_session *session, void *memory, size_t count, double *to)
{
  OWNED(free) float *single = calloc(count, sizeof *single);
  assert_non_null(single);
  GOOD(wisp_memory_get(err, session, single, memory, count * sizeof *single));
  for (size_t i = 0; i < count; i++) to[i] = (double)single[i];
  wisp_memory_destroy(session, memory);
}

/* --- what programs bring --- */

TEST(test_operator)
{
  static const char spec[] = "tensor.collocated_trilinear:hex:p3:poisson:f32";
  const motion *by = &motions_in_space[2];
  OWNED(wisp_session_close) wisp_session *session = api_session();
  wisp_mesh *mesh[2];
  double *y[2], *at[2];
  size_t n = 0;
  open_pair(8, by, mesh);
  for (int i = 0; i < 2; i++) {
    const wisp_operator_request request = {WISP_INIT(wisp_operator_request),
                                           .spec = spec,
                                           .vertices = mesh[i]->vertices,
                                           .elements = mesh[i]->elements,
                                           .xyz = mesh[i]->xyz,
                                           .corners = mesh[i]->hex,
                                           .lambda = 0.75,
                                           .assembled = 1};
    wisp_operator *op = NULL;
    GOOD(wisp_operator_create(err, session, &request, &op));
    GOOD(wisp_operator_size(err, op, &n));
    y[i] = zeros(n), at[i] = zeros(3 * n);
    GOOD(wisp_operator_nodes(err, op, at[i]));
    for (size_t k = 0; k < n; k++) y[i][k] = sin(5 * at[0][3 * k]) + at[0][3 * k + 1];
    void *x = put(session, y[i], n), *to = put(session, NULL, n);
    GOOD(wisp_operator_apply(err, op, x, to, NULL));
    GOOD(wisp_session_finish(err, session));
    take(session, to, n, y[i]);
    wisp_memory_destroy(session, x);
    wisp_operator_destroy(op);
  }
  alike(spec, y[0], y[1], n, 1, 1e-4);
  at_nodes(by, at[0], at[1], n);
  for (int i = 0; i < 2; i++) free(y[i]), free(at[i]);
  close_pair(mesh);
}

static void check_matrix(const char *spec, int corners, const motion *by)
{
  OWNED(wisp_session_close) wisp_session *session = api_session();
  wisp_mesh *mesh[2];
  wisp_matrix_counts n = {.rows = 0};
  double *values[2], *F[2], *at[2];
  open_pair(corners, by, mesh);
  for (int i = 0; i < 2; i++) {
    const wisp_matrix_request request = {
        WISP_INIT(wisp_matrix_request), .spec = spec,        .vertices = mesh[i]->vertices,
        .elements = mesh[i]->elements,  .xyz = mesh[i]->xyz, .corners = mesh[i]->cell};
    const wisp_matrix_data data = {WISP_INIT(wisp_matrix_data), .kappa = {2}, .density = 3};
    wisp_matrix *matrix = NULL;
    GOOD(wisp_matrix_create(err, session, &request, &matrix));
    GOOD(wisp_matrix_size(err, matrix, &n));
    values[i] = zeros(n.nonzeros), F[i] = zeros(n.rows), at[i] = zeros(3 * n.nodes);
    GOOD(wisp_matrix_nodes(err, matrix, at[i], NULL, NULL));
    void *on_values = put(session, NULL, n.nonzeros), *on_F = put(session, NULL, n.rows);
    GOOD(wisp_matrix_assemble(err, matrix, &data, on_values, on_F, NULL));
    GOOD(wisp_session_finish(err, session));
    take(session, on_values, n.nonzeros, values[i]), take(session, on_F, n.rows, F[i]);
    wisp_matrix_destroy(matrix);
  }
  const int dimension = corners - 1;
  alike(spec, values[0], values[1], n.nonzeros, pow(by->scale, dimension - 2), 1e-4);
  alike(spec, F[0], F[1], n.rows, pow(by->scale, dimension), 1e-4);
  at_nodes(by, at[0], at[1], n.nodes);
  for (int i = 0; i < 2; i++) free(values[i]), free(F[i]), free(at[i]);
  close_pair(mesh);
}

/* Matrices are in the caller's units. */
TEST(test_matrix)
{
  check_matrix("assembly.step:tri:p2:laplace:f32", 3, &motions_of_planes[2]);
  check_matrix("assembly.step:tri:p2:laplace:f32", 3, &motions_of_planes[4]);
  check_matrix("assembly.step:tet:p2:laplace:f32", 4, &motions_in_space[2]);
  check_matrix("assembly.step:tet:p2:laplace:f32", 4, &motions_in_space[4]);
}

/* Elements that would leave the range of single precision in the caller's units are refused. */
TEST(test_range)
{
  static const double scales[] = {1e-9, 1e10};
  OWNED(wisp_session_close) wisp_session *session = api_session();
  for (int i = 0; i < 4; i++) {
    const motion by = {"scaled", scales[i / 2], {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    wisp_mesh *mesh[2];
    wisp_matrix *matrix = NULL;
    wisp_operator *op = NULL;
    open_pair(i % 2 ? 8 : 4, &by, mesh);
    const wisp_matrix_request of_tets = {WISP_INIT(wisp_matrix_request),
                                         .spec = "assembly.step:tet:p2:laplace:f32",
                                         .vertices = mesh[1]->vertices,
                                         .elements = mesh[1]->elements,
                                         .xyz = mesh[1]->xyz,
                                         .corners = mesh[1]->cell};
    const wisp_operator_request of_hexes = {WISP_INIT(wisp_operator_request),
                                            .spec = "tensor.collocated_trilinear:hex:p3:poisson:f32",
                                            .vertices = mesh[1]->vertices,
                                            .elements = mesh[1]->elements,
                                            .xyz = mesh[1]->xyz,
                                            .corners = mesh[1]->cell};
    if (i % 2)
      BAD(wisp_operator_create(err, session, &of_hexes, &op), WISP_EUSAGE, "take another unit of length");
    else
      BAD(wisp_matrix_create(err, session, &of_tets, &matrix), WISP_EUSAGE, "take another unit of length");
    close_pair(mesh);
  }
}

/* For one f, u is as small as the square of the scale, and its flux as the scale. Squares of them leave the range. */
TEST(test_helmholtz)
{
  const motion *by = &motions_of_planes[3];
  OWNED(wisp_session_close) wisp_session *session = api_session();
  wisp_mesh *mesh[2];
  wisp_helmholtz_counts n;
  double *u[2], *flux[2];
  open_pair(3, by, mesh);
  for (int i = 0; i < 2; i++) {
    static const wisp_solver_setting settings[] = {{"kappa", "2"}, {"lambda", "0"}, {NULL, NULL}};
    const wisp_solver_request request = {WISP_INIT(wisp_solver_request),
                                         .problem = "helmholtz",
                                         .order = 3,
                                         .precision = WISP_F32,
                                         .vertices = mesh[i]->vertices,
                                         .elements = mesh[i]->elements,
                                         .xyz = mesh[i]->xyz,
                                         .corners = mesh[i]->tri,
                                         .settings = settings};
    wisp_helmholtz *problem = NULL;
    GOOD(wisp_helmholtz_create(err, session, &request, NULL, &problem));
    GOOD(wisp_helmholtz_size(err, problem, &n));
    OWNED(free) double *f = zeros(n.elements * n.points);
    for (size_t k = 0; k < n.elements * n.points; k++) f[k] = 3;
    u[i] = zeros(n.u), flux[i] = zeros(n.flux);
    void *load = put(session, NULL, n.load), *given = put(session, NULL, n.given);
    const wisp_helmholtz_data data = {WISP_INIT(wisp_helmholtz_data), .load = load, .given = given,
                                      .u = put(session, NULL, n.u), .flux = put(session, NULL, n.flux)};
    GOOD(wisp_helmholtz_integrate(err, problem, f, NULL, load, given));
    GOOD(wisp_helmholtz_solve(err, problem, &data, NULL));
    take(session, data.u, n.u, u[i]), take(session, data.flux, n.flux, flux[i]);
    wisp_memory_destroy(session, load), wisp_memory_destroy(session, given);
    wisp_helmholtz_destroy(problem);
  }
  alike("u", u[0], u[1], n.u, by->scale * by->scale, 1e-3);
  alike("flux", flux[0], flux[1], n.flux, by->scale, 1e-3);
  for (int i = 0; i < 2; i++) free(u[i]), free(flux[i]);
  close_pair(mesh);
}

/* --- files --- */

/* Reads the numbers behind a Matrix Market file's header, without the row and column of a matrix. */
static size_t read_market(const char *path, size_t skipped, double *out)
{
  size_t length = 0, count = 0;
  char *text = fixture_read(path, &length), *at = strchr(strchr(text, '\n') + 1, '\n') + 1, *end = NULL;
  for (;; at = end) {
    for (size_t i = 0; i < skipped; i++) strtol(at, &at, 10);
    out[count] = strtod(at, &end);
    if (end == at) break;
    count++;
  }
  free(text);
  return count;
}

/* Points are the first numbers of a VTU file. */
static void check_points(const char *path, const wisp_mesh *mesh, size_t count)
{
  size_t length = 0;
  char *file = fixture_read(path, &length), *at = memchr(file, '_', length);
  double low[3], high[3], seen[2][3];
  while (at && at[-1] != '\n') at = memchr(at + 1, '_', length - (size_t)(at + 1 - file));
  assert_non_null(at);
  wisp_mesh_extent(mesh, low, high);
  for (int d = 0; d < 3; d++) seen[0][d] = INFINITY, seen[1][d] = -INFINITY;
  for (size_t i = 0; i < 3 * count; i++) {
    double x;
    memcpy(&x, at + 1 + 8 + i * sizeof x, sizeof x);
    seen[0][i % 3] = fmin(seen[0][i % 3], x), seen[1][i % 3] = fmax(seen[1][i % 3], x);
  }
  for (int d = 0; d < 3; d++)
    assert_true(fabs(seen[0][d] - low[d]) <= 1e-14 * fabs(low[d]) &&
                fabs(seen[1][d] - high[d]) <= 1e-14 * fabs(high[d]));
  free(file);
}

/* A steady system on tets whose f falls with the square of the scale grows with the scale. */
TEST_IN_FOLDER(test_files)
{
  static const wisp_heat_kappa kappa = {.number = {3}};
  static const wisp_heat_method method = {
      .precision = WISP_F64, .tolerance = 1e-12, .standstill = 1e-10, .iterations = 1000, .assemblies = 1};
  const motion by = {"both", 1e-3, {5, 6, 7}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  OWNED(wisp_session_close) wisp_session *session = api_session();
  const wisp_chooser from = wisp_session_chooser(session);
  wisp_mesh *mesh[2];
  double *A[2], *b[2];
  size_t nonzeros = 0, rows = 0;
  open_pair(4, &by, mesh);
  for (int i = 0; i < 2; i++) {
    const wisp_heat_given given = {.count = 2,
                                   .tag = (const int32_t[]){1, 2},
                                   .value = (const double[]){1, 2},
                                   .f = i ? 1 / (by.scale * by.scale) : 1};
    wisp_choose_request request = {.spec = wisp_family_spec(wisp_family_find("assembly"), 2, "heat", WISP_F64)};
    wisp_stage assembly = {0}, iteration = {0};
    OWNED(wisp_heat_destroy) wisp_heat *heat = NULL;
    wisp_heat_solver *solver = NULL;
    wisp_spec_name_element(&request.spec, "tet");
    GOOD(wisp_heat_create(err, "mesh", mesh[i], 2, &kappa, 0, &given, &heat));
    GOOD(wisp_choose(err, &from, &request, &assembly));
    request.composition = WISP_HEAT_ITERATION;
    GOOD(wisp_choose(err, &from, &request, &iteration));
    GOOD(wisp_heat_solver_create(err, session->device, heat, &assembly, &iteration, &method, &solver));
    GOOD(wisp_heat_step(err, solver));
    OWNED(free) double *u = zeros(heat->assembly->nodes->nodes);
    GOOD(wisp_heat_solver_field(err, solver, u));
    wisp_fields fields;
    GOOD(wisp_heat_fields(err, heat, u, &fields));
    GOOD(wisp_fields_write(err, &fields, fixture_path(*state, "u.vtu")));
    wisp_fields_free(&fields);
    check_points(fixture_path(*state, "u.vtu"), mesh[i], 10 * mesh[i]->elements);
    GOOD(wisp_heat_export(err, solver, fixture_path(*state, "A.mtx")));
    A[i] = zeros(heat->assembly->pattern->nonzeros + 1), b[i] = zeros(heat->assembly->pattern->rows + 1);
    nonzeros = read_market(fixture_path(*state, "A.mtx"), 2, A[i]);
    rows = read_market(fixture_path(*state, "A_b.mtx"), 0, b[i]);
    assert_true(nonzeros == heat->assembly->pattern->nonzeros && rows == heat->assembly->pattern->rows);
    wisp_heat_solver_destroy(solver);
    wisp_stage_free(&assembly), wisp_stage_free(&iteration);
  }
  alike("A", A[0], A[1], nonzeros, by.scale, 1e-9);
  alike("b", b[0], b[1], rows, by.scale, 1e-9);
  for (int i = 0; i < 2; i++) free(A[i]), free(b[i]);
  close_pair(mesh);
}

/* --- the command --- */

/* A run on the irregular mesh, moved, whose options take numbers of its scale. */
static double error_of(const char *folder, int corners, const motion *by, const char *arguments, const char *key)
{
  const char *path = fixture_path(folder, "it.msh");
  wisp_mesh *mesh[2];
  open_pair(corners, by, mesh);
  print_mesh(path, mesh[1]);
  close_pair(mesh);
  return solve_number(folder, key, arguments, "-p f32 --mesh %s", path);
}

/* kappa and tau follow, and options have the range that a nanometre or a thousand kilometres ask for. Squares of small
 * coefficients do not vanish. */
TEST_IN_FOLDER(test_command)
{
  static const struct {
    int corners, scale;
    const char *near, *key, *there;
    double power;
  } runs[] = {
      {3, 3, "helmholtz -n 2 --lambda 0", "tau", "helmholtz -n 2 --lambda 0", -1},
      {3, 3, "helmholtz -n 2 --kappa 3", "l2_u",
       "helmholtz -n 2 --kappa 3e-18 --solution 'sin(2*pi*x*1e9)*sin(2*pi*y*1e9)'", 1},
      {3, 3, "heat -n 2 --steps 1 --time 1e-9", "l2_error", "heat -n 2 --steps 1 --time 1e-9 --capacity 1e18", 1},
      {3, 3, "heat -n 2 --steps 1 --time 1e-20", "l2_error", "heat -n 2 --steps 1 --time 1e-20 --capacity 1e18", 1},
      {3, 0, "heat -n 2 --capacity 0 --kappa 1", "l2_error", "heat -n 2 --capacity 0 --kappa 1e-24", 0},
      {3, 0, "helmholtz -n 2", "l2_u", "helmholtz -n 2 --kappa 1e-24 --lambda 1e-24", 0},
      {8, 3, "poisson -n 2 --lambda 3", "l2_error", "poisson -n 2 --lambda 3e18", 1.5},
      {8, 5, "poisson -n 2 --lambda 3", "l2_error", "poisson -n 2 --lambda 3e-12", 1.5},
  };
  for (size_t i = 0; i < WISP_COUNT(runs); i++) {
    const motion *by = &motions_in_space[runs[i].scale];
    const double near = error_of(*state, runs[i].corners, &motions_in_space[0], runs[i].near, runs[i].key);
    const double there = error_of(*state, runs[i].corners, by, runs[i].there, runs[i].key);
    const double is = there / pow(by->scale, runs[i].power);
    if (!(fabs(is - near) <= 0.01 * near)) fail_msg("%s: %s %g, not %g", runs[i].there, runs[i].key, is, near);
  }
}

/* Two threads of a launch of 50 us wait for each other where others run too. */
static int one_thread(void **state)
{
  return setenv("OMP_NUM_THREADS", "1", 1);
}

GROUP(one_thread, NULL)
