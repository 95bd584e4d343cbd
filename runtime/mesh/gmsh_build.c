/* From what a Gmsh file says to a mesh: node numbers become vertices, triangles, or lines, become tags of boundary
 * faces. */
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

/* Where a number is or would be (the mixing is that of splitmix64, Steele et al. 2014). */
static uint32_t *find(const node_map *map, const wisp_gmsh *gmsh, int64_t tag)
{
  uint64_t h = (uint64_t)tag;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  size_t i = (size_t)(h ^ h >> 31) & map->mask;
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

/* Triangles whose nodes are vertices of the mesh, sorted, each once. */
static wisp_status sort_triangles(wisp_error *err, const wisp_gmsh *gmsh, const node_map *map, const int32_t *number,
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
        return wisp_fail(err, WISP_EINPUT, "%s: a %s of %s %d uses node %lld, which $Nodes does not have", gmsh->name,
                         gmsh->shape->face, gmsh->shape->entity, gmsh->triangle[i].tag,
                         (long long)gmsh->triangle[i].node[v]);
      used = used && number[place - 1] != WISP_EMPTY;
      set_vertex(&triangle[*count], v, number[place - 1]);
    }
    *count += used;
  }
  qsort(triangle, *count, sizeof *triangle, compare_tagged);
  for (size_t i = 1; i < *count; i++)
    if (compare_tagged(&triangle[i - 1], &triangle[i]) == 0 && triangle[i - 1].tag != triangle[i].tag)
      return wisp_fail(err, WISP_EINPUT, "%s: a face is in physical %ss %d and %d; leave it in one, a face has one tag",
                       gmsh->name, gmsh->shape->entity, triangle[i - 1].tag, triangle[i].tag);
  return WISP_OK;
}

static wisp_status tag_faces(wisp_error *err, const wisp_gmsh *gmsh, const node_map *map, const int32_t *number,
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
  TRY(wisp_new(err, gmsh->nodes, sizeof *number, &number));
  TRY(number_vertices(err, gmsh, &map, number, &vertices));
  TRY(wisp_mesh_create(err, corners, vertices, gmsh->cells, &mesh));
  fill(gmsh, &map, number, mesh);
  TRY(wisp_mesh_connect(err, gmsh->name, mesh));
  if (corners < 8) TRY(tag_faces(err, gmsh, &map, number, mesh));
  mesh->name = gmsh->group, mesh->names = gmsh->groups;
  gmsh->group = NULL;
  *out = mesh;
done:
  if (status != WISP_OK) wisp_mesh_destroy(mesh);
  free(map.place);
  return status;
}
