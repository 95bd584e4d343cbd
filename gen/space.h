/* Inside a strategy: what gen/space.c parses and gen/plan.c evaluates. */
#ifndef WISP_SPACE_H
#define WISP_SPACE_H

#include "closure.h"
#include "strategy.h"
#include "system.h"

enum { WISP_MAX_LINES = 48, WISP_MAX_SHARED = 8 };

typedef struct wisp_condition { /* needs, require */
  wisp_expr *expr;
  char *reason;
} wisp_condition;

typedef struct wisp_let {
  char name[32];
  wisp_expr *expr;
  size_t after; /* how many conditions stand before it: lines are evaluated in the order they are written */
} wisp_let;

typedef struct wisp_shared {
  char name[32], type[8]; /* "real", "int", "byte" */
  wisp_expr *count;
} wisp_shared;

typedef struct wisp_operand { /* beside the argument of the same index */
  char table[32];
  wisp_expr *count, *entry, *part; /* part may be NULL */
} wisp_operand;

struct wisp_strategy {
  char family[16], name[40], kernel[24];
  const wisp_closure *closure;      /* NULL: it was parsed alone, and has no hash */
  uint64_t hash[WISP_MAX_DIALECTS]; /* by the closure's dialects, without a system */
  char *title, *text, *lane, *space_path, *text_path;
  bool node, slab; /* layouts it can read */
  bool varies;     /* results differ from launch to launch */
  int params;
  wisp_param param[WISP_MAX_PARAMS];
  size_t needs, conditions, lets;
  wisp_condition need[WISP_MAX_LINES], condition[WISP_MAX_LINES];
  wisp_let let[WISP_MAX_LINES];
  wisp_expr *block[3], *grid[2];
  int shareds;
  wisp_shared shared[WISP_MAX_SHARED];
  int args;
  wisp_arg arg[WISP_MAX_ARGS];
  wisp_operand operand[WISP_MAX_ARGS];
};

struct wisp_plan {
  const wisp_strategy *strategy;
  wisp_spec spec;
  wisp_layout layout;
  wisp_env *env; /* family's names, then parameters and lets */
  int value[WISP_MAX_PARAMS];
  char params[WISP_PARAMS_TEXT], symbol[40];
  unsigned block[3];
  size_t shared, offset[WISP_MAX_SHARED]; /* bytes */
  struct {                                /* operands made by wisp_plan_prepare; NULL, NULL: not yet */
    size_t count;
    double *reals;
    int *ints;
  } operand[WISP_MAX_ARGS];
};

/* All of a parsed space that source and launch are made of but its lets, the same however it is written: expressions
 * and whatever lets stand in them as numbers (gen/closure.h). */
wisp_status wisp_space_print(wisp_error *err, const wisp_strategy *strategy, const uint64_t let[WISP_MAX_LINES],
                             wisp_text *out);
/* What each let says, which printing asks for. */
void wisp_space_lets(const wisp_strategy *strategy, uint64_t let[WISP_MAX_LINES]);

#endif
