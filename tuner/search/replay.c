/* Replay: each target's candidates are those that the sweep holds; a trial is looked up instead of run. */
#include "replay.h"
#include "search.h"
#include "../../runtime/kernel.h"
#include "../../runtime/process.h"
#include "../trial/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const int wisp_replay_after[WISP_REPLAY_POINTS] = {5, 10, 25, 50, WISP_REPLAY_MOST};

/* The device that most trials are of. */
static const char *main_device(size_t count, const wisp_trial *const *trials)
{
  const char *best = "";
  size_t most = 0;
  for (size_t i = 0; i < count; i++) {
    size_t same = 0;
    if (strcmp(trials[i]->device, best) == 0) continue;
    for (size_t k = 0; k < count; k++) same += strcmp(trials[k]->device, trials[i]->device) == 0;
    if (same > most) most = same, best = trials[i]->device;
  }
  return best;
}

static wisp_status read_store(wisp_error *err, const char *path, size_t *count, wisp_trial **out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) const wisp_trial **mine = NULL;
  wisp_trial *trials = NULL;
  size_t found = 0, kept = 0;
  CALL(wisp_store_open(err, path, false, NULL, &store));
  CALL(wisp_new(err, wisp_store_count(store), sizeof *mine, &mine));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    if (layer == WISP_LAYER_USER && t->ms > 0 && wisp_trial_is_right(t)) mine[found++] = t;
  }
  CALL(wisp_require(err, found > 0, WISP_EUSAGE, "%s: no measured trials to replay: name a store with a sweep by --db",
                    path));
  CALL(wisp_new(err, found, sizeof *trials, &trials));
  const char *device = main_device(found, mine);
  for (size_t i = 0; i < found; i++)
    if (strcmp(mine[i]->device, device) == 0) trials[kept++] = *mine[i];
  *count = kept;
  *out = trials;
  return WISP_OK;
}

wisp_status wisp_replay_load(wisp_error *err, const char *path, size_t *count, wisp_trial **out)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text file = {0};
  CALL(wisp_require(err, access(path, R_OK) == 0, WISP_EUSAGE,
                    "%s: there is no such file: name a store, or one packed as .gz, by --db", path));
  CALL(wisp_unpack(err, path, folder, &file));
  return read_store(err, file.data, count, out);
}

/* --- one target --- */

typedef struct replaying {
  size_t count;
  const wisp_trial *trials;
  wisp_point *points;
  const wisp_replay_request *request;
  wisp_strategies *strategies;
  wisp_target device;
} replaying;

/* Adds the cost of a candidate by its plan; nothing where today's strategies lack it. */
static void see_plan(const replaying *r, const wisp_scope *scope, const wisp_trial *t, wisp_point *point)
{
  wisp_plan *plan = NULL;
  wisp_point seen;
  char layout[WISP_LAYOUT_TEXT];
  const wisp_strategy *strategy =
      wisp_strategies_find(r->strategies, scope->family->name, scope->spec.kernel, t->strategy);
  for (int l = 0; l < scope->layouts && strategy; l++) {
    wisp_layout_print(&scope->layout[l], layout);
    if (strcmp(layout, t->layout) != 0) continue;
    if (wisp_plan_from_text(NULL, strategy, &scope->spec, &scope->layout[l], scope->names[l], t->params, &plan) ==
            WISP_OK &&
        wisp_point_from_plan(NULL, plan, &r->device, wisp_spec_intensity(&scope->spec), &seen) == WISP_OK)
      point->cost = seen.cost;
    wisp_plan_destroy(plan);
    return;
  }
}

/* The mean result of a random search, as a logarithm of best / optimum. The fastest of n picks has rank k where the
 * other n - 1 picks are among those after it. */
static double expect_random(size_t count, const double *sorted, size_t n)
{
  double chance = 0, left = 1, sum = 0; /* left: that none before rank k is picked */
  for (size_t k = 0; k < count && left > 0; k++) {
    chance = fmin((double)n / (double)(count - k), 1);
    sum += left * chance * log(sorted[k] / sorted[0]);
    left *= 1 - chance;
  }
  return sum;
}

static void search_target(const replaying *r, wisp_guide *guide, const size_t *which, wisp_replay_target *t)
{
  double best = INFINITY;
  for (size_t n = 0; n < WISP_REPLAY_MOST && n < guide->count; n++) {
    size_t i = wisp_guide_pick(guide, 0, guide->count, n == 0);
    double ms = r->trials[which[i]].ms;
    best = fmin(best, ms);
    wisp_guide_report(guide, i, ms);
    t->tried[t->trials++] = which[i];
    for (int p = 0; p < WISP_REPLAY_POINTS; p++)
      if ((int)n < wisp_replay_after[p]) t->percent[p] = 100 * t->optimum / best;
  }
}

