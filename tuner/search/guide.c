/* The guide: expectations from elsewhere, corrected by own trials; turns of model, local search and strategies. */
#include "guide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Points: parameters by name on a logarithmic scale, layouts by their role, and a cost model of what a plan shows.
 */

/* A layout of another kind is as far as this many doublings of a parameter; so is a parameter that only one has. */
static const double OTHER_LAYOUT = 2, OTHER_PARAM = 2;

double wisp_spec_intensity(const wisp_spec *spec)
{
  wisp_work work = {0};
  const bool known = wisp_family_work(NULL, spec, 1e5, &work) == WISP_OK && work.bytes > 0;
  return known ? work.flops / work.bytes : 0;
}

/* The share of memory traffic that is padding, as a logarithm, weighed by how much the kernel is bound by memory. */
static double waste(const wisp_trial *t, const wisp_spec *spec, const wisp_layout *layout)
{
  const double balance = spec->precision == WISP_F64 ? 8 : 12; /* where both bind, roughly, on a GPU */
  const double padded = layout->NpM / (double)(layout->KM * layout->Np);
  if (!(padded > 1)) return 0;
  return log(padded) / (1 + (t->gbps > 0 ? t->gflops / t->gbps : wisp_spec_intensity(spec)) / balance);
}

bool wisp_point_from_trial(const wisp_trial *t, wisp_point *out)
{
  wisp_layout layout, all[8];
  char name[32], value[32];
  wisp_point p = {.is_default = t->is_default == 1, .weight = 1};
  if (wisp_spec_parse(NULL, t->spec, &p.spec) != WISP_OK) return false;
  snprintf(p.strategy, sizeof p.strategy, "%s", t->strategy);
  snprintf(p.layout, sizeof p.layout, "%s", t->layout);
  snprintf(p.params, sizeof p.params, "%s", t->params);
  p.role = strncmp(p.layout, "slab", 4) == 0 ? 0 : strncmp(p.layout, "node-km1-", 9) == 0 ? 1 : 2;
  for (const char *at = p.params; p.count < WISP_MAX_PARAMS && wisp_next_param(&at, name, value); p.count++) {
    const double number = (double)strtol(value, NULL, 10);
    p.name[p.count] = wisp_hash(WISP_HASH_SEED, name, strlen(name));
    p.step[p.count] = number > 0 ? log2(number) : number - 1;
  }
  if (wisp_family_check(NULL, &p.spec) == WISP_OK) {
    wisp_family_layouts(&p.spec, all);
    if (wisp_layout_parse(NULL, p.layout, all->Np, all->Nf, &layout) == WISP_OK) p.cost = waste(t, &p.spec, &layout);
  }
  p.ms = t->ms;
  p.source = wisp_hash(WISP_HASH_SEED, t->device, strlen(t->device));
  p.source = wisp_hash(p.source, &t->elements, sizeof t->elements);
  p.source = wisp_hash(p.source, wisp_trial_mesh(t), strlen(wisp_trial_mesh(t)));
  *out = p;
  return true;
}

/* Fewer threads on a multiprocessor than hide latencies cost time: as a logarithm, 0 from half of what fits. */
static double lack_of_threads(const wisp_plan *plan, const wisp_target *target)
{
  enum { FULL = 2048, BLOCKS = 32 };
  const unsigned *block = plan->block;
  double threads = (double)block[0] * block[1] * block[2], shared = (double)plan->shared;
  double blocks = fmin(BLOCKS, floor(FULL / threads));
  double idle = threads < 32 ? log(32 / threads) : 0;
  if (shared > 0 && target->shared_per_unit > 0) blocks = fmin(blocks, floor(target->shared_per_unit / shared));
  double occupancy = fmax(blocks, 1) * threads / FULL;
  return idle + 0.5 * fmax(0, log(0.5 / occupancy));
}

wisp_status wisp_point_from_plan(wisp_error *err, const wisp_plan *plan, const wisp_target *target, double intensity,
                                 wisp_point *out)
{
  wisp_trial t = {.gbps = 1, .gflops = intensity};
  wisp_spec_print(&plan->spec, t.spec);
  wisp_layout_print(&plan->layout, t.layout);
  snprintf(t.strategy, sizeof t.strategy, "%s", plan->strategy->name);
  snprintf(t.params, sizeof t.params, "%s", plan->params);
  if (!wisp_point_from_trial(&t, out)) return wisp_fail(err, WISP_EINPUT, "spec '%s' cannot be read", t.spec);
  if (target->gpu) out->cost += lack_of_threads(plan, target);
  return WISP_OK;
}

