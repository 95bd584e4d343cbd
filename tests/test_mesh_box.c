/* Claim: the unit box is a conforming mesh of volume 1 whose neighbour relations are symmetric and whose turns take the
 * vertices of a face to the same vertices of the other's; connect refuses what is no such mesh. */
#include "test.h"
#include "../gen/nodal/tet.h"
#include "../runtime/mesh/mesh.h"

static double volume(const wisp_mesh *mesh, size_t k)
{
  double e[3][3];
  for (size_t i = 0; i < 3; i++)
    for (size_t c = 0; c < 3; c++)
      e[i][c] = mesh->xyz[3 * (size_t)mesh->tet[4 * k + i + 1] + c] - mesh->xyz[3 * (size_t)mesh->tet[4 * k] + c];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

/* Every tet has the volume 1/(6 n^3): none is inverted, together they fill the box. */
TEST(test_volumes)
{
  for (int n = 1; n <= 6; n++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
    GOOD(wisp_mesh_box(err, n, &mesh));
    assert_int_equal(mesh->elements, 6 * n * n * n);
    assert_int_equal(mesh->vertices, (n + 1) * (n + 1) * (n + 1));
    for (size_t k = 0; k < mesh->elements; k++) assert_true(fabs(volume(mesh, k) * 6 * n * n * n - 1) < 1e-12);
  }
}

static void check_face(const wisp_mesh *mesh, size_t k, int f)
{
  size_t ours = 4 * k + (size_t)f, other = (size_t)mesh->neighbour[ours];
  int g = mesh->neighbour_face[ours];
  assert_true(other < mesh->elements && other != k && g >= 0 && g < 4);
  assert_int_equal(mesh->neighbour[4 * other + (size_t)g], k);
  assert_int_equal(mesh->neighbour_face[4 * other + (size_t)g], f);
  const int *turn = wisp_tet_orientations[mesh->neighbour_orientation[ours]];
  const int *back = wisp_tet_orientations[mesh->neighbour_orientation[4 * other + (size_t)g]];
  for (int a = 0; a < 3; a++) {
    assert_int_equal(back[turn[a]], a);
    assert_int_equal(mesh->tet[4 * k + (size_t)wisp_tet_face_vertices[f][a]],
                     mesh->tet[4 * other + (size_t)wisp_tet_face_vertices[g][turn[a]]]);
  }
}

/* The plane x, y, z = 0 or 1 that holds a whole face, or -1. */
static int box_side(const wisp_mesh *mesh, size_t k, int f)
{
  for (int side = 0; side < 6; side++) {
    int on = 0;
    for (int a = 0; a < 3; a++) {
      size_t v = (size_t)mesh->tet[4 * k + (size_t)wisp_tet_face_vertices[f][a]];
      on += fabs(mesh->xyz[3 * v + (size_t)(side / 2)] - side % 2) < 1e-14;
    }
    if (on == 3) return side;
  }
  return -1;
}

/* Inner faces pair up; boundary faces are exactly those on the sides of the box, 2 n^2 a side. */
TEST(test_neighbours)
{
  for (int n = 1; n <= 6; n++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
    int sides[6] = {0};
    GOOD(wisp_mesh_box(err, n, &mesh));
    for (size_t k = 0; k < mesh->elements; k++)
      for (int f = 0; f < 4; f++) {
        int side = box_side(mesh, k, f);
        assert_int_equal(side >= 0, mesh->neighbour[4 * k + (size_t)f] == WISP_BOUNDARY);
        assert_int_equal(mesh->tag[4 * k + (size_t)f], 0);
        if (side < 0)
          check_face(mesh, k, f);
        else
          sides[side]++;
      }
    for (int side = 0; side < 6; side++) assert_int_equal(sides[side], 2 * n * n);
  }
}

/* Elements run cube after cube, x fastest. */
TEST(test_order)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_box(err, 3, &mesh));
  for (size_t k = 0; k < mesh->elements; k++) {
    size_t cube = k / 6, corner[3] = {cube % 3, cube / 3 % 3, cube / 9};
    for (size_t v = 0; v < 4; v++)
      for (size_t c = 0; c < 3; c++) {
        double x = 3 * mesh->xyz[3 * (size_t)mesh->tet[4 * k + v] + c] - (double)corner[c];
        assert_true(x > -1e-12 && x < 1 + 1e-12);
      }
  }
}

