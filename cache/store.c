#include "reader.h"

#include "../gen/environment.h"
#include "../gen/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trial by its candidate: a hash of spec, layout, strategy, parameters, texts and mesh. */
typedef struct by_candidate {
  uint64_t candidate;
  size_t trial;
} by_candidate;

struct wisp_store {
  wisp_trials all;                   /* user's, then the site's, then the shipped ones */
  size_t first[WISP_LAYER_NONE + 1]; /* where each layer begins; the last entry is the end */
  /* Trials by their specs: a list for each remainder of a spec's hash, in the order of the layers. Numbers of trials
   * begin with 1; 0 ends a list. */
  size_t lists, *head, *next;
  wisp_equal_system equal; /* NULL: specs are equal if their texts are */
  const void *equal_context;
  by_candidate *index; /* of all trials, sorted */
};

/* The spec with the name that all systems of its equations share: in room where it is another. */
static const char *shared_spec(const wisp_store *store, const char *text, char capacity[WISP_SPEC_TEXT])
{
  wisp_spec spec;
  if (!store->equal || wisp_spec_parse(NULL, text, &spec) != WISP_OK) return text;
  const char *equal = store->equal(store->equal_context, spec.system);
  if (strcmp(equal, spec.system) == 0) return text;
  snprintf(spec.system, sizeof spec.system, "%s", equal);
  wisp_spec_print(&spec, capacity);
  return capacity;
}

static size_t list_of(const wisp_store *store, const char *shared)
{
  return wisp_hash_text(WISP_HASH_SEED, shared) % store->lists;
}

static void link_specs(wisp_store *store)
{
  char capacity[WISP_SPEC_TEXT];
  memset(store->head, 0, store->lists * sizeof *store->head);
  for (size_t i = store->all.count; i > 0; i--) {
    size_t *head = &store->head[list_of(store, shared_spec(store, store->all.trials[i - 1].spec, capacity))];
    store->next[i] = *head;
    *head = i;
  }
}

void wisp_store_share_systems(wisp_store *store, wisp_equal_system equal, const void *context)
{
  store->equal = equal;
  store->equal_context = context;
  link_specs(store);
}

/* The candidate's hash. */
static uint64_t candidate_of(const wisp_trial *t)
{
  const char *const texts[] = {t->spec, t->layout, t->strategy, t->params, t->template_hash, wisp_trial_mesh(t)};
  uint64_t hash = WISP_HASH_SEED;
  for (size_t i = 0; i < WISP_COUNT(texts); i++) hash = wisp_hash(hash, texts[i], strlen(texts[i]) + 1);
  return hash;
}

static int compare_candidates(const void *a, const void *b)
{
  const by_candidate *x = a, *y = b;
  if (x->candidate != y->candidate) return x->candidate < y->candidate ? -1 : 1;
  return (x->trial > y->trial) - (x->trial < y->trial);
}

