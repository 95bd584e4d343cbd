/* Gmsh's format 4.1: nodes and elements stand in blocks, one a geometric entity; a surface's physical group is known by
 * its entity. Text and binary hold the same numbers in the same order. */
#include "gmsh.h"

#include <stdlib.h>

/* Passes reals and integers that say nothing to us. */
static wisp_status pass(wisp_error *err, wisp_gmsh *gmsh, size_t reals, size_t integers)
{
  wisp_status status = WISP_OK;
  double real;
  int64_t integer;
  for (size_t i = 0; i < reals; i++) TRY(wisp_gmsh_real(err, gmsh, &real));
  for (size_t i = 0; i < integers; i++) TRY(wisp_gmsh_integer(err, gmsh, 4, &integer));
done:
  return status;
}

/* One entity: number, a point or a bounding box, physical groups, and the entities that bound it (a point has none). */
static wisp_status read_entity(wisp_error *err, wisp_gmsh *gmsh, int dimension)
{
  wisp_status status = WISP_OK;
  int64_t entity = 0, group = 0;
  size_t groups = 0, bounds = 0;
  int32_t tag = 0;
  TRY(wisp_gmsh_integer(err, gmsh, 4, &entity));
  TRY(pass(err, gmsh, dimension ? 6 : 3, 0));
  TRY(wisp_gmsh_count(err, gmsh, &groups));
  if (dimension == 2 && groups > 1) {
    TRY(wisp_gmsh_fail(err, gmsh, "surface %lld is in %zu physical groups; leave it in one, a face has one tag",
                       (long long)entity, groups));
  }
  if (groups) TRY(wisp_gmsh_integer(err, gmsh, 4, &group));
  if (groups) TRY(pass(err, gmsh, 0, groups - 1));
  TRY(wisp_gmsh_tag(err, gmsh, group, &tag));
  if (dimension) TRY(wisp_gmsh_count(err, gmsh, &bounds));
  TRY(pass(err, gmsh, 0, bounds));
  if (dimension == 2) {
    TRY(wisp_gmsh_grow(err, &gmsh->surface, &gmsh->surface_room, gmsh->surfaces, sizeof *gmsh->surface));
    gmsh->surface[gmsh->surfaces++] = (wisp_gmsh_surface){(int32_t)entity, tag};
  }
done:
  return status;
}

static int compare_surfaces(const void *left, const void *right)
{
  const wisp_gmsh_surface *a = left, *b = right;
  return a->entity < b->entity ? -1 : a->entity > b->entity;
}

wisp_status wisp_gmsh_entities_4(wisp_error *err, wisp_gmsh *gmsh)
{
  wisp_status status = WISP_OK;
  size_t count[4] = {0};
  if (gmsh->cells || gmsh->triangles)
    TRY(wisp_gmsh_fail(err, gmsh, "$Entities stands behind $Elements, must be before"));
  for (int d = 0; d < 4; d++) TRY(wisp_gmsh_count(err, gmsh, &count[d]));
  for (int d = 0; d < 4; d++)
    for (size_t i = 0; i < count[d]; i++) TRY(read_entity(err, gmsh, d));
  if (gmsh->surfaces) qsort(gmsh->surface, gmsh->surfaces, sizeof *gmsh->surface, compare_surfaces);
done:
  return status;
}

/* The tag of a surface; 0 for all where the file has no $Entities. */
static wisp_status surface_tag(wisp_error *err, const wisp_gmsh *gmsh, int64_t entity, int32_t *tag)
{
  const wisp_gmsh_surface key = {(int32_t)entity, 0}, *found = NULL;
  *tag = 0;
  if (!gmsh->surfaces) return WISP_OK;
  found = bsearch(&key, gmsh->surface, gmsh->surfaces, sizeof key, compare_surfaces);
  if (!found)
    return wisp_gmsh_fail(err, gmsh, "elements on surface %lld, which $Entities does not have", (long long)entity);
  *tag = found->tag;
  return WISP_OK;
}

