#include "trimesh.h"
#include "hexmesh.h"
#include "../parallel.h"

#include <math.h>

enum { LARGEST_BOX = 16384, MOST_ELEMENTS = 1 << 30 };

/* --- the box --- */

static void cut_squares(wisp_mesh *mesh, const int n[2])
{
  const int32_t line = n[0] + 1;
  int32_t *tri = mesh->tri, *tag = mesh->tag;
  for (int32_t j = 0; j < n[1]; j++)
    for (int32_t i = 0; i < n[0]; i++, tri += 6, tag += 6) {
      const int32_t low = j * line + i, high = low + line;
      const int32_t corners[6] = {low, low + 1, high + 1, low, high + 1, high};
      for (int c = 0; c < 6; c++) tri[c] = corners[c];
      tag[0] = j == 0 ? 3 : 0;
      tag[1] = i == n[0] - 1 ? 2 : 0;
      tag[4] = j == n[1] - 1 ? 4 : 0;
      tag[5] = i == 0 ? 1 : 0;
    }
}

wisp_status wisp_trimesh_box(wisp_error *err, const int n[2], wisp_mesh **out)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  for (int d = 0; d < 2; d++)
    CALL(wisp_require(err, n[d] >= 1 && n[d] <= LARGEST_BOX, WISP_EUSAGE, "box: %d squares a side, must be 1 to %d",
                      n[d], LARGEST_BOX));
  const size_t line = (size_t)n[0] + 1;
  CALL(wisp_mesh_create(err, 3, line * ((size_t)n[1] + 1), 2 * (size_t)n[0] * (size_t)n[1], &mesh));
  for (size_t v = 0; v < mesh->vertices; v++) {
    mesh->xyz[3 * v] = (double)(v % line) / n[0];
    mesh->xyz[3 * v + 1] = (double)(v / line) / n[1];
  }
  cut_squares(mesh, n);
  CALL(wisp_trimesh_connect(err, "box", mesh));
  return GIVE(mesh, out);
}

/* --- elements --- */

static wisp_status check_plane(wisp_error *err, const char *name, const wisp_mesh *mesh)
{
  for (size_t v = 0; v < mesh->vertices; v++)
    CALL(wisp_require(err, fabs(mesh->xyz[3 * v + 2] - mesh->xyz[2]) <= 0, WISP_EINPUT,
                      "%s: vertex %zu has z = %g, another %g: triangles must lie in a plane of one z", name, v,
                      mesh->xyz[3 * v + 2], mesh->xyz[2]));
  return WISP_OK;
}

/* Flat means 1e-12 of the longest edge squared, as for tets. */
static wisp_status check_elements(wisp_error *err, const char *name, const wisp_mesh *mesh)
{
  size_t inverted = 0, first = 0;
  for (size_t k = 0; k < mesh->elements; k++) {
    const int32_t *v = mesh->tri + 3 * k;
    double scale;
    for (int i = 0; i < 3; i++)
      if (v[i] < 0 || (size_t)v[i] >= mesh->vertices)
        return wisp_fail(err, WISP_EINPUT, "%s: triangle %zu has vertex %d of a mesh with %zu", name,
                         wisp_hexmesh_number(mesh, k), v[i], mesh->vertices);
    const double area = wisp_mesh_corner(mesh, k, wisp_tri_frames[0], &scale);
    if (!(fabs(area) > 1e-12 * scale) || !isfinite(area))
      return wisp_fail(err, WISP_EINPUT,
                       "%s: triangle %zu (vertices %d %d %d) is degenerate, without area; remesh there", name,
                       wisp_hexmesh_number(mesh, k), v[0], v[1], v[2]);
    if (area < 0 && !inverted++) first = k;
  }
  return wisp_require(err, !inverted, WISP_EINPUT,
                      "%s: %zu of %zu triangles are inverted (negative area), the first is triangle %zu; remesh or "
                      "reverse them",
                      name, inverted, mesh->elements, wisp_hexmesh_number(mesh, first));
}

/* --- edges --- */

/* An edge in the list of its lower vertex: 3 x element + edge, and which way it goes there. */
typedef struct edge_entry {
  int32_t high;
  bool falling; /* from the higher vertex to the lower */
  uint32_t edge;
} edge_entry;

typedef struct joining {
  const char *name;
  wisp_mesh *mesh;
  size_t *start;
  edge_entry *entry;
} joining;

