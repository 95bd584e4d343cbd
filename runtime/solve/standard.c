#include "standard.h"
#include "current.h"

#include <math.h>
#include <string.h>

/* Of one kernel of the step; NaN where no trial tells. */
static double ms_of(const wisp_standards *in, const wisp_spec *step, const wisp_choice *choice,
                    const wisp_trial *winner)
{
  wisp_spec spec = *step;
  wisp_trial like = *winner;
  wisp_spec_name_kernel(&spec, choice->kernel);
  wisp_spec_print(&spec, like.spec);
  memcpy(like.layout, choice->layout, sizeof like.layout);
  for (size_t i = 0; i < wisp_store_count(in->store); i++) {
    const wisp_trial *t = wisp_store_trial(in->store, i, NULL);
    if (!wisp_contest_same(t, &like) || !(t->ms > 0) || strcmp(t->strategy, choice->strategy) != 0 ||
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
  status = wisp_choose(err, &(wisp_chooser){in->strategies, NULL, &in->limits}, &(wisp_wish){.spec = spec}, &step);
  if (status == WISP_EREFUSED || status == WISP_EUSAGE) return WISP_OK; /* none runs there, or no such kernel here */
  TRY(status);
  *ms = 0;
  for (int k = 0; k < step.kernels; k++) *ms += ms_of(in, &spec, &step.choice[k], winner);
done:
  wisp_step_free(&step);
  return status;
}
