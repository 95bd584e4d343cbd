#include "pipeline.h"
#include "../../runtime/stack.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_JOBS = 64 };

struct wisp_pipeline {
  char target[32];
  int jobs, ahead, depth;
  int active, abandoned; /* being compiled: for the caller, for nobody any more */
  int threads;           /* twice as many as jobs: what is abandoned delays nobody */
  pthread_t thread[2 * MAX_JOBS];
  pthread_mutex_t lock;
  pthread_cond_t submitted, ended;
  bool closing;
  wisp_job *oldest, *newest;
};

/* The oldest job that nobody has begun; NULL also where enough are being compiled. */
static wisp_job *find_work(const wisp_pipeline *p)
{
  for (wisp_job *job = p->oldest; job && p->active < p->jobs; job = job->next)
    if (!job->begun) return job;
  return NULL;
}

/* A compilation has ended; the caller holds the lock. */
static void end_job(wisp_pipeline *p, wisp_job *job)
{
  job->ended = true;
  if (job->abandoned) {
    p->abandoned--;
    wisp_job_free(job);
  } else {
    p->active--;
    pthread_cond_signal(&p->submitted); /* to one that waits for its turn */
  }
  pthread_cond_broadcast(&p->ended);
}

static void *work(void *argument)
{
  wisp_pipeline *p = argument;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    wisp_job *job = NULL;
    while (!p->closing && !(job = find_work(p))) pthread_cond_wait(&p->submitted, &p->lock);
    if (p->closing) break;
    job->begun = true;
    p->active++;
    pthread_mutex_unlock(&p->lock);
    job->status = wisp_plan_prepare(&job->error, job->plan);
    if (job->status == WISP_OK) job->status = wisp_plan_compile(&job->error, job->plan, p->target, &job->binary);
    pthread_mutex_lock(&p->lock);
    end_job(p, job);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

wisp_status wisp_pipeline_create(wisp_error *err, const char *target, int jobs, int ahead, wisp_pipeline **out)
{
  OWNED(wisp_pipeline_destroy) wisp_pipeline *p = NULL;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (jobs <= 0) jobs = cores > 0 ? (int)cores : 1;
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->jobs = jobs < MAX_JOBS ? jobs : MAX_JOBS;
  p->ahead = ahead;
  snprintf(p->target, sizeof p->target, "%s", target);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->submitted, NULL);
  pthread_cond_init(&p->ended, NULL);
  while (p->threads < 2 * p->jobs) {
    if (wisp_thread_start(&p->thread[p->threads], work, p) != 0) break;
    p->threads++;
  }
  CALL(wisp_require(err, p->threads > 0, WISP_ESYSTEM,
                    "cannot start a thread to compile in: raise the limit of processes (ulimit -u)"));
  return GIVE(p, out);
}

void wisp_pipeline_destroy(wisp_pipeline *p)
{
  if (!p) return;
  wisp_pipeline_drop(p);
  pthread_mutex_lock(&p->lock);
  p->closing = true;
  pthread_cond_broadcast(&p->submitted);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->threads; i++) pthread_join(p->thread[i], NULL);
  pthread_cond_destroy(&p->ended);
  pthread_cond_destroy(&p->submitted);
  pthread_mutex_destroy(&p->lock);
  free(p);
}

bool wisp_pipeline_full(const wisp_pipeline *p)
{
  return p->depth >= p->ahead * p->jobs;
}

bool wisp_pipeline_empty(const wisp_pipeline *p)
{
  return p->depth == 0;
}

wisp_status wisp_pipeline_submit(wisp_error *err, wisp_pipeline *p, wisp_plan *plan, bool is_default)
{
  wisp_job *job = NULL;
  wisp_status status = wisp_new(err, 1, sizeof *job, &job);
  if (status != WISP_OK) {
    wisp_plan_destroy(plan);
    return status;
  }
  job->plan = plan;
  job->is_default = is_default;
  pthread_mutex_lock(&p->lock);
  *(p->newest ? &p->newest->next : &p->oldest) = job;
  p->newest = job;
  p->depth++;
  pthread_cond_signal(&p->submitted);
  pthread_mutex_unlock(&p->lock);
  return WISP_OK;
}

/* Out of the queue; the caller holds the lock. */
static wisp_job *remove_oldest(wisp_pipeline *p)
{
  wisp_job *job = p->oldest;
  p->oldest = job->next;
  if (!p->oldest) p->newest = NULL;
  p->depth--;
  return job;
}

const wisp_job *wisp_pipeline_next(const wisp_pipeline *p)
{
  return p->oldest; /* only the caller's own thread changes it */
}

wisp_job *wisp_pipeline_take(wisp_pipeline *p)
{
  wisp_job *job = NULL;
  pthread_mutex_lock(&p->lock);
  if (p->oldest) {
    while (!p->oldest->ended) pthread_cond_wait(&p->ended, &p->lock);
    job = remove_oldest(p);
  }
  pthread_mutex_unlock(&p->lock);
  return job;
}

void wisp_pipeline_flush(wisp_pipeline *p)
{
  pthread_mutex_lock(&p->lock);
  for (wisp_job *job = p->oldest; job; job = job->next)
    while (!job->ended) pthread_cond_wait(&p->ended, &p->lock);
  pthread_mutex_unlock(&p->lock);
}

void wisp_pipeline_abandon(wisp_pipeline *p)
{
  pthread_mutex_lock(&p->lock);
  while (p->oldest) {
    wisp_job *job = remove_oldest(p);
    job->abandoned = job->begun && !job->ended;
    p->active -= job->abandoned;
    p->abandoned += job->abandoned;
    if (!job->abandoned) wisp_job_free(job);
  }
  pthread_mutex_unlock(&p->lock);
}

void wisp_pipeline_drop(wisp_pipeline *p)
{
  wisp_pipeline_abandon(p);
  pthread_mutex_lock(&p->lock);
  while (p->abandoned) pthread_cond_wait(&p->ended, &p->lock);
  pthread_mutex_unlock(&p->lock);
}

void wisp_job_free(wisp_job *job)
{
  if (!job) return;
  wisp_plan_destroy(job->plan);
  free(job->binary.data);
  free(job);
}
