/* Candidates run in a worker process: one that crashes or never ends costs its own trial only. A worker is a fork that
 * opens its device itself. */
#ifndef WISP_WORKER_H
#define WISP_WORKER_H

#include "../link/link.h"
#include "warden.h"

/* In the worker: opens link->device and does what the tuner has for it, until there is nothing more. */
typedef wisp_status wisp_worker_body(wisp_error *err, void *context, const wisp_link *link);

/* How long a worker may say nothing outside of trials, while it opens its device or makes a problem:
 * $WISP_WORKER_SECONDS, 300 unless set. */
double wisp_worker_seconds(void);

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

#endif
