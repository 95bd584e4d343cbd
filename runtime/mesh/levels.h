/* Elements in the order in which they are come upon from a corner of the mesh, level by level (E. Cuthill, J. McKee,
 * 1969): what neighbours in memory have beside them are neighbours again, as in the rows of a box. */
#ifndef WISP_LEVELS_H
#define WISP_LEVELS_H

#include "mesh.h"

/* curve: the elements in an order in which those that are near each other mostly stand together. Nothing but speed, and
 * which corner it is, hangs on it. order: caller's memory. */
wisp_status wisp_levels(wisp_error *err, const wisp_mesh *mesh, const int32_t *curve, int32_t *order);

#endif
