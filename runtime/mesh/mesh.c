#include "mesh.h"

#include "../../gen/nodal/tet.h"
#include "../parallel.h"

/* A face as its lowest vertex's list sees it: the other two vertices in rising order, and corners x element + face. */
typedef struct face_entry {
  int32_t middle, high;
  uint32_t face;
} face_entry;

/* The face that counts outwards: vertices of faces 1 and 2 turn left seen from outside, those of 0 and 3 right. */
static const int outward[WISP_TET_FACES] = {-1, 1, 1, -1};

double wisp_mesh_corner(const wisp_mesh *mesh, size_t element, const int frame[4], double *scale)
{
  const int32_t *v = mesh->cell + (size_t)mesh->corners * element;
  const double *o = mesh->xyz + 3 * (size_t)v[frame[0]];
  const bool flat = wisp_mesh_dimension(mesh) == 2;
  double e[3][3] = {[2] = {0, 0, 1}}, longest = 0;
  for (int i = 0; i < (flat ? 2 : 3); i++) {
    wisp_subtract(mesh->xyz + 3 * (size_t)v[frame[i + 1]], o, e[i]);
    longest = fmax(longest, sqrt(wisp_dot(e[i], e[i])));
  }
  if (scale) *scale = longest * longest * (flat ? 1 : longest);
  return wisp_determinant(e[0], e[1], e[2]);
}

double wisp_extent(size_t count, const double *xyz, double low[3], double high[3])
{
  double longest = 0;
  for (int c = 0; c < 3; c++) low[c] = INFINITY, high[c] = -INFINITY;
  for (size_t i = 0; i < 3 * count; i++) {
    low[i % 3] = fmin(low[i % 3], xyz[i]);
    high[i % 3] = fmax(high[i % 3], xyz[i]);
  }
  for (int c = 0; c < 3; c++) longest = fmax(longest, high[c] - low[c]);
  return longest;
}

/* ---- Elements. */

static wisp_status check_vertices(wisp_error *err, const char *name, const wisp_mesh *mesh, size_t k)
{
  const wisp_cell *s = wisp_mesh_cell(mesh);
  const int32_t *v = mesh->cell + (size_t)s->corners * k;
  for (int a = 0; a < s->corners; a++) {
    CALL(wisp_require(err, v[a] >= 0 && (size_t)v[a] < mesh->vertices, WISP_EINPUT,
                      "%s: %s %zu has vertex %d of a mesh with %zu", name, s->one, wisp_mesh_number(mesh, k), v[a],
                      mesh->vertices));
    for (int b = 0; b < a; b++)
      CALL(wisp_require(err, v[a] != v[b], WISP_EINPUT,
                        "%s: %s %zu is degenerate: vertex %d is two of its corners; remesh there", name, s->one,
                        wisp_mesh_number(mesh, k), v[a]));
  }
  return WISP_OK;
}

static wisp_status refuse_degenerate(wisp_error *err, const char *name, const wisp_mesh *mesh, size_t k, int positive)
{
  const wisp_cell *s = wisp_mesh_cell(mesh);
  const int32_t *v = mesh->cell + (size_t)s->corners * k;
  char which[64] = "";
  for (int a = 0, used = 0; a < s->corners && s->frames == 1; a++)
    used += snprintf(which + used, sizeof which - (size_t)used, "%s%d", a ? " " : "", v[a]);
  return s->frames == 1
             ? wisp_fail(err, WISP_EINPUT, "%s: %s %zu (vertices %s) is degenerate, %s; remesh there", name, s->one,
                         wisp_mesh_number(mesh, k), which, s->without)
             : wisp_fail(err, WISP_EINPUT,
                         "%s: %s %zu is degenerate: its Jacobian is positive at %d of %d corners; remesh there", name,
                         s->one, wisp_mesh_number(mesh, k), positive, s->frames);
}

/* Flat means 1e-12 of the longest edge cubed, or squared: below any mesher's sliver, above rounding. */
static wisp_status check_some(wisp_error *err, const char *name, const wisp_mesh *mesh, size_t from, size_t to)
{
  const wisp_cell *s = wisp_mesh_cell(mesh);
  size_t inverted = 0, first = 0;
  for (size_t k = from; k < to; k++) {
    int positive = 0, negative = 0;
    CALL(check_vertices(err, name, mesh, k));
    for (int i = 0; i < s->frames; i++) {
      double scale, volume = wisp_mesh_corner(mesh, k, s->frame[i], &scale);
      positive += volume > 1e-12 * scale && isfinite(volume);
      negative += volume < -1e-12 * scale && isfinite(volume);
    }
    if (positive < s->frames && negative < s->frames) return refuse_degenerate(err, name, mesh, k, positive);
    if (negative && !inverted++) first = k;
  }
  return wisp_require(err, !inverted, WISP_EINPUT,
                      "%s: %zu of %zu %s are inverted (%s), the first is %s %zu; remesh or reverse them", name,
                      inverted, mesh->elements, s->many, s->negative, s->one, wisp_mesh_number(mesh, first));
}

