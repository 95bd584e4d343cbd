/* Derivatives of expressions: nodes that are appended to a copy of the tree, whose own nodes they share. */
#include "expr_tree.h"

typedef struct builder {
  wisp_error *err;
  wisp_expr *expr;
  const wisp_expr_along *along;
} builder;

static wisp_status number(const builder *b, double value, size_t *out)
{
  return wisp_expr_add(b->err, b->expr, (wisp_node){.op = OP_REAL, .real = value}, out);
}

static bool is(const builder *b, size_t place, double value)
{
  const wisp_node *at = &b->expr->nodes[place];
  return (at->op == OP_REAL || at->op == OP_INTEGER) && at->real == value;
}

/* x op y, without what 0 and 1 make idle. */
static wisp_status join(const builder *b, wisp_op op, size_t x, size_t y, size_t *out)
{
  if ((op == OP_ADD || op == OP_SUB) && is(b, y, 0)) return *out = x, WISP_OK;
  if (op == OP_ADD && is(b, x, 0)) return *out = y, WISP_OK;
  if (op == OP_MUL && (is(b, x, 0) || is(b, y, 1))) return *out = x, WISP_OK;
  if (op == OP_MUL && (is(b, y, 0) || is(b, x, 1))) return *out = y, WISP_OK;
  if (op == OP_DIV && is(b, x, 0)) return *out = x, WISP_OK;
  return wisp_expr_add(b->err, b->expr, (wisp_node){.op = op, .of = {x, y}}, out);
}

static wisp_status apply(const builder *b, wisp_op op, size_t x, size_t *out)
{
  if (op == OP_NEGATE && is(b, x, 0)) return *out = x, WISP_OK;
  return wisp_expr_add(b->err, b->expr, (wisp_node){.op = op, .of = {x}}, out);
}

static wisp_status slope(const builder *b, size_t place, size_t *out);

/* f(a)' of a function of one argument, da being a'. */
static wisp_status of_call(const builder *b, wisp_op op, size_t place, size_t a, size_t da, size_t *out)
{
  size_t two = 0, outer = place;
  if (op == OP_SIN) CALL(apply(b, OP_COS, a, &outer));
  if (op == OP_COS) {
    CALL(apply(b, OP_SIN, a, &outer));
    CALL(apply(b, OP_NEGATE, da, &da));
  }
  if (op != OP_SQRT) return join(b, OP_MUL, da, outer, out);
  CALL(number(b, 2, &two));
  CALL(join(b, OP_MUL, two, place, &outer));
  return join(b, OP_DIV, da, outer, out);
}

/* (a b)' = a' b + a b'; (a / b)' = (a' - (a / b) b') / b */
static wisp_status of_product(const builder *b, const wisp_node *at, size_t place, const size_t slopes[2], size_t *out)
{
  size_t first = slopes[0], second = 0;
  if (at->op == OP_MUL) CALL(join(b, OP_MUL, slopes[0], at->of[1], &first));
  CALL(join(b, OP_MUL, at->op == OP_MUL ? at->of[0] : place, slopes[1], &second));
  CALL(join(b, at->op == OP_MUL ? OP_ADD : OP_SUB, first, second, out));
  return at->op == OP_DIV ? join(b, OP_DIV, *out, at->of[1], out) : WISP_OK;
}

/* (a^n)' = n a^(n - 1) a', n being constant. */
static wisp_status of_power(const builder *b, const wisp_node *at, const size_t slopes[2], size_t *out)
{
  size_t one = 0, less = 0, power = 0;
  if (!is(b, slopes[1], 0))
    return wisp_expr_fail(b->err, b->expr, at->column, "'pow' has no derivative where its second argument varies");
  CALL(number(b, 1, &one));
  CALL(join(b, OP_SUB, at->of[1], one, &less));
  CALL(join(b, OP_POW, at->of[0], less, &power));
  CALL(join(b, OP_MUL, at->of[1], power, &power));
  return join(b, OP_MUL, slopes[0], power, out);
}

