/* Claim: faces of the boundary that lie on one another are found, all of them and no others, of tets, hexes and
 * triangles, wherever the mesh lies and whatever its size: such as coincide, and such as share a part of a plane from
 * both sides. Joining nodes that are closer than a tolerance makes one mesh of parts. Every solver refuses such a file,
 * until it is told to join its nodes or to take the faces as walls. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "parts.h"
#include "store_fixture.h"
#include "../runtime/mesh/source.h"
#include "../runtime/mesh/touching.h"

static const int kinds[] = {3, 4, 8};

/* The number of faces that belong to one element alone, in a grid, counted by hand. */
static size_t faces_outside(int corners, size_t x, size_t y, size_t z)
{
  return corners == 3 ? 2 * (x + y) : (corners == 4 ? 4 : 2) * (x * y + y * z + z * x);
}

static void expect(const wisp_mesh *mesh, size_t coincident, size_t overlapping)
{
  wisp_touching t;
  GOOD(wisp_mesh_find_touching(err, mesh, &t));
  if (t.coincident != coincident || t.overlapping != overlapping)
    fail_msg("%zu and %zu, not %zu and %zu", t.coincident, t.overlapping, coincident, overlapping);
}

static void expect_once(wisp_mesh *mesh, size_t coincident, size_t overlapping)
{
  expect(mesh, coincident, overlapping);
  wisp_mesh_destroy(mesh);
}

TEST(test_none)
{
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    for (int n = 1; n <= 6; n++) {
      wisp_mesh *mesh = make_grid(kinds[i], n, n, n);
      expect(mesh, 0, 0);
      GOOD(wisp_mesh_jitter(err, mesh, 0.3, (uint64_t)n));
      expect(mesh, 0, 0);
      GOOD(wisp_mesh_shuffle(err, mesh, (uint64_t)n));
      expect_once(mesh, 0, 0);
    }
    /* Boxes that meet in an edge or a corner: sides of one plane look at each other, and share no area. */
    expect_once(put_beside(make_grid(kinds[i], 3, 3, 3), make_grid(kinds[i], 3, 3, 3), 1, 1, 0), 0, 0);
    expect_once(put_beside(make_grid(kinds[i], 2, 2, 2), make_grid(kinds[i], 3, 3, 3), 1, 1, kinds[i] == 3 ? 0 : 1), 0,
                0);
    /* A gap of a millionth. */
    expect_once(put_beside(make_grid(kinds[i], 2, 2, 2), make_grid(kinds[i], 2, 2, 2), 1 + 1e-6, 0, 0), 0, 0);
  }
}

/* Sides that meet in an edge under a small angle are no plane, however fine the mesh is near the edge. */
TEST(test_wedge)
{
  static const double angles[] = {0.1, 1e-3, 1e-4};
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    for (size_t a = 0; a < WISP_COUNT(angles); a++)
      for (int steep = 1; steep <= 5; steep += 2) {
        wisp_mesh *mesh = make_grid(kinds[i], 8, 2, 2);
        for (size_t v = 0; v < mesh->vertices; v++) {
          double *x = mesh->xyz + 3 * v;
          x[0] = pow(x[0], steep) + 1e-5; /* a blunt edge, that elements are not flat */
          x[1] = angles[a] * x[0] * (x[1] - 0.5);
          if (kinds[i] != 3) x[2] *= 1e-3;
        }
        connect_mesh(mesh);
        expect_once(mesh, 0, 0);
      }
}

static void merge(wisp_mesh *mesh, double tolerance)
{
  OWNED(free) int32_t *to = NULL;
  GOOD(wisp_mesh_merge(err, "made", mesh, tolerance, &to));
  connect_mesh(mesh);
}

/* Every face inside is there twice; joined, the mesh is the one that it was. */
TEST(test_exploded)
{
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    wisp_mesh *mesh = make_grid(kinds[i], 4, 4, 4);
    const size_t vertices = mesh->vertices, outside = faces_outside(kinds[i], 4, 4, 4);
    const size_t faces = (size_t)(kinds[i] == 8 ? 6 : kinds[i]) * mesh->elements;
    GOOD(wisp_mesh_jitter(err, mesh, 0.2, 5)); /* hexes' faces are no longer plane */
    mesh = explode_mesh(mesh);
    expect(mesh, faces - outside, 0);
    merge(mesh, 1e-9);
    assert_int_equal(mesh->vertices, vertices);
    expect_once(mesh, 0, 0);
  }
}

