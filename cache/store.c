#include "layers.h"
#include "shipped.h"

#include "../gen/embedded.h"
#include "../gen/environment.h"
#include "../gen/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static wisp_status index_specs(wisp_error *err, wisp_store *store)
{
  store->lists = store->all.count + 1;
  CALL(wisp_new(err, store->lists, sizeof *store->head, &store->head));
  CALL(wisp_new(err, store->lists, sizeof *store->next, &store->next));
  link_specs(store);
  return WISP_OK;
}

void wisp_store_share_systems(wisp_store *store, wisp_equal_system equal, const void *context)
{
  store->equal = equal;
  store->equal_context = context;
  link_specs(store);
}

uint64_t wisp_trial_candidate(const wisp_trial *t)
{
  const char *const texts[] = {t->spec, t->layout, t->strategy, t->params, t->template_hash, wisp_trial_mesh(t)};
  uint64_t hash = WISP_HASH_SEED;
  for (size_t i = 0; i < WISP_COUNT(texts); i++) hash = wisp_hash(hash, texts[i], strlen(texts[i]) + 1);
  return hash;
}

static int by_candidate(const void *a, const void *b)
{
  const wisp_by_candidate *x = a, *y = b;
  if (x->candidate != y->candidate) return x->candidate < y->candidate ? -1 : 1;
  return (x->trial > y->trial) - (x->trial < y->trial);
}

static wisp_status index_candidates(wisp_error *err, wisp_store *store)
{
  const size_t count = store->all.count;
  CALL(wisp_new(err, count, sizeof *store->index, &store->index));
  for (size_t i = 0; i < count; i++)
    store->index[i] = (wisp_by_candidate){wisp_trial_candidate(&store->all.trials[i]), i};
  if (count) qsort(store->index, count, sizeof *store->index, by_candidate);
  return WISP_OK;
}

size_t wisp_store_index_at(const wisp_store *store, uint64_t candidate)
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

/* Unless $WISP_SHIPPED is "none": then it is as if nothing had ever been measured. */
static wisp_status load_shipped(wisp_error *err, wisp_text *warning, wisp_trials *list)
{
  static const char folder[] = "cache/shipped/";
  if (wisp_environment_is("WISP_SHIPPED", "none")) return WISP_OK;
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    const wisp_embedded *file = &wisp_embedded_files[i];
    size_t length = strlen(file->path);
    if (strncmp(file->path, folder, sizeof folder - 1) != 0 || length < 4 ||
        strcmp(file->path + length - 4, ".txt") != 0)
      continue;
    CALL(wisp_shipped_parse(err, file->path, file->text, warning, list));
  }
  return WISP_OK;
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
  CALL(load_shipped(err, &notes, &store->all));
  store->first[WISP_LAYER_NONE] = store->all.count;
  CALL(index_specs(err, store));
  CALL(index_candidates(err, store));
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

/* Letters that every terminal shows, and nothing else: most texts are such. */
static bool is_shown(const char *text)
{
  while (*text >= ' ' && *text <= '~') text++;
  return !*text;
}

void wisp_store_show(wisp_store *store)
{
  char shown[sizeof((wisp_trial *)0)->reason];
  for (size_t i = 0; i < store->all.count; i++)
    for (int c = 0; c < WISP_COLUMN_COUNT; c++) {
      const wisp_column *column = &wisp_columns[c];
      if (column->kind != WISP_COLUMN_TEXT) continue;
      char *text = (char *)&store->all.trials[i] + column->offset;
      if (is_shown(text)) continue;
      wisp_show_text(text, shown, column->size);
      strcpy(text, shown);
    }
}
