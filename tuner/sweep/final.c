/* Who meets in a final round, how it is held, and what is stored of it; and what a sweep reports to the tuner. */
#include "sweep.h"
#include "../../gen/random.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 6 };
static const double LEAST_NOISE = 0.005, MOST_NOISE = 0.01;

size_t wisp_resolve_tie(size_t count, wisp_trial *trials, const double *noise)
{
  size_t best = 0, chosen;
  for (size_t i = 1; i < count; i++)
    if (trials[i].ms < trials[best].ms) best = i;
  chosen = best;
  for (size_t i = 0; i < count; i++) {
    double spread = fmin(fmax(noise[i] + noise[best], LEAST_NOISE), MOST_NOISE);
    bool tied = i == best || trials[i].ms <= (1 + spread) * trials[best].ms;
    snprintf(trials[i].tie, sizeof trials[i].tie, "%s", tied ? WISP_TIE_TIED : "");
    if (tied && wisp_ranking_simpler(&trials[i], &trials[chosen])) chosen = i;
  }
  snprintf(trials[chosen].tie, sizeof trials[chosen].tie, WISP_TIE_CHOSEN);
  return chosen;
}

/* --- who meets --- */

static int by_time(const void *a, const void *b)
{
  const wisp_trial *x = *(wisp_trial *const *)a, *y = *(wisp_trial *const *)b;
  return (x->ms > y->ms) - (x->ms < y->ms);
}

/* The trials of one layout, fastest first; free(*out). */
static wisp_status of_layout(wisp_error *err, const wisp_layout *layout, const wisp_trials *all, size_t *count,
                             wisp_trial ***out)
{
  char text[WISP_LAYOUT_TEXT];
  CALL(wisp_new(err, all->count + 1, sizeof **out, out));
  wisp_layout_print(layout, text);
  *count = 0;
  for (size_t i = 0; i < all->count; i++)
    if (strcmp(all->trials[i].layout, text) == 0) (*out)[(*count)++] = &all->trials[i];
  if (*count) qsort(*out, *count, sizeof **out, by_time);
  return WISP_OK;
}

/* The one that the last final round chose, if that round has seen all that are close to the fastest. NULL also where
 * more than one is chosen: stores were merged. */
static const wisp_trial *resolved_of(size_t count, wisp_trial *const *trials)
{
  const wisp_trial *chosen = NULL;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(trials[i]->tie, WISP_TIE_CHOSEN) != 0) continue;
    if (chosen) return NULL;
    chosen = trials[i];
  }
  if (!chosen || chosen->ms > wisp_ranking_margin * trials[0]->ms) return NULL;
  for (size_t i = 0; i < count && trials[i]->ms <= wisp_ranking_margin * trials[0]->ms; i++)
    if (!*trials[i]->tie && strcmp(trials[i]->when, chosen->when) > 0) return NULL;
  return chosen;
}

/* --- the round --- */

typedef struct entrant {
  wisp_plan *plan;
  wisp_binary binary;
  wisp_kernel *kernel;
  wisp_problem_ref ref;
} entrant;

static void release(entrant (*all)[MOST])
{
  for (entrant *e = *all; e < *all + MOST; e++) {
    wisp_problem_ref_end(&e->ref);
    wisp_kernel_destroy(e->kernel);
    free(e->binary.data);
    wisp_plan_destroy(e->plan);
  }
}

static double limit_of(const wisp_sweep *sweep, const wisp_scope *scope, const wisp_trial *trial)
{
  return wisp_trial_limit(&sweep->bench, &scope->spec, trial->ms);
}

/* Stores a candidate's failure in this round in place of its success, and ends the worker: the next one holds the round
 * without it. Returns only where that is not possible, or where no candidate is to blame. */
static wisp_status disqualify(wisp_error *err, wisp_sweep *sweep, wisp_trial *trial, wisp_status verdict,
                              const wisp_error *reason)
{
  if (verdict != WISP_EWRONG && verdict != WISP_ECOMPILE && verdict != WISP_EDEVICE)
    return wisp_fail(err, verdict, "%s", reason->text);
  *trial->tie = '\0';
  wisp_trial_end(trial, wisp_outcome_of(verdict), "in the final round: %.300s", reason->text);
  CALL(wisp_sweep_add(err, sweep, trial, NULL));
  sweep->bench.doubtful = true;
  wisp_sweep_replace(sweep);
  return WISP_OK;
}

