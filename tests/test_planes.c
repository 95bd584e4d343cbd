/* Claim: triangles are read from a plane at any place in space. What a run tells is the same wherever the plane is,
 * formulas and files have the file's coordinates, and a surface that is no plane is refused. */
#include "test.h"
#include "command.h"
#include "solving.h"
#include "store_fixture.h"

enum { SIDE = 4, POINTS = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

/* The plate's point (s, t) is at origin + s first + t second. */
typedef struct place {
  double origin[3], first[3], second[3];
} place;

static const place level = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const place upright = {{0, -2, 0}, {1, 0, 0}, {0, 0, 1}};
static const place side = {{3, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const place tilted = {{0.3, -1, 2}, {2. / 3, 2. / 3, 1. / 3}, {-2. / 3, 1. / 3, 2. / 3}};
static const place tilted_the_other_way = {{0.3, -1, 2}, {-2. / 3, 1. / 3, 2. / 3}, {2. / 3, 2. / 3, 1. / 3}};

/* A plate of moved squares, each cut in two, whose sides are the curves 1 to 4; bump lifts its middle off the plane. */
static const char *write_plate(const char *folder, const place *at, double bump)
{
  HELD(wisp_text_free) wisp_text text = {0};
  double normal[3];
  for (size_t c = 0; c < 3; c++)
    normal[c] = at->first[(c + 1) % 3] * at->second[(c + 2) % 3] - at->first[(c + 2) % 3] * at->second[(c + 1) % 3];
  GOOD(wisp_text_print(err, &text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", POINTS));
  for (int v = 0; v < POINTS; v++) {
    const int i = v % (SIDE + 1), j = v / (SIDE + 1), inside = i % SIDE && j % SIDE;
    const double s = (i + inside * 0.2 * sin(v)) / SIDE, t = (j + inside * 0.2 * cos(3 * v)) / SIDE;
    const double off = i == SIDE / 2 && j == SIDE / 2 ? bump : 0;
    GOOD(wisp_text_print(err, &text, "%d", v + 1));
    for (int c = 0; c < 3; c++)
      GOOD(wisp_text_print(err, &text, " %.17g",
                           at->origin[c] + s * at->first[c] + t * at->second[c] + off * normal[c]));
    GOOD(wisp_text_print(err, &text, "\n"));
  }
  GOOD(wisp_text_print(err, &text, "$EndNodes\n$Elements\n%d\n", TRIANGLES + 4 * SIDE));
  for (int k = 0; k < SIDE; k++) {
    const int edge[4][2] = {{k, k + 1},
                            {(SIDE + 1) * k + SIDE, (SIDE + 1) * (k + 1) + SIDE},
                            {(SIDE + 1) * SIDE + k, (SIDE + 1) * SIDE + k + 1},
                            {(SIDE + 1) * k, (SIDE + 1) * (k + 1)}};
    for (int e = 0; e < 4; e++)
      GOOD(wisp_text_print(err, &text, "%d 1 2 %d 1 %d %d\n", 4 * k + e + 1, e + 1, edge[e][0] + 1, edge[e][1] + 1));
  }
  for (int k = 0; k < TRIANGLES; k++) {
    const int low = k / 2 % SIDE + (SIDE + 1) * (k / 2 / SIDE) + 1, high = low + SIDE + 2;
    GOOD(wisp_text_print(err, &text, "%d 2 2 1 1 %d %d %d\n", k + 4 * SIDE + 1, low, k % 2 ? high : low + 1,
                         k % 2 ? low + SIDE + 1 : high));
  }
  GOOD(wisp_text_print(err, &text, "$EndElements\n"));
  const char *path = fixture_text(folder, "plate.msh", text.data);
  return path;
}

/* --- what runs tell --- */

/* `s` or `t` of a point as an expression in x, y and z. */
static void print_along(const place *at, const double direction[3], char text[160])
{
  snprintf(text, 160, "(%.17g*(x-%.17g)+%.17g*(y-(%.17g))+%.17g*(z-%.17g))", direction[0], at->origin[0], direction[1],
           at->origin[1], direction[2], at->origin[2]);
}

/* Errors of a known solution that is a function of s and t, told in x, y and z; and what heat comes to. */
static void solve_all(const char *folder, const place *at, double results[5])
{
  static const char *const names[] = {"l2_u", "l2_p", "l2_ustar"};
  char s[160], t[160];
  const char *mesh = write_plate(folder, at, 0);
  print_along(at, at->first, s);
  print_along(at, at->second, t);
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(folder, "helmholtz",
                           "--mesh %s --default -n 2 --neumann 2,3 --kappa '%s < 0.5 ? 2 : 1' --lambda 3 "
                           "--solution 'sin(2*%s)*exp(%s)'",
                           mesh, s, s, t);
  for (int i = 0; i < 3; i++) results[i] = json_number(json, names[i]);
  cJSON_Delete(json);
  json = solve_json(folder, "heat", "--mesh %s --default -n 2 --fix 1=3,2=1 --source 2 --kappa 1 --steps 2", mesh);
  results[3] = json_number(json, "u_mean");
  results[4] = json_number(json, "u_highest");
}

TEST_IN_FOLDER(test_anywhere)
{
  static const place *const places[] = {&upright, &side, &tilted, &tilted_the_other_way};
  double here[5], there[5];
  solve_all(*state, &level, here);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    solve_all(*state, places[i], there);
    for (int k = 0; k < 5; k++)
      if (!(fabs(there[k] / here[k] - 1) < 1e-7))
        fail_msg("place %zu: number %d is %.12g, not %.12g", i, k, there[k], here[k]);
  }
}

/* A plane of one z keeps x and y, and z is what the file has. */
TEST_IN_FOLDER(test_height)
{
  static const place high = {{0, 0, 2.5}, {1, 0, 0}, {0, 1, 0}};
  double error[2];
  for (int i = 0; i < 2; i++) {
    const char *mesh = write_plate(*state, i ? &high : &level, 0);
    error[i] = solve_number(*state, "l2_p", "helmholtz", "--mesh %s --default -n 2 --solution '%s*sin(3*x)+y'", mesh,
                            i ? "z" : "2.5");
  }
  assert_true(error[0] > 1e-4 && fabs(error[1] / error[0] - 1) < 1e-9);
}

/* Nobody says what u is: then it is a function that varies over the plate, wherever that is. */
TEST_IN_FOLDER(test_standard)
{
  static const place *const places[] = {&level, &upright, &side};
  double here[3];
  for (int i = 0; i < 3; i++) {
    here[i] = solve_number(*state, "l2_u", "helmholtz", "--mesh %s --default -n 2", write_plate(*state, places[i], 0));
  }
  assert_true(here[0] > 1e-4 && fabs(here[1] / here[0] - 1) < 1e-7 && fabs(here[2] / here[0] - 1) < 1e-7);
}

/* Rounding in a file is no bump, and most turn one way: nothing is told of either. */
TEST_IN_FOLDER(test_tolerance)
{
  char line[256];
  const place *const places[] = {&level, &tilted};
  for (int i = 0; i < 2; i++) {
    const char *path = write_plate(*state, places[i], 1e-10);
    snprintf(line, sizeof line, "run helmholtz --default -n 1 -d %s --mesh %s", test_device_name(), path);
    outcome o = run_in(*state, "", line);
    if (o.status != 0 || strstr(o.err, "orientation")) fail_msg("status %d: %s", o.status, o.err);
    forget(&o);
    write_plate(*state, places[i], 1e-7);
    run_expect(*state, "", 1, "the triangles lie in no plane", "%s", line);
    run_expect(*state, "", 1, "gmsh -3", "%s", line);
  }
}

/* --- files --- */

/* The points and the named array of a file: 8 bytes of length before each array. */
static double *read_points(const char *path, char **file, size_t *points)
{
  size_t length = 0;
  *file = fixture_read(path, &length);
  const char *number = strstr(*file, "NumberOfPoints=\"");
  assert_non_null(number);
  *points = strtoul(number + 16, NULL, 10);
  char *at = memmem(*file, length, "\n_", 2);
  assert_non_null(at);
  double *xyz = zeros(3 * *points);
  memcpy(xyz, at + 2 + 8, 3 * *points * sizeof *xyz);
  return xyz;
}

/* All points of the file lie on the plate, and its corners are among them. */
static void check_points(const double *xyz, size_t points, const place *at)
{
  double low[2] = {1, 1}, high[2] = {0};
  for (size_t i = 0; i < points; i++) {
    const double *direction[2] = {at->first, at->second};
    double left = 0, along[2] = {0};
    for (int d = 0; d < 2; d++)
      for (size_t c = 0; c < 3; c++) along[d] += (xyz[3 * i + c] - at->origin[c]) * direction[d][c];
    for (size_t c = 0; c < 3; c++)
      left += fabs(xyz[3 * i + c] - at->origin[c] - along[0] * at->first[c] - along[1] * at->second[c]);
    assert_true(left < 1e-13);
    for (int d = 0; d < 2; d++) low[d] = fmin(low[d], along[d]), high[d] = fmax(high[d], along[d]);
  }
  for (int d = 0; d < 2; d++) assert_true(fabs(low[d]) < 1e-13 && fabs(high[d] - 1) < 1e-13);
}

TEST_IN_FOLDER(test_files)
{
  static const char *const problems[] = {"heat", "helmholtz"};
  const char *mesh = write_plate(*state, &tilted, 0), *vtu = fixture_path(*state, "u.vtu");
  for (int i = 0; i < 2; i++) {
    size_t points = 0;
    OWNED(free) char *file = NULL;
    cJSON_Delete(solve_json(*state, problems[i], "--mesh %s --default -n 2 %s -o %s", mesh, i ? "" : "--fix 1=1", vtu));
    OWNED(free) double *xyz = read_points(vtu, &file, &points);
    check_points(xyz, points, &tilted);
    assert_true(!i == !strstr(file, "Name=\"p_z\"")); /* p is tangential, and has three parts here */
  }
}

/* --- the library --- */

TEST_IN_FOLDER(test_library)
{
  const char *mesh = write_plate(*state, &tilted, 0);
  OWNED(wisp_session_close) wisp_session *session = default_session();
  wisp_matrix *matrix = NULL;
  wisp_matrix_counts counts;
  GOOD(wisp_matrix_create(
      err, session,
      &(wisp_matrix_request){WISP_INIT(wisp_matrix_request), .spec = "assembly.step:tri:p2:laplace:f64", .mesh = mesh},
      &matrix));
  GOOD(wisp_matrix_size(err, matrix, &counts));
  OWNED(free) double *xyz = zeros(3 * counts.nodes);
  GOOD(wisp_matrix_nodes(err, matrix, xyz, NULL, NULL));
  check_points(xyz, counts.nodes, &tilted);
  wisp_matrix_destroy(matrix);
}
