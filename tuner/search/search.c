#include "search.h"
#include "../../gen/random.h"
#include "../../runtime/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Seeds: trials of the store as points, kept in memory for the whole sweep, to which its own trials are added. */

wisp_status wisp_seeds_add(wisp_error *err, wisp_seeds *seeds, const wisp_trial *trial)
{
  if (!wisp_trial_is_right(trial) || !(trial->ms > 0) || wisp_target_is_gpu(trial->target) != seeds->gpu)
    return WISP_OK;
  CALL(wisp_grow(err, &seeds->list, &seeds->capacity, seeds->count + 1, sizeof *seeds->list));
  wisp_point *seed = &seeds->list[seeds->count];
  if (!wisp_point_from_trial(trial, seed)) return WISP_OK; /* another version's */
  seed->sister = strcmp(trial->device, seeds->device) != 0;
  seeds->count++;
  return WISP_OK;
}

wisp_status wisp_seeds_load(wisp_error *err, const char *db, const char *device, const char *target, wisp_seeds *out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_seeds_free) wisp_seeds seeds = {.gpu = wisp_target_is_gpu(target)};
  snprintf(seeds.device, sizeof seeds.device, "%s", device);
  CALL(wisp_store_open(err, db, false, NULL, &store));
  for (size_t i = 0; i < wisp_store_count(store); i++)
    CALL(wisp_seeds_add(err, &seeds, wisp_store_trial(store, i, NULL)));
  return GIVE(seeds, out);
}

void wisp_seeds_free(wisp_seeds *seeds)
{
  free(seeds->list);
  *seeds = (wisp_seeds){0};
}

wisp_status wisp_seeds_for(wisp_error *err, const wisp_seeds *seeds, const wisp_spec *spec, size_t *count,
                           wisp_point **known)
{
  size_t found = 0;
  wisp_point *points = NULL;
  CALL(wisp_new(err, seeds->count, sizeof *points, &points));
  for (size_t i = 0; i < seeds->count; i++)
    if (wisp_point_helps(&seeds->list[i], spec)) points[found++] = seeds->list[i];
  *count = wisp_guide_weigh(found, points, spec);
  *known = points;
  return WISP_OK;
}

/* ---- The guide behind a search: candidates become points, problems are put in order, trials are told. */

static wisp_status make_guide(wisp_error *err, wisp_search *s, const wisp_target *target, size_t known_count,
                              const wisp_point *known, wisp_guide *out)
{
  OWNED(free) wisp_point *points = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  const double intensity = wisp_spec_intensity(&s->scope->spec);
  CALL(wisp_new(err, s->count, sizeof *points, &points));
  for (size_t i = 0; i < s->count; i++) {
    CALL(wisp_candidate_plan(err, s->scope, &s->candidates[i], &plan));
    CALL(wisp_point_from_plan(err, plan, target, intensity, &points[i]));
    points[i].is_default = s->candidates[i].is_default;
    wisp_plan_destroy(plan);
    plan = NULL;
  }
  return wisp_guide_create(err, s->count, points, known_count, known, out);
}

typedef struct block { /* the candidates of one problem, in the list */
  size_t first, count;
  int layout;
  bool late;       /* there is a more promising one in the same layout; where nothing is known: one with a default */
  double expected; /* where something is known */
} block;

/* Sorts problems: first one of each layout, so that a short budget ends with kernels that work together. By expected.
 */
