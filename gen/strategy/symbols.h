/* Which symbols of a system of equations (wisp_system_symbols) the texts of a strategy read, a bit each. */
#pragma once

#include "../language/template.h"

struct wisp_strategy;

/* Gives the part of this name, parsed, and its number below `parts`; NULL: there is none. */
typedef wisp_status (*wisp_find_part)(wisp_error *err, void *context, const char *name, const wisp_template **out,
                                      size_t *number);

/* Those that the strategy's space reads, and the text with the parts that it inserts, except in branches that the facts
 * and lets of the strategy rule out for all of its candidates. */
wisp_status wisp_symbols_read(wisp_error *err, const struct wisp_strategy *strategy, const wisp_template *text,
                              size_t parts, wisp_find_part find, void *context, uint32_t *symbols);
