#include "expr_tree.h"

#include <stdlib.h>
#include <string.h>

/* A slot of the open hash; free while name is NULL. Names are never taken out again. */
typedef struct slot {
  char *name;
  uint64_t hash;
  wisp_value value;
} slot;

struct wisp_env {
  const wisp_env *outer;
  const wisp_env *shown; /* wisp_env_show */
  slot *slots;           /* capacity is a power of two or 0; at most three quarters are taken */
  size_t capacity, taken;
};

uint64_t wisp_env_hash(const char *name)
{
  return wisp_hash(WISP_HASH_SEED, name, strlen(name));
}

const char *wisp_kind_words(wisp_kind kind)
{
  static const char *const words[] = {
      [WISP_KIND_INT] = "an integer",           [WISP_KIND_TEXT] = "a text", [WISP_KIND_REALS] = "a table of reals",
      [WISP_KIND_INTS] = "a table of integers", [WISP_KIND_LIST] = "a list", [WISP_KIND_OTHER] = "another name"};
  return words[kind];
}

/* The slot that holds the name, or the free one where it would go; the table has at least one free slot. */
static slot *probe(slot *slots, size_t capacity, const char *name, uint64_t hash)
{
  size_t i = hash & (capacity - 1);
  while (slots[i].name && (slots[i].hash != hash || strcmp(slots[i].name, name) != 0)) i = (i + 1) & (capacity - 1);
  return &slots[i];
}

static const wisp_value *find_own(const wisp_env *env, const char *name, uint64_t hash)
{
  if (!env->taken) return NULL;
  const slot *found = probe(env->slots, env->capacity, name, hash);
  return found->name ? &found->value : NULL;
}

const wisp_value *wisp_env_find(const wisp_env *env, const char *name, uint64_t hash)
{
  for (; env; env = env->outer) {
    const wisp_value *value = env->shown ? find_own(env->shown, name, hash) : NULL;
    if (!value) value = find_own(env, name, hash);
    if (value) return value->kind == WISP_KIND_OTHER ? value->as.other : value;
  }
  return NULL;
}

void wisp_env_show(wisp_env *env, const wisp_env *item)
{
  env->shown = item;
}

static void release(wisp_value *value)
{
  if (value->kind == WISP_KIND_LIST)
    for (size_t i = 0; i < value->count; i++) wisp_env_destroy(value->as.items[i]);
  if (value->kind != WISP_KIND_INT && value->kind != WISP_KIND_OTHER) free(value->as.memory);
  *value = (wisp_value){0};
}

/* Doubles the table when one more name would fill it beyond three quarters. */
static wisp_status grow(wisp_error *err, wisp_env *env)
{
  slot *slots = NULL;
  if (env->capacity && 4 * (env->taken + 1) <= 3 * env->capacity) return WISP_OK;
  size_t capacity = env->capacity ? 2 * env->capacity : 8;
  CALL(wisp_new(err, capacity, sizeof *slots, &slots));
  for (size_t i = 0; i < env->capacity; i++) {
    const slot *from = &env->slots[i];
    if (from->name) *probe(slots, capacity, from->name, from->hash) = *from;
  }
  free(env->slots);
  env->slots = slots;
  env->capacity = capacity;
  return WISP_OK;
}

static wisp_status copy(wisp_error *err, const void *from, size_t bytes, void *out)
{
  void *to = NULL;
  CALL(wisp_new(err, bytes, 1, &to));
  if (bytes) memcpy(to, from, bytes);
  memcpy(out, &to, sizeof to);
  return WISP_OK;
}

/* The place of an own name's value, made (an integer 0) where the name is new. */
static wisp_status own(wisp_error *err, wisp_env *env, const char *name, wisp_value **value)
{
  uint64_t hash = wisp_env_hash(name);
  slot *place = env->taken ? probe(env->slots, env->capacity, name, hash) : NULL;
  if (!place || !place->name) {
    CALL(grow(err, env));
    place = probe(env->slots, env->capacity, name, hash);
    CALL(copy(err, name, strlen(name) + 1, &place->name));
    place->hash = hash;
    env->taken++;
  }
  *value = &place->value;
  return WISP_OK;
}

/* Gives the name a new value, which it takes over; on failure the value is released. */
static wisp_status define(wisp_error *err, wisp_env *env, const char *name, wisp_value value)
{
  wisp_value *place = NULL;
  const wisp_status status = own(err, env, name, &place);
  release(status == WISP_OK ? place : &value);
  if (status == WISP_OK) *place = value;
  return status;
}

