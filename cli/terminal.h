/* What fits the terminal: its width, and texts that are broken to it. */
#ifndef WISP_CLI_TERMINAL_H
#define WISP_CLI_TERMINAL_H

#include "../gen/text.h"

/* Columns of the window behind this file descriptor, as it is now; 0 where it is no terminal. */
int wisp_terminal_columns(int fd);

/* Adds a text that begins in column `at` and is broken at spaces to end before column width, going on below in column
 * indent; and the line's end. width 0: never broken. */
wisp_status wisp_wrap(wisp_error *err, wisp_text *out, const char *text, int at, int indent, int width);

#endif
