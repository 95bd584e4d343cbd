/* Partial evaluation: an expression that is asked for many values of a few names, with all others settled beforehand.
 */
#include "expr_tree.h"

#include <string.h>

static void settle_name(wisp_node *at, const wisp_env *env, const char *const *loose, size_t count)
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
             wisp_expr_combine(at->op, expr->nodes[at->of[0]].integer, expr->nodes[at->of[1]].integer, &value)) {
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

wisp_status wisp_expr_settle(wisp_error *err, const wisp_expr *expr, const wisp_env *env, const char *const *loose,
                             size_t count, wisp_expr **out)
{
  wisp_expr *settled = NULL;
  CALL(wisp_expr_parse(err, expr->text, &settled)); /* a copy with nodes of its own */
  for (size_t i = 0; i < settled->count; i++) {
    if (settled->nodes[i].op == OP_NAME)
      settle_name(&settled->nodes[i], env, loose, count);
    else
      fold(settled, i);
  }
  *out = settled;
  return WISP_OK;
}
