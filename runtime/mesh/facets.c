#include "facets.h"
#include "../../gen/nodal/tet.h"

#include <math.h>

/* Corners of a hex in tensor order, v = vr + 2 vs + 4 vt: face 2 d + side lies at that side of direction d. */
static const int hex_faces[WISP_HEX_FACES][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                 {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};

int wisp_mesh_faces(const wisp_mesh *mesh)
{
  return mesh->corners == 8 ? WISP_HEX_FACES : mesh->corners;
}

int wisp_mesh_face(const wisp_mesh *mesh, size_t element, int face, int32_t vertex[4])
{
  const int32_t *cell = mesh->cell + (size_t)mesh->corners * element;
  const int corners = mesh->corners == 8 ? 4 : mesh->corners - 1;
  for (int i = 0; i < corners; i++)
    vertex[i] = cell[mesh->corners == 8   ? hex_faces[face][i]
                     : mesh->corners == 4 ? wisp_tet_face_vertices[face][i]
                                          : (face + i) % 3];
  return corners;
}

/* ---- Polygons. */

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
  for (int c = 0; c < 3; c++) out[c] = a[c] - b[c];
}

/* Makes a vector of length 1 of it, and returns the length that it had. Squares of its parts may be out of range. */
static double normalize(double v[3])
{
  const double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
  if (!(most > 0)) return 0;
  for (int c = 0; c < 3; c++) v[c] /= most;
  const double length = sqrt(dot(v, v));
  for (int c = 0; c < 3; c++) v[c] /= length;
  return most * length;
}

/* The normal of an edge in the plane of its triangle, away from the element: `away`, which leads from the element's
 * middle to the edge's, without its part along the edge. */
static void set_edge_normal(wisp_facet *f, const double away[3])
{
  double along[3];
  subtract(f->xyz[1], f->xyz[0], along);
  f->area = normalize(along);
  const double part = dot(away, along);
  for (int c = 0; c < 3; c++) f->normal[c] = away[c] - part * along[c];
  normalize(f->normal);
}

/* Half the cross product of two edges, or of the diagonals, is the area times the normal. */
static void set_face_normal(wisp_facet *f, const double away[3])
{
  double a[3], b[3], *n = f->normal;
  subtract(f->xyz[f->corners - 2], f->xyz[0], a);
  subtract(f->xyz[f->corners - 1], f->xyz[f->corners - 3], b);
  for (int c = 0; c < 3; c++) n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
  f->area = normalize(n) / 2;
  if (dot(n, away) < 0)
    for (int c = 0; c < 3; c++) n[c] = -n[c];
}

wisp_facet wisp_mesh_facet(const wisp_mesh *mesh, size_t element, int face)
{
  wisp_facet f = {.element = element, .face = face};
  const int32_t *cell = mesh->cell + (size_t)mesh->corners * element;
  int32_t vertex[4];
  double away[3] = {0};
  f.corners = wisp_mesh_face(mesh, element, face, vertex);
  for (int i = 0; i < f.corners; i++)
    for (int c = 0; c < 3; c++) {
      f.xyz[i][c] = mesh->xyz[3 * (size_t)vertex[i] + (size_t)c];
      away[c] += f.xyz[i][c] / f.corners;
    }
  for (int i = 0; i < mesh->corners; i++)
    for (int c = 0; c < 3; c++) away[c] -= mesh->xyz[3 * (size_t)cell[i] + (size_t)c] / mesh->corners;
  if (f.corners == 2)
    set_edge_normal(&f, away);
  else
    set_face_normal(&f, away);
  return f;
}

void wisp_facet_middle(const wisp_facet *facet, double middle[3])
{
  for (int c = 0; c < 3; c++) {
    middle[c] = 0;
    for (int i = 0; i < facet->corners; i++) middle[c] += facet->xyz[i][c] / facet->corners;
  }
}

/* ---- The boundary. */

/* A face of a hex in the list of its lowest vertex: a number made of all four, and 6 x element + face. */
typedef struct listed {
  uint64_t key;
  uint32_t face;
} listed;

/* A face's lowest vertex; and the same key for the same four vertices, in whatever order (mixed as by splitmix64). */
static int32_t describe(const wisp_mesh *mesh, uint32_t face, uint64_t *key)
{
  int32_t vertex[4], low = INT32_MAX;
  wisp_mesh_face(mesh, face / WISP_HEX_FACES, (int)(face % WISP_HEX_FACES), vertex);
  *key = 0;
  for (int i = 0; i < 4; i++) {
    uint64_t h = (uint64_t)vertex[i] + 1;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    *key += h ^ h >> 31;
    if (vertex[i] < low) low = vertex[i];
  }
  return low;
}

static int compare_listed(const void *left, const void *right)
{
  const listed *a = left, *b = right;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->face < b->face ? -1 : a->face > b->face;
}

/* Lists hold about six faces, where looking at all pairs beats sorting; a fan around one vertex still takes n log n. */
static void pair_list(listed *list, size_t count, int32_t *neighbour)
{
  const bool sorted = count > 48;
  if (sorted) qsort(list, count, sizeof *list, compare_listed);
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k-- > (sorted ? i - 1 : 0);) {
      if (list[k].key != list[i].key || neighbour[list[k].face] != WISP_BOUNDARY) continue;
      neighbour[list[k].face] = (int32_t)(list[i].face / WISP_HEX_FACES);
      neighbour[list[i].face] = (int32_t)(list[k].face / WISP_HEX_FACES);
      break;
    }
}

wisp_status wisp_hex_neighbours(wisp_error *err, const wisp_mesh *mesh, int32_t *neighbour)
{
  const uint32_t faces = (uint32_t)(WISP_HEX_FACES * mesh->elements);
  OWNED(free) size_t *start = NULL;
  OWNED(free) listed *list = NULL;
  uint64_t key;
  CALL(wisp_new(err, mesh->vertices + 2, sizeof *start, &start));
  CALL(wisp_new(err, faces, sizeof *list, &list));
  for (uint32_t f = 0; f < faces; f++) start[describe(mesh, f, &key) + 2]++;
  for (size_t v = 2; v < mesh->vertices + 2; v++) start[v] += start[v - 1];
  for (uint32_t f = 0; f < faces; f++) {
    const int32_t low = describe(mesh, f, &key);
    list[start[low + 1]++] = (listed){key, f};
    neighbour[f] = WISP_BOUNDARY;
  }
  for (size_t v = 0; v < mesh->vertices; v++) pair_list(list + start[v], start[v + 1] - start[v], neighbour);
  return WISP_OK;
}

wisp_status wisp_mesh_boundary(wisp_error *err, const wisp_mesh *mesh, size_t *count, wisp_facet **out)
{
  const size_t each = (size_t)wisp_mesh_faces(mesh), faces = each * mesh->elements;
  OWNED(free) int32_t *made = NULL;
  OWNED(free) wisp_facet *facet = NULL;
  size_t found = 0;
  if (mesh->corners == 8) {
    CALL(wisp_new(err, faces, sizeof *made, &made));
    CALL(wisp_hex_neighbours(err, mesh, made));
  }
  const int32_t *neighbour = made ? made : mesh->neighbour;
  for (size_t f = 0; f < faces; f++) found += neighbour[f] == WISP_BOUNDARY;
  CALL(wisp_new(err, found, sizeof *facet, &facet));
  *count = 0;
  for (size_t f = 0; f < faces; f++)
    if (neighbour[f] == WISP_BOUNDARY) facet[(*count)++] = wisp_mesh_facet(mesh, f / each, (int)(f % each));
  return GIVE(facet, out);
}