/* A wisp_range over elements: is all well? */
static wisp_status look_at_elements(wisp_error *err, void *mesh, size_t from, size_t to)
{
  return check_some(err, "", mesh, from, to);
}

void wisp_mesh_reverse(wisp_mesh *mesh)
{
  const wisp_cell *s = wisp_mesh_cell(mesh);
  const size_t corners = (size_t)s->corners, begin = s->is_connected ? corners - 2 : 0; /* of a hex all pairs along r */
  for (size_t k = 0; k < mesh->elements; k++) {
    int negative = 0;
    for (int i = 0; i < s->frames; i++) negative += wisp_mesh_corner(mesh, k, s->frame[i], NULL) < 0;
    if (negative < s->frames) continue;
    for (size_t a = begin; a + 1 < corners; a += 2) {
      int32_t *v = mesh->cell + corners * k + a;
      const int32_t first = v[0];
      v[0] = v[1], v[1] = first;
    }
    mesh->reversed++;
  }
}

/* Triangles lie in a plane, and have all vertices. */
static wisp_status check_plane(wisp_error *err, const char *name, const wisp_mesh *mesh)
{
  OWNED(free) unsigned char *used = NULL;
  CALL(wisp_new(err, mesh->vertices, 1, &used));
  for (size_t i = 0; i < 3 * mesh->elements; i++) used[mesh->tri[i]] = 1;
  for (size_t v = 0; v < mesh->vertices; v++) {
    CALL(wisp_require(err, fabs(mesh->xyz[3 * v + 2] - mesh->xyz[2]) <= 0, WISP_EINPUT,
                      "%s: vertex %zu has z = %g, another %g: triangles must lie in a plane of one z", name, v,
                      mesh->xyz[3 * v + 2], mesh->xyz[2]));
    CALL(wisp_require(err, used[v], WISP_EINPUT, "%s: vertex %zu belongs to no triangle; leave it out", name, v));
  }
  return WISP_OK;
}

/* ---- Faces. Those of triangles are edges, which count as faces whose last vertex stands there twice. */

static void face_vertices(const wisp_mesh *mesh, uint32_t face, int32_t v[3])
{
  const uint32_t faces = (uint32_t)mesh->corners, own = face % faces;
  const int32_t *cell = mesh->cell + (size_t)(face - own);
  for (uint32_t a = 0; a < 3; a++)
    v[a] = cell[faces == 4 ? (uint32_t)wisp_tet_face_vertices[own][a] : (own + (a > 0)) % 3];
}

