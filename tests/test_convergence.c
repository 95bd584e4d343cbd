/* Claim: a cavity mode converges with order N + 0.7 or better, on boxes of cubes for N = 1..5 and on unstructured
 * meshes. Needs the command gmsh, or the meshes that `make bundle` made with it. */
#include "test.h"
#include "solving.h"

enum { MESHES = 3 };

/* The number of meshes solved on: WISP_TEST_COARSE leaves out the last, which takes nine tenths of the time. */
static int meshes(void)
{
  return getenv("WISP_TEST_COARSE") ? MESHES - 1 : MESHES;
}

/* The error at `time` on one mesh; *h is the mean size of an element. Takes the mesh. */
static double solve(int order, wisp_mesh *mesh, double time, double *h)
{
  wisp_error reason = {0};
  solving s;
  const solving_setup setup = {.order = order};
  *h = 1 / cbrt((double)mesh->elements);
  if (!solving_open(&reason, &s, mesh, &setup)) fail_msg("%s", reason.text);
  double l2 = cavity_error(&s, time, 1);
  print_message("N = %d, %6zu elements, error %.3e\n", order, s.mesh->elements, l2);
  solving_close(&s);
  return l2;
}

/* The order between two meshes. */
static void check_order(int order, const double *h, const double *l2, int from, int to)
{
  double found = log(l2[from] / l2[to]) / log(h[from] / h[to]);
  print_message("N = %d: order %.2f\n", order, found);
  if (!(found >= order + 0.7)) fail_msg("N = %d converges with order %.2f only", order, found);
}

TEST(test_boxes)
{
  static const int boxes[5][MESHES] = {{6, 8, 11}, {4, 6, 8}, {3, 4, 6}, {2, 3, 4}, {2, 3, 4}};
  for (int order = 1; order <= 5; order++) {
    double h[MESHES], l2[MESHES];
    for (int i = 0; i < meshes(); i++) {
      wisp_mesh *mesh = NULL;
      GOOD(wisp_mesh_box(err, boxes[order - 1][i], &mesh));
      l2[i] = solve(order, mesh, 0.2, &h[i]);
    }
    for (int i = 1; i < meshes(); i++) check_order(order, h, l2, i - 1, i);
  }
}

/* Reads the meshes from one folder; false where they are not there. */
static bool read_meshes(const char *folder, wisp_mesh *mesh[MESHES])
{
  for (int i = 0; i < MESHES; i++) {
    char path[64];
    snprintf(path, sizeof path, "%s/%d.msh", folder, i);
    if (access(path, R_OK) != 0) return false;
    GOOD(wisp_mesh_read(err, 4, 0, path, &mesh[i]));
  }
  return true;
}

/* An unstructured mesh of the box and two refinements: made by Gmsh in a fresh folder, or, where there is no Gmsh, as
 * `make bundle` made them. */
static void make_unstructured(wisp_mesh *mesh[MESHES])
{
  char folder[] = "/tmp/wisp_convergence_XXXXXX", command[256];
  if (system("command -v gmsh >/dev/null") != 0) {
    if (read_meshes("tests/meshes", mesh) || read_meshes("bundle/tests/meshes", mesh)) return;
    fail_msg(
        "the command gmsh is missing, and so are the meshes of make bundle in tests/meshes or bundle/tests/meshes");
  }
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command,
           "cp tests/meshes/unstructured.geo %s && cd %s && gmsh unstructured.geo -v 1 -nt 1 - >log 2>&1", folder,
           folder);
  if (system(command) != 0) fail_msg("the command gmsh failed; see %s/log", folder);
  assert_true(read_meshes(folder, mesh));
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

TEST(test_unstructured)
{
  for (int order = 2; order <= 3; order++) {
    wisp_mesh *mesh[MESHES] = {NULL};
    double h[MESHES], l2[MESHES];
    make_unstructured(mesh);
    for (int i = 0; i < meshes(); i++) l2[i] = solve(order, mesh[i], 0.06, &h[i]);
    assert_true(l2[1] < l2[0]); /* by how much depends on how Gmsh filled the box */
    if (meshes() == MESHES)
      check_order(order, h, l2, 0, MESHES - 1);
    else
      wisp_mesh_destroy(mesh[MESHES - 1]);
  }
}
