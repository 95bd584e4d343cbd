/* Shared by many choices for one device: names of a spec in a layout, defaults, and compositions that suit. */
#include "choose_parts.h"
#include "../../gen/strategy/defaults.h"

/* The default candidate of a kernel on what is fixed of a discretisation, or why there is none. */
typedef struct known_default {
  char kernel[WISP_NAME_TEXT];
  uint64_t fixed;
  bool reproducible;
  const wisp_strategy *strategy; /* NULL: there is none */
  int values[WISP_MAX_PARAMS];
  wisp_error why;
} known_default;

struct wisp_scope_kept {
  wisp_spec spec;
  wisp_layout layout;
  wisp_env *names;
  size_t count, capacity;
  known_default *defaults;
};

/* Questions about a composition for a spec: whether it suits the system, and the layout of its default. */
typedef enum question { SUITS, LAYOUT } question;

struct wisp_composition_kept {
  uint64_t key; /* of what is asked */
  wisp_layout layout;
  wisp_error why; /* its status is WISP_OK where the answer is yes */
};

void wisp_scopes_free(wisp_scopes *scopes)
{
  for (size_t i = 0; i < scopes->count; i++) {
    wisp_env_destroy(scopes->list[i].names);
    free(scopes->list[i].defaults);
  }
  free(scopes->list);
  free(scopes->composition);
  *scopes = (wisp_scopes){0};
}

void wisp_scopes_serve(wisp_scopes *scopes, const wisp_limits *limits)
{
  if (strcmp(scopes->target, limits->target) == 0 && scopes->units == limits->units) return;
  wisp_scopes_free(scopes);
  snprintf(scopes->target, sizeof scopes->target, "%s", limits->target);
  scopes->units = limits->units;
}

/* The scope of the spec in a layout, NULL: in any; NULL: not known yet. The last ones are the likeliest. */
static struct wisp_scope_kept *find_scope(const wisp_scopes *scopes, const wisp_spec *spec, const wisp_layout *layout)
{
  for (size_t i = scopes ? scopes->count : 0; i > 0; i--) {
    struct wisp_scope_kept *kept = &scopes->list[i - 1];
    if (kept->spec.order != spec->order || wisp_spec_orders(&kept->spec, spec) != 0) continue;
    if (!layout || memcmp(&kept->layout, layout, sizeof *layout) == 0) return kept;
  }
  return NULL;
}

/* Names in a layout: what is the same in the spec's other layouts is taken from their first. */
static wisp_status make_names(wisp_error *err, const wisp_choosing *c, const wisp_layout *layout, wisp_env **out)
{
  const wisp_target target = wisp_limits_target(c->from->limits);
  const struct wisp_scope_kept *first = find_scope(c->from->scopes, &c->spec, NULL);
  return wisp_names_create(err, &c->spec, layout, &target, first ? first->names : NULL, out);
}

wisp_status wisp_choosing_names(wisp_error *err, const wisp_choosing *c, const wisp_layout *layout, wisp_env **out)
{
  wisp_scopes *scopes = c->from->scopes;
  struct wisp_scope_kept fresh = {.spec = c->spec, .layout = *layout};
  if (!scopes) return make_names(err, c, layout, out);
  struct wisp_scope_kept *kept = find_scope(scopes, &c->spec, layout);
  if (!kept) {
    CALL(wisp_grow(err, &scopes->list, &scopes->capacity, scopes->count + 1, sizeof *scopes->list));
    CALL(make_names(err, c, layout, &fresh.names));
    kept = &scopes->list[scopes->count++];
    *kept = fresh;
  }
  return wisp_env_create(err, kept->names, out);
}

/* A number for what is asked; whether a composition suits depends on the system alone. */
static uint64_t key_of(const wisp_choosing *c, question asked, const char *composition)
{
  const wisp_spec *spec = &c->spec;
  uint64_t key = wisp_hash_text(wisp_hash_number(WISP_HASH_SEED, asked), composition);
  key = wisp_hash_text(wisp_hash_text(wisp_hash_text(key, spec->family), spec->element), spec->system);
  if (asked == SUITS) return key;
  key = wisp_hash_number(wisp_hash_number(key, (uint64_t)spec->order), spec->precision);
  return wisp_hash_number(key, c->request->reproducible);
}

/* The place of the answer: the next free one where there is none yet. The caller counts it once it is filled. */
static wisp_status find_answer(wisp_error *err, wisp_scopes *scopes, uint64_t key, bool *known,
                               struct wisp_composition_kept **out)
{
  size_t i = 0;
  while (i < scopes->compositions && scopes->composition[i].key != key) i++;
  *known = i < scopes->compositions;
  CALL(wisp_grow(err, &scopes->composition, &scopes->compositions_capacity, scopes->compositions + 1,
                 sizeof *scopes->composition));
  *out = &scopes->composition[i];
  if (!*known) **out = (struct wisp_composition_kept){.key = key};
  return WISP_OK;
}

