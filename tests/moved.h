/* Meshes for tests, and what is done to them: moved, scaled, turned. */
#pragma once

#include "../runtime/mesh/mesh.h"

/* x becomes shift + scale turn x. */
typedef struct motion {
  const char *name;
  double scale, shift[3], turn[3][3];
} motion;

enum { MOTIONS = 7, TEST_MESHES = 3 };

/* The first leaves the mesh as it is; then by two distances, by three factors, turned: triangles within their plane. */
extern const motion motions_of_planes[MOTIONS], motions_in_space[MOTIONS];

/* The point that a motion took to x. */
void move_back(const motion *m, const double x[3], double out[3]);

/* A copy of a mesh, moved. Tags and regions stay. */
wisp_mesh *moved(const wisp_mesh *mesh, const motion *m);

/* A box, whose sides have tags; the same with vertices moved and all in random order; one by Gmsh, of tests/meshes, or
 * of hexes a box of bent ones. All span the unit square or the unit box. */
void make_test_meshes(int corners, wisp_mesh *out[TEST_MESHES]);
