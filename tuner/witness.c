#include "witness.h"
#include "tolerance.h"
#include "tune.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 6, MOST_OUTPUTS = WISP_MAX_ARGS, AT_A_TIME = 5 };

/* The arrays of reals that a kernel leaves results in, with what they may differ by. */
typedef struct outputs {
  const char *names[MOST_OUTPUTS + 1];
  double bound[MOST_OUTPUTS];
  wisp_pointer mask[MOST_OUTPUTS];
  int count;
} outputs;

/* One witness's output. */
typedef struct testimony {
  wisp_spec spec;
  wisp_layout layout;
  int MB, grouping;
  unsigned long long used;
  wisp_kept *kept;
} testimony;

struct wisp_witnesses {
  wisp_device *device;
  wisp_strategies *strategies; /* NULL: not loaded yet */
  unsigned long long clock;
  int count;
  testimony kept[MOST_KEPT];
};

wisp_status wisp_witnesses_create(wisp_error *err, wisp_device *device, wisp_witnesses **out)
{
  wisp_status status = wisp_new(err, 1, sizeof **out, out);
  if (status == WISP_OK) (*out)->device = device;
  return status;
}

void wisp_witnesses_forget(wisp_witnesses *w)
{
  for (int i = 0; i < w->count; i++) wisp_kept_free(w->kept[i].kept);
  w->count = 0;
}

void wisp_witnesses_destroy(wisp_witnesses *w)
{
  if (!w) return;
  wisp_witnesses_forget(w);
  wisp_strategies_free(w->strategies);
  free(w);
}

/* --- one launch from the inputs --- */

static wisp_status find_outputs(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                                const wisp_plan *plan, outputs *out)
{
  wisp_status status = WISP_OK;
  const wisp_arg *args = NULL;
  const int count = wisp_plan_args(plan, &args);
  const wisp_spec *spec = wisp_plan_spec(plan);
  double tolerance = 0;
  *out = (outputs){.count = 0};
  TRY(wisp_tolerance(err, spec, &tolerance));
  for (int i = 0; i < count; i++) {
    if ((args[i].kind != WISP_ARG_OUT && args[i].kind != WISP_ARG_INOUT) || args[i].type == WISP_INT) continue;
    if (!wisp_family_array(wisp_family_find(spec->family), args[i].name)) continue;
    const int n = out->count;
    TRY(workload->largest(err, problem, spec, args[i].name, &out->bound[n]));
    if (isnan(out->bound[n])) continue;
    out->bound[n] *= tolerance;
    TRY(wisp_problem_mask(err, problem, args[i].name, &out->mask[n]));
    out->names[out->count++] = args[i].name;
  }
  out->names[out->count] = NULL;
done:
  return status;
}

/* What it does not write is not what an earlier one wrote. */
static wisp_status poison(wisp_error *err, wisp_arrays *arrays, const wisp_plan *plan, const outputs *out)
{
  wisp_status status = WISP_OK;
  const wisp_arg *args = NULL;
  const int count = wisp_plan_args(plan, &args);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < out->count; k++)
      if (args[i].kind == WISP_ARG_OUT && strcmp(args[i].name, out->names[k]) == 0)
        TRY(wisp_arrays_fill(err, arrays, args[i].name, 0xff));
done:
  return status;
}

static wisp_status run(wisp_error *err, const wisp_workload *workload, wisp_problem *problem, const wisp_kernel *kernel,
                       const outputs *out)
{
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  TRY(wisp_problems_restart(err, workload, problem, plan, WISP_TO_CHECK));
  TRY(poison(err, wisp_problem_arrays(problem), plan, out));
  TRY(wisp_problems_launch(err, workload, problem, kernel, WISP_TO_CHECK));
done:
  return status;
}

/* --- the witness --- */

static bool suits(const wisp_plan *a, const wisp_plan *b)
{
  return wisp_plan_value(a, "MB", 1) == wisp_plan_value(b, "MB", 1) &&
         wisp_plan_value(a, "grouping", 0) == wisp_plan_value(b, "grouping", 0);
}

/* The strategy's preferred candidate for the problem that `plan` runs on; NULL where it has none. */
static wisp_status preferred(wisp_error *err, const wisp_strategy *s, const wisp_plan *plan, const wisp_env *names,
                             wisp_plan **out)
{
  const wisp_param *params = NULL;
  const int count = wisp_strategy_params(s, &params);
  int values[WISP_MAX_PARAMS];
  wisp_plan *made = NULL;
  wisp_error reason = {0};
  for (int i = 0; i < count; i++) {
    const bool own = strcmp(params[i].name, "MB") != 0 && strcmp(params[i].name, "grouping") != 0;
    values[i] = own ? params[i].preferred : wisp_plan_value(plan, params[i].name, params[i].preferred);
  }
  wisp_status status = wisp_plan_create(&reason, s, wisp_plan_spec(plan), wisp_plan_layout(plan), names, values, &made);
  if (status == WISP_EREFUSED)
    status = wisp_plan_default(&reason, s, wisp_plan_spec(plan), wisp_plan_layout(plan), names, &made);
  if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
  if (made && suits(made, plan))
    *out = made;
  else
    wisp_plan_destroy(made);
  return WISP_OK;
}

