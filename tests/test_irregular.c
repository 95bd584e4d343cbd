/* Claim: a box that is moved and shuffled is still the unit box, of as many positive elements; shuffling keeps the set
 * of elements and the tags of their faces; and all 48 ways in which faces of two tets can meet appear. */
#include "test.h"
#include "../gen/nodal/tet.h"
#include "../runtime/mesh/source.h"

static double volume(const double *xyz, const int32_t *v)
{
  double e[3][3];
  for (size_t i = 0; i < 3; i++)
    for (size_t c = 0; c < 3; c++) e[i][c] = xyz[3 * (size_t)v[i + 1] + c] - xyz[3 * (size_t)v[0] + c];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

static wisp_mesh *box(int n, double amount, uint64_t jitter, uint64_t shuffle)
{
  wisp_mesh *mesh = NULL;
  wisp_error err = {0};
  if (wisp_mesh_box(&err, n, &mesh) != WISP_OK || wisp_mesh_jitter(&err, mesh, amount, jitter) != WISP_OK ||
      (shuffle && wisp_mesh_shuffle(&err, mesh, shuffle) != WISP_OK))
    fail_msg("%s", err.text);
  return mesh;
}

/* Boundary faces lie in the box's sides, and nothing is inverted: then a volume of 1 is the unit box. */
static void check_unit_box(const wisp_mesh *mesh)
{
  double sum = 0;
  for (size_t k = 0; k < mesh->elements; k++) {
    double part = volume(mesh->xyz, mesh->tet + 4 * k);
    assert_true(part > 0);
    sum += part;
  }
  assert_true(fabs(sum - 1) < 1e-12);
  for (size_t f = 0; f < 4 * mesh->elements; f++) {
    if (mesh->neighbour[f] != WISP_BOUNDARY) continue;
    int sides = 0;
    for (size_t side = 0; side < 6; side++) {
      int on = 0;
      for (size_t a = 0; a < 3; a++)
        on += mesh->xyz[3 * (size_t)mesh->tet[f / 4 * 4 + (size_t)wisp_tet_face_vertices[f % 4][a]] + side / 2] ==
              (double)(side % 2);
      sides += on == 3;
    }
    assert_int_equal(sides, 1);
  }
}

TEST(test_jitter)
{
  static const double amounts[] = {0, 0.05, 0.3, 0.5};
  for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
    OWNED(wisp_mesh_destroy)
    wisp_mesh *still = box(6, 0, 0, 0), *mesh = box(6, amounts[i], i, 0), *same = box(6, amounts[i], i, 0);
    double furthest = 0;
    size_t moved = 0;
    check_unit_box(mesh);
    assert_memory_equal(mesh->xyz, same->xyz, 3 * mesh->vertices * sizeof *mesh->xyz);
    for (size_t x = 0; x < 3 * mesh->vertices; x++) {
      double far = fabs(mesh->xyz[x] - still->xyz[x]) * 6;
      moved += far > 0;
      furthest = fmax(furthest, far);
    }
    assert_true(furthest <= amounts[i] * (1 + 1e-12) && furthest >= 0.9 * amounts[i]);
    /* 5 of 7 lines of points are inside in each direction. */
    assert_true(amounts[i] > 0 ? moved > 3 * 5 * 7 * 7 * 9 / 10 : moved == 0);
  }
}

static int compare_points(const void *left, const void *right)
{
  return memcmp(left, right, 3 * sizeof(double));
}

static int compare_tets(const void *left, const void *right)
{
  return memcmp(left, right, 12 * sizeof(double));
}

/* The elements as sorted sets of points: what does not depend on any numbering. */
static double *element_set(const wisp_mesh *mesh)
{
  double *set = allocate(mesh->elements * 12, sizeof *set);
  for (size_t k = 0; k < mesh->elements; k++) {
    for (size_t v = 0; v < 4; v++)
      memcpy(set + 12 * k + 3 * v, mesh->xyz + 3 * (size_t)mesh->tet[4 * k + v], 3 * sizeof *set);
    qsort(set + 12 * k, 4, 3 * sizeof *set, compare_points);
  }
  qsort(set, mesh->elements, 12 * sizeof *set, compare_tets);
  return set;
}

TEST(test_shuffle_keeps_the_elements)
{
  OWNED(wisp_mesh_destroy)
  wisp_mesh *mesh = box(5, 0.2, 1, 0), *shuffled = box(5, 0.2, 1, 9), *repeated = box(5, 0.2, 1, 9),
            *other = box(5, 0.2, 1, 10);
  OWNED(free) double *set = element_set(mesh), *of_shuffled = element_set(shuffled);
  const size_t tets = 4 * mesh->elements * sizeof *mesh->tet;
  check_unit_box(shuffled);
  assert_memory_equal(set, of_shuffled, mesh->elements * 12 * sizeof *set);
  assert_memory_equal(shuffled->tet, repeated->tet, tets);
  assert_memory_not_equal(shuffled->tet, mesh->tet, tets);
  assert_memory_not_equal(shuffled->tet, other->tet, tets);
}

