#include "expr_tree.h"

#include <math.h>

/* A name's value; not being defined is the one error that every evaluation shares. */
static wisp_status find(wisp_error *err, const wisp_expr *expr, const wisp_node *at, const wisp_env *env,
                        const wisp_value **value)
{
  *value = wisp_env_find(env, at->name, at->hash);
  return *value ? WISP_OK : wisp_expr_fail(err, expr, at->column, "the name '%s' is not defined", at->name);
}

/* The value of name[expr] or nonzero(name, expr), exact as an integer where *is_real is false. */
static wisp_status entry(wisp_error *err, const wisp_expr *expr, const wisp_node *at, const wisp_env *env,
                         bool *is_real, int64_t *integer, double *real);

static bool give(int64_t result, int64_t *value)
{
  *value = result;
  return true;
}

bool wisp_expr_combine(wisp_op op, int64_t a, int64_t b, int64_t *value)
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
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
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
  return op == OP_CEIL ? ceil(a / b) : ceil(a / b) * b;
}

/* Why wisp_expr_combine said no. */
static const char *refusal(wisp_op op, int64_t b)
{
  if (op == OP_ADD || op == OP_SUB || op == OP_MUL) return "the result does not fit 64 bits";
  if (b == 0) return "division by zero";
  if (b < 0 && (op == OP_CEIL || op == OP_ROUND_UP)) return "ceil and round_up need a positive second argument";
  return "the result does not fit 64 bits";
}