/* Puts a face's vertices into rising order. 1 or -1: whether that is an even permutation. */
static int sort_face(int32_t v[3])
{
  static const int swaps[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  int sign = 1;
  for (int i = 0; i < 3; i++) {
    int32_t *low = v + swaps[i][0], *high = v + swaps[i][1], first = *low;
    if (first > *high) *low = *high, *high = first, sign = -sign;
  }
  return sign;
}

/* On which of its sides the face has its element: 1 or -1. */
static int side_of(const wisp_mesh *mesh, uint32_t face)
{
  int32_t v[3];
  face_vertices(mesh, face, v);
  if (wisp_mesh_dimension(mesh) == 2) return v[0] < v[1] ? 1 : -1;
  return outward[face % 4] * sort_face(v);
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

/* Every face into the list of its lowest vertex v: entries start[v] .. start[v+1]-1, by a counting sort. */
static void list_faces(const wisp_mesh *mesh, size_t *start, face_entry *entry)
{
  const uint32_t faces = (uint32_t)((size_t)mesh->corners * mesh->elements);
  int32_t v[3];
  for (uint32_t f = 0; f < faces; f++) {
    face_vertices(mesh, f, v);
    sort_face(v);
    start[v[0] + 2]++;
  }
  for (size_t i = 2; i < mesh->vertices + 2; i++) start[i] += start[i - 1];
  for (uint32_t f = 0; f < faces; f++) {
    face_vertices(mesh, f, v);
    sort_face(v);
    entry[start[v[0] + 1]++] = (face_entry){wisp_mesh_dimension(mesh) == 2 ? v[2] : v[1], v[2], f};
  }
}

/* Theirs is across our face; an orientation takes the vertices of our face to theirs, which are the same three. */
static void set_neighbour(wisp_mesh *mesh, uint32_t ours, uint32_t theirs)
{
  int32_t a[3], b[3];
  face_vertices(mesh, ours, a);
  face_vertices(mesh, theirs, b);
  mesh->neighbour[ours] = (int32_t)(theirs / (uint32_t)mesh->corners);
  mesh->neighbour_face[ours] = (int8_t)(theirs % (uint32_t)mesh->corners);
  for (int8_t i = 0; wisp_mesh_dimension(mesh) == 3 && i < WISP_TET_ORIENTATIONS; i++) {
    const int *to = wisp_tet_orientations[i];
    if (a[0] == b[to[0]] && a[1] == b[to[1]] && a[2] == b[to[2]]) mesh->neighbour_orientation[ours] = i;
  }
}

/* A lone face is a boundary, two are neighbours, more do not conform; elements on one side of it overlap. */
static wisp_status join_faces(wisp_error *err, const char *name, wisp_mesh *mesh, int32_t low, const face_entry *entry,
                              size_t count)
{
  const wisp_cell *s = wisp_mesh_cell(mesh);
  const uint32_t ours = entry[0].face, theirs = entry[count > 1].face, faces = (uint32_t)s->corners;
  char face[64];
  if (count == 1) return WISP_OK;
  snprintf(face, sizeof face, faces == 3 ? "edge (%d %d)" : "face (%d %d %d)", low, entry->middle, entry->high);
  const size_t one = wisp_mesh_number(mesh, ours / faces), other = wisp_mesh_number(mesh, theirs / faces);
  CALL(wisp_require(err, count == 2, WISP_EINPUT,
                    "%s: %s is shared by %zu %s, %zu, %zu and %zu among them: the mesh does not conform", name, face,
                    count, s->many, one, other, wisp_mesh_number(mesh, entry[count - 1].face / faces)));
  CALL(wisp_require(err, side_of(mesh, ours) != side_of(mesh, theirs), WISP_EINPUT,
                    "%s: %s %zu and %zu overlap: both lie on one side of %s; was one element saved twice?", name,
                    s->many, one, other, face));
  set_neighbour(mesh, ours, theirs);
  set_neighbour(mesh, theirs, ours);
  return WISP_OK;
}

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
    for (size_t i = 0, run; i < count; i += run) {
      for (run = 1; i + run < count; run++)
        if (list[i + run].middle != list[i].middle || list[i + run].high != list[i].high) break;
      CALL(join_faces(err, j->name, j->mesh, (int32_t)v, list + i, run));
    }
  }
  return WISP_OK;
}

wisp_status wisp_mesh_connect(wisp_error *err, const char *name, wisp_mesh *mesh)
{
  const wisp_cell *s = wisp_mesh_cell(mesh);
  const size_t faces = (size_t)s->corners * mesh->elements;
  OWNED(free) size_t *start = NULL;
  OWNED(free) face_entry *entry = NULL;
  CALL(wisp_require(err, mesh->elements > 0, WISP_EINPUT, "%s: no %s: a mesh needs at least one", name, s->many));
  CALL(wisp_require(err, mesh->elements < s->most && mesh->vertices < INT32_MAX, WISP_EINPUT,
                    "%s: %zu %s and %zu vertices, must be fewer than %zu and 2^31", name, mesh->elements, s->many,
                    mesh->vertices, s->most));
  if (wisp_parallel(NULL, mesh->elements, look_at_elements, mesh) !=
      WISP_OK) /* faults are counted from the beginning */
    CALL(check_some(err, name, mesh, 0, mesh->elements));
  if (!s->is_connected) return WISP_OK;
  if (s->dimension == 2) CALL(check_plane(err, name, mesh));
  CALL(wisp_new(err, mesh->vertices + 2, sizeof *start, &start));
  CALL(wisp_new(err, faces, sizeof *entry, &entry));
  list_faces(mesh, start, entry);
  for (size_t f = 0; f < faces; f++) {
    mesh->neighbour[f] = WISP_BOUNDARY;
    mesh->neighbour_face[f] = mesh->neighbour_orientation[f] = 0;
  }
  return wisp_parallel(err, mesh->vertices, join_lists, &(joining){name, mesh, start, entry});
}

/* ---- All elements. */

