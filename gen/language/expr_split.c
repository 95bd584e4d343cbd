/* Expressions as sums of products of two kinds of factors: those in which one name stands, and those with the others.
 */
#include "expr_tree.h"

/* A product, as places of its two factors in nodes; NONE: that factor is 1. */
typedef struct product {
  size_t rest, along;
} product;
#define NONE SIZE_MAX

typedef struct sum {
  size_t count;
  product term[WISP_EXPR_TERMS];
} sum;

typedef struct splitter {
  wisp_error *err;
  wisp_expr *expr;
  const char *name;
} splitter;

/* Whose names stand in a tree: a sum of these. */
enum { ALONG = 1, REST = 2 };

static int names_in(const splitter *s, size_t place)
{
  const wisp_node *at = &s->expr->nodes[place];
  int names = 0;
  if (at->op == OP_NAME) return strcmp(at->name, s->name) == 0 ? ALONG : REST;
  for (int i = 0; i < wisp_operators[at->op].operands; i++) names |= names_in(s, at->of[i]);
  return names;
}

static wisp_status make(const splitter *s, wisp_op op, size_t x, size_t y, size_t *out)
{
  return wisp_expr_add(s->err, s->expr, (wisp_node){.op = op, .of = {x, y}}, out);
}

static wisp_status make_number(const splitter *s, double value, size_t *out)
{
  return wisp_expr_add(s->err, s->expr, (wisp_node){.op = OP_REAL, .real = value}, out);
}

/* A factor's place, which is made where it is 1. */
static wisp_status fill_in(const splitter *s, size_t *place)
{
  return *place == NONE ? make_number(s, 1, place) : WISP_OK;
}

/* x op y of factors; op is a product or a quotient. */
static wisp_status join(const splitter *s, wisp_op op, size_t x, size_t y, size_t *out)
{
  if (y == NONE) return *out = x, WISP_OK;
  if (x == NONE && op == OP_MUL) return *out = y, WISP_OK;
  CALL(fill_in(s, &x));
  return make(s, op, x, y, out);
}

static bool is_zero(const splitter *s, size_t place)
{
  if (place == NONE) return false;
  const wisp_node *at = &s->expr->nodes[place];
  return (at->op == OP_REAL || at->op == OP_INTEGER) && at->real == 0;
}

/* column: where the sum stands in the text. */
static wisp_status append(const splitter *s, product term, int column, sum *to)
{
  if (is_zero(s, term.rest) || is_zero(s, term.along)) return WISP_OK;
  if (to->count == WISP_EXPR_TERMS)
    return wisp_expr_fail(s->err, s->expr, column, "more than %d products would have to be added", WISP_EXPR_TERMS);
  to->term[to->count++] = term;
  return WISP_OK;
}

static wisp_status refuse(const splitter *s, const wisp_node *at)
{
  return wisp_expr_fail(s->err, s->expr, at->column,
                        "'%s' of %s and other names together: write a sum of products, each of a function of %s and "
                        "one of the other names",
                        wisp_operators[at->op].name, s->name, s->name);
}

static wisp_status split(const splitter *s, size_t place, sum *out);

static wisp_status negate(const splitter *s, sum *terms)
{
  for (product *p = terms->term; p < terms->term + terms->count; p++) {
    CALL(fill_in(s, &p->rest));
    CALL(make(s, OP_NEGATE, p->rest, 0, &p->rest));
  }
  return WISP_OK;
}

static wisp_status add_all(const splitter *s, const sum *from, int column, sum *to)
{
  for (size_t i = 0; i < from->count; i++) CALL(append(s, from->term[i], column, to));
  return WISP_OK;
}

/* Each of x times each of y; a quotient has one product below. */
static wisp_status split_product(const splitter *s, const wisp_node *at, const sum *x, const sum *y, sum *out)
{
  if (at->op == OP_DIV && y->count != 1) return refuse(s, at);
  for (size_t i = 0; i < x->count; i++)
    for (size_t j = 0; j < y->count; j++) {
      product p;
      CALL(join(s, at->op, x->term[i].rest, y->term[j].rest, &p.rest));
      CALL(join(s, at->op, x->term[i].along, y->term[j].along, &p.along));
      CALL(append(s, p, at->column, out));
    }
  return WISP_OK;
}

/* An argument as a function of the other names plus one of the name. */
static wisp_status split_argument(const splitter *s, const wisp_node *at, size_t parts[2])
{
  sum terms = {0};
  CALL(split(s, at->of[0], &terms));
  CALL(make_number(s, 0, &parts[0]));
  CALL(make_number(s, 0, &parts[1]));
  for (size_t i = 0; i < terms.count; i++) {
    const product *p = &terms.term[i];
    const bool varies = p->along != NONE;
    size_t value = 0;
    if (varies && p->rest != NONE && names_in(s, p->rest)) return refuse(s, at);
    CALL(join(s, OP_MUL, p->rest, p->along, &value));
    CALL(make(s, OP_ADD, parts[varies], value, &parts[varies]));
  }
  return WISP_OK;
}

