/* The inside of an exchange, for who tests it. */
#pragma once

#include "exchange.h"

enum { WISP_OF_TABLE = 8, WISP_OF_STATE = 4 }; /* numbers of a neighbour (templates/domain/post.k) */

/* The arrays of one direction: numbers to all neighbours, or from all. */
typedef struct wisp_exchange_side {
  wisp_module *module;
  wisp_pointer list, table;
  size_t numbers;
} wisp_exchange_side;

struct wisp_exchange {
  wisp_device *device;
  wisp_ranks *ranks;
  size_t neighbours;
  int *rank; /* of each neighbour */
  wisp_exchange_side send, receive;
  wisp_pointer state;
  wisp_shared_memory inbox;     /* what neighbours write to */
  wisp_shared_memory *attached; /* of each neighbour */
  unsigned chunks;              /* blocks for a neighbour */
};
