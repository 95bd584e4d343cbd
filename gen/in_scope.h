/* What spaces and texts can name, for people. */
#ifndef WISP_IN_SCOPE_H
#define WISP_IN_SCOPE_H

#include "strategy.h"

/* What a name of a family, or of the device, is: a line of templates/FAMILY/names or templates/dialect/names. Empty
 * where neither says so. */
void wisp_name_meaning(const char *family, const char *name, char meaning[160]);

/* All names that a candidate's space and text see, a line each: name, value, what it is; then the parts. */
wisp_status wisp_plan_names(wisp_error *err, const wisp_plan *plan, wisp_text *out);

#endif
