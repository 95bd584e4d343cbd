#include "touching.h"

/* No element may lose an edge. */
static wisp_status check_edges(wisp_error *err, const char *name, const wisp_mesh *mesh, double tolerance)
{
  const size_t corners = (size_t)mesh->corners;
  double shortest = INFINITY;
  size_t element = 0;
  for (size_t k = 0; k < mesh->elements; k++)
    for (size_t a = 0; a < corners; a++)
      for (size_t b = 0; b < a; b++) {
        const double *x = mesh->xyz + 3 * (size_t)mesh->cell[corners * k + a];
        const double *y = mesh->xyz + 3 * (size_t)mesh->cell[corners * k + b];
        const double length = wisp_distance(x, y);
        if (length < shortest) shortest = length, element = k;
      }
  return wisp_require(err, tolerance < shortest, WISP_EUSAGE,
                      "%s: --merge %g would join two corners of element %zu, which are %g apart: take less", name,
                      tolerance, wisp_mesh_number(mesh, element), shortest);
}

/* Removes the vertices that were joined. target: the vertex to which each goes, then its number. */
static void renumber(wisp_mesh *mesh, int32_t *target)
{
  size_t kept = 0;
  for (size_t v = 0; v < mesh->vertices; v++) {
    const bool stays = target[v] == (int32_t)v;
    if (stays) memmove(mesh->xyz + 3 * kept, mesh->xyz + 3 * v, 3 * sizeof *mesh->xyz);
    target[v] = stays ? (int32_t)kept++ : target[target[v]]; /* a target is lower, so it has its number */
  }
  mesh->vertices = kept;
  for (size_t i = 0; i < (size_t)mesh->corners * mesh->elements; i++) mesh->cell[i] = target[mesh->cell[i]];
}

wisp_status wisp_mesh_merge(wisp_error *err, const char *name, wisp_mesh *mesh, double tolerance, int32_t **to)
{
  OWNED(free) int32_t *target = NULL;
  CALL(wisp_require(err, tolerance > 0 && isfinite(tolerance), WISP_EUSAGE,
                    "%s: nodes that are closer than %g cannot be joined: take a length above 0", name, tolerance));
  CALL(check_edges(err, name, mesh, tolerance));
  CALL(wisp_new(err, mesh->vertices, sizeof *target, &target));
  CALL(wisp_join_points(err, mesh->vertices, mesh->xyz, tolerance, target));
  renumber(mesh, target);
  return GIVE(target, to);
}
