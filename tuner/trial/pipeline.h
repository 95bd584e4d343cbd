/* Compiling ahead: threads turn plans into binaries while others are timed. First in, first out; at most `ahead` plans
 * are in it, so that a search decides late what to try next. */
#pragma once

#include "../../runtime/kernel.h"

typedef struct wisp_job {
  wisp_plan *plan;
  bool is_default;
  wisp_binary binary;
  wisp_status status; /* of the compilation */
  wisp_error error;
  bool begun, ended, abandoned;
  struct wisp_job *next;
} wisp_job;

typedef struct wisp_pipeline wisp_pipeline;
/* jobs: compiled at the same time; 0: one a core. ahead: how many plans a job make it full. */
wisp_status wisp_pipeline_create(wisp_error *err, const char *target, int jobs, int ahead, wisp_pipeline **out);
void wisp_pipeline_destroy(wisp_pipeline *pipeline); /* drops what is in it */
WISP_OWNED(wisp_pipeline, wisp_pipeline_destroy)

bool wisp_pipeline_full(const wisp_pipeline *pipeline);
bool wisp_pipeline_empty(const wisp_pipeline *pipeline);
/* Takes the plan, also on failure. */
wisp_status wisp_pipeline_submit(wisp_error *err, wisp_pipeline *pipeline, wisp_plan *plan, bool is_default);
/* The oldest, which the next take waits for; NULL where there is none. */
const wisp_job *wisp_pipeline_next(const wisp_pipeline *pipeline);
/* Waits for the oldest; NULL where there is none. The caller frees it. */
wisp_job *wisp_pipeline_take(wisp_pipeline *pipeline);
/* Waits until all is compiled: for timing on the cores that compile. */
void wisp_pipeline_flush(wisp_pipeline *pipeline);
/* Forgets all that is in it. What was begun ends beside what comes next: plans' names and strategies must outlive it.
 */
void wisp_pipeline_abandon(wisp_pipeline *pipeline);
/* Likewise, and waits for what was begun, now or before: plans' names may be freed afterwards. */
void wisp_pipeline_drop(wisp_pipeline *pipeline);

void wisp_job_free(wisp_job *job);
