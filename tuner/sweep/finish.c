/* The end of a part's search: the part as it was and as it would be now, timed in turn. */
#include "whole.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times both in turn, before and after, and stores both records, the faster one last: they may have the same key. */
static wisp_status compare(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, wisp_stage *after, double ms[2])
{
  if (sweep->part.compositions)
    return wisp_whole_time_part(err, sweep, spec, 2, (wisp_stage *const[]){&sweep->start.stage, after}, ms);
  HELD(wisp_runnable_free) wisp_runnable old = {.stage = NULL};
  HELD(wisp_runnable_free) wisp_runnable new = {.stage = NULL};
  wisp_stage *before = &sweep->start.stage, *stages[2] = {before, after};
  wisp_trial trials[2];
  CALL(wisp_whole_load(err, sweep, before, &old));
  CALL(wisp_whole_load(err, sweep, after, &new));
  const wisp_runnable both[2] = {new, old};
  wisp_whole_key(sweep, spec, after, &trials[0]);
  wisp_whole_key(sweep, spec, before, &trials[1]);
  CALL(wisp_whole_time(err, sweep, spec, 2, both, sweep->start_ms, trials));
  if (wisp_trial_outcome(&trials[0]) != WISP_TRIAL_OK) {
    CALL(wisp_sweep_add(err, sweep, &trials[0], NULL));
    wisp_sweep_replace(sweep);
  }
  ms[0] = trials[1].ms, ms[1] = trials[0].ms;
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_RAN, &trials[0], 0));
  const int faster = ms[1] < ms[0];
  for (int i = 0; i < 2; i++) {
    const int which = i == 1 ? faster : !faster; /* of before and after */
    CALL(wisp_link_put(err, sweep->link, &trials[!which]));
    CALL(wisp_whole_update(err, sweep, stages[which], &trials[!which]));
  }
  return WISP_OK;
}

/* The row of the stage's i-th kernel, as far as it was measured here; false: there is none. */
static wisp_status find_row(wisp_error *err, const wisp_sweep *sweep, const wisp_stage *stage, int i, wisp_trial *out,
                            bool *found)
{
  const wisp_choice *choice = &stage->choice[i];
  *found = wisp_whole_own_kernel(sweep, stage, i) >= 0 && choice->trial && choice->match == WISP_MATCH_EXACT;
  if (!*found) return WISP_OK;
  CALL(wisp_link_has(err, sweep->link, choice->trial, found, NULL, out));
  *found &= wisp_trial_outcome(out) == WISP_TRIAL_OK;
  return WISP_OK;
}

/* The kernels of a stage that is slower than the one of before, as far as both have them in the same layout, are
 * dropped for their time: no solver takes them again. */
static wisp_status drop_kernels(wisp_error *err, wisp_sweep *sweep, const wisp_stage *after, double ratio)
{
  const wisp_stage *before = &sweep->start.stage;
  for (int i = 0; i < after->kernels; i++)
    for (int k = 0; k < before->kernels; k++) {
      const wisp_plan *plan = after->plan[i], *old = before->plan[k];
      const int own = wisp_whole_own_kernel(sweep, after, i);
      wisp_trial trial, rival;
      char name[WISP_TRIAL_NAME];
      bool known = false;
      if (own < 0 || own != wisp_whole_own_kernel(sweep, before, k)) continue;
      if (memcmp(&after->layout, &before->layout, sizeof after->layout) != 0) continue;
      if (plan->strategy == old->strategy && strcmp(plan->params, old->params) == 0) continue;
      wisp_trial_begin(&sweep->bench, old, false, &rival);
      wisp_trial_name(&rival, name);
      CALL(find_row(err, sweep, after, i, &trial, &known));
      if (!known) continue;
      *trial.tie = '\0';
      wisp_reason_drop(&trial, ratio, name);
      CALL(wisp_link_put(err, sweep->link, &trial));
    }
  return WISP_OK;
}

/* Does the stage have the other's i-th kernel, by whatever candidate? */
static bool has_own(const wisp_sweep *sweep, const wisp_stage *stage, const wisp_stage *other, int i)
{
  for (int k = 0; k < stage->kernels; k++)
    if (wisp_whole_own_kernel(sweep, stage, k) == wisp_whole_own_kernel(sweep, other, i)) return true;
  return false;
}

/* The time for an element, by rows, of the kernels that only the stage has; these rows become `longer` times as long.
 */
static wisp_status retime_rest(wisp_error *err, const wisp_sweep *sweep, const wisp_stage *stage,
                               const wisp_stage *other, double longer, double *sum)
{
  *sum = 0;
  for (int i = 0; i < stage->kernels; i++) {
    wisp_trial row;
    bool known = false;
    if (has_own(sweep, other, stage, i)) continue;
    CALL(find_row(err, sweep, stage, i, &row, &known));
    if (!known) continue;
    *sum += row.ms / (double)row.elements;
    wisp_whole_stretch(&row, longer);
    if (longer > 1) CALL(wisp_link_put(err, sweep->link, &row));
  }
  return WISP_OK;
}

/* An alternative of other kernels that seemed to be faster, but was not when both were timed in turn: its rows are
 * brought into the proportion that was found, for a solver compares rows. */
