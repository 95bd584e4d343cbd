/* A command's page, cli/help/NAME: its usage in the first line, what it does in those below, and after an empty line
 * its options, as --help prints them, but for the ends of lines.
 *
 *     wisp tune [options]
 *     Compiles, verifies and times candidates on a device.
 *
 *     -n, --orders ORDERS   the polynomial orders, such as 3 or 1-4,7 (1-4)
 *     @mesh tets
 *         --json            a JSON object
 *
 * A line that ends in \ goes on in the next one. @mesh stands for the lines of cli/help/mesh; $ there for the rest of
 * that line, in a page itself for the subject of the command (wisp run maxwell). @options heat stands for the options
 * of that problem, by its solver's table (runtime/solve/solver.h). A line of several words and a gap
 * behind them tells of a word of the command (wisp db merge).
 *
 * An option's text says what it belongs to, and the command refuses it elsewhere (wisp_help_check). It begins with the
 * words of the command, or with another option, or it ends with the options that it leaves room for:
 *
 *     --failed     prune: remove what did not run
 *     --names      with --kernel: what its space and text can name
 *     --replay     no device; only with -f, -n, --db, --json */
#pragma once

#include "../gen/text.h"

enum { WISP_MAX_OPTIONS = 64 };

typedef struct wisp_option {
  const char *name;     /* without the two dashes */
  char letter;          /* 0: none */
  const char *argument; /* what help calls its value; NULL: a flag */
  const char *help;
} wisp_option;

/* A page that was read; all of it points into the text: wisp_text_free. */
typedef struct wisp_help {
  wisp_text text;
  const char *usage; /* "wisp best [options]"; "wisp db show|export [options]" takes one of these words first */
  const char *about;
  wisp_option option[WISP_MAX_OPTIONS];
  size_t count, own, common; /* where those begin that are `more`, and those that every command has */
} wisp_help;

/* more: lines of further options, but for those with the name of another; NULL: none. */
wisp_status wisp_help_read(wisp_error *err, const char *page, const char *subject, const char *more, wisp_help *out);

/* "wisp db": the words of its usage before options and choices. */
void wisp_help_name(const wisp_help *help, char name[64]);

/* WISP_EUSAGE where an option was given that does not belong to the command's word (NULL: there is none) or to the
 * others that were given. values: of each option, NULL where it was not given. */
wisp_status wisp_help_check(wisp_error *err, const wisp_help *help, const char *word, const char *const *values);

/* Prints the usage of a command, 80 columns wide. word: of a command that takes one first (wisp db merge), that word's
 * lines and options alone; NULL, or an unknown word: all. */
void wisp_help_print(const wisp_help *help, const char *word);

/* A page without options (wisp help environment), as it stands. */
void wisp_help_show(const char *page, FILE *to);

/* Prints a text from column `at` on, which goes on below in column indent, and ends the line. */
void wisp_help_wrap(FILE *to, const char *text, int at, int indent);
