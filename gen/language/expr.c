#include "expr_tree.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
  wisp_error *err;
  wisp_expr *expr;
  const char *at; /* in expr->text */
  char *names;    /* end of what is used of expr->names */
  int nesting;
} parser;

/* Binary operators, the longer spelling first; a higher level binds tighter. */
static const struct {
  const char *text;
  wisp_op op;
  int level;
} binaries[] = {{"||", OP_OR, 1}, {"&&", OP_AND, 2}, {"==", OP_EQ, 3}, {"!=", OP_NE, 3}, {"<=", OP_LE, 4},
                {">=", OP_GE, 4}, {"<", OP_LT, 4},   {">", OP_GT, 4},  {"+", OP_ADD, 5}, {"-", OP_SUB, 5},
                {"*", OP_MUL, 6}, {"/", OP_DIV, 6},  {"%", OP_MOD, 6}};

/* Calls; the first argument of some is the name of a table or list and not a value. */
static const struct {
  const char *name;
  wisp_op op;
  bool named;
  int operands;
} calls[] = {{"ceil", OP_CEIL, false, 2}, {"round_up", OP_ROUND_UP, false, 2}, {"min", OP_MIN, false, 2},
             {"max", OP_MAX, false, 2},   {"nonzero", OP_NONZERO, true, 1},    {"count", OP_COUNT, true, 0},
             {"sqrt", OP_SQRT, false, 1}, {"exp", OP_EXP, false, 1},           {"sin", OP_SIN, false, 1},
             {"cos", OP_COS, false, 1}};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static wisp_status parse_choice(parser *p, size_t *out);

static int column_of(const parser *p)
{
  return (int)(p->at - p->expr->text) + 1;
}

static void skip_space(parser *p)
{
  while (isspace((unsigned char)*p->at)) p->at++;
}

/* Takes a token of punctuation where it comes next. */
static bool take(parser *p, const char *token)
{
  skip_space(p);
  if (strncmp(p->at, token, strlen(token)) != 0) return false;
  p->at += strlen(token);
  return true;
}

static wisp_status expect(parser *p, const char *token)
{
  if (take(p, token)) return WISP_OK;
  if (!*p->at) return wisp_expr_fail(p->err, p->expr, column_of(p), "ends where '%s' is expected", token);
  return wisp_expr_fail(p->err, p->expr, column_of(p), "'%s' is expected, not '%.8s'", token, p->at);
}

/* Appends a node, whose operands are in place, and gives its place. */
static wisp_status add(parser *p, wisp_node made, int operands, size_t *out)
{
  wisp_expr *expr = p->expr;
  for (int i = 0; i < operands; i++)
    if (made.depth <= expr->nodes[made.of[i]].depth) made.depth = expr->nodes[made.of[i]].depth + 1;
  if (made.depth > WISP_EXPR_DEEPEST)
    return wisp_expr_fail(p->err, expr, made.column, "more than %d operators deep: split it up", WISP_EXPR_DEEPEST);
  if (expr->count == expr->capacity) {
    size_t capacity = expr->capacity ? 2 * expr->capacity : 8;
    wisp_node *nodes = realloc(expr->nodes, capacity * sizeof *nodes);
    if (!nodes) return wisp_fail(p->err, WISP_EMEMORY, "out of memory: an expression of %zu parts", capacity);
    expr->nodes = nodes;
    expr->capacity = capacity;
  }
  expr->nodes[expr->count] = made;
  *out = expr->count++;
  return WISP_OK;
}

/* A digit or a point is next. The C locale is asked for, since the host program may have set another one. */
static wisp_status parse_number(parser *p, size_t *out)
{
  wisp_node made = {.op = OP_INTEGER, .column = column_of(p)};
  char *end = NULL;
  size_t digits = strspn(p->at, "0123456789");
  errno = 0;
  made.integer = strtoll(p->at, &end, 10);
  if (!digits || errno || strchr(".eE", p->at[digits])) made.op = p->at[digits] ? OP_REAL : made.op;
  if (errno) made.op = OP_REAL;
  if (made.op == OP_REAL) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return wisp_fail(p->err, WISP_EMEMORY, "out of memory: the C locale");
    made.real = strtod_l(p->at, &end, plain);
    freelocale(plain);
  } else {
    made.real = (double)made.integer;
  }
  if (end == p->at || isalnum((unsigned char)*end) || *end == '_' || *end == '.' || !isfinite(made.real))
    return wisp_expr_fail(p->err, p->expr, made.column, "'%.24s' does not begin with a number", p->at);
  p->at = end;
  return add(p, made, 0, out);
}

/* Takes the name that comes next into made, with its hash. */
static wisp_status parse_name(parser *p, wisp_node *made)
{
  skip_space(p);
  made->column = column_of(p);
  const char *start = p->at;
  if (isalpha((unsigned char)*p->at) || *p->at == '_')
    while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
  size_t length = (size_t)(p->at - start);
  if (!length && !*start) return wisp_expr_fail(p->err, p->expr, made->column, "ends where a value is expected");
  if (!length) return wisp_expr_fail(p->err, p->expr, made->column, "a value is expected, not '%.8s'", start);
  memcpy(p->names, start, length);
  made->name = p->names;
  made->hash = wisp_hash(WISP_HASH_SEED, start, length);
  p->names += length + 1; /* the NUL is there: names came zeroed */
  return WISP_OK;
}