/* The slope of one of two sides, as the condition says. */
static wisp_status choose(const builder *b, size_t condition, const size_t slopes[2], size_t *out)
{
  if (is(b, slopes[0], 0) && is(b, slopes[1], 0)) return *out = slopes[0], WISP_OK;
  const wisp_node made = {.op = OP_CHOOSE, .of = {condition, slopes[0], slopes[1]}};
  return wisp_expr_add(b->err, b->expr, made, out);
}

static double weight_of(const builder *b, const char *name)
{
  const wisp_expr_along *along = b->along;
  while (along->name && strcmp(along->name, name) != 0) along++;
  return along->name ? along->weight : 0;
}

static wisp_status slope(const builder *b, size_t place, size_t *out)
{
  const wisp_node at = b->expr->nodes[place]; /* a copy: the array grows */
  const int first = at.op == OP_CHOOSE, operands = wisp_operators[at.op].operands - first;
  size_t of[2] = {0}, less = 0;
  if (at.op == OP_INTEGER || at.op == OP_REAL || at.op == OP_NOT || (at.op >= OP_OR && at.op <= OP_GT))
    return number(b, 0, out);
  if (at.op == OP_NAME) return number(b, weight_of(b, at.name), out);
  if (at.op <= OP_COUNT || (at.op >= OP_MOD && at.op <= OP_ROUND_UP))
    return wisp_expr_fail(b->err, b->expr, at.column, "'%s' has no derivative", wisp_operators[at.op].name);
  for (int i = 0; i < operands; i++) CALL(slope(b, at.of[i + first], &of[i]));
  if (at.op == OP_NEGATE) return apply(b, OP_NEGATE, of[0], out);
  if (operands == 1) return of_call(b, at.op, place, at.of[0], of[0], out);
  if (at.op == OP_CHOOSE) return choose(b, at.of[0], of, out);
  if (at.op == OP_ADD || at.op == OP_SUB) return join(b, at.op, of[0], of[1], out);
  if (at.op == OP_POW) return of_power(b, &at, of, out);
  if (at.op == OP_MUL || at.op == OP_DIV) return of_product(b, &at, place, of, out);
  CALL(join(b, at.op == OP_MIN ? OP_LE : OP_GE, at.of[0], at.of[1], &less));
  return choose(b, less, of, out);
}

wisp_status wisp_expr_copy(wisp_error *err, const wisp_expr *from, wisp_expr **out)
{
  OWNED(wisp_expr_destroy) wisp_expr *expr = NULL;
  const size_t size = strlen(from->text) + 2;
  CALL(wisp_expr_parse(err, from->text, &expr));
  memcpy(expr->names, from->names, size);
  CALL(wisp_grow(err, &expr->nodes, &expr->capacity, from->count, sizeof *from->nodes));
  memcpy(expr->nodes, from->nodes, from->count * sizeof *from->nodes);
  expr->count = from->count;
  for (wisp_node *at = expr->nodes; at < expr->nodes + expr->count; at++)
    if (at->name) at->name = expr->names + (at->name - from->names);
  return GIVE(expr, out);
}

void wisp_expr_put(wisp_expr *expr, const char *name, double value)
{
  for (wisp_node *at = expr->nodes; at < expr->nodes + expr->count; at++)
    if (at->op == OP_NAME && strcmp(at->name, name) == 0) at->op = OP_REAL, at->real = value;
}

wisp_status wisp_expr_slope_along(wisp_error *err, const wisp_expr *expr, const wisp_expr_along *along, wisp_expr **out)
{
  OWNED(wisp_expr_destroy) wisp_expr *made = NULL;
  size_t root = 0, last = 0;
  CALL(wisp_expr_copy(err, expr, &made));
  CALL(slope(&(builder){err, made, along}, made->count - 1, &root));
  CALL(wisp_expr_add(err, made, made->nodes[root], &last)); /* the root is the last node */
  return GIVE(made, out);
}
