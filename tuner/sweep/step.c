/* The whole step: which layout and composition make the fastest stage, when the winners of each kernel work together.
 */
#include "sweep.h"
#include "../../runtime/solve/current.h"
#include "../../runtime/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEP_KERNELS = 8, MAX_STEPS = 64, MEASURED = 4 };

typedef struct step { /* a composition in a layout */
  const char *composition;
  int layout, kernels;
  const wisp_trial *winner[MAX_STEP_KERNELS];
  double sum; /* of the winners' times */
} step;

static int kernel_index(const wisp_family *family, const char *name, size_t length)
{
  for (int i = 0; family->kernels[i].name; i++)
    if (strlen(family->kernels[i].name) == length && strncmp(family->kernels[i].name, name, length) == 0) return i;
  return -1;
}

/* False where a kernel of the composition has no winner in the layout. */
static bool add_up(const wisp_sweep *sweep, const char *composition, int layout, step *out)
{
  *out = (step){.composition = composition, .layout = layout};
  for (const char *at = composition; at; at = strchr(at, '+') ? strchr(at, '+') + 1 : NULL) {
    int k = kernel_index(sweep->family, at, strcspn(at, "+"));
    if (k < 0 || sweep->best[k][layout].ms <= 0 || out->kernels == MAX_STEP_KERNELS) return false;
    out->winner[out->kernels++] = &sweep->best[k][layout];
    out->sum += sweep->best[k][layout].ms;
  }
  return true;
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
} runnable;

static void release(runnable *r)
{
  for (int i = 0; i < r->kernels; i++) {
    wisp_kernel_destroy(r->kernel[i]);
    wisp_plan_destroy(r->plan[i]);
  }
}

static wisp_status prepare(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const step *s, runnable *r)
{
  wisp_status status = WISP_OK;
  const wisp_purpose before = wisp_turn(&sweep->bench.ledger, WISP_COMPILING);
  r->workload = sweep->bench.workload;
  for (int i = 0; i < s->kernels; i++) {
    const wisp_trial *winner = s->winner[i];
    wisp_spec spec;
    wisp_binary binary = {0};
    TRY(wisp_spec_parse(err, winner->spec, &spec));
    const wisp_strategy *strategy = wisp_strategies_find(sweep->strategies, spec.family, spec.kernel, winner->strategy);
    TRY(wisp_plan_from_text(err, strategy, &spec, &scope->layout[s->layout], scope->names[s->layout], winner->params,
                            &r->plan[i]));
    r->kernels = i + 1;
    TRY(wisp_plan_compile(err, r->plan[i], sweep->bench.limits->target, &binary));
    status = wisp_kernel_create(err, sweep->bench.device, r->plan[i], &binary, &r->kernel[i]);
    free(binary.data);
    TRY(status);
  }
  wisp_turn(&sweep->bench.ledger, WISP_PREPARING);
  TRY(wisp_problems_get(err, sweep->bench.problems, (const wisp_plan *const *)r->plan, r->kernels, &r->problem));
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
static void combined_hash(const step *s, char text[20])
{
  uint64_t hash = WISP_HASH_SEED;
  for (int i = 0; i < s->kernels; i++) hash = wisp_step_hash(hash, s->winner[i]->template_hash);
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
  combined_hash(s, hash);
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
  release(&r);
  return status;
}

wisp_status wisp_sweep_steps(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  wisp_scope scope = *kernels;
  step steps[MAX_STEPS];
  size_t count = 0;
  snprintf(scope.spec.kernel, sizeof scope.spec.kernel, "step");
  for (int c = 0; sweep->family->compositions[c]; c++)
    for (int l = 0; l < scope.layouts && count < MAX_STEPS; l++)
      count += add_up(sweep, sweep->family->compositions[c], l, &steps[count]);
  if (count) qsort(steps, count, sizeof *steps, by_sum);
  /* One even where the budget is used up: it is what a solver asks for, and an earlier round left none. */
  size_t least = sweep->again ? 0 : 1;
  for (size_t i = 0; i < count && i < MEASURED && (i < least || wisp_seconds() < sweep->deadline); i++)
    CALL(measure_step(err, sweep, &scope, &steps[i]));
  return WISP_OK;
}
