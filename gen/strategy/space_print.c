/* A space as hashes are made of it: what source and launch are made of, however it is written. */
#include "source_set.h"
#include "../family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place of an expression in the space: the lets that it sees, and names that have their values from elsewhere. */
typedef struct place {
  const wisp_strategy *strategy;
  const uint64_t *let; /* what each of its lets says */
  size_t lets;
  const wisp_operand *operand; /* NULL, or that whose wheres it sees */
  const uint64_t *where;
  int wheres;
  const char *bound; /* q, or NULL */
} place;

/* A wisp_name_hash: a let's or where's is its expression's, a fact's its value's, any other name stands for itself. */
static uint64_t hash_name(const void *context, const char *name)
{
  const place *at = context;
  const uint64_t own = wisp_hash_text(WISP_HASH_SEED, name);
  if (at->bound && strcmp(at->bound, name) == 0) return own;
  for (int i = at->wheres; i-- > 0;)
    if (strcmp(at->operand->where[i].name, name) == 0) return at->where[i];
  for (size_t i = at->lets; i-- > 0;)
    if (strcmp(at->strategy->let[i].name, name) == 0) return at->let[i];
  for (const wisp_size *fact = at->strategy->facts; fact->name; fact++)
    if (strcmp(fact->name, name) == 0) return wisp_hash_number(WISP_HASH_SEED, (uint64_t)fact->value);
  return own;
}

/* The hash of each let, which printing asks for. */
static void find_lets(const wisp_strategy *s, uint64_t let[WISP_MAX_LINES])
{
  for (size_t i = 0; i < s->lets; i++) {
    const place at = {.strategy = s, .let = let, .lets = i};
    let[i] = wisp_expr_hash(s->let[i].value.expr, hash_name, &at);
  }
}

static wisp_status print_expr(wisp_error *err, const wisp_clause *clause, const place *at, wisp_text *out)
{
  const uint64_t number = clause->expr ? wisp_expr_hash(clause->expr, hash_name, at) : 0;
  return wisp_text_print(err, out, " %016llx", (unsigned long long)number);
}

/* Their names alone: values are what a trial says of itself. */
static wisp_status print_params(wisp_error *err, const wisp_strategy *s, wisp_text *out)
{
  const char *names[WISP_MAX_PARAMS];
  for (int i = 0; i < s->params; i++) names[i] = s->param[i].name;
  if (s->params) qsort(names, (size_t)s->params, sizeof *names, wisp_by_text);
  CALL(wisp_text_print(err, out, "params"));
  for (int i = 0; i < s->params; i++) CALL(wisp_text_print(err, out, " %s", names[i]));
  return wisp_text_print(err, out, "\n");
}

static wisp_status print_arg(wisp_error *err, const wisp_strategy *s, int i, place at, wisp_text *out)
{
  static const char *const kinds[] = {[WISP_ARG_IN] = "in",
                                      [WISP_ARG_OUT] = "out",
                                      [WISP_ARG_INOUT] = "inout",
                                      [WISP_ARG_VALUE] = "value",
                                      [WISP_ARG_OPERAND] = "operand"};
  const wisp_arg *arg = &s->arg[i];
  const wisp_operand *operand = &s->operand[i];
  uint64_t where[WISP_MAX_WHERES];
  CALL(wisp_text_print(err, out, "arg %s %s %s", kinds[arg->kind], wisp_numbers[arg->type].in_c, arg->name));
  if (arg->kind == WISP_ARG_OPERAND) {
    CALL(wisp_text_print(err, out, " %s", operand->table));
    CALL(print_expr(err, &operand->count, &at, out));
    at.bound = "q", at.operand = operand, at.where = where;
    for (; at.wheres < operand->wheres; at.wheres++)
      where[at.wheres] = wisp_expr_hash(operand->where[at.wheres].value.expr, hash_name, &at);
    CALL(print_expr(err, &operand->entry, &at, out));
    CALL(print_expr(err, &operand->part, &at, out));
  }
  return wisp_text_print(err, out, "\n");
}

wisp_status wisp_space_print(wisp_error *err, const wisp_strategy *s, uint64_t *let, wisp_text *out)
{
  place at = {.strategy = s, .let = let, .lets = s->lets};
  find_lets(s, let);
  CALL(wisp_text_print(err, out, "kernel %s_%s\n", s->family, s->kernel));
  CALL(print_params(err, s, out));
  for (int i = 0; i < s->args; i++) CALL(print_arg(err, s, i, at, out));
  for (int i = 0; i < s->shareds; i++) {
    CALL(wisp_text_print(err, out, "shared %s %s", s->shared[i].type, s->shared[i].name));
    CALL(print_expr(err, &s->shared[i].count, &at, out));
    CALL(wisp_text_print(err, out, "\n"));
  }
  CALL(wisp_text_print(err, out, "block"));
  for (int i = 0; i < 3; i++) CALL(print_expr(err, &s->block[i], &at, out));
  CALL(wisp_text_print(err, out, "\ngrid"));
  for (int i = 0; i < 2; i++) CALL(print_expr(err, &s->grid[i], &at, out));
  return wisp_text_print(err, out, "\n");
}