/* The first entry of the index that is of the candidate, or would be; the others follow it. */
static size_t index_at(const wisp_store *store, uint64_t candidate)
{
  size_t from = 0, to = store->all.count;
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    if (store->index[middle].candidate < candidate)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

const char *wisp_match_name(wisp_match match)
{
  static const char *const names[] = {"exact", "other driver", "same architecture", "default"};
  return names[match];
}

const char *wisp_layer_name(wisp_layer layer)
{
  static const char *const names[] = {"user", "site", "shipped", "none"};
  return names[layer];
}

/* One file's trials. Where tolerant, a file that cannot be used, or not soon, is a line of the warning instead. */
static wisp_status load_file(wisp_error *err, const char *path, bool tolerant, wisp_text *warning, wisp_trials *list)
{
  wisp_error why = {0};
  size_t start = list->count;
  double left = WISP_HASTE;
  const wisp_status got = wisp_reader_load(&why, path, false, tolerant ? &left : NULL, NULL, list);
  if (got == WISP_OK) return WISP_OK;
  list->count = start;
  if (!tolerant || got == WISP_EMEMORY || got == WISP_EUSAGE) return wisp_fail(err, got, "%s", why.text);
  return wisp_text_print(err, warning, WISP_MESSAGE("%s%s; going on without it"), warning->length ? "\n" : "",
                         why.text);
}

/* The user's file, named or at its usual place. A machine without a home has none, and may still use what ships. */
static wisp_status load_user(wisp_error *err, const char *named, bool tolerant, wisp_text *warning, wisp_trials *list)
{
  wisp_error why = {0};
  char *path = NULL;
  wisp_status status = named ? WISP_OK : wisp_store_user_path(&why, &path);
  if (status == WISP_ESTORE)
    status = wisp_text_print(err, warning, WISP_MESSAGE("%s; going on without a user's store"), why.text);
  else if (status != WISP_OK)
    status = wisp_fail(err, status, "%s", why.text);
  else
    status = load_file(err, named ? named : path, tolerant, warning, list);
  free(path);
  return status;
}

wisp_status wisp_store_open(wisp_error *err, const char *user_path, bool tolerant, char **warning, wisp_store **out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_text_free) wisp_text notes = {0};
  const char *site = getenv("WISP_SITE_DB");
  CALL(wisp_environment_check(err));
  CALL(wisp_new(err, 1, sizeof *store, &store));
  CALL(load_user(err, user_path, tolerant, &notes, &store->all));
  store->first[WISP_LAYER_SITE] = store->all.count;
  if (site && *site) CALL(load_file(err, site, true, &notes, &store->all));
  store->first[WISP_LAYER_SHIPPED] = store->all.count;
  CALL(wisp_shipped_load(err, &notes, &store->all));
  store->first[WISP_LAYER_NONE] = store->all.count;
  store->lists = store->all.count + 1;
  CALL(wisp_new(err, store->lists, sizeof *store->head, &store->head));
  CALL(wisp_new(err, store->lists, sizeof *store->next, &store->next));
  link_specs(store);
  CALL(wisp_new(err, store->all.count, sizeof *store->index, &store->index));
  for (size_t i = 0; i < store->all.count; i++)
    store->index[i] = (by_candidate){candidate_of(&store->all.trials[i]), i};
  if (store->all.count) qsort(store->index, store->all.count, sizeof *store->index, compare_candidates);
  if (warning) {
    *warning = notes.data;
    notes.data = NULL;
  }
  return GIVE(store, out);
}

void wisp_store_close(wisp_store *store)
{
  if (!store) return;
  free(store->all.trials);
  free(store->head);
  free(store->next);
  free(store->index);
  free(store);
}

size_t wisp_store_count(const wisp_store *store)
{
  return store->all.count;
}

const wisp_trial *wisp_store_trial(const wisp_store *store, size_t i, wisp_layer *layer)
{
  if (i >= store->all.count) return NULL;
  int at = WISP_LAYER_USER;
  while (i >= store->first[at + 1]) at++;
  if (layer) *layer = (wisp_layer)at;
  return &store->all.trials[i];
}

const wisp_trial *wisp_store_next(const wisp_store *store, const char *spec, size_t *at, wisp_layer *layer)
{
  char asked[WISP_SPEC_TEXT], capacity[WISP_SPEC_TEXT];
  const char *shared = shared_spec(store, spec, asked);
  size_t i = *at ? store->next[*at] : store->head[list_of(store, shared)];
  while (i && strcmp(shared_spec(store, store->all.trials[i - 1].spec, capacity), shared) != 0) i = store->next[i];
  *at = i;
  return i ? wisp_store_trial(store, i - 1, layer) : NULL;
}

void wisp_store_retime(wisp_store *store, const wisp_trial *trial, const wisp_trial *timed)
{
  wisp_trial *t = &store->all.trials[trial - store->all.trials];
  if (t == timed || !(timed->ms > 0)) return;
  const double faster = t->ms / timed->ms;
  t->ms = timed->ms;
  t->gdofs *= faster, t->gbps *= faster, t->gflops *= faster, t->efficiency *= faster;
  t->clock_mhz = timed->clock_mhz;
  memcpy(t->when, timed->when, sizeof t->when);
  memcpy(t->mode, timed->mode, sizeof t->mode);
  memcpy(t->samples, timed->samples, sizeof t->samples);
  t->sample_count = timed->sample_count;
}

