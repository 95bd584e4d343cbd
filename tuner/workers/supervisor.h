/* The process that a sweep belongs to: has a worker on every device, hands them units, ends the ones that take too
 * long, replaces those that die, and is the only one that writes to the store. */
#pragma once

#include "worker.h"

typedef struct wisp_crew { /* what to supervise */
  const wisp_tune_request *request;
  size_t count;
  char *const *devices; /* one worker each, at a time */
  wisp_writer *writer;
  wisp_worker_body *body;
  void *context;
  const wisp_warden *warden;
  const wisp_interrupt *interrupt; /* NULL: signals are not looked at */
  double deadline;                 /* seconds of the monotonic clock; INFINITY without a budget */
  double stop, late;               /* workers end at `stop`, those that compare stages at `late`; INFINITY: never */
} wisp_crew;

/* Runs body on each device, in one worker after the other, until all units are done, and stores their trials. Devices
 * that are alike (name, target, multiprocessors, driver, compiler) share the units; any other measures all.
 *
 * A row is "unfinished" before its candidate is launched. A worker that dies under a candidate is replaced, and the
 * candidate is tried once more, for the fault may have been another's; the second death is recorded, and so is a
 * candidate that was begun twice and never ended, or that exceeds its limit. A worker without a complete message for
 * $WISP_WORKER_SECONDS outside of trials, while it opens its device or makes a problem, is replaced.
 *
 * A device is given up if its worker's body fails, or if its workers die or fall silent outside of trials again and
 * again; request->warn reports it, and another device of its kind takes over its unit. Fails as the last device did if
 * all are given up or a unit is left without a device of its kind. A signal ends it with the summary so far, which
 * counts all devices. */
wisp_status wisp_supervise(wisp_error *err, const wisp_crew *crew, wisp_tune_summary *summary);

/* The same with a writer of the request's store, signals and a warden of its own: crew->writer, interrupt and warden
 * are set meanwhile. WISP_ESTORE, before anything is written, for a file with a row that cannot be read. */
wisp_status wisp_crew_work(wisp_error *err, wisp_crew *crew, wisp_tune_summary *summary);
