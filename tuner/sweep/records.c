/* Reports of a sweep to the tuner, and questions about its request. */
#include "sweep.h"
#include "../../cache/store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A machine that cannot compile so many candidates one after the other cannot compile. */
enum { MOST_SKIPPED = 8 };

/* The worker estimates the trials to come in its unit; the tuner reports them. */
wisp_status wisp_sweep_add(wisp_error *err, wisp_sweep *sweep, const wisp_trial *trial, const wisp_trial *best)
{
  wisp_tune_summary *sum = &sweep->summary;
  wisp_note note = {.kind = WISP_NOTE_ADD, .trial = *trial};
  wisp_summary_count(sum, trial);
  wisp_profile_flush(&sweep->bench.profile, sum->spent);
  sweep->changed = true;
  sweep->here++;
  double parts_left = (double)(sweep->parts - sweep->parts_done) - 1; /* not this one */
  double mean = (double)sweep->here / (double)(sweep->parts_done + 1);
  if (best) note.best = *best;
  note.left = (long long)sweep->left + (long long)(fmax(parts_left, 0) * mean);
  note.summary = *sum;
  wisp_status status = wisp_link_ask(err, sweep->link, &note, NULL);
  if (status == WISP_OK && isfinite(sweep->deadline)) status = wisp_seeds_add(err, &sweep->seeds, trial);
  return status;
}

void wisp_sweep_replace(wisp_sweep *sweep)
{
  if (!sweep->bench.doubtful) return;
  wisp_pipeline_drop(sweep->pipeline); /* compilers leave nothing behind when they end in order */
  wisp_link_restart(sweep->link);
}

wisp_status wisp_sweep_skip(wisp_error *err, wisp_sweep *sweep, const wisp_error *why)
{
  sweep->summary.skipped++;
  wisp_note note = {.kind = WISP_NOTE_SKIP, .summary = sweep->summary, .error = *why};
  CALL(wisp_link_ask(err, sweep->link, &note, NULL));
  return wisp_require(err, ++sweep->skipped < MOST_SKIPPED, why->status, "%d candidates in a row: %s", MOST_SKIPPED,
                      why->text);
}

bool wisp_sweep_is_host(const wisp_sweep *sweep)
{
  return !sweep->bench.limits->gpu;
}

bool wisp_sweep_compositions_alone(const wisp_sweep *sweep)
{
  return sweep->request->kernel && strcmp(sweep->request->kernel, WISP_COMPOSITION) == 0;
}

/* ---- The summary of a sweep: counts of outcomes, and the reasons of failures. */

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
  /* The first that failed says more than one that was refused. */
  const bool first = verdict == WISP_VERDICT_FAILED ? summary->failed == 1 : !summary->failed && summary->refused == 1;
  if (!ok && first) wisp_summary_why(summary, trial);
}

void wisp_summary_why(wisp_tune_summary *summary, const wisp_trial *trial)
{
  snprintf(summary->why, sizeof summary->why, "%s%s%s, layout %s: %s: %.300s", trial->strategy,
           *trial->params ? " " : "", trial->params, trial->layout, trial->outcome, trial->reason);
}