void wisp_store_keep(wisp_store *store, wisp_layer layer, const char *device, const char *day)
{
  for (size_t i = 0; i < store->all.count; i++) {
    wisp_layer of = WISP_LAYER_NONE;
    wisp_trial *t = &store->all.trials[i];
    (void)wisp_store_trial(store, i, &of);
    const bool kept = (layer == WISP_LAYER_NONE || of == layer) && strcasestr(t->device, device) &&
                      (!day || strncmp(t->when, day, strlen(day)) <= 0);
    if (!kept) wisp_trial_end(t, WISP_TRIAL_REFUSED, "%s", "");
  }
}

void wisp_store_show(wisp_store *store)
{
  char shown[sizeof((wisp_trial *)0)->reason];
  for (size_t i = 0; i < store->all.count; i++)
    for (int c = 0; c < WISP_COLUMN_COUNT; c++) {
      const wisp_column *column = &wisp_columns[c];
      if (column->kind != WISP_COLUMN_TEXT) continue;
      char *text = (char *)&store->all.trials[i] + column->offset;
      const char *end = text;
      while (*end >= ' ' && *end <= '~') end++;
      if (!*end) continue; /* every terminal shows these letters: most texts have no others */
      wisp_show_text(text, shown, column->size);
      strcpy(text, shown);
    }
}

/* ---- Which trial answers. Trials stand in classes, by how well they match and by layer. The best of a class answers
 * for it; a nearer class takes the place of a farther one where its answer is expected to be faster here. */

/* Sizes within this factor are compared by the time of an element. */
static const double SIZES_ALIKE = 2;
/* Pairs of each nearness that a ratio is taken over, at most. */
enum { MOST_PAIRS = 256, NEARNESSES = 3 };

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
  const uint64_t candidate = candidate_of(trial);
  *failed = false;
  for (size_t i = index_at(store, candidate); i < store->all.count; i++) {
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
  const uint64_t candidate = candidate_of(here);
  for (size_t i = index_at(store, candidate); i < store->all.count; i++) {
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
  for (int near = 0; near < NEARNESSES; near++) {
    const int count = found.count[near];
    double *list = found.list[near];
    if (!count) continue;
    qsort(list, (size_t)count, sizeof *list, by_value);
    return exp(0.5 * (list[count / 2] + list[(count - 1) / 2])); /* the median's */
  }
  return match == WISP_MATCH_DRIVER ? 1 : NAN;
}

/* --- the answer --- */

double wisp_answer_expected(const wisp_answer *answer)
{
  const wisp_trial *t = answer->trial;
  return t && t->elements > 0 ? answer->ratio * t->ms / (double)t->elements : NAN;
}

/* A card's own sweep has measured most candidates that seem to be faster. It missed another card's entry that takes
 * less than this share of its winner's time. Times are predicted to 4 % (one standard deviation), one in a hundred is
 * 14 % off. */
static const double CLEARLY = 0.6;

bool wisp_answer_is_own_sweep(wisp_match match, wisp_layer layer)
{
  return match <= WISP_MATCH_DRIVER && layer == WISP_LAYER_SHIPPED;
}

/* Does the nearer answer take the place of the farther one? */
static bool takes_over(const wisp_store *store, const wisp_asker *asker, const wisp_answer *near,
                       const wisp_answer *far, long long elements)
{
  const int meshes = wisp_ranking_meshes(near->trial, far->trial);
  bool failed = false;
  if (asker->exact_only) return true;
  if (wisp_answer_is_own_sweep(near->match, near->layer) && far->match == WISP_MATCH_ARCHITECTURE)
    return meshes || !sizes_alike(near->trial, far->trial) ||
           !(wisp_answer_expected(far) < CLEARLY * wisp_answer_expected(near));
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
