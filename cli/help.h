/* --help of every level, 80 columns wide. */
#ifndef WISP_CLI_HELP_H
#define WISP_CLI_HELP_H

#include "options.h"

#include <stdio.h>

/* How a command is used. word: of a command that takes one first (wisp db merge), the one that help is for: its lines
 * and options alone; NULL, or one that there is not: all. */
void wisp_help_print(const wisp_syntax *syntax, const char *word);

/* Options that every command has, after its own: place i of both. */
const wisp_option *wisp_option_at(const wisp_syntax *syntax, size_t i);
size_t wisp_option_count(const wisp_syntax *syntax);

/* Prints a text from column `at` on, which goes on below in column indent, and ends the line. */
void wisp_help_wrap(FILE *to, const char *text, int at, int indent);

#endif
