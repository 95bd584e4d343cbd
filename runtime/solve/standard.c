#include "standard.h"
#include "current.h"
#include "../../gen/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The step of that composition, without a store. *there: it has plans here. */
static wisp_status choose(wisp_error *err, const wisp_strategies *strategies, const wisp_limits *limits,
                          const wisp_spec *spec, const char *composition, bool *there, wisp_step *out)
{
  const wisp_step_request request = {.family = spec->family,
                                     .system = spec->system,
                                     .order = spec->order,
                                     .precision = spec->precision,
                                     .composition = composition};
  wisp_error reason = {.text = ""};
  wisp_status status = wisp_step_choose(&reason, strategies, NULL, limits, &request, out);
  *there = status == WISP_OK;
  return status == WISP_OK || status == WISP_EREFUSED ? WISP_OK : wisp_fail(err, status, "%s", reason.text);
}

/* Leaves the step that one of its kernels only. */
static void keep_kernel(wisp_step *step, const char *kernel)
{
  int kept = 0;
  for (int k = 0; k < step->kernels; k++) {
    if (kept || strcmp(step->choice[k].kernel, kernel) != 0) {
      wisp_plan_destroy(step->plan[k]);
      continue;
    }
    step->plan[0] = step->plan[k];
    step->choice[0] = step->choice[k];
    kept = 1;
  }
  step->kernels = kept;
  snprintf(step->composition, sizeof step->composition, "%s", kernel);
  if (!kept) wisp_step_free(step);
}

wisp_status wisp_step_standard(wisp_error *err, const wisp_strategies *strategies, const wisp_limits *limits,
                               const wisp_spec *spec, wisp_step *out)
{
  wisp_status status = WISP_OK;
  const wisp_family *family = wisp_family_find(spec->family);
  const char *const lone[] = {spec->kernel, NULL};
  wisp_step step = {.kernels = 0};
  bool whole = strcmp(spec->kernel, "step") == 0, there = false;
  TRY(wisp_require(err, family, WISP_EUSAGE, "there is no family '%s'", spec->family));
  if (whole) {
    TRY(choose(err, strategies, limits, spec, NULL, &there, &step));
  } else {
    const char *const *list = family->compositions[0] ? family->compositions : lone;
    for (int c = 0; list[c] && !there; c++)
      if (wisp_composition_has(list[c], spec->kernel))
        TRY(choose(err, strategies, limits, spec, list[c], &there, &step));
    if (there) keep_kernel(&step, spec->kernel);
  }
  *out = step;
  step = (wisp_step){.kernels = 0};
done:
  wisp_step_free(&step);
  return status;
}

/* --- how long it took --- */

/* Of one kernel of the step; NaN where no trial tells. */
static double ms_of(const wisp_standards *in, const wisp_spec *step, const wisp_choice *choice,
                    const wisp_trial *winner)
{
  wisp_spec spec = *step;
  wisp_trial like = *winner;
  snprintf(spec.kernel, sizeof spec.kernel, "%s", choice->kernel);
  wisp_spec_print(&spec, like.spec);
  memcpy(like.layout, choice->layout, sizeof like.layout);
  for (size_t i = 0; i < wisp_store_count(in->store); i++) {
    const wisp_trial *t = wisp_store_trial(in->store, i, NULL);
    if (wisp_contest_order(t, &like) != 0 || !(t->ms > 0) || strcmp(t->strategy, choice->strategy) != 0 ||
        strcmp(t->params, choice->params) != 0)
      continue;
    if (wisp_trial_is_right(t) && wisp_trial_is_current(in->strategies, t)) return t->ms;
  }
  return NAN;
}

wisp_status wisp_standard_ms(wisp_error *err, wisp_standards *in, const wisp_trial *winner, double *ms)
{
  wisp_status status = WISP_OK;
  wisp_spec spec;
  wisp_step step = {.kernels = 0};
  *ms = NAN;
  if (wisp_spec_parse(NULL, winner->spec, &spec) != WISP_OK || !wisp_family_find(spec.family)) return WISP_OK;
  if (strcmp(in->limits.target, winner->target) != 0 &&
      wisp_target_limits(NULL, winner->target, &in->limits) != WISP_OK)
    return WISP_OK; /* of a kind of device that is not known here */
  TRY(wisp_step_standard(err, in->strategies, &in->limits, &spec, &step));
  if (step.kernels) *ms = 0;
  for (int k = 0; k < step.kernels; k++) *ms += ms_of(in, &spec, &step.choice[k], winner);
done:
  wisp_step_free(&step);
  return status;
}
