/* Handlers of the keywords of a space description, found in a table. */
#include "space_read.h"

enum { MOST_CANDIDATES = 1 << 16 }; /* all are gone through whenever one is looked for */

wisp_status wisp_check_first(wisp_error *err, bool first, const char *kind, const char *name)
{
  return wisp_require(err, first, WISP_EINPUT, "%s%s%s is given twice", kind, *name ? " " : "", name);
}

wisp_status wisp_clause_parse(wisp_error *err, const wisp_reader *r, const char *text, wisp_clause *out)
{
  wisp_status status = wisp_expr_parse(err, text, &out->expr);
  out->file = r->file;
  out->line = r->line;
  return status;
}

wisp_status wisp_copy_name(wisp_error *err, const char *from, char *to, size_t capacity)
{
  if (!*from || strlen(from) >= capacity)
    return wisp_fail(err, WISP_EINPUT, "'%s' is no name of 1 to %zu characters", from, capacity - 1);
  memcpy(to, from, strlen(from) + 1);
  return WISP_OK;
}

/* Splits "left SEPARATOR right" in place; blanks around both go. */
static wisp_status split(wisp_error *err, char *line, const char *separator, char **left, char **right)
{
  char *at = strstr(line, separator);
  if (!at) return wisp_fail(err, WISP_EINPUT, "'%s' lacks '%s'", line, separator);
  *at = '\0';
  *right = at + strlen(separator);
  *left = wisp_rest(&line);
  *right = wisp_rest(right);
  return WISP_OK;
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

/* --- the kernel and its texts --- */

/* NAME ...: the description is read for one of them, which the reader may have been told. */
static wisp_status read_kernels(wisp_error *err, wisp_reader *r, char *line)
{
  wisp_strategy *s = r->s;
  char name[sizeof s->kernel];
  char *first = wisp_next_word(&line);
  CALL(wisp_copy_name(err, first, name, sizeof name));
  CALL(wisp_require(err, !r->keyword->most || !*wisp_skip_space(line), WISP_EINPUT,
                    "'%s' after the kernel's name: several are `kernels A B`", wisp_rest(&line)));
  for (char *other = wisp_next_word(&line); *other; other = wisp_next_word(&line))
    CALL(wisp_copy_name(err, other, name, sizeof name));
  if (!*s->kernel) CALL(wisp_copy_name(err, first, s->kernel, sizeof s->kernel));
  s->facts = wisp_family_facts(s->family, s->kernel);
  return WISP_OK;
}

/* The member of the strategy that the keyword sets. */
static void *member_of(wisp_reader *r)
{
  return (char *)r->s + r->keyword->member;
}

static wisp_status read_words(wisp_error *err, wisp_reader *r, char *line)
{
  char **to = member_of(r);
  free(*to);
  return wisp_copy_text(err, wisp_rest(&line), to);
}

static wisp_status read_flag(wisp_error *err, wisp_reader *r, char *line)
{
  *(bool *)member_of(r) = true;
  return wisp_require(err, *wisp_rest(&line), WISP_EINPUT, "%s gives no reason", r->keyword->word);
}

static wisp_status read_requires_absent(wisp_error *err, wisp_reader *r, char *line)
{
  CALL(wisp_copy_name(err, wisp_next_word(&line), r->s->requires_absent.name, sizeof r->s->requires_absent.name));
  const bool good = read_number(wisp_next_word(&line), &r->s->requires_absent.value) && !*wisp_rest(&line);
  return wisp_require(err, good, WISP_EINPUT, "requires_absent: must be NAME and a whole number");
}

static wisp_status read_text(wisp_error *err, wisp_reader *r, char *line)
{
  const char *name = wisp_next_word(&line);
  return *name ? wisp_copy_name(err, name, r->text, sizeof r->text)
               : wisp_fail(err, WISP_EINPUT, "text names no kernel text");
}

static wisp_status read_layouts(wisp_error *err, wisp_reader *r, char *line)
{
  for (char *name = wisp_next_word(&line); *name; name = wisp_next_word(&line)) {
    if (strcmp(name, "node") == 0)
      r->s->node = true;
    else if (strcmp(name, "slab") == 0)
      r->s->slab = true;
    else
      return wisp_fail(err, WISP_EINPUT, "layout '%s' is neither node nor slab", name);
  }
  return WISP_OK;
}

/* --- conditions, parameters, derived numbers --- */

static wisp_status add_condition(wisp_error *err, const wisp_reader *r, const char *expr, const char *reason,
                                 wisp_condition *list, size_t *count)
{
  CALL(wisp_require(err, *count < WISP_MAX_LINES, WISP_EINPUT, "more than %d conditions", WISP_MAX_LINES));
  wisp_condition *condition = &list[(*count)++];
  CALL(wisp_clause_parse(err, r, expr, &condition->holds));
  return wisp_copy_text(err, reason, &condition->reason);
}

/* EXPR : REASON */
static wisp_status read_condition(wisp_error *err, wisp_reader *r, char *line)
{
  char *expr = NULL, *reason = NULL;
  size_t none = 0;
  void *count = r->keyword->count ? (char *)r->s + r->keyword->count : (void *)&none;
  CALL(split(err, line, " : ", &expr, &reason));
  return add_condition(err, r, expr, reason, member_of(r), count);
}

/* LOW..HIGH [: REASON] */
static wisp_status read_orders(wisp_error *err, wisp_reader *r, char *line)
{
  int low = 0, high = 0, end = 0;
  char expr[64], reason[64];
  char *range = line, *why = reason;
  if (strstr(line, " : ")) CALL(split(err, line, " : ", &range, &why));
  range = wisp_rest(&range);
  CALL(wisp_require(err, sscanf(range, "%9d..%9d%n", &low, &high, &end) == 2 && !range[end] && low <= high, WISP_EINPUT,
                    "orders '%s' are not LOW..HIGH", range));
  snprintf(expr, sizeof expr, "N >= %d && N <= %d", low, high);
  snprintf(reason, sizeof reason, "meant for orders %d to %d", low, high);
  return add_condition(err, r, expr, why, r->s->need, &r->s->needs);
}

/* "requires V" or "prefers V" behind a parameter's values. *word: the next one, empty where there is none. */
static wisp_status read_mesh_constraint(wisp_error *err, wisp_reader *r, char **line, char **word, wisp_param *p)
{
  const char *keyword = NULL;
  CALL(wisp_keyword_now(err, r, *word, &keyword));
  if (strcmp(keyword, "requires") == 0)
    p->mesh_constraint = WISP_MESH_REQUIRED;
  else if (strcmp(keyword, "prefers") == 0)
    p->mesh_constraint = WISP_MESH_PREFERRED;
  else
    return WISP_OK;
  CALL(wisp_require(err, read_number(wisp_next_word(line), &p->otherwise), WISP_EINPUT,
                    "parameter %s: '%s' is followed by its value where no kernel has it", p->name, *word));
  *word = wisp_next_word(line);
  return WISP_OK;
}

static wisp_status read_param(wisp_error *err, wisp_reader *r, char *line)
{
  wisp_strategy *s = r->s;
  CALL(wisp_require(err, s->params < WISP_MAX_PARAMS, WISP_EINPUT, "more than %d parameters", WISP_MAX_PARAMS));
  wisp_param *p = &s->param[s->params];
  CALL(wisp_copy_name(err, wisp_next_word(&line), p->name, sizeof p->name));
  CALL(wisp_check_first(err, is_new(p->name, s->param[0].name, sizeof *p, (size_t)s->params), "parameter", p->name));
  for (char *value = wisp_next_word(&line); *value; value = wisp_next_word(&line)) {
    CALL(read_mesh_constraint(err, r, &line, &value, p));
    if (!*value) break;
    CALL(wisp_require(err,
                      !p->mesh_constraint && p->count < WISP_MAX_VALUES && read_number(value, &p->values[p->count]),
                      WISP_EINPUT, "parameter %s: bad or too many values at '%s'", p->name, value));
    p->count++;
  }
  CALL(wisp_require(err, p->count > 0, WISP_EINPUT, "parameter %s has no values", p->name));
  p->preferred = p->values[0];
  s->params++;
  return WISP_OK;
}

/* NAME EXPR : REASON */
static wisp_status read_fixed(wisp_error *err, wisp_reader *r, char *line)
{
  wisp_strategy *s = r->s;
  char *value = NULL, *reason = NULL;
  CALL(split(err, line, " : ", &value, &reason));
  CALL(wisp_require(err, s->constants < WISP_MAX_CONSTANTS, WISP_EINPUT, "more than %d fixed parameters",
                    WISP_MAX_CONSTANTS));
  wisp_constant *fixed = &s->constant[s->constants];
  CALL(wisp_copy_name(err, wisp_next_word(&value), fixed->name, sizeof fixed->name));
  CALL(wisp_check_first(err, is_new(fixed->name, s->constant[0].name, sizeof *fixed, s->constants), "fixed",
                        fixed->name));
  s->constants++;
  CALL(wisp_copy_text(err, wisp_rest(&value), &fixed->text));
  CALL(wisp_copy_text(err, reason, &fixed->reason));
  CALL(wisp_require(err, *fixed->text && *reason, WISP_EINPUT, "fixed must be NAME EXPR : REASON"));
  return wisp_clause_parse(err, r, fixed->text, &fixed->value);
}

static wisp_status read_default(wisp_error *err, wisp_reader *r, char *line)
{
  wisp_strategy *s = r->s;
  bool given[WISP_MAX_PARAMS] = {false};
  for (char *item = wisp_next_word(&line); *item; item = wisp_next_word(&line)) {
    const char *equals = strchr(item, '=');
    const int i = equals ? wisp_strategy_param(s, item, (size_t)(equals - item)) : s->params;
    CALL(wisp_require(err, i < s->params && read_number(equals + 1, &s->param[i].preferred), WISP_EINPUT,
                      "default '%s' names no parameter above it", item));
    CALL(wisp_check_first(err, !given[i], "default of", s->param[i].name));
    given[i] = true;
  }
  return WISP_OK;
}

/* NAME = EXPR */
static wisp_status read_equation(wisp_error *err, const wisp_reader *r, char *line, wisp_let *let)
{
  char *name = NULL, *expr = NULL;
  CALL(split(err, line, "=", &name, &expr));
  CALL(wisp_copy_name(err, name, let->name, sizeof let->name));
  return wisp_clause_parse(err, r, expr, &let->value);
}

static wisp_status read_let(wisp_error *err, wisp_reader *r, char *line)
{
  wisp_strategy *s = r->s;
  CALL(wisp_require(err, s->lets < WISP_MAX_LINES, WISP_EINPUT, "more than %d lets", WISP_MAX_LINES));
  wisp_let *let = &s->let[s->lets++];
  CALL(read_equation(err, r, line, let));
  CALL(wisp_check_first(err, is_new(let->name, s->let[0].name, sizeof *let, s->lets - 1), "let", let->name));
  let->after = s->conditions;
  return WISP_OK;
}

/* --- launches and arguments --- */

/* Up to the keyword's `most` expressions, separated by blanks (none inside an expression). */
static wisp_status read_extents(wisp_error *err, wisp_reader *r, char *line)
{
  const int most = r->keyword->most;
  wisp_clause *out = member_of(r);
  int count = 0;
  for (char *expr = wisp_next_word(&line); *expr; expr = wisp_next_word(&line)) {
    CALL(wisp_require(err, count < most, WISP_EINPUT, "more than %d extents (write expressions without blanks)", most));
    CALL(wisp_clause_parse(err, r, expr, &out[count++]));
  }
  return wisp_require(err, count > 0, WISP_EINPUT, "no extent given");
}

static wisp_status read_type(wisp_error *err, const char *type, wisp_arg *arg)
{
  const bool array = arg->kind != WISP_ARG_VALUE && arg->kind != WISP_ARG_OPERAND;
  for (int n = WISP_REAL; n < (array ? WISP_NUMBER_TYPES : WISP_SINGLE); n++)
    if (strcmp(type, wisp_numbers[n].word) == 0) {
      arg->type = (wisp_number_type)n;
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EINPUT, "type '%s' is neither int nor real%s", type,
                   array ? ", nor single, uint8, uint16" : "");
}

static wisp_status read_shared(wisp_error *err, wisp_reader *r, char *line)
{
  wisp_strategy *s = r->s;
  CALL(wisp_require(err, s->shareds < WISP_MAX_SHARED, WISP_EINPUT, "more than %d shared arrays", WISP_MAX_SHARED));
  wisp_shared *shared = &s->shared[s->shareds];
  CALL(wisp_copy_name(err, wisp_next_word(&line), shared->type, sizeof shared->type));
  CALL(wisp_require(
      err, strcmp(shared->type, "real") == 0 || strcmp(shared->type, "int") == 0 || strcmp(shared->type, "byte") == 0,
      WISP_EINPUT, "type '%s' is none of real, int, byte", shared->type));
  CALL(wisp_copy_name(err, wisp_next_word(&line), shared->name, sizeof shared->name));
  CALL(wisp_check_first(err, is_new(shared->name, s->shared[0].name, sizeof *shared, (size_t)s->shareds),
                        "shared array", shared->name));
  CALL(wisp_clause_parse(err, r, wisp_rest(&line), &shared->count));
  s->shareds++;
  return WISP_OK;
}

static wisp_status add_arg(wisp_error *err, wisp_strategy *s, wisp_arg_kind kind, char **line)
{
  CALL(wisp_require(err, s->args < WISP_MAX_ARGS, WISP_EINPUT, "more than %d arguments", WISP_MAX_ARGS));
  wisp_arg *arg = &s->arg[s->args];
  arg->kind = kind;
  CALL(read_type(err, wisp_next_word(line), arg));
  CALL(wisp_copy_name(err, wisp_next_word(line), arg->name, sizeof arg->name));
  CALL(wisp_check_first(err, is_new(arg->name, s->arg[0].name, sizeof *arg, (size_t)s->args), "argument", arg->name));
  s->args++;
  return WISP_OK;
}

/* An array is what the kernel's declaration says that it reads or writes; a kernel that nobody declared has no say. */
static wisp_status check_array(wisp_error *err, const wisp_strategy *s, const wisp_arg *arg)
{
  const wisp_family *family = wisp_family_find(s->family);
  const wisp_kernel_decl *kernel = family ? wisp_family_kernel(family, s->kernel) : NULL;
  if (!kernel || arg->kind == WISP_ARG_VALUE || (kernel->alias && strcmp(kernel->alias, arg->name) == 0))
    return WISP_OK;
  const wisp_array_decl *array = wisp_family_array(family, arg->name);
  const bool reads = wisp_list_has(kernel->reads, arg->name), writes = wisp_list_has(kernel->writes, arg->name);
  if (!array || (arg->kind != WISP_ARG_OUT && !reads) || (arg->kind != WISP_ARG_IN && !writes))
    return wisp_fail(err, WISP_EINPUT, "array %s: kernel %s reads %s; it writes %s", arg->name, kernel->name,
                     kernel->reads, kernel->writes);
  return wisp_require(err, array->type == arg->type, WISP_EINPUT, "array %s is %s", arg->name,
                      wisp_numbers[array->type].word);
}

const char *const wisp_arg_kinds[] = {[WISP_ARG_IN] = "in",
                                      [WISP_ARG_OUT] = "out",
                                      [WISP_ARG_INOUT] = "inout",
                                      [WISP_ARG_VALUE] = "value",
                                      [WISP_ARG_OPERAND] = "operand"};

static wisp_status read_arg(wisp_error *err, wisp_reader *r, char *line)
{
  const char *word = wisp_next_word(&line);
  wisp_arg_kind kind = WISP_ARG_IN;
  while (kind < WISP_ARG_OPERAND && strcmp(word, wisp_arg_kinds[kind]) != 0) kind++;
  CALL(wisp_require(err, kind < WISP_ARG_OPERAND, WISP_EINPUT, "argument kind '%s' is none of in, out, inout, value",
                    word));
  CALL(add_arg(err, r->s, kind, &line));
  return check_array(err, r->s, &r->s->arg[r->s->args - 1]);
}

/* TYPE NAME COUNT = TABLE[ENTRY] [part PART] */
static wisp_status read_operand(wisp_error *err, wisp_reader *r, char *line)
{
  char *count = NULL, *source = NULL, *bracket = NULL, *end = NULL;
  CALL(add_arg(err, r->s, WISP_ARG_OPERAND, &line));
  wisp_operand *operand = &r->s->operand[r->s->args - 1];
  CALL(split(err, line, " = ", &count, &source));
  CALL(wisp_clause_parse(err, r, count, &operand->count));
  bracket = strchr(source, '[');
  end = strrchr(source, ']');
  CALL(wisp_require(err, bracket && end && bracket < end, WISP_EINPUT, "operand: '%s' is not TABLE[EXPR]", source));
  *bracket = *end = '\0';
  CALL(wisp_copy_name(err, source, operand->table, sizeof operand->table));
  CALL(wisp_clause_parse(err, r, bracket + 1, &operand->entry));
  source = end + 1;
  if (strcmp(wisp_next_word(&source), "part") == 0) CALL(wisp_clause_parse(err, r, wisp_rest(&source), &operand->part));
  return WISP_OK;
}

/* A name for the operand above: NAME = EXPR in q and the names of the lines between. */
static wisp_status read_where(wisp_error *err, wisp_reader *r, char *line)
{
  const int last = r->s->args - 1;
  CALL(wisp_require(err, last >= 0 && r->s->arg[last].kind == WISP_ARG_OPERAND, WISP_EINPUT,
                    "where: there is no operand in the lines above it"));
  wisp_operand *operand = &r->s->operand[last];
  CALL(wisp_require(err, operand->wheres < WISP_MAX_WHERES, WISP_EINPUT, "more than %d wheres", WISP_MAX_WHERES));
  if (!operand->where) CALL(wisp_new(err, WISP_MAX_WHERES, sizeof *operand->where, &operand->where));
  wisp_let *where = &operand->where[operand->wheres++];
  CALL(read_equation(err, r, line, where));
  return wisp_check_first(err,
                          strcmp(where->name, "q") != 0 &&
                              is_new(where->name, operand->where[0].name, sizeof *where, (size_t)operand->wheres - 1),
                          "where", where->name);
}

const char *const wisp_unit_names[WISP_UNITS] = {[WISP_UNIT_FMA] = "fma",
                                                 [WISP_UNIT_TENSOR_FP64] = "tensor-fp64",
                                                 [WISP_UNIT_TENSOR_TF32] = "tensor-tf32",
                                                 [WISP_UNIT_TENSOR_FP16] = "tensor-fp16"};

/* UNIT EXPR */
static wisp_status read_work(wisp_error *err, wisp_reader *r, char *line)
{
  wisp_strategy *s = r->s;
  const char *unit = wisp_next_word(&line);
  int u = 0;
  while (u < WISP_UNITS && strcmp(unit, wisp_unit_names[u]) != 0) u++;
  CALL(wisp_require(err, u < WISP_UNITS, WISP_EINPUT,
                    "work: '%s' is none of fma, tensor-fp64, tensor-tf32, tensor-fp16", unit));
  CALL(wisp_check_first(err, !s->work[u].expr, "work by", wisp_unit_names[u]));
  return wisp_clause_parse(err, r, wisp_rest(&line), &s->work[u]);
}

#define MEMBER(name) offsetof(wisp_strategy, name)
const wisp_keyword wisp_keywords[] = {
    {"kernel", read_kernels, .once = true, .most = 1},
    {"kernels", read_kernels, .once = true},
    {"title", read_words, .rest = PROSE, .once = true, .member = MEMBER(title)},
    {"text", read_text, .once = true},
    {"layouts", read_layouts, .once = true},
    {"orders", read_orders, .rest = REASON, .once = true},
    {"needs", read_condition, .rest = REASON, .member = MEMBER(need), .count = MEMBER(needs)},
    {"param", read_param, .rest = TERMS},
    {"fixed", read_fixed, .rest = REASON},
    {"requires_absent", read_requires_absent, .once = true},
    {"default", read_default, .rest = TERMS},
    {"let", read_let, .rest = TERMS},
    {"require", read_condition, .rest = REASON, .member = MEMBER(condition), .count = MEMBER(conditions)},
    {"block", read_extents, .once = true, .member = MEMBER(block), .most = 3},
    {"lane", read_words, .rest = PROSE, .once = true, .member = MEMBER(lane)},
    {"grid", read_extents, .once = true, .member = MEMBER(grid), .most = 2},
    {"shared", read_shared, .rest = TERMS},
    {"arg", read_arg, .rest = TERMS},
    {"operand", read_operand, .rest = TERMS},
    {"where", read_where, .follows = true},
    {"varies", read_flag, .rest = PROSE, .once = true, .member = MEMBER(varies)},
    {"mixes", read_flag, .rest = PROSE, .once = true, .member = MEMBER(mixes)},
    {"exponent", read_flag, .rest = PROSE, .once = true, .member = MEMBER(exponent)},
    {"ordered", read_flag, .rest = PROSE, .once = true, .member = MEMBER(ordered)},
    {"candidate", read_condition, .rest = REASON, .once = true, .member = MEMBER(candidate)},
    {"work", read_work, .rest = TERMS},
    {.word = NULL},
};

wisp_status wisp_keyword_now(wisp_error *err, wisp_reader *r, const char *word, const char **now)
{
  static const char *const renamed[][2] = {
      {"fixes", "requires"}, {"wishes", "prefers"}, {"expects", "requires_absent"}};
  *now = word;
  for (size_t i = 0; i < WISP_COUNT(renamed); i++) {
    if (strcmp(word, renamed[i][0]) != 0) continue;
    *now = renamed[i][1];
    return wisp_text_print(err, &r->s->note, WISP_MESSAGE("%s%s:%d: '%s' is now '%s': the next release reads no other"),
                           r->s->note.length ? "\n" : "", r->s->file[r->file], r->line, word, *now);
  }
  return WISP_OK;
}

wisp_status wisp_check_complete(wisp_error *err, const wisp_strategy *s)
{
  if (!*s->kernel) return wisp_fail(err, WISP_EINPUT, "no kernel named");
  const wisp_family *family = wisp_family_find(s->family);
  const bool laid_out = !family || family->layouts;
  const bool names = s->node || s->slab;
  if (laid_out && !names) return wisp_fail(err, WISP_EINPUT, "no layouts named: add 'layouts node' or 'layouts slab'");
  if (names && !laid_out)
    return wisp_fail(err, WISP_EINPUT, "the %s family has no layouts: leave the line out", s->family);
  if (!s->block[0].expr || !s->grid[0].expr) return wisp_fail(err, WISP_EINPUT, "block and grid must be given");
  long long candidates = 1;
  for (size_t i = 0; i < s->constants; i++)
    if (wisp_strategy_param(s, s->constant[i].name, strlen(s->constant[i].name)) < s->params)
      return wisp_fail(err, WISP_EINPUT, "%s is a parameter, and fixed: leave one of the two lines out",
                       s->constant[i].name);
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
