/* Physical groups in formulas. A comparison of region or tag asks whether an element, or a face, is in a group: where
 * it may be in several, the comparison becomes one with each value that stands for the group. */
#include "formula_parts.h"

const char *const wisp_formula_names[] = {"x", "y", "z", "region", "tag"};

int wisp_formula_slot(const char *name)
{
  for (int i = 0; i < WISP_FORMULA_NAMES; i++)
    if (strcmp(name, wisp_formula_names[i]) == 0) return i;
  return -1;
}

typedef struct binding {
  wisp_error *err;
  wisp_expr *expression;
  const wisp_mesh *mesh;
  bool on_faces;
} binding;

/* Reports what wisp_groups_find says, at the column of the node. */
static wisp_status blame(const binding *b, const wisp_node *at, const wisp_error *why)
{
  wisp_expr_fail(b->err, b->expression, at->column, "%s", why->text);
  if (b->err) b->err->status = why->status;
  return why->status;
}

static bool is_variable(const wisp_node *at)
{
  return at->op == OP_NAME && (wisp_formula_slot(at->name) >= 0 || strcmp(at->name, "pi") == 0);
}

/* Which of the two the node is: WISP_FORMULA_REGION or WISP_FORMULA_TAG; -1: none. */
static int set_of(const wisp_node *at)
{
  const int slot = at->op == OP_NAME ? wisp_formula_slot(at->name) : -1;
  return slot >= WISP_FORMULA_REGION ? slot : -1;
}

static int dimension_of(const binding *b, int set)
{
  return wisp_mesh_dimension(b->mesh) - (set == WISP_FORMULA_TAG);
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
  for (size_t i = 0; is_variable(at) && i < groups->count; i++) {
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
  *named = at->op == OP_TEXT || (at->op == OP_NAME && !is_variable(at)) || print_number(b, at, text);
  CALL(check_name(b, at, dimension));
  if (!*named) return WISP_OK;
  if (!word.quoted && strcmp(word.text, "0") == 0) { /* in no group */
    *count = 1;
    return wisp_new(b->err, 1, sizeof **numbers, numbers);
  }
  const wisp_status status = wisp_groups_find(&why, &b->mesh->groups, dimension, &word, numbers, count);
  return status == WISP_OK ? WISP_OK : blame(b, at, &why);
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

static wisp_status add_value(wisp_error *err, int32_t **values, size_t *capacity, size_t *count, int32_t value)
{
  CALL(wisp_grow(err, values, capacity, *count + 1, sizeof **values));
  (*values)[(*count)++] = value;
  return WISP_OK;
}

/* The values that stand for one of the groups. */
static wisp_status list_values(const binding *b, const int32_t *numbers, size_t count, int32_t **values, size_t *found)
{
  const wisp_groups *groups = &b->mesh->groups;
  size_t capacity = 0;
  for (size_t i = 0; i < count; i++) CALL(add_value(b->err, values, &capacity, found, numbers[i]));
  for (size_t set = 0; set < groups->sets; set++) {
    const int32_t value = -1 - (int32_t)set;
    bool has = false;
    for (size_t i = 0; i < count; i++) has |= wisp_groups_have(groups, value, numbers[i]);
    if (has) CALL(add_value(b->err, values, &capacity, found, value));
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
  CALL(find_numbers(b, &other, set_of(&b->expression->nodes[variable]), done, &numbers, &count));
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
  const bool tag = set_of(at) == WISP_FORMULA_TAG;
  const int32_t *values = tag ? mesh->tag : mesh->region;
  const size_t elements = wisp_mesh_cell(mesh)->is_connected ? mesh->elements : 0,
               count = tag ? (size_t)mesh->corners * elements : elements;
  for (size_t i = 0; i < count; i++)
    if (values[i] < 0)
      return wisp_expr_fail(b->err, b->expression, at->column,
                            "'%s' is no number here, as some are in several %ss: compare it with one group, "
                            "by == or !=",
                            at->name, wisp_groups_word(dimension_of(b, set_of(at))));
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
    if (at->op == OP_NAME && !is_variable(at)) CALL(put_number(b, at));
  }
  return WISP_OK;
}

/* The operand of a comparison that is region or tag; -1: none is. */
static int side_of(const wisp_expr *e, const wisp_node *at)
{
  for (int side = 0; side < 2 && (at->op == OP_EQ || at->op == OP_NE); side++)
    if (set_of(&e->nodes[at->of[side]]) >= 0) return side;
  return -1;
}

/* A run that asks for region, or tag, uses all groups that it can be: what is in no group that it names is the rest. */
static void use(const binding *b, int set)
{
  if (set >= 0) wisp_groups_use(&b->mesh->groups, dimension_of(b, set), 0);
}

/* Visits what the root leads to, operands first, as the parser left it. */
static wisp_status put_node(const binding *b, size_t place)
{
  wisp_expr *e = b->expression;
  const wisp_node at = e->nodes[place];
  const int side = side_of(e, &at);
  bool done = false;
  use(b, side >= 0 ? set_of(&e->nodes[at.of[side]]) : set_of(&at));
  if (set_of(&at) == WISP_FORMULA_TAG && !b->on_faces)
    return wisp_expr_fail(b->err, e, at.column,
                          "'tag' is known on the boundary alone: inside take region, or x, y and z");
  if (set_of(&at) >= 0) return check_alone(b, &at);
  if (side >= 0) {
    if (set_of(&e->nodes[at.of[side]]) == WISP_FORMULA_TAG && !b->on_faces) return put_node(b, at.of[side]);
    CALL(put_comparison(b, place, side, &done));
    if (done) return WISP_OK;
  }
  for (int i = 0; i < wisp_operators[at.op].operands; i++) CALL(put_node(b, at.of[i]));
  return WISP_OK;
}

wisp_status wisp_formula_put_groups(wisp_error *err, wisp_expr *expression, const wisp_mesh *mesh, bool on_faces)
{
  const binding b = {err, expression, mesh, on_faces};
  const size_t root = expression->count - 1;
  size_t last = 0;
  CALL(put_node(&b, root));
  CALL(wisp_expr_add(err, expression, expression->nodes[root], &last)); /* the root is the last node */
  return put_rest(&b);
}
