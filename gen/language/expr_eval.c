#include "expr_tree.h"

#include <math.h>

/* A name's value; not being defined is the one error that every evaluation shares. */
static wisp_status find(wisp_error *err, const wisp_expr *expr, const wisp_node *at, const wisp_env *env,
                        const wisp_value **value)
{
  CALL(wisp_env_find(err, env, at->name, at->hash, value));
  return *value ? WISP_OK : wisp_expr_fail(err, expr, at->column, "the name '%s' is not defined", at->name);
}

/* The value of name[expr], nonzero(name, expr) or count(name). */
static wisp_status entry(wisp_error *err, const wisp_expr *expr, const wisp_node *at, const wisp_env *env,
                         int64_t *value);

static bool give(int64_t result, int64_t *value)
{
  *value = result;
  return true;
}

/* An operator on two integers; false where the result does not fit or does not exist. */
static bool combine(wisp_op op, int64_t a, int64_t b, int64_t *value)
{
  if (op == OP_EQ) return give(a == b, value);
  if (op == OP_NE) return give(a != b, value);
  if (op == OP_LE) return give(a <= b, value);
  if (op == OP_LT) return give(a < b, value);
  if (op == OP_GE) return give(a >= b, value);
  if (op == OP_GT) return give(a > b, value);
  if (op == OP_MIN) return give(a < b ? a : b, value);
  if (op == OP_MAX) return give(a > b ? a : b, value);
  if (op == OP_ADD) return !__builtin_add_overflow(a, b, value);
  if (op == OP_SUB) return !__builtin_sub_overflow(a, b, value);
  if (op == OP_MUL) return !__builtin_mul_overflow(a, b, value);
  if (op == OP_POW || b == 0 || (a == INT64_MIN && b == -1)) return false;
  if ((op == OP_CEIL || op == OP_ROUND_UP) && b < 0) return false;
  *value = op == OP_MOD ? a % b : a / b;
  if (op == OP_CEIL || op == OP_ROUND_UP) *value += a % b > 0;
  return op != OP_ROUND_UP || !__builtin_mul_overflow(*value, b, value);
}

static double call(wisp_op op, double a)
{
  return op == OP_SQRT ? sqrt(a) : op == OP_EXP ? exp(a) : op == OP_SIN ? sin(a) : cos(a);
}

static bool is_call(wisp_op op)
{
  return op >= OP_SQRT && op <= OP_COS;
}

static double combine_reals(wisp_op op, double a, double b)
{
  if (op == OP_EQ) return a == b;
  if (op == OP_NE) return a != b;
  if (op == OP_LE) return a <= b;
  if (op == OP_LT) return a < b;
  if (op == OP_GE) return a >= b;
  if (op == OP_GT) return a > b;
  if (op == OP_MIN) return a < b ? a : b;
  if (op == OP_MAX) return a > b ? a : b;
  if (op == OP_ADD) return a + b;
  if (op == OP_SUB) return a - b;
  if (op == OP_MUL) return a * b;
  if (op == OP_DIV) return a / b;
  if (op == OP_MOD) return fmod(a, b);
  if (op == OP_POW) return pow(a, b);
  return op == OP_CEIL ? ceil(a / b) : ceil(a / b) * b;
}

/* The reason why combine gives no result. */
static const char *refusal(wisp_op op, int64_t b)
{
  if (op == OP_ADD || op == OP_SUB || op == OP_MUL) return WISP_MESSAGE("the result does not fit 64 bits");
  if (b == 0) return WISP_MESSAGE("division by zero");
  if (b < 0 && (op == OP_CEIL || op == OP_ROUND_UP))
    return WISP_MESSAGE("ceil and round_up need a positive second argument");
  return WISP_MESSAGE("the result does not fit 64 bits");
}

