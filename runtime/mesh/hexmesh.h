/* The continuous numbering of the Gauss-Lobatto-Legendre (GLL) nodes of meshes of hexahedra. */
#pragma once

#include "mesh.h"

typedef wisp_mesh wisp_hexmesh; /* of elements with 8 corners */

/* The continuous numbering: local node (k Nq + j) Nq + i of element e is global[e Np + local], the same number in all
 * elements that share the node. Numbers rise with the first element, then the first local node that has them, so that
 * neighbours in memory are neighbours in the mesh. */
typedef struct wisp_hexnodes {
  int Nq; /* nodes a direction; Np = Nq^3 */
  size_t elements, nodes;
  int32_t *global;        /* elements x Np */
  unsigned char *outside; /* nodes: 1 on the boundary, on a face that only one element has */
} wisp_hexnodes;

/* WISP_EINPUT where the mesh does not conform or hexes overlap, WISP_EUSAGE for an order not in 1..15 or 2^31 nodes. */
wisp_status wisp_hexnodes_create(wisp_error *err, const char *name, const wisp_hexmesh *mesh, int order,
                                 wisp_hexnodes **out);
void wisp_hexnodes_destroy(wisp_hexnodes *nodes);
WISP_OWNED(wisp_hexnodes, wisp_hexnodes_destroy)

/* The unknowns of a problem on these nodes: all, or those inside; and where each is found in the elements: unknown g is
 * local node copy[start[g]] .. copy[start[g+1] - 1], ascending (an index into elements x Np).
 *
 * The first `within` unknowns are those within the elements, which have one copy each, (Nq - 2)^3 an element, in the
 * order of their local nodes: arithmetic finds their places. The others follow in the order of their nodes, and have
 * their places once more in a form that asks for few bytes and no start, by s = g - within: one[s] is the first copy.
 * two[s] is the other where there are two; else it is -1 - at, and more[at] counts the copies besides the first, which
 * follow it there. So -1 stands for no other copy: more[0] is 0.
 *
 * surface leads the other way: the unknown of each node on an element's surface, Nq^3 - (Nq - 2)^3 an element, in the
 * order of their local nodes, -1 where the node is none. */
typedef struct wisp_hexcopies {
  size_t unknowns, within, copies, more_count;
  int32_t *unknown;   /* nodes: its unknown, or -1 */
  int32_t *start;     /* unknowns + 1 */
  int32_t *copy;      /* copies */
  int32_t *one, *two; /* unknowns - within */
  int32_t *more;      /* more_count */
  size_t surfaces;
  int32_t *surface; /* surfaces */
} wisp_hexcopies;
wisp_status wisp_hexcopies_create(wisp_error *err, const wisp_hexnodes *nodes, bool inside_only, wisp_hexcopies **out);
void wisp_hexcopies_destroy(wisp_hexcopies *copies);
WISP_OWNED(wisp_hexcopies, wisp_hexcopies_destroy)
