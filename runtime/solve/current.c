#include "current.h"

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
