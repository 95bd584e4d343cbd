/* From what a Gmsh file says to a mesh: node numbers become vertices, triangles, or lines, become physical groups of
 * boundary faces. */
#include "gmsh.h"
#include "hexmesh.h"

#include <stdlib.h>
#include <string.h>

#include "../../gen/nodal/tet.h"

/* Node numbers may be sparse and in any order: an open hash from number to place, at most half full. */
typedef struct node_map {
  uint32_t *place; /* index into nodes plus one, 0 where free */
  size_t mask;
} node_map;

/* The mixing of splitmix64 (Steele et al. 2014). */
static size_t mix(uint64_t h)
{
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return (size_t)(h ^ h >> 31);
}

/* The place of a number in the table, or the free one that it would take. */
static uint32_t *find(const node_map *map, const wisp_gmsh *gmsh, int64_t tag)
{
  size_t i = mix((uint64_t)tag) & map->mask;
  while (map->place[i] && gmsh->node[map->place[i] - 1].tag != tag) i = (i + 1) & map->mask;
  return map->place + i;
}

static wisp_status map_nodes(wisp_error *err, const wisp_gmsh *gmsh, node_map *map)
{
  size_t size = 16;
  CALL(wisp_require(err, gmsh->nodes < INT32_MAX, WISP_EINPUT, "%s: more than 2^31 nodes", gmsh->name));
  while (size < 2 * gmsh->nodes) size *= 2;
  CALL(wisp_new(err, size, sizeof *map->place, &map->place));
  map->mask = size - 1;
  for (size_t i = 0; i < gmsh->nodes; i++) {
    uint32_t *place = find(map, gmsh, gmsh->node[i].tag);
    CALL(wisp_require(err, !*place, WISP_EINPUT, "%s: node %lld is there twice", gmsh->name,
                      (long long)gmsh->node[i].tag));
    *place = (uint32_t)i + 1;
  }
  return WISP_OK;
}

typedef struct places {
  const node_map *map;
  const wisp_gmsh *gmsh;
} places;

/* A wisp_gmsh_place. */
static const double *place_of(const void *context, int64_t node)
{
  const places *p = context;
  const uint32_t place = *find(p->map, p->gmsh, node);
  return place ? p->gmsh->node[place - 1].xyz : NULL;
}

/* ---- Format 2 writes an element once for each physical group that it is in. */

/* The nodes of an element in rising order. */
static void sort_nodes(const wisp_gmsh *gmsh, size_t cell, int64_t node[8])
{
  const size_t corners = (size_t)gmsh->shape->corners;
  memset(node, 0, 8 * sizeof *node);
  for (size_t i = 0; i < corners; i++) {
    const int64_t next = gmsh->cell[corners * cell + i];
    size_t at = i;
    for (; at && node[at - 1] > next; at--) node[at] = node[at - 1];
    node[at] = next;
  }
}

/* The place of the element of these nodes in a hash table of those that are kept, or the one that it would take. */
static uint32_t *find_cell(const node_map *map, const wisp_gmsh *gmsh, const int64_t node[8])
{
  size_t i = 0;
  for (int c = 0; c < 8; c++) i = mix(i + (uint64_t)node[c]);
  for (i &= map->mask; map->place[i]; i = (i + 1) & map->mask) {
    int64_t other[8];
    sort_nodes(gmsh, map->place[i] - 1, other);
    if (memcmp(node, other, sizeof other) == 0) break;
  }
  return map->place + i;
}

