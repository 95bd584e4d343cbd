#include "parallel.h"
#include "stack.h"

#include "../gen/environment.h"

#include <pthread.h>
#include <sched.h>

enum { MOST_THREADS = 64 };

typedef struct part {
  wisp_sweep sweep;
  void *context;
  size_t from, to;
  pthread_t thread;
  bool in_thread;
} part;

static void *run_part(void *argument)
{
  const part *p = argument;
  p->sweep(p->context, p->from, p->to);
  return NULL;
}

/* In so many threads at most. */
static void sweep_in(size_t most, size_t count, wisp_sweep sweep, void *context)
{
  part parts[MOST_THREADS];
  const double asked = wisp_environment_number("WISP_THREADS"); /* 0: as many as this process has cores */
  cpu_set_t allowed;
  const int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  size_t threads = asked > 0 ? (size_t)asked : (size_t)cores;
  if (threads > MOST_THREADS) threads = MOST_THREADS;
  if (threads > most) threads = most;
  for (size_t i = 0; i < threads; i++) {
    parts[i] = (part){.sweep = sweep, .context = context, .from = count * i / threads, .to = count * (i + 1) / threads};
    parts[i].in_thread = i + 1 < threads && wisp_thread_start(&parts[i].thread, run_part, &parts[i]) == 0;
    if (!parts[i].in_thread) run_part(&parts[i]);
  }
  for (size_t i = 0; i < threads; i++)
    if (parts[i].in_thread) pthread_join(parts[i].thread, NULL);
}

void wisp_parallel_for(size_t count, wisp_sweep sweep, void *context)
{
  sweep_in(count, count, sweep, context);
}

void wisp_parallel_numbers(size_t count, wisp_sweep sweep, void *context)
{
  enum { EACH = 1 << 14 };
  if (count) sweep_in(1 + count / EACH, count, sweep, context);
}

/* A loop whose parts can fail, and the first failure. */
typedef struct attempt {
  wisp_range range;
  void *context;
  pthread_mutex_t lock; /* of what follows */
  size_t from;          /* of the part that failed */
  wisp_status status;
  wisp_error error;
} attempt;

/* A wisp_sweep. */
static void try_part(void *context, size_t from, size_t to)
{
  attempt *a = context;
  wisp_error error = {.text = ""};
  const wisp_status status = a->range(&error, a->context, from, to);
  if (status == WISP_OK) return;
  pthread_mutex_lock(&a->lock);
  if (a->status == WISP_OK || from < a->from) a->from = from, a->status = status, a->error = error;
  pthread_mutex_unlock(&a->lock);
}

wisp_status wisp_parallel(wisp_error *err, size_t count, wisp_range range, void *context)
{
  attempt a = {.range = range, .context = context, .lock = PTHREAD_MUTEX_INITIALIZER};
  wisp_parallel_for(count, try_part, &a);
  return wisp_require(err, a.status == WISP_OK, a.status, "%s", a.error.text);
}

typedef struct transfer {
  char *to;
  const char *from; /* NULL: `byte` everywhere */
  unsigned char byte;
} transfer;

/* A wisp_sweep over bytes. */
static void move_part(void *context, size_t from, size_t to)
{
  const transfer *t = context;
  if (t->from)
    memcpy(t->to + from, t->from + from, to - from);
  else
    memset(t->to + from, t->byte, to - from);
}

static void move_bytes(size_t bytes, transfer t)
{
  enum { EACH = 1 << 19 };
  if (bytes) sweep_in(1 + bytes / EACH, bytes, move_part, &t);
}

void wisp_parallel_copy(void *to, const void *from, size_t bytes)
{
  move_bytes(bytes, (transfer){.to = to, .from = from});
}

void wisp_parallel_fill(void *to, unsigned char byte, size_t bytes)
{
  move_bytes(bytes, (transfer){.to = to, .byte = byte});
}