wisp_status wisp_env_create(wisp_error *err, const wisp_env *outer, wisp_env **out)
{
  wisp_env *env = NULL;
  CALL(wisp_new(err, 1, sizeof *env, &env));
  env->outer = outer;
  *out = env;
  return WISP_OK;
}

void wisp_env_destroy(wisp_env *env)
{
  if (!env) return;
  for (size_t i = 0; i < env->capacity; i++) {
    if (!env->slots[i].name) continue;
    free(env->slots[i].name);
    release(&env->slots[i].value);
  }
  free(env->slots);
  free(env);
}

wisp_status wisp_env_int(wisp_error *err, wisp_env *env, const char *name, int64_t value)
{
  return define(err, env, name, (wisp_value){.kind = WISP_KIND_INT, .as.integer = value});
}

wisp_status wisp_env_stand(wisp_error *err, wisp_env *env, const char *name, const wisp_value *value)
{
  return define(err, env, name, (wisp_value){.kind = WISP_KIND_OTHER, .as.other = value});
}

/* Of `count` things, a copy of which the name gets. */
static wisp_status define_copy(wisp_error *err, wisp_env *env, const char *name, wisp_kind kind, size_t count,
                               const void *from, size_t bytes)
{
  wisp_value value = {.kind = kind, .count = count};
  CALL(copy(err, from, bytes, &value.as.memory));
  return define(err, env, name, value);
}

wisp_status wisp_env_text(wisp_error *err, wisp_env *env, const char *name, const char *value)
{
  return define_copy(err, env, name, WISP_KIND_TEXT, strlen(value), value, strlen(value) + 1);
}

wisp_status wisp_env_reals(wisp_error *err, wisp_env *env, const char *name, const double *values, size_t count)
{
  return define_copy(err, env, name, WISP_KIND_REALS, count, values, count * sizeof *values);
}

wisp_status wisp_env_ints(wisp_error *err, wisp_env *env, const char *name, const int *values, size_t count)
{
  return define_copy(err, env, name, WISP_KIND_INTS, count, values, count * sizeof *values);
}

wisp_status wisp_env_empty_list(wisp_error *err, wisp_env *env, const char *name)
{
  return define(err, env, name, (wisp_value){.kind = WISP_KIND_LIST});
}

wisp_status wisp_env_item(wisp_error *err, wisp_env *env, const char *name, wisp_env **item)
{
  OWNED(wisp_env_destroy) wisp_env *scope = NULL;
  wisp_value *list = NULL;
  if (!find_own(env, name, wisp_env_hash(name))) CALL(wisp_env_empty_list(err, env, name));
  CALL(own(err, env, name, &list));
  CALL(wisp_require(err, list->kind == WISP_KIND_LIST, WISP_EUSAGE, "'%s' is %s: it cannot be given items", name,
                    wisp_kind_words(list->kind)));
  CALL(wisp_env_create(err, env, &scope));
  CALL(wisp_grow(err, &list->as.items, &list->capacity, list->count + 1, sizeof scope));
  list->as.items[list->count++] = scope;
  return GIVE(scope, item);
}

const wisp_value *wisp_env_get(const wisp_env *env, const char *name, wisp_kind kind)
{
  const wisp_value *value = wisp_env_find(env, name, wisp_env_hash(name));
  return value && value->kind == kind ? value : NULL;
}

bool wisp_env_get_int(const wisp_env *env, const char *name, int64_t *value)
{
  const wisp_value *found = wisp_env_get(env, name, WISP_KIND_INT);
  if (found) *value = found->as.integer;
  return found != NULL;
}

bool wisp_env_has(const wisp_env *env, const char *name)
{
  return wisp_env_find(env, name, wisp_env_hash(name)) != NULL;
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(const slot *const *)a)->name, (*(const slot *const *)b)->name);
}

wisp_status wisp_env_each(wisp_error *err, const wisp_env *env, wisp_name_visit visit, void *context)
{
  OWNED(free) const slot **own = NULL;
  size_t count = 0;
  CALL(wisp_new(err, env->taken, sizeof *own, &own));
  for (size_t i = 0; i < env->capacity; i++)
    if (env->slots[i].name) own[count++] = &env->slots[i];
  qsort(own, count, sizeof *own, by_name);
  for (size_t i = 0; i < count; i++) CALL(visit(err, context, own[i]->name, &own[i]->value));
  return WISP_OK;
}
