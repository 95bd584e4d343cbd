/* Meshes of parts that share no vertex, for tests, and Gmsh files of meshes. */
#pragma once

#include "../runtime/mesh/mesh.h"

/* A grid of the unit box or square, as wisp_mesh_grid makes it. */
wisp_mesh *make_grid(int corners, int x, int y, int z);

/* Finds the neighbours anew, after vertices have moved. */
void connect_mesh(wisp_mesh *mesh);

/* Every element with vertices of its own. Destroys the mesh. */
wisp_mesh *explode_mesh(wisp_mesh *mesh);

/* Two meshes as one that shares no vertex, the second moved. Destroys both. */
wisp_mesh *put_beside(wisp_mesh *a, wisp_mesh *b, double dx, double dy, double dz);

/* A regular polygon as triangles around its centre, vertex 0. */
wisp_mesh *make_fan(int around);

/* Writes format 2.2, with elements in their region, 1 where they have none, and no faces. write_mesh destroys the mesh.
 */
void print_mesh(const char *path, const wisp_mesh *mesh);
void write_mesh(const char *path, wisp_mesh *mesh);
