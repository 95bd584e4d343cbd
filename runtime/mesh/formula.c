#include "formula.h"
#include "../../gen/language/expr_tree.h"

#include <ctype.h>

enum { X, Y, Z, REGION, TAG, TIME, NAMES };

/* ---- Physical groups. A comparison of region or tag becomes one with each value that stands for the group. */

static const char *const names[] = {"x", "y", "z", "region", "tag", "t"};

/* A wisp_slot_of, whose context is the formula's use: the slot of a variable; -1: it is none. */
static int find_slot(const void *context, const char *name)
{
  const wisp_formula_use *use = context;
  for (int i = 0; i < (*use == WISP_FORMULA_IN_TIME ? NAMES : TIME); i++)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

typedef struct binding {
  wisp_error *err;
  wisp_expr *expression;
  const wisp_mesh *mesh;
  wisp_formula_use use;
} binding;

static bool is_variable(const binding *b, const wisp_node *at)
{
  return at->op == OP_NAME && (find_slot(&b->use, at->name) >= 0 || strcmp(at->name, "pi") == 0);
}

/* Which of the two the node is: REGION or TAG; -1: none. */
static int set_of(const binding *b, const wisp_node *at)
{
  const int slot = at->op == OP_NAME ? find_slot(&b->use, at->name) : -1;
  return slot == REGION || slot == TAG ? slot : -1;
}

static int dimension_of(const binding *b, int set)
{
  return wisp_mesh_dimension(b->mesh) - (set == TAG);
}

/* ---- Which groups a node names. */

/* A number as a word: "7". */
static bool print_number(const binding *b, const wisp_node *at, char text[32])
{
  const bool negative = at->op == OP_NEGATE;
  const wisp_node *number = negative ? &b->expression->nodes[at->of[0]] : at;
  if (number->op != OP_INTEGER && number->op != OP_REAL) return false;
  snprintf(text, 32, "%.17g", negative ? -number->real : number->real);
  return true;
}

/* A name that is a variable or a constant as well means neither for sure. */
static wisp_status check_name(const binding *b, const wisp_node *at, int dimension)
{
  const wisp_groups *groups = &b->mesh->groups;
  for (size_t i = 0; is_variable(b, at) && i < groups->count; i++) {
    const char *name = groups->list[i].name;
    if (groups->list[i].dimension == dimension && name && strcmp(name, at->name) == 0)
      return wisp_expr_fail(b->err, b->expression, at->column,
                            "'%s' is a name of the language and that of a %s: write \"%s\" for the %s", at->name,
                            wisp_groups_word(dimension), at->name, wisp_groups_word(dimension));
  }
  return WISP_OK;
}

/* The numbers of the groups that one side of a comparison names. *named: it names some; else it is to be computed. */
static wisp_status find_numbers(const binding *b, const wisp_node *at, int set, bool *named, int32_t **numbers,
                                size_t *count)
{
  char text[32];
  wisp_error why = {.text = ""};
  const int dimension = dimension_of(b, set);
  wisp_group_word word = {text, false};
  if (at->op == OP_TEXT || at->op == OP_NAME) word = (wisp_group_word){at->name, at->op == OP_TEXT};
  *named = at->op == OP_TEXT || (at->op == OP_NAME && !is_variable(b, at)) || print_number(b, at, text);
  CALL(check_name(b, at, dimension));
  if (!*named) return WISP_OK;
  if (!word.quoted && strcmp(word.text, "0") == 0) { /* in no group */
    *count = 1;
    return wisp_new(b->err, 1, sizeof **numbers, numbers);
  }
  const wisp_status status = wisp_groups_find(&why, &b->mesh->groups, dimension, &word, numbers, count);
  if (status == WISP_OK) return WISP_OK;
  wisp_expr_fail(b->err, b->expression, at->column, "%s", why.text);
  if (b->err) b->err->status = status;
  return status;
}

/* ---- Comparisons. */

/* values[from] || ... || values[to - 1], each compared with the variable; the tree is as low as can be. */
static wisp_status compare_all(const binding *b, const wisp_node *at, size_t variable, const int32_t *values,
                               size_t count, size_t *out)
{
  wisp_node made = {.op = count > 1 ? OP_OR : OP_EQ, .column = at->column, .of = {variable}};
  if (count > 1) {
    CALL(compare_all(b, at, variable, values, count / 2, &made.of[0]));
    CALL(compare_all(b, at, variable, values + count / 2, count - count / 2, &made.of[1]));
  } else {
    const double value = *values;
    const wisp_node number = {.op = OP_REAL, .column = at->column, .real = value};
    CALL(wisp_expr_add(b->err, b->expression, number, &made.of[1]));
  }
  return wisp_expr_add(b->err, b->expression, made, out);
}

static wisp_status list_values(const binding *b, const int32_t *numbers, size_t count, int32_t **values, size_t *found)
{
  const wisp_groups *groups = &b->mesh->groups;
  CALL(wisp_new(b->err, count + groups->sets, sizeof **values, values));
  for (size_t i = 0; i < count; i++) (*values)[(*found)++] = numbers[i];
  for (size_t set = 0; set < groups->sets; set++) {
    const int32_t value = -1 - (int32_t)set;
    bool has = false;
    for (size_t i = 0; i < count; i++) has |= wisp_groups_have(groups, value, numbers[i]);
    if (has) (*values)[(*found)++] = value;
  }
  return WISP_OK;
}

/* `variable == group`, or !=: node `place`, `side` is the operand that is the variable. */
static wisp_status put_comparison(const binding *b, size_t place, int side, bool *done)
{
  const wisp_node at = b->expression->nodes[place]; /* copies: the array grows */
  const size_t variable = at.of[side];
  const wisp_node other = b->expression->nodes[at.of[1 - side]];
  OWNED(free) int32_t *numbers = NULL, *values = NULL;
  size_t count = 0, found = 0, made = 0;
  CALL(find_numbers(b, &other, set_of(b, &b->expression->nodes[variable]), done, &numbers, &count));
  if (!*done) return WISP_OK;
  CALL(list_values(b, numbers, count, &values, &found));
  CALL(compare_all(b, &at, variable, values, found, &made));
  b->expression->nodes[at.of[1 - side]] = (wisp_node){.op = OP_REAL}; /* nothing leads there any more */
  b->expression->nodes[place] =
      at.op == OP_EQ ? b->expression->nodes[made] : (wisp_node){.op = OP_NOT, .column = at.column, .of = {made}};
  return WISP_OK;
}

/* ---- All other places. */

/* region and tag as numbers: what is in several groups has none. */
static wisp_status check_alone(const binding *b, const wisp_node *at)
{
  const wisp_mesh *mesh = b->mesh;
  const bool tag = set_of(b, at) == TAG;
  const int32_t *values = tag ? mesh->tag : mesh->region;
  const size_t elements = wisp_mesh_cell(mesh)->is_connected ? mesh->elements : 0,
               count = tag ? (size_t)mesh->corners * elements : elements;
  for (size_t i = 0; i < count; i++)
    if (values[i] < 0)
      return wisp_expr_fail(b->err, b->expression, at->column,
                            "'%s' is no number here, as some are in several %ss: compare it with one group, "
                            "by == or !=",
                            at->name, wisp_groups_word(dimension_of(b, set_of(b, at))));
  return WISP_OK;
}

/* A name that is not compared stands for its number, where that is one. */
static wisp_status put_number(const binding *b, wisp_node *at)
{
  const wisp_groups *groups = &b->mesh->groups;
  int32_t number = 0;
  for (size_t i = 0; i < groups->count; i++) {
    const wisp_physical *group = &groups->list[i];
    if (!group->name || strcmp(group->name, at->name) != 0) continue;
    if (number && group->number != number)
      return wisp_expr_fail(
          b->err, b->expression, at->column,
          "'%s' is the name of several physical groups: compare it with region or tag, by == or !=", at->name);
    number = group->number;
  }
  if (number) at->op = OP_REAL, at->real = number;
  return WISP_OK;
}

static wisp_status put_rest(const binding *b)
{
  wisp_expr *e = b->expression;
  for (wisp_node *at = e->nodes; at < e->nodes + e->count; at++) {
    if (at->op == OP_TEXT)
      return wisp_expr_fail(b->err, e, at->column,
                            "the text '%.60s' is no number: compare it with region or tag, by == or !=", at->name);
    if (at->op == OP_NAME && !is_variable(b, at)) CALL(put_number(b, at));
  }
  return WISP_OK;
}

/* Visits what the root leads to, operands first, as the parser left it. */
static wisp_status put_node(const binding *b, size_t place)
{
  wisp_expr *e = b->expression;
  const wisp_node at = e->nodes[place];
  int side = -1; /* the operand of a comparison that is region or tag; -1: none is */
  for (int i = 1; i >= 0 && (at.op == OP_EQ || at.op == OP_NE); i--)
    if (set_of(b, &e->nodes[at.of[i]]) >= 0) side = i;
  bool done = false;
  const int used = side >= 0 ? set_of(b, &e->nodes[at.of[side]]) : set_of(b, &at);
  /* A run that asks for region, or tag, uses all groups that it can be: it names some, and the others are the rest. */
  if (used >= 0) wisp_groups_use(&b->mesh->groups, dimension_of(b, used), 0);
  if (set_of(b, &at) == TAG && b->use != WISP_FORMULA_ON_FACES)
    return wisp_expr_fail(b->err, e, at.column,
                          "'tag' is known on the boundary alone: inside take region, or x, y and z");
  if (set_of(b, &at) >= 0) return check_alone(b, &at);
  if (side >= 0) {
    if (set_of(b, &e->nodes[at.of[side]]) == TAG && b->use != WISP_FORMULA_ON_FACES) return put_node(b, at.of[side]);
    CALL(put_comparison(b, place, side, &done));
    if (done) return WISP_OK;
  }
  for (int i = 0; i < wisp_operators[at.op].operands; i++) CALL(put_node(b, at.of[i]));
  return WISP_OK;
}

/* ---- Formulas. */

struct wisp_formula {
  wisp_expr *expression;
  char what[64];
  bool moved; /* points are those of this plane, x, y and z the file's */
  wisp_plane plane;
};

/* Can a name of a group stand in an expression without quotes? */
static bool is_plain(const char *name)
{
  bool simple = isalpha((unsigned char)*name) || *name == '_';
  for (; *name; name++) simple &= (isalnum((unsigned char)*name) || *name == '_') && *name > 0;
  return simple;
}

/* Says of a name that stands in the text without the quotes that it needs. */
static void hint_quotes(wisp_error *err, const char *text, const wisp_mesh *mesh)
{
  for (size_t i = 0; err && i < mesh->groups.count; i++) {
    const char *name = mesh->groups.list[i].name, *at = name ? strstr(text, name) : NULL;
    const size_t length = strlen(err->text);
    if (!at || is_plain(name) || (at > text && (at[-1] == '"' || at[-1] == '\''))) continue;
    snprintf(err->text + length, sizeof err->text - length, ": write \"%.60s\" in quotes", name);
    return;
  }
}

/* A fault of the expression is one of the request. */
static wisp_status blame_request(wisp_error *err, wisp_status status, const char *what)
{
  wisp_context(err, status, "%s: ", what);
  if (status == WISP_EINPUT) status = WISP_EUSAGE;
  if (err && status != WISP_OK) err->status = status;
  return status;
}

/* Replaces groups: `region == "steel"` becomes a comparison of region's values (groups.h), a lone name its number.
 * WISP_EUSAGE where something is no group, or is ambiguous. */
static wisp_status read_text(wisp_error *err, const char *text, const wisp_mesh *mesh, wisp_formula_use use,
                             wisp_expr **out)
{
  OWNED(wisp_expr_destroy) wisp_expr *expression = NULL;
  CALL(wisp_expr_parse(err, text, &expression));
  const binding b = {err, expression, mesh, use};
  const size_t root = expression->count - 1;
  size_t last = 0;
  CALL(put_node(&b, root));
  CALL(wisp_expr_add(err, expression, expression->nodes[root], &last)); /* the root is the last node */
  CALL(put_rest(&b));
  wisp_expr_put(expression, "pi", acos(-1.0));
  CALL(wisp_expr_bind(err, expression, find_slot, &use));
  return GIVE(expression, out);
}

wisp_status wisp_formula_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                wisp_formula_use use, wisp_formula **out)
{
  OWNED(wisp_formula_destroy) wisp_formula *formula = NULL;
  CALL(wisp_new(err, 1, sizeof *formula, &formula));
  snprintf(formula->what, sizeof formula->what, "%s", what);
  const wisp_status status = read_text(err, text, mesh, use, &formula->expression);
  if (status != WISP_OK) hint_quotes(err, text, mesh);
  CALL(blame_request(err, status, what));
  formula->moved = mesh->plane;
  if (mesh->plane) formula->plane = *mesh->plane;
  return GIVE(formula, out);
}

