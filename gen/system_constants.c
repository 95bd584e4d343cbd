#include "system_constants.h"

#include "language/expand.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int find(const wisp_constants *constants, const char *name, size_t length)
{
  for (int i = 0; i < constants->count; i++)
    if (strncmp(constants->of[i].name, name, length) == 0 && !constants->of[i].name[length]) return i;
  return -1;
}

bool wisp_constants_has(const wisp_constants *constants, const char *name)
{
  return find(constants, name, strlen(name)) >= 0;
}

bool wisp_constants_add(wisp_constants *constants, const char *name, double value)
{
  if (constants->count == WISP_MAX_CONSTANTS) return false;
  snprintf(constants->of[constants->count].name, sizeof constants->of->name, "%s", name);
  constants->of[constants->count++].value = value;
  return true;
}

wisp_status wisp_constants_write(wisp_error *err, const wisp_constants *constants, const char *text, wisp_text *out)
{
  for (const char *at = text; *at;) {
    size_t length = 0; /* of a name or a number; both go on with letters and digits, a number with points as well */
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.') length++;
    const int i = length && length < sizeof constants->of->name ? find(constants, at, length) : -1;
    if (i >= 0)
      CALL(wisp_print_real(err, out, constants->of[i].value, WISP_F64));
    else
      CALL(wisp_text_add(err, out, at, length ? length : 1));
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

wisp_status wisp_constants_value(wisp_error *err, const wisp_constants *constants, const char *text, double *value)
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
