/* Stacks of threads: wisp's own have enough; too small ones of others, of which kernels die, are reported. */
#pragma once

#include "../gen/check.h"

#include <pthread.h>

/* pthread_create, with enough stack for any work of wisp's, however small the usual one is. */
int wisp_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* WISP_ESYSTEM, in words, where this thread has too little stack left for wisp's functions. */
wisp_status wisp_stack_check(wisp_error *err);

/* Sets what OpenMP reads when the first kernel brings it (OMP_STACKSIZE, OMP_WAIT_POLICY), where the environment lacks
 * it. Threads that open sessions at once wait here for the first of them, which alone changes the environment. */
void wisp_openmp_prepare(void);

/* WISP_ESYSTEM, in words, where $OMP_STACKSIZE is too small for any thread, with which OpenMP would end the program. */
wisp_status wisp_openmp_check(wisp_error *err);

/* The stacks of those that run kernels of one host device, as they were found. Zero-initialise. */
typedef struct wisp_host_stacks {
  bool knows_team, knows_caller;
  size_t team;      /* bytes: the least of OpenMP's threads; SIZE_MAX: there are none */
  pthread_t thread; /* the one that called last */
  size_t caller;    /* bytes that it has left */
} wisp_host_stacks;

/* Whether this thread, and OpenMP's, have as many bytes, and OpenMP's were not lost in a fork: WISP_ESYSTEM, in words,
 * where they have less. object: a loaded module, whose OpenMP library is asked; NULL: the last answer holds. name is
 * the kernel's. */
wisp_status wisp_host_stacks_check(wisp_error *err, wisp_host_stacks *stacks, void *object, const char *name,
                                   size_t bytes);
