/* The kinds of elements in Gmsh files: which of them a mesh is made of, and what is said of the others. */
#include "gmsh.h"

/* The middles of an element of order 2: the corners between which each lies, as bits. */
static const unsigned char middles_3[] = {3, 6, 5}, middles_4[] = {3, 6, 5, 9, 12, 10},
                           middles_8[] = {3,  9,   17, 6,  34,  12,  68,  136, 48, 144,
                                          96, 192, 15, 51, 153, 102, 204, 240, 255};

/* Gmsh's manual, "Legacy formats" and "MSH file format": element-type. */
static const wisp_gmsh_kind kinds[] = {
    {1, 1, 2, 2, 1, "line", NULL},
    {2, 2, 3, 3, 1, "triangle", NULL},
    {3, 2, 4, 4, 1, "quadrangle", NULL},
    {4, 3, 4, 4, 1, "tetrahedron", NULL},
    {5, 3, 8, 8, 1, "hexahedron", NULL},
    {6, 3, 6, 6, 1, "prism", NULL},
    {7, 3, 5, 5, 1, "pyramid", NULL},
    {8, 1, 3, 2, 2, "line", NULL},
    {9, 2, 6, 3, 2, "triangle", middles_3},
    {10, 2, 9, 4, 2, "quadrangle", NULL},
    {11, 3, 10, 4, 2, "tetrahedron", middles_4},
    {12, 3, 27, 8, 2, "hexahedron", middles_8},
    {13, 3, 18, 6, 2, "prism", NULL},
    {14, 3, 14, 5, 2, "pyramid", NULL},
    {15, 0, 1, 1, 1, "point", NULL},
    {16, 2, 8, 4, 2, "quadrangle", NULL},
    {17, 3, 20, 8, 2, "hexahedron", middles_8},
    {18, 3, 15, 6, 2, "prism", NULL},
    {19, 3, 13, 5, 2, "pyramid", NULL},
    {20, 2, 9, 3, 3, "triangle", NULL},
    {21, 2, 10, 3, 3, "triangle", NULL},
    {22, 2, 12, 3, 4, "triangle", NULL},
    {23, 2, 15, 3, 4, "triangle", NULL},
    {24, 2, 15, 3, 5, "triangle", NULL},
    {25, 2, 21, 3, 5, "triangle", NULL},
    {26, 1, 4, 2, 3, "line", NULL},
    {27, 1, 5, 2, 4, "line", NULL},
    {28, 1, 6, 2, 5, "line", NULL},
    {29, 3, 20, 4, 3, "tetrahedron", NULL},
    {30, 3, 35, 4, 4, "tetrahedron", NULL},
    {31, 3, 56, 4, 5, "tetrahedron", NULL},
    {36, 2, 16, 4, 3, "quadrangle", NULL},
    {37, 2, 25, 4, 4, "quadrangle", NULL},
    {38, 2, 36, 4, 5, "quadrangle", NULL},
    {92, 3, 64, 8, 3, "hexahedron", NULL},
    {93, 3, 125, 8, 4, "hexahedron", NULL},
};

/* By corners. Gmsh goes round each square of a hex, we row by row. */
static const wisp_gmsh_shape shapes[] = {
    {.cell = &wisp_cells[3],
     .order = {0, 1, 2},
     .formal = "triangles",
     .remedy = "mesh without Recombine",
     .higher = "mesh in two dimensions, 'gmsh -2', or solve on the volume (run heat --element tet)",
     .missing = "meshed in 2-D, or no physical surface that is saved",
     .face = "line",
     .entity = "curve"},
    {.cell = &wisp_cells[4],
     .order = {0, 1, 2, 3},
     .formal = "tetrahedra",
     .remedy = "mesh without Recombine and without extruded layers that are recombined",
     .missing = "meshed in 3-D ('gmsh -3'), or no physical volume that is saved",
     .face = "triangle",
     .entity = "surface"},
    {.cell = &wisp_cells[8],
     .order = {0, 1, 3, 2, 4, 5, 7, 6},
     .formal = "hexahedra",
     .remedy = "mesh with transfinite or extruded volumes that are recombined",
     .missing = "meshed in 3-D ('gmsh -3'), or no physical volume that is saved",
     .face = "quadrangle",
     .entity = "surface"},
};

const wisp_gmsh_shape *wisp_gmsh_shape_of(int corners)
{
  const wisp_gmsh_shape *shape = shapes;
  while (shape->cell->corners != corners) shape++;
  return shape;
}

