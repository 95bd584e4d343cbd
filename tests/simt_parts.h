/* The functions that the files of simt.h share, and that compiled kernels call: they find these in the library of
 * the tests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SIMT_WARP = 32 };

typedef struct simt_index {
  int x, y, z;
} simt_index;

/* One thread that runs: its place, its number in the block, and how often it has waited for its warp. */
typedef struct simt_thread {
  simt_index index;
  int number;
  unsigned phase;
} simt_thread;

/* ---- simt_run.c: threads. */

/* Runs the blocks one after the other. `body` calls the kernel; `shared` counts bytes. */
void simt_launch(void (*body)(void **args), void **args, const unsigned grid[2], const unsigned block[3],
                 size_t shared);
const simt_index *simt_thread_index(void);
const simt_index *simt_block_index(void);
const simt_index *simt_grid(void);
const simt_thread *simt_current(void);
void simt_syncthreads(void);

/* Waits for the lanes of the mask. The last of them calls `together`, on what each lane brought. */
typedef void simt_together(void *brought[SIMT_WARP]);
void simt_with_warp(unsigned mask, simt_together *together, void *mine);
void simt_syncwarp(unsigned mask);

/* ---- simt_memory.c: shared memory. */

void simt_memory_begin(size_t bytes); /* of a block */
void simt_memory_barrier(void);
unsigned char *simt_shared(void);
unsigned simt_to_shared(const void *at); /* an address of shared memory, as PTX has it */
const void *simt_from_shared(unsigned address);
/* The thread uses so many bytes; NULL: no thread runs. */
typedef enum simt_use { SIMT_READ, SIMT_WRITE, SIMT_ATOMIC } simt_use;
void simt_look(const simt_thread *thread, const void *at, size_t bytes, simt_use use);
void simt_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
