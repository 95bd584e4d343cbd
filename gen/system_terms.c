/* The constants of a system, the quantities of its elements, and the terms of a rate: coefficients times derivatives.
 */
#include "system_internal.h"
#include "language/template.h"

#include <ctype.h>
#include <math.h>

/* ---- Constants. */

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
    while (wisp_in_name(at[length]) || at[length] == '.') length++;
    const wisp_value *literal = NULL;
    if (length && length < sizeof name) {
      memcpy(name, at, length);
      name[length] = '\0';
      CALL(wisp_env_get(err, constants, name, WISP_KIND_TEXT, &literal));
    }
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

/* ---- Quantities of elements: coefficients, and what follows from them. */

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
    EXPECT(value >= 0, "coefficient %s is %g, must be positive, or 0 where it may be 0", name, value);
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

/* ---- Terms. */

/* Finds the beginning of the FIELD.AXIS of a term: the first name that a point follows. Before it, outside of
 * parentheses and powers of ten, is no sign: that would be another term's. Without one, the term's end. */
static char *find_derivative(char *at, bool *found)
{
  *found = false;
  for (int depth = 0; *at;) {
    const size_t digits = strspn(at, "0123456789.");
    const size_t name = wisp_name_length(at);
    if (name && at[name] == '.') return *found = true, at;
    if (!name && !digits && !depth && (*at == '+' || *at == '-')) break;
    depth += (*at == '(') - (*at == ')');
    at += name ? name : digits ? digits : 1;
    if (digits && (*at == 'e' || *at == 'E')) at += 1 + (at[1] == '+' || at[1] == '-');
  }
  return at;
}

/* Finds the FIELD that a term without a derivative ends with, from its last factor on. */
static char *find_field(char *at, char *end)
{
  while (end > at && isspace((unsigned char)end[-1])) end--;
  while (end > at && wisp_in_name(end[-1])) end--;
  return end;
}

/* Takes a quantity off the end of a term's factors, [EXPRESSION *] QUANTITY; -1 where they name none. */
static wisp_status cut_quantity(wisp_error *err, wisp_system *system, char *factors, int *out)
{
  const char *at = NULL;
  *out = wisp_system_mentioned(system, factors, &at);
  if (*out < 0) return WISP_OK;
  char *end = factors + (at - factors);
  const bool last = strlen(at) == strlen(system->quantity[*out].name);
  while (end > factors && isspace((unsigned char)end[-1])) end--;
  EXPECT(last && (end == factors || end[-1] == '*'),
         "'%s': one quantity, %s here, may stand last before a derivative: give the value a name by quantity", factors,
         system->quantity[*out].name);
  end[end == factors ? 0 : -1] = '\0';
  system->quantity[*out].rated = true;
  return WISP_OK;
}

/* The factors of a term, [EXPRESSION *] [QUANTITY *], between `at` and the name that follows. */
static wisp_status read_factors(wisp_error *err, const wisp_env *constants, wisp_system *system, char *at, char *name,
                                wisp_term *term)
{
  char *times = name;
  while (times > at && isspace((unsigned char)times[-1])) times--;
  EXPECT(times == at || times[-1] == '*', "a * must stand before '%s'", name);
  if (times == at) return WISP_OK;
  times[-1] = '\0';
  for (char *end = times - 1; end > at && isspace((unsigned char)end[-1]);) *--end = '\0';
  CALL(cut_quantity(err, system, at, &term->quantity));
  return *at || term->quantity < 0 ? wisp_constants_value(err, constants, at, &term->coefficient) : WISP_OK;
}

wisp_status wisp_system_read_term(wisp_error *err, const wisp_env *constants, wisp_system *system, int out, bool first,
                                  char **rest)
{
  char *at = wisp_skip_space(*rest), *shown = at;
  wisp_term term = {.out = out, .axis = -1, .coefficient = 1, .quantity = -1};
  bool sign = *at == '+' || *at == '-', negative = *at == '-', derived = false;
  EXPECT(sign || first, "a + or - must stand before '%s'", shown);
  at = wisp_skip_space(at + sign);
  char *end = find_derivative(at, &derived), *name = derived ? end : find_field(at, end);
  const size_t length = wisp_name_length(name);
  EXPECT(length, "'%s' must end with a field, or a field's .x, .y or .z", shown);
  if (derived) end = name + length + 1;
  const char *axis = derived && *end ? strchr("xyz", *end) : NULL;
  EXPECT(!derived || (axis && !wisp_in_name(end[1])), "%.*s must be followed by .x, .y or .z", (int)length, name);
  if (axis) term.axis = (int)(axis - "xyz"), end++;
  const char next = *end; /* the next term's sign, or the end */
  *end = '\0';
  CALL(read_factors(err, constants, system, at, name, &term));
  name[length] = '\0';
  term.in = wisp_system_field(system, name);
  EXPECT(term.in >= 0, "there is no field '%s'", name);
  if (negative) term.coefficient = -term.coefficient;
  EXPECT(system->terms < WISP_MAX_TERMS && system->locals < WISP_MAX_TERMS, "more than %d terms", WISP_MAX_TERMS);
  *(derived ? &system->term[system->terms++] : &system->local[system->locals++]) = term;
  *end = next;
  *rest = wisp_skip_space(end);
  return WISP_OK;
}

wisp_status wisp_system_add_derivatives(wisp_error *err, wisp_system *system)
{
  for (int f = 0; f < system->fields; f++) {
    if (wisp_system_nth_term(system, f, 0)) continue;
    EXPECT(system->terms < WISP_MAX_TERMS, "more than %d terms", WISP_MAX_TERMS);
    system->term[system->terms++] = (wisp_term){.out = f, .in = f, .quantity = -1};
  }
  return WISP_OK;
}
