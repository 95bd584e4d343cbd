/* Functions that the files of systems share. */
#pragma once

#include "system.h"
#include "language/expr.h"

/* ---- The constants of a system file, an environment of texts: each name's number. Expressions
 * get the number in place of the name: kernels are compiled from numbers, and a changed constant changes their source.
 */

wisp_status wisp_constants_add(wisp_error *err, wisp_env *constants, const char *name, double value);

/* Adds the text to out with a literal in place of every constant. */
wisp_status wisp_constants_write(wisp_error *err, const wisp_env *constants, const char *text, wisp_text *out);

/* The value of an expression over constants alone. WISP_EINPUT where it has none, or none that is finite. */
wisp_status wisp_constants_value(wisp_error *err, const wisp_env *constants, const char *text, double *value);

#define EXPECT(condition, ...) CALL(wisp_require(err, condition, WISP_EINPUT, __VA_ARGS__))

/* One term, [+-] [EXPRESSION *] [QUANTITY *] NAME.AXIS or NAME, of the rate of field `out`; moves *rest, which it cuts
 * up, past it. */
wisp_status wisp_system_read_term(wisp_error *err, const wisp_env *constants, wisp_system *system, int out, bool first,
                                  char **rest);

/* Gives a field whose rate has no derivative one with the factor 0: kernels' texts add up at least one. */
wisp_status wisp_system_add_derivatives(wisp_error *err, wisp_system *system);

/* One more quantity of elements, NAME = text over constants and the quantities so far; given: a coefficient, the text
 * its value where nothing else is said, over constants. */
wisp_status wisp_system_add_quantity(wisp_error *err, const wisp_env *constants, wisp_system *system, const char *name,
                                     const char *text, bool given);

/* The first quantity that a text names, and where; -1: it names none. */
int wisp_system_mentioned(const wisp_system *system, const char *text, const char **at);

/* Notes which quantities a flux's or boundary's expression reads. */
void wisp_system_mark_readers(wisp_system *system, const wisp_expr *expression);

/* ---- The names that flux and ghost texts may read, as slots of an array of values: a reference evaluates such texts
 * at every face node. Slots: FIELD_m, QUANTITY_m, nx ny nz, alpha, FIELD_p, QUANTITY_p, and then what the flux's
 * statements assign, in order. Hence a text sees exactly the slots below a bound. */

enum { WISP_MAX_SLOTS = 2 * (WISP_MAX_FIELDS + WISP_MAX_QUANTITIES) + 4 + WISP_MAX_STATEMENTS };

/* The slot of a name, or -1. */
static inline int wisp_slot_find(const wisp_env *symbols, const char *name)
{
  int64_t slot = -1;
  wisp_env_get_int(symbols, name, &slot);
  return (int)slot;
}

/* The slots of quantities inside. */
static inline int wisp_slot_medium(const wisp_system *system)
{
  return system->fields;
}

static inline int wisp_slot_normal(const wisp_system *system)
{
  return system->fields + WISP_MAX_QUANTITIES;
}

static inline int wisp_slot_outside(const wisp_system *system)
{
  return wisp_slot_normal(system) + 4;
}

/* The slots of quantities outside. */
static inline int wisp_slot_beyond(const wisp_system *system)
{
  return wisp_slot_outside(system) + system->fields;
}

static inline int wisp_slot_statement(const wisp_system *system)
{
  return wisp_slot_beyond(system) + WISP_MAX_QUANTITIES;
}
