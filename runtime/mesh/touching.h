/* Volumes that touch without shared nodes: the faces between them belong to the boundary, where a solver has walls. */
#pragma once

#include "mesh.h"

/* Faces of the boundary that lie on others, each counted once.
 *
 * Two faces coincide where their corners do. They overlap where they lie in one plane, with opposite normals, and share
 * more than 1e-6 of the smaller one's area. Both within 1e-9 of the mesh's extent, and within 1e-5 of their shortest
 * edge, so that a thin wedge is none. Hexes' faces that are not plane can coincide only. */
typedef struct wisp_touching {
  size_t coincident, overlapping; /* a face that does both counts as coincident */
  size_t element[2];              /* the first two that touch */
  double at[3];                   /* the middle of the first one's face, as the file has it */
} wisp_touching;

/* Counts them, of tets, hexes and triangles that are connected: n log n for n faces of the boundary. */
wisp_status wisp_mesh_find_touching(wisp_error *err, const wisp_mesh *mesh, wisp_touching *out);

/* WISP_EINPUT, with the count, the place and the remedy, where there are any. */
wisp_status wisp_mesh_refuse_touching(wisp_error *err, const char *name, const wisp_mesh *mesh);

/* Joins vertices that are closer than a tolerance, in the mesh's unit of length: each goes to the first one that is
 * near it. *to: the new number of each vertex; the caller frees it. The mesh is to be connected anew. WISP_EUSAGE where
 * an element's edge is no longer than the tolerance. */
wisp_status wisp_mesh_merge(wisp_error *err, const char *name, wisp_mesh *mesh, double tolerance, int32_t **to);
