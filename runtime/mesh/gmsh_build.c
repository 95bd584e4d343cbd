/* Makes a mesh of the records: node numbers become vertices, faces become physical groups of the boundary. */
#include "facets.h"
#include "gmsh.h"
#include "health.h"
#include "touching.h"
#include "../../gen/random.h"

/* Node numbers may be sparse and in any order: an open hash from number to place, at most half full. */
typedef struct node_map {
  uint32_t *place; /* index into nodes plus one, 0 where free */
  size_t mask;
} node_map;

static void free_map(node_map *map)
{
  free(map->place);
}

static wisp_status make_map(wisp_error *err, size_t count, node_map *map)
{
  size_t size = 16;
  while (size < 2 * count) size *= 2;
  map->mask = size - 1;
  return wisp_new(err, size, sizeof *map->place, &map->place);
}

/* The place of a number in the table, or the free one that it would take. */
static uint32_t *find_node(const node_map *map, const wisp_gmsh *gmsh, int64_t tag)
{
  size_t i = wisp_random_mix((uint64_t)tag) & map->mask;
  while (map->place[i] && gmsh->node[map->place[i] - 1].tag != tag) i = (i + 1) & map->mask;
  return map->place + i;
}

static wisp_status map_nodes(wisp_error *err, const wisp_gmsh *gmsh, node_map *map)
{
  CALL(wisp_require(err, gmsh->nodes < INT32_MAX, WISP_EINPUT, "%s: more than 2^31 nodes: take a coarser mesh",
                    gmsh->name));
  CALL(make_map(err, gmsh->nodes, map));
  for (size_t i = 0; i < gmsh->nodes; i++) {
    uint32_t *place = find_node(map, gmsh, gmsh->node[i].tag);
    CALL(wisp_require(err, !*place, WISP_EINPUT, "%s: node %lld is there twice", gmsh->name,
                      (long long)gmsh->node[i].tag));
    *place = (uint32_t)i + 1;
  }
  return WISP_OK;
}

/* A node's coordinates; NULL where $Nodes lacks it. */
static const double *place_of(const node_map *map, const wisp_gmsh *gmsh, int64_t node)
{
  const uint32_t place = *find_node(map, gmsh, node);
  return place ? gmsh->node[place - 1].xyz : NULL;
}

/* ---- Elements of order 2. */

static double off_middle(const double *const corner[8], int corners, unsigned bits, const double *node)
{
  double middle[3] = {0};
  int count = 0;
  for (int c = 0; c < corners; c++) count += (bits >> c & 1) != 0;
  for (int c = 0; c < corners; c++)
    for (int d = 0; d < 3 && (bits >> c & 1); d++) middle[d] += corner[c][d] / count;
  return wisp_distance(middle, node);
}

/* 1e-9 of the element, or what the digits of its places leave. */
static double allowance(const double *const corner[8], int corners)
{
  double size = 0, largest = 0;
  for (int c = 0; c < corners; c++) {
    size = fmax(size, wisp_distance(corner[0], corner[c]));
    for (int d = 0; d < 3; d++) largest = fmax(largest, fabs(corner[c][d]));
  }
  return 1e-9 * size + 1e-15 * largest;
}

/* Refuses curved elements of order 2, beyond 1e-9. */
static wisp_status check_straight(wisp_error *err, const wisp_gmsh *gmsh, const node_map *map)
{
  const size_t corners = (size_t)gmsh->shape->cell->corners;
  for (size_t s = 0; s < gmsh->seconds; s++) {
    const wisp_gmsh_second *at = &gmsh->second[s];
    const double *corner[8] = {NULL}, *node = NULL;
    bool complete = true;
    for (size_t c = 0; c < corners; c++)
      complete &= (corner[c] = place_of(map, gmsh, gmsh->cell[corners * at->cell + c])) != NULL;
    for (int i = 0; complete && i < at->kind->nodes - at->kind->corners; i++) {
      const int64_t number = gmsh->middle[at->middle + (size_t)i];
      node = place_of(map, gmsh, number);
      CALL(wisp_require(err, node, WISP_EINPUT, "%s: %s %zu uses node %lld, which $Nodes does not have", gmsh->name,
                        gmsh->shape->cell->one, at->cell, (long long)number));
      const double off = off_middle(corner, (int)corners, at->kind->middles[i], node);
      CALL(wisp_require(err, off <= allowance(corner, (int)corners), WISP_EINPUT,
                        "%s: %s %zu is curved, its node %lld lies %.3g beside the middle: only straight %s can be "
                        "used; " WISP_GMSH_STRAIGHTEN,
                        gmsh->name, gmsh->shape->cell->one, at->cell, (long long)number, off, gmsh->shape->formal));
    }
  }
  return WISP_OK;
}

