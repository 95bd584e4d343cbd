/* How commands print: texts broken to the window, tables, JSON. */
#ifndef WISP_CLI_PRINT_H
#define WISP_CLI_PRINT_H

#include "../gen/text.h"

#include <cjson/cJSON.h>

/* Columns of the window behind this file descriptor, as it is now; 0 where it is no terminal. */
int wisp_terminal_columns(int fd);

/* Adds a text that begins in column `at` and is broken at spaces to end before column width, going on below in column
 * indent; and the line's end. width 0: never broken. */
wisp_status wisp_wrap(wisp_error *err, wisp_text *out, const char *text, int at, int indent, int width);

/* A table of texts, its columns as wide as what stands in them.
 *
 * The last column is for what is long: on a terminal it is broken to the window's width. Elsewhere a row is a line
 * however long it is, for what reads it, and the heading says how wide the table is where 80 columns are not enough.
 */
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

/* ---- JSON.
 *
 * Members of an object, in the order in which they are printed: no text (NULL) and an empty one are null, and so is
 * NaN. */
typedef struct wisp_json_text {
  const char *name, *value;
} wisp_json_text;
typedef struct wisp_json_number {
  const char *name;
  double value;
} wisp_json_number;
void wisp_json_add_texts(cJSON *object, size_t count, const wisp_json_text *texts);
void wisp_json_add_numbers(cJSON *object, size_t count, const wisp_json_number *numbers);

/* "MB=2 wp=8" as "params": {"MB": 2, "wp": 8}; what is no number as a text. */
void wisp_json_add_params(cJSON *object, const char *params);

/* Prints it on stdout, and deletes it. */
wisp_status wisp_json_put(wisp_error *err, cJSON *json);

#endif
