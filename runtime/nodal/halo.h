/* The face nodes that the domains of a nodal problem exchange. */
#pragma once

#include "../domain/exchange.h"
#include "dg.h"

/* A list for each other domain that shares faces with this one, by rank: numbers of u, or of trace where kernels read
 * the values of neighbours there. */
typedef struct wisp_halo {
  size_t neighbours;
  wisp_exchange_list *list;
} wisp_halo;

/* The dg is one of several domains. */
wisp_status wisp_halo_create(wisp_error *err, const wisp_dg *dg, bool traced, wisp_halo *out);
void wisp_halo_free(wisp_halo *halo);
