/* Reads space descriptions: one handler a keyword, found in a table. */
#include "space.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CANDIDATES = 1 << 16 }; /* all are gone through whenever one is looked for */

/* --- small readers: each takes a cursor and moves it on --- */

static void skip_blanks(char **at)
{
  while (isspace((unsigned char)**at)) (*at)++;
}

/* The next word, NUL-terminated in place; empty at the end of the line. */
static char *word(char **at)
{
  skip_blanks(at);
  char *start = *at;
  while (**at && !isspace((unsigned char)**at)) (*at)++;
  if (**at) *(*at)++ = '\0';
  return start;
}

/* The rest of the line without blanks around it. */
static char *rest(char **at)
{
  skip_blanks(at);
  char *start = *at, *end = start + strlen(start);
  while (end > start && isspace((unsigned char)end[-1])) *--end = '\0';
  *at = end;
  return start;
}

static wisp_status copy_name(wisp_error *err, const char *from, char *to, size_t room)
{
  if (!*from || strlen(from) >= room)
    return wisp_fail(err, WISP_EINPUT, "'%s' is no name of 1 to %zu characters", from, room - 1);
  memcpy(to, from, strlen(from) + 1);
  return WISP_OK;
}

static wisp_status copy_text(wisp_error *err, const char *from, char **to)
{
  free(*to);
  *to = strdup(from);
  return *to ? WISP_OK : wisp_fail(err, WISP_EMEMORY, "out of memory");
}

/* Splits "left SEPARATOR right" in place; blanks around both go. */
static wisp_status split(wisp_error *err, char *line, const char *separator, char **left, char **right)
{
  char *at = strstr(line, separator);
  if (!at) return wisp_fail(err, WISP_EINPUT, "'%s' lacks '%s'", line, separator);
  *at = '\0';
  *right = at + strlen(separator);
  *left = rest(&line);
  *right = rest(right);
  return WISP_OK;
}

/* Refuses what stands there a second time: one of the two would be silently lost. */
static wisp_status check_first(wisp_error *err, bool first, const char *kind, const char *name)
{
  return wisp_require(err, first, WISP_EINPUT, "%s%s%s is given twice", kind, *name ? " " : "", name);
}

/* Is `name` none of the names at every stride bytes from first? */
static bool is_new(const char *name, const void *first, size_t stride, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp((const char *)first + i * stride, name) == 0) return false;
  return true;
}

static bool read_number(const char *text, int *out)
{
  char *end = NULL;
  long number = strtol(text, &end, 10);
  *out = (int)number;
  return end > text && !*end && number == *out;
}

/* --- one handler a keyword --- */

typedef wisp_status handler(wisp_error *err, wisp_strategy *s, char *line);

static wisp_status read_kernel(wisp_error *err, wisp_strategy *s, char *line)
{
  return copy_name(err, word(&line), s->kernel, sizeof s->kernel);
}

static wisp_status read_title(wisp_error *err, wisp_strategy *s, char *line)
{
  return copy_text(err, rest(&line), &s->title);
}

static wisp_status read_lane(wisp_error *err, wisp_strategy *s, char *line)
{
  return copy_text(err, rest(&line), &s->lane);
}

static wisp_status read_varies(wisp_error *err, wisp_strategy *s, char *line)
{
  s->varies = true;
  return *rest(&line) ? WISP_OK : wisp_fail(err, WISP_EINPUT, "varies gives no reason");
}

/* Read before parsing, by gen/strategies.c: which kernel text to take. */
static wisp_status read_text(wisp_error *err, wisp_strategy *s, char *line)
{
  (void)s;
  return *word(&line) ? WISP_OK : wisp_fail(err, WISP_EINPUT, "text names no kernel text");
}

static wisp_status read_layouts(wisp_error *err, wisp_strategy *s, char *line)
{
  for (char *name = word(&line); *name; name = word(&line)) {
    if (strcmp(name, "node") == 0)
      s->node = true;
    else if (strcmp(name, "slab") == 0)
      s->slab = true;
    else
      return wisp_fail(err, WISP_EINPUT, "layout '%s' is neither node nor slab", name);
  }
  return WISP_OK;
}

