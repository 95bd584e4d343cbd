/* Triangles lie in a plane, which a file may have anywhere in space: here they are turned into z = 0. */
#include "mesh.h"

/* False where the length is 0 or not finite. */
static bool normalise(double v[3])
{
  const double length = sqrt(wisp_dot(v, v));
  for (int c = 0; c < 3; c++) v[c] /= length;
  return length > 0 && isfinite(length);
}

/* Twice the area of a triangle times its normal. */
static void area_vector(const wisp_mesh *mesh, size_t k, double out[3])
{
  const int32_t *v = mesh->tri + 3 * k;
  double a[3], b[3];
  wisp_subtract(mesh->xyz + 3 * (size_t)v[1], mesh->xyz + 3 * (size_t)v[0], a);
  wisp_subtract(mesh->xyz + 3 * (size_t)v[2], mesh->xyz + 3 * (size_t)v[0], b);
  wisp_cross(a, b, out);
}

/* The normal of all triangles together, on the side that the largest one has: some may be turned the other way. */
static bool find_normal(const wisp_mesh *mesh, double normal[3])
{
  double area[3], largest[3] = {0}, sum[3] = {0};
  for (size_t k = 0; k < mesh->elements; k++) {
    area_vector(mesh, k, area);
    if (wisp_dot(area, area) > wisp_dot(largest, largest)) memcpy(largest, area, sizeof largest);
  }
  for (size_t k = 0; k < mesh->elements; k++) {
    area_vector(mesh, k, area);
    const double sign = wisp_dot(area, largest) < 0 ? -1 : 1;
    for (int c = 0; c < 3; c++) sum[c] += sign * area[c];
  }
  memcpy(normal, sum, sizeof sum);
  return normalise(normal);
}

/* Least and largest distance from the plane through `from`; *where is the vertex that is farthest off. */
static void find_range(const wisp_mesh *mesh, const double from[3], const double normal[3], double range[2],
                       size_t *where)
{
  range[0] = range[1] = 0;
  for (size_t v = 0; v < mesh->vertices; v++) {
    double offset[3];
    wisp_subtract(mesh->xyz + 3 * v, from, offset);
    const double off = wisp_dot(offset, normal);
    if (off < range[0] || off > range[1]) *where = v;
    range[0] = fmin(range[0], off), range[1] = fmax(range[1], off);
  }
}

/* A plane of one z, else of one y, one x: its coordinates are two of the file's, as they are. */
static bool is_level(const double low[3], const double high[3], double allowed, wisp_plane *plane)
{
  int c = 2;
  while (c >= 0 && !(high[c] - low[c] <= allowed)) c--;
  if (c < 0) return false;
  *plane = (wisp_plane){.origin = {0}};
  plane->origin[c] = low[c] + (high[c] - low[c]) / 2;
  plane->axis[0][c == 0 ? 1 : 0] = plane->axis[1][c == 2 ? 1 : 2] = plane->axis[2][c] = 1;
  return true;
}

/* Any plane: its first axis is as close to x as can be, or, where the plane is steep, to y. */
static void choose_axes(const double from[3], const double normal[3], wisp_plane *plane)
{
  const size_t along = fabs(normal[0]) > 0.9;
  *plane = (wisp_plane){.origin = {0}};
  plane->axis[0][along] = 1;
  memcpy(plane->origin, from, sizeof plane->origin);
  memcpy(plane->axis[2], normal, sizeof plane->axis[2]);
  for (size_t c = 0; c < 3; c++) plane->axis[0][c] -= normal[along] * normal[c];
  (void)normalise(plane->axis[0]);
  wisp_cross(plane->axis[2], plane->axis[0], plane->axis[1]);
}

/* A surface has two sides: most of its area shall count as positive. Of a plane of one z the side is z's own. */
static void choose_side(wisp_mesh *mesh, wisp_plane *plane)
{
  double sum = 0, area[3];
  for (size_t k = 0; k < mesh->elements; k++) area_vector(mesh, k, area), sum += area[2];
  if (sum >= 0) return;
  for (size_t v = 0; v < mesh->vertices; v++) {
    double *at = mesh->xyz + 3 * v;
    const double first = at[0];
    at[0] = at[1], at[1] = first;
  }
  for (size_t c = 0; c < 3; c++) {
    const double first = plane->axis[0][c];
    plane->axis[0][c] = plane->axis[1][c], plane->axis[1][c] = first;
  }
}

wisp_status wisp_mesh_flatten(wisp_error *err, const char *name, wisp_mesh *mesh)
{
  double low[3], high[3], normal[3], range[2], largest = 0;
  size_t where = 0;
  wisp_plane plane;
  if (wisp_mesh_dimension(mesh) != 2 || !mesh->vertices) return WISP_OK;
  const double extent = wisp_mesh_extent(mesh, low, high);
  for (int c = 0; c < 3; c++) largest = fmax(largest, fmax(fabs(low[c]), fabs(high[c])));
  const double allowed = 1e-9 * extent + 1e-15 * largest; /* the second is what the digits of places leave */
  if (!is_level(low, high, allowed, &plane)) {
    if (!find_normal(mesh, normal)) return WISP_OK; /* no triangle has an area: that is told elsewhere */
    find_range(mesh, mesh->xyz, normal, range, &where);
    CALL(wisp_require(err, range[1] - range[0] <= allowed, WISP_EINPUT,
                      "%s: the triangles lie in no plane, vertex %zu is %.3g off: take a plane surface, or mesh the "
                      "volume inside ('gmsh -3') for a problem in space (run heat --element tet)",
                      name, where, fmax(-range[0], range[1])));
    choose_axes(mesh->xyz, normal, &plane);
  }
  const bool upright = plane.axis[2][2] >= 1;
  if (upright && fabs(plane.origin[2]) <= 0 && low[2] >= high[2]) return WISP_OK;
  for (size_t v = 0; v < mesh->vertices; v++) {
    double *at = mesh->xyz + 3 * v, offset[3];
    wisp_subtract(at, plane.origin, offset);
    for (size_t c = 0; c < 3; c++) at[c] = c < 2 ? wisp_dot(offset, plane.axis[c]) : 0;
  }
  if (!upright) choose_side(mesh, &plane);
  CALL(wisp_new(err, 1, sizeof *mesh->plane, &mesh->plane));
  *mesh->plane = plane;
  return WISP_OK;
}

void wisp_plane_place(const wisp_plane *plane, size_t count, double *xyz)
{
  for (size_t i = 0; plane && i < count; i++) {
    const double own[3] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
    for (size_t c = 0; c < 3; c++) {
      xyz[3 * i + c] = plane->origin[c];
      for (size_t a = 0; a < 3; a++) xyz[3 * i + c] += own[a] * plane->axis[a][c];
    }
  }
}
