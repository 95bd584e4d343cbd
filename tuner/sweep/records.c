/* Reports of a sweep to the tuner, and questions about its request. */
#include "sweep.h"

#include <math.h>
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