static wisp_status read_condition(wisp_error *err, char *line, wisp_condition *list, size_t *count)
{
  wisp_status status = WISP_OK;
  char *expr = NULL, *reason = NULL;
  TRY(wisp_require(err, *count < WISP_MAX_LINES, WISP_EINPUT, "more than %d conditions", WISP_MAX_LINES));
  TRY(split(err, line, " : ", &expr, &reason));
  TRY(wisp_expr_parse(err, expr, &list[*count].expr));
  TRY(copy_text(err, reason, &list[*count].reason));
  (*count)++;
done:
  return status;
}

static wisp_status read_needs(wisp_error *err, wisp_strategy *s, char *line)
{
  return read_condition(err, line, s->need, &s->needs);
}

static wisp_status read_require(wisp_error *err, wisp_strategy *s, char *line)
{
  return read_condition(err, line, s->condition, &s->conditions);
}

static wisp_status read_param(wisp_error *err, wisp_strategy *s, char *line)
{
  wisp_status status = WISP_OK;
  TRY(wisp_require(err, s->params < WISP_MAX_PARAMS, WISP_EINPUT, "more than %d parameters", WISP_MAX_PARAMS));
  wisp_param *p = &s->param[s->params];
  TRY(copy_name(err, word(&line), p->name, sizeof p->name));
  TRY(check_first(err, is_new(p->name, s->param[0].name, sizeof *p, (size_t)s->params), "parameter", p->name));
  for (char *value = word(&line); *value; value = word(&line)) {
    TRY(wisp_require(err, p->count < WISP_MAX_VALUES && read_number(value, &p->values[p->count]), WISP_EINPUT,
                     "parameter %s: bad or too many values at '%s'", p->name, value));
    p->count++;
  }
  TRY(wisp_require(err, p->count > 0, WISP_EINPUT, "parameter %s has no values", p->name));
  p->preferred = p->values[0];
  s->params++;
done:
  return status;
}

static wisp_status read_default(wisp_error *err, wisp_strategy *s, char *line)
{
  for (char *item = word(&line); *item; item = word(&line)) {
    char *equals = strchr(item, '=');
    bool found = false;
    for (int i = 0; equals && i < s->params; i++) {
      size_t length = (size_t)(equals - item);
      if (strlen(s->param[i].name) != length || strncmp(s->param[i].name, item, length) != 0) continue;
      found = read_number(equals + 1, &s->param[i].preferred);
    }
    if (!found) return wisp_fail(err, WISP_EINPUT, "default '%s' names no parameter above it", item);
  }
  return WISP_OK;
}

static wisp_status read_let(wisp_error *err, wisp_strategy *s, char *line)
{
  wisp_status status = WISP_OK;
  char *name = NULL, *expr = NULL;
  TRY(wisp_require(err, s->lets < WISP_MAX_LINES, WISP_EINPUT, "more than %d lets", WISP_MAX_LINES));
  wisp_let *let = &s->let[s->lets];
  TRY(split(err, line, "=", &name, &expr));
  TRY(copy_name(err, name, let->name, sizeof let->name));
  TRY(check_first(err, is_new(let->name, s->let[0].name, sizeof *let, s->lets), "let", let->name));
  TRY(wisp_expr_parse(err, expr, &let->expr));
  let->after = s->conditions;
  s->lets++;
done:
  return status;
}

/* Up to `room` expressions, separated by blanks (none inside an expression). */
static wisp_status read_extents(wisp_error *err, char *line, wisp_expr **out, int room)
{
  wisp_status status = WISP_OK;
  int count = 0;
  for (char *expr = word(&line); *expr; expr = word(&line)) {
    TRY(wisp_require(err, count < room, WISP_EINPUT, "more than %d extents (write expressions without blanks)", room));
    TRY(wisp_expr_parse(err, expr, &out[count++]));
  }
  TRY(wisp_require(err, count > 0, WISP_EINPUT, "no extent given"));
done:
  return status;
}

static wisp_status read_block(wisp_error *err, wisp_strategy *s, char *line)
{
  return read_extents(err, line, s->block, 3);
}

static wisp_status read_grid(wisp_error *err, wisp_strategy *s, char *line)
{
  return read_extents(err, line, s->grid, 2);
}

static wisp_status read_type(wisp_error *err, const char *type, wisp_arg *arg)
{
  static const char *const words[] = {[WISP_REAL] = "real", [WISP_INT] = "int", [WISP_SINGLE] = "single"};
  const bool array = arg->kind != WISP_ARG_VALUE && arg->kind != WISP_ARG_OPERAND;
  for (wisp_number_type n = WISP_REAL; n <= (array ? WISP_SINGLE : WISP_INT); n++)
    if (strcmp(type, words[n]) == 0) {
      arg->type = n;
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EINPUT, "type '%s' is neither int nor real%s", type, array ? " nor single" : "");
}

