/* Run files: what the command line says, as JSON. */
#pragma once

#include "../gen/text.h"

/* Arguments in place of others; the pointers stay as long as `text` does. Zero-initialise. */
typedef struct wisp_run_file {
  char **argv;
  int argc;
  wisp_text text; /* all of them, each with its NUL */
} wisp_run_file;
void wisp_run_file_free(wisp_run_file *file);

/* Whether an argument names a run file: it ends in .json. */
bool wisp_run_file_named(const char *argument);

/* The arguments argv with argv[at], a file, replaced by what it says: {"problem": "maxwell", "orders": 3, "json": true,
 * "source": {"Ez@coil": "sin(t)"}}. A member is an option by its long name: a number or a text its value, true a flag,
 * false and null no option; a list or an object is a list of items, or of KEY=VALUE. Options that stand among argv come
 * later, and so count. WISP_EINPUT, with the path, for what is no such JSON. */
wisp_status wisp_run_file_read(wisp_error *err, int argc, char **argv, int at, wisp_run_file *out);
