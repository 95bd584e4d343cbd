/* The summary of a sweep: how many trials came to what, and for which reasons trials failed. */
#include "sweep.h"
#include "../../cache/store.h"

#include <stdio.h>
#include <string.h>

void wisp_summary_fail(wisp_tune_summary *summary, const wisp_failure *failure)
{
  wisp_failure *last = &summary->failure[WISP_MOST_FAILURES - 1];
  for (int i = 0; i < summary->failures; i++) {
    wisp_failure *known = &summary->failure[i];
    if (strcmp(known->outcome, failure->outcome) != 0 || !wisp_reason_alike(known->reason, failure->reason)) continue;
    known->count += failure->count;
    return;
  }
  if (summary->failures < WISP_MOST_FAILURES) {
    summary->failure[summary->failures++] = *failure;
    return;
  }
  last->count += failure->count;
  snprintf(last->outcome, sizeof last->outcome, "failed");
  snprintf(last->reason, sizeof last->reason, "for other reasons");
}

void wisp_summary_count(wisp_tune_summary *summary, const wisp_trial *trial)
{
  const wisp_verdict verdict = wisp_trial_verdict(trial);
  const bool ok = verdict <= WISP_VERDICT_SLOW;
  wisp_failure why = {.count = 1};
  snprintf(why.outcome, sizeof why.outcome, "%s", trial->outcome);
  snprintf(why.reason, sizeof why.reason, "%.239s", trial->reason);
  summary->trials++;
  summary->ok += ok;
  summary->refused += verdict == WISP_VERDICT_REFUSED;
  if (verdict == WISP_VERDICT_FAILED) {
    summary->failed++;
    wisp_summary_fail(summary, &why);
  }
  if (!ok && summary->failed + summary->refused <= 1) wisp_summary_why(summary, trial);
}

void wisp_summary_why(wisp_tune_summary *summary, const wisp_trial *trial)
{
  snprintf(summary->why, sizeof summary->why, "%s%s%s, layout %s: %s: %.300s", trial->strategy,
           *trial->params ? " " : "", trial->params, trial->layout, trial->outcome, trial->reason);
}