/* The same counts at map coordinates, in nanometres and turned in space (triangles in their plane). */
static void move(wisp_mesh *mesh, double scale, double far, double angle)
{
  for (size_t v = 0; v < mesh->vertices; v++) {
    double *x = mesh->xyz + 3 * v;
    const double a = cos(angle) * x[0] - sin(angle) * x[1], b = sin(angle) * x[0] + cos(angle) * x[1];
    const double c = mesh->corners == 3 ? 0 : cos(angle) * x[2] - sin(angle) * a;
    x[0] = scale * (far + (mesh->corners == 3 ? a : cos(angle) * a + sin(angle) * x[2]));
    x[1] = scale * (b - far), x[2] = scale * c;
  }
  connect_mesh(mesh);
}

static const struct place {
  double scale, far, angle;
} places[] = {{1, 0, 0}, {1, 0, 0.7}, {1e-9, 0, 0.3}, {1e6, 0, 0.5}, {1, 5e5, 0}, {1e-3, 1e5, 1.1}};

/* Sides whose nodes meet coincide; sides of which one is meshed finer overlap; each face is counted once. */
TEST(test_sides)
{
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    for (size_t p = 0; p < WISP_COUNT(places); p++) {
      const int corners = kinds[i];
      const size_t on_side[2] = {corners == 3 ? 2 : corners == 4 ? 8 : 4, corners == 3 ? 3 : corners == 4 ? 18 : 9};
      wisp_mesh *alike = put_beside(make_grid(corners, 2, 2, 2), make_grid(corners, 2, 2, 2), 1, 0, 0);
      wisp_mesh *finer = put_beside(make_grid(corners, 2, 2, 2), make_grid(corners, 3, 3, 3), 1, 0, 0);
      move(alike, places[p].scale, places[p].far, places[p].angle);
      move(finer, places[p].scale, places[p].far, places[p].angle);
      expect_once(alike, 2 * on_side[0], 0);
      expect_once(finer, 0, on_side[0] + on_side[1]);
    }
}

/* A side that is shifted along the other by a part of an edge shares area, whatever the part. */
TEST(test_shifted)
{
  static const double shifts[] = {0.5, 0.9, 1e-3};
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    for (size_t s = 0; s < WISP_COUNT(shifts); s++) {
      wisp_touching t;
      OWNED(wisp_mesh_destroy)
      wisp_mesh *mesh = put_beside(make_grid(kinds[i], 1, 1, 1), make_grid(kinds[i], 1, 1, 1), 1, shifts[s], 0);
      GOOD(wisp_mesh_find_touching(err, mesh, &t));
      assert_int_equal(t.coincident, 0);
      assert_true(t.overlapping >= 2);
      assert_true(t.element[0] < mesh->elements / 2 && t.element[1] >= mesh->elements / 2);
      assert_true(fabs(t.at[0] - 1) < 1e-12);
    }
}

TEST(test_refusal)
{
  static const char *const words[] = {"boundary edges", "boundary faces", "boundary faces"};
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    wisp_error refused = {.text = ""};
    char count[32];
    const int side = kinds[i] == 3 ? 2 : kinds[i] == 4 ? 8 : 4;
    OWNED(wisp_mesh_destroy)
    wisp_mesh *mesh = put_beside(make_grid(kinds[i], 2, 2, 2), make_grid(kinds[i], 2, 2, 2), 1, 0, 0);
    assert_int_equal(wisp_mesh_refuse_touching(&refused, "two.msh", mesh), WISP_EINPUT);
    snprintf(count, sizeof count, "two.msh: %d %s", 2 * side, words[i]);
    const char *const parts[] = {count, "at (1, 0.", "--merge", "--cracks", "Coherence"};
    for (size_t p = 0; p < WISP_COUNT(parts); p++)
      if (!strstr(refused.text, parts[p])) fail_msg("no '%s' in: %s", parts[p], refused.text);
    wisp_mesh_destroy(mesh);
    mesh = put_beside(make_grid(kinds[i], 2, 2, 2), make_grid(kinds[i], 3, 3, 3), 1, 0, 0);
    assert_int_equal(wisp_mesh_refuse_touching(&refused, "two.msh", mesh), WISP_EINPUT);
    if (strstr(refused.text, "--merge")) fail_msg("no nodes meet there: %s", refused.text);
    wisp_mesh_destroy(mesh);
    mesh = make_grid(kinds[i], 2, 2, 2);
    GOOD(wisp_mesh_refuse_touching(err, "one.msh", mesh));
  }
}

