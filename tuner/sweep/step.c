/* The whole step: which layout and composition make the fastest stage, when the winners of each kernel work together.
 */
#include "sweep.h"
#include "../../runtime/solve/choose.h"
#include "../../runtime/solve/current.h"
#include "../../runtime/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEP_KERNELS = 8, MAX_STEPS = 64, MEASURED = 4 };

typedef struct step { /* a composition in a layout */
  const char *composition;
  int layout, kernels;
  wisp_spec spec[MAX_STEP_KERNELS];
  const wisp_trial *winner[MAX_STEP_KERNELS]; /* NULL: it is another family's */
  double sum;                                 /* of the winners' times */
} step;

static int kernel_index(const wisp_family *family, const char *name)
{
  int i = 0;
  while (strcmp(family->kernels[i].name, name) != 0) i++;
  return i;
}

/* *complete: every kernel of the composition has a winner in the layout, or is borrowed. */
static wisp_status add_up(wisp_error *err, const wisp_sweep *sweep, const wisp_scope *scope, const char *composition,
                          int layout, step *out, bool *complete)
{
  *out = (step){.composition = composition, .layout = layout};
  *complete = wisp_composition_count(composition) <= MAX_STEP_KERNELS;
  for (char name[WISP_NAME_TEXT]; *complete && wisp_composition_next(&composition, name); out->kernels++) {
    wisp_spec *spec = &out->spec[out->kernels];
    CALL(wisp_composition_spec(err, &scope->spec, name, spec));
    if (strcmp(spec->family, sweep->family->name) != 0) continue;
    const wisp_trial *winner = &sweep->best[kernel_index(sweep->family, spec->kernel)][layout];
    out->winner[out->kernels] = winner;
    out->sum += winner->ms;
    *complete = winner->ms > 0;
  }
  return WISP_OK;
}

static int by_sum(const void *a, const void *b)
{
  const step *x = a, *y = b;
  return (x->sum > y->sum) - (x->sum < y->sum);
}

/* --- a step made runnable --- */

typedef struct runnable {
  const wisp_workload *workload;
  wisp_problem *problem;
  int kernels;
  wisp_plan *plan[MAX_STEP_KERNELS];
  wisp_kernel *kernel[MAX_STEP_KERNELS];
  wisp_step lent[MAX_STEP_KERNELS]; /* the other families' */
} runnable;

static void release(wisp_problems *problems, runnable *r)
{
  wisp_problems_release(problems, r->problem);
  for (int i = 0; i < r->kernels; i++) {
    wisp_kernel_destroy(r->kernel[i]);
    if (!r->lent[i].kernels) wisp_plan_destroy(r->plan[i]);
    wisp_step_free(&r->lent[i]);
  }
}

/* What the other families would take: they are not being tuned. */
static wisp_status borrow(wisp_error *err, const wisp_sweep *sweep, const step *s, runnable *r)
{
  wisp_status status = WISP_OK;
  wisp_store *store = NULL;
  for (r->kernels = 0; r->kernels < s->kernels; r->kernels++) {
    const wisp_wish wish = {.spec = s->spec[r->kernels], .elements = wisp_problems_elements(sweep->bench.problems)};
    if (s->winner[r->kernels]) continue;
    if (!store) TRY(wisp_store_open(err, sweep->request->db, true, NULL, &store));
    const wisp_chooser from = {sweep->strategies, store, sweep->bench.limits, NULL};
    TRY(wisp_choose(err, &from, &wish, &r->lent[r->kernels]));
    r->plan[r->kernels] = r->lent[r->kernels].plan[0];
  }
done:
  wisp_store_close(store);
  return status;
}

static wisp_status prepare(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const step *s, runnable *r)
{
  wisp_status status = WISP_OK;
  const wisp_purpose before = wisp_turn(&sweep->bench.ledger, WISP_COMPILING);
  r->workload = sweep->bench.workload;
  for (int i = 0; i < s->kernels; i++) {
    const wisp_trial *winner = s->winner[i];
    const wisp_spec *spec = &s->spec[i];
    wisp_binary binary = {0};
    if (winner)
      TRY(wisp_plan_from_text(err,
                              wisp_strategies_find(sweep->strategies, spec->family, spec->kernel, winner->strategy),
                              spec, &scope->layout[s->layout], scope->names[s->layout], winner->params, &r->plan[i]));
    TRY(wisp_plan_compile(err, r->plan[i], sweep->bench.limits->target, &binary));
    status = wisp_kernel_create(err, sweep->bench.device, r->plan[i], &binary, &r->kernel[i]);
    free(binary.data);
    TRY(status);
  }
  wisp_turn(&sweep->bench.ledger, WISP_PREPARING);
  TRY(wisp_problems_acquire(err, sweep->bench.problems, (const wisp_plan *const *)r->plan, r->kernels, &r->problem));
done:
  wisp_turn(&sweep->bench.ledger, before);
  return status;
}

