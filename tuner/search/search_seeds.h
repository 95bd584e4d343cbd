/* What the store and this sweep know that helps elsewhere: other orders, the other precision, other cards. */
#ifndef WISP_SEARCH_SEEDS_H
#define WISP_SEARCH_SEEDS_H

#include "point.h"

typedef struct wisp_seeds {
  char device[128];
  bool host; /* GPUs tell nothing about a host, nor hosts about a GPU */
  size_t count, room;
  wisp_point *list;
} wisp_seeds;

/* Those of all layers of the store; db NULL: the user's own. A store that cannot be read gives none of its own. */
wisp_status wisp_seeds_load(wisp_error *err, const char *db, const char *device, const char *target, wisp_seeds *out);
void wisp_seeds_free(wisp_seeds *seeds);

/* A trial that was run; one without a time is left out. */
wisp_status wisp_seeds_add(wisp_error *err, wisp_seeds *seeds, const wisp_trial *trial);

/* Those that help a spec, weighed. Caller frees *known. */
wisp_status wisp_seeds_for(wisp_error *err, const wisp_seeds *seeds, const wisp_spec *spec, size_t *count,
                           wisp_point **known);

#endif
