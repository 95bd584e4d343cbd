/* Names with values, and expressions over them (docs/reference/spaces.md). A name that is not defined is an error that
 * names it and the text's place. */
#pragma once

#include "../text.h"

/* A scope of names. Lookup goes from the innermost scope outward. A value is one of: integer; text; table of reals;
 * table of integers; list of scopes. The environment copies what it is given. */
typedef struct wisp_env wisp_env;

wisp_status wisp_env_create(wisp_error *err, const wisp_env *outer,
                            wisp_env **out); /* outer may be NULL; must outlive it */
void wisp_env_destroy(wisp_env *env);
WISP_OWNED(wisp_env, wisp_env_destroy)
wisp_status wisp_env_int(wisp_error *err, wisp_env *env, const char *name, int64_t value); /* redefines */
wisp_status wisp_env_text(wisp_error *err, wisp_env *env, const char *name, const char *value);
wisp_status wisp_env_file_text(wisp_error *err, wisp_env *env, const char *name, const char *value,
                               const char *file); /* file: messages name it */
wisp_status wisp_env_reals(wisp_error *err, wisp_env *env, const char *name, const double *values, size_t count);
wisp_status wisp_env_ints(wisp_error *err, wisp_env *env, const char *name, const int *values, size_t count);
/* Appends an item to the list `name` (made at first use) and gives its scope, owned by env. An item sees env's own
 * names as outer when it is looked at during expansion. */
wisp_status wisp_env_item(wisp_error *err, wisp_env *env, const char *name, wisp_env **item);
wisp_status wisp_env_empty_list(wisp_error *err, wisp_env *env,
                                const char *name); /* a list that may stay empty; redefines */

/* Tables that take long to make. make fills `values` with these names, "D LIFT", from a copy of `self` that env keeps,
 * when one of them is first looked up; none of them is an integer. Threads may look up names of one environment
 * together. */
typedef wisp_status (*wisp_env_make)(wisp_error *err, const void *self, wisp_env *values);
wisp_status wisp_env_defer(wisp_error *err, wisp_env *env, const char *names, wisp_env_make make, const void *self,
                           size_t bytes);
/* Deferred lists, env's and its outer ones', that have been made so far. */
size_t wisp_env_made(const wisp_env *env);

/* Neither makes a deferred value. */
bool wisp_env_get_int(const wisp_env *env, const char *name, int64_t *value);
bool wisp_env_has(const wisp_env *env, const char *name);

typedef struct wisp_expr wisp_expr; /* parsed once, evaluated often */
wisp_status wisp_expr_parse(wisp_error *err, const char *text, wisp_expr **out);
void wisp_expr_destroy(wisp_expr *expr);
WISP_OWNED(wisp_expr, wisp_expr_destroy)
wisp_status wisp_expr_int(wisp_error *err, const wisp_expr *expr, const wisp_env *env, int64_t *value);
const char *wisp_expr_name(const wisp_expr *expr, size_t i); /* the i-th name in it, of no table; NULL: no more */

/* A copy in which every integer that env knows is settled, but for the names in `loose`: for evaluating often with
 * these alone changing. */
wisp_status wisp_expr_resolve(wisp_error *err, const wisp_expr *expr, const wisp_env *env, const char *const *loose,
                              size_t count, wisp_expr **out);

/* A hash of the expression's meaning, whatever its blanks and parentheses. named gives the hash that stands for a name,
 * such as that of another expression. */
typedef uint64_t (*wisp_name_hash)(const void *context, const char *name);
uint64_t wisp_expr_hash(const wisp_expr *expr, wisp_name_hash named, const void *context);

/* Real evaluation knows names by slots of a table of values, which they are given once, and no tables. WISP_EINPUT for
 * a name without a slot (-1). */
typedef int (*wisp_slot_of)(const void *context, const char *name);
wisp_status wisp_expr_bind(wisp_error *err, wisp_expr *expr, wisp_slot_of slot_of, const void *context);

/* The name stands for this number from now on. */
void wisp_expr_put(wisp_expr *expr, const char *name, double value);

/* The derivative along a direction, by each name, times its weight; the list ends with a NULL name. It is bound as the
 * expression is; of min, max and ?: that of the side taken, of what is constant between jumps 0. WISP_EINPUT for a
 * remainder and for what makes integers. */
typedef struct wisp_expr_along {
  const char *name;
  double weight;
} wisp_expr_along;
wisp_status wisp_expr_slope_along(wisp_error *err, const wisp_expr *expr, const wisp_expr_along *along,
                                  wisp_expr **out);

/* The expression as a sum of products of a function of one name and one of the other names, bound as it is: sums,
 * products, choices whose condition is of one kind, and exp, sin and cos of a sum of both. WISP_EINPUT where it is
 * none, or one of too many products. */
enum { WISP_EXPR_TERMS = 16 };
typedef struct wisp_expr_parts { /* zero-initialise */
  size_t count;
  wisp_expr *rest[WISP_EXPR_TERMS], *along[WISP_EXPR_TERMS];
} wisp_expr_parts;
void wisp_expr_parts_free(wisp_expr_parts *parts);
wisp_status wisp_expr_split(wisp_error *err, const wisp_expr *expr, const char *name, wisp_expr_parts *out);

/* As C in reals of so many bytes: every number is a literal of them, so that nothing turns double and nothing is
 * divided as integers are. name gives what a name is called in C, which it may write into buffer; NULL: the name
 * itself. WISP_EINPUT for what makes integers. */
enum { WISP_C_NAME = 80 };
typedef const char *(*wisp_c_name)(const void *context, const char *name, char buffer[WISP_C_NAME]);
wisp_status wisp_expr_print(wisp_error *err, const wisp_expr *expr, int real_bytes, wisp_c_name name,
                            const void *context, wisp_text *out);

/* The value of an expression that was bound, the value of slot s being values[s], and the sum of the magnitudes that it
 * is added up from, given those of the slots (sizes NULL: those of the values): what a computed value's rounding errors
 * are proportional to. */
void wisp_expr_real(const wisp_expr *expr, const double *values, const double *sizes, double *value, double *size);

/* The values at up to WISP_EXPR_MANY points at once, that of slot s at point p being values[s * WISP_EXPR_MANY + p]. */
enum { WISP_EXPR_MANY = 32 };
void wisp_expr_many(const wisp_expr *expr, const double *values, int count, double *out);

/* Parse and evaluate at once. */
wisp_status wisp_eval_int(wisp_error *err, const char *text, const wisp_env *env, int64_t *value);
