/* Elements of all shapes, for tests. */
#pragma once

#include "../runtime/mesh/hexmesh.h"

/* Moves vertices inside the unit box by at most `amplitude` in each direction, by a product of sines that leaves the
 * sides where they are. WISP_EINPUT where that inverts an element (0.05 does not). */
wisp_status bend_box(wisp_error *err, wisp_hexmesh *mesh, double amplitude);
