/* "did you mean ...": which of the names that there are is close to the one that was typed. */
#ifndef WISP_CLI_SUGGEST_H
#define WISP_CLI_SUGGEST_H

#include <stddef.h>

typedef struct wisp_suggestion {
  const char *typed;
  const char *best; /* NULL: none is close enough */
  size_t distance;  /* letters to change, add, leave out or swap */
} wisp_suggestion;

/* typed may go on with "=value". */
wisp_suggestion wisp_suggest(const char *typed);
/* Holds one name that there is against what was typed. */
void wisp_suggest_one(wisp_suggestion *suggestion, const char *name);
/* " did you mean --orders?" or an empty text; before stands in front of the name. */
const char *wisp_suggestion_text(const wisp_suggestion *suggestion, const char *before, char text[64]);

#endif