/* Every side of the box is tagged with its own number before: each boundary face must have its side's after. */
TEST(test_tags)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = box(3, 0, 0, 0);
  for (int run = 0; run < 2; run++) {
    size_t tagged = 0;
    for (size_t f = 0; f < 4 * mesh->elements; f++) {
      int32_t side = 0;
      for (int32_t s = 0; s < 6 && mesh->neighbour[f] == WISP_BOUNDARY; s++) {
        int on = 0;
        for (size_t a = 0; a < 3; a++)
          on +=
              mesh->xyz[3 * (size_t)mesh->tet[f / 4 * 4 + (size_t)wisp_tet_face_vertices[f % 4][a]] + (size_t)s / 2] ==
              s % 2;
        if (on == 3) side = s + 1;
      }
      if (run) assert_int_equal(mesh->tag[f], side);
      mesh->tag[f] = side;
      tagged += side > 0;
    }
    assert_int_equal(tagged, 6 * 2 * 9);
    GOOD(wisp_mesh_shuffle(err, mesh, 4));
  }
}

/* The half of the box that an element lies in is its region before, and after. */
TEST(test_regions)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = box(2, 0, 0, 0);
  for (int run = 0; run < 2; run++) {
    for (size_t k = 0; k < mesh->elements; k++) {
      double sum = 0;
      for (size_t v = 0; v < 4; v++) sum += mesh->xyz[3 * (size_t)mesh->tet[4 * k + v]];
      const int32_t half = sum > 2 ? 8 : 5;
      if (run) assert_int_equal(mesh->region[k], half);
      mesh->region[k] = half;
    }
    GOOD(wisp_mesh_shuffle(err, mesh, 4));
  }
}

/* Two faces of opposite sense meet in one of three turns, so that of 4 x 4 x 6 ways 48 remain. A box shows six. */
static size_t meetings(const wisp_mesh *mesh)
{
  char seen[4][4][6] = {{{0}}};
  size_t count = 0;
  for (size_t f = 0; f < 4 * mesh->elements; f++) {
    char *met = &seen[f % 4][mesh->neighbour_face[f]][mesh->neighbour_orientation[f]];
    if (mesh->neighbour[f] == WISP_BOUNDARY || *met) continue;
    *met = 1;
    count++;
  }
  return count;
}

TEST(test_all_meetings)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *plain = box(4, 0, 0, 0), *mesh = box(4, 0.2, 1, 1);
  print_message("ways to meet: %zu in a box, %zu when shuffled\n", meetings(plain), meetings(mesh));
  assert_true(meetings(plain) < 48);
  assert_int_equal(meetings(mesh), 48);
}

/* The same of hexes: conforming and positive by the checks that read meshes pass, with as many nodes as before. */
TEST(test_hexes)
{
  wisp_error err = {0};
  OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = NULL;
  OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
  assert_int_equal(wisp_mesh_grid(&err, 8, (const int[3]){5, 4, 3}, &mesh), WISP_OK);
  if (wisp_mesh_jitter(&err, mesh, 0.3, 3) != WISP_OK || wisp_mesh_shuffle(&err, mesh, 4) != WISP_OK ||
      wisp_mesh_connect(&err, "shuffled", mesh) != WISP_OK ||
      wisp_hexnodes_create(&err, "shuffled", mesh, 3, &nodes) != WISP_OK)
    fail_msg("%s", err.text);
  size_t outside = 0, moved = 0;
  assert_int_equal(nodes->nodes, 16 * 13 * 10);
  for (size_t g = 0; g < nodes->nodes; g++) outside += nodes->outside[g];
  assert_int_equal(outside, 16 * 13 * 10 - 14 * 11 * 8);
  const double cut[3] = {5, 4, 3};
  for (size_t i = 0; i < 3 * mesh->vertices; i++) {
    assert_true(mesh->xyz[i] >= 0 && mesh->xyz[i] <= 1);
    moved += fabs(remainder(mesh->xyz[i] * cut[i % 3], 1)) > 1e-9;
  }
  assert_true(moved > mesh->vertices);
  assert_true(mesh->hex[0] != 0 || mesh->hex[1] != 1);
}

TEST(test_refusals)
{
  wisp_error err = {0};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = box(1, 0, 0, 0);
  static const double bad[] = {-0.1, 0.51, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(wisp_mesh_jitter(&err, mesh, bad[i], 1), WISP_EUSAGE);
    assert_non_null(strstr(err.text, "must be 0 to 0.5"));
  }
}
