/* A parsed expression: what the parser (expr.c) makes and the evaluators (expr_eval.c) walk. */
#ifndef WISP_EXPR_TREE_H
#define WISP_EXPR_TREE_H

#include "env.h"

/* The deepest tree that is accepted: both the parser and the evaluators recurse over it. */
enum { WISP_EXPR_DEEPEST = 500 };

typedef enum wisp_op {
  /* leaves */
  OP_INTEGER,
  OP_REAL,
  OP_NAME,
  /* a name, and one operand or none */
  OP_ENTRY,
  OP_NONZERO,
  OP_COUNT,
  /* one operand, three operands */
  OP_NEGATE,
  OP_NOT,
  OP_SQRT,
  OP_EXP,
  OP_SIN,
  OP_COS,
  OP_CHOOSE,
  /* two operands */
  OP_OR,
  OP_AND,
  OP_EQ,
  OP_NE,
  OP_LE,
  OP_LT,
  OP_GE,
  OP_GT,
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
  OP_CEIL,
  OP_ROUND_UP,
  OP_MIN,
  OP_MAX,
  OPS
} wisp_op;

/* What an operator is called: in texts, where it stands between two operands or is a call, and in hashes, so that a new
 * one changes nobody's number. */
typedef struct wisp_operator {
  const char *name;
  int operands;
  int level;        /* of one between two operands: a higher one binds tighter; 0: it is none */
  bool call, named; /* named: a call whose first argument is the name of a table or list and not a value */
} wisp_operator;
extern const wisp_operator wisp_operators[OPS];

typedef struct wisp_node {
  wisp_op op;
  int column, depth;
  size_t of[3];     /* operands, as places in nodes */
  const char *name; /* in names */
  uint64_t hash;    /* of name */
  int slot;         /* of name, where it was bound */
  int64_t integer;
  double real;
} wisp_node;

struct wisp_expr {
  char *text;       /* for messages */
  char *names;      /* the names in it, each with its NUL */
  wisp_node *nodes; /* operands before operators: the last is the root */
  size_t count, capacity;
};

/* An operator on two integers; false where the result does not fit or does not exist. */
bool wisp_expr_combine(wisp_op op, int64_t a, int64_t b, int64_t *value);

/* WISP_EINPUT at a column (from 1) of the expression; the rest says what is wrong there. */
__attribute__((format(printf, 4, 5))) wisp_status wisp_expr_fail(wisp_error *err, const wisp_expr *expr, int column,
                                                                 const char *format, ...);

#endif
