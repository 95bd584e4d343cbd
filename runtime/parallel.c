#include "parallel.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

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
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (size_t)cores;
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