/* Trials of one target: one kernel, timed on the same mesh. */
static bool same_target(const replaying *r, size_t i, size_t k)
{
  const wisp_spec *a = &r->points[i].spec, *b = &r->points[k].spec;
  return r->points[i].source == r->points[k].source && wisp_spec_orders(a, b) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

static wisp_status replay_target(wisp_error *err, const replaying *r, size_t first, wisp_replay_target *t)
{
  const wisp_spec *spec = &r->points[first].spec;
  HELD(wisp_scope_free) wisp_scope scope = {0};
  HELD(wisp_guide_free) wisp_guide guide = {0};
  OWNED(free) wisp_point *points = NULL, *known = NULL;
  OWNED(free) size_t *which = NULL;
  OWNED(free) double *ms = NULL;
  size_t known_count = 0;
  CALL(wisp_new(err, r->count, sizeof *points, &points));
  CALL(wisp_new(err, r->count, sizeof *known, &known));
  CALL(wisp_new(err, r->count, sizeof *which, &which));
  CALL(wisp_scope_create(err, wisp_family_find(spec->family), spec, &r->device, NULL, &scope));
  *t = (wisp_replay_target){.order = spec->order, .precision = spec->precision, .optimum = INFINITY};
  snprintf(t->kernel, sizeof t->kernel, "%s", spec->kernel);
  for (size_t i = first; i < r->count; i++) {
    if (!same_target(r, i, first)) continue;
    points[t->candidates] = r->points[i];
    see_plan(r, &scope, &r->trials[i], &points[t->candidates]);
    t->optimum = fmin(t->optimum, r->trials[i].ms);
    which[t->candidates++] = i;
  }
  /* Seeds: all that the sweep knows of this kernel but at this very order, precision, system and element. */
  for (size_t i = 0; r->request->seeded && i < r->count; i++) {
    const bool own = wisp_spec_orders(&r->points[i].spec, spec) == 0;
    if (!own && wisp_point_helps(&r->points[i], spec)) known[known_count++] = r->points[i];
  }
  known_count = wisp_guide_weigh(known_count, known, spec);
  CALL(wisp_guide_create(err, t->candidates, points, known_count, known, &guide));
  search_target(r, &guide, which, t);
  CALL(wisp_new(err, t->candidates, sizeof *ms, &ms));
  for (size_t i = 0; i < t->candidates; i++) ms[i] = r->trials[which[i]].ms;
  qsort(ms, t->candidates, sizeof *ms, wisp_measure_order);
  for (int p = 0; p < WISP_REPLAY_POINTS; p++)
    t->random[p] = 100 * exp(-expect_random(t->candidates, ms, (size_t)wisp_replay_after[p]));
  return WISP_OK;
}

/* --- all targets --- */

static bool is_wanted(const wisp_replay_request *q, const wisp_spec *s)
{
  bool order = q->orders == 0, precision = q->precisions == 0;
  for (int i = 0; i < q->orders; i++) order = order || q->order[i] == s->order;
  for (int i = 0; i < q->precisions; i++) precision = precision || q->precision[i] == s->precision;
  return order && precision && strcmp(s->family, q->family) == 0 && !wisp_spec_is_composition(s) &&
         wisp_family_check(NULL, s) == WISP_OK && (!q->kernel || strcmp(q->kernel, s->kernel) == 0);
}

static int by_kernel(const void *a, const void *b)
{
  const wisp_replay_target *x = a, *y = b;
  int names = strcmp(x->kernel, y->kernel);
  if (names != 0) return names;
  return x->order != y->order ? x->order - y->order : (int)x->precision - (int)y->precision;
}

static void summarise(wisp_replay *replay)
{
  for (int p = 0; p < WISP_REPLAY_POINTS; p++) {
    double sum = 0, random = 0;
    replay->worst[p] = INFINITY;
    for (size_t i = 0; i < replay->count; i++) {
      double percent = replay->targets[i].percent[p];
      sum += log(percent);
      random += log(replay->targets[i].random[p]);
      if (percent >= replay->worst[p]) continue;
      replay->worst[p] = percent;
      replay->worst_target[p] = i;
    }
    replay->mean[p] = exp(sum / (double)replay->count);
    replay->random[p] = exp(random / (double)replay->count);
  }
}

static wisp_status read_trials(wisp_error *err, replaying *r)
{
  wisp_limits limits;
  CALL(wisp_new(err, r->count, sizeof *r->points, &r->points));
  for (size_t i = 0; i < r->count; i++)
    CALL(wisp_require(err, wisp_point_from_trial(&r->trials[i], &r->points[i]), WISP_ESTORE, "spec '%s' cannot be read",
                      r->trials[i].spec));
  CALL(wisp_target_limits(err, r->count ? r->trials[0].target : "host", &limits));
  r->device = wisp_limits_target(&limits);
  return wisp_strategies_load(err, &r->strategies);
}

wisp_status wisp_replay_run(wisp_error *err, size_t count, const wisp_trial *trials, const wisp_replay_request *request,
                            wisp_replay *out)
{
  wisp_status status = WISP_OK;
  wisp_replay replay = {0};
  replaying r = {.count = count, .trials = trials, .request = request};
  TRY(read_trials(err, &r));
  TRY(wisp_new(err, count, sizeof *replay.targets, &replay.targets)); /* at most one a trial */
  for (size_t i = 0; i < count; i++) {
    bool seen = !is_wanted(request, &r.points[i].spec);
    for (size_t k = 0; k < i && !seen; k++) seen = same_target(&r, k, i);
    if (!seen) TRY(replay_target(err, &r, i, &replay.targets[replay.count++]));
  }
  TRY(wisp_require(err, replay.count > 0, WISP_EUSAGE,
                   "the sweep holds no trial of what is asked for: 'wisp db show --db FILE' lists what it holds"));
  qsort(replay.targets, replay.count, sizeof *replay.targets, by_kernel);
  summarise(&replay);
  *out = replay;
done:
  if (status != WISP_OK) wisp_replay_free(&replay);
  wisp_strategies_free(r.strategies);
  free(r.points);
  return status;
}

void wisp_replay_free(wisp_replay *replay)
{
  free(replay->targets);
  *replay = (wisp_replay){0};
}
