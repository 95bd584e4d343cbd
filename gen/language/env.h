/* The inside of an environment, for the evaluator and the expander: lookup with a hash taken at parse time, and frames.
 */
#ifndef WISP_ENV_H
#define WISP_ENV_H

#include "expr.h"

/* WISP_KIND_OTHER: another name's value; no search gives it back. */
typedef enum wisp_kind {
  WISP_KIND_INT,
  WISP_KIND_TEXT,
  WISP_KIND_REALS,
  WISP_KIND_INTS,
  WISP_KIND_LIST,
  WISP_KIND_OTHER
} wisp_kind;

/* What a name stands for. count: entries of a table, items of a list, bytes of a text. */
typedef struct wisp_value {
  wisp_kind kind;
  size_t count, capacity;
  union {
    int64_t integer;
    void *memory; /* of the next four */
    char *text;
    double *reals;
    int *ints;
    wisp_env **items;
    const struct wisp_value *other;
  } as;
} wisp_value;

/* The hash that wisp_env_find wants of a name. */
uint64_t wisp_env_hash(const char *name);

/* The innermost value of a name, NULL where there is none; valid until the name is redefined. */
const wisp_value *wisp_env_find(const wisp_env *env, const char *name, uint64_t hash);

/* The same by its name alone, where it is of this kind. */
const wisp_value *wisp_env_get(const wisp_env *env, const char *name, wisp_kind kind);

/* From now on the own names of item (not its outer ones) come before env's own: how a loop over a list walks its items
 * without copying them. item may be NULL. */
void wisp_env_show(wisp_env *env, const wisp_env *item);

/* From now on the name stands for value, which some outer environment holds, and must go on holding. */
wisp_status wisp_env_stand(wisp_error *err, wisp_env *env, const char *name, const wisp_value *value);

/* Calls visit for each of env's own names, in the order of the alphabet. */
typedef wisp_status (*wisp_name_visit)(wisp_error *err, void *context, const char *name, const wisp_value *value);
wisp_status wisp_env_each(wisp_error *err, const wisp_env *env, wisp_name_visit visit, void *context);

/* What a value is, in the words of messages: "an integer", "a list", ... */
const char *wisp_kind_words(wisp_kind kind);

#endif
