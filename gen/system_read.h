/* Shared by the files that read a system's text. */
#pragma once

#include "system.h"
#include "language/expr.h"

/* ---- The constants of a system file, an environment of texts: each name's number. Where one stands in an expression
 * it is written out, so that kernels are compiled from numbers, and a changed constant changes what is compiled. */

wisp_status wisp_constants_add(wisp_error *err, wisp_env *constants, const char *name, double value);

/* Adds the text to out with a literal in place of every constant. */
wisp_status wisp_constants_write(wisp_error *err, const wisp_env *constants, const char *text, wisp_text *out);

/* The value of an expression over constants alone. WISP_EINPUT where it has none, or none that is finite. */
wisp_status wisp_constants_value(wisp_error *err, const wisp_env *constants, const char *text, double *value);

#define EXPECT(condition, ...) CALL(wisp_require(err, condition, WISP_EINPUT, __VA_ARGS__))

/* One term, [+-] [EXPRESSION *] NAME.AXIS, of the rate of field `out`; moves *rest, which it cuts up, past it. */
wisp_status wisp_system_read_term(wisp_error *err, const wisp_env *constants, wisp_system *system, int out, bool first,
                                  char **rest);

/* One more quantity of elements, NAME = text over constants and the quantities so far; given: a coefficient, the text
 * its value where nothing else is said, over constants. */
wisp_status wisp_system_add_quantity(wisp_error *err, const wisp_env *constants, wisp_system *system, const char *name,
                                     const char *text, bool given);

/* The first quantity that a text names, and where; -1: it names none. */
int wisp_system_mentioned(const wisp_system *system, const char *text, const char **at);

/* Notes which quantities a flux's or boundary's expression reads. */
void wisp_system_mark_readers(wisp_system *system, const wisp_expr *expression);
