/* A matrix as slices of 32 rows (sliced ELL): all rows of a slice have as many places as its longest, number s of its
 * 32 rows side by side. What a row does not fill is zero, in the row's own column. */
#pragma once

#include "pattern.h"

enum { WISP_SLICE_ROWS = 32 };

typedef struct wisp_slices {
  size_t count, size; /* size: of values, with what fills slices up */
  int32_t *start;     /* count + 1: where each slice begins */
  int32_t *column;    /* of each place */
} wisp_slices;

/* WISP_EUSAGE where there are more than 2^31 - 1 places; name appears in messages. */
wisp_status wisp_slices_create(wisp_error *err, const char *name, const wisp_pattern *pattern, wisp_slices **out);
void wisp_slices_destroy(wisp_slices *slices);
WISP_OWNED(wisp_slices, wisp_slices_destroy)

/* The place of number `slot` of a row, counted as in the pattern. */
static inline int32_t wisp_slices_position(const wisp_slices *slices, int32_t row, int32_t slot)
{
  return slices->start[row / WISP_SLICE_ROWS] + slot * WISP_SLICE_ROWS + row % WISP_SLICE_ROWS;
}

/* The other way: which of the pattern's nonzeros stands there; SIZE_MAX: it only fills a slice up. */
size_t wisp_slices_nonzero(const wisp_slices *slices, const wisp_pattern *pattern, size_t place);

/* Turns values in slices into those in compressed rows, in memory of their own; the old memory is freed. */
wisp_status wisp_slices_compress(wisp_error *err, const wisp_slices *slices, const wisp_pattern *pattern,
                                 double **values);
