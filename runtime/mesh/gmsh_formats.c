/* The kinds of elements in Gmsh files, and the sections of formats 2 and 4.1. */
#include "gmsh.h"

/* ---- Kinds of elements: which of them a mesh is made of, and what is said of the others. */

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

/* The kind of an element type. Others than the shape, of its dimension or above, are refused by name. */
static wisp_status find_kind(wisp_error *err, wisp_gmsh *gmsh, int64_t type, const wisp_gmsh_kind **out)
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

/* Reads one element's nodes and keeps it, where it is of the shape or a face with a tag. */
static wisp_status read_element(wisp_error *err, wisp_gmsh *gmsh, const wisp_gmsh_kind *kind, int bytes, int32_t tag)
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

/* ---- Steps of both formats. */

/* A count on a line of its own, text even in a binary file (version 2). */
static wisp_status read_count_line(wisp_error *err, wisp_gmsh *gmsh, size_t *out)
{
  const bool binary = gmsh->binary;
  const char *rest;
  size_t length;
  gmsh->binary = false;
  wisp_status status = wisp_gmsh_count(err, gmsh, out);
  gmsh->binary = binary;
  if (status == WISP_OK && binary) wisp_gmsh_line(gmsh, &rest, &length);
  return status;
}

/* The number of a physical group, which becomes known: Gmsh writes one of reversed orientation with a minus sign. */
static wisp_status read_tag(wisp_error *err, wisp_gmsh *gmsh, int dimension, int32_t *out)
{
  int64_t value = 0;
  CALL(wisp_gmsh_integer(err, gmsh, 4, &value));
  if (value < -INT32_MAX || value > INT32_MAX)
    return wisp_gmsh_fail(err, gmsh, "physical group %lld does not fit 32 bits", (long long)value);
  *out = (int32_t)(value < 0 ? -value : value);
  return *out ? wisp_groups_add(err, &gmsh->groups, dimension, *out, NULL, 0) : WISP_OK;
}

/* ---- Names of physical groups, always text: a count, then lines such as 2 7 "steel" (in format 2.0: 7 "steel"). */

/* Takes a whole number that is not negative off the front of a line; -1: there is none. */
static int32_t read_number(const char **at, const char *end)
{
  int64_t value = -1;
  while (*at < end && is_space(**at)) ++*at;
  for (; *at < end && **at >= '0' && **at <= '9' && value < INT32_MAX; ++*at)
    value = (value < 0 ? 0 : 10 * value) + (**at - '0');
  return value <= INT32_MAX ? (int32_t)value : -1;
}

static wisp_status read_name(wisp_error *err, wisp_gmsh *gmsh, const char *at, const char *end)
{
  const bool with = gmsh->version > 2 || gmsh->minor > 0;
  const int32_t dimension = with ? read_number(&at, end) : 0, number = read_number(&at, end);
  const char *quote = memchr(at, '"', (size_t)(end - at)), *last = end;
  while (quote && last > quote + 1 && last[-1] != '"') last--;
  if (dimension < 0 || dimension > 3 || number <= 0 || !quote || last <= quote + 2) return WISP_OK;
  const size_t length = (size_t)(last - 1 - (quote + 1));
  if (memchr(quote, '\0', length + 1)) return WISP_OK;
  return wisp_groups_add(err, &gmsh->groups, with ? dimension : WISP_ANY_DIMENSION, number, quote + 1, length);
}

wisp_status wisp_gmsh_names(wisp_error *err, wisp_gmsh *gmsh)
{
  const char *line = NULL;
  size_t count = 0, length = 0;
  CALL(read_count_line(err, gmsh, &count));
  while (count && wisp_gmsh_line(gmsh, &line, &length)) {
    if (!length) continue;
    count--;
    CALL(read_name(err, gmsh, line, line + length));
  }
  return WISP_OK;
}

/* ---- Gmsh's format 2.2: counts are text on their own line, even in binary files. */