/* Keeps each element once, with all its groups. One that stands there twice in the same group, or in none, stays. */
static wisp_status merge_cells(wisp_error *err, wisp_gmsh *gmsh)
{
  const size_t corners = (size_t)gmsh->shape->corners;
  OWNED(free) uint32_t *place = NULL;
  size_t size = 16, kept = 0, alike = 0;
  while (alike < gmsh->cells && gmsh->region[alike] == gmsh->region[0]) alike++;
  if (gmsh->version != 2 || alike == gmsh->cells) return WISP_OK;
  CALL(wisp_require(err, gmsh->cells < INT32_MAX, WISP_EINPUT, "%s: more than 2^31 elements", gmsh->name));
  while (size < 2 * gmsh->cells) size *= 2;
  CALL(wisp_new(err, size, sizeof *place, &place));
  const node_map map = {place, size - 1};
  for (size_t k = 0; k < gmsh->cells; k++) {
    int64_t node[8];
    sort_nodes(gmsh, k, node);
    uint32_t *met = find_cell(&map, gmsh, node);
    int32_t *region = gmsh->region + (*met ? *met - 1 : 0);
    if (*met && *region && gmsh->region[k] && !wisp_groups_have(&gmsh->groups, *region, gmsh->region[k])) {
      CALL(wisp_groups_join(err, &gmsh->groups, *region, gmsh->region[k], region));
      continue;
    }
    memmove(gmsh->cell + corners * kept, gmsh->cell + corners * k, corners * sizeof *gmsh->cell);
    gmsh->region[kept++] = gmsh->region[k];
    if (!*met) *met = (uint32_t)kept;
  }
  gmsh->cells = kept;
  return WISP_OK;
}

/* ---- Vertices. */

/* Vertex number of each node, in file order; WISP_EMPTY for nodes that no element uses (of surfaces, centres of arcs).
 */
static wisp_status number_vertices(wisp_error *err, const wisp_gmsh *gmsh, const node_map *map, int32_t *number,
                                   size_t *vertices)
{
  const size_t corners = (size_t)gmsh->shape->corners;
  for (size_t i = 0; i < gmsh->nodes; i++) number[i] = WISP_EMPTY;
  for (size_t c = 0; c < gmsh->cells * corners; c++) {
    uint32_t place = *find(map, gmsh, gmsh->cell[c]);
    if (!place)
      return wisp_fail(err, WISP_EINPUT, "%s: %s %zu uses node %lld, which $Nodes does not have", gmsh->name,
                       gmsh->shape->one, c / corners, (long long)gmsh->cell[c]);
    number[place - 1] = 0;
  }
  *vertices = 0;
  for (size_t i = 0; i < gmsh->nodes; i++)
    if (number[i] != WISP_EMPTY) number[i] = (int32_t)(*vertices)++;
  return WISP_OK;
}

/* Where the vertices are, and the vertices and the region of each element. */
static void fill(const wisp_gmsh *gmsh, const node_map *map, const int32_t *number, wisp_mesh *mesh)
{
  const size_t corners = (size_t)gmsh->shape->corners;
  for (size_t i = 0; i < gmsh->nodes; i++)
    if (number[i] != WISP_EMPTY) memcpy(mesh->xyz + 3 * (size_t)number[i], gmsh->node[i].xyz, 3 * sizeof *mesh->xyz);
  if (mesh->corners < 8 && gmsh->cells) memcpy(mesh->region, gmsh->region, gmsh->cells * sizeof *mesh->region);
  for (size_t k = 0; k < gmsh->cells; k++)
    for (size_t v = 0; v < corners; v++)
      mesh->cell[corners * k + v] =
          number[*find(map, gmsh, gmsh->cell[corners * k + (size_t)gmsh->shape->order[v]]) - 1];
}

/* ---- Faces. */

/* A triangle with its vertices in rising order, so that equal ones compare equal; of a line WISP_EMPTY is one. */
typedef struct tagged {
  int32_t vertex[3], tag;
} tagged;

static void set_vertex(tagged *triangle, int count, int32_t vertex)
{
  for (; count && triangle->vertex[count - 1] > vertex; count--) triangle->vertex[count] = triangle->vertex[count - 1];
  triangle->vertex[count] = vertex;
}

static int compare_tagged(const void *left, const void *right)
{
  const tagged *a = left, *b = right;
  for (int i = 0; i < 3; i++)
    if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i] ? -1 : 1;
  return 0;
}

static int32_t first_number(const wisp_gmsh *gmsh, const int32_t *value)
{
  const int32_t *numbers = value;
  return wisp_groups_numbers(&gmsh->groups, value, &numbers) ? *numbers : 0;
}

