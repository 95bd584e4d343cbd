/* Seeds: trials of the store as points, kept in memory for the whole sweep, to which its own trials are added. */
#include "search_seeds.h"
#include "guide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wisp_status wisp_seeds_add(wisp_error *err, wisp_seeds *seeds, const wisp_trial *trial)
{
  bool right = wisp_trial_is_right(trial);
  if (!right || !(trial->ms > 0) || (strcmp(trial->target, "host") == 0) != seeds->host) return WISP_OK;
  CALL(wisp_grow(err, &seeds->list, &seeds->room, seeds->count + 1, sizeof *seeds->list));
  wisp_point *seed = &seeds->list[seeds->count];
  if (!wisp_point_from_trial(trial, seed)) return WISP_OK; /* another version's */
  seed->sister = strcmp(trial->device, seeds->device) != 0;
  seeds->count++;
  return WISP_OK;
}

wisp_status wisp_seeds_load(wisp_error *err, const char *db, const char *device, const char *target, wisp_seeds *out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_seeds_free) wisp_seeds seeds = {.host = strcmp(target, "host") == 0};
  snprintf(seeds.device, sizeof seeds.device, "%s", device);
  CALL(wisp_store_open(err, db, true, NULL, &store));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    CALL(wisp_seeds_add(err, &seeds, wisp_store_trial(store, i, &layer)));
  }
  return GIVE(seeds, out);
}

void wisp_seeds_free(wisp_seeds *seeds)
{
  free(seeds->list);
  *seeds = (wisp_seeds){0};
}

wisp_status wisp_seeds_for(wisp_error *err, const wisp_seeds *seeds, const wisp_spec *spec, size_t *count,
                           wisp_point **known)
{
  size_t found = 0;
  wisp_point *points = NULL;
  CALL(wisp_new(err, seeds->count, sizeof *points, &points));
  for (size_t i = 0; i < seeds->count; i++)
    if (wisp_point_helps(&seeds->list[i], spec)) points[found++] = seeds->list[i];
  *count = wisp_guide_weigh(found, points, spec->order, spec->precision);
  *known = points;
  return WISP_OK;
}
