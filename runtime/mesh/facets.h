/* The boundary's faces as polygons in space (edges have two corners), and the neighbours of hexes. */
#pragma once

#include "mesh.h"

typedef struct wisp_facet {
  size_t element;
  int face, corners; /* the element's face; 2, 3 or 4 corners, in the order in which they go round */
  double xyz[4][3];
  double normal[3]; /* outward, of length 1 */
  double area;      /* of an edge its length */
} wisp_facet;

/* The vertices of an element's face, in the order in which they go round; how many they are. */
int wisp_mesh_face(const wisp_mesh *mesh, size_t element, int face, int32_t vertex[4]);

/* An element's face as a polygon. */
wisp_facet wisp_mesh_facet(const wisp_mesh *mesh, size_t element, int face);

void wisp_facet_middle(const wisp_facet *facet, double middle[3]);

/* The element across each face of each hex, WISP_HEX_FACES x elements, or WISP_BOUNDARY: caller's memory. Of more
 * than two hexes that share a face only pairs are neighbours: wisp_hexnodes_create refuses such a mesh. */
wisp_status wisp_hex_neighbours(wisp_error *err, const wisp_mesh *mesh, int32_t *neighbour);

/* For each face of each element: 1 on the boundary, else 0. The caller frees *out. */
wisp_status wisp_mesh_outside(wisp_error *err, const wisp_mesh *mesh, unsigned char **out);

/* All faces of the boundary, by element and face. The caller frees *out. */
wisp_status wisp_mesh_boundary(wisp_error *err, const wisp_mesh *mesh, size_t *count, wisp_facet **out);