/* The first strategy's candidate that compiles; NULL where none does. */
static wisp_status find_witness(wisp_error *err, wisp_witnesses *w, const wisp_plan *plan, const wisp_env *names,
                                wisp_plan **out, wisp_binary *binary)
{
  wisp_status status = WISP_OK;
  const wisp_spec *spec = wisp_plan_spec(plan);
  wisp_error reason = {0};
  if (!w->strategies) TRY(wisp_strategies_load(err, &w->strategies));
  for (size_t i = 0; !*out && i < wisp_strategies_count(w->strategies); i++) {
    const wisp_strategy *s = wisp_strategies_at(w->strategies, i);
    if (strcmp(wisp_strategy_family(s), spec->family) != 0 || strcmp(wisp_strategy_kernel(s), spec->kernel) != 0)
      continue;
    TRY(preferred(err, s, plan, names, out));
    if (!*out) continue;
    status = wisp_plan_compile(&reason, *out, wisp_device_limits(w->device)->target, binary);
    if (status == WISP_OK) break;
    wisp_plan_destroy(*out);
    *out = NULL;
    TRY(wisp_require(err, status == WISP_ECOMPILE, status, "%s", reason.text));
    status = WISP_OK;
  }
done:
  return status;
}

/* Its output, as a copy; none where there is no witness. */
static wisp_status testify(wisp_error *err, wisp_witnesses *w, const wisp_workload *workload, wisp_problem *problem,
                           const wisp_plan *plan, wisp_kept **kept)
{
  wisp_status status = WISP_OK;
  const wisp_target target = wisp_limits_target(wisp_device_limits(w->device));
  const wisp_spec *spec = wisp_plan_spec(plan);
  wisp_env *names = NULL;
  wisp_plan *witness = NULL;
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  outputs out;
  TRY(wisp_family_find(spec->family)->names(err, spec, wisp_plan_layout(plan), &target, &names));
  TRY(find_witness(err, w, plan, names, &witness, &binary));
  if (!witness) goto done;
  TRY(wisp_kernel_create(err, w->device, witness, &binary, &kernel));
  TRY(find_outputs(err, workload, problem, witness, &out));
  TRY(run(err, workload, problem, kernel, &out));
  TRY(wisp_arrays_keep(err, wisp_problem_arrays(problem), out.names, kept));
  TRY(wisp_device_finish(err, w->device));
done:
  wisp_kernel_destroy(kernel);
  free(binary.data);
  wisp_plan_destroy(witness);
  wisp_env_destroy(names);
  return status;
}

static testimony key_of(const wisp_plan *plan)
{
  return (testimony){.spec = *wisp_plan_spec(plan),
                     .layout = *wisp_plan_layout(plan),
                     .MB = wisp_plan_value(plan, "MB", 1),
                     .grouping = wisp_plan_value(plan, "grouping", 0)};
}

static bool same(const testimony *a, const testimony *b)
{
  char x[WISP_SPEC_TEXT], y[WISP_SPEC_TEXT];
  wisp_spec_print(&a->spec, x);
  wisp_spec_print(&b->spec, y);
  return strcmp(x, y) == 0 && memcmp(&a->layout, &b->layout, sizeof a->layout) == 0 && a->MB == b->MB &&
         a->grouping == b->grouping;
}

static wisp_status find_testimony(wisp_error *err, wisp_witnesses *w, const wisp_workload *workload,
                                  wisp_problem *problem, const wisp_plan *plan, const wisp_kept **out)
{
  wisp_status status = WISP_OK;
  testimony key = key_of(plan);
  int oldest = 0;
  key.used = ++w->clock;
  for (int i = 0; i < w->count; i++) {
    if (same(&w->kept[i], &key)) {
      w->kept[i].used = key.used;
      *out = w->kept[i].kept;
      return WISP_OK;
    }
    if (w->kept[i].used < w->kept[oldest].used) oldest = i;
  }
  if (w->count == MOST_KEPT) {
    wisp_kept_free(w->kept[oldest].kept);
    w->kept[oldest] = w->kept[--w->count];
  }
  TRY(testify(err, w, workload, problem, plan, &key.kept));
  w->kept[w->count++] = key;
  *out = key.kept;
  return WISP_OK;
done:
  wisp_kept_free(key.kept);
  return status;
}

