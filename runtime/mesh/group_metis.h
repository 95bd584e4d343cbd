/* Inside grouping: METIS's part of it. */
#ifndef WISP_GROUP_METIS_H
#define WISP_GROUP_METIS_H

#include "mesh.h"

/* Fills slot, ceil(elements / size) groups of size slots that hold WISP_EMPTY, with METIS's parts of the dual graph.
 * WISP_EREFUSED, with the reason, below WISP_METIS_LEAST elements a group (several groups) and where METIS fails. */
enum { WISP_METIS_LEAST = 10 }; /* "work well if K_M M_B >~ 10" (paper 0, section 5.3) */
wisp_status wisp_mesh_group_metis(wisp_error *err, const wisp_mesh *mesh, size_t size, int32_t *slot);

#endif