/* ---- Format 2 writes an element once for each physical group that it is in. */

static void sort_nodes(const wisp_gmsh *gmsh, size_t cell, int64_t node[8])
{
  const size_t corners = (size_t)gmsh->shape->cell->corners;
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
  for (int c = 0; c < 8; c++) i = wisp_random_mix(i + (uint64_t)node[c]);
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
  const size_t corners = (size_t)gmsh->shape->cell->corners;
  HELD(free_map) node_map map = {0};
  size_t kept = 0, alike = 0;
  while (alike < gmsh->cells && gmsh->region[alike] == gmsh->region[0]) alike++;
  if (gmsh->version != 2 || alike == gmsh->cells) return WISP_OK;
  CALL(wisp_require(err, gmsh->cells < INT32_MAX, WISP_EINPUT, "%s: more than 2^31 elements: take a coarser mesh",
                    gmsh->name));
  CALL(make_map(err, gmsh->cells, &map));
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

/* Vertex number of each node, in file order; WISP_EMPTY for nodes that no element uses (centres of arcs). */
static wisp_status number_vertices(wisp_error *err, const wisp_gmsh *gmsh, const node_map *map, int32_t *number,
                                   size_t *vertices)
{
  const size_t corners = (size_t)gmsh->shape->cell->corners;
  for (size_t i = 0; i < gmsh->nodes; i++) number[i] = WISP_EMPTY;
  for (size_t c = 0; c < gmsh->cells * corners; c++) {
    uint32_t place = *find_node(map, gmsh, gmsh->cell[c]);
    if (!place)
      return wisp_fail(err, WISP_EINPUT, "%s: %s %zu uses node %lld, which $Nodes does not have", gmsh->name,
                       gmsh->shape->cell->one, c / corners, (long long)gmsh->cell[c]);
    number[place - 1] = 0;
  }
  *vertices = 0;
  for (size_t i = 0; i < gmsh->nodes; i++)
    if (number[i] != WISP_EMPTY) number[i] = (int32_t)(*vertices)++;
  return WISP_OK;
}

/* Sets the vertices' coordinates, and the vertices and the region of each element. */
static void fill_mesh(const wisp_gmsh *gmsh, const node_map *map, const int32_t *number, wisp_mesh *mesh)
{
  const size_t corners = (size_t)gmsh->shape->cell->corners;
  for (size_t i = 0; i < gmsh->nodes; i++)
    if (number[i] != WISP_EMPTY) memcpy(mesh->xyz + 3 * (size_t)number[i], gmsh->node[i].xyz, 3 * sizeof *mesh->xyz);
  if (mesh->corners < 8 && gmsh->cells) memcpy(mesh->region, gmsh->region, gmsh->cells * sizeof *mesh->region);
  for (size_t k = 0; k < gmsh->cells; k++)
    for (size_t v = 0; v < corners; v++)
      mesh->cell[corners * k + v] =
          number[*find_node(map, gmsh, gmsh->cell[corners * k + (size_t)gmsh->shape->order[v]]) - 1];
}

/* ---- Faces. */

/* A face with its vertices in rising order, so that equal ones compare equal; those that it has not are WISP_EMPTY. */
typedef struct tagged {
  int32_t vertex[4], tag;
  bool met; /* an element has it */
} tagged;

static void set_vertex(tagged *triangle, int count, int32_t vertex)
{
  for (; count && triangle->vertex[count - 1] > vertex; count--) triangle->vertex[count] = triangle->vertex[count - 1];
  triangle->vertex[count] = vertex;
}

static int compare_tagged(const void *left, const void *right)
{
  const tagged *a = left, *b = right;
  for (int i = 0; i < 4; i++)
    if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i] ? -1 : 1;
  return 0;
}

