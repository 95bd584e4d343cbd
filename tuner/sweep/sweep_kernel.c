/* One kernel of an order and precision: what the store knows of its candidates, problem by problem those that it does
 * not know, and a final round in each layout. */
#include "sweep.h"
#include "../../gen/random.h"
#include "../../runtime/compilers.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At this share of its bytes' speed there is nothing left to find: the bandwidth is measured no better. */
static const double ENOUGH_GPU = 0.97;
/* No search ends there before this many candidates of the kernel are known: the floor is not always the limit. */
enum { AT_LEAST = 25 };
/* The share of a kernel's budget that is kept for its final round. */
static const double FINAL_SHARE = 0.1;

/* A machine that cannot compile so many candidates one after the other cannot compile. */
enum { MOST_SKIPPED = 8 };

/* Counts a candidate that this machine could not compile for lack of memory, stack, disk space or processes. Nothing is
 * stored, so that a later sweep tries it. Fails if that happens again and again. */
static wisp_status skip(wisp_error *err, wisp_sweep *sweep, const wisp_error *why)
{
  sweep->summary.skipped++;
  wisp_note note = {.kind = WISP_NOTE_SKIP, .summary = sweep->summary, .error = *why};
  CALL(wisp_link_ask(err, sweep->link, &note, NULL));
  return wisp_require(err, ++sweep->skipped < MOST_SKIPPED, why->status, "%d candidates in a row: %s", MOST_SKIPPED,
                      why->text);
}

/* Refused candidates can be thousands: one row a strategy, layout and reason stands for all, with params *1, *2, ... */
static wisp_status store_refusals(wisp_error *err, wisp_sweep *sweep, const wisp_search *search)
{
  int number = 0;
  for (size_t i = 0; i < search->refusals; i++) {
    const wisp_refusal *r = &search->refusal[i];
    bool same = i > 0 && r[-1].strategy == r->strategy && r[-1].layout == r->layout, known = false;
    char params[16], hash[20];
    wisp_trial trial, stored;
    number = same ? number + 1 : 1;
    snprintf(params, sizeof params, "*%d", number);
    wisp_strategy_hash(r->strategy, search->scope->spec.system, sweep->bench.limits->kind, hash);
    wisp_trial_key(&sweep->bench, &search->scope->spec, &search->scope->layout[r->layout], r->strategy->name, hash,
                   params, &trial);
    wisp_reason_refuse(&trial, r->count, r->reason);
    if (!sweep->unit.later_round) sweep->summary.refused += r->count;
    if (!*sweep->summary.why) wisp_summary_why(&sweep->summary, &trial);
    CALL(wisp_link_has(err, sweep->link, &trial, &known, NULL, &stored));
    if (!known || strcmp(stored.reason, trial.reason) != 0 || stored.candidates != trial.candidates)
      CALL(wisp_link_put(err, sweep->link, &trial));
  }
  return WISP_OK;
}

typedef struct unit {
  wisp_sweep *sweep;
  wisp_search search;
  wisp_trial *best;            /* by layout */
  wisp_incumbent incumbent[8]; /* by layout */
  wisp_trials finalists;       /* those that are `ok` */
  double deadline;
  int known;        /* candidates that were tried, today or before */
  bool ran;         /* a trial, since this began */
  bool tried;       /* something at least: even where earlier ones used up the time */
  bool has_default; /* it was tried, today or before; or there is none */
  wisp_trial last;  /* the newest trial of today */
} unit;

/* An `ok` trial is a finalist, and the best of its layout where it is the fastest. */
static wisp_status add_finalist(wisp_error *err, unit *u, int layout, const wisp_trial *trial)
{
  wisp_trial *best = &u->best[layout];
  if (wisp_trial_outcome(trial) != WISP_TRIAL_OK || !(trial->ms > 0)) return WISP_OK;
  if (best->ms <= 0 || wisp_ranking_ms(trial) < wisp_ranking_ms(best)) *best = *trial;
  return wisp_trials_add(err, &u->finalists, trial);
}

static int layout_of(const unit *u, const wisp_plan *plan)
{
  const wisp_scope *scope = u->search.scope;
  for (int l = 0; l < scope->layouts; l++)
    if (memcmp(&scope->layout[l], &plan->layout, sizeof(wisp_layout)) == 0) return l;
  return 0;
}