static wisp_status eval_int(wisp_error *err, const wisp_expr *expr, size_t place, const wisp_env *env, int64_t *value)
{
  const wisp_node *at = &expr->nodes[place];
  const wisp_value *found = NULL;
  bool is_real = false;
  int64_t a = 0, b = 0;
  double real = 0;
  switch (at->op) {
    case OP_INTEGER:
      *value = at->integer;
      return WISP_OK;
    case OP_REAL:
      return wisp_expr_fail(err, expr, at->column, "%.17g is not a 64-bit integer", at->real);
    case OP_NAME:
      CALL(find(err, expr, at, env, &found));
      if (found->kind != WISP_KIND_INT)
        return wisp_expr_fail(err, expr, at->column, "'%s' is %s, not an integer", at->name,
                              wisp_kind_words(found->kind));
      *value = found->as.integer;
      return WISP_OK;
    case OP_ENTRY:
    case OP_NONZERO:
    case OP_COUNT:
      CALL(entry(err, expr, at, env, &is_real, value, &real));
      if (is_real) return wisp_expr_fail(err, expr, at->column, "'%s' is a table of reals, not of integers", at->name);
      return WISP_OK;
    case OP_SQRT:
    case OP_EXP:
    case OP_SIN:
    case OP_COS:
      return wisp_expr_fail(err, expr, at->column, "'%s' gives no integer", at->name);
    default:
      break;
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
  else if (!wisp_expr_combine(at->op, a, b, value))
    return wisp_expr_fail(err, expr, at->column, "%s", refusal(at->op, b));
  return WISP_OK;
}

static wisp_status entry(wisp_error *err, const wisp_expr *expr, const wisp_node *at, const wisp_env *env,
                         bool *is_real, int64_t *integer, double *real)
{
  const wisp_value *found = NULL;
  int64_t i = 0;
  *is_real = false;
  CALL(find(err, expr, at, env, &found));
  bool table = found->kind == WISP_KIND_REALS || found->kind == WISP_KIND_INTS;
  if (at->op == OP_COUNT && (table || found->kind == WISP_KIND_LIST)) {
    *integer = (int64_t)found->count;
    return WISP_OK;
  }
  CALL(table
           ? WISP_OK
           : wisp_expr_fail(err, expr, at->column, "'%s' is %s, not a table", at->name, wisp_kind_words(found->kind)));
  CALL(eval_int(err, expr, at->of[0], env, &i));
  CALL(i >= 0 && (uint64_t)i < found->count
           ? WISP_OK
           : wisp_expr_fail(err, expr, at->column, "index %lld is outside '%s', which has %zu", (long long)i, at->name,
                            found->count));
  if (found->kind == WISP_KIND_INTS)
    *integer = found->as.ints[i];
  else
    *real = found->as.reals[i];
  if (at->op == OP_NONZERO) *integer = found->kind == WISP_KIND_INTS ? *integer != 0 : *real != 0;
  *is_real = at->op == OP_ENTRY && found->kind == WISP_KIND_REALS;
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

/* What a real evaluation carries through the tree. */
typedef struct reals {
  wisp_error *err;
  const wisp_expr *expr;
  const wisp_env *env;
  wisp_lookup lookup;
  const void *context, *sizes; /* sizes NULL: magnitudes are those of the values */
} reals;

static bool look_up(const reals *r, const char *name, number *out)
{
  if (!r->lookup || !r->lookup(r->context, name, &out->value)) return false;
  if (!r->sizes || !r->lookup(r->sizes, name, &out->size)) out->size = fabs(out->value);
  return true;
}

static wisp_status eval_real(const reals *r, size_t place, number *out)
{
  const wisp_node *at = &r->expr->nodes[place];
  const wisp_value *found = NULL;
  bool is_real = false;
  int64_t integer = 0;
  number a = {0}, b = {0};
  switch (at->op) {
    case OP_INTEGER:
    case OP_REAL:
      *out = (number){at->real, fabs(at->real)};
      return WISP_OK;
    case OP_NAME:
      if (look_up(r, at->name, out)) return WISP_OK;
      CALL(find(r->err, r->expr, at, r->env, &found));
      if (found->kind != WISP_KIND_INT)
        return wisp_expr_fail(r->err, r->expr, at->column, "'%s' is %s, not a number", at->name,
                              wisp_kind_words(found->kind));
      a.value = (double)found->as.integer;
      *out = (number){a.value, fabs(a.value)};
      return WISP_OK;
    case OP_ENTRY:
    case OP_NONZERO:
    case OP_COUNT:
      CALL(entry(r->err, r->expr, at, r->env, &is_real, &integer, &a.value));
      if (!is_real) a.value = (double)integer;
      *out = (number){a.value, fabs(a.value)};
      return WISP_OK;
    default:
      break;
  }
  CALL(eval_real(r, at->of[0], &a));
  if (at->op == OP_CHOOSE) return eval_real(r, at->of[a.value != 0 ? 1 : 2], out);
  if (at->op == OP_NOT || (at->op == OP_AND && a.value == 0) || (at->op == OP_OR && a.value != 0)) {
    out->value = out->size = at->op == OP_NOT ? a.value == 0 : at->op == OP_OR;
  } else if (at->op == OP_NEGATE) {
    *out = (number){-a.value, a.size};
  } else if (is_call(at->op)) {
    a.value = call(at->op, a.value);
    *out = (number){a.value, fabs(a.value)};
  } else {
    CALL(eval_real(r, at->of[1], &b));
    if (at->op == OP_AND || at->op == OP_OR)
      out->value = out->size = b.value != 0;
    else
      *out = combine_numbers(at->op, a, b);
  }
  return WISP_OK;
}

wisp_status wisp_expr_int(wisp_error *err, const wisp_expr *expr, const wisp_env *env, int64_t *value)
{
  int64_t result = 0;
  wisp_status status = eval_int(err, expr, expr->count - 1, env, &result);
  if (status == WISP_OK) *value = result;
  return status;
}

wisp_status wisp_expr_real(wisp_error *err, const wisp_expr *expr, const wisp_env *env, wisp_lookup lookup,
                           const void *context, double *value)
{
  number result = {0};
  reals r = {err, expr, env, lookup, context, NULL};
  wisp_status status = eval_real(&r, expr->count - 1, &result);
  if (status == WISP_OK) *value = result.value;
  return status;
}

wisp_status wisp_expr_size(wisp_error *err, const wisp_expr *expr, wisp_lookup lookup, const void *context,
                           const void *sizes, double *value, double *size)
{
  number result = {0};
  reals r = {err, expr, NULL, lookup, context, sizes};
  wisp_status status = eval_real(&r, expr->count - 1, &result);
  if (status == WISP_OK) *value = result.value, *size = result.size;
  return status;
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
  const double *named = at->op == OP_NAME && at->slot >= 0 ? c->values + at->slot * WISP_EXPR_MANY : NULL;
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
      EACH(named ? named[i] : NAN);
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
      EACH(is_call(at->op) ? call(at->op, a[i]) : operands == 2 ? combine_reals(at->op, a[i], b[i]) : NAN);
  }
}
#undef EACH

void wisp_expr_many(const wisp_expr *expr, const double *values, int count, double *out)
{
  eval_columns(&(columns){expr, values, count}, expr->count - 1, out);
}

void wisp_expr_bind(wisp_expr *expr, wisp_slot_of slot_of, const void *context)
{
  for (size_t i = 0; i < expr->count; i++)
    if (expr->nodes[i].op == OP_NAME) expr->nodes[i].slot = slot_of(context, expr->nodes[i].name);
}

wisp_status wisp_eval_int(wisp_error *err, const char *text, const wisp_env *env, int64_t *value)
{
  OWNED(wisp_expr_destroy) wisp_expr *expr = NULL;
  CALL(wisp_expr_parse(err, text, &expr));
  return wisp_expr_int(err, expr, env, value);
}
