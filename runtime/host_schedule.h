/* Other schedules of a host kernel's blocks. A kernel's own gives each of OpenMP's threads an equal share of them, in
 * order, so that neighbouring blocks, which race for the same numbers, hardly ever run at the same time. The kernel
 * stays as it was compiled: for one launch, its references to three functions of OpenMP lead to wisp's. */
#pragma once

#include "device.h"
#include "host_interrupts.h"

typedef void wisp_host_entry(void **args, unsigned grid_x, unsigned grid_y);

/* A loaded module's references to OpenMP's functions; NULL: it has none, as clang's kernels. */
typedef struct wisp_host_references {
  void *object;
  void **parallel, **thread_count, **thread_number;
  bool has_locks; /* a block may wait for another one */
} wisp_host_references;

/* object: from dlopen. */
wisp_host_references wisp_host_references_find(void *object);

/* Runs a kernel of the module in this schedule. Nobody else may launch the module meanwhile. A module without such
 * references has one thread, or more than cores, each with an equal share. watched: where a schedule interrupts. */
void wisp_host_run_scheduled(const wisp_host_references *references, wisp_schedule schedule,
                             const wisp_watched *watched, wisp_host_entry *entry, void **args, const unsigned grid[2]);

/* The threads that OpenMP gives to a kernel in this process: by OpenMP itself where the program has it already, else by
 * $OMP_NUM_THREADS and $OMP_THREAD_LIMIT, else one a core. */
int wisp_host_threads(int cores);