static wisp_status eval_int(wisp_error *err, const wisp_expr *expr, size_t place, const wisp_env *env, int64_t *value)
{
  const wisp_node *at = &expr->nodes[place];
  const wisp_value *found = NULL;
  int64_t a = 0, b = 0;
  if (at->op == OP_INTEGER) return *value = at->integer, WISP_OK;
  if (at->op == OP_REAL) return wisp_expr_fail(err, expr, at->column, "%.17g is not a 64-bit integer", at->real);
  if (at->op == OP_TEXT) return wisp_expr_fail(err, expr, at->column, "the text '%.32s' is no number", at->name);
  if (at->op == OP_ENTRY || at->op == OP_NONZERO || at->op == OP_COUNT) return entry(err, expr, at, env, value);
  if (is_call(at->op) || at->op == OP_POW)
    return wisp_expr_fail(err, expr, at->column, "'%s' gives no integer", at->name);
  if (at->op == OP_NAME) {
    CALL(find(err, expr, at, env, &found));
    if (found->kind != WISP_KIND_INT)
      return wisp_expr_fail(err, expr, at->column, "'%s' is %s, not an integer", at->name,
                            wisp_kind_words(found->kind));
    return *value = found->as.integer, WISP_OK;
  }
  CALL(eval_int(err, expr, at->of[0], env, &a));
  if (at->op == OP_CHOOSE) return eval_int(err, expr, at->of[a ? 1 : 2], env, value);
  if (at->op == OP_NOT || (at->op == OP_AND && !a) || (at->op == OP_OR && a)) {
    *value = at->op == OP_NOT ? !a : at->op == OP_OR;
    return WISP_OK;
  }
  if (at->op == OP_NEGATE)
    return __builtin_sub_overflow(0, a, value) ? wisp_expr_fail(err, expr, at->column, "%s", refusal(OP_SUB, 0))
                                               : WISP_OK;
  CALL(eval_int(err, expr, at->of[1], env, &b));
  if (at->op == OP_AND || at->op == OP_OR)
    *value = b != 0;
  else if (!combine(at->op, a, b, value))
    return wisp_expr_fail(err, expr, at->column, "%s", refusal(at->op, b));
  return WISP_OK;
}

static wisp_status entry(wisp_error *err, const wisp_expr *expr, const wisp_node *at, const wisp_env *env,
                         int64_t *value)
{
  const wisp_value *found = NULL;
  int64_t i = 0;
  CALL(find(err, expr, at, env, &found));
  const bool ints = found->kind == WISP_KIND_INTS, table = ints || found->kind == WISP_KIND_REALS;
  if (at->op == OP_COUNT && (table || found->kind == WISP_KIND_LIST)) {
    *value = (int64_t)found->count;
    return WISP_OK;
  }
  if (!table)
    return wisp_expr_fail(err, expr, at->column, "'%s' is %s, not a table", at->name, wisp_kind_words(found->kind));
  CALL(eval_int(err, expr, at->of[0], env, &i));
  if (i < 0 || (uint64_t)i >= found->count)
    return wisp_expr_fail(err, expr, at->column, "index %lld is outside '%s', which has %zu", (long long)i, at->name,
                          found->count);
  if (at->op == OP_ENTRY && !ints)
    return wisp_expr_fail(err, expr, at->column, "'%s' is a table of reals, not of integers", at->name);
  *value = ints ? found->as.ints[i] : found->as.reals[i] != 0;
  if (at->op == OP_NONZERO) *value = *value != 0;
  return WISP_OK;
}

/* A value, and the sum of the magnitudes that it is added up from. */
typedef struct number {
  double value, size;
} number;

static number combine_numbers(wisp_op op, number a, number b)
{
  number out = {.value = combine_reals(op, a.value, b.value)};
  if (op == OP_ADD || op == OP_SUB)
    out.size = a.size + b.size;
  else if (op == OP_MUL)
    out.size = a.size * b.size;
  else if (op == OP_DIV)
    out.size = a.size * b.size / (b.value * b.value); /* the divisor's own errors count as well */
  else
    out.size = op == OP_MIN || op == OP_MAX ? fmax(a.size, b.size) : fabs(out.value);
  return out;
}

/* An expression under real evaluation. */
typedef struct reals {
  const wisp_expr *expr;
  const double *values, *sizes; /* sizes NULL: magnitudes are those of the values */
} reals;

