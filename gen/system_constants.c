#include "system_constants.h"

#include "language/env.h"
#include "language/expand.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

wisp_status wisp_constants_add(wisp_error *err, wisp_env *constants, const char *name, double value)
{
  HELD(wisp_text_free) wisp_text literal = {0};
  CALL(wisp_print_real(err, &literal, value, WISP_F64));
  return wisp_env_text(err, constants, name, literal.data);
}

wisp_status wisp_constants_write(wisp_error *err, const wisp_env *constants, const char *text, wisp_text *out)
{
  char name[32];
  for (const char *at = text; *at;) {
    size_t length = 0; /* of a name or a number; both go on with letters and digits, a number with points as well */
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.') length++;
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, at);
    const wisp_value *literal = wisp_env_get(constants, name, WISP_KIND_TEXT);
    CALL(wisp_text_add(err, out, literal ? literal->as.text : at, literal ? literal->count : length ? length : 1));
    at += length ? length : 1;
  }
  return WISP_OK;
}

/* A wisp_slot_of: constants are numbers by now. */
static int no_slot(const void *context, const char *name)
{
  (void)context, (void)name;
  return -1;
}

wisp_status wisp_constants_value(wisp_error *err, const wisp_env *constants, const char *text, double *value)
{
  HELD(wisp_text_free) wisp_text numbers = {0};
  OWNED(wisp_expr_destroy) wisp_expr *expression = NULL;
  double size = 0;
  CALL(wisp_constants_write(err, constants, text, &numbers));
  CALL(wisp_expr_parse(err, numbers.data ? numbers.data : "", &expression));
  CALL(wisp_expr_bind(err, expression, no_slot, NULL));
  wisp_expr_real(expression, NULL, NULL, value, &size);
  return wisp_require(err, isfinite(*value), WISP_EINPUT, "'%s' is no finite number", text);
}
