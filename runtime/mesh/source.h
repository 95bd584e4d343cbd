/* The origin of a mesh and the changes to it before it is used, which run, bench and tune ask for alike. */
#pragma once

#include "hexmesh.h"

/* ---- The order in which elements are laid out in memory: a mesher's has no locality for what kernels read. */

typedef enum wisp_ordering {
  WISP_ORDER_AS_GIVEN, /* the mesh's own numbers */
  WISP_ORDER_CURVE,    /* clusters of a slab's size, grown along a Hilbert curve through the elements' centres */
  WISP_ORDER_METIS,    /* parts of a slab's size by METIS */
  WISP_ORDER_LEVELS    /* as they are come upon from a corner, level by level */
} wisp_ordering;
enum { WISP_ORDERINGS = 4 };
extern const char *const wisp_ordering_names[WISP_ORDERINGS]; /* as --order takes them */

/* Sets mesh->order of tets: they keep their numbers, and are laid out in that order. Hexes and triangles themselves are
 * put into order: along the curve, without clusters, or from level to level; their numbers are
 * kept for messages. WISP_EUSAGE for hexes by METIS. */
wisp_status wisp_mesh_order(wisp_error *err, wisp_mesh *mesh, wisp_ordering how);

/* Sorts the corners of tets by their vertices' numbers, as far as volumes stay positive. Few of the 48 ways in which
 * two faces can meet are then left, and the lanes of a warp read their neighbours' faces from fewer lines: 11 a load in
 * place of 14 on a mesh by Gmsh. Remembers the corners as they were. */
wisp_status wisp_mesh_sort_corners(wisp_error *err, wisp_mesh *mesh);

/* Puts tets themselves into the order in which they are to be laid out, as hexes and triangles are. */
wisp_status wisp_mesh_apply_order(wisp_error *err, wisp_mesh *mesh);

/* Numbers in the order in which a Hilbert curve passes `count` points, xyz of each together. order: caller's memory. */
wisp_status wisp_curve(wisp_error *err, size_t count, const double *xyz, int32_t *order);

/* ---- Meshes made irregular: a box is so regular that it hides what goes wrong, or slow, on the meshes of users. */

/* Moves every vertex in each direction by up to `amount` (0 .. 0.5; 0.3 leaves no element of good shape) times its
 * shortest edge. A vertex on a side of the box that bounds the mesh keeps to the side, one on another boundary stays:
 * the unit box remains the unit box. A move that leaves an element less than a tenth of its volume is halved until it
 * does not, so that all volumes stay positive. The same seed gives the same mesh. WISP_EUSAGE for another amount. */
wisp_status wisp_mesh_jitter(wisp_error *err, wisp_mesh *mesh, double amount, uint64_t seed);

/* Elements and vertices in random order, and the corners of every tet turned by a random even permutation, so that it
 * stays positive, or of every hex by a random one of the cube's 24 rotations, or of every triangle's three; tags go
 * with their faces. The same set of elements in space, connected anew. */
wisp_status wisp_mesh_shuffle(wisp_error *err, wisp_mesh *mesh, uint64_t seed);

/* 157 tets, no two alike: a unit box of 162 without five, moved and shuffled. Faces meet in all 48 ways. */
wisp_status wisp_mesh_all_pairings(wisp_error *err, wisp_mesh **out);

/* Meshes of triangles or tets to check kernels on, by their number: 0, 83 triangles, or those 157 tets; 1, one element;
 * 2, two pieces of 2 and 3, the second 2^-16 of the first in size; 3, 128 around one vertex, or one edge, of aspect
 * ratios up to 1000; 4, twelve around one; 5, four elements that are 2^-17 of their neighbours in size. Coordinates are
 * exact in single precision. */
enum { WISP_CHECK_MESHES = 6 };
wisp_status wisp_mesh_to_check(wisp_error *err, int corners, int number, wisp_mesh **out);
wisp_status wisp_mesh_fans(wisp_error *err, int corners, int number, wisp_mesh **out); /* those from 1 on */

/* So many triangles on one edge, or tets on one face, no two alike: whatever their order is, they add to the same
 * numbers. They overlap, and have no neighbours. Coordinates are exact in single precision. */
wisp_status wisp_mesh_pages(wisp_error *err, int corners, size_t elements, wisp_mesh **out);

typedef struct wisp_mesh_source {
  const char *file; /* a Gmsh file; NULL: the unit box */
  const char *data; /* what the file holds, `length` bytes; NULL: it is to be read */
  size_t length;
  int box[3];    /* cubes along its edges, all alike for tets; of triangles squares, the third 0 */
  bool falling;  /* squares are cut along their falling diagonal */
  double jitter; /* 0: vertices stay */
  bool shuffle;
  uint64_t seed; /* of both */
  bool as_asked; /* `ordering` was asked for; else the curve's, but a plain box's own */
  wisp_ordering ordering;
  bool sorts_corners; /* of tets that are put into order as well (wisp_mesh_sort_corners) */
  double merge;       /* nodes of the file that are closer are joined; 0: none are */
  bool cracks;        /* faces of the file's boundary may lie on one another */
} wisp_mesh_source;

/* The word that tells trials apart: "box", "ordered" for elements along the curve, else the ordering's name. */
const char *wisp_mesh_source_kind(const wisp_mesh_source *source);

/* Irregular, as users' meshes are, and ordered: what the tuner times on unless told otherwise. */
wisp_mesh_source wisp_mesh_source_irregular(void);

/* Vertices, edges, faces and cells of a box's mesh. False for a file, which must be read, or an impossible box. */
bool wisp_mesh_source_count(const wisp_mesh_source *source, int corners, size_t count[4]);

/* The file of a program's request, for messages and numbers as the file has them: elements stay in its order. */
wisp_mesh_source wisp_mesh_source_file(const char *path, double merge, bool cracks);

/* The source's file as it is, of elements with so many corners (0: of its own). Touching parts are not looked for. */
wisp_status wisp_mesh_source_read(wisp_error *err, int corners, const wisp_mesh_source *source, wisp_mesh **out);

/* Read or made, moved, shuffled, ordered. WISP_EINPUT for touching faces of a file unless they are cracks. */
wisp_status wisp_mesh_make(wisp_error *err, int corners, const wisp_mesh_source *source, wisp_mesh **out);
/* The source's file; or its box, of so many elements at the least, as many cells on each edge, of two triangles or six
 * tets. Of hexes it has just as many, is about as long as wide, and of whole layers but for the last, which may end
 * anywhere; whole where it is moved or ordered. source NULL: as it stands. */
wisp_status wisp_mesh_some(wisp_error *err, int corners, const wisp_mesh_source *source, size_t elements,
                           wisp_mesh **out);

/* Remarks which groups, not of all elements or of the whole boundary, a run has not asked for by its end. */
wisp_status wisp_mesh_note_unused(wisp_error *err, const char *name, wisp_mesh *mesh);

/* "cube.msh, along a curve", "unit box, 4 cubes an edge, moved by 0.2, shuffled (7), along a curve". */
void wisp_mesh_source_print(const wisp_mesh_source *source, char text[256]);
