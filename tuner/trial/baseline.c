#include "baseline.h"
#include "../../runtime/process.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 6, MOST_OUTPUTS = WISP_MAX_ARGS, AT_A_TIME = 5 };

/* The arrays of reals that a kernel leaves results in, with what they may differ by. */
typedef struct outputs {
  const char *names[MOST_OUTPUTS + 1];
  double bound[MOST_OUTPUTS];
  int count;
} outputs;

/* One baseline's output. */
typedef struct baseline_run {
  wisp_setting of;
  unsigned long long used;
  outputs out;
  wisp_kept *kept; /* NULL: there is no baseline */
} baseline_run;

struct wisp_baselines {
  wisp_device *device;
  wisp_profile *profile; /* told of what is compiled */
  const wisp_strategies *strategies;
  unsigned long long clock;
  int count;
  baseline_run kept[MOST_KEPT];
};

wisp_status wisp_baselines_create(wisp_error *err, wisp_device *device, const wisp_strategies *strategies,
                                  wisp_profile *profile, wisp_baselines **out)
{
  CALL(wisp_new(err, 1, sizeof **out, out));
  **out = (wisp_baselines){.device = device, .strategies = strategies, .profile = profile};
  return WISP_OK;
}

void wisp_baselines_forget(wisp_baselines *w)
{
  for (int i = 0; i < w->count; i++) wisp_kept_free(w->kept[i].kept);
  w->count = 0;
}

void wisp_baselines_destroy(wisp_baselines *w)
{
  if (!w) return;
  wisp_baselines_forget(w);
  free(w);
}

/* --- one launch from the inputs --- */

/* Lists the arrays that the kernel is declared to write. */
static wisp_status find_outputs(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                                const wisp_plan *plan, outputs *out)
{
  const wisp_spec *spec = &plan->spec;
  const wisp_family *family = wisp_family_find(spec->family);
  const wisp_kernel_decl *kernel = wisp_family_kernel(family, spec->kernel);
  double tolerance = 0;
  *out = (outputs){.count = 0};
  CALL(wisp_tolerance(err, spec, &tolerance));
  for (const wisp_array_decl *a = family->arrays; a->name; a++) {
    if (wisp_numbers[a->type].integer || !wisp_list_has(kernel->writes, a->name)) continue;
    const int n = out->count;
    CALL(workload->largest(err, problem, spec, a->name, &out->bound[n]));
    if (isnan(out->bound[n])) continue;
    out->bound[n] *= tolerance;
    out->names[out->count++] = a->name;
  }
  out->names[out->count] = NULL;
  return WISP_OK;
}

/* Fills outputs with NaN first: those of an earlier launch must not pass for this one's. */
static wisp_status run(wisp_error *err, const wisp_workload *workload, wisp_problem *problem, const wisp_kernel *kernel,
                       const outputs *out)
{
  const wisp_strategy *s = kernel->plan->strategy;
  CALL(wisp_problems_restart(err, workload, problem, kernel->plan, WISP_FOR_CHECKS));
  for (const wisp_arg *arg = s->arg; arg < s->arg + s->args; arg++)
    for (int k = 0; k < out->count; k++)
      if (arg->kind == WISP_ARG_OUT && strcmp(arg->name, out->names[k]) == 0)
        CALL(wisp_arrays_fill(err, problem->arrays, arg->name, 0xff));
  return wisp_problems_launch(err, workload, problem, kernel, WISP_FOR_CHECKS);
}

/* Enqueues comparing outputs with what was kept, each within so many times its bound. */
static wisp_status compare(wisp_error *err, wisp_problem *problem, const outputs *out, const wisp_kept *kept,
                           double bounds)
{
  for (int i = 0; i < out->count; i++) {
    wisp_pointer mask = 0;
    CALL(wisp_problem_mask(err, problem, out->names[i], &mask));
    CALL(wisp_arrays_compare(err, problem->arrays, kept, mask, out->names[i], bounds * out->bound[i]));
  }
  return WISP_OK;
}

/* --- the baseline --- */

