/* The stage that a solver took before the sweep, and new ones of the winners; other parts of a solver likewise. */
#include "whole.h"
#include "../../runtime/process.h"

#include <stdlib.h>
#include <string.h>

enum { MEASURED = 4 };
/* Kernels together take at most this much longer than their stage, which begins with warm caches. */
static const double APART = 1.05;

/* Measures a stage unless its record is younger than all of its kernels' trials. */
static wisp_status measure_stage(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, wisp_stage *stage,
                                 double expected, double *ms)
{
  HELD(wisp_runnable_free) wisp_runnable r = {.stage = NULL};
  wisp_trial trial, stored = {.ms = 0};
  const char *newest = "";
  bool known = false, tried = false;
  wisp_whole_key(sweep, spec, stage, &trial);
  for (int i = 0; i < stage->kernels; i++)
    if (stage->choice[i].trial && strcmp(stage->choice[i].trial->when, newest) > 0)
      newest = stage->choice[i].trial->when;
  CALL(wisp_link_has(err, sweep->link, &trial, &known, &tried, &stored));
  const bool failed = known && wisp_trial_outcome(&stored) != WISP_TRIAL_OK;
  /* An older measurement may be of another winner of a kernel. */
  const bool due = sweep->changed || strcmp(newest, stored.when) > 0;
  if (known && (!due || (failed && tried))) {
    sweep->summary.known += !sweep->unit.later_round && !tried;
    *ms = failed ? 0 : stored.ms;
    return WISP_OK;
  }
  CALL(wisp_whole_load(err, sweep, stage, &r));
  CALL(wisp_whole_time(err, sweep, spec, 1, &r, expected, &trial));
  CALL(wisp_sweep_add(err, sweep, &trial, NULL));
  wisp_sweep_replace(sweep);
  *ms = trial.ms;
  return WISP_OK;
}

/* ---- The stage that a solver took before. */

/* Verifies and times its kernels, unless the store knows them. *right: they all may run; *tried: there was time. */
static wisp_status try_kernels(wisp_error *err, wisp_sweep *sweep, wisp_scope *scope, const wisp_stage *stage,
                               bool *right, bool *tried)
{
  *right = *tried = true;
  for (int i = 0; i < stage->kernels; i++) {
    const int kernel = wisp_whole_own_kernel(sweep, stage, i);
    bool is_right = true;
    if (kernel < 0 || !wisp_sweep_wants(sweep, kernel)) continue;
    if (sweep->by_stage && !wisp_sweep_fits(sweep, sweep->deadline)) return *tried = false, WISP_OK;
    wisp_spec_name_kernel(&scope->spec, sweep->family->kernels[kernel].name);
    CALL(wisp_bench_set_problem(err, &sweep->bench, &scope->spec, sweep->request->elements));
    CALL(wisp_sweep_try(err, sweep, scope, kernel, stage->plan[i], &is_right));
    *right &= is_right;
  }
  return WISP_OK;
}

wisp_status wisp_sweep_start(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  enum { ATTEMPTS = 3 }; /* where a kernel of the stage is wrong here, a solver takes another one */
  wisp_scope scope = *kernels;
  wisp_spec spec = scope.spec;
  wisp_tuned *tuned = wisp_sweep_tuned(sweep);
  double ms[2] = {0};
  bool right = false, tried = true;
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  wisp_chosen_free(&sweep->start);
  sweep->start_ms = 0;
  for (int i = 0; i < ATTEMPTS && !right; i++) {
    HELD(wisp_chosen_free) wisp_chosen chosen = {.store = NULL};
    CALL(wisp_whole_choose(err, sweep, &spec, NULL, sweep->request->layout, &chosen));
    CALL(try_kernels(err, sweep, &scope, &chosen.stage, &right, &tried));
    if (!sweep->by_stage || !chosen.stage.kernels || !tried) return WISP_OK;
    if (!right) continue;
    wisp_stage *const one[] = {&chosen.stage};
    CALL(sweep->part.compositions ? wisp_whole_time_part(err, sweep, &spec, 1, one, ms)
                                  : measure_stage(err, sweep, &spec, &chosen.stage, 0, ms));
    (void)GIVE(chosen, &sweep->start);
  }
  sweep->start_ms = *ms;
  if (tuned && !(tuned->before_ms > 0)) tuned->before_ms = tuned->after_ms = *ms;
  return WISP_OK;
}

/* ---- New stages: which layout and composition make the fastest one, when the winners of each kernel work together. */

typedef struct composed { /* a composition in a layout */
  const char *composition;
  int layout;
  double sum; /* of its kernels' winners' times */
} composed;

/* False where the composition is not for this system, or a kernel has no winner in the layout, and is not another
 * family's either. */