wisp_status wisp_gmsh_nodes_2(wisp_error *err, wisp_gmsh *gmsh)
{
  size_t count = 0;
  CALL(read_count_line(err, gmsh, &count));
  for (size_t i = 0; i < count; i++) {
    wisp_gmsh_node node;
    CALL(wisp_gmsh_integer(err, gmsh, 4, &node.tag));
    for (int c = 0; c < 3; c++) CALL(wisp_gmsh_real(err, gmsh, &node.xyz[c]));
    CALL(wisp_grow(err, &gmsh->node, &gmsh->node_capacity, gmsh->nodes + 1, sizeof node));
    gmsh->node[gmsh->nodes++] = node;
  }
  return WISP_OK;
}

/* A run of elements of one kind: one element in text, as many as its header says in binary. An element is "number type
 * tags... nodes"; binary has type and count of tags before the run. Tag 1 is the group. */
static wisp_status read_run(wisp_error *err, wisp_gmsh *gmsh, size_t left, size_t *run)
{
  const wisp_gmsh_kind *kind = NULL;
  int64_t number = 0, type = 0, count = 1, tags = 0;
  if (!gmsh->binary) CALL(wisp_gmsh_integer(err, gmsh, 4, &number));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &type));
  if (gmsh->binary) CALL(wisp_gmsh_integer(err, gmsh, 4, &count));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &tags));
  CALL(find_kind(err, gmsh, type, &kind));
  if (count <= 0 || (uint64_t)count > left || tags < 0)
    CALL(wisp_gmsh_fail(err, gmsh, "a run of %lld elements with %lld tags, where %zu elements are left",
                        (long long)count, (long long)tags, left));
  for (int64_t i = 0; i < count; i++) {
    if (gmsh->binary) CALL(wisp_gmsh_integer(err, gmsh, 4, &number));
    int32_t physical = 0;
    if (tags) CALL(read_tag(err, gmsh, kind->dimension, &physical));
    for (int64_t tag = 1, other = 0; tag < tags; tag++) CALL(wisp_gmsh_integer(err, gmsh, 4, &other));
    CALL(read_element(err, gmsh, kind, 4, physical));
  }
  *run = (size_t)count;
  return WISP_OK;
}

wisp_status wisp_gmsh_elements_2(wisp_error *err, wisp_gmsh *gmsh)
{
  size_t count = 0;
  CALL(read_count_line(err, gmsh, &count));
  for (size_t done_so_far = 0, run = 0; done_so_far < count; done_so_far += run)
    CALL(read_run(err, gmsh, count - done_so_far, &run));
  return WISP_OK;
}

/* ---- Format 4.1: blocks of nodes and elements, one a geometric entity, by which their physical groups are known. */

/* Passes reals and integers that say nothing to us. */
static wisp_status pass_numbers(wisp_error *err, wisp_gmsh *gmsh, size_t reals, size_t integers)
{
  double real;
  int64_t integer;
  for (size_t i = 0; i < reals; i++) CALL(wisp_gmsh_real(err, gmsh, &real));
  for (size_t i = 0; i < integers; i++) CALL(wisp_gmsh_integer(err, gmsh, 4, &integer));
  return WISP_OK;
}

/* Passes a count and as many integers. */
static wisp_status pass_list(wisp_error *err, wisp_gmsh *gmsh)
{
  size_t count = 0;
  CALL(wisp_gmsh_count(err, gmsh, &count));
  return pass_numbers(err, gmsh, 0, count);
}

/* A count and as many physical groups of a dimension: the value of all. */
static wisp_status read_groups(wisp_error *err, wisp_gmsh *gmsh, int dimension, int32_t *value)
{
  size_t count = 0;
  CALL(wisp_gmsh_count(err, gmsh, &count));
  for (size_t i = 0; i < count; i++) {
    CALL(wisp_grow(err, &gmsh->numbers, &gmsh->number_capacity, i + 1, sizeof *gmsh->numbers));
    CALL(read_tag(err, gmsh, dimension, &gmsh->numbers[i]));
  }
  return wisp_groups_value(err, &gmsh->groups, gmsh->numbers, count, value);
}

static int compare_entities(const void *left, const void *right)
{
  const wisp_gmsh_entity *a = left, *b = right;
  if (a->dimension != b->dimension) return a->dimension - b->dimension;
  if (a->entity != b->entity) return a->entity < b->entity ? -1 : 1;
  return b->part - a->part;
}

