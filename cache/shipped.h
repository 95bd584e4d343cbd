/* The shipped form of trials: one line a trial, readable and diffable.
 *
 *     spec=nodal.volume:tet:p4:maxwell:f64 layout=slab-km32 params="unroll=4 wi=2" ms=0.0123 samples=[0.0123,0.0124]
 *
 * key=value, separated by blanks; a value with a blank, quote, backslash, '=' or '#' in it is quoted, with \" \\ \n \r
 * \t inside, and \xNN for other control characters. What is unknown is left out. Empty lines and those that begin with
 * # are comments. */
#ifndef WISP_SHIPPED_H
#define WISP_SHIPPED_H

#include "rows.h"

wisp_status wisp_shipped_print(wisp_error *err, const wisp_trial *trial, wisp_text *out);

/* Appends the trials of a text. A line that is none is skipped, and said so in warning (may be NULL) as "name:line:
 * why". */
wisp_status wisp_shipped_parse(wisp_error *err, const char *name, const char *text, wisp_text *warning,
                               wisp_trials *list);

/* Sorts by competition; where winners_only, leaves winners, ties and defaults, without raw samples. */
void wisp_shipped_select(wisp_trials *list, bool winners_only);

#endif
