/* Numbers of a field for other ranks, and theirs for this one: kernels pack them straight into the neighbour's memory
 * and raise a flag there, and wait for the neighbour's. Two inboxes a neighbour take turns, so that nobody overwrites
 * what is not read yet: a neighbour sends its next message only after it has got this rank's. */
#pragma once

#include "../device_shared.h"
#include "ranks.h"

/* A neighbour: addresses in the field of what it gets, and of what comes from it. Each side lists them in one order. */
typedef struct wisp_exchange_list {
  int rank;
  size_t sent, received;
  int32_t *send, *receive;
} wisp_exchange_list;

typedef struct wisp_exchange wisp_exchange;

/* Every rank of a host calls it, whether or not it has neighbours; ranks and device are borrowed, lists are copied.
 * WISP_EUSAGE where two neighbours disagree about a message, or the devices cannot see each other's memory. */
wisp_status wisp_exchange_create(wisp_error *err, wisp_device *device, wisp_ranks *ranks, wisp_precision precision,
                                 size_t neighbours, const wisp_exchange_list *list, wisp_exchange **out);
void wisp_exchange_destroy(wisp_exchange *exchange);
WISP_OWNED(wisp_exchange, wisp_exchange_destroy)

/* An exchange is a post and a collect, in turns, which a graph may record; what is enqueued between them hides the way
 * of the message. The first sends numbers of `from` to the neighbours, the second waits for theirs, and puts them into
 * `to`. */
wisp_status wisp_exchange_post(wisp_error *err, const wisp_exchange *exchange, wisp_pointer from);
wisp_status wisp_exchange_collect(wisp_error *err, const wisp_exchange *exchange, wisp_pointer to);

/* After the device has finished: WISP_ESYSTEM names a rank whose message did not come in time. */
wisp_status wisp_exchange_check(wisp_error *err, const wisp_exchange *exchange);

/* Numbers that this rank sends in one exchange. */
size_t wisp_exchange_numbers(const wisp_exchange *exchange);
