/* Trials of one candidate on several cards, in several layers: an index of a store. */
#include "layers.h"

#include <stdlib.h>
#include <string.h>

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

wisp_status wisp_store_index(wisp_error *err, wisp_store *store)
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
