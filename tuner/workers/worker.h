/* Candidates run in a worker process: one that crashes or never ends costs its own trial only. A worker is a fork that
 * opens its device itself. */
#pragma once

#include "../link/link.h"
#include "../../runtime/warden.h"

#include <signal.h>
#include <sys/types.h>

/* ---- Ctrl-C, TERM and HUP while a sweep runs: they end it in order, with its summary and a store that is whole,
 * and are heard of through a descriptor, like the workers. */

enum { WISP_INTERRUPTS = 3 };

typedef struct wisp_interrupt {
  int fd; /* readable once a signal came */
  sigset_t mask;
  struct sigaction before[WISP_INTERRUPTS];
} wisp_interrupt;

/* From here on the signals go to fd, but for those that this process ignores (nohup). Until wisp_interrupt_end. */
wisp_status wisp_interrupt_begin(wisp_error *err, wisp_interrupt *out);
void wisp_interrupt_end(wisp_interrupt *interrupt);

/* The signal that came; 0: none did. */
int wisp_interrupt_take(const wisp_interrupt *interrupt);

/* In the worker: opens link->device and does what the tuner has for it, until there is nothing more. */
typedef wisp_status wisp_worker_body(wisp_error *err, void *context, const wisp_link *link);

typedef struct wisp_worker { /* zero-initialise */
  pid_t pid;                 /* 0: it does not run */
  int socket;                /* the tuner's end */
  double since, seconds;     /* when it was started; how long workers ran here before */
} wisp_worker;

/* Starts all[which] on a device, in a session of its own. It runs body and then says how that ended (WISP_NOTE_END). It
 * dies with the tuner. */
wisp_status wisp_worker_start(wisp_error *err, wisp_worker *all, size_t count, size_t which, const char *device,
                              wisp_worker_body *body, void *context);

/* Its end, and that of all that it started: within so many seconds by itself, else it is ended. Gives what waitpid says
 * of it. */
int wisp_worker_reap(wisp_worker *worker, const wisp_warden *warden, double seconds);