/* --- what the store knows --- */

typedef struct lookup { /* of one candidate */
  bool known, tried;    /* tried: by this sweep, perhaps by a worker before this one */
  wisp_trial trial;     /* where it is known */
} lookup;

static wisp_status look_up(wisp_error *err, const unit *u, const wisp_candidate *c, lookup *out)
{
  const wisp_sweep *sweep = u->sweep;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_trial key;
  CALL(wisp_candidate_plan(err, u->search.scope, c, &plan));
  wisp_trial_begin(&sweep->bench, plan, c->is_default, &key);
  CALL(wisp_link_has(err, sweep->link, &key, &out->known, &out->tried, &out->trial));
  bool failed = out->known && !wisp_trial_is_right(&out->trial);
  if (failed && sweep->request->retry_failed && !out->tried) out->known = false;
  return WISP_OK;
}

/* A candidate that was dropped counts as known while what it was slow against does: that very trial, or one as fast.
 * Only trials of today's texts and strategies are among those that are asked. */
static bool stays_dropped(const unit *u, int layout, const wisp_trial *slow)
{
  const wisp_trial *best = &u->best[layout];
  const double ratio = slow->ratio;
  if (best->ms > 0 && ratio > 0 && best->ms <= wisp_ranking_margin * slow->ms / ratio) return true;
  for (size_t i = 0; i < u->finalists.count; i++) {
    char name[WISP_TRIAL_NAME];
    if (strcmp(u->finalists.trials[i].layout, slow->layout) != 0) continue;
    wisp_trial_name(&u->finalists.trials[i], name);
    if (wisp_reason_slower_than(slow, name)) return true;
  }
  return false;
}

static void count_known(wisp_sweep *sweep, const lookup *found)
{
  wisp_tune_summary *sum = &sweep->summary;
  bool refused = wisp_trial_outcome(&found->trial) == WISP_TRIAL_REFUSED,
       fresh = !sweep->unit.later_round && !found->tried;
  sum->known += fresh;
  sum->known_ok += fresh && wisp_trial_is_right(&found->trial);
  if (!refused && !wisp_trial_is_right(&found->trial) && !sum->failed) wisp_summary_why(sum, &found->trial);
  if (!found->tried || sweep->unit.later_round || !sweep->unit.resumed) return;
  sweep->changed = true;
  sum->refused += refused;
}

/* Looked up before anything is tried: the share of a budget depends on what is left, and the whole step on all winners,
 * whether or not there is time for more. */
static wisp_status leave_out_known(wisp_error *err, unit *u)
{
  wisp_search *search = &u->search;
  OWNED(free) lookup *found = NULL;
  size_t left = 0;
  bool ahead = false; /* a default that is not known */
  CALL(wisp_new(err, search->count, sizeof *found, &found));
  for (size_t i = 0; i < search->count; i++) {
    const int layout = search->candidates[i].layout;
    CALL(look_up(err, u, &search->candidates[i], &found[i]));
    if (!found[i].known) continue; /* those that are known are not tried again, but count as rivals of the others */
    CALL(add_finalist(err, u, layout, &found[i].trial));
    u->incumbent[layout].ms = u->best[layout].ms;
    wisp_trial_name(&u->best[layout], u->incumbent[layout].name);
  }
  for (size_t i = 0; i < search->count; i++) {
    const wisp_candidate *c = &search->candidates[i];
    bool is_default = c->is_default;
    if (found[i].known && wisp_trial_outcome(&found[i].trial) == WISP_TRIAL_SLOW)
      found[i].known = stays_dropped(u, c->layout, &found[i].trial);
    u->known += found[i].known;
    if (found[i].known)
      count_known(u->sweep, &found[i]);
    else
      search->candidates[left++] = *c;
    u->has_default |= is_default && found[i].known;
    ahead |= is_default && !found[i].known;
  }
  search->count = left;
  u->has_default |= !ahead;
  return WISP_OK;
}

/* --- trials --- */

/* Keeps the pipeline full with candidates of this problem. The next compiled candidate; NULL where there is none. The
 * tuner ends us where the compiler does not end; it may have to wait for what is ahead of it. */
