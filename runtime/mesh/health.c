#include "health.h"
#include "facets.h"

/* ---- One element. */

static const double *vertex_of(const wisp_mesh *mesh, size_t element, int corner)
{
  return mesh->xyz + 3 * (size_t)mesh->cell[(size_t)mesh->corners * element + (size_t)corner];
}

/* Pyramids from a corner to the faces. A bilinear face bounds the mean of its two triangulations. */
static double hex_volume(const wisp_mesh *mesh, size_t element)
{
  static const int cut[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
  static const int outward[WISP_HEX_FACES] = {-1, 1, 1, -1, -1, 1}; /* which way the corners go round */
  const double *origin = vertex_of(mesh, element, 0);
  double twelve = 0;
  for (int face = 0; face < WISP_HEX_FACES; face++) {
    int32_t vertex[4];
    double to[4][3];
    wisp_mesh_face(mesh, element, face, vertex);
    for (int i = 0; i < 4; i++) wisp_subtract(mesh->xyz + 3 * (size_t)vertex[i], origin, to[i]);
    for (int i = 0; i < 4; i++) twelve += outward[face] * wisp_determinant(to[cut[i][0]], to[cut[i][1]], to[cut[i][2]]);
  }
  return twelve / 12;
}

double wisp_mesh_measure(const wisp_mesh *mesh, size_t element)
{
  const wisp_cell *cell = wisp_mesh_cell(mesh);
  return cell->frames > 1 ? hex_volume(mesh, element)
                          : wisp_mesh_corner(mesh, element, cell->frame[0], NULL) / cell->parts;
}

static double find_length(const wisp_mesh *mesh, size_t element)
{
  double surface = 0;
  for (int face = 0; face < wisp_mesh_cell(mesh)->faces; face++) surface += wisp_mesh_facet(mesh, element, face).area;
  return wisp_mesh_dimension(mesh) * wisp_mesh_measure(mesh, element) / surface;
}

/* abc / 4 A of the sides and the area. */
static double circle_radius(const wisp_mesh *mesh, size_t element)
{
  double product = 1;
  for (int i = 0; i < 3; i++)
    product *= wisp_distance(vertex_of(mesh, element, i), vertex_of(mesh, element, (i + 1) % 3));
  return product / (4 * wisp_mesh_measure(mesh, element));
}

/* |a^2 (b x c) + b^2 (c x a) + c^2 (a x b)| / 12 V of the edges from a corner. */
static double sphere_radius(const wisp_mesh *mesh, size_t element)
{
  double edge[3][3], sum[3] = {0};
  for (int i = 0; i < 3; i++) wisp_subtract(vertex_of(mesh, element, i + 1), vertex_of(mesh, element, 0), edge[i]);
  for (int i = 0; i < 3; i++) {
    double normal[3];
    wisp_cross(edge[(i + 1) % 3], edge[(i + 2) % 3], normal);
    for (int c = 0; c < 3; c++) sum[c] += wisp_dot(edge[i], edge[i]) * normal[c];
  }
  return sqrt(wisp_dot(sum, sum)) / (12 * wisp_mesh_measure(mesh, element));
}

static double least_corner(const wisp_mesh *mesh, size_t element)
{
  double least = 1;
  for (int i = 0; i < 8; i++) {
    const int *frame = wisp_cells[8].frame[i];
    double product = 1;
    for (int e = 1; e < 4; e++)
      product *= wisp_distance(vertex_of(mesh, element, frame[e]), vertex_of(mesh, element, frame[0]));
    least = fmin(least, wisp_mesh_corner(mesh, element, frame, NULL) / product);
  }
  return least;
}

static double find_quality(const wisp_mesh *mesh, size_t element)
{
  const wisp_cell *cell = wisp_mesh_cell(mesh);
  if (cell->frames > 1) return least_corner(mesh, element);
  const double inner = find_length(mesh, element);
  return cell->dimension * inner / (cell->dimension == 3 ? sphere_radius : circle_radius)(mesh, element);
}

/* ---- All of them. */

/* The values of all elements, which it sorts. */
static wisp_spread spread_of(const wisp_mesh *mesh, double *value)
{
  const size_t count = mesh->elements;
  wisp_spread s = {.element = 0};
  for (size_t k = 0; k < count; k++)
    if (value[k] < value[s.element]) s.element = k;
  for (int i = 0; i < mesh->corners; i++)
    for (int c = 0; c < 3; c++) s.at[c] += vertex_of(mesh, s.element, i)[c] / mesh->corners;
  wisp_plane_place(mesh->plane, 1, s.at);
  qsort(value, count, sizeof *value, wisp_by_value);
  s.least = value[0], s.greatest = value[count - 1];
  s.hundredth = value[(count - 1) / 100], s.tenth = value[(count - 1) / 10], s.half = value[(count - 1) / 2];
  return s;
}

wisp_status wisp_mesh_look(wisp_error *err, const wisp_mesh *mesh, wisp_health *out)
{
  wisp_health health = {.pieces = 0};
  OWNED(free) double *value = NULL, *xyz = NULL; /* points as the file has them */
  OWNED(free) int32_t *made = NULL, *piece = NULL;
  CALL(wisp_new(err, mesh->vertices, 3 * sizeof *xyz, &xyz));
  memcpy(xyz, mesh->xyz, 3 * mesh->vertices * sizeof *xyz);
  wisp_plane_place(mesh->plane, mesh->vertices, xyz);
  wisp_extent(mesh->vertices, xyz, health.low, health.high);
  CALL(wisp_new(err, mesh->elements, sizeof *value, &value));
  if (!wisp_mesh_cell(mesh)->is_connected) {
    CALL(wisp_new(err, WISP_HEX_FACES * mesh->elements, sizeof *made, &made));
    CALL(wisp_hex_neighbours(err, mesh, made));
  }
  const int32_t *neighbour = made ? made : mesh->neighbour;
  const size_t faces = (size_t)wisp_mesh_cell(mesh)->faces;
  CALL(wisp_new(err, mesh->elements, sizeof *piece, &piece));
  wisp_join_neighbours(mesh->elements, faces, neighbour, piece);
  for (size_t k = 0; k < mesh->elements; k++) health.pieces += piece[k] == (int32_t)k;
  for (size_t f = 0; f < faces * mesh->elements; f++) {
    if (neighbour[f] != WISP_BOUNDARY) continue;
    health.boundary_faces++;
    health.boundary += wisp_mesh_facet(mesh, f / faces, (int)(f % faces)).area;
  }
  for (size_t k = 0; k < mesh->elements; k++) health.measure += wisp_mesh_measure(mesh, k);
  for (size_t k = 0; k < mesh->elements; k++) value[k] = find_quality(mesh, k);
  health.quality = spread_of(mesh, value);
  for (size_t k = 0; k < mesh->elements; k++) value[k] = find_length(mesh, k);
  health.length = spread_of(mesh, value);
  while (health.limiting < mesh->elements && value[health.limiting] < 2 * health.length.least) health.limiting++;
  *out = health;
  return WISP_OK;
}
