/* Whole stages: the one that a solver took before the sweep, new ones of the winners, and both timed in turn. */
#include "sweep.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEASURED = 4 };
/* Kernels together take at most this much longer than their stage, which begins with warm caches. */
static const double APART = 1.05;

/* --- a stage as a solver takes it --- */

void wisp_chosen_free(wisp_chosen *c)
{
  wisp_stage_free(&c->stage);
  wisp_store_close(c->store);
  *c = (wisp_chosen){.store = NULL};
}

/* The winners as a solver takes them: the tuner has stored what was measured by now. composition, layout NULL: any.
 * No kernels where none runs. */
static wisp_status choose(wisp_error *err, const wisp_sweep *sweep, const wisp_spec *stage, const char *composition,
                          const char *layout, wisp_chosen *out)
{
  HELD(wisp_chosen_free) wisp_chosen chosen = {.store = NULL};
  CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &chosen.store));
  const wisp_chooser from = {sweep->strategies, chosen.store, sweep->bench.limits, NULL};
  wisp_choose_request request = {.spec = *stage, .composition = composition, .layout = layout};
  if (sweep->bench.problems) request.elements = wisp_problems_elements(sweep->bench.problems);
  CALL(wisp_choose_if_any(err, &from, &request, &chosen.stage));
  return GIVE(chosen, out);
}

/* Composition, layout and candidates: stages with the same text run the same code. */
static wisp_status describe(wisp_error *err, const wisp_stage *stage, wisp_text *out)
{
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&stage->layout, layout);
  CALL(wisp_text_print(err, out, "%s %s", stage->composition, layout));
  for (int i = 0; i < stage->kernels; i++)
    CALL(wisp_text_print(err, out, "\n%s %s", stage->plan[i]->strategy->name, stage->plan[i]->params));
  return WISP_OK;
}

static wisp_status is_same(wisp_error *err, const wisp_stage *a, const wisp_stage *b, bool *out)
{
  HELD(wisp_text_free) wisp_text x = {0}, y = {0};
  CALL(describe(err, a, &x));
  CALL(describe(err, b, &y));
  *out = strcmp(x.data, y.data) == 0;
  return WISP_OK;
}

/* The family's own kernel that the stage's i-th is, by its number; -1: it is another family's. */
static int own_kernel(const wisp_sweep *sweep, const wisp_stage *stage, int i)
{
  const wisp_kernel_decl *kernel =
      stage->external_names[i] ? NULL : wisp_family_kernel(sweep->family, stage->choice[i].kernel);
  return kernel ? (int)(kernel - sweep->family->kernels) : -1;
}

static int layout_of(const wisp_scope *scope, const wisp_layout *layout)
{
  for (int l = 0; l < scope->layouts; l++)
    if (memcmp(&scope->layout[l], layout, sizeof *layout) == 0) return l;
  return -1;
}

/* --- a stage made runnable, and its record --- */

typedef struct runnable {
  const wisp_workload *workload;
  wisp_stage *stage;
  wisp_problem_ref ref;
} runnable;

static void release(runnable *r)
{
  wisp_problem_ref_end(&r->ref);
  if (r->stage) wisp_stage_unload(r->stage);
}

static wisp_status load(wisp_error *err, wisp_sweep *sweep, wisp_stage *stage, runnable *out)
{
  HELD(wisp_profile_leave)
  const wisp_profile_scope now = wisp_profile_enter(&sweep->bench.profile, WISP_COMPILING);
  *out = (runnable){.workload = sweep->bench.workload, .stage = stage};
  CALL(wisp_stage_load(err, sweep->bench.device, stage));
  wisp_profile_switch(&sweep->bench.profile, WISP_PREPARING);
  return wisp_problems_acquire(err, sweep->bench.problems, (const wisp_plan *const *)stage->plan, stage->kernels,
                               &out->ref);
}

static wisp_status run_stage(wisp_error *err, const void *context)
{
  const runnable *r = context;
  return wisp_problems_step(err, r->workload, r->ref.problem, (const wisp_kernel *const *)r->stage->kernel,
                            r->stage->kernels);
}

/* The key of a stage's record. */
static void key_of(const wisp_sweep *sweep, const wisp_spec *spec, const wisp_stage *stage, wisp_trial *out)
{
  char hash[20];
  wisp_plans_hash(stage->plan, stage->kernels, sweep->bench.limits->kind, hash);
  wisp_trial_key(&sweep->bench, spec, &stage->layout, stage->composition, hash, "", out);
}