/* Returns the kept answer; one that was just given is counted, unless it is another error than a refusal. */
static wisp_status give_answer(wisp_error *err, wisp_scopes *scopes, bool known,
                               const struct wisp_composition_kept *kept)
{
  const wisp_status status = kept->why.status;
  if (!known && (status == WISP_OK || status == WISP_EREFUSED)) scopes->compositions++;
  return wisp_require(err, status == WISP_OK, status, "%s", kept->why.text);
}

wisp_status wisp_choosing_suit(wisp_error *err, const wisp_choosing *c, const char *composition)
{
  struct wisp_composition_kept *kept = NULL;
  bool known = false;
  if (!c->family->suits) return WISP_OK;
  if (!c->from->scopes) return c->family->suits(err, &c->spec, composition);
  CALL(find_answer(err, c->from->scopes, key_of(c, SUITS, composition), &known, &kept));
  if (!known) kept->why.status = c->family->suits(&kept->why, &c->spec, composition);
  return give_answer(err, c->from->scopes, known, kept);
}

wisp_status wisp_choosing_remember(wisp_error *err, const wisp_choosing *c, const char *composition,
                                   wisp_find_layout find, wisp_layout *out)
{
  struct wisp_composition_kept fresh = {.key = key_of(c, LAYOUT, composition)}, *kept = NULL;
  bool known = false;
  if (!c->from->scopes || c->request->fixed || c->request->preset) return find(err, c, composition, out);
  CALL(find_answer(err, c->from->scopes, fresh.key, &known, &kept));
  if (!known) { /* the search adds answers of its own */
    fresh.why.status = find(&fresh.why, c, composition, &fresh.layout);
    CALL(find_answer(err, c->from->scopes, fresh.key, &known, &kept));
    *kept = fresh;
  }
  *out = kept->layout;
  return give_answer(err, c->from->scopes, known, kept);
}

/* The same number where the same was asked for, in the same order. */
static uint64_t number_of(const wisp_fixed *fixed)
{
  uint64_t hash = wisp_hash_number(WISP_HASH_SEED, fixed->made);
  for (int i = 0; i < fixed->count; i++) {
    hash = wisp_hash_number(wisp_hash_text(hash, fixed->of[i].param), (uint64_t)fixed->of[i].value);
    hash = wisp_hash_number(hash, (uint64_t)fixed->of[i].otherwise);
  }
  return hash;
}

static wisp_status make_default(wisp_error *err, const wisp_choosing *c, const wisp_stage *stage, known_default *out)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  *out = (known_default){.fixed = number_of(&stage->fixed), .reproducible = stage->reproducible};
  memcpy(out->kernel, c->spec.kernel, sizeof out->kernel);
  const wisp_status status = wisp_defaults_plan(&out->why, stage->strategies, &c->spec, &stage->layout, stage->names,
                                                &stage->fixed, stage->reproducible, &plan);
  if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", out->why.text);
  if (!plan) return WISP_OK;
  out->strategy = plan->strategy;
  memcpy(out->values, plan->value, sizeof out->values);
  return WISP_OK;
}

wisp_status wisp_choosing_default(wisp_error *err, const wisp_choosing *c, const wisp_stage *stage, wisp_plan **out)
{
  struct wisp_scope_kept *kept = find_scope(c->from->scopes, &c->spec, &stage->layout);
  const uint64_t fixed = number_of(&stage->fixed);
  size_t i = 0;
  if (!kept)
    return wisp_defaults_plan(err, stage->strategies, &c->spec, &stage->layout, stage->names, &stage->fixed,
                              stage->reproducible, out);
  while (i < kept->count && (strcmp(kept->defaults[i].kernel, c->spec.kernel) != 0 ||
                             kept->defaults[i].fixed != fixed || kept->defaults[i].reproducible != stage->reproducible))
    i++;
  if (i == kept->count) {
    CALL(wisp_grow(err, &kept->defaults, &kept->capacity, kept->count + 1, sizeof *kept->defaults));
    CALL(make_default(err, c, stage, &kept->defaults[i]));
    kept->count++;
  }
  const known_default *known = &kept->defaults[i];
  if (!known->strategy) return wisp_fail(err, WISP_EREFUSED, "%s", known->why.text);
  return wisp_plan_create(err, known->strategy, &c->spec, &stage->layout, stage->names, known->values, out);
}
