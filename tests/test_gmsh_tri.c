/* Claim: triangles are read from Gmsh files of format 2.2 and 4.1, their boundary's lines with the physical tags that
 * these have; and files of other elements, of three dimensions or with contradictions are refused by name and line. */
#include "test.h"
#include "../runtime/mesh/mesh.h"

#define TWO "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FOUR "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
/* The unit square and a point beside it, that no triangle has. */
#define NODES_2 "$Nodes\n5\n10 0 0 2\n20 1 0 2\n30 1 1 2\n40 0 1 2\n50 7 7 7\n$EndNodes\n"
#define NODES_4 "$Nodes\n1 5 10 50\n2 1 0 5\n10\n20\n30\n40\n50\n0 0 2\n1 0 2\n1 1 2\n0 1 2\n7 7 7\n$EndNodes\n"
#define TRIANGLES_2 "1 2 2 0 1 10 20 30\n2 2 2 0 1 10 30 40\n"

static const char in_two[] =
    TWO NODES_2 "$Elements\n5\n" TRIANGLES_2 "3 1 2 7 1 20 10\n4 1 2 -9 2 30 40\n5 1 2 5 3 10 30\n$EndElements\n";
/* Curves 1 and 2 in the groups 7 and 9, curve 3 in none. */
static const char in_four[] =
    FOUR "$Entities\n0 3 1 0\n1 0 0 0 1 0 0 1 7 0\n2 0 1 0 1 1 0 1 -9 0\n3 0 0 0 1 1 0 0 0\n1 0 0 0 1 1 0 0 "
         "0\n$EndEntities\n" NODES_4
         "$Elements\n4 5 1 5\n1 1 1 1\n3 20 10\n1 2 1 1\n4 30 40\n1 3 1 1\n5 10 40\n2 1 2 2\n1 10 20 30\n2 10 30 40\n"
         "$EndElements\n";

static void check_square(const char *text)
{
  static const int32_t tags[6] = {7, 0, 0, 0, 9, 0};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_parse(err, 3, 0, "square", text, strlen(text), &mesh));
  assert_true(mesh->vertices == 4 && mesh->elements == 2 && mesh->corners == 3);
  for (size_t i = 0; i < 6; i++) {
    static const int32_t corners[6] = {0, 1, 2, 0, 2, 3}, across[6] = {-1, -1, 1, 0, -1, -1};
    assert_int_equal(mesh->tri[i], corners[i]);
    assert_int_equal(mesh->neighbour[i], across[i]);
    assert_int_equal(mesh->tag[i], tags[i]);
  }
}

TEST(test_read)
{
  check_square(in_two);
  check_square(in_four);
}

static void expect_refused(const char *text, const char *why)
{
  wisp_error refused = {.text = ""};
  wisp_mesh *mesh = NULL;
  assert_int_equal(wisp_mesh_parse(&refused, 3, 0, "bad", text, strlen(text), &mesh), WISP_EINPUT);
  if (!strstr(refused.text, why)) fail_msg("%s", refused.text);
}

TEST(test_refused)
{
  expect_refused(TWO NODES_2 "$Elements\n1\n1 3 2 0 1 10 20 30 40\n$EndElements\n",
                 "bad:14: a quadrangle (element type 3): only straight triangles can be used; mesh without Recombine");
  expect_refused(TWO NODES_2 "$Elements\n2\n1 2 2 0 1 10 20 30\n2 4 2 0 1 10 20 30 40\n$EndElements\n",
                 "bad:15: a tetrahedron (element type 4): only straight triangles can be used; mesh in two dimensions");
  expect_refused(TWO NODES_2 "$Elements\n2\n1 2 2 0 1 10 20 30\n2 3 2 0 1 10 20 30 40\n$EndElements\n",
                 "bad:15: a quadrangle (element type 3)");
  expect_refused(TWO NODES_2 "$Elements\n1\n1 5 2 0 1 10 20 30 40 10 20 30 40\n$EndElements\n",
                 "bad:14: a hexahedron (element type 5)");
  expect_refused(TWO NODES_2 "$Elements\n1\n1 9 2 0 1 10 20 30 40 50 10\n$EndElements\n",
                 "triangle 0 is curved, its node 40 lies 1.12 beside the middle");
  expect_refused(TWO NODES_2 "$Elements\n1\n1 1 2 7 1 10 20\n$EndElements\n",
                 "no triangles in $Elements: truncated, not meshed in 2-D");
  expect_refused(TWO NODES_2 "$Elements\n3\n" TRIANGLES_2 "3 2 2 0 1 30 40 50\n$EndElements\n",
                 "the triangles lie in no plane, vertex 4 is");
  expect_refused(TWO NODES_2 "$Elements\n3\n" TRIANGLES_2 "3 2 2 0 1 20 30 10\n$EndElements\n", "overlap");
  expect_refused(TWO NODES_2 "$Elements\n3\n" TRIANGLES_2 "3 1 2 7 1 20 60\n$EndElements\n",
                 "a line of physical curve 7 uses node 60, which $Nodes does not have");
}
