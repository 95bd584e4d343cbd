/* Verdicts of other cards of this architecture. A candidate that is wrong, or does not compile, there is so here as
 * well: of those that failed for one reason, one is tried, and the others are left out where it fails for that reason
 * again.
 */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

void wisp_verdicts_free(wisp_verdicts *v)
{
  free(v->list);
  *v = (wisp_verdicts){.count = 0};
}

/* Does the failure depend on the card's architecture at most? */
static bool is_lasting(const wisp_trial *t)
{
  const wisp_outcome outcome = wisp_trial_outcome(t);
  return outcome == WISP_TRIAL_WRONG || outcome == WISP_TRIAL_COMPILE_ERROR;
}

static bool is_alike(const wisp_trial *a, const wisp_trial *b)
{
  return strcmp(a->strategy, b->strategy) == 0 && strcmp(a->outcome, b->outcome) == 0 &&
         wisp_reason_alike(a->reason, b->reason);
}

wisp_status wisp_verdicts_find(wisp_error *err, const wisp_sweep *sweep, const wisp_store *store, const wisp_spec *spec,
                               wisp_verdicts *out)
{
  char text[WISP_SPEC_TEXT];
  const wisp_limits *limits = sweep->bench.limits;
  const wisp_trial *t = NULL;
  HELD(wisp_verdicts_free) wisp_verdicts found = {.count = 0};
  wisp_spec_print(spec, text);
  for (size_t at = 0; (t = wisp_store_next(store, text, &at, NULL));) {
    if (!is_lasting(t) || strcmp(t->target, limits->target) != 0 || !wisp_trial_is_current(sweep->strategies, t))
      continue;
    CALL(wisp_grow(err, &found.list, &found.capacity, found.count + 1, sizeof *found.list));
    found.list[found.count++] = (wisp_verdict_entry){t, strcmp(t->device, limits->name) == 0, false};
  }
  return GIVE(found, out);
}

/* The failure of another card's trial of the candidate; NULL: there is none. */
static const wisp_trial *find_failure(const wisp_verdicts *v, const wisp_trial *candidate)
{
  for (size_t i = 0; i < v->count; i++) {
    const wisp_trial *t = v->list[i].trial;
    if (!v->list[i].here && strcmp(t->layout, candidate->layout) == 0 &&
        strcmp(t->strategy, candidate->strategy) == 0 && strcmp(t->params, candidate->params) == 0 &&
        strcmp(t->template_hash, candidate->template_hash) == 0)
      return t;
  }
  return NULL;
}

wisp_prejudice wisp_verdicts_judge(const wisp_verdicts *v, const wisp_trial *candidate, const wisp_trial **why)
{
  bool confirmed = false, refuted = false;
  *why = find_failure(v, candidate);
  if (!*why) return WISP_UNKNOWN;
  for (size_t i = 0; i < v->count; i++) {
    confirmed |= v->list[i].here && is_alike(v->list[i].trial, *why);
    refuted |= v->list[i].refuted && is_alike(v->list[i].trial, *why);
  }
  return confirmed ? WISP_LEFT_OUT : refuted ? WISP_UNKNOWN : WISP_TO_CHECK;
}

wisp_status wisp_verdicts_note(wisp_error *err, wisp_verdicts *v, const wisp_trial *why, const wisp_trial *trial)
{
  if (wisp_trial_is_right(trial) || !is_alike(trial, why)) {
    for (size_t i = 0; i < v->count; i++) v->list[i].refuted |= v->list[i].trial == why;
    return WISP_OK;
  }
  CALL(wisp_grow(err, &v->list, &v->capacity, v->count + 1, sizeof *v->list));
  v->list[v->count++] = (wisp_verdict_entry){why, true, false};
  return WISP_OK;
}