/* Nodes that are closer than the tolerance are joined, others are not; and no element loses an edge. */
TEST(test_tolerance)
{
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    int32_t *to = NULL;
    wisp_error refused = {.text = ""};
    OWNED(wisp_mesh_destroy)
    wisp_mesh *mesh = put_beside(make_grid(kinds[i], 2, 2, 2), make_grid(kinds[i], 2, 2, 2), 1 + 1e-4, 0, 0);
    const size_t before = mesh->vertices;
    merge(mesh, 0.9e-4);
    assert_int_equal(mesh->vertices, before);
    assert_int_equal(wisp_mesh_merge(&refused, "made", mesh, 0.5, &to), WISP_EUSAGE);
    assert_non_null(strstr(refused.text, "take less"));
    assert_int_equal(wisp_mesh_merge(&refused, "made", mesh, NAN, &to), WISP_EUSAGE);
    merge(mesh, 1.1e-4);
    assert_int_equal(mesh->vertices, before - (kinds[i] == 3 ? 3 : 9));
    if (kinds[i] != 8) {
      size_t outside = 0;
      for (size_t f = 0; f < (size_t)kinds[i] * mesh->elements; f++) outside += mesh->neighbour[f] == WISP_BOUNDARY;
      const size_t side = kinds[i] == 3 ? 2 : 8;
      assert_int_equal(outside, 2 * (faces_outside(kinds[i], 2, 2, 2) - side));
    }
  }
}

/* ---- The command. */

/* Solvers, the number of corners that they take, and a number that tells one mesh from two. */
static const struct solver {
  const char *run, *number;
  int corners;
} solvers[] = {{"maxwell -n 2 --steps 10 --dt 5e-3", "l2_error", 4},
               {"poisson -n 2", "dofs", 8},
               {"helmholtz -n 2", "unknowns", 3},
               {"heat -n 2 --steps 1", "unknowns", 3},
               {"heat --element tet -n 2 --steps 1", "unknowns", 4}};

/* The unit box or square in one piece, or in halves that share no node. */
static void write_box(const char *path, int corners, bool in_halves)
{
  wisp_mesh *mesh = in_halves ? put_beside(make_grid(corners, 2, 4, 4), make_grid(corners, 2, 4, 4), 1, 0, 0)
                              : make_grid(corners, 4, 4, 4);
  for (size_t v = 0; v < mesh->vertices && in_halves; v++) mesh->xyz[3 * v] /= 2;
  write_mesh(path, mesh);
}

static double solve(const char *folder, const struct solver *solver, const char *file, const char *more)
{
  return solve_number(folder, solver->number, solver->run, "--default --mesh %s %s", file, more);
}

TEST(test_solvers)
{
  for (size_t i = 0; i < WISP_COUNT(solvers); i++) {
    const struct solver *solver = &solvers[i];
    const char *one = fixture_path(*state, "one.msh"), *two = fixture_path(*state, "two.msh");
    write_box(one, solver->corners, false);
    write_box(two, solver->corners, true);
    outcome o = run_with(*state, "", "run %s -d host --default --mesh %s", solver->run, two);
    const int faces = solver->corners == 3 ? 4 : solver->corners == 4 ? 32 : 16;
    char count[32];
    snprintf(count, sizeof count, "two.msh: %d ", 2 * faces);
    if (o.status != 1 || *o.out || !strstr(o.err, count) || !strstr(o.err, "lie on one another"))
      fail_msg("%s: status %d: %s", solver->run, o.status, o.err);
    forget(&o);
    const double whole = solve(*state, solver, one, ""), merged = solve(*state, solver, two, "--merge 1e-9");
    if (!(fabs(merged / whole - 1) < 1e-9)) fail_msg("%s: %.9g, not %.9g", solver->run, merged, whole);
    const double cracked = solve(*state, solver, two, "--cracks");
    if (!(fabs(cracked / whole - 1) > 0.01)) fail_msg("%s: %.9g with walls, %.9g without", solver->run, cracked, whole);
  }
}

/* A program that reads the same file is refused as well, and has the same two remedies. */
TEST(test_library)
{
  wisp_mesh_note note;
  api_solve s;
  const char *path = fixture_path(*state, "two.msh");
  write_box(path, 4, true);
  wisp_solver_request request = {WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1, .mesh = path};
  BAD(api_try(err, &s, &request), WISP_EINPUT, "64 boundary faces lie on one another");
  request.merge = 1e-9;
  api_open(&s, &request);
  assert_int_equal(s.K, 384);
  GOOD(wisp_solver_note(err, s.solver, 0, &note));
  assert_string_equal(note.key, "merged");
  assert_non_null(strstr(note.text, "25 nodes"));
  BAD(wisp_solver_note(err, s.solver, 1, &note), WISP_EMISSING, "");
  api_close(&s);
  request.merge = 0, request.cracks = 1;
  api_open(&s, &request);
  BAD(wisp_solver_note(err, s.solver, 0, &note), WISP_EMISSING, "");
  api_close(&s);
}

GROUP(fixture_set_up, fixture_tear_down)