static number eval_real(const reals *r, size_t place)
{
  const wisp_node *at = &r->expr->nodes[place];
  if (at->op == OP_INTEGER || at->op == OP_REAL) return (number){at->real, fabs(at->real)};
  if (at->op == OP_NAME) {
    const double value = r->values[at->slot];
    return (number){value, r->sizes ? r->sizes[at->slot] : fabs(value)};
  }
  const number a = eval_real(r, at->of[0]);
  const bool holds = a.value != 0;
  if (at->op == OP_CHOOSE) return eval_real(r, at->of[holds ? 1 : 2]);
  if (at->op == OP_NEGATE) return (number){-a.value, a.size};
  if (is_call(at->op)) return (number){call(at->op, a.value), fabs(call(at->op, a.value))};
  if (at->op == OP_NOT) return (number){!holds, !holds};
  if (at->op == OP_AND ? !holds : at->op == OP_OR && holds) return (number){holds, holds};
  const number b = eval_real(r, at->of[1]);
  if (at->op == OP_AND || at->op == OP_OR) return (number){b.value != 0, b.value != 0};
  return combine_numbers(at->op, a, b);
}

wisp_status wisp_expr_int(wisp_error *err, const wisp_expr *expr, const wisp_env *env, int64_t *value)
{
  int64_t result = 0;
  wisp_status status = eval_int(err, expr, expr->count - 1, env, &result);
  if (status == WISP_OK) *value = result;
  return status;
}

void wisp_expr_real(const wisp_expr *expr, const double *values, const double *sizes, double *value, double *size)
{
  const number result = eval_real(&(reals){expr, values, sizes}, expr->count - 1);
  *value = result.value;
  *size = result.size;
}

/* ---- At many points. */

typedef struct columns {
  const wisp_expr *expr;
  const double *values;
  int count;
} columns;

/* One loop an operator, for the compiler to make vectors of. */
#define EACH(value)                                    \
  for (int i = 0; i < c->count; i++) out[i] = (value); \
  break
static void eval_columns(const columns *c, size_t place, double *out)
{
  const wisp_node *at = &c->expr->nodes[place];
  const double *named = at->op == OP_NAME ? c->values + at->slot * WISP_EXPR_MANY : NULL;
  const int operands = wisp_operators[at->op].operands;
  double a[WISP_EXPR_MANY], b[WISP_EXPR_MANY];
  if (operands) eval_columns(c, at->of[0], a);
  if (operands > 1) eval_columns(c, at->of[1], b);
  if (operands > 2) eval_columns(c, at->of[2], out);
  switch (at->op) {
    case OP_INTEGER:
    case OP_REAL:
      EACH(at->real);
    case OP_NAME:
      EACH(named[i]);
    case OP_NEGATE:
      EACH(-a[i]);
    case OP_NOT:
      EACH(a[i] == 0);
    case OP_CHOOSE:
      EACH(a[i] != 0 ? b[i] : out[i]);
    case OP_OR:
      EACH(a[i] != 0 || b[i] != 0);
    case OP_AND:
      EACH(a[i] != 0 && b[i] != 0);
    case OP_ADD:
      EACH(a[i] + b[i]);
    case OP_SUB:
      EACH(a[i] - b[i]);
    case OP_MUL:
      EACH(a[i] * b[i]);
    default:
      EACH(is_call(at->op) ? call(at->op, a[i]) : combine_reals(at->op, a[i], b[i]));
  }
}
#undef EACH

void wisp_expr_many(const wisp_expr *expr, const double *values, int count, double *out)
{
  eval_columns(&(columns){expr, values, count}, expr->count - 1, out);
}

