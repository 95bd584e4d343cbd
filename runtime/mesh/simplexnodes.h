/* The continuous numbering of nodes on triangles and tets, and which of them are given. */
#pragma once

#include "frame.h"

/* Which boundary edges', or faces', nodes are given, not asked for; and how nodes are numbered. */
typedef struct wisp_fixing {
  bool all;            /* those that are in none of the groups, else those that are in one */
  size_t count;        /* of groups */
  const int32_t *tag;  /* their numbers */
  bool vertices_first; /* in the mesh's own order */
} wisp_fixing;
/* Is this edge, or face, given? It must be one of the boundary. */
bool wisp_fixing_has(const wisp_fixing *fixing, const wisp_mesh *mesh, size_t face);
/* The groups of a list, `outlet,3,"air gap"` (groups.h); all: those of the boundary that are in none of them. *numbers:
 * what the fixing goes by, caller's to free. what ("option --neumann") begins messages about the list, name is the
 * mesh's. WISP_EUSAGE for what the boundary has not. */
wisp_status wisp_fixing_read(wisp_error *err, const char *what, const char *name, const wisp_mesh *mesh,
                             const char *list, bool all, int32_t **numbers, wisp_fixing *out);

/* WISP_EUSAGE for a group that nothing of the boundary is in. */
wisp_status wisp_fixing_check(wisp_error *err, const char *name, const wisp_mesh *mesh, const wisp_fixing *fixing);

/* Local node a of element e (gen/assembly/simplex.h) is node[e Np + a], the same in all elements that share the node.
 * Unknowns come first, then the nodes that are fixed; among each, numbers rise with the first element, then the first
 * local node that has them, but for vertices that go first. */
typedef struct wisp_simplexnodes {
  int dimension, N, Np;
  size_t elements, nodes, unknowns;
  size_t count[4]; /* of vertices, edges, triangles, tets: of whatever dimension the mesh has */
  int32_t *node;   /* elements x Np */
} wisp_simplexnodes;

/* WISP_EUSAGE for an order out of 1..5, a group without a boundary face, or more than 2^31 - 1 local nodes. */
wisp_status wisp_simplexnodes_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                     const wisp_fixing *fixed, wisp_simplexnodes **out);
void wisp_simplexnodes_destroy(wisp_simplexnodes *nodes);
WISP_OWNED(wisp_simplexnodes, wisp_simplexnodes_destroy)

/* Sets u at the nodes of all boundary edges, or faces, that are in the group of this number. */
void wisp_simplexnodes_set(const wisp_simplexnodes *nodes, const wisp_mesh *mesh, int32_t tag, double value, double *u);

/* The place of each node in the frame, x, y and z together: 3 x nodes, caller's memory. */
wisp_status wisp_simplexnodes_points(wisp_error *err, const wisp_simplexnodes *nodes, const wisp_mesh *mesh,
                                     const wisp_frame *frame, double *xyz);
