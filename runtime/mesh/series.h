/* Series of files: fields at several times, and the list of these files for ParaView (.pvd). */
#pragma once

#include "fields.h"

typedef struct wisp_series_entry {
  long long step;
  double time;
} wisp_series_entry;

/* Zero-initialise. */
typedef struct wisp_series {
  wisp_series_entry *entry;
  size_t count, capacity;
} wisp_series;
void wisp_series_free(wisp_series *series);

/* Writes the fields of a step to PATH_STEP, before path's ending, and the list anew to path with the ending .pvd. Each
 * file appears whole or not at all. WISP_ESYSTEM where one cannot be written. */
wisp_status wisp_series_write(wisp_error *err, const char *path, long long step, const wisp_fields *fields,
                              wisp_series *series);
