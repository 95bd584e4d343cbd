/* What a published program took, stage by stage, and what this one takes. */
#pragma once

#include "../../include/wisp.h"

#include <stddef.h>

enum { WISP_PAPER_COLUMNS = 10 };

/* A row of a table: what a problem of one size and order takes. Unknown numbers are NaN. */
typedef struct wisp_paper_row {
  const char *table; /* "80 x 80 squares, tables 2, 3, 6 and 7" */
  const char *published_by, *units;
  int order;
  size_t elements, columns;
  struct {
    const char *name;
    double published, ours;
  } column[WISP_PAPER_COLUMNS];
} wisp_paper_row;

/* Told of each row as it is measured; context is the caller's. */
typedef wisp_status (*wisp_paper_take)(wisp_error *err, void *context, const wisp_paper_row *row);

/* The family's tables, on the session's device: these orders, of sizes up to so many elements (0: all). Nothing where
 * the family has none. */
wisp_status wisp_paper_tables(wisp_error *err, const wisp_session *session, const char *family, const int *orders,
                              size_t order_count, long long most, wisp_paper_take take, void *context);