static wisp_status take(wisp_error *err, unit *u, wisp_job **out)
{
  wisp_sweep *sweep = u->sweep;
  const wisp_candidate *c = NULL;
  wisp_trial key;
  bool host = !sweep->bench.limits->gpu;
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&sweep->bench.profile, WISP_COMPILING);
  *out = NULL;
  const bool fills = !host || wisp_pipeline_empty(sweep->pipeline);
  while (fills && !wisp_pipeline_full(sweep->pipeline) && (c = wisp_search_next(&u->search))) {
    wisp_plan *plan = NULL;
    CALL(wisp_candidate_plan(err, u->search.scope, c, &plan));
    CALL(wisp_pipeline_submit(err, sweep->pipeline, plan, c->is_default));
  }
  const wisp_job *next = wisp_pipeline_next(sweep->pipeline);
  if (!next) return WISP_OK;
  wisp_trial_begin(&sweep->bench, next->plan, next->is_default, &key);
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_COMPILE, &key, 3 * wisp_compile_seconds()));
  if (host) wisp_pipeline_flush(sweep->pipeline); /* the cores that compile are those that are timed */
  *out = wisp_pipeline_take(sweep->pipeline);
  return wisp_link_begin(err, sweep->link, WISP_NOTE_COMPILED, &key, 0);
}

/* Is a layout's best so near to the time of its bytes that no search finds more? Operations can be made fewer, or done
 * by another unit. What fits the caches may be faster than memory. */
static bool is_enough(const unit *u, int layout)
{
  const wisp_sweep *sweep = u->sweep;
  const wisp_trial *best = &u->best[layout];
  bool cached = wisp_bytes_fit_cache(sweep->bench.limits, 1e6 * best->gbps * best->ms);
  double enough = sweep->request->enough > 0 ? sweep->request->enough : cached ? INFINITY : ENOUGH_GPU;
  const int at_least = sweep->request->at_least > 0 ? sweep->request->at_least : AT_LEAST;
  return isfinite(sweep->deadline) && u->known >= at_least && best->ms > 0 &&
         wisp_trial_byte_share(&sweep->bench, &u->search.scope->spec, best) >= enough;
}

/* The candidates of one problem, until `until`; at least one. */
static wisp_status tune_problem(wisp_error *err, unit *u, double until)
{
  wisp_status status = WISP_OK;
  wisp_sweep *sweep = u->sweep;
  wisp_trial trial;
  bool enough = false;
  do {
    wisp_job *job = NULL;
    const double begun = wisp_seconds();
    TRY(take(err, u, &job));
    if (!job) break;
    int layout = layout_of(u, job->plan);
    if (job->status == WISP_OK)
      job->status = wisp_module_check(&job->error, sweep->bench.device, &job->binary, job->plan->symbol);
    if (job->status == WISP_ESYSTEM) { /* the machine's fault, not the candidate's */
      u->has_default |= job->is_default;
      status = skip(err, sweep, &job->error);
      wisp_job_free(job);
      TRY(status);
      continue;
    }
    sweep->skipped = 0;
    TRY(wisp_trial_run(err, &sweep->bench, job, &u->incumbent[layout], &trial));
    if (sweep->request->defaults_only) wisp_incumbent_free(&u->incumbent[layout]); /* none is dropped as too slow */
    TRY(add_finalist(err, u, layout, &trial));
    wisp_sweep_note_pace(sweep, wisp_seconds() - begun, !u->ran);
    u->ran = true;
    u->last = trial;
    u->known++;
    enough = is_enough(u, layout);
    u->has_default |= trial.is_default == 1;
    wisp_search_report(&u->search, &trial);
    sweep->left = u->search.count - u->search.next;
    TRY(wisp_sweep_add(err, sweep, &trial, &u->best[layout]));
    wisp_sweep_replace(sweep);
  } while (wisp_seconds() + (sweep->by_stage ? sweep->pace : 0) < until && !enough);
done:
  if (!sweep->bench.limits->gpu)
    wisp_pipeline_drop(sweep->pipeline); /* the cores that compile are those that are timed */
  else
    wisp_pipeline_abandon(sweep->pipeline);
  return status;
}