static int compare(const void *left, const void *right)
{
  const edge_entry *a = left, *b = right;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static void list_edges(const joining *j)
{
  const wisp_mesh *mesh = j->mesh;
  for (int fill = 0; fill < 2; fill++) {
    for (size_t e = 0; e < 3 * mesh->elements; e++) {
      const int32_t a = mesh->tri[e], b = mesh->tri[e / 3 * 3 + (e + 1) % 3], low = a < b ? a : b;
      if (fill)
        j->entry[j->start[low + 1]++] = (edge_entry){a < b ? b : a, a > b, (uint32_t)e};
      else
        j->start[low + 2]++;
    }
    for (size_t v = 2; !fill && v < mesh->vertices + 2; v++) j->start[v] += j->start[v - 1];
  }
}

static wisp_status join(wisp_error *err, const joining *j, int32_t low, const edge_entry *entry, size_t count)
{
  wisp_mesh *mesh = j->mesh;
  const uint32_t a = entry[0].edge, b = entry[count > 1].edge;
  const size_t one = wisp_hexmesh_number(mesh, a / 3), other = wisp_hexmesh_number(mesh, b / 3);
  CALL(wisp_require(err, count <= 2, WISP_EINPUT,
                    "%s: edge (%d %d) is shared by %zu triangles, %zu and %zu among them: the mesh does not conform",
                    j->name, low, entry->high, count, one, other));
  if (count == 1) return WISP_OK;
  CALL(wisp_require(err, entry[0].falling != entry[1].falling, WISP_EINPUT,
                    "%s: triangles %zu and %zu overlap: both lie on one side of edge (%d %d); was one saved twice?",
                    j->name, one, other, low, entry->high));
  mesh->neighbour[a] = (int32_t)(b / 3), mesh->neighbour_face[a] = (int8_t)(b % 3);
  mesh->neighbour[b] = (int32_t)(a / 3), mesh->neighbour_face[b] = (int8_t)(a % 3);
  return WISP_OK;
}

/* A wisp_range over vertices. */
static wisp_status join_lists(wisp_error *err, void *context, size_t from, size_t to)
{
  const joining *j = context;
  for (size_t v = from; v < to; v++) {
    edge_entry *list = j->entry + j->start[v];
    const size_t count = j->start[v + 1] - j->start[v];
    qsort(list, count, sizeof *list, compare);
    for (size_t i = 0, run; i < count; i += run) {
      for (run = 1; i + run < count && list[i + run].high == list[i].high;) run++;
      CALL(join(err, j, (int32_t)v, list + i, run));
    }
  }
  return WISP_OK;
}

static wisp_status check_vertices(wisp_error *err, const char *name, const wisp_mesh *mesh)
{
  OWNED(free) unsigned char *used = NULL;
  CALL(wisp_new(err, mesh->vertices, 1, &used));
  for (size_t i = 0; i < 3 * mesh->elements; i++) used[mesh->tri[i]] = 1;
  for (size_t v = 0; v < mesh->vertices; v++)
    CALL(wisp_require(err, used[v], WISP_EINPUT, "%s: vertex %zu belongs to no triangle; leave it out", name, v));
  return WISP_OK;
}

wisp_status wisp_trimesh_connect(wisp_error *err, const char *name, wisp_mesh *mesh)
{
  OWNED(free) size_t *start = NULL;
  OWNED(free) edge_entry *entry = NULL;
  CALL(wisp_require(err, mesh->elements > 0, WISP_EINPUT, "%s: no triangles", name));
  CALL(wisp_require(err, mesh->elements < MOST_ELEMENTS && mesh->vertices < INT32_MAX, WISP_EINPUT,
                    "%s: %zu triangles and %zu vertices, more than 2^30 and 2^31", name, mesh->elements,
                    mesh->vertices));
  CALL(check_plane(err, name, mesh));
  CALL(check_elements(err, name, mesh));
  CALL(check_vertices(err, name, mesh));
  CALL(wisp_new(err, mesh->vertices + 2, sizeof *start, &start));
  CALL(wisp_new(err, 3 * mesh->elements, sizeof *entry, &entry));
  for (size_t e = 0; e < 3 * mesh->elements; e++) mesh->neighbour[e] = WISP_BOUNDARY, mesh->neighbour_face[e] = 0;
  joining j = {name, mesh, start, entry};
  list_edges(&j);
  return wisp_parallel(err, mesh->vertices, join_lists, &j);
}