static wisp_status run_step(wisp_error *err, const void *context)
{
  const runnable *r = context;
  return wisp_problems_step(err, r->workload, r->problem, (const wisp_kernel *const *)r->kernel, r->kernels);
}

/* A step is current while the texts of all its kernels are. */
static void combined_hash(const step *s, const runnable *r, const char *dialect, char text[20])
{
  uint64_t hash = WISP_HASH_SEED;
  char lent[20];
  for (int i = 0; i < s->kernels; i++) {
    if (!s->winner[i]) wisp_plan_hash(r->plan[i], dialect, lent);
    hash = wisp_step_hash(hash, s->winner[i] ? s->winner[i]->template_hash : lent);
  }
  snprintf(text, 20, "%016llx", (unsigned long long)hash);
}

static wisp_status measure_step(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const step *s)
{
  wisp_status status = WISP_OK;
  runnable r = {0};
  int stages = sweep->bench.workload->stages;
  wisp_contender timed = {.run = run_step, .context = &r};
  wisp_error reason = {0};
  wisp_trial trial, stored;
  char hash[20];
  bool known = false, tried = false;
  TRY(borrow(err, sweep, s, &r));
  combined_hash(s, &r, sweep->bench.limits->kind, hash);
  wisp_trial_key(&sweep->bench, &scope->spec, &scope->layout[s->layout], s->composition, hash, "", &trial);
  TRY(wisp_link_has(err, sweep->link, &trial, &known, &tried, &stored));
  bool failed = known && strcmp(stored.outcome, "ok") != 0;
  if (known && (!sweep->changed || (failed && tried))) {
    sweep->summary.known += !sweep->again && !tried;
    goto done;
  }
  TRY(prepare(err, sweep, scope, s, &r));
  TRY(wisp_link_begin(err, sweep->link, WISP_NOTE_LAUNCH, &trial,
                      wisp_trial_limit(&sweep->bench, &scope->spec, stages * s->sum)));
  const wisp_purpose before = wisp_turn(&sweep->bench.ledger, WISP_TIMING);
  status = wisp_measure(&reason, sweep->bench.device, &timed, 1);
  wisp_turn(&sweep->bench.ledger, before);
  sweep->bench.doubtful |= status == WISP_EDEVICE;
  snprintf(trial.outcome, sizeof trial.outcome, "%s", status == WISP_OK ? "ok" : "crash");
  snprintf(trial.reason, sizeof trial.reason, "%.*s", (int)sizeof trial.reason - 1, reason.text);
  if (status == WISP_OK)
    TRY(wisp_trial_rate(err, &sweep->bench, &scope->spec, &timed, stages, &trial));
  else
    TRY(wisp_require(err, status == WISP_EDEVICE, status, "%s", reason.text));
  TRY(wisp_sweep_add(err, sweep, &trial, NULL));
  wisp_sweep_replace(sweep);
done:
  release(sweep->bench.problems, &r);
  return status;
}

wisp_status wisp_sweep_steps(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  wisp_scope scope = *kernels;
  step steps[MAX_STEPS];
  size_t count = 0;
  snprintf(scope.spec.kernel, sizeof scope.spec.kernel, "step");
  for (int c = 0; sweep->family->compositions[c]; c++)
    for (int l = 0; l < scope.layouts && count < MAX_STEPS; l++) {
      bool complete = false;
      CALL(add_up(err, sweep, &scope, sweep->family->compositions[c], l, &steps[count], &complete));
      count += complete;
    }
  if (count) qsort(steps, count, sizeof *steps, by_sum);
  /* One even where the budget is used up: it is what a solver asks for, and an earlier round left none. */
  size_t least = sweep->again ? 0 : 1;
  for (size_t i = 0; i < count && i < MEASURED && (i < least || wisp_seconds() < sweep->deadline); i++)
    CALL(measure_step(err, sweep, &scope, &steps[i]));
  return WISP_OK;
}
