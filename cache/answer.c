/* Which trial answers. Trials stand in classes, by how well they match and by layer. The best of a class answers for
 * it; a nearer class takes the place of a farther one where its answer is expected to be faster here. */
#include "layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes within this factor are compared by the time of an element. */
static const double SIZES_ALIKE = 2;
/* Pairs of each nearness that a ratio is taken over, at most. */
enum { MOST_PAIRS = 256, NEARNESSES = 3 };

/* --- classes --- */

wisp_match wisp_asker_match(const wisp_asker *asker, const wisp_trial *trial)
{
  if (strcmp(asker->target, trial->target) != 0) return WISP_MATCH_DEFAULT;
  if (strcmp(asker->device, trial->device) != 0 || asker->units != trial->units) return WISP_MATCH_ARCHITECTURE;
  bool same = strcmp(asker->driver, trial->driver) == 0 && strcmp(asker->compiler, trial->compiler) == 0;
  return same ? WISP_MATCH_EXACT : WISP_MATCH_DRIVER;
}

int wisp_answer_class(wisp_match match, wisp_layer layer)
{
  return (int)match * WISP_LAYER_NONE + (int)layer;
}

/* The distance of a trial's size from the one asked for, as a ratio's logarithm; larger sizes are nearer where none was
 * asked. */
static double distance(const wisp_trial *trial, long long elements)
{
  if (trial->elements <= 0) return INFINITY;
  if (elements <= 0) return -log((double)trial->elements);
  return fabs(log((double)trial->elements / (double)elements));
}

static bool sizes_alike(const wisp_trial *a, const wisp_trial *b)
{
  const double x = (double)a->elements, y = (double)b->elements;
  return x > 0 && y > 0 && x <= SIZES_ALIKE * y && y <= SIZES_ALIKE * x;
}

/* Is a better than b: the mesh that counts, nearer size, then speed; last the fixed rule for ties, so that an answer
 * never depends on the order of rows. */
static bool better(const wisp_trial *a, const wisp_trial *b, long long elements)
{
  const int meshes = wisp_ranking_meshes(a, b);
  if (meshes) return meshes < 0;
  double near_a = distance(a, elements), near_b = distance(b, elements);
  if (near_a != near_b) return near_a < near_b;
  double a_ms = wisp_ranking_ms(a) / (double)a->elements,
         b_ms = wisp_ranking_ms(b) / (double)b->elements; /* equally near may be of two sizes */
  if (a->elements == b->elements) a_ms = wisp_ranking_ms(a), b_ms = wisp_ranking_ms(b);
  return a_ms != b_ms ? a_ms < b_ms : wisp_ranking_simpler(a, b);
}

/* The trial of the same candidate at a size alike that stands in a nearer class; NULL: none is right, and *failed says
 * whether one failed. */
static const wisp_trial *nearer_trial(const wisp_store *store, const wisp_asker *asker, const wisp_trial *trial,
                                      int class, bool *failed)
{
  const uint64_t candidate = wisp_trial_candidate(trial);
  *failed = false;
  for (size_t i = wisp_store_index_at(store, candidate); i < store->all.count; i++) {
    wisp_layer layer;
    if (store->index[i].candidate != candidate) break;
    const wisp_trial *t = wisp_store_trial(store, store->index[i].trial, &layer);
    if (wisp_answer_class(wisp_asker_match(asker, t), layer) >= class) continue;
    if (wisp_trial_is_right(t) && t->ms > 0 && sizes_alike(t, trial)) return t;
    *failed |= wisp_trial_verdict(t) == WISP_VERDICT_FAILED;
  }
  return NULL;
}

/* The best of each class of those with this outcome. One whose candidate failed in a nearer class is none. */
static void find_outcome(const wisp_store *store, const wisp_asker *asker, wisp_outcome outcome, const char *spec,
                         const char *layout, long long elements, wisp_current current, const void *context,
                         wisp_answer best[WISP_ANSWER_CLASSES])
{
  for (int c = 0; c < WISP_ANSWER_CLASSES; c++) best[c] = (wisp_answer){NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN};
  const wisp_trial *trial = NULL;
  wisp_layer layer;
  for (size_t at = 0; (trial = wisp_store_next(store, spec, &at, &layer));) {
    bool failed = false;
    if (layout && strcmp(trial->layout, layout) != 0) continue;
    if (wisp_trial_outcome(trial) != outcome || !(trial->ms > 0)) continue;
    const wisp_match match = wisp_asker_match(asker, trial);
    if (match == WISP_MATCH_DEFAULT) continue;
    const int class = wisp_answer_class(match, layer);
    if (best[class].trial && !better(trial, best[class].trial, elements)) continue;
    if (current && !current(context, trial)) continue;
    if (!nearer_trial(store, asker, trial, class, &failed) && failed) continue;
    best[class] = (wisp_answer){trial, match, layer, NAN};
  }
}