/* exp(a + b), sin(a + b) and cos(a + b) by their theorems of addition. */
static wisp_status split_call(const splitter *s, const wisp_node *at, sum *out)
{
  size_t parts[2], value[2][2]; /* of the first function, and of the second */
  const wisp_op first = at->op, second = at->op == OP_SIN ? OP_COS : OP_SIN;
  CALL(split_argument(s, at, parts));
  for (int i = 0; i < 2; i++) {
    CALL(make(s, first, parts[i], 0, &value[0][i]));
    CALL(make(s, second, parts[i], 0, &value[1][i]));
  }
  if (at->op == OP_EXP) return append(s, (product){value[0][0], value[0][1]}, at->column, out);
  if (at->op == OP_SIN) {
    CALL(append(s, (product){value[0][0], value[1][1]}, at->column, out));
    return append(s, (product){value[1][0], value[0][1]}, at->column, out);
  }
  CALL(append(s, (product){value[0][0], value[0][1]}, at->column, out));
  CALL(make(s, OP_NEGATE, value[1][0], 0, &value[1][0]));
  return append(s, (product){value[1][0], value[1][1]}, at->column, out);
}

/* c ? a : b is a where c holds, and b elsewhere; c is of one kind of names. */
static wisp_status split_choice(const splitter *s, const wisp_node *at, sum *out)
{
  const int names = names_in(s, at->of[0]);
  if (names == (ALONG | REST)) return refuse(s, at);
  for (int side = 0; side < 2; side++) {
    sum terms = {0};
    size_t zero = 0;
    CALL(split(s, at->of[1 + side], &terms));
    CALL(make_number(s, 0, &zero));
    for (size_t i = 0; i < terms.count; i++) {
      product p = terms.term[i];
      size_t *factor = names == ALONG ? &p.along : &p.rest;
      CALL(fill_in(s, factor));
      const wisp_node made = {.op = OP_CHOOSE, .of = {at->of[0], side ? zero : *factor, side ? *factor : zero}};
      CALL(wisp_expr_add(s->err, s->expr, made, factor));
      CALL(append(s, p, at->column, out));
    }
  }
  return WISP_OK;
}

static wisp_status split(const splitter *s, size_t place, sum *out)
{
  const wisp_node at = s->expr->nodes[place]; /* a copy: the array grows */
  const int names = names_in(s, place);
  sum x = {0}, y = {0};
  if (names != (ALONG | REST))
    return append(s, names == ALONG ? (product){NONE, place} : (product){place, NONE}, 0, out);
  if (at.op == OP_CHOOSE) return split_choice(s, &at, out);
  if (at.op == OP_EXP || at.op == OP_SIN || at.op == OP_COS) return split_call(s, &at, out);
  if (at.op != OP_NEGATE && at.op != OP_ADD && at.op != OP_SUB && at.op != OP_MUL && at.op != OP_DIV)
    return refuse(s, &at);
  CALL(split(s, at.of[0], &x));
  if (at.op != OP_NEGATE) CALL(split(s, at.of[1], &y));
  if (at.op == OP_MUL || at.op == OP_DIV) return split_product(s, &at, &x, &y, out);
  if (at.op == OP_NEGATE) CALL(negate(s, &x));
  if (at.op == OP_SUB) CALL(negate(s, &y));
  CALL(add_all(s, &x, at.column, out));
  return add_all(s, &y, at.column, out);
}

/* The tree at a place as an expression of its own. */
static wisp_status take_out(wisp_error *err, const wisp_expr *from, size_t root, wisp_expr **out)
{
  OWNED(wisp_expr_destroy) wisp_expr *made = NULL;
  size_t last = 0;
  CALL(wisp_expr_copy(err, from, &made));
  CALL(wisp_expr_add(err, made, made->nodes[root], &last)); /* the root is the last node */
  return GIVE(made, out);
}

void wisp_expr_parts_free(wisp_expr_parts *parts)
{
  for (size_t i = 0; i < parts->count; i++) {
    wisp_expr_destroy(parts->rest[i]);
    wisp_expr_destroy(parts->along[i]);
  }
  *parts = (wisp_expr_parts){0};
}

wisp_status wisp_expr_split(wisp_error *err, const wisp_expr *expr, const char *name, wisp_expr_parts *out)
{
  OWNED(wisp_expr_destroy) wisp_expr *work = NULL;
  HELD(wisp_expr_parts_free) wisp_expr_parts parts = {0};
  sum terms = {0};
  CALL(wisp_expr_copy(err, expr, &work));
  const splitter s = {err, work, name};
  CALL(split(&s, work->count - 1, &terms));
  for (size_t i = 0; i < terms.count; i++) {
    CALL(fill_in(&s, &terms.term[i].rest));
    CALL(fill_in(&s, &terms.term[i].along));
    parts.count = i + 1;
    CALL(take_out(err, work, terms.term[i].rest, &parts.rest[i]));
    CALL(take_out(err, work, terms.term[i].along, &parts.along[i]));
  }
  return GIVE(parts, out);
}
