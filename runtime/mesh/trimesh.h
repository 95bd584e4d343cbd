/* What is particular to meshes of triangles: the continuous numbering of their nodes. */
#ifndef WISP_TRIMESH_H
#define WISP_TRIMESH_H

#include "mesh.h"

/* Which boundary edges' nodes are given, not asked for. */
typedef struct wisp_fixing {
  bool all;     /* of the boundary; else */
  size_t count; /* of tags */
  const int32_t *tag;
} wisp_fixing;

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
