/* Groups of elements that share faces, for kernels that fetch a face pair once (Kloeckner et al. 2009, section 5.3). */
#include "mesh.h"

#include <stdlib.h>

#include "group_metis.h"

static void group_natural(const wisp_mesh *mesh, int32_t *slot)
{
  for (size_t k = 0; k < mesh->elements; k++) slot[k] = wisp_mesh_at(mesh, k);
}

/* Candidates of the block that is being made. Q of Algorithm 2 stands here as five stacks of growing arrays: lane c
 * holds the candidates that shared c faces with the block when they were put there. An element whose count grows is put
 * into the next lane too and its old entry goes stale, so that finding the best candidate costs a constant on average.
 */
enum { LANES = 5 };

typedef struct queue {
  int32_t *entry[LANES]; /* each has room for every element of a block and its neighbours */
  size_t head[LANES], tail[LANES];
  int8_t *shared; /* for each element: faces shared with the block, -1 once it stands in a block (not in E) */
} queue;

static wisp_status create_queue(wisp_error *err, const wisp_mesh *mesh, size_t size, queue *q)
{
  size_t most = size < mesh->elements ? size : mesh->elements;
  for (int lane = 0; lane < LANES; lane++) CALL(wisp_new(err, 4 * most + 2, sizeof *q->entry[lane], &q->entry[lane]));
  return wisp_new(err, mesh->elements, sizeof *q->shared, &q->shared);
}

static void destroy_queue(queue *q)
{
  for (int lane = 0; lane < LANES; lane++) free(q->entry[lane]);
  free(q->shared);
}

static void push(queue *q, int lane, int32_t element)
{
  q->entry[lane][q->tail[lane]++] = element;
}

/* Removes the candidate in E that shares the most faces with the block, the oldest of equals; WISP_EMPTY if Q has none.
 */
static int32_t pop_best(queue *q)
{
  for (int lane = LANES - 1; lane >= 0; lane--)
    while (q->head[lane] < q->tail[lane]) {
      int32_t element = q->entry[lane][q->head[lane]++];
      if (q->shared[element] == lane) return element;
    }
  return WISP_EMPTY;
}

/* The first entry of Q that is in E, the next block's seed: lane 1 holds every candidate in the order it came. */
static int32_t first_candidate(const queue *q)
{
  for (size_t i = 0; i < q->tail[1]; i++)
    if (q->shared[q->entry[1][i]] >= 0) return q->entry[1][i];
  return WISP_EMPTY;
}

/* Q becomes empty, and with it what its elements share with the block. */
static void clear(queue *q)
{
  for (int lane = 0; lane < LANES; lane++) {
    for (size_t i = 0; i < q->tail[lane]; i++)
      if (q->shared[q->entry[lane][i]] > 0) q->shared[q->entry[lane][i]] = 0;
    q->head[lane] = q->tail[lane] = 0;
  }
}

/* Algorithm 2, "Simple Greedy Partition". "An arbitrary element from E" is the first in the order. */
static wisp_status group_greedy(wisp_error *err, const wisp_mesh *mesh, size_t size, int32_t *slot)
{
  HELD(destroy_queue) queue q = {0};
  size_t block = 0, lowest = 0; /* |B|, and where the order is taken up to */
  CALL(create_queue(err, mesh, size, &q));
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
      if (other != WISP_BOUNDARY && q.shared[other] >= 0) push(&q, ++q.shared[other], other);
    }
    if (++block < size) continue;
    int32_t seed = first_candidate(&q);
    clear(&q);
    if (seed != WISP_EMPTY) push(&q, 0, seed);
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
      group_natural(mesh, made);
      break;
    case WISP_GROUP_GREEDY:
      CALL(group_greedy(err, mesh, size, made));
      break;
    case WISP_GROUP_METIS:
      CALL(wisp_mesh_group_metis(err, mesh, size, made));
      break;
    default:
      CALL(wisp_fail(err, WISP_EUSAGE, "grouping %d is not known: natural, greedy or metis", (int)how));
  }
  *slots = groups * size;
  return GIVE(made, slot);
}
