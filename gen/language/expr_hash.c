/* What an expression says, as a number: a hash of its tree, the same on every machine. */
#include "expr_tree.h"

#include <string.h>

/* Operators by what they are called, so that a new one changes nobody's number; and how many operands they have. */
static const struct {
  const char *name;
  int operands;
} operators[] = {
    [OP_INTEGER] = {"integer", 0}, [OP_REAL] = {"real", 0},
    [OP_NAME] = {"name", 0},       [OP_ENTRY] = {"entry", 1},
    [OP_NONZERO] = {"nonzero", 1}, [OP_COUNT] = {"count", 0},
    [OP_NEGATE] = {"negate", 1},   [OP_NOT] = {"!", 1},
    [OP_SQRT] = {"sqrt", 1},       [OP_EXP] = {"exp", 1},
    [OP_SIN] = {"sin", 1},         [OP_COS] = {"cos", 1},
    [OP_CHOOSE] = {"?", 3},        [OP_OR] = {"||", 2},
    [OP_AND] = {"&&", 2},          [OP_EQ] = {"==", 2},
    [OP_NE] = {"!=", 2},           [OP_LT] = {"<", 2},
    [OP_LE] = {"<=", 2},           [OP_GT] = {">", 2},
    [OP_GE] = {">=", 2},           [OP_ADD] = {"+", 2},
    [OP_SUB] = {"-", 2},           [OP_MUL] = {"*", 2},
    [OP_DIV] = {"/", 2},           [OP_MOD] = {"%", 2},
    [OP_CEIL] = {"ceil", 2},       [OP_ROUND_UP] = {"round_up", 2},
    [OP_MIN] = {"min", 2},         [OP_MAX] = {"max", 2},
};

int wisp_op_operands(wisp_op op)
{
  return operators[op].operands;
}

static uint64_t hash_node(const wisp_expr *expr, size_t place, wisp_name_hash named, const void *context)
{
  const wisp_node *at = &expr->nodes[place];
  uint64_t hash = wisp_hash_text(WISP_HASH_SEED, operators[at->op].name), bits = 0;
  if (at->op == OP_NAME) return named(context, at->name);
  if (at->op == OP_INTEGER) return wisp_hash_number(hash, (uint64_t)at->integer);
  if (at->op == OP_REAL) memcpy(&bits, &at->real, sizeof bits), hash = wisp_hash_number(hash, bits);
  if (at->op == OP_ENTRY || at->op == OP_NONZERO || at->op == OP_COUNT) hash = wisp_hash_text(hash, at->name);
  for (int i = 0; i < operators[at->op].operands; i++)
    hash = wisp_hash_number(hash, hash_node(expr, at->of[i], named, context));
  return hash;
}

uint64_t wisp_expr_hash(const wisp_expr *expr, wisp_name_hash named, const void *context)
{
  return hash_node(expr, expr->count - 1, named, context);
}
