/* Rows that follow one another, in blocks whose columns are few: each once in a list, and of each nonzero its column's
 * number there, in 16 bits. Rows of neighbours along the elements have most columns in common. */
#ifndef WISP_ASSEMBLY_NEARBY_H
#define WISP_ASSEMBLY_NEARBY_H

#include "pattern.h"

enum { WISP_NEARBY_HEAD = 4 };

typedef struct wisp_nearby {
  size_t blocks, columns;
  int32_t *head; /* WISP_NEARBY_HEAD (blocks + 1): of each block its first row, nonzero and column, and 0 */
  int32_t *column, *slot;
} wisp_nearby;

/* Blocks of `span` nonzeros at most, and of a quarter as many rows and columns. WISP_EREFUSED where a row has more. The
 * pattern is borrowed for the call. */
wisp_status wisp_nearby_create(wisp_error *err, const wisp_pattern *pattern, size_t span, wisp_nearby **out);
void wisp_nearby_destroy(wisp_nearby *nearby);
WISP_OWNED(wisp_nearby, wisp_nearby_destroy)

#endif