static bool is_of(const wisp_gmsh_shape *shape, const wisp_gmsh_kind *kind)
{
  return kind->dimension == shape->cell->dimension && kind->corners == shape->cell->corners;
}

static wisp_status refuse_kind(wisp_error *err, const wisp_gmsh *gmsh, const wisp_gmsh_kind *kind)
{
  const wisp_gmsh_shape *shape = gmsh->shape;
  const char *remedy = is_of(shape, kind)                         ? WISP_GMSH_STRAIGHTEN
                       : kind->dimension > shape->cell->dimension ? shape->higher
                                                                  : shape->remedy;
  char order[32] = "";
  if (kind->order > 1) snprintf(order, sizeof order, " of order %d", kind->order);
  return wisp_gmsh_fail(err, gmsh, "a %s%s (element type %d): only straight %s can be used; %s", kind->name, order,
                        kind->type, shape->formal, remedy);
}

wisp_status wisp_gmsh_find_kind(wisp_error *err, wisp_gmsh *gmsh, int64_t type, const wisp_gmsh_kind **out)
{
  const wisp_gmsh_kind *kind = kinds, *end = kinds + WISP_COUNT(kinds);
  while (kind < end && kind->type != type) kind++;
  if (kind == end)
    return wisp_gmsh_fail(err, gmsh, "element type %lld is not known; only %s can be used", (long long)type,
                          gmsh->shape->formal);
  gmsh->seen |= 1u << (kind->corners == 8 ? WISP_GMSH_SEEN_HEXAHEDRA : kind->dimension);
  /* Elements of the shape may be of order 2, if their middles are known. */
  const bool is_taken = is_of(gmsh->shape, kind) && (kind->order == 1 || kind->middles);
  if (kind->dimension >= gmsh->shape->cell->dimension && !is_taken) return refuse_kind(err, gmsh, kind);
  *out = kind;
  return WISP_OK;
}

/* An element of the mesh: its corners, which come first; those of order 2 are looked at when all nodes are known. */
static wisp_status keep_cell(wisp_error *err, wisp_gmsh *gmsh, const wisp_gmsh_kind *kind, const int64_t *node,
                             int32_t tag)
{
  const size_t corners = (size_t)kind->corners, middles = (size_t)kind->nodes - corners;
  CALL(wisp_grow(err, &gmsh->cell, &gmsh->cell_capacity, gmsh->cells + 1, corners * sizeof *node));
  CALL(wisp_grow(err, &gmsh->region, &gmsh->region_capacity, gmsh->cells + 1, sizeof tag));
  memcpy(gmsh->cell + corners * gmsh->cells, node, corners * sizeof *node);
  gmsh->region[gmsh->cells++] = tag;
  if (!middles) return WISP_OK;
  CALL(wisp_grow(err, &gmsh->middle, &gmsh->middle_capacity, gmsh->middles + middles, sizeof *node));
  CALL(wisp_grow(err, &gmsh->second, &gmsh->second_capacity, gmsh->seconds + 1, sizeof *gmsh->second));
  memcpy(gmsh->middle + gmsh->middles, node + corners, middles * sizeof *node);
  gmsh->second[gmsh->seconds++] = (wisp_gmsh_second){kind, gmsh->cells - 1, gmsh->middles};
  gmsh->middles += middles;
  return WISP_OK;
}

wisp_status wisp_gmsh_element(wisp_error *err, wisp_gmsh *gmsh, const wisp_gmsh_kind *kind, int bytes, int32_t tag)
{
  int64_t node[WISP_GMSH_MOST_NODES] = {0};
  for (int i = 0; i < kind->nodes; i++) CALL(wisp_gmsh_integer(err, gmsh, bytes, &node[i]));
  if (kind->dimension == gmsh->shape->cell->dimension) return keep_cell(err, gmsh, kind, node, tag);
  if (kind->dimension != gmsh->shape->cell->dimension - 1 || !tag || kind->corners != gmsh->shape->cell->face_corners)
    return WISP_OK;
  const wisp_gmsh_triangle triangle = {{node[0], node[1], node[2], node[3]}, tag}; /* corners come first */
  CALL(wisp_grow(err, &gmsh->triangle, &gmsh->triangle_capacity, gmsh->triangles + 1, sizeof triangle));
  gmsh->triangle[gmsh->triangles++] = triangle;
  return WISP_OK;
}