/* The strategy's preferred candidate for the problem that `plan` runs on; NULL where it has none. */
static wisp_status preferred(wisp_error *err, const wisp_strategy *s, const wisp_plan *plan, const wisp_env *names,
                             wisp_plan **out)
{
  int values[WISP_MAX_PARAMS];
  wisp_plan *made = NULL;
  wisp_error reason = {0};
  for (int i = 0; i < s->params; i++) {
    const wisp_param *p = &s->param[i];
    values[i] = p->mesh_constraint ? wisp_plan_value(plan, p->name, p->preferred) : p->preferred;
  }
  wisp_status status = wisp_plan_create(&reason, s, &plan->spec, &plan->layout, names, values, &made);
  if (status == WISP_EREFUSED) status = wisp_plan_default(&reason, s, &plan->spec, &plan->layout, names, &made);
  if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
  if (made && wisp_fixed_same(made, plan))
    *out = made;
  else
    wisp_plan_destroy(made);
  return WISP_OK;
}

enum { MOST_PLANS = 64 };
typedef struct plans {
  int count;
  wisp_plan *of[MOST_PLANS];
} plans;

static void free_plans(plans *p)
{
  for (int i = 0; i < p->count; i++) wisp_plan_destroy(p->of[i]);
}

/* All plans that may be the baseline, in the order of the strategies; they use the names. */
static wisp_status list_preferred(wisp_error *err, wisp_baselines *w, const wisp_plan *plan, wisp_env **names,
                                  plans *out)
{
  const wisp_target target = wisp_limits_target(wisp_device_limits(w->device));
  const wisp_spec *spec = &plan->spec;
  CALL(wisp_names_create(err, spec, &plan->layout, &target, NULL, names));
  for (size_t i = 0; i < w->strategies->count && out->count < MOST_PLANS - 1; i++) {
    const wisp_strategy *s = w->strategies->list[i];
    wisp_plan *made = NULL;
    if (strcmp(s->family, spec->family) != 0 || strcmp(s->kernel, spec->kernel) != 0) continue;
    CALL(preferred(err, s, plan, *names, &made));
    if (made) out->of[out->count++] = made;
  }
  return WISP_OK;
}

/* The first plan that compiles; NULL where none does. */
static wisp_status find_baseline(wisp_error *err, wisp_baselines *w, const plans *all, const wisp_plan **out,
                                 wisp_binary *binary)
{
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(w->profile, WISP_COMPILING);
  wisp_error reason = {0};
  for (int i = 0; i < all->count; i++) {
    const wisp_status status = wisp_plan_compile(&reason, all->of[i], wisp_device_limits(w->device)->target, binary);
    if (status == WISP_OK) return *out = all->of[i], WISP_OK;
    CALL(wisp_require(err, status == WISP_ECOMPILE, status, "%s", reason.text));
  }
  return WISP_OK;
}

/* Launches the baseline and keeps a copy of its output; none where there is no baseline. */
static wisp_status run_baseline(wisp_error *err, wisp_baselines *w, const wisp_workload *workload,
                                wisp_problem *problem, const wisp_plan *plan, baseline_run *t)
{
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  HELD(free_plans) plans all = {0};
  const wisp_plan *baseline = NULL;
  HELD(wisp_binary_free) wisp_binary binary = {0};
  OWNED(wisp_kernel_destroy) wisp_kernel *kernel = NULL;
  CALL(find_outputs(err, workload, problem, plan, &t->out));
  CALL(list_preferred(err, w, plan, &names, &all));
  CALL(find_baseline(err, w, &all, &baseline, &binary));
  if (!baseline) return WISP_OK;
  CALL(wisp_kernel_create(err, w->device, baseline, &binary, &kernel));
  CALL(run(err, workload, problem, kernel, &t->out));
  CALL(wisp_arrays_keep(err, problem->arrays, t->out.names, &t->kept));
  return wisp_device_finish(err, w->device);
}

static baseline_run *known(wisp_baselines *w, const wisp_setting *of)
{
  for (int i = 0; i < w->count; i++)
    if (wisp_setting_same(&w->kept[i].of, of)) return &w->kept[i];
  return NULL;
}

wisp_status wisp_baseline_acquire(wisp_error *err, wisp_baselines *w, wisp_problems *problems, const wisp_plan *plan,
                                  wisp_problem_ref *ref)
{
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  HELD(free_plans) plans others = {0};
  const wisp_plan *all[MOST_PLANS] = {plan};
  const wisp_setting of = wisp_setting_of(plan);
  if (!known(w, &of)) CALL(list_preferred(err, w, plan, &names, &others));
  for (int i = 0; i < others.count; i++) all[1 + i] = others.of[i];
  return wisp_problems_acquire(err, problems, all, 1 + others.count, ref);
}