/* Times loaded stages in turn; the device's failure is the first one's outcome. The tuner knows of the launch. */
static wisp_status time_stages(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, size_t count,
                               const runnable *r, double expected, wisp_trial *trials)
{
  const int stages = *sweep->bench.workload->stages;
  wisp_contender timed[2] = {{.run = run_stage, .context = &r[0]}, {.run = run_stage, .context = &r[count - 1]}};
  wisp_error reason = {0};
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_LAUNCH, &trials[0],
                       (double)count * wisp_trial_limit(&sweep->bench, spec, stages * expected)));
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&sweep->bench.profile, WISP_TIMING);
  const wisp_status status = wisp_measure(&reason, sweep->bench.device, count > 1, timed, count);
  sweep->bench.doubtful |= status == WISP_EDEVICE;
  CALL(wisp_require(err, status == WISP_OK || status == WISP_EDEVICE, status, "%s", reason.text));
  wisp_trial_end(&trials[0], status == WISP_OK ? WISP_TRIAL_OK : WISP_TRIAL_CRASH, "%s", reason.text);
  for (size_t i = 0; i < count && status == WISP_OK; i++) {
    wisp_trial_end(&trials[i], WISP_TRIAL_OK, "%s", "");
    CALL(wisp_trial_rate(err, &sweep->bench, spec, NULL, &timed[i], stages, &trials[i]));
  }
  return WISP_OK;
}

/* A kernel that is a whole stage was measured with it: its trial has the same time. */
static wisp_status update_kernel(wisp_error *err, const wisp_sweep *sweep, const wisp_stage *stage,
                                 const wisp_trial *record)
{
  wisp_trial trial, stored;
  bool known = false;
  if (stage->kernels != 1 || stage->external_names[0] || !(record->ms > 0)) return WISP_OK;
  wisp_trial_begin(&sweep->bench, stage->plan[0], false, &trial);
  CALL(wisp_link_has(err, sweep->link, &trial, &known, NULL, &stored));
  if (!known || wisp_trial_outcome(&stored) != WISP_TRIAL_OK) return WISP_OK;
  const double ratio = record->ms / stored.ms;
  stored.ms = record->ms;
  stored.gdofs /= ratio, stored.gbps /= ratio, stored.gflops /= ratio, stored.efficiency /= ratio;
  stored.sample_count = record->sample_count;
  memcpy(stored.samples, record->samples, sizeof stored.samples);
  memcpy(stored.mode, record->mode, sizeof stored.mode);
  return wisp_link_put(err, sweep->link, &stored);
}

/* Measures a stage unless its record is younger than all of its kernels' trials. */
static wisp_status measure_stage(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, wisp_stage *stage,
                                 double expected, double *ms)
{
  HELD(release) runnable r = {.stage = NULL};
  wisp_trial trial, stored = {.ms = 0};
  const char *newest = "";
  bool known = false, tried = false;
  key_of(sweep, spec, stage, &trial);
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
  CALL(load(err, sweep, stage, &r));
  CALL(time_stages(err, sweep, spec, 1, &r, expected, &trial));
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
    const int kernel = own_kernel(sweep, stage, i);
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
  double ms = 0;
  bool right = false, tried = true;
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  wisp_chosen_free(&sweep->start);
  sweep->start_ms = 0;
  for (int i = 0; i < ATTEMPTS && !right; i++) {
    HELD(wisp_chosen_free) wisp_chosen chosen = {.store = NULL};
    CALL(choose(err, sweep, &spec, NULL, sweep->request->layout, &chosen));
    CALL(try_kernels(err, sweep, &scope, &chosen.stage, &right, &tried));
    if (!sweep->by_stage || !chosen.stage.kernels || !tried) return WISP_OK;
    if (!right) continue;
    CALL(measure_stage(err, sweep, &spec, &chosen.stage, 0, &ms));
    (void)GIVE(chosen, &sweep->start);
  }
  sweep->start_ms = ms;
  if (tuned && !(tuned->before_ms > 0)) tuned->before_ms = tuned->after_ms = ms;
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
  CALL(choose(err, sweep, &scope->spec, s->composition, layout, &chosen));
  if (chosen.stage.kernels && sweep->start_ms > 0) CALL(is_same(err, &chosen.stage, &sweep->start.stage, &same));
  return chosen.stage.kernels && !same ? measure_stage(err, sweep, &scope->spec, &chosen.stage, s->sum, &ms) : WISP_OK;
}

/* Finds the composition that a solver takes here because another card's record has it; false: none. */
static wisp_status find_taken(wisp_error *err, const wisp_sweep *sweep, const wisp_scope *scope, composed *out,
                              bool *found)
{
  HELD(wisp_chosen_free) wisp_chosen chosen = {.store = NULL};
  *found = false;
  if (!sweep->family->compositions[0] || !sweep->bench.problems) return WISP_OK;
  CALL(choose(err, sweep, &scope->spec, NULL, NULL, &chosen));
  const wisp_choice *record = &chosen.stage.record;
  if (!record->trial || (record->match == WISP_MATCH_EXACT && !record->stale)) return WISP_OK;
  for (const char *const *c = sweep->family->compositions; *c; c++)
    for (int l = 0; l < scope->layouts; l++)
      if (strcmp(*c, chosen.stage.composition) == 0 && l == layout_of(scope, &chosen.stage.layout))
        *out = (composed){.composition = *c, .layout = l}, *found = true;
  return WISP_OK;
}

