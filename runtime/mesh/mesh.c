#include "mesh.h"

#include "../../gen/nodal/tet.h"
#include "../parallel.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ELEMENTS = 1 << 30 }; /* so that 4 x elements counts faces in 32 bits */

/* A face as its lowest vertex's list sees it: the other two vertices in rising order, and 4 x element + face. */
typedef struct face_entry {
  int32_t middle, high;
  uint32_t face;
} face_entry;

/* The face that counts outwards: vertices of faces 1 and 2 turn left seen from outside, those of 0 and 3 right. */
static const int outward[WISP_TET_FACES] = {-1, 1, 1, -1};

const int wisp_tet_frames[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}};
const int wisp_hex_frames[8][4] = {{0, 1, 2, 4}, {1, 3, 0, 5}, {2, 0, 3, 6}, {3, 2, 1, 7},
                                   {4, 6, 5, 0}, {5, 4, 7, 1}, {6, 7, 4, 2}, {7, 5, 6, 3}};

double wisp_mesh_corner(const wisp_mesh *mesh, size_t element, const int frame[4], double *scale)
{
  const int32_t *v = mesh->cell + (size_t)mesh->corners * element;
  const double *o = mesh->xyz + 3 * (size_t)v[frame[0]];
  double e[3][3], longest = 0;
  for (int i = 0; i < 3; i++) {
    for (int c = 0; c < 3; c++) e[i][c] = mesh->xyz[3 * (size_t)v[frame[i + 1]] + (size_t)c] - o[c];
    longest = fmax(longest, sqrt(e[i][0] * e[i][0] + e[i][1] * e[i][1] + e[i][2] * e[i][2]));
  }
  if (scale) *scale = longest * longest * longest;
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

void wisp_mesh_extent(const wisp_mesh *mesh, double low[3], double high[3])
{
  for (int c = 0; c < 3; c++) low[c] = INFINITY, high[c] = -INFINITY;
  for (size_t i = 0; i < 3 * mesh->vertices; i++) {
    low[i % 3] = fmin(low[i % 3], mesh->xyz[i]);
    high[i % 3] = fmax(high[i % 3], mesh->xyz[i]);
  }
}

/* Vertex numbers in range, every element with a volume, all of it positive. Flat means 1e-12 of its longest edge cubed,
 * far below any sliver that a mesher leaves and above the rounding of the determinant. */
static wisp_status check_some(wisp_error *err, const char *name, const wisp_mesh *mesh, size_t from, size_t to)
{
  size_t inverted = 0, first = 0;
  for (size_t k = from; k < to; k++) {
    const int32_t *v = mesh->tet + 4 * k;
    for (int i = 0; i < 4; i++)
      if (v[i] < 0 || (size_t)v[i] >= mesh->vertices)
        return wisp_fail(err, WISP_EINPUT, "%s: tet %zu has vertex %d of a mesh with %zu", name, k, v[i],
                         mesh->vertices);
    double scale, volume = wisp_mesh_corner(mesh, k, wisp_tet_frames[0], &scale);
    if (!(fabs(volume) > 1e-12 * scale) || !isfinite(volume))
      return wisp_fail(err, WISP_EINPUT,
                       "%s: tet %zu (vertices %d %d %d %d) is degenerate, without volume; remesh there", name, k, v[0],
                       v[1], v[2], v[3]);
    if (volume < 0 && !inverted++) first = k;
  }
  return wisp_require(
      err, !inverted, WISP_EINPUT,
      "%s: %zu of %zu tets are inverted (negative volume), the first is tet %zu; remesh or reverse them", name,
      inverted, mesh->elements, first);
}

/* A wisp_range over elements: is all well? */
static wisp_status look_at_elements(wisp_error *err, void *mesh, size_t from, size_t to)
{
  return check_some(err, "", mesh, from, to);
}

/* On all cores; what is wrong is looked for from the beginning, to count it. */
static wisp_status check_elements(wisp_error *err, const char *name, wisp_mesh *mesh)
{
  const wisp_status status = wisp_parallel(NULL, mesh->elements, look_at_elements, mesh);
  return status == WISP_OK ? status : check_some(err, name, mesh, 0, mesh->elements);
}

/* The three vertices of face 0..4 x elements - 1. */
static void face_vertices(const wisp_mesh *mesh, uint32_t face, int32_t v[3])
{
  const int32_t *tet = mesh->tet + 4 * (size_t)(face / 4);
  for (int a = 0; a < 3; a++) v[a] = tet[wisp_tet_face_vertices[face % 4][a]];
}

static void sort3(int32_t v[3])
{
  static const int swaps[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (int i = 0; i < 3; i++) {
    int32_t *low = v + swaps[i][0], *high = v + swaps[i][1], keep = *low;
    if (keep > *high) *low = *high, *high = keep;
  }
}

static int compare_entries(const void *left, const void *right)
{
  const face_entry *a = left, *b = right;
  if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->face < b->face ? -1 : a->face > b->face;
}

/* Lists hold about 15 entries, where insertion beats qsort; a fan around one vertex still takes n log n. */
static void sort_entries(face_entry *entry, size_t count)
{
  if (count > 48) {
    qsort(entry, count, sizeof *entry, compare_entries);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    face_entry moved = entry[i];
    size_t j = i;
    for (; j && compare_entries(&moved, &entry[j - 1]) < 0; j--) entry[j] = entry[j - 1];
    entry[j] = moved;
  }
}

/* Every face into the list of its lowest vertex v: entries start[v] .. start[v+1]-1. A counting sort by vertex keeps
 * this near linear in the mesh. */
static void list_faces(const wisp_mesh *mesh, size_t *start, face_entry *entry)
{
  uint32_t faces = (uint32_t)(4 * mesh->elements);
  int32_t v[3];
  for (uint32_t f = 0; f < faces; f++) {
    face_vertices(mesh, f, v);
    sort3(v);
    start[v[0] + 2]++;
  }
  for (size_t i = 2; i < mesh->vertices + 2; i++) start[i] += start[i - 1];
  for (uint32_t f = 0; f < faces; f++) {
    face_vertices(mesh, f, v);
    sort3(v);
    entry[start[v[0] + 1]++] = (face_entry){v[1], v[2], f};
  }
}

/* The turn that takes the vertices of our face to theirs; the faces hold the same three vertices. */
static int find_turn(const int32_t ours[3], const int32_t theirs[3])
{
  for (int turn = 0; turn < WISP_TET_TURNS; turn++) {
    const int *to = wisp_tet_turns[turn];
    if (ours[0] == theirs[to[0]] && ours[1] == theirs[to[1]] && ours[2] == theirs[to[2]]) return turn;
  }
  return -1; /* never */
}

static int turn_sign(int turn)
{
  const int *to = wisp_tet_turns[turn];
  return ((to[1] - to[0]) * (to[2] - to[0]) * (to[2] - to[1])) > 0 ? 1 : -1;
}

/* Makes two faces neighbours of each other. Two tets that lie on the same side of their face overlap. */
static wisp_status join(wisp_error *err, const char *name, wisp_mesh *mesh, uint32_t ours, uint32_t theirs)
{
  int32_t a[3], b[3];
  face_vertices(mesh, ours, a);
  face_vertices(mesh, theirs, b);
  int turn = find_turn(a, b);
  if (outward[ours % 4] * outward[theirs % 4] * turn_sign(turn) > 0)
    return wisp_fail(
        err, WISP_EINPUT,
        "%s: tets %u and %u overlap: both lie on one side of face (%d %d %d); was one element saved twice?", name,
        ours / 4, theirs / 4, a[0], a[1], a[2]);
  mesh->neighbour[ours] = (int32_t)(theirs / 4);
  mesh->neighbour_face[ours] = (int8_t)(theirs % 4);
  mesh->neighbour_turn[ours] = (int8_t)turn;
  mesh->neighbour[theirs] = (int32_t)(ours / 4);
  mesh->neighbour_face[theirs] = (int8_t)(ours % 4);
  mesh->neighbour_turn[theirs] = (int8_t)find_turn(b, a);
  return WISP_OK;
}

/* Walks one vertex's sorted list: a face alone is a boundary, two are neighbours, more do not conform. */
static wisp_status join_list(wisp_error *err, const char *name, wisp_mesh *mesh, int32_t low, const face_entry *entry,
                             size_t count)
{
  for (size_t i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count; run++)
      if (entry[i + run].middle != entry[i].middle || entry[i + run].high != entry[i].high) break;
    CALL(wisp_require(err, run <= 2, WISP_EINPUT,
                      "%s: face (%d %d %d) is shared by %zu tets, %u, %u and %u among them: the mesh does not conform",
                      name, low, entry[i].middle, entry[i].high, run, entry[i].face / 4, entry[i + 1].face / 4,
                      entry[i + 2].face / 4));
    if (run == 2) CALL(join(err, name, mesh, entry[i].face, entry[i + 1].face));
  }
  return WISP_OK;
}

/* What all vertices' lists are joined with. */
typedef struct joining {
  const char *name;
  wisp_mesh *mesh;
  const size_t *start;
  face_entry *entry;
} joining;

/* A wisp_range over vertices: sorts their lists, so that equal faces stand side by side, and joins these. */
static wisp_status join_lists(wisp_error *err, void *context, size_t from, size_t to)
{
  const joining *j = context;
  for (size_t v = from; v < to; v++) {
    face_entry *list = j->entry + j->start[v];
    const size_t count = j->start[v + 1] - j->start[v];
    sort_entries(list, count);
    CALL(join_list(err, j->name, j->mesh, (int32_t)v, list, count));
  }
  return WISP_OK;
}

wisp_status wisp_mesh_connect(wisp_error *err, const char *name, wisp_mesh *mesh)
{
  OWNED(free) size_t *start = NULL;
  size_t faces = 4 * mesh->elements;
  OWNED(free) face_entry *entry = NULL;
  CALL(wisp_require(err, mesh->elements > 0, WISP_EINPUT, "%s: no tets", name));
  CALL(wisp_require(err, mesh->elements < MOST_ELEMENTS && mesh->vertices < INT32_MAX, WISP_EINPUT,
                    "%s: %zu tets and %zu vertices, more than 2^30 and 2^31", name, mesh->elements, mesh->vertices));
  CALL(check_elements(err, name, mesh));
  CALL(wisp_new(err, mesh->vertices + 2, sizeof *start, &start));
  CALL(wisp_new(err, faces, sizeof *entry, &entry));
  list_faces(mesh, start, entry);
  for (size_t f = 0; f < faces; f++) {
    mesh->neighbour[f] = WISP_BOUNDARY;
    mesh->neighbour_face[f] = mesh->neighbour_turn[f] = 0;
  }
  return wisp_parallel(err, mesh->vertices, join_lists, &(joining){name, mesh, start, entry});
}

wisp_status wisp_mesh_create(wisp_error *err, int corners, size_t vertices, size_t elements, wisp_mesh **out)
{
  const size_t faces = corners == 4 ? 4 * elements : 0;
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  CALL(wisp_new(err, 1, sizeof *mesh, &mesh));
  mesh->vertices = vertices;
  mesh->elements = elements;
  mesh->corners = corners;
  CALL(wisp_new(err, vertices, 3 * sizeof *mesh->xyz, &mesh->xyz));
  CALL(wisp_new(err, elements, (size_t)corners * sizeof *mesh->cell, &mesh->cell));
  CALL(wisp_new(err, faces, sizeof *mesh->neighbour, &mesh->neighbour));
  CALL(wisp_new(err, faces, sizeof *mesh->neighbour_face, &mesh->neighbour_face));
  CALL(wisp_new(err, faces, sizeof *mesh->neighbour_turn, &mesh->neighbour_turn));
  CALL(wisp_new(err, faces, sizeof *mesh->tag, &mesh->tag));
  CALL(wisp_new(err, faces / 4, sizeof *mesh->region, &mesh->region));
  return GIVE(mesh, out);
}

void wisp_mesh_destroy(wisp_mesh *mesh)
{
  if (!mesh) return;
  free(mesh->xyz);
  free(mesh->cell);
  free(mesh->neighbour);
  free(mesh->neighbour_face);
  free(mesh->neighbour_turn);
  free(mesh->tag);
  free(mesh->region);
  free(mesh->order);
  free(mesh->number);
  free(mesh);
}