/* The arguments of a call, after its name and '('. */
static wisp_status parse_call(parser *p, wisp_node made, size_t *out)
{
  wisp_status status = WISP_OK;
  size_t which = 0;
  while (which < COUNT(calls) && strcmp(calls[which].name, made.name) != 0) which++;
  TRY(which < COUNT(calls) ? WISP_OK
                           : wisp_expr_fail(p->err, p->expr, made.column, "there is no call '%s'", made.name));
  made.op = calls[which].op;
  int column = made.column;
  if (calls[which].named) TRY(parse_name(p, &made));
  made.column = column;
  for (int i = 0; i < calls[which].operands; i++) {
    if (i || calls[which].named) TRY(expect(p, ","));
    TRY(parse_choice(p, &made.of[i]));
  }
  TRY(expect(p, ")"));
  TRY(add(p, made, calls[which].operands, out));
done:
  return status;
}

/* number | name | name[expr] | call(...) | (expr) */
static wisp_status parse_primary(parser *p, size_t *out)
{
  wisp_status status = WISP_OK;
  wisp_node made = {.op = OP_NAME};
  if (take(p, "(")) {
    TRY(parse_choice(p, out));
    TRY(expect(p, ")"));
  } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
    TRY(parse_number(p, out));
  } else {
    TRY(parse_name(p, &made));
    if (take(p, "(")) return parse_call(p, made, out);
    if (take(p, "[")) {
      made.op = OP_ENTRY;
      TRY(parse_choice(p, &made.of[0]));
      TRY(expect(p, "]"));
    }
    TRY(add(p, made, made.op == OP_ENTRY, out));
  }
done:
  return status;
}

/* - and ! before a value. Every way down passes here, so nesting is counted here. */
static wisp_status parse_unary(parser *p, size_t *out)
{
  wisp_status status = WISP_OK;
  wisp_node made = {.op = OP_NEGATE};
  skip_space(p);
  made.column = column_of(p);
  p->nesting++;
  TRY(p->nesting <= WISP_EXPR_DEEPEST
          ? WISP_OK
          : wisp_expr_fail(p->err, p->expr, made.column, "nested more than %d deep", WISP_EXPR_DEEPEST));
  if (take(p, "-") || take(p, "!")) {
    if (p->at[-1] == '!') made.op = OP_NOT;
    TRY(parse_unary(p, &made.of[0]));
    TRY(add(p, made, 1, out));
  } else {
    TRY(parse_primary(p, out));
  }
  p->nesting--;
done:
  return status;
}

/* Binary operators of at least a level, by precedence climbing; all associate to the left. */
static wisp_status parse_binary(parser *p, int least, size_t *out)
{
  wisp_status status = WISP_OK;
  size_t left = 0;
  TRY(parse_unary(p, &left));
  for (;;) {
    size_t which = 0;
    skip_space(p);
    while (which < COUNT(binaries) && strncmp(p->at, binaries[which].text, strlen(binaries[which].text)) != 0) which++;
    if (which == COUNT(binaries) || binaries[which].level < least) break;
    wisp_node made = {.op = binaries[which].op, .column = column_of(p), .of = {left}};
    p->at += strlen(binaries[which].text);
    TRY(parse_binary(p, binaries[which].level + 1, &made.of[1]));
    TRY(add(p, made, 2, &left));
  }
  *out = left;
done:
  return status;
}

/* condition ? value : value, the lowest level. */
static wisp_status parse_choice(parser *p, size_t *out)
{
  wisp_status status = WISP_OK;
  wisp_node made = {.op = OP_CHOOSE};
  TRY(parse_binary(p, 1, out));
  made.column = column_of(p);
  if (!take(p, "?")) return WISP_OK;
  made.of[0] = *out;
  p->nesting++;
  TRY(parse_choice(p, &made.of[1]));
  TRY(expect(p, ":"));
  TRY(parse_choice(p, &made.of[2]));
  TRY(add(p, made, 3, out));
  p->nesting--;
done:
  return status;
}

wisp_status wisp_expr_parse(wisp_error *err, const char *text, wisp_expr **out)
{
  wisp_status status = WISP_OK;
  wisp_expr *expr = NULL;
  size_t root = 0, size = strlen(text) + 2;
  TRY(wisp_new(err, 1, sizeof *expr, &expr));
  TRY(wisp_new(err, size, 1, &expr->text));
  TRY(wisp_new(err, size, 1, &expr->names)); /* names stand apart in the text, so that their NULs have room */
  memcpy(expr->text, text, size - 1);
  parser p = {.err = err, .expr = expr, .at = expr->text, .names = expr->names};
  TRY(parse_choice(&p, &root));
  skip_space(&p);
  TRY(!*p.at ? WISP_OK : wisp_expr_fail(err, expr, column_of(&p), "'%.8s' is left over", p.at));
  *out = expr;
  expr = NULL;
done:
  wisp_expr_destroy(expr);
  return status;
}

void wisp_expr_destroy(wisp_expr *expr)
{
  if (!expr) return;
  free(expr->text);
  free(expr->names);
  free(expr->nodes);
  free(expr);
}

wisp_status wisp_expr_fail(wisp_error *err, const wisp_expr *expr, int column, const char *format, ...)
{
  char say[256];
  va_list args;
  va_start(args, format);
  vsnprintf(say, sizeof say, format, args);
  va_end(args);
  return wisp_fail(err, WISP_EINPUT, "expression '%.200s', column %d: %s", expr->text, column, say);
}
