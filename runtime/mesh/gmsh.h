/* Inside the Gmsh reader: a cursor over the file's bytes, and the records that were read.
 *
 * One pair of functions reads numbers, whether the file holds text or binary of either byte order: there is one reader
 * a version (gmsh_formats.c). Sections are found in gmsh.c; gmsh_build.c makes the mesh. No count in the file
 * is believed: loops run until the bytes end, and arrays grow with the records really read. */
#pragma once

#include "mesh.h"

#include <locale.h>

enum { WISP_GMSH_MOST_NODES = 125 }; /* an element of order 4 in three dimensions, the largest below */
enum { WISP_GMSH_SEEN_HEXAHEDRA = 4 };

/* A kind of element: its number in Gmsh's manual, dimension, nodes, of which the corners come first, order and name. */
typedef struct wisp_gmsh_kind {
  int type, dimension, nodes, corners, order;
  const char *name;
  const unsigned char *middles; /* of order 2: between which corners each other node lies, as bits; NULL: not known */
} wisp_gmsh_kind;

typedef struct wisp_gmsh_node {
  int64_t tag;
  double xyz[3];
} wisp_gmsh_node;

/* The elements that a mesh is made of: all others of their dimension, or above, are refused. */
typedef struct wisp_gmsh_shape {
  const wisp_cell *cell;       /* a face that can have a tag has its face_corners */
  int order[8];                /* Gmsh's number of our corner */
  const char *formal;          /* "tetrahedra" */
  const char *remedy, *higher; /* what to do with a mesh of others, and of others of a higher dimension */
  const char *missing;         /* what a file without any is not */
  const char *face, *entity;   /* "triangle", on a "surface" */
} wisp_gmsh_shape;

/* A face of the shape's: a triangle, a quadrangle of hexes, or a line; nodes beyond its corners mean nothing. */
typedef struct wisp_gmsh_triangle {
  int64_t node[4];
  int32_t tag; /* the value of its physical groups, not 0 */
} wisp_gmsh_triangle;

/* An element of order 2: its kind, its number, and where its nodes besides the corners begin in `middle`. */
typedef struct wisp_gmsh_second {
  const wisp_gmsh_kind *kind;
  size_t cell, middle;
} wisp_gmsh_second;

typedef struct wisp_gmsh_entity { /* a surface or a volume */
  int32_t dimension, entity, tag; /* tag: the value of its physical groups */
  bool part;                      /* of one that a partition cuts */
} wisp_gmsh_entity;

typedef struct wisp_gmsh {
  const char *name;             /* in messages */
  const char *begin, *at, *end; /* the file and where we are in it */
  int version, minor;           /* 2 or 4; 0 before $MeshFormat */
  bool binary, swap;            /* swap: the file's byte order is not ours */
  locale_t locale;              /* "C": a decimal point is a point wherever the caller lives */
  const wisp_gmsh_shape *shape;
  wisp_gmsh_node *node;
  int64_t *cell;   /* shape->corners x cells: node numbers, in Gmsh's order */
  int32_t *region; /* cells: the value of their physical groups */
  wisp_gmsh_triangle *triangle;
  wisp_gmsh_entity *entity; /* version 4: sorted once $Entities is read */
  wisp_gmsh_second *second; /* elements of order 2 */
  int64_t *middle;
  wisp_groups groups;
  int32_t *numbers; /* of the physical groups of an entity, while it is read */
  wisp_notes notes;
  wisp_text passed; /* the sections that were passed, "$NodeData, $ElementData" */
  double merge;     /* nodes that are closer are one; 0: none are */
  unsigned seen;    /* bit d: elements of dimension d were met; and a bit of hexahedra, which do not count there */
  size_t nodes, cells, triangles, entities, seconds, middles;
  size_t node_capacity, cell_capacity, region_capacity, triangle_capacity, entity_capacity, number_capacity,
      second_capacity, middle_capacity;
} wisp_gmsh;

/* A piece of the file, shortened and made printable. */
typedef struct wisp_gmsh_quote {
  char text[25];
} wisp_gmsh_quote;
wisp_gmsh_quote wisp_gmsh_excerpt(const char *from, size_t length);

static inline bool is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* WISP_EINPUT with the place before the text: "name:line: " in text, "name: byte n: " in binary. */
__attribute__((format(printf, 3, 4))) wisp_status wisp_gmsh_fail(wisp_error *err, const wisp_gmsh *gmsh,
                                                                 const char *format, ...);

/* The next integer, of 4 or 8 bytes where binary and within that range where text. */
wisp_status wisp_gmsh_integer(wisp_error *err, wisp_gmsh *gmsh, int bytes, int64_t *out);

/* The next integer of 8 bytes, which must not be negative. */
wisp_status wisp_gmsh_count(wisp_error *err, wisp_gmsh *gmsh, size_t *out);

/* The next floating point number, finite. */
wisp_status wisp_gmsh_real(wisp_error *err, wisp_gmsh *gmsh, double *out);

/* The rest of the current line without its end, which is passed; false at the end of the file. */
bool wisp_gmsh_line(wisp_gmsh *gmsh, const char **line, size_t *length);

/* Passes white space and "$End" + section. */
wisp_status wisp_gmsh_end(wisp_error *err, wisp_gmsh *gmsh, const char *section);

/* Passes the rest of a section that is not ours, up to and with its "$End" line. */
wisp_status wisp_gmsh_skip(wisp_error *err, wisp_gmsh *gmsh, const char *section, size_t length);

/* The shape of elements with so many corners: 3, 4 or 8. */
const wisp_gmsh_shape *wisp_gmsh_shape_of(int corners);

#define WISP_GMSH_STRAIGHTEN \
  "to straighten them, run 'gmsh FILE order.geo -' with 'SetOrder 1; Save \"straight.msh\";' in order.geo"

wisp_status wisp_gmsh_names(wisp_error *err, wisp_gmsh *gmsh);
wisp_status wisp_gmsh_nodes_2(wisp_error *err, wisp_gmsh *gmsh);
wisp_status wisp_gmsh_elements_2(wisp_error *err, wisp_gmsh *gmsh);
wisp_status wisp_gmsh_entities_4(wisp_error *err, wisp_gmsh *gmsh);
wisp_status wisp_gmsh_parts_4(wisp_error *err, wisp_gmsh *gmsh);
wisp_status wisp_gmsh_nodes_4(wisp_error *err, wisp_gmsh *gmsh);
wisp_status wisp_gmsh_elements_4(wisp_error *err, wisp_gmsh *gmsh);

/* The mesh of all that was read, with only the nodes that elements use, in file order; names are taken from there. */
wisp_status wisp_gmsh_build(wisp_error *err, wisp_gmsh *gmsh, wisp_mesh **out);
