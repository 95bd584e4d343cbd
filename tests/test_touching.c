/* Claim: faces of the boundary that lie on one another are found, all of them and no others, of tets, hexes and
 * triangles, wherever the mesh lies and whatever its size: such as coincide, and such as share a part of a plane from
 * both sides. Joining nodes that are closer than a tolerance makes one mesh of parts. */
#include "good.h"
#include "../runtime/mesh/source.h"
#include "../runtime/mesh/touching.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const int kinds[] = {3, 4, 8};

static wisp_mesh *make_grid(int corners, int x, int y, int z)
{
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_grid(err, corners, (const int[]){x, y, z}, &mesh));
  return mesh;
}

/* How many faces belong to one element alone: of a grid, counted by hand. */
static size_t faces_outside(int corners, size_t x, size_t y, size_t z)
{
  return corners == 3 ? 2 * (x + y) : (corners == 4 ? 4 : 2) * (x * y + y * z + z * x);
}

static void connect(wisp_mesh *mesh)
{
  GOOD(wisp_mesh_connect(err, "made", mesh));
}

/* Every element with vertices of its own. Destroys the mesh. */
static wisp_mesh *explode(wisp_mesh *mesh)
{
  const size_t corners = (size_t)mesh->corners;
  wisp_mesh *parts = NULL;
  GOOD(wisp_mesh_create(err, mesh->corners, corners * mesh->elements, mesh->elements, &parts));
  for (size_t i = 0; i < corners * mesh->elements; i++) {
    parts->cell[i] = (int32_t)i;
    memcpy(parts->xyz + 3 * i, mesh->xyz + 3 * (size_t)mesh->cell[i], 3 * sizeof *mesh->xyz);
  }
  wisp_mesh_destroy(mesh);
  connect(parts);
  return parts;
}

/* Two meshes as one that shares no vertex, the second moved. Destroys both. */
static wisp_mesh *put_beside(wisp_mesh *a, wisp_mesh *b, double dx, double dy, double dz)
{
  const double by[3] = {dx, dy, dz};
  const size_t corners = (size_t)a->corners;
  wisp_mesh *both = NULL;
  GOOD(wisp_mesh_create(err, a->corners, a->vertices + b->vertices, a->elements + b->elements, &both));
  memcpy(both->xyz, a->xyz, 3 * a->vertices * sizeof *a->xyz);
  for (size_t i = 0; i < 3 * b->vertices; i++) both->xyz[3 * a->vertices + i] = b->xyz[i] + by[i % 3];
  memcpy(both->cell, a->cell, corners * a->elements * sizeof *a->cell);
  for (size_t i = 0; i < corners * b->elements; i++)
    both->cell[corners * a->elements + i] = b->cell[i] + (int32_t)a->vertices;
  wisp_mesh_destroy(a);
  wisp_mesh_destroy(b);
  connect(both);
  return both;
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

static void test_none(void **state)
{
  (void)state;
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
static void test_wedge(void **state)
{
  static const double angles[] = {0.1, 1e-3, 1e-4};
  (void)state;
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
        connect(mesh);
        expect_once(mesh, 0, 0);
      }
}

/* Every face inside is there twice; joined, the mesh is the one that it was. */
static void test_exploded(void **state)
{
  (void)state;
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    wisp_mesh *mesh = make_grid(kinds[i], 4, 4, 4);
    const size_t vertices = mesh->vertices, outside = faces_outside(kinds[i], 4, 4, 4);
    const size_t faces = (size_t)(kinds[i] == 8 ? 6 : kinds[i]) * mesh->elements;
    size_t joined = 0;
    GOOD(wisp_mesh_jitter(err, mesh, 0.2, 5)); /* hexes' faces are no longer plane */
    mesh = explode(mesh);
    expect(mesh, faces - outside, 0);
    GOOD(wisp_mesh_merge(err, "made", mesh, 1e-9, &joined));
    assert_int_equal(mesh->vertices, vertices);
    assert_int_equal(joined, (size_t)kinds[i] * mesh->elements - vertices);
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
  connect(mesh);
}

static const struct place {
  double scale, far, angle;
} places[] = {{1, 0, 0}, {1, 0, 0.7}, {1e-9, 0, 0.3}, {1e6, 0, 0.5}, {1, 5e5, 0}, {1e-3, 1e5, 1.1}};

/* Sides whose nodes meet coincide; sides of which one is meshed finer overlap; each face is counted once. */
static void test_sides(void **state)
{
  (void)state;
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
static void test_shifted(void **state)
{
  static const double shifts[] = {0.5, 0.9, 1e-3};
  (void)state;
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    for (size_t s = 0; s < WISP_COUNT(shifts); s++) {
      wisp_touching t;
      wisp_mesh *mesh = put_beside(make_grid(kinds[i], 1, 1, 1), make_grid(kinds[i], 1, 1, 1), 1, shifts[s], 0);
      GOOD(wisp_mesh_find_touching(err, mesh, &t));
      assert_int_equal(t.coincident, 0);
      assert_true(t.overlapping >= 2);
      assert_true(t.element[0] < mesh->elements / 2 && t.element[1] >= mesh->elements / 2);
      assert_true(fabs(t.at[0] - 1) < 1e-12);
      wisp_mesh_destroy(mesh);
    }
}

static void test_refusal(void **state)
{
  static const char *const words[] = {"edges", "faces", "faces"};
  (void)state;
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    wisp_error refused = {.text = ""};
    char count[32];
    const int side = kinds[i] == 3 ? 2 : kinds[i] == 4 ? 8 : 4;
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
    wisp_mesh_destroy(mesh);
  }
}

/* Nodes that are closer than the tolerance are joined, others are not; and no element loses an edge. */
static void test_tolerance(void **state)
{
  (void)state;
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    size_t joined = 0;
    wisp_error refused = {.text = ""};
    wisp_mesh *mesh = put_beside(make_grid(kinds[i], 2, 2, 2), make_grid(kinds[i], 2, 2, 2), 1 + 1e-4, 0, 0);
    GOOD(wisp_mesh_merge(err, "made", mesh, 0.9e-4, &joined));
    assert_int_equal(joined, 0);
    assert_int_equal(wisp_mesh_merge(&refused, "made", mesh, 0.5, &joined), WISP_EUSAGE);
    assert_non_null(strstr(refused.text, "take less"));
    GOOD(wisp_mesh_merge(err, "made", mesh, 1.1e-4, &joined));
    assert_int_equal(joined, kinds[i] == 3 ? 3 : 9);
    if (kinds[i] != 8) {
      size_t outside = 0;
      for (size_t f = 0; f < (size_t)kinds[i] * mesh->elements; f++) outside += mesh->neighbour[f] == WISP_BOUNDARY;
      const size_t side = kinds[i] == 3 ? 2 : 8;
      assert_int_equal(outside, 2 * (faces_outside(kinds[i], 2, 2, 2) - side));
    }
    wisp_mesh_destroy(mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_none),      cmocka_unit_test(test_wedge),   cmocka_unit_test(test_exploded),
      cmocka_unit_test(test_sides),     cmocka_unit_test(test_shifted), cmocka_unit_test(test_refusal),
      cmocka_unit_test(test_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