static int by_expected(const void *a, const void *b)
{
  const block *x = a, *y = b;
  if (x->late != y->late) return x->late ? 1 : -1;
  if (x->expected < y->expected || x->expected > y->expected) return x->expected < y->expected ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* Fills `order` with the list's indices in their new order. */
static wisp_status order_problems(wisp_error *err, const wisp_search *s, const wisp_guide *guide, size_t *order)
{
  OWNED(free) block *blocks = NULL;
  size_t count = 0, next = 0;
  CALL(wisp_new(err, s->count, sizeof *blocks, &blocks));
  for (size_t i = 0; i < s->count; i++) {
    const wisp_candidate *c = &s->candidates[i];
    if (i == 0 || c->problem != c[-1].problem)
      blocks[count++] = (block){.first = i,
                                .layout = c->layout,
                                .late = guide->blind && c->priority >> 63,
                                .expected = guide->blind ? 0 : INFINITY};
    block *b = &blocks[count - 1];
    b->count++;
    if (!guide->blind) b->expected = fmin(b->expected, guide->state[i].expected);
  }
  for (size_t b = 0; b < count && !guide->blind; b++)
    for (size_t c = 0; c < count && !blocks[b].late; c++)
      blocks[b].late = blocks[c].layout == blocks[b].layout && by_expected(&blocks[c], &blocks[b]) < 0;
  qsort(blocks, count, sizeof *blocks, by_expected);
  for (size_t b = 0; b < count; b++)
    for (size_t i = 0; i < blocks[b].count; i++) order[next++] = blocks[b].first + i;
  return WISP_OK;
}

wisp_status wisp_search_guide(wisp_error *err, wisp_search *s, const wisp_target *target, size_t known_count,
                              const wisp_point *known)
{
  HELD(wisp_guide_free) wisp_guide guide = {0};
  wisp_guide ordered = {0};
  OWNED(free) wisp_candidate *candidates = NULL;
  OWNED(free) size_t *order = NULL;
  CALL(make_guide(err, s, target, known_count, known, &guide));
  CALL(wisp_new(err, s->count, sizeof *order, &order));
  CALL(wisp_new(err, s->count, sizeof *candidates, &candidates));
  CALL(order_problems(err, s, &guide, order));
  for (size_t i = 0; i < s->count; i++) candidates[i] = s->candidates[order[i]];
  if (s->count) memcpy(s->candidates, candidates, s->count * sizeof *candidates);
  CALL(make_guide(err, s, target, known_count, known, &ordered));
  s->guide = ordered;
  s->guided = true;
  return WISP_OK;
}

/* Time is worth e times as much on a problem that promises to be this much faster, as a logarithm. */
static const double WORTH = 0.2;

double wisp_search_share(const wisp_search *s)
{
  const bool even = !s->guided || s->guide.blind;
  double expected = INFINITY, first = NAN, all = 0;
  for (size_t i = s->begin; i < s->count; i++) {
    expected = even ? 0 : fmin(expected, s->guide.state[i].expected);
    if (i + 1 < s->count && s->candidates[i + 1].problem == s->candidates[i].problem) continue;
    if (isnan(first)) first = expected;
    all += exp((first - expected) / WORTH);
    expected = INFINITY;
  }
  return 1 / all;
}

void wisp_search_report(wisp_search *s, const wisp_trial *trial)
{
  if (!s->guided) return;
  for (size_t i = 0; i < s->guide.count; i++) {
    const wisp_point *p = &s->guide.points[i];
    if (strcmp(p->params, trial->params) != 0 || strcmp(p->strategy, trial->strategy) != 0) continue;
    if (strcmp(p->layout, trial->layout) != 0) continue;
    wisp_guide_report(&s->guide, i, wisp_trial_is_right(trial) ? trial->ms : 0);
    return;
  }
}

/* ---- Scopes and candidates. */

wisp_status wisp_scope_layouts(wisp_error *err, const wisp_spec *spec, const char *only, wisp_layout out[8], int *kept)
{
  wisp_layout all[8];
  char text[WISP_LAYOUT_TEXT];
  const int count = wisp_family_layouts(spec, all);
  *kept = 0;
  for (int i = 0; i < count; i++) {
    wisp_layout_print(&all[i], text);
    if (!only || strcmp(only, text) == 0) out[(*kept)++] = all[i];
  }
  return wisp_require(err, *kept > 0, WISP_EUSAGE, "order %d has no layout '%s': 'wisp emit -n %d' lists its layouts",
                      spec->order, only, spec->order);
}

wisp_status wisp_scope_create(wisp_error *err, const wisp_family *family, const wisp_spec *spec,
                              const wisp_target *target, const char *only, wisp_scope *out)
{
  HELD(wisp_scope_free) wisp_scope scope = {.family = family, .spec = *spec};
  int kept = 0;
  CALL(wisp_scope_layouts(err, spec, only, scope.layout, &kept));
  CALL(wisp_family_names(err, spec, target, kept, scope.layout, scope.names));
  scope.layouts = kept;
  *out = scope;
  scope.layouts = 0;
  return WISP_OK;
}

void wisp_scope_free(wisp_scope *scope)
{
  for (int i = 0; i < scope->layouts; i++) wisp_env_destroy(scope->names[i]);
  scope->layouts = 0;
}

/* --- listing --- */

typedef struct listing { /* of one strategy in one layout */
  wisp_search *search;
  const wisp_strategy *strategy;
  int layout;
  const wisp_plan *preferred; /* the default candidate; NULL: none is legal */
} listing;

static wisp_status add_refusal(wisp_error *err, const listing *list, const char *reason)
{
  wisp_search *s = list->search;
  for (size_t i = s->refusals; i-- > 0;) {
    wisp_refusal *r = &s->refusal[i];
    if (r->strategy != list->strategy || r->layout != list->layout) break;
    if (!wisp_reason_alike(r->reason, reason)) continue;
    r->count++;
    return WISP_OK;
  }
  CALL(wisp_grow(err, &s->refusal, &s->refusal_capacity, s->refusals + 1, sizeof *s->refusal));
  wisp_refusal *r = &s->refusal[s->refusals++];
  *r = (wisp_refusal){.strategy = list->strategy, .layout = list->layout, .count = 1};
  snprintf(r->reason, sizeof r->reason, "%s", reason);
  return WISP_OK;
}

/* Gives the last candidate the number of its problem: that of another there, or the next. */
static void number_problem(wisp_search *s, const wisp_plan *plan)
{
  wisp_candidate *c = &s->candidates[s->count - 1];
  wisp_fixed fixed = {0};
  wisp_fixed_add(&fixed, plan);
  c->setting = wisp_hash_number(wisp_fixed_number(&fixed), (uint64_t)c->layout);
  c->problem = s->problems;
  for (size_t i = s->count - 1; i-- > 0 && c->problem == s->problems;)
    if (s->candidates[i].setting == c->setting) c->problem = s->candidates[i].problem;
  if (c->problem == s->problems) s->problems++;
}

static wisp_status add_candidate(wisp_error *err, void *context, const int *values, wisp_plan *made, const char *reason)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = made;
  const listing *list = context;
  wisp_search *s = list->search;
  if (!plan) return add_refusal(err, list, reason);
  CALL(wisp_grow(err, &s->candidates, &s->capacity, s->count + 1, sizeof *s->candidates));
  wisp_candidate *c = &s->candidates[s->count++];
  *c = (wisp_candidate){.strategy = list->strategy, .layout = list->layout};
  memcpy(c->values, values, (size_t)list->strategy->params * sizeof *values);
  number_problem(s, plan);
  c->is_default = list->preferred && strcmp(plan->params, list->preferred->params) == 0;
  return WISP_OK;
}

