#include "current.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

wisp_asker wisp_limits_asker(const wisp_limits *limits)
{
  wisp_asker asker = {.units = limits->units};
  snprintf(asker.device, sizeof asker.device, "%s", limits->name);
  snprintf(asker.target, sizeof asker.target, "%s", limits->target);
  snprintf(asker.driver, sizeof asker.driver, "%s", limits->driver);
  snprintf(asker.compiler, sizeof asker.compiler, "%s", limits->compiler);
  return asker;
}

wisp_status wisp_trial_limits(wisp_error *err, const wisp_trial *trial, wisp_limits *out)
{
  const wisp_status status = wisp_target_limits(err, trial->target, out);
  snprintf(out->name, sizeof out->name, "%s", trial->device);
  snprintf(out->driver, sizeof out->driver, "%s", trial->driver);
  snprintf(out->compiler, sizeof out->compiler, "%s", trial->compiler);
  out->units = trial->units;
  return status;
}

bool wisp_trial_is_current(const wisp_strategies *strategies, const wisp_trial *trial)
{
  wisp_spec spec;
  char hash[20];
  if (wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK) return false;
  if (wisp_spec_is_step(&spec)) return true;
  const wisp_strategy *strategy = wisp_strategies_find(strategies, spec.family, spec.kernel, trial->strategy);
  if (!strategy) return false;
  wisp_strategy_hash(strategy, spec.system, wisp_target_dialect(trial->target), hash);
  if (!*hash || strcmp(hash, trial->template_hash) != 0) return false;
  return *trial->params == '*' || wisp_strategy_lists(strategy, trial->params); /* *1: refusals of many */
}

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