TEST(test_bad_sizes)
{
  wisp_mesh *mesh = NULL;
  wisp_error err = {0};
  assert_int_equal(wisp_mesh_box(&err, 0, &mesh), WISP_EUSAGE);
  assert_int_equal(wisp_mesh_box(&err, 401, &mesh), WISP_EUSAGE);
  assert_int_equal(wisp_mesh_box(&err, -3, &mesh), WISP_EUSAGE);
  assert_null(mesh);
  assert_non_null(strstr(err.text, "1 to 400"));
}

/* All six turns occur: a tet on each side of one triangle, the second's vertices named in every positive order. */
TEST(test_turns)
{
  static const double xyz[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  static const int even[12][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2}, {1, 3, 2, 0}, {1, 2, 0, 3},
                                  {2, 3, 0, 1}, {2, 0, 1, 3}, {2, 1, 3, 0}, {3, 2, 1, 0}, {3, 1, 0, 2}, {3, 0, 2, 1}};
  static const int32_t first[4] = {0, 1, 2, 3}, second[4] = {1, 2, 3, 4};
  int seen[6] = {0}, orientations = 0;
  for (int i = 0; i < 144; i++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
    GOOD(wisp_mesh_create(err, 4, 5, 2, &mesh));
    memcpy(mesh->xyz, xyz, sizeof xyz);
    for (int v = 0; v < 4; v++) {
      mesh->tet[v] = first[even[i / 12][v]];
      mesh->tet[4 + v] = second[even[i % 12][v]];
    }
    GOOD(wisp_mesh_connect(err, "two", mesh));
    for (int f = 0; f < 8; f++)
      if (mesh->neighbour[f] != WISP_BOUNDARY) {
        check_face(mesh, (size_t)f / 4, f % 4);
        orientations += !seen[mesh->neighbour_orientation[f]]++;
      }
  }
  assert_int_equal(orientations, 6);
}

/* Connects tets over six points and expects a refusal that says why. */
static void refuse(size_t elements, const int32_t *tet, const char *why)
{
  static const double xyz[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 2, 2}};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  wisp_error err = {0};
  assert_int_equal(wisp_mesh_create(&err, 4, 6, elements, &mesh), WISP_OK);
  memcpy(mesh->xyz, xyz, sizeof xyz);
  if (elements) memcpy(mesh->tet, tet, 4 * elements * sizeof *tet);
  assert_int_equal(wisp_mesh_connect(&err, "bad", mesh), WISP_EINPUT);
  if (!strstr(err.text, why)) fail_msg("'%s' does not say '%s'", err.text, why);
  assert_null(strchr(err.text, '\n'));
}

TEST(test_refusals)
{
  refuse(0, NULL, "no tets");
  refuse(1, (int32_t[]){0, 1, 2, 6}, "vertex 6");
  refuse(1, (int32_t[]){0, 1, 2, -1}, "vertex -1");
  refuse(1, (int32_t[]){0, 1, 2, 2}, "degenerate");
  refuse(1, (int32_t[]){0, 1, 4, 5}, "degenerate");
  refuse(2, (int32_t[]){0, 2, 1, 3, 0, 1, 2, 3}, "1 of 2 tets are inverted");
  refuse(2, (int32_t[]){0, 1, 2, 3, 0, 1, 2, 3}, "overlap");
  refuse(2, (int32_t[]){0, 1, 2, 3, 0, 1, 2, 4}, "overlap");
  refuse(3, (int32_t[]){0, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 5}, "shared by 3 tets");
}
