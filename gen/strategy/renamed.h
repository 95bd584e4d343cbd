/* Names of strategies and parameters that changed, cache/renamed.list. The old ones are accepted for one release. */
#ifndef WISP_RENAMED_H
#define WISP_RENAMED_H

#include "../check.h"
#include "../text.h"

typedef struct wisp_renaming {
  char family[24], kernel[32]; /* kernel "*": all of the family's */
  char strategy[64];           /* of a strategy its old name, of a parameter its strategy's name of today */
  char old[24], new[64];       /* old: the parameter's; empty: it is the strategy that changed */
} wisp_renaming;

typedef struct wisp_renamings {
  size_t count;
  wisp_renaming *list;
} wisp_renamings;

wisp_status wisp_renamings_load(wisp_error *err, wisp_renamings *out);
void wisp_renamings_free(wisp_renamings *names);

/* Today's name of a strategy's parameter, of "" the strategy's own; NULL: it has not changed. kernel NULL: any;
 * strategy NULL: any. */
const char *wisp_renamed_param(const wisp_renamings *names, const char *family, const char *kernel,
                               const char *strategy, const char *param);

/* The note that a name's user reads. */
wisp_status wisp_renamed_note(wisp_error *err, const char *what, const char *old, const char *new, wisp_text *out);

#endif
