/* A table of texts, its columns as wide as what stands in them.
 *
 * The last column is for what is long: on a terminal it is broken to the window's width. Elsewhere a row is a line
 * however long it is, for what reads it, and the heading says how wide the table is where 80 columns are not enough.
 */
#ifndef WISP_CLI_TABLE_H
#define WISP_CLI_TABLE_H

#include "../gen/text.h"

typedef struct wisp_column {
  const char *title;
  bool right; /* numbers stand at the right */
} wisp_column;

typedef struct wisp_table wisp_table;

/* heading: the line above, "" for none; copied. columns: kept, at most WISP_MOST_COLUMNS. */
enum { WISP_MOST_COLUMNS = 24 };
wisp_status wisp_table_create(wisp_error *err, const char *heading, size_t count, const wisp_column *columns,
                              wisp_table **out);
/* A row: a text a column, "-" where there is none; they are copied. NULL: an empty line. */
wisp_status wisp_table_add(wisp_error *err, wisp_table *table, const char *const *cells);
/* Columns that hold nothing but "-" are left out. room: the window's columns; 0: there is none. */
wisp_status wisp_table_print(wisp_error *err, const wisp_table *table, int room, wisp_text *out);
void wisp_table_destroy(wisp_table *table);
WISP_OWNED(wisp_table, wisp_table_destroy)

#endif