static wisp_status retime_alternative(wisp_error *err, const wisp_sweep *sweep, const wisp_spec *spec,
                                      const wisp_stage *after, double ratio)
{
  HELD(wisp_chosen_free) wisp_chosen before = {.store = NULL};
  double old = 0, new = 0;
  CALL(wisp_whole_choose(err, sweep, spec, sweep->start.stage.composition, sweep->request->layout, &before));
  CALL(retime_rest(err, sweep, &before.stage, after, 1, &old));
  CALL(retime_rest(err, sweep, after, &before.stage, 1, &new));
  const double longer = new > 0 ? 1.001 * ratio *old / new : 1;
  return longer > 1 ? retime_rest(err, sweep, after, &before.stage, longer, &new) : WISP_OK;
}

/* The trials of the kernel that a final round is held of: right ones of today's texts, measured here. */
static wisp_status list_trials(wisp_error *err, const wisp_sweep *sweep, const wisp_store *store, const wisp_plan *plan,
                               wisp_trials *out)
{
  wisp_trial key;
  const wisp_trial *t = NULL;
  wisp_layer layer;
  wisp_trial_begin(&sweep->bench, plan, false, &key);
  for (size_t at = 0; (t = wisp_store_next(store, key.spec, &at, &layer));)
    if (layer == WISP_LAYER_USER && wisp_ranking_order(t, &key) == 0 && strcmp(t->driver, key.driver) == 0 &&
        strcmp(t->compiler, key.compiler) == 0 && wisp_trial_outcome(t) == WISP_TRIAL_OK && t->ms > 0 &&
        wisp_trial_is_current(sweep->strategies, t))
      CALL(wisp_trials_add(err, out, t));
  return WISP_OK;
}

/* Final rounds of the kernels that are new in the stage, while there is time. */
static wisp_status hold_finals(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels, const wisp_chosen *now)
{
  wisp_scope scope = *kernels;
  const int layout = wisp_whole_layout(&scope, &now->stage.layout);
  for (int i = 0; i < now->stage.kernels && layout >= 0; i++) {
    const int kernel = wisp_whole_own_kernel(sweep, &now->stage, i);
    HELD(wisp_trials_free) wisp_trials all = {0};
    wisp_trial winner = {.ms = 0};
    if (kernel < 0 || now->stage.choice[i].match != WISP_MATCH_EXACT) continue;
    const double begun = wisp_seconds();
    if (begun + fmax(sweep->first, sweep->round) > sweep->deadline) continue;
    wisp_spec_name_kernel(&scope.spec, sweep->family->kernels[kernel].name);
    CALL(wisp_bench_set_problem(err, &sweep->bench, &scope.spec, sweep->request->elements));
    CALL(list_trials(err, sweep, now->store, now->stage.plan[i], &all));
    CALL(wisp_sweep_final(err, sweep, &scope, layout, &all, &winner));
    sweep->round = fmax(wisp_seconds() - begun, sweep->round / 2);
  }
  return WISP_OK;
}

wisp_status wisp_sweep_follow(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  HELD(wisp_chosen_free) wisp_chosen now = {.store = NULL};
  wisp_spec spec = kernels->spec;
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  CALL(wisp_whole_choose(err, sweep, &spec, NULL, sweep->request->layout, &now));
  for (int i = 0; i < now.stage.kernels; i++)
    if (now.stage.choice[i].trial) wisp_fixed_add(&sweep->preset, now.stage.plan[i]);
  return WISP_OK;
}

wisp_status wisp_sweep_finish(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  enum { ROUNDS = 32 }; /* each drops a kernel at least, or finds the stage that stays */
  wisp_spec spec = kernels->spec;
  wisp_tuned *tuned = wisp_sweep_tuned(sweep);
  HELD(wisp_text_free) wisp_text held = {0}; /* the stage whose kernels had their final rounds */
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  if (!sweep->start.stage.kernels || !(sweep->start_ms > 0))
    return sweep->changed ? wisp_sweep_store_taken(err, sweep, kernels) : WISP_OK;
  const double earlier = tuned ? tuned->before_ms / tuned->after_ms : 1; /* what earlier rounds gained */
  double kept = 1; /* the time of the new stage over that of before */
  CALL(wisp_link_ask(err, sweep->link, &(wisp_note){.kind = WISP_NOTE_FINISH}, NULL));
  if (!sweep->part.compositions) CALL(wisp_sweep_compositions(err, sweep, kernels));
  for (int round = 0; round < ROUNDS; round++) {
    HELD(wisp_chosen_free) wisp_chosen now = {.store = NULL};
    HELD(wisp_text_free) wisp_text text = {0};
    double ms[2] = {0};
    bool same = false;
    CALL(wisp_whole_choose(err, sweep, &spec, NULL, sweep->request->layout, &now));
    if (!now.stage.kernels) return WISP_OK;
    CALL(wisp_whole_is_same(err, &now.stage, &sweep->start.stage, &same));
    CALL(wisp_whole_describe(err, &now.stage, &text));
    if (same || (held.data && strcmp(held.data, text.data) == 0)) break;
    CALL(compare(err, sweep, &spec, &now.stage, ms));
    if (ms[1] < ms[0]) kept = ms[1] / ms[0];
    sweep->part_saved = 1 - kept;
    if (tuned) tuned->before_ms = earlier * ms[0], tuned->after_ms = kept * ms[0];
    if (ms[1] >= ms[0]) {
      CALL(drop_kernels(err, sweep, &now.stage, ms[1] / ms[0]));
      if (sweep->part.compositions) CALL(retime_alternative(err, sweep, &spec, &now.stage, ms[1] / ms[0]));
      continue;
    }
    CALL(hold_finals(err, sweep, kernels, &now));
    wisp_text_free(&held);
    CALL(wisp_text_print(err, &held, "%s", text.data));
  }
  return wisp_sweep_store_taken(err, sweep, kernels);
}
