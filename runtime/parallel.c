#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { MOST_THREADS = 64 };

/* As many as the user says, else as many as the cores that this process may run on. */
static size_t count_threads(void)
{
  const char *wish = getenv("WISP_THREADS");
  const long asked = wish ? strtol(wish, NULL, 10) : 0;
  cpu_set_t allowed;
  const long cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  const long threads = asked > 0 ? asked : cores;
  return threads < MOST_THREADS ? (size_t)threads : MOST_THREADS;
}

typedef struct part {
  wisp_range range;
  void *context;
  size_t from, to;
  wisp_status status;
  wisp_error error;
  pthread_t thread;
  bool in_thread;
} part;

static void *run(void *argument)
{
  part *p = argument;
  if (p->from < p->to) p->status = p->range(&p->error, p->context, p->from, p->to);
  return NULL;
}

wisp_status wisp_parallel(wisp_error *err, size_t count, wisp_range range, void *context)
{
  wisp_status status = WISP_OK;
  part *parts = NULL;
  const size_t cores = count_threads(), threads = cores < count ? cores : count ? count : 1;
  TRY(wisp_new(err, threads, sizeof *parts, &parts));
  for (size_t i = 0; i < threads; i++) {
    parts[i] = (part){.range = range, .context = context, .from = count * i / threads, .to = count * (i + 1) / threads};
    parts[i].in_thread = i + 1 < threads && pthread_create(&parts[i].thread, NULL, run, &parts[i]) == 0;
    if (!parts[i].in_thread) run(&parts[i]);
  }
  for (size_t i = 0; i < threads; i++)
    if (parts[i].in_thread) pthread_join(parts[i].thread, NULL);
  for (size_t i = 0; i < threads; i++)
    if (parts[i].status != WISP_OK) TRY(wisp_fail(err, parts[i].status, "%s", parts[i].error.text));
done:
  free(parts);
  return status;
}
