/* Expressions as C, in real numbers. */
#include "expand.h"
#include "expr_tree.h"

static wisp_status print(wisp_error *err, const wisp_expr *expr, size_t place, wisp_text *out)
{
  const wisp_node *at = &expr->nodes[place];
  const wisp_operator *op = &wisp_operators[at->op];
  if (at->op == OP_INTEGER || at->op == OP_REAL) return wisp_print_real(err, out, at->real, sizeof at->real);
  if (at->op == OP_NAME) return wisp_text_print(err, out, "%s", at->name);
  CALL(wisp_require(err, at->op > OP_COUNT && at->op != OP_CEIL && at->op != OP_ROUND_UP, WISP_EINPUT,
                    "'%s' is for integers", op->name));
  CALL(wisp_text_print(err, out, "%s(", op->call ? op->name : at->op == OP_MOD ? "fmod" : ""));
  if (op->operands == 1 && !op->call) CALL(wisp_text_print(err, out, "%s", at->op == OP_NEGATE ? "-" : "!"));
  for (int i = 0; i < op->operands; i++) {
    const char *between = at->op == OP_CHOOSE ? (i == 1 ? "?" : ":") : op->name;
    if (i && (op->call || at->op == OP_MOD))
      CALL(wisp_text_print(err, out, ", "));
    else if (i)
      CALL(wisp_text_print(err, out, " %s ", between));
    CALL(print(err, expr, at->of[i], out));
  }
  return wisp_text_add(err, out, ")", 1);
}

wisp_status wisp_expr_print(wisp_error *err, const wisp_expr *expr, wisp_text *out)
{
  return print(err, expr, expr->count - 1, out);
}