/* In doublings of a parameter; INFINITY for two strategies. */
static double point_distance(const wisp_point *a, const wisp_point *b)
{
  int shared = 0;
  double distance = a->role == b->role ? 0 : OTHER_LAYOUT;
  if (strcmp(a->strategy, b->strategy) != 0) return INFINITY;
  for (int i = 0, j = 0; i < a->count; i++) {
    for (j = 0; j < b->count && b->name[j] != a->name[i];) j++;
    if (j == b->count) continue;
    distance += fabs(a->step[i] - b->step[j]);
    shared++;
  }
  return distance + OTHER_PARAM * (a->count + b->count - 2 * shared);
}

/* One parameter changed by one step, or another layout. */
static bool point_neighbours(const wisp_point *a, const wisp_point *b)
{
  double distance = point_distance(a, b);
  if (strcmp(a->layout, b->layout) != 0) return isfinite(distance) && strcmp(a->params, b->params) == 0;
  int changed = 0;
  for (int i = 0; i < a->count && i < b->count; i++) changed += a->step[i] < b->step[i] || a->step[i] > b->step[i];
  return distance <= 1 && changed == 1;
}

static const double REACH = 0.5;     /* of a known trial, in doublings of a parameter */
static const double OWN_REACH = 1.0; /* of an own one */
static const double DOUBT = 0.3;     /* how much own evidence outweighs what was expected */
static const double WORST = 2;       /* logarithms beyond this are alike: far too slow */
static const double UNKNOWN = 0.7;   /* what is expected where nothing is near, before the model speaks */
static const double FAITH = 1e-3;    /* weight of that */
static const size_t FIRST_LOOK = 8;  /* picks over all strategies, where nothing is known */
static const int FARTHEST = 3;       /* orders away that still tell something */

/* --- what is known from elsewhere --- */

bool wisp_point_helps(const wisp_point *p, const wisp_spec *spec)
{
  return strcmp(p->spec.kernel, spec->kernel) == 0 && strcmp(p->spec.family, spec->family) == 0;
}

size_t wisp_guide_weigh(size_t count, wisp_point *known, const wisp_spec *spec)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    wisp_point *p = &known[i];
    double best = p->ms;
    p->weight = 0;
    if (abs(p->spec.order - spec->order) > FARTHEST || !(p->ms > 0)) continue;
    for (size_t k = 0; k < count; k++) /* times that can be compared: of the same problem in all but its mesh's shape */
      if (known[k].ms > 0 && known[k].ms < best && known[k].source == p->source &&
          wisp_spec_orders(&known[k].spec, &p->spec) == 0)
        best = known[k].ms;
    p->cost = fmin(log(p->ms / best), WORST); /* kept aside while others of the group still need its time */
    p->weight = exp(-abs(p->spec.order - spec->order) / 0.8) * (p->spec.precision == spec->precision ? 1 : 0.15) *
                (strcmp(p->spec.system, spec->system) == 0 ? 1 : 0.1) *
                (strcmp(p->spec.element, spec->element) == 0 ? 1 : 0.1) * (p->sister ? 0.5 : 1);
  }
  for (size_t i = 0; i < count; i++) {
    if (known[i].weight <= 0) continue;
    known[i].ms = exp(known[i].cost);
    known[kept++] = known[i];
  }
  return kept;
}

/* The mean of what similar candidates took elsewhere, near ones first; the model where there are none. */
static double expect(const wisp_point *p, size_t count, const wisp_point *known)
{
  double weight = FAITH, sum = FAITH * (UNKNOWN + p->cost);
  for (size_t i = 0; i < count; i++) {
    double distance = point_distance(p, &known[i]);
    if (!isfinite(distance)) continue;
    double w = known[i].weight * exp(-distance / REACH);
    weight += w;
    sum += w * log(known[i].ms);
  }
  return sum / weight;
}

wisp_status wisp_guide_create(wisp_error *err, size_t count, const wisp_point *points, size_t known_count,
                              const wisp_point *known, wisp_guide *out)
{
  HELD(wisp_guide_free) wisp_guide g = {.count = count, .blind = known_count == 0, .log_best = INFINITY};
  CALL(wisp_new(err, count, sizeof *g.points, &g.points));
  CALL(wisp_new(err, count, sizeof *g.state, &g.state));
  for (size_t i = 0; i < count; i++) {
    g.points[i] = points[i];
    g.points[i].ms = 0;
    while (strcmp(points[g.state[i].kind].strategy, points[i].strategy) != 0) g.state[i].kind++;
    g.state[i].expected = expect(&points[i], known_count, known);
  }
  return GIVE(g, out);
}

