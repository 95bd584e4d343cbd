#include "queue.h"

#include <math.h>
#include <stdlib.h>

typedef struct entry {
  int order;
  wisp_precision precision;
  int rounds; /* that it had */
  bool taken, begun, exhausted;
} entry;

struct wisp_queue {
  double deadline;
  size_t count;
  entry *entries; /* heaviest first */
};

static int by_weight(const void *a, const void *b)
{
  const entry *x = a, *y = b;
  if (x->order != y->order) return y->order - x->order;
  return (x->precision == WISP_F32) - (y->precision == WISP_F32);
}

static entry *find(const wisp_queue *queue, int order, wisp_precision precision)
{
  for (size_t i = 0; i < queue->count; i++)
    if (queue->entries[i].order == order && queue->entries[i].precision == precision) return &queue->entries[i];
  return NULL;
}

wisp_status wisp_queue_create(wisp_error *err, const int *orders, size_t order_count, const wisp_precision *precisions,
                              size_t precision_count, double deadline, wisp_queue **out)
{
  OWNED(wisp_queue_destroy) wisp_queue *queue = NULL;
  CALL(wisp_new(err, 1, sizeof *queue, &queue));
  CALL(wisp_new(err, order_count * precision_count, sizeof *queue->entries, &queue->entries));
  queue->deadline = deadline;
  for (size_t i = 0; i < order_count; i++)
    for (size_t p = 0; p < precision_count; p++)
      if (!find(queue, orders[i], precisions[p]))
        queue->entries[queue->count++] = (entry){.order = orders[i], .precision = precisions[p]};
  qsort(queue->entries, queue->count, sizeof *queue->entries, by_weight);
  return GIVE(queue, out);
}

void wisp_queue_destroy(wisp_queue *queue)
{
  if (!queue) return;
  free(queue->entries);
  free(queue);
}

static bool can_be_taken(const wisp_queue *queue, const entry *e, double now)
{
  if (e->taken) return false;
  return e->rounds == 0 || (isfinite(queue->deadline) && now < queue->deadline && !e->exhausted);
}

/* The heaviest of those with the fewest rounds; *same: how many have as few. */
static entry *find_next(const wisp_queue *queue, double now, int *same)
{
  entry *next = NULL;
  *same = 0;
  for (size_t i = 0; i < queue->count; i++) {
    entry *e = &queue->entries[i];
    if (!can_be_taken(queue, e, now)) continue;
    if (!next || e->rounds < next->rounds) next = e, *same = 0;
    *same += e->rounds == next->rounds;
  }
  return next;
}

bool wisp_queue_has(const wisp_queue *queue, double now)
{
  int same = 0;
  return find_next(queue, now, &same) != NULL;
}

bool wisp_queue_take(wisp_queue *queue, int workers, double now, wisp_unit *out)
{
  int same = 0;
  entry *e = find_next(queue, now, &same);
  if (!e) return false;
  int turns = (same + workers - 1) / workers; /* how many units in a row each worker has before it */
  *out = (wisp_unit){.order = e->order, .precision = e->precision, .again = e->rounds > 0, .resumed = e->begun};
  out->until = now + (queue->deadline - now) / turns;
  e->taken = e->begun = true;
  return true;
}

void wisp_queue_finish(wisp_queue *queue, const wisp_unit *unit, bool gained)
{
  entry *e = find(queue, unit->order, unit->precision);
  e->taken = e->begun = false;
  e->exhausted = !gained;
  e->rounds++;
}

void wisp_queue_put_back(wisp_queue *queue, const wisp_unit *unit)
{
  find(queue, unit->order, unit->precision)->taken = false;
}

void wisp_queue_count(const wisp_queue *queue, size_t *waiting, size_t *finished, size_t *all)
{
  *waiting = *finished = 0;
  *all = queue->count;
  for (size_t i = 0; i < queue->count; i++) {
    *waiting += queue->entries[i].rounds == 0 && !queue->entries[i].taken;
    *finished += queue->entries[i].rounds > 0;
  }
}