/* Triangles whose nodes are vertices of the mesh, sorted, each once, with all its groups. */
static wisp_status sort_triangles(wisp_error *err, wisp_gmsh *gmsh, const node_map *map, const int32_t *number,
                                  tagged *triangle, size_t *count)
{
  *count = 0;
  for (size_t i = 0; i < gmsh->triangles; i++) {
    bool used = true;
    triangle[*count].tag = gmsh->triangle[i].tag;
    for (int v = gmsh->shape->facet; v < 3; v++) triangle[*count].vertex[v] = WISP_EMPTY;
    for (int v = 0; v < gmsh->shape->facet; v++) {
      uint32_t place = *find(map, gmsh, gmsh->triangle[i].node[v]);
      if (!place)
        return wisp_fail(err, WISP_EINPUT, "%s: a %s of physical %s %d uses node %lld, which $Nodes does not have",
                         gmsh->name, gmsh->shape->face, gmsh->shape->entity, first_number(gmsh, &gmsh->triangle[i].tag),
                         (long long)gmsh->triangle[i].node[v]);
      used = used && number[place - 1] != WISP_EMPTY;
      set_vertex(&triangle[*count], v, number[place - 1]);
    }
    *count += used;
  }
  qsort(triangle, *count, sizeof *triangle, compare_tagged);
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    tagged *last = kept ? &triangle[kept - 1] : NULL;
    if (last && compare_tagged(last, &triangle[i]) == 0)
      CALL(wisp_groups_join(err, &gmsh->groups, last->tag, triangle[i].tag, &last->tag));
    else
      triangle[kept++] = triangle[i];
  }
  *count = kept;
  return WISP_OK;
}

static wisp_status tag_faces(wisp_error *err, wisp_gmsh *gmsh, const node_map *map, const int32_t *number,
                             wisp_mesh *mesh)
{
  OWNED(free) tagged *triangle = NULL;
  size_t count = 0;
  CALL(wisp_new(err, gmsh->triangles + 1, sizeof *triangle, &triangle));
  CALL(sort_triangles(err, gmsh, map, number, triangle, &count));
  const size_t faces = (size_t)mesh->corners;
  for (size_t f = 0; f < faces * mesh->elements; f++) {
    if (mesh->neighbour[f] != WISP_BOUNDARY) continue;
    tagged face = {{0, 0, WISP_EMPTY}, 0}, *found = NULL;
    for (size_t a = 0; a < faces - 1; a++) {
      const size_t corner = faces == 3 ? (f + a) % 3 : (size_t)wisp_tet_face_vertices[f % 4][a];
      set_vertex(&face, (int)a, mesh->cell[f / faces * faces + corner]);
    }
    found = bsearch(&face, triangle, count, sizeof face, compare_tagged);
    if (found) mesh->tag[f] = found->tag;
  }
  return WISP_OK;
}

wisp_status wisp_gmsh_build(wisp_error *err, wisp_gmsh *gmsh, wisp_mesh **out)
{
  wisp_status status = WISP_OK;
  const int corners = gmsh->shape->corners;
  node_map map = {0};
  OWNED(free) int32_t *number = NULL;
  wisp_mesh *mesh = NULL;
  size_t vertices = 0;
  TRY(map_nodes(err, gmsh, &map));
  TRY(wisp_gmsh_check_straight(err, gmsh, place_of, &(places){&map, gmsh}));
  TRY(merge_cells(err, gmsh));
  TRY(wisp_new(err, gmsh->nodes, sizeof *number, &number));
  TRY(number_vertices(err, gmsh, &map, number, &vertices));
  TRY(wisp_mesh_create(err, corners, vertices, gmsh->cells, &mesh));
  fill(gmsh, &map, number, mesh);
  TRY(wisp_mesh_flatten(err, gmsh->name, mesh));
  wisp_mesh_reverse(mesh);
  TRY(wisp_mesh_connect(err, gmsh->name, mesh));
  if (corners < 8) TRY(tag_faces(err, gmsh, &map, number, mesh));
  TRY(wisp_groups_spread(err, &gmsh->groups));
  (void)GIVE(gmsh->groups, &mesh->groups);
  *out = mesh;
done:
  if (status != WISP_OK) wisp_mesh_destroy(mesh);
  free(map.place);
  return status;
}