void wisp_join_neighbours(size_t elements, size_t faces, const int32_t *neighbour, int32_t *parent)
{
  for (size_t k = 0; k < elements; k++) parent[k] = (int32_t)k;
  for (size_t f = 0; f < faces * elements; f++) {
    if (neighbour[f] == WISP_BOUNDARY) continue;
    const size_t a = wisp_root_of(parent, f / faces), b = wisp_root_of(parent, (size_t)neighbour[f]);
    parent[a < b ? b : a] = (int32_t)(a < b ? a : b);
  }
}

void wisp_list_around(size_t corners, size_t elements, const int32_t *cell, size_t vertices, size_t *start,
                      uint32_t *around)
{
  for (size_t i = 0; i < corners * elements; i++) start[cell[i] + 2]++;
  for (size_t v = 2; v < vertices + 2; v++) start[v] += start[v - 1];
  for (size_t i = 0; i < corners * elements; i++) around[start[cell[i] + 1]++] = (uint32_t)(i / corners);
}

wisp_status wisp_mesh_rearrange(wisp_error *err, const char *name, wisp_mesh *mesh, const int32_t *order,
                                const int8_t *corner)
{
  const wisp_cell *kind = wisp_mesh_cell(mesh);
  const size_t corners = (size_t)mesh->corners, faces = kind->is_connected ? corners : 0;
  OWNED(wisp_mesh_destroy) wisp_mesh *to = NULL; /* takes what the mesh had */
  CALL(wisp_mesh_create(err, mesh->corners, 0, mesh->elements, &to));
  CALL(wisp_new(err, mesh->elements, sizeof *to->number, &to->number));
  if (mesh->corner) CALL(wisp_new(err, mesh->elements, corners, &to->corner));
  for (size_t k = 0; k < mesh->elements; k++) {
    const size_t from = order ? (size_t)order[k] : k;
    to->number[k] = (int32_t)wisp_mesh_number(mesh, from);
    if (faces) to->region[k] = mesh->region[from];
    for (size_t i = 0; i < corners; i++) {
      const size_t at = corners * k + i, old = corners * from + (size_t)(corner ? corner[at] : (int8_t)i);
      to->cell[at] = mesh->cell[old];
      if (mesh->corner) to->corner[at] = mesh->corner[old];
    }
    for (size_t i = 0; i < faces; i++) {
      const size_t opposite = (size_t)kind->opposite[i];
      const int old = kind->across[corner ? (size_t)corner[corners * k + opposite] : opposite];
      to->tag[corners * k + i] = mesh->tag[corners * from + (size_t)old];
    }
  }
  const wisp_mesh old = *mesh;
  mesh->cell = to->cell, mesh->tag = to->tag, mesh->region = to->region;
  mesh->number = to->number, mesh->corner = to->corner;
  to->cell = old.cell, to->tag = old.tag, to->region = old.region, to->number = old.number, to->corner = old.corner;
  return faces ? wisp_mesh_connect(err, name, mesh) : WISP_OK;
}

wisp_status wisp_mesh_create(wisp_error *err, int corners, size_t vertices, size_t elements, wisp_mesh **out)
{
  const size_t faces = wisp_cells[corners].is_connected ? (size_t)corners * elements : 0;
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  CALL(wisp_new(err, 1, sizeof *mesh, &mesh));
  mesh->vertices = vertices;
  mesh->elements = elements;
  mesh->corners = corners;
  CALL(wisp_new(err, vertices, 3 * sizeof *mesh->xyz, &mesh->xyz));
  CALL(wisp_new(err, elements, (size_t)corners * sizeof *mesh->cell, &mesh->cell));
  CALL(wisp_new(err, faces, sizeof *mesh->neighbour, &mesh->neighbour));
  CALL(wisp_new(err, faces, sizeof *mesh->neighbour_face, &mesh->neighbour_face));
  CALL(wisp_new(err, faces, sizeof *mesh->neighbour_orientation, &mesh->neighbour_orientation));
  CALL(wisp_new(err, faces, sizeof *mesh->tag, &mesh->tag));
  CALL(wisp_new(err, faces ? elements : 0, sizeof *mesh->region, &mesh->region));
  return GIVE(mesh, out);
}

void wisp_mesh_destroy(wisp_mesh *mesh)
{
  if (!mesh) return;
  WISP_FREE(mesh->xyz, mesh->cell, mesh->neighbour, mesh->neighbour_face, mesh->neighbour_orientation, mesh->tag,
            mesh->region, mesh->plane, mesh->order, mesh->corner, mesh->number);
  wisp_groups_free(&mesh->groups);
  wisp_notes_free(&mesh->notes);
  free(mesh);
}