/* Compiled and loaded; what is not the candidate's own work is done here, before the tuner looks at the clock. */
static wisp_status enter(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int layout, wisp_trial *trial,
                         entrant *out)
{
  wisp_status verdict;
  wisp_error reason = {0};
  const wisp_strategy *strategy =
      wisp_strategies_find(sweep->strategies, scope->family->name, scope->spec.kernel, trial->strategy);
  CALL(wisp_plan_from_text(err, strategy, &scope->spec, &scope->layout[layout], scope->names[layout], trial->params,
                           &out->plan));
  verdict = wisp_plan_compile(&reason, out->plan, sweep->bench.limits->target, &out->binary);
  if (verdict == WISP_ECOMPILE) CALL(disqualify(err, sweep, trial, verdict, &reason));
  CALL(wisp_require(err, verdict == WISP_OK, verdict, "%s", reason.text));
  wisp_profile_switch(&sweep->bench.profile, WISP_VERIFYING);
  CALL(wisp_verifier_prepare(err, sweep->bench.verifier, out->plan));
  wisp_profile_switch(&sweep->bench.profile, WISP_COMPILING);
  CALL(wisp_bench_acquire(err, &sweep->bench, out->plan, &out->ref));
  verdict = wisp_kernel_create(&reason, sweep->bench.device, out->plan, &out->binary, &out->kernel);
  if (verdict != WISP_OK) CALL(disqualify(err, sweep, trial, verdict, &reason));
  return WISP_OK;
}

/* New times for all; with one alone there is nothing to compare. A device that is lost meanwhile says not by whom: the
 * fastest is blamed, and so the rounds come to an end. */
static wisp_status time_finalists(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, size_t count,
                                  const entrant *e, wisp_trial *trials, double *noise)
{
  wisp_lone_kernel lone[MOST];
  wisp_contender timed[MOST] = {0};
  wisp_error reason = {0};
  noise[0] = 0;
  if (count < 2) return WISP_OK;
  for (size_t i = 0; i < count; i++) {
    lone[i] = (wisp_lone_kernel){sweep->bench.workload, e[i].ref.problem, e[i].kernel};
    timed[i] = (wisp_contender){.run = wisp_lone_run, .context = &lone[i]};
  }
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_LAUNCH, &trials[0],
                       (double)count * limit_of(sweep, scope, &trials[count - 1])));
  wisp_status verdict = wisp_measure(&reason, sweep->bench.device, true, timed, count);
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_RAN, &trials[0], 0));
  if (verdict != WISP_OK) CALL(disqualify(err, sweep, &trials[0], verdict, &reason));
  for (size_t i = 0; i < count; i++) {
    CALL(wisp_trial_rate(err, &sweep->bench, &scope->spec, e[i].kernel->plan, &timed[i], 1, &trials[i]));
    noise[i] = wisp_measure_noise(&timed[i]);
  }
  return WISP_OK;
}

/* In this sweep, at launch after launch; as a leading one, or at all. */
static uint64_t passing(const wisp_trial *trial, bool leading)
{
  char name[WISP_TRIAL_NAME];
  wisp_trial_name(trial, name);
  uint64_t hash = wisp_hash(WISP_HASH_SEED, trial->spec, strlen(trial->spec));
  hash = wisp_hash(hash, trial->layout, strlen(trial->layout));
  return wisp_hash(wisp_hash(hash, name, strlen(name)), &leading, sizeof leading);
}

