/* The lines of a space description: what gen/strategy/space.c parses and gen/strategy/plan.c evaluates. */
#pragma once

#include "../language/expr.h"

enum { WISP_MAX_LINES = 48, WISP_MAX_SHARED = 8, WISP_MAX_FILES = 8, WISP_MAX_WHERES = 12 };

/* An expression and the line that it stands in: the number of one of the strategy's files. */
typedef struct wisp_clause {
  wisp_expr *expr; /* NULL: nothing is said */
  int file, line;
} wisp_clause;

typedef struct wisp_condition { /* needs, orders, require */
  wisp_clause holds;
  char *reason;
} wisp_condition;

typedef struct wisp_let { /* let, where */
  char name[32];
  wisp_clause value;
  size_t after; /* how many conditions stand before it: lines are evaluated in the order they are written */
} wisp_let;

typedef struct wisp_shared {
  char name[32], type[8]; /* "real", "int", "byte" */
  wisp_clause count;
} wisp_shared;

typedef struct wisp_operand { /* beside the argument of the same index */
  char table[32];
  wisp_clause count, entry, part; /* part may say nothing */
  int wheres;
  wisp_let *where; /* WISP_MAX_WHERES, where there are any */
} wisp_operand;

struct wisp_strategy;

/* A scope over names (NULL: none) in which the facts of the strategy's kernel are. */
wisp_status wisp_strategy_scope(wisp_error *err, const struct wisp_strategy *strategy, const wisp_env *names,
                                wisp_env **out);

/* The value of what a line of the strategy says; an error begins with the line's place. */
wisp_status wisp_clause_int(wisp_error *err, const struct wisp_strategy *strategy, const wisp_clause *clause,
                            const wisp_env *env, int64_t *value);
