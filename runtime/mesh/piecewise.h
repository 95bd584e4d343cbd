/* Values of elements that are given by physical group: `body=4, "air gap"=1 + x, 2`. An item without a group is for the
 * rest. Where an element is in several of the groups the last one counts. A text without groups is one formula for all
 * elements. */
#pragma once

#include "formula.h"
#include "items.h"

typedef struct wisp_piece {
  int32_t *number; /* of the groups whose elements have this value; NULL: all elements */
  size_t numbers;
  wisp_formula *formula;
} wisp_piece;

/* Zero-initialise. */
typedef struct wisp_piecewise {
  wisp_piece *piece; /* a later one replaces those before it */
  size_t count, capacity;
} wisp_piecewise;

void wisp_piecewise_free(wisp_piecewise *values);

/* what ("coefficient eps") begins messages. WISP_EUSAGE for a group that the elements have not, for two items without
 * a group, and for a wrong expression. */
wisp_status wisp_piecewise_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                  wisp_piecewise *out);

/* Adds a piece; key: as a user writes a group, with quotes where it has them; NULL: all elements. */
wisp_status wisp_piecewise_add(wisp_error *err, const char *what, const char *key, const char *text,
                               const wisp_mesh *mesh, wisp_formula_use use, wisp_piecewise *to);

/* Whether a piece gives element e its value. */
bool wisp_piece_holds(const wisp_piece *piece, const wisp_mesh *mesh, size_t e);

/* The values at the elements' middles, `stride` numbers from one to the next. An element without a value keeps what is
 * there. */
wisp_status wisp_piecewise_middles(wisp_error *err, const wisp_piecewise *values, const wisp_mesh *mesh, size_t stride,
                                   double *out);
