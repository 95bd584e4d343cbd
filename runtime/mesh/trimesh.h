/* What is particular to meshes of triangles: their box, their edges, and the continuous numbering of their nodes. */
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

/* Which boundary edges' nodes are given, not asked for. */
typedef struct wisp_fixing {
  bool all;     /* of the boundary; else */
  size_t count; /* of tags */
  const int32_t *tag;
} wisp_fixing;
bool wisp_fixing_has(const wisp_fixing *fixing, int32_t tag);
/* WISP_EUSAGE for a tag that no edge of the boundary has. */
wisp_status wisp_fixing_check(wisp_error *err, const char *name, const wisp_mesh *mesh, const wisp_fixing *fixing);

/* The continuous numbering: local node a of element e (gen/assembly/tri.h) is node[e Np + a], the same in all elements
 * that share the node. Unknowns come first, then the nodes that are fixed; among each, numbers rise with the first
 * element, then the first local node that has them. */
typedef struct wisp_trinodes {
  int N, Np;
  size_t elements, nodes, unknowns, edges;
  int32_t *node; /* elements x Np */
} wisp_trinodes;

/* mesh is connected, and borrowed for the call. WISP_EUSAGE for an order out of 1..5, a tag that no edge of the
 * boundary has, or more than 2^31 - 1 local nodes. */
wisp_status wisp_trinodes_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                 const wisp_fixing *fixed, wisp_trinodes **out);
void wisp_trinodes_destroy(wisp_trinodes *nodes);
WISP_OWNED(wisp_trinodes, wisp_trinodes_destroy)

/* Where each node lies, x and y together: 2 x nodes, caller's memory. */
wisp_status wisp_trinodes_places(wisp_error *err, const wisp_trinodes *nodes, const wisp_mesh *mesh, double *xy);

#endif