/* Triangles whose nodes are vertices of the mesh, sorted, each once, with all its groups. */
static wisp_status sort_triangles(wisp_error *err, wisp_gmsh *gmsh, const node_map *map, const int32_t *number,
                                  tagged *triangle, size_t *count)
{
  *count = 0;
  for (size_t i = 0; i < gmsh->triangles; i++) {
    bool used = true;
    triangle[*count].tag = gmsh->triangle[i].tag;
    for (int v = gmsh->shape->cell->face_corners; v < 4; v++) triangle[*count].vertex[v] = WISP_EMPTY;
    for (int v = 0; v < gmsh->shape->cell->face_corners; v++) {
      uint32_t place = *find_node(map, gmsh, gmsh->triangle[i].node[v]);
      const int32_t *group = NULL;
      if (!place && wisp_groups_numbers(&gmsh->groups, &gmsh->triangle[i].tag, &group))
        return wisp_fail(err, WISP_EINPUT, "%s: a %s of physical %s %d uses node %lld, which $Nodes does not have",
                         gmsh->name, gmsh->shape->face, gmsh->shape->entity, *group,
                         (long long)gmsh->triangle[i].node[v]);
      used = used && number[place - 1] != WISP_EMPTY;
      set_vertex(&triangle[*count], v, number[place - 1]);
    }
    *count += used;
    if (!used)
      wisp_groups_count(&gmsh->groups, gmsh->shape->cell->dimension - 1, gmsh->triangle[i].tag, 0, WISP_GROUPS_LOOSE);
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

/* Counts a face, and finds its groups where they are asked for: of the boundary's, and of such as lie inside. */
static void take_face(wisp_mesh *mesh, bool outside, size_t f, tagged *list, size_t count)
{
  const size_t faces = (size_t)wisp_mesh_cell(mesh)->faces;
  const int dimension = wisp_mesh_dimension(mesh) - 1;
  tagged face = {.vertex = {WISP_EMPTY, WISP_EMPTY, WISP_EMPTY, WISP_EMPTY}};
  int32_t vertex[4];
  const int corners = wisp_mesh_face(mesh, f / faces, (int)(f % faces), vertex);
  for (int i = 0; i < corners; i++) set_vertex(&face, i, vertex[i]);
  tagged *found = bsearch(&face, list, count, sizeof face, compare_tagged); /* NULL: the file has no such face */
  if (!outside && (!found || found->met)) return;
  if (found) found->met = true;
  if (found && outside && mesh->corners < 8) mesh->tag[f] = found->tag;
  wisp_groups_count(&mesh->groups, dimension, found ? found->tag : 0,
                    outside ? wisp_mesh_facet(mesh, f / faces, (int)(f % faces)).area : 0,
                    outside ? WISP_GROUPS_MEMBER : WISP_GROUPS_INSIDE);
}

static bool is_inside(const wisp_groups *groups, const wisp_physical *group)
{
  (void)groups;
  return group->inside > 0;
}

static bool is_loose(const wisp_groups *groups, const wisp_physical *group)
{
  (void)groups;
  return group->loose > 0;
}

/* Says of faces that have no effect in which groups they are. */
static wisp_status note_faces(wisp_error *err, const char *name, wisp_mesh *mesh)
{
  HELD(wisp_text_free) wisp_text inside = {0}, loose = {0};
  const int dimension = wisp_mesh_dimension(mesh) - 1;
  const char *word = wisp_groups_word(dimension);
  size_t count[2] = {0};
  CALL(wisp_groups_print_some(err, &mesh->groups, dimension, is_inside, &count[0], &inside));
  CALL(wisp_groups_print_some(err, &mesh->groups, dimension, is_loose, &count[1], &loose));
  if (count[0])
    CALL(wisp_notes_add(err, &mesh->notes, "inside", "%s: %ss have parts inside the domain, which have no effect: %s",
                        name, word, inside.data));
  if (count[1])
    CALL(wisp_notes_add(err, &mesh->notes, "loose",
                        "%s: %ss have parts that bound no element, which have no effect: %s", name, word, loose.data));
  return WISP_OK;
}

static wisp_status tag_faces(wisp_error *err, wisp_gmsh *gmsh, const node_map *map, const int32_t *number,
                             wisp_mesh *mesh)
{
  OWNED(free) tagged *list = NULL;
  OWNED(free) unsigned char *outside = NULL;
  const size_t faces = (size_t)wisp_mesh_cell(mesh)->faces * mesh->elements;
  size_t count = 0, left = 0;
  CALL(wisp_new(err, gmsh->triangles + 1, sizeof *list, &list));
  CALL(wisp_groups_spread(err, &gmsh->groups));
  CALL(sort_triangles(err, gmsh, map, number, list, &count));
  (void)GIVE(gmsh->groups, &mesh->groups);
  for (size_t k = 0; k < mesh->elements; k++)
    wisp_groups_count(&mesh->groups, wisp_mesh_dimension(mesh), gmsh->region[k], wisp_mesh_measure(mesh, k),
                      WISP_GROUPS_MEMBER);
  if (!wisp_mesh_cell(mesh)->is_connected && !count) return note_faces(err, gmsh->name, mesh);
  CALL(wisp_mesh_outside(err, mesh, &outside));
  for (size_t f = 0; f < faces; f++)
    if (outside[f]) take_face(mesh, true, f, list, count);
  for (size_t i = 0; i < count; i++) left += !list[i].met;
  for (size_t f = 0; f < faces && left; f++)
    if (!outside[f]) take_face(mesh, false, f, list, count);
  for (size_t i = 0; i < count; i++)
    if (!list[i].met)
      wisp_groups_count(&mesh->groups, wisp_mesh_dimension(mesh) - 1, list[i].tag, 0, WISP_GROUPS_LOOSE);
  return note_faces(err, gmsh->name, mesh);
}

/* Makes one node of those that are near each other. number: of each node its vertex. */
static wisp_status merge_vertices(wisp_error *err, const wisp_gmsh *gmsh, wisp_mesh *mesh, int32_t *number)
{
  OWNED(free) int32_t *to = NULL;
  const size_t before = mesh->vertices;
  if (gmsh->merge == 0) return WISP_OK;
  CALL(wisp_mesh_merge(err, gmsh->name, mesh, gmsh->merge, &to));
  for (size_t i = 0; i < gmsh->nodes; i++)
    if (number[i] != WISP_EMPTY) number[i] = to[number[i]];
  return wisp_notes_add(err, &mesh->notes, "merged", "%s: %zu nodes were joined to others that are closer than %g",
                        gmsh->name, before - mesh->vertices, gmsh->merge);
}

wisp_status wisp_gmsh_build(wisp_error *err, wisp_gmsh *gmsh, wisp_mesh **out)
{
  const int corners = gmsh->shape->cell->corners;
  HELD(free_map) node_map map = {0};
  OWNED(free) int32_t *number = NULL;
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  size_t vertices = 0;
  CALL(map_nodes(err, gmsh, &map));
  CALL(check_straight(err, gmsh, &map));
  CALL(merge_cells(err, gmsh));
  CALL(wisp_new(err, gmsh->nodes, sizeof *number, &number));
  CALL(number_vertices(err, gmsh, &map, number, &vertices));
  CALL(wisp_mesh_create(err, corners, vertices, gmsh->cells, &mesh));
  (void)GIVE(gmsh->notes, &mesh->notes);
  fill_mesh(gmsh, &map, number, mesh);
  CALL(merge_vertices(err, gmsh, mesh, number));
  CALL(wisp_mesh_flatten(err, gmsh->name, mesh));
  wisp_mesh_reverse(mesh);
  if (mesh->reversed)
    CALL(wisp_notes_add(err, &mesh->notes, "reversed", "%s: %zu of %zu %s had %s: their orientation is reversed",
                        gmsh->name, mesh->reversed, mesh->elements, gmsh->shape->cell->many,
                        gmsh->shape->cell->negative));
  CALL(wisp_mesh_connect(err, gmsh->name, mesh));
  CALL(tag_faces(err, gmsh, &map, number, mesh));
  return GIVE(mesh, out);
}