/* The four counts before blocks: blocks, items in all, lowest and highest number. */
static wisp_status read_header(wisp_error *err, wisp_gmsh *gmsh, size_t *blocks, size_t *items)
{
  wisp_status status = WISP_OK;
  int64_t lowest, highest;
  TRY(wisp_gmsh_count(err, gmsh, blocks));
  TRY(wisp_gmsh_count(err, gmsh, items));
  TRY(wisp_gmsh_integer(err, gmsh, 8, &lowest));
  TRY(wisp_gmsh_integer(err, gmsh, 8, &highest));
done:
  return status;
}

/* A block of nodes: all their numbers, then all their places, each with its parameters on the entity where asked. */
static wisp_status read_node_block(wisp_error *err, wisp_gmsh *gmsh, size_t *count)
{
  wisp_status status = WISP_OK;
  const size_t first = gmsh->nodes;
  int64_t dimension = 0, entity = 0, parametric = 0;
  TRY(wisp_gmsh_integer(err, gmsh, 4, &dimension));
  TRY(wisp_gmsh_integer(err, gmsh, 4, &entity));
  TRY(wisp_gmsh_integer(err, gmsh, 4, &parametric));
  TRY(wisp_gmsh_count(err, gmsh, count));
  if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) {
    TRY(wisp_gmsh_fail(err, gmsh, "a block of nodes of dimension %lld, parametric %lld", (long long)dimension,
                       (long long)parametric));
  }
  for (size_t i = 0; i < *count; i++) {
    wisp_gmsh_node node = {0};
    TRY(wisp_gmsh_integer(err, gmsh, 8, &node.tag));
    TRY(wisp_gmsh_grow(err, &gmsh->node, &gmsh->node_room, gmsh->nodes, sizeof node));
    gmsh->node[gmsh->nodes++] = node;
  }
  for (size_t i = first; i < gmsh->nodes; i++) {
    for (int c = 0; c < 3; c++) TRY(wisp_gmsh_real(err, gmsh, &gmsh->node[i].xyz[c]));
    TRY(pass(err, gmsh, parametric ? (size_t)dimension : 0, 0));
  }
done:
  return status;
}

/* A block of elements of one kind on one entity. */
static wisp_status read_element_block(wisp_error *err, wisp_gmsh *gmsh, size_t *count)
{
  wisp_status status = WISP_OK;
  const wisp_gmsh_kind *kind = NULL;
  int64_t dimension = 0, entity = 0, type = 0, number = 0;
  int32_t tag = 0;
  TRY(wisp_gmsh_integer(err, gmsh, 4, &dimension));
  TRY(wisp_gmsh_integer(err, gmsh, 4, &entity));
  TRY(wisp_gmsh_integer(err, gmsh, 4, &type));
  TRY(wisp_gmsh_count(err, gmsh, count));
  TRY(wisp_gmsh_find_kind(err, gmsh, type, &kind));
  if (kind->dimension != dimension) {
    TRY(wisp_gmsh_fail(err, gmsh, "a block of %s on an entity of dimension %lld", kind->name, (long long)dimension));
  }
  if (dimension == 2) TRY(surface_tag(err, gmsh, entity, &tag));
  for (size_t i = 0; i < *count; i++) {
    TRY(wisp_gmsh_integer(err, gmsh, 8, &number));
    TRY(wisp_gmsh_element(err, gmsh, kind, 8, tag));
  }
done:
  return status;
}

typedef wisp_status block_reader(wisp_error *err, wisp_gmsh *gmsh, size_t *count);

/* All blocks, which must hold as many items together as the header says. */
static wisp_status read_blocks(wisp_error *err, wisp_gmsh *gmsh, block_reader *read_block)
{
  wisp_status status = WISP_OK;
  size_t blocks = 0, items = 0, sum = 0, count = 0;
  TRY(read_header(err, gmsh, &blocks, &items));
  for (size_t i = 0; i < blocks; i++) {
    TRY(read_block(err, gmsh, &count));
    sum += count;
  }
  if (sum != items) TRY(wisp_gmsh_fail(err, gmsh, "the blocks hold %zu items, their header says %zu", sum, items));
done:
  return status;
}

wisp_status wisp_gmsh_nodes_4(wisp_error *err, wisp_gmsh *gmsh)
{
  return read_blocks(err, gmsh, read_node_block);
}

wisp_status wisp_gmsh_elements_4(wisp_error *err, wisp_gmsh *gmsh)
{
  return read_blocks(err, gmsh, read_element_block);
}