static bool add_up(const wisp_sweep *sweep, const wisp_spec *spec, const char *composition, int layout, composed *out)
{
  if (sweep->family->suits && sweep->family->suits(NULL, spec, composition) != WISP_OK) return false;
  *out = (composed){.composition = composition, .layout = layout};
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&composition, name);) {
    const wisp_kernel_decl *kernel = wisp_family_kernel(sweep->family, name);
    const double ms = kernel ? sweep->best[kernel - sweep->family->kernels][layout].ms : 0;
    const bool external = strchr(name, '.');
    if (!(ms > 0) && !external) return false;
    out->sum += ms;
  }
  return !(sweep->start_ms > 0) || out->sum < APART * sweep->start_ms;
}

static int by_sum(const void *a, const void *b)
{
  const composed *x = a, *y = b;
  return (x->sum > y->sum) - (x->sum < y->sum);
}

static wisp_status measure_composition(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const composed *s)
{
  HELD(wisp_chosen_free) wisp_chosen chosen = {.store = NULL};
  char layout[WISP_LAYOUT_TEXT];
  double ms = 0;
  bool same = false; /* as the stage of before, which is timed */
  wisp_layout_print(&scope->layout[s->layout], layout);
  CALL(wisp_whole_choose(err, sweep, &scope->spec, s->composition, layout, &chosen));
  if (chosen.stage.kernels && sweep->start_ms > 0)
    CALL(wisp_whole_is_same(err, &chosen.stage, &sweep->start.stage, &same));
  return chosen.stage.kernels && !same ? measure_stage(err, sweep, &scope->spec, &chosen.stage, s->sum, &ms) : WISP_OK;
}

/* The problem of the stage's kernels; *there: the sweep has such. */
static wisp_status set_problem(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const wisp_stage *stage,
                               bool *there)
{
  int own = -1;
  wisp_spec spec = scope->spec;
  for (int i = 0; i < stage->kernels && own < 0; i++) own = wisp_whole_own_kernel(sweep, stage, i);
  *there = own >= 0 && wisp_whole_layout(scope, &stage->layout) >= 0;
  if (!*there) return WISP_OK;
  wisp_spec_name_kernel(&spec, sweep->family->kernels[own].name);
  return wisp_bench_set_problem(err, &sweep->bench, &spec, sweep->request->elements);
}

wisp_status wisp_sweep_store_taken(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  enum { MOST = 16 }; /* each makes the record of one more composition current */
  HELD(wisp_chosen_free) wisp_chosen last = {.store = NULL};
  wisp_spec spec = kernels->spec;
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  for (int i = 0; i < MOST && sweep->compositions[0] && !sweep->part.compositions; i++) {
    HELD(wisp_chosen_free) wisp_chosen now = {.store = NULL};
    bool there = false, same = false;
    double ms = 0;
    CALL(wisp_whole_choose(err, sweep, &spec, NULL, sweep->request->layout, &now));
    const wisp_choice *record = &now.stage.record;
    if (!record->trial || (record->match == WISP_MATCH_EXACT && !record->stale)) break;
    if (last.stage.kernels) CALL(wisp_whole_is_same(err, &now.stage, &last.stage, &same));
    if (!same) CALL(set_problem(err, sweep, kernels, &now.stage, &there));
    if (!there) break;
    CALL(wisp_link_ask(err, sweep->link, &(wisp_note){.kind = WISP_NOTE_FINISH}, NULL));
    CALL(measure_stage(err, sweep, &spec, &now.stage, 0, &ms));
    wisp_chosen_free(&last);
    (void)GIVE(now, &last);
  }
  return WISP_OK;
}

wisp_status wisp_sweep_compositions(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  wisp_scope scope = *kernels;
  const char *const *compositions = sweep->compositions;
  OWNED(free) composed *list = NULL;
  size_t count = 0, most = 0;
  wisp_spec_name_kernel(&scope.spec, WISP_COMPOSITION);
  while (compositions[most]) most++;
  CALL(wisp_new(err, most * (size_t)scope.layouts, sizeof *list, &list));
  for (; *compositions; compositions++)
    for (int l = 0; l < scope.layouts; l++) count += add_up(sweep, &scope.spec, *compositions, l, &list[count]);
  if (count) qsort(list, count, sizeof *list, by_sum);
  /* One even where the budget is used up: it is what a solver asks for, and an earlier round left none. */
  const size_t least = sweep->unit.later_round || sweep->by_stage ? 0 : 1;
  size_t i = 0;
  for (; i < count && i < MEASURED && (i < least || wisp_seconds() < sweep->deadline); i++)
    CALL(measure_composition(err, sweep, &scope, &list[i]));
  return WISP_OK;
}
