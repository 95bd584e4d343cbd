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

static void free_grid(grid *g)
{
  WISP_FREE(g->head, g->next);
}

static wisp_status make_grid(wisp_error *err, size_t count, const double *xyz, double tolerance, grid *g)
{
  double high[3];
  const double extent = wisp_extent(count, xyz, g->low, high);
  size_t size = 16;
  while (size < 2 * count) size *= 2;
  g->xyz = xyz, g->tolerance = tolerance, g->mask = size - 1;
  g->side = fmax(2 * tolerance, 1e-7 * extent); /* and cells can be counted */
  CALL(wisp_new(err, size, sizeof *g->head, &g->head));
  return wisp_new(err, count, sizeof *g->next, &g->next);
}

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

/* The lowest of a chain's points that is closer to x than the tolerance, where it is lower than `best`. */
static int32_t lowest_in(const grid *g, int32_t head, const double *x, int32_t best)
{
  for (int32_t at = head; at; at = g->next[at - 1])
    if (at - 1 < best && wisp_distance(x, g->xyz + 3 * (size_t)(at - 1)) < g->tolerance) best = at - 1;
  return best;
}

static int32_t find_target(const grid *g, size_t point)
{
  int64_t first[3], last[3], cell[3];
  int32_t best = (int32_t)point;
  cell_of(g, point, -g->tolerance, first);
  cell_of(g, point, g->tolerance, last);
  for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++)
    for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++)
      for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++)
        best = lowest_in(g, *place_of(g, cell), g->xyz + 3 * point, best);
  return best;
}

static void add_point(grid *g, size_t point)
{
  int64_t cell[3];
  cell_of(g, point, 0, cell);
  int32_t *head = place_of(g, cell);
  g->next[point] = *head;
  *head = (int32_t)point + 1;
}

wisp_status wisp_join_points(wisp_error *err, size_t count, const double *xyz, double tolerance, int32_t *target)
{
  HELD(free_grid) grid g = {.mask = 0};
  CALL(make_grid(err, count, xyz, tolerance, &g));
  for (size_t i = 0; i < count; i++) {
    target[i] = find_target(&g, i);
    if (target[i] == (int32_t)i) add_point(&g, i);
  }
  return WISP_OK;
}