void wisp_formula_destroy(wisp_formula *formula)
{
  if (!formula) return;
  wisp_expr_destroy(formula->expression);
  free(formula);
}

wisp_status wisp_formula_slope(wisp_error *err, const wisp_formula *formula, int along, wisp_formula **out)
{
  OWNED(wisp_formula_destroy) wisp_formula *made = NULL;
  CALL(wisp_new(err, 1, sizeof *made, &made));
  const double *axis = formula->plane.axis[along];
  wisp_expr_along by[4] = {{names[along], 1}, {NULL, 0}};
  for (int c = 0; c < 3 && formula->moved; c++) by[c] = (wisp_expr_along){names[c], axis[c]};
  memcpy(made->what, formula->what, sizeof made->what);
  made->moved = formula->moved, made->plane = formula->plane;
  CALL(blame_request(err, wisp_expr_slope_along(err, formula->expression, by, &made->expression), made->what));
  return GIVE(made, out);
}

void wisp_formula_at(const wisp_formula *formula, size_t count, const double *xyz, int32_t region, int32_t tag,
                     double *out)
{
  double table[NAMES][WISP_EXPR_MANY];
  for (size_t first = 0; first < count; first += WISP_EXPR_MANY) {
    const size_t some = count - first < WISP_EXPR_MANY ? count - first : WISP_EXPR_MANY;
    for (size_t i = 0; i < some; i++) {
      double at[3] = {xyz[3 * (first + i)], xyz[3 * (first + i) + 1], xyz[3 * (first + i) + 2]};
      if (formula->moved) wisp_plane_place(&formula->plane, 1, at);
      for (size_t c = X; c <= Z; c++) table[c][i] = at[c];
      table[REGION][i] = region, table[TAG][i] = tag, table[TIME][i] = 0;
    }
    wisp_expr_many(formula->expression, table[0], (int)some, out + first);
  }
}

