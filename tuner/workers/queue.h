/* The units of a sweep, an order and a precision each, which the workers of one kind of card share: whoever is free
 * takes the next. All kernels of a unit are measured on one card, since the whole step is made of their winners. */
#ifndef WISP_QUEUE_H
#define WISP_QUEUE_H

#include "../link/request.h"

typedef struct wisp_queue wisp_queue;

/* Every order in every precision, each once. deadline: seconds of the monotonic clock, INFINITY: none. Free with
 * wisp_queue_destroy. */
wisp_status wisp_queue_create(wisp_error *err, const int *orders, size_t order_count, const wisp_precision *precisions,
                              size_t precision_count, double deadline, wisp_queue **out);
void wisp_queue_destroy(wisp_queue *queue);
WISP_OWNED(wisp_queue, wisp_queue_destroy)

/* The heaviest that nobody is at: highest order, then double precision, so that no long one is left for the end. All
 * have their first round, late or not; before the deadline, where there is one, others follow over those that gained
 * something in the last. The time that is left is shared evenly among the units of the round, as far as `workers` have
 * equally many of them before them. False: none. */
bool wisp_queue_take(wisp_queue *queue, int workers, double now, wisp_unit *out);
/* Whether there is something to take. */
bool wisp_queue_has(const wisp_queue *queue, double now);
/* A unit that was taken is through; gained: there were new trials. */
void wisp_queue_finish(wisp_queue *queue, const wisp_unit *unit, bool gained);
/* Whoever took it is gone for good: it is for another. */
void wisp_queue_put_back(wisp_queue *queue, const wisp_unit *unit);

/* How many wait for their first round, had it, and are there; the rest is in it. */
void wisp_queue_count(const wisp_queue *queue, size_t *waiting, size_t *finished, size_t *all);

#endif
