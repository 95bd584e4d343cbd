/* A look at a mesh before a long run: its size, the shapes of its elements, its pieces. */
#pragma once

#include "mesh.h"

/* A number for each element: the least, with its first element, the greatest, and three quantiles. */
typedef struct wisp_spread {
  size_t element;
  double at[3]; /* the element's middle, likewise */
  double least, hundredth, tenth, half, greatest;
} wisp_spread;

typedef struct wisp_health {
  double low[3], high[3]; /* the bounding box, in the file's coordinates */
  double measure;         /* volume; of triangles area */
  double boundary;        /* area of the boundary; of triangles length */
  size_t boundary_faces;
  size_t pieces; /* parts that no face joins */
  /* 1 is the best. 3 r / R for tets and 2 r / R for triangles: radii of the inscribed and the circumscribed sphere or
   * circle. For hexes it is the least determinant of a corner's three unit edges. */
  wisp_spread quality;
  /* The inscribed sphere's radius, d V / A, also of hexes; steps of time are in proportion to it. */
  wisp_spread length;
  size_t limiting; /* elements whose length is less than twice the least: they limit the step of time */
} wisp_health;

/* An element's volume; a triangle's area. */
double wisp_mesh_measure(const wisp_mesh *mesh, size_t element);

/* Looks at a mesh that is connected. */
wisp_status wisp_mesh_look(wisp_error *err, const wisp_mesh *mesh, wisp_health *out);
