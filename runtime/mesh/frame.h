/* The frame in which a problem on a mesh is computed. Its unit of length is the root of the mesh's area or volume,
 * which no rotation changes; its origin is the middle of the bounding box, to a whole number of units. Coordinates
 * enter it in double, before anything is rounded to single precision: neither a mesh far away from 0 nor one of
 * nanometres loses digits or leaves the range. The frame of the unit box is that of its coordinates. */
#pragma once

#include "mesh.h"

typedef struct wisp_frame {
  double origin[3], length; /* in the mesh's coordinates */
} wisp_frame;

/* The frame of the mesh's own coordinates. */
extern const wisp_frame wisp_frame_none;

wisp_frame wisp_mesh_frame(const wisp_mesh *mesh);

/* A frame with that origin and the mesh's own unit of length, for results that are given away in the mesh's units. */
wisp_frame wisp_mesh_shift(const wisp_mesh *mesh);

/* Coordinate d of a vertex in the frame. */
static inline double wisp_frame_vertex(const wisp_frame *frame, const wisp_mesh *mesh, int32_t vertex, size_t d)
{
  return (mesh->xyz[3 * (size_t)vertex + d] - frame->origin[d]) / frame->length;
}

/* The least coordinates of the mesh's bounding box in the frame, and the lengths of its edges there. */
void wisp_frame_extent(const wisp_frame *frame, const wisp_mesh *mesh, double low[3], double length[3]);
