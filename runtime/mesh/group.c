/* Groups of elements that share faces, for kernels that fetch a face pair once (Kloeckner et al. 2009, section 5.3). */
#include "mesh.h"

#include <limits.h>
#include <metis.h>

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
static int count_links(const wisp_mesh *mesh, const idx_t *part, size_t k, idx_t p)
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
    int count = count_links(mesh, part, k, part[other]);
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
      if (to < 0 || count_links(mesh, part, k, part[k]) - count_links(mesh, part, k, to) > loss) continue;
      held[part[k]]--;
      held[to]++;
      part[k] = to;
    }
  idx_t free_part = 0;
  for (int most = 0; most <= 4; most++)
    for (size_t k = 0; k < mesh->elements; k++) {
      if (held[part[k]] <= size || count_links(mesh, part, k, part[k]) > most) continue;
      while (held[free_part] >= size) free_part++;
      held[part[k]]--;
      held[free_part]++;
      part[k] = free_part;
    }
}

enum { METIS_LEAST = 10 }; /* "work well if K_M M_B >~ 10" (paper 0, section 5.3) */

/* Fills slot, ceil(elements / size) groups of size slots that hold WISP_EMPTY, with METIS's parts of the dual graph.
 * WISP_EREFUSED, with the reason, below METIS_LEAST elements a group (several groups) and where METIS fails. */
static wisp_status group_metis(wisp_error *err, const wisp_mesh *mesh, size_t size, int32_t *slot)
{
  OWNED(free) idx_t *part = NULL;
  OWNED(free) size_t *held = NULL;
  size_t groups = (mesh->elements + size - 1) / size;
  CALL(wisp_require(err, size >= METIS_LEAST || groups < 2, WISP_EREFUSED,
                    "groups by METIS: %zu elements a group are too few, at least %d; take greedy", size, METIS_LEAST));
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

/* Candidates of the block that is being made. Q of Algorithm 2 is five stacks of growing arrays: lane c holds the
 * candidates that shared c faces with the block when they were put there. An element whose count grows is put into the
 * next lane too, and its old entry goes stale: finding the best candidate costs a constant on average. */
enum { LANES = 5 };

typedef struct queue {
  int32_t *entry[LANES]; /* each has room for every element of a block and its neighbours */
  size_t head[LANES], tail[LANES];
  int8_t *shared; /* for each element: faces shared with the block, -1 once it stands in a block (not in E) */
} queue;

static void destroy_queue(queue *q)
{
  for (int lane = 0; lane < LANES; lane++) free(q->entry[lane]);
  free(q->shared);
}

static void push_candidate(queue *q, int lane, int32_t element)
{
  q->entry[lane][q->tail[lane]++] = element;
}

/* Removes the candidate in E that shares the most faces with the block, the oldest of equals; WISP_EMPTY: none. */
static int32_t pop_best(queue *q)
{
  for (int lane = LANES - 1; lane >= 0; lane--)
    while (q->head[lane] < q->tail[lane]) {
      int32_t element = q->entry[lane][q->head[lane]++];
      if (q->shared[element] == lane) return element;
    }
  return WISP_EMPTY;
}

/* The next block's seed, the first entry of Q that is in E; WISP_EMPTY: none. Lane 1 holds every candidate in the order
 * it came. Q becomes empty, and with it what its elements share with the block. */
static int32_t end_block(queue *q)
{
  int32_t seed = WISP_EMPTY;
  for (size_t i = 0; i < q->tail[1] && seed == WISP_EMPTY; i++)
    if (q->shared[q->entry[1][i]] >= 0) seed = q->entry[1][i];
  for (int lane = 0; lane < LANES; lane++) {
    for (size_t i = 0; i < q->tail[lane]; i++)
      if (q->shared[q->entry[lane][i]] > 0) q->shared[q->entry[lane][i]] = 0;
    q->head[lane] = q->tail[lane] = 0;
  }
  return seed;
}

/* Algorithm 2, "Simple Greedy Partition". "An arbitrary element from E" is the first in the order. */
static wisp_status group_greedy(wisp_error *err, const wisp_mesh *mesh, size_t size, int32_t *slot)
{
  HELD(destroy_queue) queue q = {0};
  size_t block = 0, lowest = 0; /* |B|, and where the order is taken up to */
  const size_t most = 4 * (size < mesh->elements ? size : mesh->elements) + 2;
  for (int lane = 0; lane < LANES; lane++) CALL(wisp_new(err, most, sizeof *q.entry[lane], &q.entry[lane]));
  CALL(wisp_new(err, mesh->elements, sizeof *q.shared, &q.shared));
  for (size_t placed = 0; placed < mesh->elements; placed++) {
    int32_t e = pop_best(&q);
    if (e == WISP_EMPTY) {
      while (q.shared[wisp_mesh_at(mesh, lowest)] < 0) lowest++;
      e = wisp_mesh_at(mesh, lowest);
    }
    q.shared[e] = -1;
    slot[placed] = e; /* every block but the last is full, so that slots follow each other */
    for (size_t f = 0; f < (size_t)mesh->corners; f++) {
      int32_t other = mesh->neighbour[(size_t)mesh->corners * (size_t)e + f];
      if (other != WISP_BOUNDARY && q.shared[other] >= 0) push_candidate(&q, ++q.shared[other], other);
    }
    if (++block < size) continue;
    const int32_t seed = end_block(&q);
    if (seed != WISP_EMPTY) push_candidate(&q, 0, seed);
    block = 0;
  }
  return WISP_OK;
}

wisp_status wisp_mesh_group(wisp_error *err, const wisp_mesh *mesh, wisp_grouping how, size_t size, size_t *slots,
                            int32_t **slot)
{
  OWNED(free) int32_t *made = NULL;
  CALL(wisp_require(err, size > 0 && size < INT32_MAX, WISP_EUSAGE, "groups of %zu elements: must be 1 to 2^31 - 2",
                    size));
  size_t groups = (mesh->elements + size - 1) / size;
  CALL(wisp_new(err, groups * size, sizeof *made, &made));
  for (size_t i = 0; i < groups * size; i++) made[i] = WISP_EMPTY;
  switch (how) {
    case WISP_GROUP_NATURAL:
      for (size_t k = 0; k < mesh->elements; k++) made[k] = wisp_mesh_at(mesh, k);
      break;
    case WISP_GROUP_GREEDY:
      CALL(group_greedy(err, mesh, size, made));
      break;
    case WISP_GROUP_METIS:
      CALL(group_metis(err, mesh, size, made));
      break;
    default:
      CALL(wisp_fail(err, WISP_EUSAGE, "grouping %d is not known: natural, greedy or metis", (int)how));
  }
  *slots = groups * size;
  return GIVE(made, slot);
}
