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
} wisp_crew;

/* Runs body on each device, in one worker after the other, until all units are done, and stores what they say. Devices
 * that are alike (name, target, multiprocessors, driver, compiler) share the units; any other has them all to itself.
 *
 * Before a candidate is launched its row says "unfinished", so that whatever happens it is known: a worker that dies
 * under it is replaced and the candidate tried once more, for the fault may have been another's; the second time it is
 * recorded, and so is one that a sweep finds begun twice and never ended. One that takes longer than its limit is
 * recorded at once.
 *
 * A worker that says nothing for longer than wisp_worker_seconds outside of a trial, or half of something, is replaced.
 *
 * A device is given up where its worker's body fails or workers die or fall silent on it outside of any trial;
 * request->warn says so,
 * and what it was at is for another of its kind. Fails as the last device did where all are given up, or where a unit
 * is left that none of its kind is there for. A signal ends it, too, with the summary so far. The summary is counted
 * over all devices. */
wisp_status wisp_supervise(wisp_error *err, const wisp_crew *crew, wisp_tune_summary *summary);
