/* A parsed expression: what the parser (expr.c) makes and the evaluators (expr_eval.c) walk. */
#pragma once

#include "expr.h"

/* ---- The inside of an environment, for the evaluator and the expander: lookup with a hash taken at parse time, and
 * frames.
 */

/* No search gives back the last two: another name's value, and one that is made when it is looked up. */
typedef enum wisp_kind {
  WISP_KIND_INT,
  WISP_KIND_TEXT,
  WISP_KIND_REALS,
  WISP_KIND_INTS,
  WISP_KIND_LIST,
  WISP_KIND_OTHER,
  WISP_KIND_DEFERRED
} wisp_kind;

/* A name's value. count: entries of a table, items of a list, bytes of a text. */
typedef struct wisp_value {
  wisp_kind kind;
  size_t count, capacity;
  char *file; /* of a text that stands in one; else NULL */
  union {
    int64_t integer;
    void *memory; /* of the next four */
    char *text;
    double *reals;
    int *ints;
    wisp_env **items;
    const struct wisp_value *other;
    struct wisp_deferral *deferral;
  } as;
} wisp_value;

/* The hash that wisp_env_find wants of a name. */
uint64_t wisp_env_hash(const char *name);

/* The innermost value of a name, NULL where there is none; valid until the name is redefined. A deferred value is made
 * first, and fails as its maker does. */
wisp_status wisp_env_find(wisp_error *err, const wisp_env *env, const char *name, uint64_t hash,
                          const wisp_value **out);

/* The same by its name alone, NULL where it is of another kind. */
wisp_status wisp_env_get(wisp_error *err, const wisp_env *env, const char *name, wisp_kind kind,
                         const wisp_value **out);

/* From now on the own names of item (not its outer ones) come before env's own: how a loop over a list walks its items
 * without copying them. item may be NULL. */
void wisp_env_show(wisp_env *env, const wisp_env *item);

/* From now on the name stands for value, which some outer environment holds, and must go on holding. */
wisp_status wisp_env_stand(wisp_error *err, wisp_env *env, const char *name, const wisp_value *value);

/* Calls visit for each of env's own names, in the order of the alphabet. Makes those that are deferred. */
typedef wisp_status (*wisp_name_visit)(wisp_error *err, void *context, const char *name, const wisp_value *value);
wisp_status wisp_env_each(wisp_error *err, const wisp_env *env, wisp_name_visit visit, void *context);

/* The kind in words of messages: "an integer", "a list", ... */
const char *wisp_kind_words(wisp_kind kind);

/* The deepest tree that is accepted: both the parser and the evaluators recurse over it. */
enum { WISP_EXPR_DEEPEST = 500 };

typedef enum wisp_op {
  /* leaves */
  OP_INTEGER,
  OP_REAL,
  OP_NAME,
  OP_TEXT, /* in quotes */
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
  OP_POW,
  OPS
} wisp_op;

/* An operator's name in texts and in hashes, so that a new operator changes no hash. */
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
  const char *name; /* in names; of OP_TEXT what the quotes hold */
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

/* Appends a node, whose operands are in place, and gives its place. WISP_EINPUT where the tree gets too deep. */
wisp_status wisp_expr_add(wisp_error *err, wisp_expr *expr, wisp_node made, size_t *out);

/* A tree of its own, in which every node has its place. */
wisp_status wisp_expr_copy(wisp_error *err, const wisp_expr *from, wisp_expr **out);

/* WISP_EINPUT at a column (from 1) of the expression; the rest says what is wrong there. */
__attribute__((format(printf, 4, 5))) wisp_status wisp_expr_fail(wisp_error *err, const wisp_expr *expr, int column,
                                                                 const char *format, ...);
