/* The constants of a system file, an environment of texts: each name's number. Where one stands in an expression it is
 * written out, so that kernels are compiled from numbers, and a changed constant changes what is compiled. */
#ifndef WISP_SYSTEM_CONSTANTS_H
#define WISP_SYSTEM_CONSTANTS_H

#include "language/expr.h"

wisp_status wisp_constants_add(wisp_error *err, wisp_env *constants, const char *name, double value);

/* Adds the text to out with a literal in place of every constant. */
wisp_status wisp_constants_write(wisp_error *err, const wisp_env *constants, const char *text, wisp_text *out);

/* The value of an expression over constants alone. WISP_EINPUT where it has none, or none that is finite. */
wisp_status wisp_constants_value(wisp_error *err, const wisp_env *constants, const char *text, double *value);

#endif
