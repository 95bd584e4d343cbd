/* The kinds of elements that meshes are made of: what differs from one to the other, as a table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { WISP_MOST_CORNERS = 8, WISP_HEX_FACES = 6 };

typedef struct wisp_cell {
  int corners, dimension;
  int faces, face_corners;
  int face[6][4];  /* the corners of each face; of a triangle edge e leads from corner e to the next */
  int across[4];   /* of simplices the face without corner 0, 1, 2, 3, */
  int opposite[4]; /* and of each face the corner that it lacks */
  /* At each corner: itself, then where its edges lead. A triangle has two there. */
  int frame[8][4];
  int frames;        /* Jacobians differ at so many corners, the first ones */
  double parts;      /* so many elements fill what the edges at a corner span */
  bool is_connected; /* a mesh has neighbours, tags of faces and regions of such elements */
  bool keeps_number; /* elements keep their numbers, whatever order they are laid out in; others are moved */
  bool in_cubes;     /* a box has as many cells in all directions as in the first */
  int split;         /* elements that a cell of a grid is cut into */
  size_t most;       /* in a mesh, so that faces, or corners, can be counted in 32 bits */
  int vtk;           /* VTK's type of elements of any order (Lagrange) */
  const char *element, *one, *many;          /* in specs, "tet", and in words, "tets" */
  const char *negative, *without, *face_one; /* "negative volume", "without volume", "face" */
} wisp_cell;

/* By corners: [3] triangles, [4] tets, [8] hexes. */
extern const wisp_cell wisp_cells[WISP_MOST_CORNERS + 1];

/* By the name of their element; NULL: there are none. */
const wisp_cell *wisp_cell_find(const char *element);