wisp_status wisp_expr_bind(wisp_error *err, wisp_expr *expr, wisp_slot_of slot_of, const void *context)
{
  for (wisp_node *at = expr->nodes; at < expr->nodes + expr->count; at++) {
    if (at->op < OP_NAME || at->op > OP_COUNT) continue;
    at->slot = at->op == OP_NAME ? slot_of(context, at->name) : -1;
    if (at->op == OP_TEXT) return wisp_expr_fail(err, expr, at->column, "the text '%.32s' is no number", at->name);
    if (at->slot < 0) return wisp_expr_fail(err, expr, at->column, "the name '%s' is not defined", at->name);
  }
  return WISP_OK;
}

wisp_status wisp_eval_int(wisp_error *err, const char *text, const wisp_env *env, int64_t *value)
{
  OWNED(wisp_expr_destroy) wisp_expr *expr = NULL;
  CALL(wisp_expr_parse(err, text, &expr));
  return wisp_expr_int(err, expr, env, value);
}

/* ---- The meaning of an expression as a number: a hash of its tree, the same on every machine. */

static uint64_t hash_node(const wisp_expr *expr, size_t place, wisp_name_hash named, const void *context)
{
  const wisp_node *at = &expr->nodes[place];
  uint64_t hash = wisp_hash_text(WISP_HASH_SEED, wisp_operators[at->op].name), bits = 0;
  if (at->op == OP_NAME) return named(context, at->name);
  if (at->op == OP_INTEGER) return wisp_hash_number(hash, (uint64_t)at->integer);
  if (at->op == OP_REAL) memcpy(&bits, &at->real, sizeof bits), hash = wisp_hash_number(hash, bits);
  if (at->op >= OP_TEXT && at->op <= OP_COUNT) hash = wisp_hash_text(hash, at->name);
  for (int i = 0; i < wisp_operators[at->op].operands; i++)
    hash = wisp_hash_number(hash, hash_node(expr, at->of[i], named, context));
  return hash;
}

uint64_t wisp_expr_hash(const wisp_expr *expr, wisp_name_hash named, const void *context)
{
  return hash_node(expr, expr->count - 1, named, context);
}

/* ---- Partial evaluation: an expression that is asked for many values of a few names, with all others settled
 * beforehand.
 */

static void resolve_name(wisp_node *at, const wisp_env *env, const char *const *loose, size_t count)
{
  int64_t value = 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(at->name, loose[i]) == 0) return;
  if (!wisp_env_get_int(env, at->name, &value)) return;
  at->op = OP_INTEGER;
  at->integer = value;
}

static bool is_integer(const wisp_expr *expr, size_t place)
{
  return expr->nodes[place].op == OP_INTEGER;
}

/* An operator whose operands are all settled becomes its value; one that has none is left for the evaluation to report.
 */
static void fold(wisp_expr *expr, size_t place)
{
  wisp_node *at = &expr->nodes[place];
  int64_t value = 0;
  if (at->op == OP_CHOOSE && is_integer(expr, at->of[0])) {
    wisp_node chosen = expr->nodes[at->of[expr->nodes[at->of[0]].integer ? 1 : 2]];
    *at = chosen;
  } else if (at->op >= OP_EQ && is_integer(expr, at->of[0]) && is_integer(expr, at->of[1]) &&
             combine(at->op, expr->nodes[at->of[0]].integer, expr->nodes[at->of[1]].integer, &value)) {
    at->op = OP_INTEGER;
    at->integer = value;
  }
}

const char *wisp_expr_name(const wisp_expr *expr, size_t i)
{
  for (const wisp_node *at = expr->nodes; at < expr->nodes + expr->count; at++)
    if (at->op == OP_NAME && i-- == 0) return at->name;
  return NULL;
}

wisp_status wisp_expr_resolve(wisp_error *err, const wisp_expr *expr, const wisp_env *env, const char *const *loose,
                              size_t count, wisp_expr **out)
{
  wisp_expr *resolved = NULL;
  CALL(wisp_expr_parse(err, expr->text, &resolved)); /* a copy with nodes of its own */
  for (size_t i = 0; i < resolved->count; i++) {
    if (resolved->nodes[i].op == OP_NAME)
      resolve_name(&resolved->nodes[i], env, loose, count);
    else
      fold(resolved, i);
  }
  *out = resolved;
  return WISP_OK;
}
