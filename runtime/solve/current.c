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

bool wisp_trial_is_current(const wisp_strategies *strategies, const wisp_trial *trial)
{
  wisp_spec spec;
  char hash[20];
  if (wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK) return false;
  if (strcmp(spec.kernel, "step") == 0) return true;
  const wisp_strategy *strategy = wisp_strategies_find(strategies, spec.family, spec.kernel, trial->strategy);
  if (!strategy) return false;
  wisp_strategy_hash(strategy, spec.system, wisp_target_dialect(trial->target), hash);
  if (!*hash || strcmp(hash, trial->template_hash) != 0) return false;
  return *trial->params == '*' || wisp_strategy_lists(strategy, trial->params); /* *1: refusals of many */
}

bool wisp_is_of_today(const void *context, const wisp_trial *trial)
{
  const wisp_today *today = context;
  wisp_spec spec;
  uint64_t hash = WISP_HASH_SEED;
  char text[WISP_SPEC_TEXT];
  int length = 0;
  if (!wisp_trial_is_current(today->strategies, trial)) return false;
  if (wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK || strcmp(spec.kernel, "step") != 0) return true;
  for (const char *at = trial->strategy; sscanf(at, "%23[^+]%n", spec.kernel, &length) == 1;) {
    wisp_answer answer;
    wisp_spec_print(&spec, text);
    wisp_store_find(today->store, today->asker, text, trial->layout, trial->elements, wisp_is_of_today, today, &answer);
    if (!answer.trial) return false;
    hash = wisp_step_hash(hash, answer.trial->template_hash);
    at += length;
    if (*at == '+') at++;
  }
  return wisp_step_hash_is(hash, trial);
}