wisp_status wisp_sweep_try(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int kernel,
                           const wisp_plan *plan, bool *right)
{
  wisp_status status = WISP_OK;
  unit u = {.sweep = sweep, .search.scope = scope, .best = sweep->best[kernel]};
  wisp_plan *own = NULL;
  wisp_trial key, stored;
  bool known = false;
  int layout = layout_of(&u, plan);
  OWNED(wisp_plan_destroy) wisp_plan *usual = NULL;
  wisp_error none = {0};
  (void)wisp_plan_default(&none, plan->strategy, &scope->spec, &scope->layout[layout], scope->names[layout], &usual);
  wisp_trial_begin(&sweep->bench, plan, usual && strcmp(usual->params, plan->params) == 0, &key);
  TRY(wisp_link_has(err, sweep->link, &key, &known, NULL, &stored));
  *right = known && wisp_trial_is_right(&stored);
  if (*right) TRY(add_finalist(err, &u, layout, &stored));
  if (known) goto done;
  TRY(wisp_plan_from_text(err, plan->strategy, &scope->spec, &scope->layout[layout], scope->names[layout], plan->params,
                          &own));
  TRY(wisp_pipeline_submit(err, sweep->pipeline, own, key.is_default == 1));
  TRY(tune_problem(err, &u, 0));
  *right = u.finalists.count > 0;
done:
  wisp_trials_free(&u.finalists);
  for (int l = 0; l < 8; l++) wisp_incumbent_free(&u.incumbent[l]);
  return status;
}

/* Takes a candidate out of the list, and tries it. */
static wisp_status try_now(wisp_error *err, unit *u, size_t at)
{
  wisp_search *search = &u->search;
  wisp_plan *plan = NULL;
  const bool is_default = search->candidates[at].is_default;
  CALL(wisp_candidate_plan(err, search->scope, &search->candidates[at], &plan));
  memmove(&search->candidates[at], &search->candidates[at + 1], (search->count - at - 1) * sizeof *search->candidates);
  search->count--;
  CALL(wisp_pipeline_submit(err, u->sweep->pipeline, plan, is_default));
  return tune_problem(err, u, 0);
}

/* The candidate that is the plan, or params NULL: the default one of its strategy and layout; count: none is left. */
static wisp_status find_candidate(wisp_error *err, const unit *u, const wisp_stage *stage, const char *params,
                                  size_t *at)
{
  const wisp_search *search = &u->search;
  for (*at = 0; *at < search->count; ++*at) {
    const wisp_candidate *c = &search->candidates[*at];
    OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
    if (c->strategy != stage->plan[0]->strategy ||
        memcmp(&search->scope->layout[c->layout], &stage->layout, sizeof stage->layout) != 0)
      continue;
    if (!params && c->is_default) break;
    if (!params) continue;
    CALL(wisp_candidate_plan(err, search->scope, c, &plan));
    if (strcmp(plan->params, params) == 0) break;
  }
  return WISP_OK;
}

/* The best that any layer knows for the kernel here is tried before all else: what is chosen without a trial of this
 * device. Then what runs without a store, which winners are compared with (`best`, `report`);
 * a budget for whole stages leaves that to the guide. */
static wisp_status try_first(wisp_error *err, unit *u)
{
  const wisp_sweep *sweep = u->sweep;
  OWNED(wisp_store_close) wisp_store *own = NULL;
  if (!sweep->start.store) CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &own));
  const wisp_store *store = own ? own : sweep->start.store;
  for (int standard = 0; standard < (sweep->by_stage ? 1 : 2); standard++) {
    HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
    size_t at = 0;
    const wisp_chooser from = {sweep->strategies, standard ? NULL : store, sweep->bench.limits, NULL};
    const wisp_choose_request request = {.spec = u->search.scope->spec,
                                         .layout = standard ? NULL : sweep->request->layout};
    CALL(wisp_choose_if_any(err, &from, &request, &stage));
    if (!stage.kernels || !(standard || stage.choice->trial)) continue; /* it runs in no whole stage; it is not known */
    CALL(find_candidate(err, u, &stage, standard ? NULL : stage.plan[0]->params, &at));
    if (at < u->search.count && (!sweep->by_stage || wisp_sweep_fits(sweep, u->deadline))) CALL(try_now(err, u, at));
  }
  return WISP_OK;
}