static const wisp_gmsh_entity *find_entity(const wisp_gmsh *gmsh, size_t count, bool part, int64_t dimension,
                                           int64_t entity)
{
  const wisp_gmsh_entity key = {.dimension = (int32_t)dimension, .entity = (int32_t)entity, .part = part};
  return count ? bsearch(&key, gmsh->entity, count, sizeof key, compare_entities) : NULL;
}

/* The parent of a part of an entity, and the part's partitions. *parent: the value of the parent's groups. */
static wisp_status read_parent(wisp_error *err, wisp_gmsh *gmsh, size_t known, int64_t *dimension, int32_t *parent)
{
  int64_t entity = 0;
  CALL(wisp_gmsh_integer(err, gmsh, 4, dimension));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &entity));
  CALL(pass_list(err, gmsh)); /* its partitions */
  const wisp_gmsh_entity *found = find_entity(gmsh, known, false, *dimension, entity);
  if (found) *parent = found->tag;
  return WISP_OK;
}

/* One entity: number, a point or a bounding box, physical groups, and the entities that bound it (a point has none). A
 * part has its parent's groups besides, unless the parent's dimension is higher: then it has none. */
static wisp_status read_entity(wisp_error *err, wisp_gmsh *gmsh, int dimension, bool part, size_t known)
{
  wisp_gmsh_entity made = {.dimension = dimension, .part = part};
  int64_t entity = 0, parent_dimension = dimension;
  int32_t parent = 0;
  CALL(wisp_gmsh_integer(err, gmsh, 4, &entity));
  made.entity = (int32_t)entity;
  if (part) CALL(read_parent(err, gmsh, known, &parent_dimension, &parent));
  const bool own = parent_dimension == dimension;
  CALL(pass_numbers(err, gmsh, dimension ? 6 : 3, 0));
  if (own) {
    CALL(read_groups(err, gmsh, dimension, &made.tag));
    CALL(wisp_groups_join(err, &gmsh->groups, made.tag, parent, &made.tag));
  } else {
    CALL(pass_list(err, gmsh));
  }
  if (dimension) CALL(pass_list(err, gmsh)); /* what bounds it */
  if (dimension < gmsh->shape->cell->dimension - 1) return WISP_OK;
  CALL(wisp_grow(err, &gmsh->entity, &gmsh->entity_capacity, gmsh->entities + 1, sizeof made));
  gmsh->entity[gmsh->entities++] = made;
  return WISP_OK;
}

static wisp_status read_entities(wisp_error *err, wisp_gmsh *gmsh, bool parts)
{
  const size_t known = gmsh->entities;
  size_t count[4] = {0};
  if (gmsh->cells || gmsh->triangles)
    CALL(wisp_gmsh_fail(err, gmsh, "$%sEntities stands behind $Elements, must be before", parts ? "Partitioned" : ""));
  for (int d = 0; d < 4; d++) CALL(wisp_gmsh_count(err, gmsh, &count[d]));
  for (int d = 0; d < 4; d++)
    for (size_t i = 0; i < count[d]; i++) CALL(read_entity(err, gmsh, d, parts, known));
  if (gmsh->entities) qsort(gmsh->entity, gmsh->entities, sizeof *gmsh->entity, compare_entities);
  return WISP_OK;
}

wisp_status wisp_gmsh_entities_4(wisp_error *err, wisp_gmsh *gmsh)
{
  return read_entities(err, gmsh, false);
}

/* The section begins with the number of parts and the ghosts' entities, two numbers each, and goes on as $Entities. */
wisp_status wisp_gmsh_parts_4(wisp_error *err, wisp_gmsh *gmsh)
{
  size_t parts = 0, ghosts = 0;
  CALL(wisp_gmsh_count(err, gmsh, &parts));
  CALL(wisp_gmsh_count(err, gmsh, &ghosts));
  for (size_t i = 0; i < ghosts; i++) CALL(pass_numbers(err, gmsh, 0, 2));
  return read_entities(err, gmsh, true);
}

