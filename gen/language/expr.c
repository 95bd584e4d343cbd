#include "expr_tree.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>

typedef struct parser {
  wisp_error *err;
  wisp_expr *expr;
  const char *at; /* in expr->text */
  char *names;    /* end of what is used of expr->names */
  int nesting;
} parser;

/* The longer of two names that begin alike comes first. */
const wisp_operator wisp_operators[OPS] = {
    [OP_INTEGER] = {"integer", 0, 0, false, false},
    [OP_REAL] = {"real", 0, 0, false, false},
    [OP_NAME] = {"name", 0, 0, false, false},
    [OP_TEXT] = {"text", 0, 0, false, false},
    [OP_ENTRY] = {"entry", 1, 0, false, false},
    [OP_NONZERO] = {"nonzero", 1, 0, true, true},
    [OP_COUNT] = {"count", 0, 0, true, true},
    [OP_NEGATE] = {"negate", 1, 0, false, false},
    [OP_NOT] = {"!", 1, 0, false, false},
    [OP_SQRT] = {"sqrt", 1, 0, true, false},
    [OP_EXP] = {"exp", 1, 0, true, false},
    [OP_SIN] = {"sin", 1, 0, true, false},
    [OP_COS] = {"cos", 1, 0, true, false},
    [OP_CHOOSE] = {"?", 3, 0, false, false},
    [OP_OR] = {"||", 2, 1, false, false},
    [OP_AND] = {"&&", 2, 2, false, false},
    [OP_EQ] = {"==", 2, 3, false, false},
    [OP_NE] = {"!=", 2, 3, false, false},
    [OP_LE] = {"<=", 2, 4, false, false},
    [OP_LT] = {"<", 2, 4, false, false},
    [OP_GE] = {">=", 2, 4, false, false},
    [OP_GT] = {">", 2, 4, false, false},
    [OP_ADD] = {"+", 2, 5, false, false},
    [OP_SUB] = {"-", 2, 5, false, false},
    [OP_MUL] = {"*", 2, 6, false, false},
    [OP_DIV] = {"/", 2, 6, false, false},
    [OP_MOD] = {"%", 2, 6, false, false},
    [OP_CEIL] = {"ceil", 2, 0, true, false},
    [OP_ROUND_UP] = {"round_up", 2, 0, true, false},
    [OP_MIN] = {"min", 2, 0, true, false},
    [OP_MAX] = {"max", 2, 0, true, false},
    [OP_POW] = {"pow", 2, 0, true, false},
};

static wisp_status parse_choice(parser *p, size_t *out);

static int column_of(const parser *p)
{
  return (int)(p->at - p->expr->text) + 1;
}

/* Takes a token of punctuation where it comes next. */
static bool take(parser *p, const char *token)
{
  p->at = wisp_skip_space(p->at);
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

wisp_status wisp_expr_add(wisp_error *err, wisp_expr *expr, wisp_node made, size_t *out)
{
  for (int i = 0; i < wisp_operators[made.op].operands; i++)
    if (made.depth <= expr->nodes[made.of[i]].depth) made.depth = expr->nodes[made.of[i]].depth + 1;
  if (made.depth > WISP_EXPR_DEEPEST)
    return wisp_expr_fail(err, expr, made.column, "more than %d operators deep: split it up", WISP_EXPR_DEEPEST);
  CALL(wisp_grow(err, &expr->nodes, &expr->capacity, expr->count + 1, sizeof made));
  expr->nodes[expr->count] = made;
  *out = expr->count++;
  return WISP_OK;
}

static wisp_status add(parser *p, wisp_node made, size_t *out)
{
  return wisp_expr_add(p->err, p->expr, made, out);
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
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return wisp_fail(p->err, WISP_EMEMORY, "out of memory: the C locale");
    made.real = strtod_l(p->at, &end, c_locale);
    freelocale(c_locale);
  } else {
    made.real = (double)made.integer;
  }
  if (end == p->at || wisp_in_name(*end) || *end == '.' || !isfinite(made.real))
    return wisp_expr_fail(p->err, p->expr, made.column, "'%.24s' does not begin with a number", p->at);
  p->at = end;
  return add(p, made, out);
}

/* Takes the name that comes next into made, with its hash. */
static wisp_status parse_name(parser *p, wisp_node *made)
{
  p->at = wisp_skip_space(p->at);
  made->column = column_of(p);
  const char *start = p->at;
  const size_t length = wisp_name_length(start);
  p->at += length;
  if (!length && !*start) return wisp_expr_fail(p->err, p->expr, made->column, "ends where a value is expected");
  if (!length) return wisp_expr_fail(p->err, p->expr, made->column, "a value is expected, not '%.8s'", start);
  memcpy(p->names, start, length);
  made->name = p->names;
  made->hash = wisp_hash(WISP_HASH_SEED, start, length);
  p->names += length + 1; /* the NUL is there: names came zeroed */
  return WISP_OK;
}

/* Takes what stands in quotes, '...' or "...", as it is. */
static wisp_status parse_text(parser *p, size_t *out)
{
  wisp_node made = {.op = OP_TEXT, .column = column_of(p), .name = p->names};
  const char *start = p->at + 1, *end = strchr(start, *p->at);
  if (!end) return wisp_expr_fail(p->err, p->expr, made.column, "the quote %c has no end", *p->at);
  memcpy(p->names, start, (size_t)(end - start));
  p->names += end - start + 1;
  p->at = end + 1;
  return add(p, made, out);
}

