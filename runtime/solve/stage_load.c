/* A stage made runnable: its kernels are compiled in parallel and loaded, with defaults for those that fail. */
#include "choose.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* One kernel to compile, operands to pack, and what came of it. */
typedef struct job {
  wisp_plan *plan;
  const char *target;
  wisp_binary binary;
  wisp_status status;
  wisp_error error;
  pthread_t thread;
  bool in_thread;
} job;

static void *compile(void *argument)
{
  job *j = argument;
  j->status = wisp_plan_compile(&j->error, j->plan, j->target, &j->binary);
  if (j->status == WISP_OK) j->status = wisp_plan_prepare(&j->error, j->plan);
  return NULL;
}

static void compile_all(const wisp_stage *stage, const char *target, job *jobs)
{
  for (int i = 0; i < stage->kernels; i++) {
    jobs[i] = (job){.plan = stage->plan[i], .target = target};
    jobs[i].in_thread = pthread_create(&jobs[i].thread, NULL, compile, &jobs[i]) == 0;
    if (!jobs[i].in_thread) compile(&jobs[i]);
  }
  for (int i = 0; i < stage->kernels; i++)
    if (jobs[i].in_thread) pthread_join(jobs[i].thread, NULL);
}

/* A kernel of the stage, from its compiled binary. */
static wisp_status load(wisp_error *err, wisp_device *device, const job *j, wisp_kernel **out)
{
  if (j->status != WISP_OK) return wisp_fail(err, j->status, "%s", j->error.text);
  return wisp_kernel_create(err, device, j->plan, &j->binary, out);
}

/* The default in place of a stored winner that does not work on this machine. */
static wisp_status load_default(wisp_error *err, wisp_device *device, wisp_stage *stage, int i, const char *why,
                                wisp_kernel **out)
{
  job j = {.target = wisp_device_limits(device)->target};
  CALL(wisp_stage_fall_back(err, stage, i, why));
  j.plan = stage->plan[i];
  compile(&j);
  const wisp_status status = load(err, device, &j, out);
  free(j.binary.data);
  return status;
}

wisp_status wisp_stage_load(wisp_error *err, wisp_device *device, wisp_stage *stage, wisp_kernel **kernel)
{
  wisp_status status = WISP_OK;
  OWNED(free) job *jobs = NULL;
  TRY(wisp_new(err, (size_t)stage->kernels, sizeof *jobs, &jobs));
  compile_all(stage, wisp_device_limits(device)->target, jobs);
  for (int i = 0; i < stage->kernels; i++) {
    wisp_error why = {.text = ""};
    wisp_status loaded = load(&why, device, &jobs[i], &kernel[i]);
    if (loaded != WISP_OK && stage->choice[i].match == WISP_MATCH_DEFAULT) TRY(wisp_fail(err, loaded, "%s", why.text));
    if (loaded != WISP_OK) status = load_default(err, device, stage, i, why.text, &kernel[i]);
    if (status == WISP_EREFUSED) TRY(wisp_fail(err, loaded, "%s", why.text));
    TRY(status);
  }
done:
  for (int i = 0; jobs && i < stage->kernels; i++) free(jobs[i].binary.data);
  return status;
}

bool wisp_stage_has(const wisp_stage *stage, const char *name)
{
  for (int k = 0; k < stage->kernels; k++)
    if (wisp_plan_takes(stage->plan[k], name)) return true;
  return false;
}
