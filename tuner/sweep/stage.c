/* The whole step: which layout and composition make the fastest stage, when the winners of each kernel work together.
 */
#include "sweep.h"
#include "../../runtime/solve/choose.h"
#include "../../runtime/solve/current.h"
#include "../../runtime/process.h"

#include <stdlib.h>
#include <string.h>

enum { MEASURED = 4 };

typedef struct step { /* a composition in a layout */
  const char *composition;
  int layout;
  double sum; /* of its kernels' winners' times */
} step;

/* The winner of a kernel in a layout, NULL where there is none. */
static const wisp_trial *winner_of(const wisp_sweep *sweep, const char *name, int layout)
{
  const wisp_kernel_decl *kernel = wisp_family_kernel(sweep->family, name);
  const wisp_trial *best = kernel ? &sweep->best[kernel - sweep->family->kernels][layout] : NULL;
  return best && best->ms > 0 ? best : NULL;
}

/* False where the composition is not for this system, or a kernel has no winner in the layout, and is not another
 * family's either. */
static bool add_up(const wisp_sweep *sweep, const wisp_spec *spec, const char *composition, int layout, step *out)
{
  if (sweep->family->suits && sweep->family->suits(NULL, spec, composition) != WISP_OK) return false;
  *out = (step){.composition = composition, .layout = layout};
  for (char kernel[WISP_NAME_TEXT]; wisp_composition_next(&composition, kernel);) {
    const wisp_trial *winner = winner_of(sweep, kernel, layout);
    const bool borrowed = strchr(kernel, '.');
    if (!winner && !borrowed) return false;
    if (winner) out->sum += winner->ms;
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
  wisp_stage stage;
  wisp_kernel **kernel;
  wisp_lease lease;
  char newest[sizeof((wisp_trial *)NULL)->when]; /* of its kernels' trials; empty: defaults all */
} runnable;

static void release(runnable *r)
{
  wisp_lease_end(&r->lease);
  for (int i = 0; r->kernel && i < r->stage.kernels; i++) wisp_kernel_destroy(r->kernel[i]);
  free(r->kernel);
  wisp_stage_free(&r->stage);
}

/* The winners as a solver takes them: the tuner has stored what was measured by now. */
static wisp_status choose(wisp_error *err, const wisp_sweep *sweep, const wisp_scope *scope, const step *s, runnable *r)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&scope->layout[s->layout], layout);
  CALL(wisp_store_open(err, sweep->request->db, true, NULL, &store));
  const wisp_chooser from = {sweep->strategies, store, sweep->bench.limits, NULL};
  const wisp_wish wish = {.spec = scope->spec,
                          .composition = s->composition,
                          .layout = layout,
                          .elements = wisp_problems_elements(sweep->bench.problems)};
  r->workload = sweep->bench.workload;
  CALL(wisp_choose(err, &from, &wish, &r->stage));
  for (int i = 0; i < r->stage.kernels; i++) {
    const wisp_trial *t = r->stage.choice[i].trial;
    if (t && strcmp(t->when, r->newest) > 0) memcpy(r->newest, t->when, sizeof r->newest);
  }
  return wisp_new(err, (size_t)r->stage.kernels, sizeof *r->kernel, &r->kernel);
}

static wisp_status load(wisp_error *err, wisp_sweep *sweep, runnable *r)
{
  HELD(wisp_turn_back) const wisp_turning now = wisp_turn_to(&sweep->bench.ledger, WISP_COMPILING);
  CALL(wisp_stage_load(err, sweep->bench.device, &r->stage, r->kernel));
  wisp_turn(&sweep->bench.ledger, WISP_PREPARING);
  return wisp_problems_acquire(err, sweep->bench.problems, (const wisp_plan *const *)r->stage.plan, r->stage.kernels,
                               &r->lease);
}

static wisp_status run_step(wisp_error *err, const void *context)
{
  const runnable *r = context;
  return wisp_problems_step(err, r->workload, r->lease.problem, (const wisp_kernel *const *)r->kernel,
                            r->stage.kernels);
}

static wisp_status measure_step(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const step *s)
{
  HELD(release) runnable r = {0};
  int stages = sweep->bench.workload->stages;
  wisp_contender timed = {.run = run_step, .context = &r};
  wisp_error reason = {0};
  wisp_trial trial, stored = {0};
  char hash[20];
  bool known = false, tried = false;
  CALL(choose(err, sweep, scope, s, &r));
  wisp_plans_hash(r.stage.plan, r.stage.kernels, sweep->bench.limits->kind, hash);
  wisp_trial_key(&sweep->bench, &scope->spec, &scope->layout[s->layout], s->composition, hash, "", &trial);
  CALL(wisp_link_has(err, sweep->link, &trial, &known, &tried, &stored));
  bool failed = known && wisp_trial_outcome(&stored) != WISP_TRIAL_OK;
  /* What was measured before one of its kernels was may be of another winner. */
  const bool due = sweep->changed || strcmp(r.newest, stored.when) > 0;
  if (known && (!due || (failed && tried))) {
    sweep->summary.known += !sweep->unit.again && !tried;
    return WISP_OK;
  }
  CALL(load(err, sweep, &r));
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_LAUNCH, &trial,
                       wisp_trial_limit(&sweep->bench, &scope->spec, stages * s->sum)));
  wisp_turn(&sweep->bench.ledger, WISP_TIMING);
  const wisp_status status = wisp_measure(&reason, sweep->bench.device, false, &timed, 1);
  wisp_turn(&sweep->bench.ledger, WISP_ELSE);
  sweep->bench.doubtful |= status == WISP_EDEVICE;
  wisp_trial_end(&trial, status == WISP_OK ? WISP_TRIAL_OK : WISP_TRIAL_CRASH, "%s", reason.text);
  if (status == WISP_OK)
    CALL(wisp_trial_rate(err, &sweep->bench, &scope->spec, &timed, stages, &trial));
  else
    CALL(wisp_require(err, status == WISP_EDEVICE, status, "%s", reason.text));
  CALL(wisp_sweep_add(err, sweep, &trial, NULL));
  wisp_sweep_replace(sweep);
  return WISP_OK;
}

wisp_status wisp_sweep_steps(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  wisp_scope scope = *kernels;
  const char *const *compositions = sweep->family->compositions;
  OWNED(free) step *steps = NULL;
  size_t count = 0, most = 0;
  wisp_spec_name_kernel(&scope.spec, WISP_WHOLE_STEP);
  while (compositions[most]) most++;
  CALL(wisp_new(err, most * (size_t)scope.layouts, sizeof *steps, &steps));
  for (; *compositions; compositions++)
    for (int l = 0; l < scope.layouts; l++) count += add_up(sweep, &scope.spec, *compositions, l, &steps[count]);
  if (count) qsort(steps, count, sizeof *steps, by_sum);
  /* One even where the budget is used up: it is what a solver asks for, and an earlier round left none. */
  size_t least = sweep->unit.again ? 0 : 1;
  for (size_t i = 0; i < count && i < MEASURED && (i < least || wisp_seconds() < sweep->deadline); i++)
    CALL(measure_step(err, sweep, &scope, &steps[i]));
  return WISP_OK;
}