void wisp_formula_when(const wisp_formula *formula, size_t count, const double *t, double *out)
{
  double table[NAMES][WISP_EXPR_MANY] = {{0}};
  for (size_t first = 0; first < count; first += WISP_EXPR_MANY) {
    const size_t some = count - first < WISP_EXPR_MANY ? count - first : WISP_EXPR_MANY;
    memcpy(table[TIME], t + first, some * sizeof *t);
    wisp_expr_many(formula->expression, table[0], (int)some, out + first);
  }
}

/* A formula of one part, whose expression it takes. */
static wisp_status take_part(wisp_error *err, const wisp_formula *sum, wisp_expr **part, wisp_formula **out)
{
  CALL(wisp_new(err, 1, sizeof **out, out));
  **out = *sum;
  (*out)->expression = *part;
  *part = NULL;
  return WISP_OK;
}

void wisp_formula_parts_free(wisp_formula_parts *parts)
{
  for (size_t i = 0; i < parts->count; i++) {
    wisp_formula_destroy(parts->space[i]);
    wisp_formula_destroy(parts->time[i]);
  }
  *parts = (wisp_formula_parts){0};
}

wisp_status wisp_formula_split(wisp_error *err, const wisp_formula *formula, wisp_formula_parts *out)
{
  HELD(wisp_expr_parts_free) wisp_expr_parts parts = {0};
  HELD(wisp_formula_parts_free) wisp_formula_parts made = {0};
  CALL(blame_request(err, wisp_expr_split(err, formula->expression, names[TIME], &parts), formula->what));
  made.count = parts.count;
  for (size_t i = 0; i < parts.count; i++) {
    CALL(take_part(err, formula, &parts.rest[i], &made.space[i]));
    CALL(take_part(err, formula, &parts.along[i], &made.time[i]));
  }
  return GIVE(made, out);
}

void wisp_formula_middles(const wisp_formula *formula, const wisp_mesh *mesh, size_t stride, double *out)
{
  const size_t corners = (size_t)mesh->corners;
  for (size_t e = 0; e < mesh->elements; e++) {
    double at[3] = {0};
    for (size_t i = 0; i < 3 * corners; i++)
      at[i % 3] += mesh->xyz[3 * (size_t)mesh->cell[corners * e + i / 3] + i % 3];
    for (int c = 0; c < 3; c++) at[c] /= (double)corners;
    wisp_formula_at(formula, 1, at, mesh->region[e], 0, out + e * stride);
  }
}