/* The arguments of a call, after its name and '('. */
static wisp_status parse_call(parser *p, wisp_node made, size_t *out)
{
  const int column = made.column;
  for (made.op = 0; made.op < OPS; made.op++)
    if (wisp_operators[made.op].call && strcmp(wisp_operators[made.op].name, made.name) == 0) break;
  if (made.op == OPS) return wisp_expr_fail(p->err, p->expr, column, "there is no call '%s'", made.name);
  const wisp_operator *call = &wisp_operators[made.op];
  if (call->named) CALL(parse_name(p, &made));
  made.column = column;
  for (int i = 0; i < call->operands; i++) {
    if (i || call->named) CALL(expect(p, ","));
    CALL(parse_choice(p, &made.of[i]));
  }
  CALL(expect(p, ")"));
  return add(p, made, out);
}

/* number | text | name | name[expr] | call(...) | (expr) */
static wisp_status parse_primary(parser *p, size_t *out)
{
  wisp_node made = {.op = OP_NAME};
  if (take(p, "(")) {
    CALL(parse_choice(p, out));
    CALL(expect(p, ")"));
  } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
    CALL(parse_number(p, out));
  } else if (*p->at == '"' || *p->at == '\'') {
    CALL(parse_text(p, out));
  } else {
    CALL(parse_name(p, &made));
    if (take(p, "(")) return parse_call(p, made, out);
    if (take(p, "[")) {
      made.op = OP_ENTRY;
      CALL(parse_choice(p, &made.of[0]));
      CALL(expect(p, "]"));
    }
    CALL(add(p, made, out));
  }
  return WISP_OK;
}

/* - and ! before a value. Every way down passes here, so nesting is counted here. */
static wisp_status parse_unary(parser *p, size_t *out)
{
  wisp_node made = {.op = OP_NEGATE};
  p->at = wisp_skip_space(p->at);
  made.column = column_of(p);
  p->nesting++;
  CALL(p->nesting <= WISP_EXPR_DEEPEST
           ? WISP_OK
           : wisp_expr_fail(p->err, p->expr, made.column, "nested more than %d deep", WISP_EXPR_DEEPEST));
  if (take(p, "-") || take(p, "!")) {
    if (p->at[-1] == '!') made.op = OP_NOT;
    CALL(parse_unary(p, &made.of[0]));
    CALL(add(p, made, out));
  } else {
    CALL(parse_primary(p, out));
  }
  p->nesting--;
  return WISP_OK;
}

/* The operator between two operands that comes next; OPS: none. */
static wisp_op next_binary(parser *p)
{
  wisp_op op = 0;
  p->at = wisp_skip_space(p->at);
  for (; op < OPS; op++)
    if (wisp_operators[op].level && strncmp(p->at, wisp_operators[op].name, strlen(wisp_operators[op].name)) == 0)
      break;
  return op;
}

/* Such operators of at least a level, by precedence climbing; all associate to the left. */
static wisp_status parse_binary(parser *p, int least, size_t *out)
{
  CALL(parse_unary(p, out));
  for (wisp_op op; (op = next_binary(p)) < OPS && wisp_operators[op].level >= least;) {
    wisp_node made = {.op = op, .column = column_of(p), .of = {*out}};
    p->at += strlen(wisp_operators[op].name);
    CALL(parse_binary(p, wisp_operators[op].level + 1, &made.of[1]));
    CALL(add(p, made, out));
  }
  return WISP_OK;
}

/* condition ? value : value, the lowest level. */
static wisp_status parse_choice(parser *p, size_t *out)
{
  wisp_node made = {.op = OP_CHOOSE};
  CALL(parse_binary(p, 1, out));
  made.column = column_of(p);
  if (!take(p, "?")) return WISP_OK;
  made.of[0] = *out;
  p->nesting++;
  CALL(parse_choice(p, &made.of[1]));
  CALL(expect(p, ":"));
  CALL(parse_choice(p, &made.of[2]));
  CALL(add(p, made, out));
  p->nesting--;
  return WISP_OK;
}

wisp_status wisp_expr_parse(wisp_error *err, const char *text, wisp_expr **out)
{
  OWNED(wisp_expr_destroy) wisp_expr *expr = NULL;
  size_t root = 0, size = strlen(text) + 2;
  CALL(wisp_new(err, 1, sizeof *expr, &expr));
  CALL(wisp_new(err, size, 1, &expr->text));
  CALL(wisp_new(err, size, 1, &expr->names)); /* names stand apart in the text, so that their NULs have room */
  memcpy(expr->text, text, size - 1);
  parser p = {.err = err, .expr = expr, .at = expr->text, .names = expr->names};
  CALL(parse_choice(&p, &root));
  p.at = wisp_skip_space(p.at);
  CALL(!*p.at ? WISP_OK : wisp_expr_fail(err, expr, column_of(&p), "'%.8s' is left over", p.at));
  wisp_node *fitting = realloc(expr->nodes, expr->count * sizeof *fitting); /* thousands of them are kept */
  if (fitting) expr->nodes = fitting, expr->capacity = expr->count;
  return GIVE(expr, out);
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
  char message[640];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return wisp_fail(err, WISP_EINPUT, "expression '%.200s', column %d: %s", expr->text, column, message);
}
