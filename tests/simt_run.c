/* Runs the threads of a block, each on a stack of its own. One runs until it waits, then the next. */
#undef _FORTIFY_SOURCE /* it takes a jump to another stack for a fault */
#include "simt_parts.h"

#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK = 1 << 16, MAX_THREADS = 1024 };

typedef enum state { READY, AT_BARRIER, WITH_WARP, ENDED } state;

typedef struct fiber {
  simt_thread thread;
  state state;
  bool begun;
  unsigned mask; /* the lanes that it waits for */
  simt_together *together;
  void *brought;
  jmp_buf at;
} fiber;

/* Kernels call CUDA's words without a handle. */
static struct {
  fiber *fibers, *now; /* now: NULL outside of a kernel */
  int count;
  simt_index block, grid;
  void (*body)(void **args);
  void **args;
  char *stacks;
  jmp_buf home;
} run;

const simt_index *simt_thread_index(void)
{
  return &run.now->thread.index;
}

const simt_index *simt_block_index(void)
{
  return &run.block;
}

const simt_index *simt_grid(void)
{
  return &run.grid;
}

const simt_thread *simt_current(void)
{
  return run.now ? &run.now->thread : NULL;
}

/* ---- Waiting. */

static void wait_as(state why)
{
  run.now->state = why;
  if (_setjmp(run.now->at) == 0) _longjmp(run.home, 1);
}

void simt_syncthreads(void)
{
  wait_as(AT_BARRIER);
}

static bool waits_alike(const fiber *a, const fiber *b)
{
  return a == b || (a->state == WITH_WARP && a->mask == b->mask && a->together == b->together);
}

void simt_with_warp(unsigned mask, simt_together *together, void *mine)
{
  fiber *me = run.now, *warp = run.fibers + me->thread.number / SIMT_WARP * SIMT_WARP;
  void *brought[SIMT_WARP] = {NULL};
  me->mask = mask, me->together = together, me->brought = mine;
  for (int i = SIMT_WARP - 1; i >= 0; i--) /* lanes come in order: the last ones tell soonest */
    if (mask >> i & 1 && !waits_alike(&warp[i], me)) {
      wait_as(WITH_WARP);
      return;
    }
  for (int i = 0; i < SIMT_WARP; i++) brought[i] = warp[i].brought;
  if (together) together(brought);
  for (int i = 0; i < SIMT_WARP; i++)
    if (mask >> i & 1) warp[i].thread.phase++, warp[i].state = READY;
}

void simt_syncwarp(unsigned mask)
{
  simt_with_warp(mask, NULL, NULL);
}

/* ---- Running. */

static void begin(void)
{
  run.body(run.args);
  run.now->state = ENDED;
  _longjmp(run.home, 1);
}

static void resume(fiber *f)
{
  ucontext_t context;
  run.now = f;
  if (_setjmp(run.home) != 0) return;
  if (f->begun) _longjmp(f->at, 1);
  f->begun = true;
  getcontext(&context);
  context.uc_stack.ss_sp = run.stacks + (size_t)f->thread.number * STACK;
  context.uc_stack.ss_size = STACK;
  makecontext(&context, begin, 0);
  setcontext(&context);
}

/* Lets every thread run that can; false where none could. */
static bool run_all(void)
{
  bool any = false;
  for (int i = 0; i < run.count; i++) {
    if (run.fibers[i].state != READY) continue;
    any = true;
    resume(&run.fibers[i]);
  }
  run.now = NULL;
  return any;
}

/* The barrier opens where all wait at it that have not ended; false: nothing waits there, or some wait elsewhere. */
static bool open_barrier(void)
{
  int waiting = 0, ended = 0;
  for (int i = 0; i < run.count; i++) {
    waiting += run.fibers[i].state == AT_BARRIER;
    ended += run.fibers[i].state == ENDED;
  }
  if (waiting + ended < run.count)
    simt_fail("block %d: of %d threads %d wait at a barrier, %d have ended, and the others wait for their warps",
              run.block.x, run.count, waiting, ended);
  if (waiting == 0 || waiting + ended < run.count) return false;
  for (int i = 0; i < run.count; i++)
    if (run.fibers[i].state == AT_BARRIER) run.fibers[i].state = READY;
  simt_memory_barrier();
  return true;
}

static void run_block(const unsigned block[3], size_t shared)
{
  for (int i = 0; i < run.count; i++) {
    const int x = (int)block[0], y = (int)block[1];
    run.fibers[i] = (fiber){.thread = {{i % x, i / x % y, i / x / y}, i, 1}};
  }
  simt_memory_begin(shared);
  do
    while (run_all()) continue;
  while (open_barrier());
}

void simt_launch(void (*body)(void **args), void **args, const unsigned grid[2], const unsigned block[3], size_t shared)
{
  run.count = (int)(block[0] * block[1] * block[2]);
  run.body = body, run.args = args;
  run.grid = (simt_index){(int)grid[0], (int)grid[1], 1};
  run.fibers = calloc((size_t)run.count, sizeof *run.fibers);
  run.stacks = aligned_alloc(64, (size_t)run.count * STACK);
  if (run.count > MAX_THREADS || run.count % SIMT_WARP || !run.fibers || !run.stacks) abort();
  for (int y = 0; y < run.grid.y; y++)
    for (int x = 0; x < run.grid.x; x++) {
      run.block = (simt_index){x, y, 0};
      run_block(block, shared);
    }
  free(run.fibers), free(run.stacks);
}
