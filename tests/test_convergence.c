/* Claim: a cavity mode converges with order N + 0.7 or better, on boxes of cubes for N = 1..5 and on unstructured
 * meshes. Needs the command gmsh. */
#include "solving.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { MESHES = 3 };

#define GOOD(call)                                     \
  do {                                                 \
    if ((call) != WISP_OK) fail_msg("%s", error.text); \
  } while (0)

/* The error at `time` on one mesh; *h is the mean size of an element. Takes the mesh. */
static double solve(int order, wisp_mesh *mesh, double time, double *h)
{
  wisp_error error = {0};
  solving s;
  const solving_setup setup = {.order = order};
  *h = 1 / cbrt((double)mesh->elements);
  if (!solving_open(&error, &s, mesh, &setup)) fail_msg("%s", error.text);
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

static void test_boxes(void **state)
{
  (void)state;
  static const int boxes[5][MESHES] = {{6, 8, 11}, {4, 6, 8}, {3, 4, 6}, {2, 3, 4}, {2, 3, 4}};
  for (int order = 1; order <= 5; order++) {
    double h[MESHES], l2[MESHES];
    for (int i = 0; i < MESHES; i++) {
      wisp_error error = {0};
      wisp_mesh *mesh = NULL;
      GOOD(wisp_mesh_box(&error, boxes[order - 1][i], &mesh));
      l2[i] = solve(order, mesh, 0.2, &h[i]);
    }
    for (int i = 1; i < MESHES; i++) check_order(order, h, l2, i - 1, i);
  }
}

static const char unstructured[] =
    "General.NumThreads = 1;\nPoint(1) = {0, 0, 0, 0.4}; x[] = Extrude {1, 0, 0} { Point{1}; };\n"
    "y[] = Extrude {0, 1, 0} { Curve{x[1]}; }; z[] = Extrude {0, 0, 1} { Surface{y[1]}; };\n"
    "Mesh 3;\nSave \"0.msh\";\nRefineMesh;\nSave \"1.msh\";\nRefineMesh;\nSave \"2.msh\";\n";

/* An unstructured mesh of the box and two refinements, made by Gmsh in a fresh folder. */
static void make_unstructured(wisp_mesh *mesh[MESHES])
{
  char folder[] = "/tmp/wisp_convergence_XXXXXX", command[256], path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/it.geo", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(unstructured, file);
  assert_int_equal(fclose(file), 0);
  snprintf(command, sizeof command, "cd %s && gmsh it.geo -v 1 -nt 1 - >log 2>&1", folder);
  if (system(command) != 0) fail_msg("the command gmsh failed or is missing; see %s/log", folder);
  for (int i = 0; i < MESHES; i++) {
    wisp_error error = {0};
    snprintf(path, sizeof path, "%s/%d.msh", folder, i);
    GOOD(wisp_mesh_read(&error, path, &mesh[i]));
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void test_unstructured(void **state)
{
  (void)state;
  for (int order = 2; order <= 3; order++) {
    wisp_mesh *mesh[MESHES] = {NULL};
    double h[MESHES], l2[MESHES];
    make_unstructured(mesh);
    for (int i = 0; i < MESHES; i++) l2[i] = solve(order, mesh[i], 0.06, &h[i]);
    check_order(order, h, l2, 0, MESHES - 1); /* the first refinement depends on how Gmsh filled the box */
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_unstructured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
