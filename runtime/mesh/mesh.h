/* Conforming meshes of tets, of hexes or of triangles: a unit box, or read from Gmsh (.msh 2.0 to 2.2 and 4.1). */
#pragma once

#include "cell.h"
#include "geometry.h"
#include "groups.h"
#include "notes.h"

enum { WISP_BOUNDARY = -1, WISP_EMPTY = -1 };

/* A plane: the mesh's (a, b, c) is origin + a axis[0] + b axis[1] + c axis[2] of the file; orthonormal axes. */
typedef struct wisp_plane {
  double origin[3], axis[3][3];
} wisp_plane;

/* Elements are positively oriented. Corners of hexes, which are trilinear, are in tensor order: vr + 2 vs + 4 vt. */
typedef struct wisp_mesh {
  size_t vertices, elements;
  int corners; /* of an element: 4, all are tets, 8, all are hexes, or 3, all are triangles */
  double *xyz; /* 3 x vertices, x y z of each vertex together; of triangles z is 0, in the plane's own coordinates */
  union {      /* corners x elements: vertex numbers */
    int32_t *cell, *tet, *hex, *tri;
  };
  /* Tets have these, and triangles, whose three faces are edges: */
  int32_t *neighbour;            /* 4 x elements: element across each face, or WISP_BOUNDARY */
  int8_t *neighbour_face;        /* 4 x elements: that element's face number (0 on a boundary) */
  int8_t *neighbour_orientation; /* 4 x elements: index into wisp_tet_orientations, from our face's vertices to theirs;
                                    of tets */
  int32_t *tag;                  /* 4 x elements: the physical groups of a boundary face, a value as groups.h has it */
  int32_t *region;               /* elements: their physical groups, likewise */
  int32_t *order;                /* elements: the order in which they are laid out in memory; NULL: by their numbers */
  int8_t *corner; /* 4 x elements: which of the file's each is; NULL unless wisp_mesh_sort_corners turned them */
  /* Hexes and triangles have this: */
  int32_t *number;    /* elements: their numbers in the file, for messages; NULL where they were not put into order */
  wisp_groups groups; /* of the file, of all dimensions; or the sides of a box */
  wisp_plane *plane;  /* of triangles: where the file has them; NULL: as they are */
  size_t reversed;    /* elements of negative volume, or area, in the file, whose orientation is reversed */
  wisp_notes notes;   /* what was remarked while it was read */
} wisp_mesh;

/* The properties that all its elements share. */
static inline const wisp_cell *wisp_mesh_cell(const wisp_mesh *mesh)
{
  return &wisp_cells[mesh->corners];
}

/* The dimension of a mesh's elements: 2 or 3. Faces, which tag speaks of, have one less. */
static inline int wisp_mesh_dimension(const wisp_mesh *mesh)
{
  return wisp_cells[mesh->corners].dimension;
}

/* The unit box [0,1]^3 as n[0] x n[1] x n[2] cells, x fastest: each a hex, or cut into six tets (Kuhn); or the unit
 * square as n[0] x n[1] squares of two triangles each, cut from lower left to upper right, whose sides have the tags 1,
 * x = 0; 2, x = 1; 3, y = 0; 4, y = 1. Each n in 1..400, of triangles 1..16384; WISP_EUSAGE otherwise. */
wisp_status wisp_mesh_grid(wisp_error *err, int corners, const int *n, wisp_mesh **out);

/* Its vertices, edges, faces and cells; false where a number of n is out of range. */
bool wisp_mesh_grid_count(int corners, const int *n, size_t count[4]);

/* The same; falls: squares are cut from upper left to lower right. */
wisp_status wisp_mesh_cut(wisp_error *err, int corners, bool falls, const int *n, wisp_mesh **out);

/* The same of n^3 cubes, of tets. */
static inline wisp_status wisp_mesh_box(wisp_error *err, int n, wisp_mesh **out)
{
  return wisp_mesh_grid(err, 4, (const int[]){n, n, n}, out);
}

/* Puts the boundary faces of a box of tets into groups: 1, x is least, 2, x is greatest; 3 and 4, y; 5 and 6, z. */
wisp_status wisp_mesh_tag_sides(wisp_error *err, wisp_mesh *mesh);

/* Reads a Gmsh file of elements with so many corners, 3, 4 or 8; 0: of those that the file has. Nodes that are closer
 * than `merge` are joined (wisp_mesh_merge); 0: none are. WISP_EINPUT, with path and line or byte offset, for files
 * that are missing, truncated or of newer formats; for no elements, degenerate, curved or unsupported ones (prisms,
 * hexes among tets), a face of three tets, unknown vertices, triangles in no plane. Elements of negative volume are
 * reversed. No count in the file is trusted: memory grows with the bytes really read. */
wisp_status wisp_mesh_read(wisp_error *err, int corners, double merge, const char *path, wisp_mesh **out);

