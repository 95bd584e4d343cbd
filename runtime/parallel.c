#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

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
  OWNED(free) part *parts = NULL;
  const size_t cores = count_threads(), threads = cores < count ? cores : count ? count : 1;
  CALL(wisp_new(err, threads, sizeof *parts, &parts));
  for (size_t i = 0; i < threads; i++) {
    parts[i] = (part){.range = range, .context = context, .from = count * i / threads, .to = count * (i + 1) / threads};
    parts[i].in_thread = i + 1 < threads && pthread_create(&parts[i].thread, NULL, run, &parts[i]) == 0;
    if (!parts[i].in_thread) run(&parts[i]);
  }
  for (size_t i = 0; i < threads; i++)
    if (parts[i].in_thread) pthread_join(parts[i].thread, NULL);
  for (size_t i = 0; i < threads; i++)
    if (parts[i].status != WISP_OK) CALL(wisp_fail(err, parts[i].status, "%s", parts[i].error.text));
  return WISP_OK;
}

typedef struct transfer {
  char *to;
  const char *from; /* NULL: `byte` everywhere */
  unsigned char byte;
} transfer;

/* A wisp_range over bytes. */
static wisp_status move(wisp_error *err, void *context, size_t from, size_t to)
{
  const transfer *t = context;
  (void)err;
  if (t->from)
    memcpy(t->to + from, t->from + from, to - from);
  else
    memset(t->to + from, t->byte, to - from);
  return WISP_OK;
}

/* Without memory for threads, and for little, in this one. */
static void move_all(size_t bytes, transfer t)
{
  enum { LITTLE = 1 << 18 };
  if (bytes < LITTLE || wisp_parallel(NULL, bytes, move, &t) != WISP_OK) move(NULL, &t, 0, bytes);
}

void wisp_parallel_copy(void *to, const void *from, size_t bytes)
{
  move_all(bytes, (transfer){.to = to, .from = from});
}

void wisp_parallel_fill(void *to, unsigned char byte, size_t bytes)
{
  move_all(bytes, (transfer){.to = to, .byte = byte});
}