void wisp_store_find_each(const wisp_store *store, const wisp_asker *asker, const char *spec, const char *layout,
                          long long elements, wisp_current current, const void *context,
                          wisp_answer out[WISP_ANSWER_CLASSES])
{
  bool any = false;
  find_outcome(store, asker, WISP_TRIAL_OK, spec, layout, elements, current, context, out);
  for (int c = 0; c < WISP_ANSWER_CLASSES; c++) any |= out[c].trial != NULL;
  if (!any) find_outcome(store, asker, WISP_TRIAL_SLOW, spec, layout, elements, current, context, out);
  for (int c = 0; c < WISP_ANSWER_CLASSES; c++)
    if (out[c].trial) out[c].ratio = wisp_store_ratio(store, asker, out[c].trial);
}

/* --- the time here over the time there --- */

/* The distance of two specs: 0 the same, 1 of a kernel in one precision, 2 of a family in one precision, 3 no nearer.
 */
static int nearness(const char *a, const char *b)
{
  const char *a_precision = strrchr(a, ':'), *b_precision = strrchr(b, ':');
  const size_t family = strcspn(a, "."), kernel = strcspn(a, ":");
  if (strcmp(a, b) == 0) return 0;
  if (!a_precision || !b_precision || strcmp(a_precision, b_precision) != 0) return NEARNESSES;
  if (strcspn(b, ":") == kernel && strncmp(a, b, kernel) == 0) return 1;
  return strcspn(b, ".") == family && strncmp(a, b, family) == 0 ? 2 : NEARNESSES;
}

/* Logarithms of the ratios, by nearness. */
typedef struct pairs {
  int count[NEARNESSES];
  double list[NEARNESSES][MOST_PAIRS];
} pairs;

static double log_time(const wisp_trial *t)
{
  return log(t->ms / (double)t->elements);
}

/* Adds what a trial of here and those of the same candidate on the other card say. */
static void add_pairs(const wisp_store *store, const wisp_trial *here, const wisp_trial *there, int near, pairs *out)
{
  const uint64_t candidate = wisp_trial_candidate(here);
  for (size_t i = wisp_store_index_at(store, candidate); i < store->all.count; i++) {
    if (store->index[i].candidate != candidate || out->count[near] == MOST_PAIRS) break;
    const wisp_trial *t = &store->all.trials[store->index[i].trial];
    if (strcmp(t->device, there->device) != 0 || t->units != there->units || strcmp(t->driver, there->driver) != 0 ||
        strcmp(t->compiler, there->compiler) != 0)
      continue;
    if (wisp_trial_outcome(t) != WISP_TRIAL_OK || !(t->ms > 0) || !sizes_alike(here, t)) continue;
    out->list[near][out->count[near]++] = log_time(here) - log_time(t);
  }
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(int count, double *list)
{
  qsort(list, (size_t)count, sizeof *list, by_value);
  return 0.5 * (list[count / 2] + list[(count - 1) / 2]);
}

double wisp_store_ratio(const wisp_store *store, const wisp_asker *asker, const wisp_trial *there)
{
  const wisp_match match = wisp_asker_match(asker, there);
  pairs found = {.count = {0}};
  if (match == WISP_MATCH_EXACT) return 1;
  for (size_t i = 0; i < store->all.count; i++) {
    const wisp_trial *t = &store->all.trials[i];
    if (wisp_asker_match(asker, t) >= match || wisp_trial_outcome(t) != WISP_TRIAL_OK || !(t->ms > 0)) continue;
    const int near = nearness(there->spec, t->spec);
    if (near < NEARNESSES) add_pairs(store, t, there, near, &found);
  }
  for (int near = 0; near < NEARNESSES; near++)
    if (found.count[near]) return exp(median(found.count[near], found.list[near]));
  return match == WISP_MATCH_DRIVER ? 1 : NAN;
}

/* --- the answer --- */

double wisp_answer_expected(const wisp_answer *answer)
{
  const wisp_trial *t = answer->trial;
  return t && t->elements > 0 ? answer->ratio * t->ms / (double)t->elements : NAN;
}

/* Does the nearer answer take the place of the farther one? */
static bool takes_over(const wisp_store *store, const wisp_asker *asker, const wisp_answer *near,
                       const wisp_answer *far, long long elements)
{
  const int meshes = wisp_ranking_meshes(near->trial, far->trial);
  bool failed = false;
  if (asker->exact_only) return true;
  if (nearer_trial(store, asker, far->trial, wisp_answer_class(far->match, far->layer), &failed)) return true;
  if (meshes) return meshes < 0;
  if (!sizes_alike(near->trial, far->trial)) return distance(near->trial, elements) <= distance(far->trial, elements);
  return wisp_answer_expected(near) < wisp_answer_expected(far);
}

wisp_answer wisp_store_resolve(const wisp_store *store, const wisp_asker *asker, long long elements,
                               const wisp_answer each[WISP_ANSWER_CLASSES])
{
  wisp_answer answer = {NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN};
  for (int c = WISP_ANSWER_CLASSES; c-- > 0;)
    if (each[c].trial && (!answer.trial || takes_over(store, asker, &each[c], &answer, elements))) answer = each[c];
  return answer;
}

void wisp_store_find(const wisp_store *store, const wisp_asker *asker, const char *spec, const char *layout,
                     long long elements, wisp_current current, const void *context, wisp_answer *out)
{
  wisp_answer each[WISP_ANSWER_CLASSES];
  wisp_store_find_each(store, asker, spec, layout, elements, current, context, each);
  *out = wisp_store_resolve(store, asker, elements, each);
}