static wisp_status list_strategy(wisp_error *err, wisp_search *s, const wisp_strategy *strategy, int layout)
{
  const wisp_scope *scope = s->scope;
  const wisp_layout *laid_out = &scope->layout[layout];
  const wisp_env *names = scope->names[layout];
  listing list = {.search = s, .strategy = strategy, .layout = layout};
  OWNED(wisp_plan_destroy) wisp_plan *preferred = NULL;
  wisp_error reason = {0};
  wisp_status status = wisp_strategy_applies(&reason, strategy, laid_out, names);
  if (status == WISP_OK) status = wisp_strategy_is_candidate(&reason, strategy, names);
  if (status == WISP_EREFUSED) return add_refusal(err, &list, reason.text);
  if (status == WISP_OK) status = wisp_plan_default(&reason, strategy, &scope->spec, laid_out, names, &preferred);
  if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
  list.preferred = preferred;
  return wisp_plan_enumerate(err, strategy, &scope->spec, laid_out, names, add_candidate, &list);
}

/* --- ordering --- */

static int by_priority(const void *a, const void *b)
{
  const wisp_candidate *x = a, *y = b;
  if (x->priority != y->priority) return x->priority < y->priority ? -1 : 1;
  if (x->problem != y->problem) return x->problem - y->problem;
  return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool contains(const int *list, size_t count, int value)
{
  for (size_t i = 0; i < count; i++)
    if (list[i] == value) return true;
  return false;
}

static wisp_status order(wisp_error *err, wisp_search *s, uint64_t seed)
{
  uint64_t state = seed ? seed : 1;
  OWNED(free) int *defaults = NULL; /* problems with a default candidate: they come first */
  size_t count = 0;
  CALL(wisp_new(err, s->count, sizeof *defaults, &defaults));
  for (size_t i = 0; i < s->count; i++)
    if (s->candidates[i].is_default && !contains(defaults, count, s->candidates[i].problem))
      defaults[count++] = s->candidates[i].problem;
  for (size_t i = 0; i < s->count; i++) {
    wisp_candidate *c = &s->candidates[i];
    const bool late = !contains(defaults, count, c->problem);
    const uint64_t which = (uint64_t)(late ? c->problem : c->layout);
    uint64_t scattered = seed ^ (which + 1) * WISP_RANDOM_SEED; /* it looks random but depends only on these two */
    if (!scattered) scattered = 1;
    wisp_random_next(&scattered);
    c->priority = (uint64_t)late << 63 | wisp_random_next(&scattered) >> 1;
    c->rank = (uint64_t)!c->is_default << 63 | wisp_random_next(&state) >> 1;
  }
  if (s->count) qsort(s->candidates, s->count, sizeof *s->candidates, by_priority);
  return WISP_OK;
}

wisp_status wisp_search_create(wisp_error *err, const wisp_strategies *strategies, const wisp_scope *scope,
                               const char *strategy, uint64_t seed, wisp_search *out)
{
  HELD(wisp_search_free) wisp_search search = {.scope = scope};
  for (size_t i = 0; i < strategies->count; i++) {
    const wisp_strategy *s = strategies->list[i];
    if (strcmp(s->family, scope->family->name) != 0) continue;
    if (strcmp(s->kernel, scope->spec.kernel) != 0) continue;
    if (strategy && strcmp(s->name, strategy) != 0) continue;
    for (int l = 0; l < scope->layouts; l++) CALL(list_strategy(err, &search, s, l));
  }
  CALL(order(err, &search, seed));
  return GIVE(search, out);
}

void wisp_search_free(wisp_search *search)
{
  free(search->candidates);
  free(search->refusal);
  wisp_guide_free(&search->guide);
  *search = (wisp_search){0};
}

bool wisp_search_next_problem(wisp_search *s)
{
  s->begin = s->next = s->end;
  while (s->end < s->count && s->candidates[s->end].problem == s->candidates[s->next].problem) s->end++;
  return s->next < s->count;
}

const wisp_candidate *wisp_search_next(wisp_search *s)
{
  if (s->next == s->end) return NULL;
  const bool blind_start = s->guide.blind && s->next == s->begin;
  size_t i = s->guided ? wisp_guide_pick(&s->guide, s->begin, s->end, blind_start) : s->next;
  s->next++;
  return &s->candidates[i];
}

wisp_status wisp_candidate_plan(wisp_error *err, const wisp_scope *scope, const wisp_candidate *c, wisp_plan **out)
{
  return wisp_plan_create(err, c->strategy, &scope->spec, &scope->layout[c->layout], scope->names[c->layout], c->values,
                          out);
}
