/* The variables WISP_* whose values are numbers or words, by one table: what they may be, what holds without them, and
 * one line for each value that they may not have. */
#pragma once

#include "check.h"

/* WISP_EUSAGE, in words, for the first variable whose value means nothing. An empty one counts as unset. */
wisp_status wisp_environment_check(wisp_error *err);

/* The number that the table's variable of this name says; without a value, or with one that means nothing, the one that
 * holds then. */
double wisp_environment_number(const char *name);

/* Whether the table's variable says this word. */
bool wisp_environment_is(const char *name, const char *word);

/* The folder that the table's variable names; NULL where it says a word, or nothing. */
const char *wisp_environment_folder(const char *name);

/* The next word of a text that is a command's words as a shell takes them, blanks between them, with '...', "..." and
 * \ to keep blanks; *rest moves on, and the text is overwritten. NULL: there is none, and *closed is false where a
 * quote was not closed. */
char *wisp_command_word(char **rest, bool *closed);
