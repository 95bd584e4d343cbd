#include "group_metis.h"

#include <limits.h>
#include <metis.h>
#include <stdlib.h>

/* METIS fails, and prints about it, where it makes tens of thousands of parts (24000 went well, 38000 did not). So a
 * large mesh is first cut into pieces of this many parts, which Algorithm 2 fills to the last element. */
enum { MOST_PARTS = 8192 };

/* A piece of the mesh: the elements order[0] .. order[count-1], and where each element of the mesh stands in order. */
typedef struct piece {
  const int32_t *order;
  size_t first, count;
  const int32_t *place;
} piece;

/* Neighbours inside the piece as METIS takes them: those of k are adjacent[start[k]] .. adjacent[start[k+1]-1]. */
static void dual_graph(const wisp_mesh *mesh, const piece *own, idx_t *start, idx_t *adjacent)
{
  idx_t edges = 0;
  for (size_t k = 0; k < own->count; k++) {
    start[k] = edges;
    for (size_t f = 0; f < (size_t)mesh->corners; f++) {
      int32_t other = mesh->neighbour[(size_t)mesh->corners * (size_t)own->order[own->first + k] + f];
      if (other == WISP_BOUNDARY) continue;
      size_t place = (size_t)own->place[other];
      if (place >= own->first && place - own->first < own->count) adjacent[edges++] = (idx_t)(place - own->first);
    }
  }
  start[own->count] = edges;
}

/* Recursive bisection, not METIS_PartGraphKway: with many small parts that one is slower and worse. An unstructured box
 * of 110785 tets in parts of 16 keeps 20.2 face pairs a part in 0.6 s, against 16.6 in 2.5 s; parts of 128 come out
 * level. part[k] becomes the part of the piece's element k. */
static wisp_status bisect(wisp_error *err, const wisp_mesh *mesh, const piece *own, size_t groups, idx_t *part)
{
  OWNED(free) idx_t *start = NULL, *adjacent = NULL;
  idx_t options[METIS_NOPTIONS];
  idx_t elements = (idx_t)own->count, constraints = 1, parts = (idx_t)groups, cut = 0;
  CALL(wisp_new(err, own->count + 1, sizeof *start, &start));
  CALL(wisp_new(err, 4 * own->count, sizeof *adjacent, &adjacent));
  dual_graph(mesh, own, start, adjacent);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1; /* the same groups for the same mesh */
  int result = METIS_PartGraphRecursive(&elements, &constraints, start, adjacent, NULL, NULL, NULL, &parts, NULL, NULL,
                                        options, &cut, part);
  if (result == METIS_ERROR_MEMORY)
    CALL(wisp_fail(err, WISP_EMEMORY, "out of memory: METIS, %zu elements", own->count));
  return wisp_require(err, result == METIS_OK, WISP_EREFUSED,
                      "groups by METIS: it failed with %d for %zu parts of %zu elements", result, groups, own->count);
}

/* The part of every element of the mesh, piece by piece. */
static wisp_status partition(wisp_error *err, const wisp_mesh *mesh, size_t size, idx_t *part)
{
  OWNED(free) int32_t *order = NULL, *place = NULL;
  OWNED(free) idx_t *local = NULL;
  size_t slots = 0, most = MOST_PARTS * size, parts = 0;
  if (most > mesh->elements) most = mesh->elements;
  CALL(wisp_mesh_group(err, mesh, WISP_GROUP_GREEDY, most, &slots, &order));
  CALL(wisp_new(err, mesh->elements, sizeof *place, &place));
  CALL(wisp_new(err, most, sizeof *local, &local));
  for (size_t i = 0; i < mesh->elements; i++) place[order[i]] = (int32_t)i;
  for (size_t first = 0; first < mesh->elements; first += most) {
    size_t left = mesh->elements - first, count = left < most ? left : most, groups = (count + size - 1) / size;
    piece own = {order, first, count, place};
    if (groups > 1) CALL(bisect(err, mesh, &own, groups, local));
    for (size_t i = 0; i < count; i++) part[order[first + i]] = (idx_t)parts + (groups > 1 ? local[i] : 0);
    parts += groups;
  }
  return WISP_OK;
}

/* Faces of element k whose neighbour is in part p. */
static int links(const wisp_mesh *mesh, const idx_t *part, size_t k, idx_t p)
{
  int count = 0;
  for (size_t f = 0; f < (size_t)mesh->corners; f++) {
    int32_t other = mesh->neighbour[(size_t)mesh->corners * k + f];
    count += other != WISP_BOUNDARY && part[other] == p;
  }
  return count;
}

/* The neighbouring part with room that element k has most links to, or -1. */
static idx_t best_part(const wisp_mesh *mesh, const idx_t *part, const size_t *held, size_t size, size_t k)
{
  idx_t best = -1;
  int most = 0;
  for (size_t f = 0; f < (size_t)mesh->corners; f++) {
    int32_t other = mesh->neighbour[(size_t)mesh->corners * k + f];
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
  OWNED(free) idx_t *part = NULL;
  OWNED(free) size_t *held = NULL;
  size_t groups = (mesh->elements + size - 1) / size;
  CALL(wisp_require(err, size >= WISP_METIS_LEAST || groups < 2, WISP_EREFUSED,
                    "groups by METIS: %zu elements a group are too few, at least %d; take greedy", size,
                    WISP_METIS_LEAST));
  CALL(wisp_require(err, sizeof(idx_t) > 4 || mesh->elements < INT_MAX / 4, WISP_EREFUSED,
                    "groups by METIS: %zu elements are more than its 32-bit numbers hold; take greedy",
                    mesh->elements));
  CALL(wisp_new(err, mesh->elements, sizeof *part, &part));
  CALL(wisp_new(err, groups, sizeof *held, &held));
  if (groups > 1) CALL(partition(err, mesh, size, part));
  for (size_t k = 0; k < mesh->elements; k++) held[part[k]]++;
  rebalance(mesh, size, held, part);
  for (size_t g = 0; g < groups; g++) held[g] = 0;
  for (size_t i = 0; i < mesh->elements; i++) {
    const int32_t k = wisp_mesh_at(mesh, i);
    slot[(size_t)part[k] * size + held[part[k]]++] = k;
  }
  return WISP_OK;
}
