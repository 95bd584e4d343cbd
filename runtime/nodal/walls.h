/* Walls: which of a system's boundaries each face of the mesh's boundary has. */
#pragma once

#include "../../gen/system.h"
#include "../mesh/mesh.h"

/* Zero-initialise: the system's first boundary everywhere. */
typedef struct wisp_walls {
  int boundary;    /* its index; -1: they differ, */
  int8_t *of_face; /* 4 x elements: then the index of each face's; else NULL */
} wisp_walls;

/* From a text: "absorbing", or by physical groups, "open=absorbing,walls=pec"; a kind without a group is that of the
 * rest, else the system's first is. Where a face is in two of the groups the last one counts. text NULL: the first
 * everywhere. mesh NULL: the kinds alone are checked. what ("option --boundary") begins messages about the text, name
 * is the mesh's. WISP_EUSAGE for a kind that the system has not, and for a group that the boundary has not. */
wisp_status wisp_walls_read(wisp_error *err, const char *what, const char *name, const wisp_system *system,
                            const wisp_mesh *mesh, const char *text, wisp_walls *out);
void wisp_walls_free(wisp_walls *walls);
