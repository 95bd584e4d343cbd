/* The guide behind a search: candidates become points, problems are put in order, trials are told. */
#include "search.h"
#include "guide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Seeds: trials of the store as points, kept in memory for the whole sweep, to which its own trials are added. */

wisp_status wisp_seeds_add(wisp_error *err, wisp_seeds *seeds, const wisp_trial *trial)
{
  bool right = wisp_trial_is_right(trial);
  if (!right || !(trial->ms > 0) || (strcmp(trial->target, "host") == 0) != seeds->host) return WISP_OK;
  CALL(wisp_grow(err, &seeds->list, &seeds->room, seeds->count + 1, sizeof *seeds->list));
  wisp_point *seed = &seeds->list[seeds->count];
  if (!wisp_point_from_trial(trial, seed)) return WISP_OK; /* another version's */
  seed->sister = strcmp(trial->device, seeds->device) != 0;
  seeds->count++;
  return WISP_OK;
}

wisp_status wisp_seeds_load(wisp_error *err, const char *db, const char *device, const char *target, wisp_seeds *out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_seeds_free) wisp_seeds seeds = {.host = strcmp(target, "host") == 0};
  snprintf(seeds.device, sizeof seeds.device, "%s", device);
  CALL(wisp_store_open(err, db, true, NULL, &store));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    CALL(wisp_seeds_add(err, &seeds, wisp_store_trial(store, i, &layer)));
  }
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
  *count = wisp_guide_weigh(found, points, spec->order, spec->precision);
  *known = points;
  return WISP_OK;
}

static wisp_status make_guide(wisp_error *err, wisp_search *s, const wisp_target *target, size_t known_count,
                              const wisp_point *known, wisp_guide *out)
{
  OWNED(free) wisp_point *points = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  CALL(wisp_new(err, s->count, sizeof *points, &points));
  for (size_t i = 0; i < s->count; i++) {
    CALL(wisp_candidate_plan(err, s->scope, &s->candidates[i], &plan));
    CALL(wisp_point_from_plan(err, plan, target, &points[i]));
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

/* Of each layout one, so that a short budget ends with kernels that work together; then the others. By promise. */
static int by_promise(const void *a, const void *b)
{
  const block *x = a, *y = b;
  if (x->late != y->late) return x->late ? 1 : -1;
  if (x->expected < y->expected || x->expected > y->expected) return x->expected < y->expected ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

static void find_late(size_t count, block *blocks)
{
  for (size_t b = 0; b < count; b++)
    for (size_t c = 0; c < count && !blocks[b].late; c++)
      blocks[b].late = blocks[c].layout == blocks[b].layout && by_promise(&blocks[c], &blocks[b]) < 0;
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
                                .late = guide->blind && c->turn >> 63,
                                .expected = guide->blind ? 0 : INFINITY};
    block *b = &blocks[count - 1];
    b->count++;
    if (!guide->blind) b->expected = fmin(b->expected, guide->expected[i]);
  }
  if (!guide->blind) find_late(count, blocks);
  qsort(blocks, count, sizeof *blocks, by_promise);
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
  double promise = INFINITY, first = NAN, all = 0;
  for (size_t i = s->begin; i < s->count; i++) {
    promise = even ? 0 : fmin(promise, s->guide.expected[i]);
    if (i + 1 < s->count && s->candidates[i + 1].problem == s->candidates[i].problem) continue;
    if (isnan(first)) first = promise;
    all += exp((first - promise) / WORTH);
    promise = INFINITY;
  }
  return 1 / all;
}

void wisp_search_tell(wisp_search *s, const wisp_trial *trial)
{
  if (!s->guided) return;
  bool right = wisp_trial_is_right(trial);
  for (size_t i = 0; i < s->guide.count; i++) {
    const wisp_point *p = &s->guide.points[i];
    if (strcmp(p->params, trial->params) != 0 || strcmp(p->strategy, trial->strategy) != 0) continue;
    if (strcmp(p->layout, trial->layout) != 0) continue;
    wisp_guide_tell(&s->guide, i, right ? trial->ms : 0);
    return;
  }
}
