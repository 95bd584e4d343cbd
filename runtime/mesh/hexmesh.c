#include "hexmesh.h"

#include <math.h>

enum { LARGEST_BOX = 400, MOST_ELEMENTS = 1 << 28 }; /* so that 8 x elements counts corners in 32 bits */

wisp_status wisp_hexmesh_box(wisp_error *err, const int n[3], wisp_hexmesh **out)
{
  OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = NULL;
  for (int d = 0; d < 3; d++)
    CALL(wisp_require(err, n[d] >= 1 && n[d] <= LARGEST_BOX, WISP_EUSAGE, "box: %d hexes a side, must be 1 to %d", n[d],
                      LARGEST_BOX));
  size_t line = (size_t)n[0] + 1, plane = line * ((size_t)n[1] + 1);
  CALL(wisp_mesh_create(err, 8, plane * ((size_t)n[2] + 1), (size_t)n[0] * (size_t)n[1] * (size_t)n[2], &mesh));
  for (size_t v = 0; v < mesh->vertices; v++) {
    const size_t at[3] = {v % line, v % plane / line, v / plane};
    for (int d = 0; d < 3; d++) mesh->xyz[3 * v + (size_t)d] = (double)at[d] / n[d];
  }
  int32_t *hex = mesh->hex;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++)
        for (int v = 0; v < 8; v++)
          *hex++ =
              (int32_t)((size_t)(i + (v & 1)) + line * (size_t)(j + (v >> 1 & 1)) + plane * (size_t)(k + (v >> 2)));
  return GIVE(mesh, out);
}

static wisp_status check_corners(wisp_error *err, const char *name, const wisp_hexmesh *mesh, size_t element)
{
  const int32_t *v = mesh->hex + 8 * element;
  for (int a = 0; a < 8; a++) {
    if (v[a] < 0 || (size_t)v[a] >= mesh->vertices)
      return wisp_fail(err, WISP_EINPUT, "%s: hex %zu has vertex %d of a mesh with %zu", name, element, v[a],
                       mesh->vertices);
    for (int b = 0; b < a; b++)
      if (v[a] == v[b])
        return wisp_fail(err, WISP_EINPUT, "%s: hex %zu is degenerate: vertex %d is two of its corners; remesh there",
                         name, element, v[a]);
  }
  return WISP_OK;
}

/* Flat means 1e-12 of the longest edge cubed, as for tets. */
wisp_status wisp_hexmesh_check(wisp_error *err, const char *name, const wisp_hexmesh *mesh)
{
  size_t inverted = 0, first = 0;
  CALL(wisp_require(err, mesh->elements > 0, WISP_EINPUT, "%s: no hexes", name));
  CALL(wisp_require(err, mesh->elements < MOST_ELEMENTS && mesh->vertices < INT32_MAX, WISP_EINPUT,
                    "%s: %zu hexes and %zu vertices, more than 2^28 and 2^31", name, mesh->elements, mesh->vertices));
  for (size_t k = 0; k < mesh->elements; k++) {
    int positive = 0, negative = 0;
    CALL(check_corners(err, name, mesh, k));
    for (int corner = 0; corner < 8; corner++) {
      double scale, volume = wisp_mesh_corner(mesh, k, wisp_hex_frames[corner], &scale);
      positive += volume > 1e-12 * scale && isfinite(volume);
      negative += volume < -1e-12 * scale && isfinite(volume);
    }
    CALL(wisp_require(err, positive == 8 || negative == 8, WISP_EINPUT,
                      "%s: hex %zu is degenerate: its Jacobian is positive at %d of 8 corners; remesh there", name, k,
                      positive));
    if (negative && !inverted++) first = k;
  }
  return wisp_require(
      err, !inverted, WISP_EINPUT,
      "%s: %zu of %zu hexes are inverted (negative volume), the first is hex %zu; remesh or reverse them", name,
      inverted, mesh->elements, first);
}
