/* Points: parameters by name on a logarithmic scale, layouts by their role, and a cost model of what a plan shows. */
#include "point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A layout of another kind is as far as this many doublings of a parameter; so is a parameter that only one has. */
static const double OTHER_LAYOUT = 2, OTHER_PARAM = 2;

static double doublings(long value)
{
  return value > 0 ? log2((double)value) : (double)value - 1;
}

/* "unroll=4 wi=2" */
static void read_params(const char *text, wisp_point *p)
{
  char name[32], value[32];
  while (p->count < WISP_MAX_PARAMS && wisp_next_param(&text, name, value)) {
    p->name[p->count] = wisp_hash(WISP_HASH_SEED, name, strlen(name));
    p->step[p->count++] = doublings(strtol(value, NULL, 10));
  }
}

/* Operations a byte: what was measured tells it, else the kernel's minimal work. */
static double intensity(const wisp_trial *t, const wisp_spec *spec)
{
  wisp_work work = {0};
  if (t->gbps > 0) return t->gflops / t->gbps;
  return wisp_family_work(NULL, spec, 1e5, &work) == WISP_OK && work.bytes > 0 ? work.flops / work.bytes : 0;
}

/* The share of memory traffic that is padding, as a logarithm, weighed by how much the kernel is bound by memory. */
static double waste(const wisp_trial *t, const wisp_spec *spec, const wisp_layout *layout)
{
  const double balance = spec->precision == WISP_F64 ? 8 : 12; /* where both bind, roughly, on a GPU */
  const double padded = layout->NpM / (double)(layout->KM * layout->Np);
  return padded > 1 ? log(padded) / (1 + intensity(t, spec) / balance) : 0;
}

static bool find_layout(const wisp_spec *spec, const char *name, wisp_layout *out)
{
  wisp_layout all[8];
  if (wisp_family_check(NULL, spec) != WISP_OK) return false;
  wisp_family_layouts(spec, all);
  return wisp_layout_parse(NULL, name, all->Np, all->Nf, out) == WISP_OK;
}

static int role_of(const char *layout)
{
  if (strncmp(layout, "slab", 4) == 0) return 0;
  return strncmp(layout, "node-km1-", 9) == 0 ? 1 : 2;
}

bool wisp_point_from_trial(const wisp_trial *t, wisp_point *out)
{
  wisp_layout layout;
  wisp_point p = {.is_default = t->is_default == 1, .weight = 1};
  if (wisp_spec_parse(NULL, t->spec, &p.spec) != WISP_OK) return false;
  snprintf(p.strategy, sizeof p.strategy, "%s", t->strategy);
  snprintf(p.layout, sizeof p.layout, "%s", t->layout);
  snprintf(p.params, sizeof p.params, "%s", t->params);
  p.role = role_of(p.layout);
  read_params(p.params, &p);
  if (find_layout(&p.spec, p.layout, &layout)) p.cost = waste(t, &p.spec, &layout);
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

wisp_status wisp_point_from_plan(wisp_error *err, const wisp_plan *plan, const wisp_target *target, wisp_point *out)
{
  wisp_trial t = {0};
  wisp_spec_print(&plan->spec, t.spec);
  wisp_layout_print(&plan->layout, t.layout);
  snprintf(t.strategy, sizeof t.strategy, "%s", plan->strategy->name);
  snprintf(t.params, sizeof t.params, "%s", plan->params);
  if (!wisp_point_from_trial(&t, out)) return wisp_fail(err, WISP_EINPUT, "spec '%s' cannot be read", t.spec);
  if (target->cuda) out->cost += lack_of_threads(plan, target);
  return WISP_OK;
}

double wisp_point_distance(const wisp_point *a, const wisp_point *b)
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

bool wisp_point_neighbours(const wisp_point *a, const wisp_point *b)
{
  double distance = wisp_point_distance(a, b);
  if (strcmp(a->layout, b->layout) != 0) return isfinite(distance) && strcmp(a->params, b->params) == 0;
  int changed = 0;
  for (int i = 0; i < a->count && i < b->count; i++) changed += a->step[i] < b->step[i] || a->step[i] > b->step[i];
  return distance <= 1 && changed == 1;
}