static wisp_status read_shared(wisp_error *err, wisp_strategy *s, char *line)
{
  wisp_status status = WISP_OK;
  TRY(wisp_require(err, s->shareds < WISP_MAX_SHARED, WISP_EINPUT, "more than %d shared arrays", WISP_MAX_SHARED));
  wisp_shared *shared = &s->shared[s->shareds];
  TRY(copy_name(err, word(&line), shared->type, sizeof shared->type));
  TRY(wisp_require(
      err, strcmp(shared->type, "real") == 0 || strcmp(shared->type, "int") == 0 || strcmp(shared->type, "byte") == 0,
      WISP_EINPUT, "type '%s' is none of real, int, byte", shared->type));
  TRY(copy_name(err, word(&line), shared->name, sizeof shared->name));
  TRY(check_first(err, is_new(shared->name, s->shared[0].name, sizeof *shared, (size_t)s->shareds), "shared array",
                  shared->name));
  TRY(wisp_expr_parse(err, rest(&line), &shared->count));
  s->shareds++;
done:
  return status;
}

static wisp_status add_arg(wisp_error *err, wisp_strategy *s, wisp_arg_kind kind, char **line)
{
  wisp_status status = WISP_OK;
  TRY(wisp_require(err, s->args < WISP_MAX_ARGS, WISP_EINPUT, "more than %d arguments", WISP_MAX_ARGS));
  wisp_arg *arg = &s->arg[s->args];
  arg->kind = kind;
  TRY(read_type(err, word(line), arg));
  TRY(copy_name(err, word(line), arg->name, sizeof arg->name));
  TRY(check_first(err, is_new(arg->name, s->arg[0].name, sizeof *arg, (size_t)s->args), "argument", arg->name));
  s->args++;
done:
  return status;
}

static wisp_status read_arg(wisp_error *err, wisp_strategy *s, char *line)
{
  static const struct {
    const char *word;
    wisp_arg_kind kind;
  } kinds[] = {{"in", WISP_ARG_IN}, {"out", WISP_ARG_OUT}, {"inout", WISP_ARG_INOUT}, {"value", WISP_ARG_VALUE}};
  const char *kind = word(&line);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kind, kinds[i].word) == 0) return add_arg(err, s, kinds[i].kind, &line);
  return wisp_fail(err, WISP_EINPUT, "argument kind '%s' is none of in, out, inout, value", kind);
}

/* TYPE NAME COUNT = TABLE[ENTRY] [part PART] */
static wisp_status read_operand(wisp_error *err, wisp_strategy *s, char *line)
{
  wisp_status status = WISP_OK;
  char *count = NULL, *source = NULL, *bracket = NULL, *end = NULL;
  TRY(add_arg(err, s, WISP_ARG_OPERAND, &line));
  wisp_operand *operand = &s->operand[s->args - 1];
  TRY(split(err, line, " = ", &count, &source));
  TRY(wisp_expr_parse(err, count, &operand->count));
  bracket = strchr(source, '[');
  end = strrchr(source, ']');
  TRY(wisp_require(err, bracket && end && bracket < end, WISP_EINPUT, "operand: '%s' is not TABLE[EXPR]", source));
  *bracket = *end = '\0';
  TRY(copy_name(err, source, operand->table, sizeof operand->table));
  TRY(wisp_expr_parse(err, bracket + 1, &operand->entry));
  source = end + 1;
  if (strcmp(word(&source), "part") == 0) TRY(wisp_expr_parse(err, rest(&source), &operand->part));
done:
  return status;
}