/* After all timings, loaded anew, other data. What is wrong now was never right, or does not stay so. */
static wisp_status verify_winner(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, entrant *e, bool leading,
                                 wisp_trial *winner)
{
  wisp_status status = WISP_OK, verdict;
  wisp_bench *bench = &sweep->bench;
  wisp_trial claim = *winner;
  const uint64_t mine = passing(winner, leading);
  bool passed = false;
  wisp_error reason = {0};
  double error = 0;
  wisp_kernel_destroy(e->kernel);
  e->kernel = NULL;
  wisp_verifier_seed(bench->verifier, WISP_OTHER_SEED);
  *claim.tie = '\0'; /* until it is proved: what the tuner stores should this process die */
  TRY(wisp_verifier_prepare(err, bench->verifier, e->plan));
  if (leading) TRY(wisp_bench_prepare_large(err, bench, e->plan));
  TRY(wisp_link_begin(err, sweep->link, WISP_NOTE_LAUNCH, &claim, limit_of(sweep, scope, winner)));
  verdict = wisp_kernel_create(&reason, bench->device, e->plan, &e->binary, &e->kernel);
  if (verdict == WISP_OK) verdict = wisp_verifier_check(&reason, bench->verifier, e->kernel, &error);
  for (size_t i = 0; i < sweep->passed_count && i < WISP_MAX_PASSED; i++) passed |= sweep->passed[i] == mine;
  if (verdict == WISP_OK && !passed) {
    verdict = wisp_bench_repeat_check(&reason, bench, e->ref.problem, e->kernel, leading);
    if (verdict == WISP_OK && leading) verdict = wisp_bench_check_large(&reason, bench, e->kernel);
    if (verdict == WISP_OK) sweep->passed[sweep->passed_count++ % WISP_MAX_PASSED] = mine;
  }
  TRY(wisp_link_begin(err, sweep->link, WISP_NOTE_RAN, winner, 0));
  winner->error = fmax(winner->error, error);
  if (verdict != WISP_OK) TRY(disqualify(err, sweep, winner, verdict, &reason));
done:
  wisp_verifier_seed(bench->verifier, WISP_RANDOM_SEED);
  return status;
}

/* A machine that has become slower since the others were tried (a host with other work) would put those in front that
 * were not close enough for the round. Then the first times stay, and the round says who is chosen, no more. */
static void keep_comparable(size_t count, wisp_trial *round, size_t chosen, size_t all, wisp_trial *const *known)
{
  if (count == all || round[chosen].ms <= wisp_ranking_margin * known[count]->ms) return;
  for (size_t i = 0; i < count; i++) {
    wisp_trial first = *known[i];
    memcpy(first.tie, round[i].tie, sizeof first.tie);
    memcpy(first.when, round[i].when, sizeof first.when);
    first.error = round[i].error;
    round[i] = first;
  }
}

/* The chosen one last: a round that was killed before has no chosen one, and is held again. */
static wisp_status store_round(wisp_error *err, wisp_sweep *sweep, size_t count, const wisp_trial *round, size_t chosen,
                               size_t all, wisp_trial *const *known)
{
  for (size_t i = 0; i < all; i++) {
    if (!*known[i]->tie) continue;
    *known[i]->tie = '\0';
    CALL(wisp_link_put(err, sweep->link, known[i]));
  }
  for (size_t i = 0; i < count; i++)
    if (i != chosen) CALL(wisp_link_put(err, sweep->link, &round[i]));
  return wisp_link_put(err, sweep->link, &round[chosen]);
}

static wisp_status hold_round(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int layout, double fastest,
                              size_t all, wisp_trial *const *known, wisp_trial *winner)
{
  size_t near = 0, count = 0, chosen; /* near: close enough to the fastest for a second look */
  HELD(release) entrant e[MOST] = {0};
  OWNED(free) wisp_trial *round = NULL;
  double noise[MOST];
  HELD(wisp_profile_leave)
  const wisp_profile_scope now = wisp_profile_enter(&sweep->bench.profile, WISP_COMPILING); /* most of it */
  CALL(wisp_new(err, MOST, sizeof *round, &round));
  while (near < all && near < MOST && known[near]->ms <= wisp_ranking_margin * known[0]->ms) near++;
  for (; count < near && !(count && wisp_problems_full(sweep->bench.problems)); count++) {
    round[count] = *known[count];
    *round[count].tie = '\0';
    CALL(enter(err, sweep, scope, layout, &round[count], &e[count]));
  }
  wisp_profile_switch(&sweep->bench.profile, WISP_TIMING);
  CALL(time_finalists(err, sweep, scope, count, e, round, noise));
  for (size_t i = 0; i < count; i++) wisp_trial_stamp(&round[i]);
  chosen = wisp_resolve_tie(count, round, noise);
  wisp_profile_switch(&sweep->bench.profile, WISP_VERIFYING);
  CALL(verify_winner(err, sweep, scope, &e[chosen], round[chosen].ms <= wisp_ranking_margin * fastest, &round[chosen]));
  wisp_profile_switch(&sweep->bench.profile, WISP_ELSE);
  keep_comparable(count, round, chosen, all, known);
  CALL(store_round(err, sweep, count, round, chosen, all, known));
  *winner = round[chosen];
  sweep->changed = true;
  return WISP_OK;
}

