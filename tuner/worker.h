/* Candidates run in a worker process: one that crashes or never ends costs its own trial only. The worker is a fork
 * that opens the device itself; it is watched, ended when a candidate takes too long, and replaced. */
#ifndef WISP_WORKER_H
#define WISP_WORKER_H

#include "link.h"

/* In the worker: does all that the store does not know yet. summary holds what the sweep has come to so far. */
typedef wisp_status wisp_worker_body(wisp_error *err, void *context, const wisp_link *link, wisp_tune_summary *summary);

/* Runs body in workers, one after the other, until one comes to its end, and stores what they say.
 *
 * Before a candidate is launched its row says "unfinished", so that whatever happens it is known: a worker that dies
 * under it is replaced and the candidate tried once more, for the fault may have been another's; the second time it is
 * recorded, and so is one that a sweep finds begun twice and never ended. One that takes longer than its limit is
 * recorded at once. Fails as the worker's body does, or with WISP_ESYSTEM where workers die outside of any trial. */
wisp_status wisp_worker_supervise(wisp_error *err, const wisp_tune_request *request, wisp_writer *writer,
                                  wisp_worker_body *body, void *context, wisp_tune_summary *summary);

/* Adds a trial to the counts. */
void wisp_summary_count(wisp_tune_summary *summary, const wisp_trial *trial);

#endif
