/* A block's shared memory, with the last uses of each word. */
#include "simt.h"
#include "simt_parts.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 1 << 14, SHARED_AT = 1 << 10, MANY = -1 };

/* A use of a word. epoch counts the block's barriers, phase counts how often the lane has waited for its warp. MANY
 * stands for several warps, or lanes. */
typedef struct stamp {
  unsigned epoch, phase;
  int warp, lane;
} stamp;

typedef struct word {
  stamp use[3]; /* by simt_use */
} word;

/* The compiler's hooks have no argument for a handle. */
static struct {
  unsigned char *memory; /* GUARD bytes, those of the block, GUARD bytes */
  word *words;
  size_t bytes;
  unsigned epoch;
  bool failed;
  char fault[256], reported[256];
} shared;

void simt_fail(const char *format, ...)
{
  if (shared.failed) return;
  va_list list;
  va_start(list, format);
  vsnprintf(shared.fault, sizeof shared.fault, format, list);
  va_end(list);
  shared.failed = true;
}

const char *simt_fault(void)
{
  memcpy(shared.reported, shared.fault, sizeof shared.reported);
  const bool failed = shared.failed;
  shared.failed = false;
  return failed ? shared.reported : NULL;
}

void simt_memory_begin(size_t bytes)
{
  if (bytes != shared.bytes || !shared.memory) {
    free(shared.memory), free(shared.words);
    shared.memory = aligned_alloc(64, (2 * GUARD + bytes + 63) / 64 * 64);
    shared.words = calloc(bytes / 4 + 1, sizeof *shared.words);
    shared.bytes = bytes;
    if (!shared.memory || !shared.words) abort();
  }
  memset(shared.memory, 0xff, 2 * GUARD + bytes);
  memset(shared.words, 0, bytes / 4 * sizeof *shared.words);
  shared.epoch = 1;
}

void simt_memory_barrier(void)
{
  shared.epoch++;
}

unsigned char *simt_shared(void)
{
  return shared.memory + GUARD;
}

unsigned simt_to_shared(const void *at)
{
  return SHARED_AT + (unsigned)((const unsigned char *)at - simt_shared());
}

const void *simt_from_shared(unsigned address)
{
  return simt_shared() + ((ptrdiff_t)address - SHARED_AT);
}

/* Does nothing put this use before the thread's: no barrier, and within a warp no wait for each other? */
static bool beside(const stamp *s, const simt_thread *t)
{
  if (s->epoch != shared.epoch) return false;
  return s->warp != t->number / SIMT_WARP || (s->lane != t->number % SIMT_WARP && s->phase >= t->phase);
}

static void leave_stamp(stamp *s, const simt_thread *t)
{
  const stamp mine = {shared.epoch, t->phase, t->number / SIMT_WARP, t->number % SIMT_WARP};
  if (s->epoch != shared.epoch || (s->warp == mine.warp && s->phase < mine.phase))
    *s = mine;
  else if (s->warp != mine.warp)
    s->warp = MANY;
  else if (s->lane != mine.lane)
    s->lane = MANY;
}

static const char *const verb[] = {"reads", "writes", "raises"};

static void look_at(const simt_thread *t, size_t number, simt_use use)
{
  word *w = &shared.words[number];
  if (use != SIMT_WRITE && !w->use[SIMT_WRITE].epoch)
    simt_fail("block %d: thread (%d, %d) %s word %zu of shared memory, which nobody has written", simt_block_index()->x,
              t->index.x, t->index.y, verb[use], number);
  for (int other = SIMT_READ; other <= SIMT_ATOMIC; other++)
    if ((use == SIMT_WRITE || other == SIMT_WRITE || (int)use != other) && beside(&w->use[other], t))
      simt_fail(
          "block %d: thread (%d, %d) %s word %zu of shared memory, which another thread %s with no barrier between",
          simt_block_index()->x, t->index.x, t->index.y, verb[use], number, verb[other]);
  leave_stamp(&w->use[use], t);
}

void simt_look(const simt_thread *thread, const void *at, size_t bytes, simt_use use)
{
  const intptr_t from = (intptr_t)at - (intptr_t)simt_shared(), size = (intptr_t)shared.bytes;
  if (!thread || !shared.memory || from < -GUARD || from >= size + GUARD) return;
  if (from < 0 || from + (intptr_t)bytes > size) {
    simt_fail("block %d: thread (%d, %d) %s at %ld of %ld bytes of shared memory", simt_block_index()->x,
              thread->index.x, thread->index.y, verb[use], (long)from, (long)size);
    return;
  }
  for (size_t i = (size_t)from / 4; i <= ((size_t)from + bytes - 1) / 4; i++) look_at(thread, i, use);
}

/* ---- The hooks of -fsanitize=thread, in place of its library. */

#ifndef __SANITIZE_THREAD__
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
  (void)caller;
}

void __tsan_func_exit(void)
{
}

#define HOOK(name, bytes, use)                 \
  void __tsan_##name(void *at)                 \
  {                                            \
    simt_look(simt_current(), at, bytes, use); \
  }
#define HOOKS(bytes)                            \
  HOOK(read##bytes, bytes, SIMT_READ)           \
  HOOK(write##bytes, bytes, SIMT_WRITE)         \
  HOOK(unaligned_read##bytes, bytes, SIMT_READ) \
  HOOK(unaligned_write##bytes, bytes, SIMT_WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *at, unsigned long bytes)
{
  simt_look(simt_current(), at, bytes, SIMT_READ);
}

void __tsan_write_range(void *at, unsigned long bytes)
{
  simt_look(simt_current(), at, bytes, SIMT_WRITE);
}
#endif