wisp_status wisp_sweep_final(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int layout,
                             const wisp_trials *all, wisp_trial *winner)
{
  OWNED(free) wisp_trial **known = NULL;
  size_t count = 0;
  double fastest = INFINITY; /* in any layout */
  for (size_t i = 0; i < all->count; i++) fastest = fmin(fastest, all->trials[i].ms);
  CALL(of_layout(err, &scope->layout[layout], all, &count, &known));
  const wisp_trial *resolved = resolved_of(count, known);
  if (resolved)
    *winner = *resolved;
  else if (count)
    CALL(hold_round(err, sweep, scope, layout, fastest, count, known, winner));
  return WISP_OK;
}

/* ---- Reports to the tuner, and questions about its request. */

void wisp_sweep_note_pace(wisp_sweep *sweep, double seconds, bool first)
{
  double *pace = first ? &sweep->first : &sweep->pace;
  *pace = fmax(seconds, (*pace + seconds) / 2);
}

bool wisp_sweep_fits(const wisp_sweep *sweep, double until)
{
  return wisp_seconds() + sweep->pace < until;
}

wisp_tuned *wisp_sweep_tuned(wisp_sweep *sweep)
{
  return wisp_summary_target(&sweep->summary, sweep->unit.order, sweep->unit.precision, sweep->part.name);
}

void wisp_sweep_note_time(wisp_sweep *sweep)
{
  wisp_tuned *tuned = wisp_sweep_tuned(sweep);
  const double now = wisp_seconds();
  if (tuned) tuned->seconds += now - sweep->began;
  sweep->began = now;
}

/* The worker estimates the trials to come in its unit; the tuner reports them. */
wisp_status wisp_sweep_add(wisp_error *err, wisp_sweep *sweep, const wisp_trial *trial, const wisp_trial *best)
{
  wisp_tune_summary *sum = &sweep->summary;
  wisp_note note = {.kind = WISP_NOTE_ADD, .trial = *trial};
  wisp_summary_count(sum, trial);
  wisp_profile_flush(&sweep->bench.profile, sum->spent);
  sweep->changed = true;
  sweep->here++;
  wisp_sweep_note_time(sweep);
  wisp_tuned *tuned = wisp_sweep_tuned(sweep);
  if (tuned) tuned->trials++;
  double parts_left = (double)(sweep->parts - sweep->parts_done) - 1; /* not this one */
  double mean = (double)sweep->here / (double)(sweep->parts_done + 1);
  if (best) note.best = *best;
  note.left = (long long)sweep->left + (long long)(fmax(parts_left, 0) * mean);
  note.summary = *sum;
  wisp_status status = wisp_link_ask(err, sweep->link, &note, NULL);
  if (status == WISP_OK && isfinite(sweep->deadline)) status = wisp_seeds_add(err, &sweep->seeds, trial);
  return status;
}

void wisp_sweep_replace(wisp_sweep *sweep)
{
  if (!sweep->bench.doubtful) return;
  wisp_pipeline_drop(sweep->pipeline); /* compilers leave nothing behind when they end in order */
  wisp_link_ask(NULL, sweep->link, &(wisp_note){.kind = WISP_NOTE_RESTART}, NULL);
  _exit(0); /* what a lost device holds cannot be given back */
}

bool wisp_sweep_compositions_alone(const wisp_sweep *sweep)
{
  return sweep->request->kernel && strcmp(sweep->request->kernel, WISP_COMPOSITION) == 0;
}

bool wisp_tune_wants(const wisp_tune_request *request, const char *kernel)
{
  const char *at = request->kernel;
  const size_t length = strlen(kernel);
  for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, kernel, length) == 0 && (at[length] == ',' || !at[length])) return true;
  return !request->kernel;
}

bool wisp_sweep_wants(const wisp_sweep *sweep, int kernel)
{
  const char *name = sweep->family->kernels[kernel].name;
  const bool wanted = wisp_sweep_compositions_alone(sweep) || wisp_tune_wants(sweep->request, name);
  return wanted && wisp_workload_serves(sweep->family->name, name);
}
