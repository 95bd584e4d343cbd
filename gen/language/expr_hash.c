/* What an expression says, as a number: a hash of its tree, the same on every machine. */
#include "expr_tree.h"

#include <string.h>

static uint64_t hash_node(const wisp_expr *expr, size_t place, wisp_name_hash named, const void *context)
{
  const wisp_node *at = &expr->nodes[place];
  uint64_t hash = wisp_hash_text(WISP_HASH_SEED, wisp_operators[at->op].name), bits = 0;
  if (at->op == OP_NAME) return named(context, at->name);
  if (at->op == OP_INTEGER) return wisp_hash_number(hash, (uint64_t)at->integer);
  if (at->op == OP_REAL) memcpy(&bits, &at->real, sizeof bits), hash = wisp_hash_number(hash, bits);
  if (at->op == OP_ENTRY || at->op == OP_NONZERO || at->op == OP_COUNT) hash = wisp_hash_text(hash, at->name);
  for (int i = 0; i < wisp_operators[at->op].operands; i++)
    hash = wisp_hash_number(hash, hash_node(expr, at->of[i], named, context));
  return hash;
}

uint64_t wisp_expr_hash(const wisp_expr *expr, wisp_name_hash named, const void *context)
{
  return hash_node(expr, expr->count - 1, named, context);
}