/* Leaves out candidates that failed on another card of this architecture, after one check of each reason. */
static wisp_status heed_verdicts(wisp_error *err, unit *u)
{
  wisp_sweep *sweep = u->sweep;
  wisp_search *search = &u->search;
  OWNED(wisp_store_close) wisp_store *own = NULL;
  HELD(wisp_verdicts_free) wisp_verdicts verdicts = {.count = 0};
  if (!sweep->start.store) CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &own));
  CALL(wisp_verdicts_find(err, sweep, own ? own : sweep->start.store, &search->scope->spec, &verdicts));
  for (size_t i = 0; i < search->count && verdicts.count;) {
    OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
    wisp_trial key;
    const wisp_trial *why = NULL;
    CALL(wisp_candidate_plan(err, search->scope, &search->candidates[i], &plan));
    wisp_trial_begin(&sweep->bench, plan, false, &key);
    const wisp_prejudice prejudice = wisp_verdicts_judge(&verdicts, &key, &why);
    if (prejudice == WISP_UNKNOWN || (prejudice == WISP_TO_CHECK && !wisp_sweep_fits(sweep, u->deadline))) {
      i++;
    } else if (prejudice == WISP_TO_CHECK) {
      CALL(try_now(err, u, i));
      CALL(wisp_verdicts_note(err, &verdicts, why, &u->last));
    } else {
      if (!sweep->unit.later_round) wisp_summary_leave_out(&sweep->summary, why);
      memmove(&search->candidates[i], &search->candidates[i + 1], (search->count - i - 1) * sizeof *search->candidates);
      search->count--;
    }
  }
  return WISP_OK;
}

wisp_status wisp_sweep_kernel(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int kernel)
{
  wisp_status status = WISP_OK;
  unit u = {.sweep = sweep, .best = sweep->best[kernel]};
  double now = wisp_seconds();
  size_t left = 0;
  u.deadline = now + (1 - FINAL_SHARE) * sweep->share * (sweep->until - now);
  TRY(wisp_search_create(err, sweep->strategies, scope, sweep->request->strategy, WISP_RANDOM_SEED, &u.search));
  TRY(store_refusals(err, sweep, &u.search));
  for (size_t i = 0; i < u.search.count; i++)
    if (!sweep->request->defaults_only || u.search.candidates[i].is_default)
      u.search.candidates[left++] = u.search.candidates[i];
  u.search.count = left;
  TRY(leave_out_known(err, &u));
  if (wisp_sweep_compositions_alone(sweep)) goto done;
  TRY(try_first(err, &u));
  if (isfinite(sweep->deadline)) TRY(heed_verdicts(err, &u)); /* an exhaustive sweep tries all */
  if (isfinite(sweep->deadline)) { /* a short time is spent on what is known to be good nearby */
    const wisp_target target = wisp_limits_target(sweep->bench.limits);
    OWNED(free) wisp_point *known = NULL;
    size_t count = 0;
    TRY(wisp_seeds_for(err, &sweep->seeds, &scope->spec, &count, &known));
    TRY(wisp_search_guide(err, &u.search, &target, count, known));
  }
  u.has_default |= sweep->by_stage;
  while (wisp_search_next_problem(&u.search)) {
    now = wisp_seconds();
    if (sweep->by_stage && !wisp_sweep_fits(sweep, u.tried ? u.deadline : sweep->until)) break;
    if (u.has_default && (now >= sweep->deadline || (now >= u.deadline && u.tried))) break;
    if (u.has_default && is_enough(&u, u.search.candidates[u.search.begin].layout)) continue;
    u.tried = true;
    TRY(tune_problem(err, &u, now + wisp_search_share(&u.search) * (u.deadline - now)));
  }
  /* Kernels of whole stages have their final rounds once it is known which stage is the fastest. */
  const bool later = sweep->by_stage && wisp_sweep_composes(sweep, scope->spec.kernel);
  for (int l = 0; l < scope->layouts && !later; l++)
    TRY(wisp_sweep_final(err, sweep, scope, l, &u.finalists, &u.best[l]));
  sweep->searched = u.known >= AT_LEAST || u.search.next == u.search.count;
done:
  wisp_trials_free(&u.finalists);
  for (int l = 0; l < 8; l++) wisp_incumbent_free(&u.incumbent[l]);
  wisp_search_free(&u.search);
  return status;
}
