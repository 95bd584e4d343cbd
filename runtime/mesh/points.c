#include "touching.h"
#include "../../gen/random.h"

/* Points that stay, in cells of a grid: an open hash from a cell to a chain of its points. A cell's side is at least
 * twice the tolerance, so that what is near a point lies in eight cells at the most, and mostly in one. */
typedef struct grid {
  const double *xyz;
  double low[3], side, tolerance;
  int32_t *head, *next; /* of each place of the hash; of each point: a point plus one, 0 at the end */
  size_t mask;
} grid;

static int32_t *place_of(const grid *g, const int64_t cell[3])
{
  uint64_t h = 0;
  for (int c = 0; c < 3; c++) h = wisp_random_mix(h + (uint64_t)cell[c] + WISP_RANDOM_SEED);
  return g->head + (h & g->mask);
}

/* The cell of a place that is `off` away from the point in each direction. */
static void cell_of(const grid *g, size_t point, double off, int64_t cell[3])
{
  for (size_t c = 0; c < 3; c++)
    cell[c] =
        g->side > 0 && isfinite(g->side) ? (int64_t)floor((g->xyz[3 * point + c] + off - g->low[c]) / g->side) : 0;
}

/* The lowest point that stays and is closer than the tolerance, or the point itself. */
static int32_t find_target(const grid *g, size_t point)
{
  int64_t first[3], last[3], cell[3];
  int32_t best = (int32_t)point;
  cell_of(g, point, -g->tolerance, first);
  cell_of(g, point, g->tolerance, last);
  for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++)
    for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++)
      for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++)
        for (int32_t at = *place_of(g, cell); at; at = g->next[at - 1])
          if (at - 1 < best && wisp_distance(g->xyz + 3 * point, g->xyz + 3 * (size_t)(at - 1)) < g->tolerance)
            best = at - 1;
  return best;
}

wisp_status wisp_join_points(wisp_error *err, size_t count, const double *xyz, double tolerance, int32_t *target)
{
  OWNED(free) int32_t *heads = NULL, *next = NULL;
  grid g = {.xyz = xyz, .tolerance = tolerance};
  int64_t cell[3];
  double high[3];
  size_t size = 16;
  while (size < 2 * count) size *= 2;
  g.side = fmax(2 * tolerance, 1e-7 * wisp_extent(count, xyz, g.low, high)); /* and cells can be counted */
  CALL(wisp_new(err, size, sizeof *heads, &heads));
  CALL(wisp_new(err, count, sizeof *next, &next));
  g.mask = size - 1, g.head = heads, g.next = next;
  for (size_t i = 0; i < count; i++) {
    target[i] = find_target(&g, i);
    if (target[i] != (int32_t)i) continue;
    cell_of(&g, i, 0, cell); /* it stays */
    int32_t *head = place_of(&g, cell);
    next[i] = *head;
    *head = (int32_t)i + 1;
  }
  return WISP_OK;
}

/* ---- Vertices. */

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
static void renumber_vertices(wisp_mesh *mesh, int32_t *target)
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
  renumber_vertices(mesh, target);
  return GIVE(target, to);
}
