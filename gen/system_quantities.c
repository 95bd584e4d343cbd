/* Reads the quantities of a system's elements: coefficients, and what follows from them. */
#include "system_read.h"
#include "system_slots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A wisp_slot_of: quantities stand in the order of their slots. */
static int slot_of(const void *context, const char *name)
{
  return wisp_system_quantity(context, name);
}

/* Binds an expression to the quantities so far, and gives its value for the coefficients that the file gives. */
static wisp_status bind(wisp_error *err, const wisp_system *system, wisp_expr *expression, double *value)
{
  double medium[WISP_MAX_QUANTITIES], size = 0;
  wisp_system_default_medium(system, 1, medium);
  CALL(wisp_expr_bind(err, expression, slot_of, system));
  wisp_expr_real(expression, medium, NULL, value, &size);
  return wisp_require(err, isfinite(*value), WISP_EINPUT, "its value is not finite");
}

wisp_status wisp_system_add_quantity(wisp_error *err, const wisp_env *constants, wisp_system *system, const char *name,
                                     const char *text, bool given)
{
  HELD(wisp_text_free) wisp_text numbers = {0};
  OWNED(wisp_expr_destroy) wisp_expr *expression = NULL;
  double value = 0;
  EXPECT(system->quantities < WISP_MAX_QUANTITIES, "more than %d coefficients and quantities", WISP_MAX_QUANTITIES);
  if (given) {
    CALL(wisp_constants_value(err, constants, text, &value));
    EXPECT(value > 0, "coefficient %s is %g, must be positive", name, value);
  } else {
    CALL(wisp_constants_write(err, constants, text, &numbers));
    CALL(wisp_expr_parse(err, numbers.data, &expression));
    CALL(bind(err, system, expression, &value));
  }
  wisp_quantity *q = &system->quantity[system->quantities++];
  *q = (wisp_quantity){.expression = expression, .otherwise = value};
  snprintf(q->name, sizeof q->name, "%s", name);
  expression = NULL;
  return WISP_OK;
}

void wisp_system_mark_readers(wisp_system *system, const wisp_expr *expression)
{
  const char *name = NULL;
  for (size_t i = 0; (name = wisp_expr_name(expression, i)); i++) {
    const int slot = wisp_slot_find(system->symbols, name);
    const int inner = slot - wisp_slot_medium(system), outer = slot - wisp_slot_beyond(system);
    if (inner >= 0 && inner < system->quantities) system->quantity[inner].inner = true;
    if (outer >= 0 && outer < system->quantities) system->quantity[outer].outer = true;
  }
}