static const struct {
  const char *word;
  handler *read;
  bool once; /* at most one line of a description */
} keywords[] = {
    {"kernel", read_kernel, true},    {"title", read_title, true},      {"layouts", read_layouts, true},
    {"needs", read_needs, false},     {"param", read_param, false},     {"let", read_let, false},
    {"require", read_require, false}, {"block", read_block, true},      {"lane", read_lane, true},
    {"grid", read_grid, true},        {"shared", read_shared, false},   {"arg", read_arg, false},
    {"varies", read_varies, true},    {"operand", read_operand, false}, {"text", read_text, true},
    {"default", read_default, false},
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

/* seen: which keywords there were before. */
static wisp_status read_line(wisp_error *err, wisp_strategy *s, char *line, bool seen[KEYWORDS])
{
  char *comment = strchr(line, '#');
  while (comment && comment > line && !isspace((unsigned char)comment[-1])) /* {{#if}} is none */
    comment = strchr(comment + 1, '#');
  if (comment) *comment = '\0';
  const char *keyword = word(&line);
  if (!*keyword) return WISP_OK;
  for (size_t i = 0; i < KEYWORDS; i++) {
    if (strcmp(keyword, keywords[i].word) != 0) continue;
    wisp_status status = check_first(err, !keywords[i].once || !seen[i], keyword, "");
    seen[i] = true;
    return status == WISP_OK ? keywords[i].read(err, s, line) : status;
  }
  return wisp_fail(err, WISP_EINPUT, "'%s' is no keyword of a space description", keyword);
}

static wisp_status check_complete(wisp_error *err, const wisp_strategy *s)
{
  if (!*s->kernel) return wisp_fail(err, WISP_EINPUT, "no kernel named");
  if (!s->node && !s->slab) return wisp_fail(err, WISP_EINPUT, "no layouts named");
  if (!s->block[0] || !s->grid[0]) return wisp_fail(err, WISP_EINPUT, "block and grid must be given");
  long long candidates = 1;
  for (int i = 0; i < s->params; i++) {
    bool listed = false;
    candidates *= s->param[i].count;
    if (candidates > MOST_CANDIDATES)
      return wisp_fail(err, WISP_EINPUT, "more than %d candidates: fewer parameters, or fewer values of each",
                       MOST_CANDIDATES);
    for (int v = 0; v < s->param[i].count; v++) listed |= s->param[i].values[v] == s->param[i].preferred;
    if (!listed) return wisp_fail(err, WISP_EINPUT, "default of %s is none of its values", s->param[i].name);
  }
  return WISP_OK;
}

wisp_status wisp_strategy_parse(wisp_error *err, const char *family, const char *name, wisp_file_text space,
                                wisp_file_text text, wisp_strategy **out)
{
  wisp_status status = WISP_OK;
  wisp_strategy *s = NULL;
  char *copy = NULL;
  int number = 0;
  bool seen[KEYWORDS] = {false};
  TRY(wisp_new(err, 1, sizeof *s, &s));
  TRY(copy_name(err, family, s->family, sizeof s->family));
  TRY(copy_name(err, name, s->name, sizeof s->name));
  TRY(copy_text(err, text.text, &s->text));
  TRY(copy_text(err, space.path, &s->space_path));
  TRY(copy_text(err, text.path, &s->text_path));
  TRY(copy_text(err, "threadIdx.x", &s->lane));
  TRY(copy_text(err, name, &s->title));
  TRY(copy_text(err, space.text, &copy));
  for (char *line = copy, *next = NULL; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    number++;
    TRY(read_line(err, s, line, seen));
  }
  TRY(check_complete(err, s));
  *out = s;
  s = NULL;
done:
  if (status != WISP_OK) wisp_context(err, status, "%s:%d: ", space.path, number);
  free(copy);
  wisp_strategy_destroy(s);
  return status;
}

void wisp_strategy_destroy(wisp_strategy *s)
{
  if (!s) return;
  free(s->title), free(s->text), free(s->space_path), free(s->text_path), free(s->lane);
  for (size_t i = 0; i < s->needs; i++) wisp_expr_destroy(s->need[i].expr), free(s->need[i].reason);
  for (size_t i = 0; i < s->conditions; i++) wisp_expr_destroy(s->condition[i].expr), free(s->condition[i].reason);
  for (size_t i = 0; i < s->lets; i++) wisp_expr_destroy(s->let[i].expr);
  for (int i = 0; i < 3; i++) wisp_expr_destroy(s->block[i]);
  for (int i = 0; i < 2; i++) wisp_expr_destroy(s->grid[i]);
  for (int i = 0; i < s->shareds; i++) wisp_expr_destroy(s->shared[i].count);
  for (int i = 0; i < s->args; i++) {
    wisp_expr_destroy(s->operand[i].count);
    wisp_expr_destroy(s->operand[i].entry);
    wisp_expr_destroy(s->operand[i].part);
  }
  free(s);
}