/* A block of nodes: all their numbers, then all their places, each with its parameters on the entity where asked. */
static wisp_status read_node_block(wisp_error *err, wisp_gmsh *gmsh, size_t *count)
{
  const size_t first = gmsh->nodes;
  int64_t dimension = 0, entity = 0, parametric = 0;
  CALL(wisp_gmsh_integer(err, gmsh, 4, &dimension));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &entity));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &parametric));
  CALL(wisp_gmsh_count(err, gmsh, count));
  if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1)
    CALL(wisp_gmsh_fail(err, gmsh, "a block of nodes of dimension %lld, parametric %lld", (long long)dimension,
                        (long long)parametric));
  for (size_t i = 0; i < *count; i++) {
    wisp_gmsh_node node = {0};
    CALL(wisp_gmsh_integer(err, gmsh, 8, &node.tag));
    CALL(wisp_grow(err, &gmsh->node, &gmsh->node_capacity, gmsh->nodes + 1, sizeof node));
    gmsh->node[gmsh->nodes++] = node;
  }
  for (size_t i = first; i < gmsh->nodes; i++) {
    for (int c = 0; c < 3; c++) CALL(wisp_gmsh_real(err, gmsh, &gmsh->node[i].xyz[c]));
    CALL(pass_numbers(err, gmsh, parametric ? (size_t)dimension : 0, 0));
  }
  return WISP_OK;
}

static wisp_status read_element_block(wisp_error *err, wisp_gmsh *gmsh, size_t *count)
{
  const wisp_gmsh_kind *kind = NULL;
  int64_t dimension = 0, entity = 0, type = 0, number = 0;
  CALL(wisp_gmsh_integer(err, gmsh, 4, &dimension));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &entity));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &type));
  CALL(wisp_gmsh_count(err, gmsh, count));
  CALL(find_kind(err, gmsh, type, &kind));
  if (kind->dimension != dimension)
    CALL(wisp_gmsh_fail(err, gmsh, "a block of %s on an entity of dimension %lld", kind->name, (long long)dimension));
  const int faces = gmsh->shape->cell->dimension - 1; /* their dimension */
  const wisp_gmsh_entity *found = find_entity(gmsh, gmsh->entities, true, dimension, entity);
  if (!found) found = find_entity(gmsh, gmsh->entities, false, dimension, entity);
  if (gmsh->entities && !found && dimension == faces)
    CALL(wisp_gmsh_fail(err, gmsh, "elements on %s %lld, which $Entities does not have", gmsh->shape->entity,
                        (long long)entity));
  const int32_t tag = found && dimension >= faces ? found->tag : 0;
  for (size_t i = 0; i < *count; i++) {
    CALL(wisp_gmsh_integer(err, gmsh, 8, &number));
    CALL(read_element(err, gmsh, kind, 8, tag));
  }
  return WISP_OK;
}

typedef wisp_status block_reader(wisp_error *err, wisp_gmsh *gmsh, size_t *count);

/* All blocks, behind the numbers of blocks and of items in all, and the lowest and the highest number. */
static wisp_status read_blocks(wisp_error *err, wisp_gmsh *gmsh, block_reader *read_block)
{
  size_t blocks = 0, items = 0, sum = 0, count = 0;
  int64_t ends[2];
  CALL(wisp_gmsh_count(err, gmsh, &blocks));
  CALL(wisp_gmsh_count(err, gmsh, &items));
  for (int i = 0; i < 2; i++) CALL(wisp_gmsh_integer(err, gmsh, 8, &ends[i]));
  for (size_t i = 0; i < blocks; i++) {
    CALL(read_block(err, gmsh, &count));
    sum += count;
  }
  if (sum != items) CALL(wisp_gmsh_fail(err, gmsh, "the blocks hold %zu items, their header says %zu", sum, items));
  return WISP_OK;
}

wisp_status wisp_gmsh_nodes_4(wisp_error *err, wisp_gmsh *gmsh)
{
  return read_blocks(err, gmsh, read_node_block);
}

wisp_status wisp_gmsh_elements_4(wisp_error *err, wisp_gmsh *gmsh)
{
  return read_blocks(err, gmsh, read_element_block);
}
