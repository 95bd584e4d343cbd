/* What spaces and texts can name, for people. */
#ifndef WISP_IN_SCOPE_H
#define WISP_IN_SCOPE_H

#include "../strategy/strategy.h"

/* All names that a candidate's space and text see, a line each: name, value, what it is (of the family's and the
 * device's own as templates/FAMILY/names and templates/dialect/names say); then the parts. */
wisp_status wisp_plan_names(wisp_error *err, const wisp_plan *plan, wisp_text *out);

#endif
