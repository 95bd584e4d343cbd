/* What became of a candidate, by name. */
#include "store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [WISP_TRIAL_OK] = "ok",
    [WISP_TRIAL_SLOW] = "slow",
    [WISP_TRIAL_WRONG] = "wrong",
    [WISP_TRIAL_REFUSED] = "refused",
    [WISP_TRIAL_COMPILE_ERROR] = "compile-error",
    [WISP_TRIAL_CRASH] = "crash",
    [WISP_TRIAL_HANG] = "hang",
    [WISP_TRIAL_UNFINISHED] = "unfinished",
    [WISP_TRIAL_OTHER] = "other",
};

const char *wisp_outcome_name(wisp_outcome outcome)
{
  return names[outcome];
}

wisp_outcome wisp_trial_outcome(const wisp_trial *trial)
{
  int outcome = WISP_TRIAL_OK;
  while (outcome < WISP_TRIAL_OTHER && strcmp(trial->outcome, names[outcome]) != 0) outcome++;
  return (wisp_outcome)outcome;
}

bool wisp_trial_is_right(const wisp_trial *trial)
{
  return wisp_trial_outcome(trial) <= WISP_TRIAL_SLOW;
}

void wisp_trial_end(wisp_trial *trial, wisp_outcome outcome, const char *why, ...)
{
  va_list list;
  snprintf(trial->outcome, sizeof trial->outcome, "%s", names[outcome]);
  va_start(list, why);
  vsnprintf(trial->reason, sizeof trial->reason, why, list);
  va_end(list);
}
