#include "facets.h"
#include "../../gen/random.h"

int wisp_mesh_face(const wisp_mesh *mesh, size_t element, int face, int32_t vertex[4])
{
  const wisp_cell *of = wisp_mesh_cell(mesh);
  const int32_t *cell = mesh->cell + (size_t)mesh->corners * element;
  for (int i = 0; i < of->face_corners; i++) vertex[i] = cell[of->face[face][i]];
  return of->face_corners;
}

/* ---- Polygons. */

/* Makes a vector of length 1 of it, and returns the length that it had. Squares of its parts may be out of range. */
static double normalize(double v[3])
{
  const double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
  if (!(most > 0)) return 0;
  for (int c = 0; c < 3; c++) v[c] /= most;
  const double length = sqrt(wisp_dot(v, v));
  for (int c = 0; c < 3; c++) v[c] /= length;
  return most * length;
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
  if (f.corners == 2) { /* in its triangle's plane: `away`, from the middle, without its part along the edge */
    double along[3];
    wisp_subtract(f.xyz[1], f.xyz[0], along);
    f.area = normalize(along);
    const double part = wisp_dot(away, along);
    for (int c = 0; c < 3; c++) f.normal[c] = away[c] - part * along[c];
    normalize(f.normal);
    return f;
  }
  /* Half the cross product of two edges, or of the diagonals, is the area times the normal. */
  double a[3], b[3];
  wisp_subtract(f.xyz[f.corners - 2], f.xyz[0], a);
  wisp_subtract(f.xyz[f.corners - 1], f.xyz[f.corners - 3], b);
  wisp_cross(a, b, f.normal);
  f.area = normalize(f.normal) / 2;
  const double sign = wisp_dot(f.normal, away) < 0 ? -1 : 1;
  for (int c = 0; c < 3; c++) f.normal[c] *= sign;
  return f;
}

void wisp_facet_middle(const wisp_facet *facet, double middle[3])
{
  for (int c = 0; c < 3; c++) {
    middle[c] = 0;
    for (int i = 0; i < facet->corners; i++) middle[c] += facet->xyz[i][c] / facet->corners;
  }
}

/* ---- The boundary of hexes. Both hexes of a face make the same key of its vertices, in whatever order they stand. */

static void find_keys(const int32_t *hex, const uint64_t *number, uint64_t key[WISP_HEX_FACES],
                      int32_t low[WISP_HEX_FACES])
{
  uint64_t of[8];
  for (int i = 0; i < 8; i++) of[i] = number[hex[i]];
  for (int f = 0; f < WISP_HEX_FACES; f++) {
    const int *at = wisp_cells[8].face[f];
    const int32_t a = hex[at[0]] < hex[at[1]] ? hex[at[0]] : hex[at[1]];
    const int32_t b = hex[at[2]] < hex[at[3]] ? hex[at[2]] : hex[at[3]];
    key[f] = of[at[0]] + of[at[1]] + of[at[2]] + of[at[3]];
    low[f] = a < b ? a : b;
  }
}

/* Keys in an open hash, at most half full; face: 6 x hex + face + 1 of a lone face, 0: the last two are paired. */
typedef struct met {
  uint64_t key;
  size_t face;
  bool used;
} met;

/* Finds faces with one hex. Where all faces of a lowest vertex are paired, the exclusive or of their keys is 0. */
static wisp_status pair_faces(wisp_error *err, const wisp_mesh *mesh, unsigned char *outside, int32_t *neighbour)
{
  OWNED(free) uint64_t *number = NULL, *open = NULL;
  OWNED(free) met *list = NULL, *table = NULL;
  uint64_t key[WISP_HEX_FACES];
  int32_t low[WISP_HEX_FACES];
  size_t count = 0, capacity = 0, size = 16;
  CALL(wisp_new(err, mesh->vertices, sizeof *number, &number));
  CALL(wisp_new(err, mesh->vertices, sizeof *open, &open));
  for (size_t v = 0; v < mesh->vertices; v++) number[v] = wisp_random_mix(v + 1); /* a face's key is a sum of four */
  for (size_t k = 0; k < mesh->elements; k++) {
    find_keys(mesh->hex + 8 * k, number, key, low);
    for (int f = 0; f < WISP_HEX_FACES; f++) open[low[f]] ^= key[f];
  }
  for (size_t k = 0; k < mesh->elements; k++) {
    find_keys(mesh->hex + 8 * k, number, key, low);
    for (size_t f = 0; f < WISP_HEX_FACES; f++) {
      if (!neighbour && !open[low[f]]) continue;
      CALL(wisp_grow(err, &list, &capacity, count + 1, sizeof *list));
      list[count++] = (met){key[f], WISP_HEX_FACES * k + f, true};
    }
  }
  while (size < 2 * count) size *= 2;
  CALL(wisp_new(err, size, sizeof *table, &table));
  for (const met *m = list; m < list + count; m++) {
    size_t i = (size_t)(m->key ^ m->key >> 32) & (size - 1);
    while (table[i].used && table[i].key != m->key) i = (i + 1) & (size - 1);
    const size_t face = m->face, other = table[i].used ? table[i].face : 0;
    table[i] = (met){m->key, other ? 0 : face + 1, true};
    outside[face] = !other;
    if (!other) continue;
    outside[other - 1] = false;
    if (!neighbour) continue;
    neighbour[face] = (int32_t)((other - 1) / WISP_HEX_FACES);
    neighbour[other - 1] = (int32_t)(face / WISP_HEX_FACES);
  }
  return WISP_OK;
}

wisp_status wisp_hex_neighbours(wisp_error *err, const wisp_mesh *mesh, int32_t *neighbour)
{
  OWNED(free) unsigned char *outside = NULL;
  CALL(wisp_new(err, mesh->elements, WISP_HEX_FACES, &outside));
  for (size_t f = 0; f < WISP_HEX_FACES * mesh->elements; f++) neighbour[f] = WISP_BOUNDARY;
  return pair_faces(err, mesh, outside, neighbour);
}

/* ---- The boundary. */

wisp_status wisp_mesh_outside(wisp_error *err, const wisp_mesh *mesh, unsigned char **out)
{
  const size_t faces = (size_t)wisp_mesh_cell(mesh)->faces * mesh->elements;
  OWNED(free) unsigned char *outside = NULL;
  CALL(wisp_new(err, faces, 1, &outside));
  const bool connected = wisp_mesh_cell(mesh)->is_connected;
  if (!connected) CALL(pair_faces(err, mesh, outside, NULL));
  for (size_t f = 0; f < faces && connected; f++) outside[f] = mesh->neighbour[f] == WISP_BOUNDARY;
  return GIVE(outside, out);
}

wisp_status wisp_mesh_boundary(wisp_error *err, const wisp_mesh *mesh, size_t *count, wisp_facet **out)
{
  const size_t each = (size_t)wisp_mesh_cell(mesh)->faces, faces = each * mesh->elements;
  OWNED(free) unsigned char *outside = NULL;
  OWNED(free) wisp_facet *facet = NULL;
  size_t found = 0;
  CALL(wisp_mesh_outside(err, mesh, &outside));
  for (size_t f = 0; f < faces; f++) found += outside[f];
  CALL(wisp_new(err, found, sizeof *facet, &facet));
  *count = 0;
  for (size_t f = 0; f < faces; f++)
    if (outside[f]) facet[(*count)++] = wisp_mesh_facet(mesh, f / each, (int)(f % each));
  return GIVE(facet, out);
}
