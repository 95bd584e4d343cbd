/* Where a mesh comes from and what is done to it before it is used: what run, bench and tune ask for alike. */
#ifndef WISP_MESH_SOURCE_H
#define WISP_MESH_SOURCE_H

#include "irregular.h"
#include "order.h"

typedef struct wisp_mesh_source {
  const char *file; /* a Gmsh file; NULL: the unit box */
  int box[3];       /* cubes along its edges, all alike for tets */
  double jitter;    /* 0: vertices stay */
  bool shuffle;
  uint64_t seed; /* of both */
  bool as_asked; /* `ordering` was asked for; else the curve's, but a plain box's own */
  wisp_ordering ordering;
} wisp_mesh_source;

/* What trials on it are told apart by: "box", "ordered" where elements lie along the curve, else the ordering's name.
 */
const char *wisp_mesh_source_kind(const wisp_mesh_source *source);

/* Irregular, as users' meshes are, and ordered: what the tuner times on unless told otherwise. */
wisp_mesh_source wisp_mesh_source_irregular(void);

/* Read or made, moved, shuffled, ordered: tets of 4 corners, or hexes of 8. Errors of each. */
wisp_status wisp_mesh_make(wisp_error *err, int corners, const wisp_mesh_source *source, wisp_mesh **out);
/* Of hexes, its box about as long as wide, of whole layers of hexes but for the last, which may end anywhere; whole
 * where it is moved or ordered. source NULL: as it stands. */
wisp_status wisp_hexmesh_some(wisp_error *err, const wisp_mesh_source *source, size_t elements, wisp_hexmesh **out);

/* "cube.msh, along a curve", "unit box, 4 cubes an edge, moved by 0.2, shuffled (7), along a curve". */
void wisp_mesh_source_print(const wisp_mesh_source *source, char text[256]);

#endif