wisp_status wisp_witness_prepare(wisp_error *err, wisp_witnesses *w, const wisp_workload *workload,
                                 wisp_problem *problem, const wisp_plan *plan)
{
  const wisp_kept *kept = NULL;
  return find_testimony(err, w, workload, problem, plan, &kept);
}

/* --- candidates --- */

wisp_status wisp_witness_check(wisp_error *err, wisp_witnesses *w, const wisp_workload *workload, wisp_problem *problem,
                               const wisp_kernel *kernel)
{
  wisp_status status = WISP_OK;
  wisp_arrays *arrays = wisp_problem_arrays(problem);
  const wisp_kept *kept = NULL;
  outputs out;
  char array[32] = "";
  size_t number = 0;
  TRY(find_testimony(err, w, workload, problem, wisp_kernel_plan(kernel), &kept));
  TRY(find_outputs(err, workload, problem, wisp_kernel_plan(kernel), &out));
  TRY(run(err, workload, problem, kernel, &out));
  TRY(wisp_arrays_compare_begin(err, arrays));
  for (int i = 0; kept && i < out.count; i++)
    TRY(wisp_arrays_compare(err, arrays, kept, out.mask[i], out.names[i], 2 * out.bound[i]));
  TRY(wisp_arrays_compare_end(err, arrays, array, &number));
  TRY(wisp_require(err, !*array, WISP_EWRONG,
                   "on the timed problem: number %zu of %s is not the default candidate's, from the same inputs",
                   number, array));
  TRY(wisp_verify_guards(err, arrays));
done:
  return status;
}

/* The arrays that a kernel changes: they are given back before each launch. */
static void find_changed(const wisp_plan *plan, const char *names[MOST_OUTPUTS + 1])
{
  const wisp_arg *args = NULL;
  const int count = wisp_plan_args(plan, &args);
  int n = 0;
  for (int i = 0; i < count; i++)
    if (args[i].kind == WISP_ARG_INOUT) names[n++] = args[i].name;
  names[n] = NULL;
}

/* Launches a few times; what differs from the first launch is found at the end of all. */
static wisp_status launch_some(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                               const wisp_kernel *kernel, const outputs *out, const wisp_kept *inputs,
                               const wisp_kept *first, int launches)
{
  wisp_status status = WISP_OK;
  const bool varies = wisp_strategy_varies(wisp_plan_strategy(wisp_kernel_plan(kernel)));
  wisp_arrays *arrays = wisp_problem_arrays(problem);
  for (int i = 0; i < launches; i++) {
    TRY(wisp_arrays_restore(err, arrays, inputs, NULL));
    TRY(wisp_problems_launch(err, workload, problem, kernel, WISP_TO_CHECK));
    for (int k = 0; k < out->count; k++)
      TRY(wisp_arrays_compare(err, arrays, first, out->mask[k], out->names[k], varies ? 2 * out->bound[k] : 0));
  }
done:
  return status;
}

wisp_status wisp_insist(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                        const wisp_kernel *kernel, double seconds, int *left)
{
  wisp_status status = WISP_OK;
  wisp_arrays *arrays = wisp_problem_arrays(problem);
  wisp_kept *inputs = NULL, *first = NULL;
  outputs out;
  char array[32] = "";
  size_t number = 0;
  const char *changed[MOST_OUTPUTS + 1];
  find_changed(wisp_kernel_plan(kernel), changed);
  TRY(find_outputs(err, workload, problem, wisp_kernel_plan(kernel), &out));
  TRY(wisp_problems_restart(err, workload, problem, wisp_kernel_plan(kernel), WISP_TO_CHECK));
  TRY(wisp_arrays_keep(err, arrays, changed, &inputs));
  TRY(run(err, workload, problem, kernel, &out));
  TRY(wisp_arrays_keep(err, arrays, out.names, &first));
  const double begin = wisp_seconds();
  for (--*left; *left > 0 && !*array && wisp_seconds() - begin < seconds;) {
    const int now = *left < AT_A_TIME ? *left : AT_A_TIME;
    TRY(wisp_arrays_compare_begin(err, arrays));
    TRY(launch_some(err, workload, problem, kernel, &out, inputs, first, now));
    TRY(wisp_arrays_compare_end(err, arrays, array, &number));
    *left -= now;
  }
  TRY(wisp_require(err, !*array, WISP_EWRONG, "number %zu of %s is not the same at every launch, from the same inputs",
                   number, array));
done:
  wisp_kept_free(inputs);
  wisp_kept_free(first);
  return status;
}
