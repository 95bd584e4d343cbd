/* Expressions as C, in real numbers: from the tree, with the parentheses that C needs to read the same tree. */
#include "template.h"

typedef struct printer {
  wisp_error *err;
  const wisp_expr *expr;
  int real_bytes;
  wisp_c_name name; /* NULL: names are as they are */
  const void *context;
  wisp_text *out;
} printer;

/* Levels beside those of operators between two operands: a choice binds looser, a sign tighter, a call tightest. */
enum { CHOICE = 0, SIGN = 90, TIGHTEST = 100 };

static int level_of(wisp_op op)
{
  const wisp_operator *o = &wisp_operators[op];
  if (op == OP_CHOOSE) return CHOICE;
  if (op == OP_NEGATE || op == OP_NOT) return SIGN;
  return o->level && op != OP_MOD ? o->level : TIGHTEST;
}

static wisp_status print(const printer *p, size_t place);

/* In parentheses if it binds looser than what stands around it asks for. */
static wisp_status print_operand(const printer *p, size_t place, int least)
{
  const bool enclosed = level_of(p->expr->nodes[place].op) < least;
  if (enclosed) CALL(wisp_text_add(p->err, p->out, "(", 1));
  CALL(print(p, place));
  return enclosed ? wisp_text_add(p->err, p->out, ")", 1) : WISP_OK;
}

static wisp_status print_call(const printer *p, const wisp_node *at, const wisp_operator *op)
{
  CALL(wisp_text_print(p->err, p->out, "%s(", at->op == OP_MOD ? "fmod" : op->name));
  for (int i = 0; i < op->operands; i++) {
    if (i) CALL(wisp_text_add(p->err, p->out, ", ", 2));
    CALL(print_operand(p, at->of[i], CHOICE));
  }
  return wisp_text_add(p->err, p->out, ")", 1);
}

static wisp_status print_choice(const printer *p, const wisp_node *at)
{
  CALL(print_operand(p, at->of[0], CHOICE + 1));
  CALL(wisp_text_print(p->err, p->out, " ? "));
  CALL(print_operand(p, at->of[1], CHOICE + 1));
  CALL(wisp_text_print(p->err, p->out, " : "));
  return print_operand(p, at->of[2], CHOICE);
}

static wisp_status print(const printer *p, size_t place)
{
  const wisp_node *at = &p->expr->nodes[place];
  const wisp_operator *op = &wisp_operators[at->op];
  char buffer[WISP_C_NAME];
  if (at->op == OP_INTEGER || at->op == OP_REAL) return wisp_print_real(p->err, p->out, at->real, p->real_bytes);
  if (at->op == OP_NAME)
    return wisp_text_print(p->err, p->out, "%s", p->name ? p->name(p->context, at->name, buffer) : at->name);
  CALL(wisp_require(p->err, at->op > OP_COUNT && at->op != OP_CEIL && at->op != OP_ROUND_UP, WISP_EINPUT,
                    "'%s' is for integers", op->name));
  if (at->op == OP_CHOOSE) return print_choice(p, at);
  if (op->call || at->op == OP_MOD) return print_call(p, at, op);
  if (op->operands == 1) {
    CALL(wisp_text_add(p->err, p->out, at->op == OP_NEGATE ? "-" : "!", 1));
    return print_operand(p, at->of[0], SIGN + 1);
  }
  const bool signed_right = level_of(p->expr->nodes[at->of[1]].op) == SIGN;
  CALL(print_operand(p, at->of[0], op->level));
  CALL(wisp_text_print(p->err, p->out, " %s ", op->name));
  if (signed_right) return print_operand(p, at->of[1], SIGN + 1); /* a - (-b) */
  return print_operand(p, at->of[1], op->level + 1);
}

wisp_status wisp_expr_print(wisp_error *err, const wisp_expr *expr, int real_bytes, wisp_c_name name,
                            const void *context, wisp_text *out)
{
  return print(&(printer){err, expr, real_bytes, name, context, out}, expr->count - 1);
}
