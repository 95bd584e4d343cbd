#include "group_metis.h"

#include <limits.h>
#include <metis.h>
#include <stdlib.h>

/* Neighbours of each element as METIS takes them: those of k are adjacent[start[k]] .. adjacent[start[k+1]-1]. */
static void dual_graph(const wisp_mesh *mesh, idx_t *start, idx_t *adjacent)
{
  idx_t edges = 0;
  for (size_t k = 0; k < mesh->elements; k++) {
    start[k] = edges;
    for (size_t f = 0; f < 4; f++)
      if (mesh->neighbour[4 * k + f] != WISP_BOUNDARY) adjacent[edges++] = (idx_t)mesh->neighbour[4 * k + f];
  }
  start[mesh->elements] = edges;
}

static wisp_status partition(wisp_error *err, const wisp_mesh *mesh, size_t groups, idx_t *part)
{
  wisp_status status = WISP_OK;
  idx_t *start = NULL, *adjacent = NULL, options[METIS_NOPTIONS];
  idx_t elements = (idx_t)mesh->elements, constraints = 1, parts = (idx_t)groups, cut = 0;
  TRY(wisp_new(err, mesh->elements + 1, sizeof *start, &start));
  TRY(wisp_new(err, 4 * mesh->elements, sizeof *adjacent, &adjacent));
  dual_graph(mesh, start, adjacent);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_UFACTOR] = 1; /* parts of equal size, as far as METIS can; rebalance does the rest */
  options[METIS_OPTION_SEED] = 1;    /* the same groups for the same mesh */
  int result = METIS_PartGraphKway(&elements, &constraints, start, adjacent, NULL, NULL, NULL, &parts, NULL, NULL,
                                   options, &cut, part);
  if (result == METIS_ERROR_MEMORY)
    TRY(wisp_fail(err, WISP_EMEMORY, "out of memory: METIS, %zu elements", mesh->elements));
  TRY(wisp_require(err, result == METIS_OK, WISP_EREFUSED,
                   "groups by METIS: it failed with %d for %zu parts of %zu elements", result, groups, mesh->elements));
done:
  free(start);
  free(adjacent);
  return status;
}

/* Faces of element k whose neighbour is in part p. */
static int links(const wisp_mesh *mesh, const idx_t *part, size_t k, idx_t p)
{
  int count = 0;
  for (size_t f = 0; f < 4; f++) {
    int32_t other = mesh->neighbour[4 * k + f];
    count += other != WISP_BOUNDARY && part[other] == p;
  }
  return count;
}

/* The neighbouring part with room that element k has most links to, or -1. */
static idx_t best_part(const wisp_mesh *mesh, const idx_t *part, const size_t *held, size_t size, size_t k)
{
  idx_t best = -1;
  int most = 0;
  for (size_t f = 0; f < 4; f++) {
    int32_t other = mesh->neighbour[4 * k + f];
    if (other == WISP_BOUNDARY || held[part[other]] >= size) continue;
    int count = links(mesh, part, k, part[other]);
    if (count > most) best = part[other], most = count;
  }
  return best;
}

/* METIS keeps sizes only about equal; the limit is hard. Elements of overfull parts move, first those that lose least:
 * to a part that they touch and gain from, then at a loss of one face, of two, ...; what is left goes to any part with
 * room (scattered elements, which "matter neither in performance nor in keeping the soft limit"). */
static void rebalance(const wisp_mesh *mesh, size_t size, size_t *held, idx_t *part)
{
  for (int loss = 0; loss <= 3; loss++)
    for (size_t k = 0; k < mesh->elements; k++) {
      if (held[part[k]] <= size) continue;
      idx_t to = best_part(mesh, part, held, size, k);
      if (to < 0 || links(mesh, part, k, part[k]) - links(mesh, part, k, to) > loss) continue;
      held[part[k]]--;
      held[to]++;
      part[k] = to;
    }
  idx_t room = 0;
  for (int most = 0; most <= 4; most++)
    for (size_t k = 0; k < mesh->elements; k++) {
      if (held[part[k]] <= size || links(mesh, part, k, part[k]) > most) continue;
      while (held[room] >= size) room++;
      held[part[k]]--;
      held[room]++;
      part[k] = room;
    }
}

wisp_status wisp_mesh_group_metis(wisp_error *err, const wisp_mesh *mesh, size_t size, int32_t *slot)
{
  wisp_status status = WISP_OK;
  idx_t *part = NULL;
  size_t *held = NULL, groups = (mesh->elements + size - 1) / size;
  TRY(wisp_require(err, size >= WISP_METIS_LEAST || groups < 2, WISP_EREFUSED,
                   "groups by METIS: %zu elements a group are too few, at least %d; take greedy", size,
                   WISP_METIS_LEAST));
  TRY(wisp_require(err, sizeof(idx_t) > 4 || mesh->elements < INT_MAX / 4, WISP_EREFUSED,
                   "groups by METIS: %zu elements are more than its 32-bit numbers hold; take greedy", mesh->elements));
  TRY(wisp_new(err, mesh->elements, sizeof *part, &part));
  TRY(wisp_new(err, groups, sizeof *held, &held));
  if (groups > 1) TRY(partition(err, mesh, groups, part));
  for (size_t k = 0; k < mesh->elements; k++) held[part[k]]++;
  rebalance(mesh, size, held, part);
  for (size_t g = 0; g < groups; g++) held[g] = 0;
  for (size_t k = 0; k < mesh->elements; k++) slot[(size_t)part[k] * size + held[part[k]]++] = (int32_t)k;
done:
  free(part);
  free(held);
  return status;
}
