/* The order in which elements are laid out in memory: that of a mesher has no locality, and then most of what a kernel
 * reads of its neighbours comes from far away. */
#ifndef WISP_ORDER_H
#define WISP_ORDER_H

#include "hexmesh.h"
#include "mesh.h"

typedef enum wisp_ordering {
  WISP_ORDER_AS_GIVEN, /* the mesh's own numbers */
  WISP_ORDER_CURVE,    /* clusters of a slab's size, grown along a Hilbert curve through the elements' centres */
  WISP_ORDER_METIS     /* parts of a slab's size by METIS */
} wisp_ordering;
enum { WISP_ORDERINGS = 3 };
extern const char *const wisp_ordering_names[WISP_ORDERINGS]; /* as --order takes them */

/* Of tets, sets mesh->order. Nothing is renumbered: it is where elements go, not what they are called. Hexes and
 * triangles themselves are put into order: along the curve, without clusters, unless as given; their numbers are kept
 * for messages. WISP_EUSAGE for hexes by METIS. */
wisp_status wisp_mesh_order(wisp_error *err, wisp_mesh *mesh, wisp_ordering how);

/* Puts tets themselves into the order in which they are to be laid out, as hexes and triangles are. */
wisp_status wisp_mesh_settle(wisp_error *err, wisp_mesh *mesh);

/* Numbers in the order in which a Hilbert curve passes `count` points, xyz of each together. order: caller's memory. */
wisp_status wisp_curve(wisp_error *err, size_t count, const double *xyz, int32_t *order);

#endif
