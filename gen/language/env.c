#include "expr_tree.h"

#include <pthread.h>

/* A slot of the open hash; free while name is NULL. Names are never taken out again. */
typedef struct slot {
  char *name;
  uint64_t hash;
  wisp_value value;
} slot;

/* Names whose values are made together, at the first look-up of one of them, by one of the threads that share the
 * environment. */
struct wisp_deferral {
  struct wisp_deferral *next; /* of the same environment */
  wisp_env_make make;
  void *self;
  pthread_mutex_t lock;
  wisp_env *values; /* NULL: not made yet */
};

struct wisp_env {
  const wisp_env *outer;
  const wisp_env *shown;          /* wisp_env_show */
  struct wisp_deferral *deferred; /* all of them, those that are made as well */
  slot *slots;                    /* capacity is a power of two or 0; at most three quarters are taken */
  size_t capacity, taken;
};

uint64_t wisp_env_hash(const char *name)
{
  return wisp_hash(WISP_HASH_SEED, name, strlen(name));
}

const char *wisp_kind_words(wisp_kind kind)
{
  static const char *const words[] = {[WISP_KIND_INT] = "an integer",
                                      [WISP_KIND_TEXT] = "a text",
                                      [WISP_KIND_REALS] = "a table of reals",
                                      [WISP_KIND_INTS] = "a table of integers",
                                      [WISP_KIND_LIST] = "a list",
                                      [WISP_KIND_OTHER] = "another name",
                                      [WISP_KIND_DEFERRED] = "a value that is not made yet"};
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

/* The innermost value of a name as it stands there, deferred or not. */
static const wisp_value *find_raw(const wisp_env *env, const char *name, uint64_t hash)
{
  for (; env; env = env->outer) {
    const wisp_value *value = env->shown ? find_own(env->shown, name, hash) : NULL;
    if (!value) value = find_own(env, name, hash);
    if (value) return value->kind == WISP_KIND_OTHER ? value->as.other : value;
  }
  return NULL;
}

/* Makes the values, unless they are there. */
static wisp_status make_deferral(wisp_error *err, struct wisp_deferral *d)
{
  OWNED(wisp_env_destroy) wisp_env *values = NULL;
  if (__atomic_load_n(&d->values, __ATOMIC_ACQUIRE)) return WISP_OK;
  pthread_mutex_lock(&d->lock);
  wisp_status status = d->values ? WISP_OK : wisp_env_create(err, NULL, &values);
  if (values) status = d->make(err, d->self, values);
  if (values && status == WISP_OK) {
    __atomic_store_n(&d->values, values, __ATOMIC_RELEASE);
    values = NULL;
  }
  pthread_mutex_unlock(&d->lock);
  return status;
}

/* The value of a name that a deferral holds, in place of the name's own. */
static wisp_status undefer(wisp_error *err, const char *name, uint64_t hash, const wisp_value **value)
{
  if (!*value || (*value)->kind != WISP_KIND_DEFERRED) return WISP_OK;
  struct wisp_deferral *d = (*value)->as.deferral;
  CALL(make_deferral(err, d));
  *value = find_own(d->values, name, hash);
  return WISP_OK;
}

wisp_status wisp_env_find(wisp_error *err, const wisp_env *env, const char *name, uint64_t hash, const wisp_value **out)
{
  *out = find_raw(env, name, hash);
  return undefer(err, name, hash, out);
}

void wisp_env_show(wisp_env *env, const wisp_env *item)
{
  env->shown = item;
}

static void release(wisp_value *value)
{
  if (value->kind == WISP_KIND_LIST)
    for (size_t i = 0; i < value->count; i++) wisp_env_destroy(value->as.items[i]);
  if (value->kind != WISP_KIND_INT && value->kind < WISP_KIND_OTHER) free(value->as.memory);
  free(value->file);
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

/* The place of an own name's value, made (an integer 0) where the name is new. */
static wisp_status own(wisp_error *err, wisp_env *env, const char *name, wisp_value **value)
{
  uint64_t hash = wisp_env_hash(name);
  slot *place = env->taken ? probe(env->slots, env->capacity, name, hash) : NULL;
  if (!place || !place->name) {
    CALL(grow(err, env));
    place = probe(env->slots, env->capacity, name, hash);
    CALL(wisp_copy_text(err, name, &place->name));
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
  CALL(wisp_new(err, 1, sizeof **out, out));
  (*out)->outer = outer;
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
  for (struct wisp_deferral *d = env->deferred, *next; d; d = next) {
    next = d->next;
    wisp_env_destroy(d->values);
    pthread_mutex_destroy(&d->lock);
    free(d->self);
    free(d);
  }
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

/* Gives the name a copy of `count` things. */
static wisp_status define_copy(wisp_error *err, wisp_env *env, const char *name, wisp_kind kind, size_t count,
                               const void *from, size_t bytes)
{
  wisp_value value = {.kind = kind, .count = count};
  CALL(wisp_copy(err, from, bytes, &value.as.memory));
  return define(err, env, name, value);
}

wisp_status wisp_env_text(wisp_error *err, wisp_env *env, const char *name, const char *value)
{
  return define_copy(err, env, name, WISP_KIND_TEXT, strlen(value), value, strlen(value) + 1);
}

wisp_status wisp_env_file_text(wisp_error *err, wisp_env *env, const char *name, const char *value, const char *file)
{
  wisp_value *place = NULL;
  CALL(wisp_env_text(err, env, name, value));
  CALL(own(err, env, name, &place));
  return wisp_copy_text(err, file, &place->file);
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

wisp_status wisp_env_defer(wisp_error *err, wisp_env *env, const char *names, wisp_env_make make, const void *self,
                           size_t bytes)
{
  struct wisp_deferral *d = NULL;
  OWNED(free) void *own_self = NULL;
  char name[64];
  int length = 0;
  CALL(wisp_copy(err, self, bytes, &own_self));
  CALL(wisp_new(err, 1, sizeof *d, &d));
  *d = (struct wisp_deferral){.next = env->deferred, .make = make, .self = own_self};
  pthread_mutex_init(&d->lock, NULL);
  env->deferred = d;
  own_self = NULL;
  for (const char *at = names; sscanf(at, "%63s%n", name, &length) == 1; at += length)
    CALL(define(err, env, name, (wisp_value){.kind = WISP_KIND_DEFERRED, .as.deferral = d}));
  return WISP_OK;
}

size_t wisp_env_made(const wisp_env *env)
{
  size_t made = 0;
  for (; env; env = env->outer)
    for (struct wisp_deferral *d = env->deferred; d; d = d->next)
      made += __atomic_load_n(&d->values, __ATOMIC_ACQUIRE) != NULL;
  return made;
}

wisp_status wisp_env_get(wisp_error *err, const wisp_env *env, const char *name, wisp_kind kind, const wisp_value **out)
{
  CALL(wisp_env_find(err, env, name, wisp_env_hash(name), out));
  if (*out && (*out)->kind != kind) *out = NULL;
  return WISP_OK;
}

bool wisp_env_get_int(const wisp_env *env, const char *name, int64_t *value)
{
  const wisp_value *found = find_raw(env, name, wisp_env_hash(name));
  const bool is_int = found && found->kind == WISP_KIND_INT;
  if (is_int) *value = found->as.integer;
  return is_int;
}

bool wisp_env_has(const wisp_env *env, const char *name)
{
  return find_raw(env, name, wisp_env_hash(name)) != NULL;
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
  for (size_t i = 0; i < count; i++) {
    const wisp_value *value = &own[i]->value;
    CALL(undefer(err, own[i]->name, own[i]->hash, &value));
    CALL(visit(err, context, own[i]->name, value ? value : &own[i]->value));
  }
  return WISP_OK;
}