void wisp_guide_free(wisp_guide *g)
{
  free(g->points), free(g->state);
  *g = (wisp_guide){0};
}

/* --- what own trials tell --- */

void wisp_guide_report(wisp_guide *g, size_t i, double ms)
{
  wisp_point *p = &g->points[i];
  if (!(ms > 0) && !isfinite(g->log_best)) return;
  double took = ms > 0 ? fmin(log(ms), g->log_best + WORST) : g->log_best + WORST;
  p->ms = ms;
  if (took < g->log_best) g->log_best = took;
  /* The scale is that of the fast ones: slow ones say little about where the best will be. */
  double w = exp(-(took - g->log_best) / 0.5);
  g->offset = (g->offset * g->offset_weight + w * (took - g->state[i].expected)) / (g->offset_weight + w);
  g->offset_weight += w;
  for (size_t k = 0; k < g->count; k++) {
    double distance = point_distance(p, &g->points[k]);
    if (!isfinite(distance)) continue;
    double near = exp(-distance / OWN_REACH);
    g->state[k].near += near;
    g->state[k].moved += near * (took - g->state[i].expected);
  }
}

/* --- turns --- */

typedef bool (*wanted)(const wisp_guide *g, size_t i, size_t of);

static bool is_default(const wisp_guide *g, size_t i, size_t of)
{
  (void)of;
  return g->points[i].is_default;
}

static bool same_strategy(const wisp_guide *g, size_t i, size_t of)
{
  return g->state[i].kind == g->state[of].kind;
}

static bool is_neighbour(const wisp_guide *g, size_t i, size_t of)
{
  return point_neighbours(&g->points[i], &g->points[of]);
}

/* want NULL: any. */
static size_t best_of(const wisp_guide *g, size_t from, size_t to, wanted want, size_t of)
{
  size_t best = to;
  double least = INFINITY;
  for (size_t i = from; i < to; i++) {
    if (g->state[i].picked || (want && !want(g, i, of))) continue;
    double s = g->state[i].expected + (g->state[i].moved - g->offset * g->state[i].near) / (g->state[i].near + DOUBT);
    if (best < to && s >= least) continue;
    best = i;
    least = s;
  }
  return best;
}

/* A step from the fastest whose neighbours were not all picked: where these are used up, the search starts again from
 * the next fastest. */
static size_t local_step(wisp_guide *g, size_t from, size_t to)
{
  for (;;) {
    size_t centre = to;
    for (size_t i = from; i < to; i++)
      if (!g->state[i].explored && g->points[i].ms > 0 && (centre == to || g->points[i].ms < g->points[centre].ms))
        centre = i;
    if (centre == to) return to;
    size_t step = best_of(g, from, to, is_neighbour, centre);
    if (step < to) return step;
    g->state[centre].explored = true;
  }
}

/* The best of the strategy that was tried least. */
static size_t other_strategy(const wisp_guide *g, size_t from, size_t to)
{
  size_t least = SIZE_MAX, chosen = to;
  for (size_t i = from; i < to; i++) {
    size_t tried = 0;
    bool first = !g->state[i].picked;
    for (size_t k = from; k < i && first; k++) first = g->state[k].picked || !same_strategy(g, k, i);
    if (!first) continue; /* one for each strategy that has some left */
    for (size_t k = 0; k < g->count; k++) tried += g->state[k].picked && same_strategy(g, k, i);
    if (tried >= least) continue;
    least = tried;
    chosen = best_of(g, from, to, same_strategy, i);
  }
  return chosen;
}

size_t wisp_guide_pick(wisp_guide *g, size_t from, size_t to, bool fresh)
{
  size_t i = to;
  if (fresh) i = best_of(g, from, to, is_default, 0);
  if (i == to && g->blind && g->picks < FIRST_LOOK) i = other_strategy(g, from, to);
  if (i == to && g->picks % 3 == 1) i = local_step(g, from, to);
  if (i == to && g->picks % 3 == 2) i = other_strategy(g, from, to);
  if (i == to) i = best_of(g, from, to, NULL, 0);
  if (i == to) return to;
  g->state[i].picked = true;
  g->picks++;
  return i;
}