wisp_status wisp_sweep_compositions(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  wisp_scope scope = *kernels;
  const char *const *compositions = sweep->family->compositions;
  OWNED(free) composed *list = NULL;
  size_t count = 0, most = 0;
  composed taken = {.composition = NULL};
  bool is_taken = false;
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
  /* The composition that is only expected to be the fastest is measured, too. */
  if (least || wisp_seconds() < sweep->deadline) CALL(find_taken(err, sweep, &scope, &taken, &is_taken));
  while (is_taken && i-- > 0)
    is_taken = strcmp(list[i].composition, taken.composition) != 0 || list[i].layout != taken.layout;
  return is_taken ? measure_composition(err, sweep, &scope, &taken) : WISP_OK;
}

/* ---- The last comparison: the stage of before and the new one, timed in turn. */

/* Times both in turn and stores both records, the faster one last: they may have the same key. */
static wisp_status compare(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, wisp_stage *after, double ms[2])
{
  HELD(release) runnable old = {.stage = NULL};
  HELD(release) runnable new = {.stage = NULL};
  wisp_stage *before = &sweep->start.stage, *stages[2] = {before, after};
  wisp_trial trials[2];
  CALL(load(err, sweep, before, &old));
  CALL(load(err, sweep, after, &new));
  const runnable both[2] = {new, old};
  key_of(sweep, spec, after, &trials[0]);
  key_of(sweep, spec, before, &trials[1]);
  CALL(time_stages(err, sweep, spec, 2, both, sweep->start_ms, trials));
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
    CALL(update_kernel(err, sweep, stages[which], &trials[!which]));
  }
  return WISP_OK;
}

/* The kernels of a stage that is slower than the one of before, as far as both have them in the same layout, are
 * dropped for their time: no solver takes them again. */
static wisp_status drop_kernels(wisp_error *err, wisp_sweep *sweep, const wisp_stage *after, double ratio)
{
  const wisp_stage *before = &sweep->start.stage;
  for (int i = 0; i < after->kernels; i++)
    for (int k = 0; k < before->kernels; k++) {
      wisp_plan *plan = after->plan[i], *old = before->plan[k];
      wisp_trial trial, rival;
      char name[WISP_TRIAL_NAME];
      bool known = false;
      if (own_kernel(sweep, after, i) < 0 || own_kernel(sweep, after, i) != own_kernel(sweep, before, k)) continue;
      if (memcmp(&after->layout, &before->layout, sizeof after->layout) != 0) continue;
      if (plan->strategy == old->strategy && strcmp(plan->params, old->params) == 0) continue;
      wisp_trial_begin(&sweep->bench, old, false, &rival);
      wisp_trial_begin(&sweep->bench, plan, false, &trial);
      wisp_trial_name(&rival, name);
      CALL(wisp_link_has(err, sweep->link, &trial, &known, NULL, &trial));
      if (!known || wisp_trial_outcome(&trial) != WISP_TRIAL_OK) continue;
      *trial.tie = '\0';
      wisp_reason_drop(&trial, ratio, name);
      CALL(wisp_link_put(err, sweep->link, &trial));
    }
  return WISP_OK;
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
  const int layout = layout_of(&scope, &now->stage.layout);
  for (int i = 0; i < now->stage.kernels && layout >= 0; i++) {
    const int kernel = own_kernel(sweep, &now->stage, i);
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

wisp_status wisp_sweep_finish(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  enum { ROUNDS = 6 };
  wisp_spec spec = kernels->spec;
  wisp_tuned *tuned = wisp_sweep_tuned(sweep);
  HELD(wisp_text_free) wisp_text held = {0}; /* the stage whose kernels had their final rounds */
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  if (!sweep->start.stage.kernels || !(sweep->start_ms > 0)) return WISP_OK;
  CALL(wisp_link_ask(err, sweep->link, &(wisp_note){.kind = WISP_NOTE_FINISH}, NULL));
  CALL(wisp_sweep_compositions(err, sweep, kernels));
  for (int round = 0; round < ROUNDS; round++) {
    HELD(wisp_chosen_free) wisp_chosen now = {.store = NULL};
    HELD(wisp_text_free) wisp_text text = {0};
    double ms[2] = {0};
    bool same = false;
    CALL(choose(err, sweep, &spec, NULL, sweep->request->layout, &now));
    if (!now.stage.kernels) return WISP_OK;
    CALL(is_same(err, &now.stage, &sweep->start.stage, &same));
    CALL(describe(err, &now.stage, &text));
    if (same || (held.data && strcmp(held.data, text.data) == 0)) break;
    CALL(compare(err, sweep, &spec, &now.stage, ms));
    if (tuned) tuned->before_ms = ms[0], tuned->after_ms = fmin(ms[0], ms[1]);
    if (ms[1] >= ms[0]) {
      CALL(drop_kernels(err, sweep, &now.stage, ms[1] / ms[0]));
      continue;
    }
    CALL(hold_finals(err, sweep, kernels, &now));
    wisp_text_free(&held);
    CALL(wisp_text_print(err, &held, "%s", text.data));
  }
  return WISP_OK;
}
