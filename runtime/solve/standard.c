#include "standard.h"
#include "current.h"

#include <math.h>
#include <string.h>

/* Of one kernel of the stage; NaN where no trial tells. */
static double ms_of(const wisp_chooser *from, const wisp_spec *whole, const wisp_choice *choice,
                    const wisp_trial *winner)
{
  wisp_spec spec = *whole;
  wisp_trial like = *winner;
  wisp_spec_name_kernel(&spec, choice->kernel);
  wisp_spec_print(&spec, like.spec);
  memcpy(like.layout, choice->layout, sizeof like.layout);
  for (size_t i = 0; i < wisp_store_count(from->store); i++) {
    const wisp_trial *t = wisp_store_trial(from->store, i, NULL);
    if (wisp_contest_order(t, &like) != 0 || !(t->ms > 0) || strcmp(t->strategy, choice->strategy) != 0 ||
        strcmp(t->params, choice->params) != 0)
      continue;
    if (wisp_trial_is_right(t) && wisp_trial_is_current(from->strategies, t)) return t->ms;
  }
  return NAN;
}

wisp_status wisp_standard_ms(wisp_error *err, const wisp_chooser *from, const wisp_trial *winner, double *ms)
{
  wisp_wish wish = {.spec = {.order = 0}};
  wisp_stage stage = {.kernels = 0};
  *ms = NAN;
  if (wisp_spec_parse(NULL, winner->spec, &wish.spec) != WISP_OK) return WISP_OK;
  CALL(wisp_choose_if_any(err, &(wisp_chooser){from->strategies, NULL, from->limits, from->scopes}, &wish, &stage));
  if (stage.kernels) *ms = 0;
  for (int k = 0; k < stage.kernels; k++) *ms += ms_of(from, &wish.spec, &stage.choice[k], winner);
  wisp_stage_free(&stage);
  return WISP_OK;
}
