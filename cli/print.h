/* Printing: texts broken to the window, tables, JSON, progress. */
#pragma once

#include "../gen/text.h"
#include "../runtime/mesh/notes.h"

#include <cjson/cJSON.h>

/* Columns of the window behind this file descriptor, as it is now; 0 where it is no terminal. */
int wisp_terminal_columns(int fd);

/* Adds a text that begins in column `at` and is broken at spaces to end before column width, going on below in column
 * indent; and the line's end. width 0: never broken. */
wisp_status wisp_wrap(wisp_error *err, wisp_text *out, const char *text, int at, int indent, int width);

/* The ending of a word behind a number: "1 trial", "2 trials". */
const char *wisp_plural(long long count);

/* A table of texts, its columns as wide as their cells. On a terminal the last column is broken to the window's width;
 * elsewhere a row is one line, and the heading states the width beyond 80 columns. */
typedef struct wisp_table_column {
  const char *title;
  bool right; /* numbers stand at the right */
} wisp_table_column;

typedef struct wisp_table wisp_table;

/* heading: the line above, "" for none; copied. columns: kept, at most WISP_MOST_COLUMNS. */
enum { WISP_MOST_COLUMNS = 24 };
wisp_status wisp_table_create(wisp_error *err, const char *heading, size_t count, const wisp_table_column *columns,
                              wisp_table **out);
/* A row: a text a column, "-" where there is none; they are copied. NULL: an empty line. */
wisp_status wisp_table_add(wisp_error *err, wisp_table *table, const char *const *cells);
/* A row from one format, whose cells stand between tabs. A number that is not finite becomes "-". */
__attribute__((format(printf, 3, 4))) wisp_status wisp_table_print_row(wisp_error *err, wisp_table *table,
                                                                       const char *format, ...);
/* Columns that hold nothing but "-" are left out. window: its columns; 0: there is none. */
wisp_status wisp_table_print(wisp_error *err, const wisp_table *table, int window, wisp_text *out);
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
/* A new object with these members. */
cJSON *wisp_json_object(size_t texts, const wisp_json_text *text, size_t numbers, const wisp_json_number *number);
void wisp_json_add_texts(cJSON *object, size_t count, const wisp_json_text *texts);
void wisp_json_add_numbers(cJSON *object, size_t count, const wisp_json_number *numbers);

/* "MB=2 wp=8" as KEY: {"MB": 2, "wp": 8}; what is no number as a text. */
void wisp_json_add_params(cJSON *object, const char *key, const char *params);

/* "notes": [{"key": "periodic", "text": "..."}], empty where there are none. */
void wisp_json_add_notes(cJSON *object, const wisp_notes *notes);

/* Prints it on stdout, and deletes it. */
wisp_status wisp_json_put(wisp_error *err, cJSON *json);

/* ---- How far a long command is: one line on stderr that is rewritten on a terminal, as wide as the terminal, and a
 * plain line every few seconds elsewhere (a pipe, TERM=dumb).
 *
 *     wisp_progress progress = wisp_progress_begin(wisp_option_given(&args, "quiet"));
 *     ...
 *     wisp_progress_show(&progress, (double)step / steps, "step 120 of 400");
 *     ...
 *     wisp_progress_clear(&progress);
 */

typedef struct wisp_progress {
  bool quiet, terminal;
  double every; /* seconds from one line to the next: 0.1 on a terminal, else 5 */
  double began, last;
  bool shown; /* a line stands on the terminal */
} wisp_progress;

/* The clock starts here: begin again for each part that has a fraction of its own. */
wisp_progress wisp_progress_begin(bool quiet);
/* Seconds since it began: over the seconds that are allowed, the fraction of what ends by the clock. */
double wisp_progress_seconds(const wisp_progress *progress);
/* fraction: of the time that it takes, 0 to 1, from which the time left is told; NaN: not known. Cheap to call often:
 * most calls show nothing. */
void wisp_progress_show(wisp_progress *progress, double fraction, const char *text);
/* Erases the line: before anything else is printed, and at the end. */
void wisp_progress_clear(wisp_progress *progress);

/* "90s", "12m", "3.4h"; "?" where it is not finite. */
void wisp_print_duration(double seconds, char text[16]);
