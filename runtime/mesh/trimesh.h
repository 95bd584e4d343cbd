/* What is particular to meshes of triangles: their box and their edges. */
#ifndef WISP_TRIMESH_H
#define WISP_TRIMESH_H

#include "mesh.h"

/* The unit square as n[0] x n[1] squares of two triangles each, cut from lower left to upper right. Its sides have the
 * tags 1, x = 0; 2, x = 1; 3, y = 0; 4, y = 1. Each n in 1..16384, WISP_EUSAGE otherwise. */
wisp_status wisp_trimesh_box(wisp_error *err, const int n[2], wisp_mesh **out);

/* Finds neighbours across edges; edge e of a triangle leads from its corner e to the next. WISP_EINPUT, with name and
 * element, for vertex numbers out of range, triangles that are flat, inverted or saved twice, an edge of three
 * triangles, a vertex that no triangle has, and vertices of different z. */
wisp_status wisp_trimesh_connect(wisp_error *err, const char *name, wisp_mesh *mesh);

#endif