static wisp_status find_baseline_run(wisp_error *err, wisp_baselines *w, const wisp_workload *workload,
                                     wisp_problem *problem, const wisp_plan *plan, const baseline_run **out)
{
  baseline_run key = {.of = wisp_setting_of(plan), .used = ++w->clock};
  int at = 0;
  baseline_run *found = known(w, &key.of);
  if (found) {
    found->used = key.used;
    *out = found;
    return WISP_OK;
  }
  for (int i = 0; i < w->count; i++)
    if (w->kept[i].used < w->kept[at].used) at = i;
  if (w->count < MOST_KEPT)
    at = w->count;
  else
    wisp_kept_free(w->kept[at].kept), w->kept[at] = w->kept[--w->count], at = w->count;
  const wisp_status status = run_baseline(err, w, workload, problem, plan, &key);
  if (status != WISP_OK) wisp_kept_free(key.kept);
  CALL(status);
  w->kept[at] = key;
  w->count++;
  *out = &w->kept[at];
  return WISP_OK;
}

wisp_status wisp_baseline_prepare(wisp_error *err, wisp_baselines *w, const wisp_workload *workload,
                                  wisp_problem *problem, const wisp_plan *plan)
{
  const baseline_run *t = NULL;
  return find_baseline_run(err, w, workload, problem, plan, &t);
}

/* --- candidates --- */

wisp_status wisp_baseline_check(wisp_error *err, wisp_baselines *w, const wisp_workload *workload,
                                wisp_problem *problem, const wisp_kernel *kernel)
{
  wisp_arrays *arrays = problem->arrays;
  const baseline_run *t = NULL;
  char array[32] = "";
  size_t number = 0;
  CALL(find_baseline_run(err, w, workload, problem, kernel->plan, &t));
  CALL(run(err, workload, problem, kernel, &t->out));
  CALL(wisp_arrays_compare_begin(err, arrays));
  if (t->kept) CALL(compare(err, problem, &t->out, t->kept, 2));
  CALL(wisp_arrays_compare_end(err, arrays, array, &number));
  CALL(wisp_require(err, !*array, WISP_EWRONG,
                    "on the timed problem: number %zu of %s is not the default candidate's, from the same inputs",
                    number, array));
  return wisp_verify_guards(err, arrays);
}

/* Launches a few times; what differs from the first launch is found at the end of all. */
static wisp_status launch_some(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                               const wisp_kernel *kernel, const outputs *out, const wisp_kept *inputs,
                               const wisp_kept *first, int launches)
{
  const bool varies = kernel->plan->strategy->varies;
  for (int i = 0; i < launches; i++) {
    CALL(wisp_arrays_restore(err, problem->arrays, inputs, NULL));
    CALL(wisp_problems_launch(err, workload, problem, kernel, WISP_FOR_CHECKS));
    CALL(compare(err, problem, out, first, varies ? 2 : 0));
  }
  return WISP_OK;
}

wisp_status wisp_repeat_check(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                              const wisp_kernel *kernel, double seconds, int *left)
{
  wisp_arrays *arrays = problem->arrays;
  OWNED(wisp_kept_free) wisp_kept *inputs = NULL, *first = NULL;
  outputs out;
  char array[32] = "";
  size_t number = 0;
  const wisp_strategy *s = kernel->plan->strategy;
  const char *changed[MOST_OUTPUTS + 1] = {NULL}; /* these arrays get their inputs back before each launch */
  int n = 0;
  for (const wisp_arg *arg = s->arg; arg < s->arg + s->args; arg++)
    if (arg->kind == WISP_ARG_INOUT) changed[n++] = arg->name;
  CALL(find_outputs(err, workload, problem, kernel->plan, &out));
  CALL(wisp_problems_restart(err, workload, problem, kernel->plan, WISP_FOR_CHECKS));
  CALL(wisp_arrays_keep(err, arrays, changed, &inputs));
  CALL(run(err, workload, problem, kernel, &out));
  CALL(wisp_arrays_keep(err, arrays, out.names, &first));
  const double begin = wisp_seconds();
  for (--*left; *left > 0 && !*array && wisp_seconds() - begin < seconds;) {
    const int now = *left < AT_A_TIME ? *left : AT_A_TIME;
    CALL(wisp_arrays_compare_begin(err, arrays));
    CALL(launch_some(err, workload, problem, kernel, &out, inputs, first, now));
    CALL(wisp_arrays_compare_end(err, arrays, array, &number));
    *left -= now;
  }
  return wisp_require(err, !*array, WISP_EWRONG,
                      "number %zu of %s is not the same at every launch, from the same inputs", number, array);
}