/* The same from memory (tests, fuzzing); name appears in messages. */
wisp_status wisp_mesh_parse(wisp_error *err, int corners, double merge, const char *name, const char *data,
                            size_t length, wisp_mesh **out);

/* Checks elements, and finds the neighbours of tets and triangles; edge e of a triangle leads from its corner e to the
 * next. WISP_EINPUT, with name and element, for vertex numbers out of range, elements that are flat, inverted or saved
 * twice (both then lie on one side of a face), a corner of a hex whose Jacobian is not positive, a face of three
 * elements; of triangles besides for a vertex that none has, and vertices of different z. */
wisp_status wisp_mesh_connect(wisp_error *err, const char *name, wisp_mesh *mesh);

/* Turns triangles into the plane z = 0, wherever their own plane is, and says in mesh->plane where that was; those of
 * one z keep x and y, those of one y x and z, those of one x y and z. They need not be connected yet. WISP_EINPUT where
 * a vertex is off the plane by more than 1e-9 of the extent. */
wisp_status wisp_mesh_flatten(wisp_error *err, const char *name, wisp_mesh *mesh);

/* Points, x y z of each together, from the mesh's coordinates to the file's. plane NULL: they are the same. */
void wisp_plane_place(const wisp_plane *plane, size_t count, double *xyz);

/* The number of coordinates that the file's places have: 2 for triangles that lie as they are, else 3. */
static inline int wisp_mesh_axes(const wisp_mesh *mesh)
{
  return wisp_mesh_dimension(mesh) == 2 && !mesh->plane ? 2 : 3;
}

/* Reverses the orientation of elements of negative volume, or area, which mesh->reversed counts. */
void wisp_mesh_reverse(wisp_mesh *mesh);

/* The number of element k in messages. */
static inline size_t wisp_mesh_number(const wisp_mesh *mesh, size_t k)
{
  return mesh->number ? (size_t)mesh->number[k] : k;
}

/* An empty mesh, every array allocated and zero: fill xyz and cell, then connect it. */
wisp_status wisp_mesh_create(wisp_error *err, int corners, size_t vertices, size_t elements, wisp_mesh **out);

void wisp_mesh_destroy(wisp_mesh *mesh);
WISP_OWNED(wisp_mesh, wisp_mesh_destroy)

/* Six times the signed volume that the edges of an element span at its corner frame[0], where they lead to frame[1],
 * [2] and [3]; of a triangle, which has two there, twice the area. scale (may be NULL): the cube, or square, of the
 * longest of them. Frames of positive elements give positive volumes. */
double wisp_mesh_corner(const wisp_mesh *mesh, size_t element, const int frame[4], double *scale);

/* Its bounding box, and the longest side of that. */
static inline double wisp_mesh_extent(const wisp_mesh *mesh, double low[3], double high[3])
{
  return wisp_extent(mesh->vertices, mesh->xyz, low, high);
}

/* The root of what is joined with `at`, in trees by their parents. */
static inline size_t wisp_root_of(int32_t *parent, size_t at)
{
  while (parent[at] != (int32_t)at) at = (size_t)(parent[at] = parent[parent[at]]);
  return at;
}

/* Joins neighbours, of elements with so many faces: parent leads to the first element of each connected part. */
void wisp_join_neighbours(size_t elements, size_t faces, const int32_t *neighbour, int32_t *parent);

/* The elements around v: around[start[v]] to around[start[v + 1] - 1]. Memory: vertices + 2, corners x elements. */
void wisp_list_around(size_t corners, size_t elements, const int32_t *cell, size_t vertices, size_t *start,
                      uint32_t *around);

/* Puts elements into another order, with tags and regions: the i-th is order[i] of before, NULL: i, and its corner a is
 * corner[corners i + a] of that one, NULL: a. Tets and triangles are connected anew, by that name. */
wisp_status wisp_mesh_rearrange(wisp_error *err, const char *name, wisp_mesh *mesh, const int32_t *order,
                                const int8_t *corner);

/* The i-th element in memory's order. */
static inline int32_t wisp_mesh_at(const wisp_mesh *mesh, size_t i)
{
  return mesh->order ? mesh->order[i] : (int32_t)i;
}

/* Partition into groups of at most `size` elements (paper 0, section 5.3). slots is ceil-to-groups: group g owns slots
 * g*size .. g*size+size-1, made in the mesh's order; slot[i] is an element or WISP_EMPTY. Each element stands in
 * exactly one slot; empties only at the end of a group. Caller frees *slot. */
typedef enum wisp_grouping { WISP_GROUP_NATURAL, WISP_GROUP_GREEDY, WISP_GROUP_METIS } wisp_grouping;
wisp_status wisp_mesh_group(wisp_error *err, const wisp_mesh *mesh, wisp_grouping how, size_t size, size_t *slots,
                            int32_t **slot);
