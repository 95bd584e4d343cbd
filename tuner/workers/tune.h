/* The tuner: enumerate, refuse with a reason, compile in parallel, verify against the double reference, time, store
 * every trial. */
#ifndef WISP_TUNE_H
#define WISP_TUNE_H

#include "../trial/ledger.h"
#include "../../cache/store.h"
#include "../../runtime/mesh/source.h"
#include "../../runtime/problem.h"

typedef struct wisp_tune_progress { /* handed to the callback after every trial */
  const char *spec, *layout, *device;
  ptrdiff_t worker; /* that tried it: its device's place in the list */
  long long done, total, failed;
  double seconds_left;           /* estimate; NaN unknown */
  const wisp_trial *last, *best; /* best of this (spec, layout) so far; may be NULL */
} wisp_tune_progress;

typedef struct wisp_tune_summary {
  long long trials, ok, refused, failed;
  long long known, known_ok;   /* not tried again, for the store knows them; those of them that are right */
  long long skipped;           /* not compiled for want of memory, room or processes: not stored */
  int stopped;                 /* by this signal; 0: it came to its end */
  char why[760];               /* of the first candidate that failed, or of those that are refused; else empty */
  double seconds;              /* wall time */
  double device_seconds;       /* that workers had their devices, summed over all */
  double spent[WISP_PURPOSES]; /* of that, on each; they add up to it */
  wisp_limits limits;          /* of the first device that was there; kind is empty where there was none */
} wisp_tune_summary;

typedef struct wisp_tune_request {
  const char *family, *system;
  const int *orders;
  size_t order_count;
  const wisp_precision *precisions;
  size_t precision_count;
  const char *kernel, *strategy, *layout; /* restrict; NULL: all */
  double budget_seconds;                  /* <= 0: exhaustive; of wall time, on however many devices */
  double enough;                  /* efficiency at which a budgeted search of a problem ends; 0: 0.97 on a GPU */
  long long elements;             /* problem size for timing; 0: chosen for the device */
  const wisp_mesh_source *source; /* the mesh to time on; NULL: a box, moved, shuffled and ordered */
  const char *db;                 /* store file */
  bool retry_failed;
  int jobs; /* compilations at a time, shared out over the devices; 0: all cores */
  void (*progress)(void *context, const wisp_tune_progress *progress);
  void (*tick)(void *context); /* several times a second, also while nothing comes to an end; may be NULL */
  void (*warn)(void *context, const char *text); /* about the store, about devices; may be NULL */
  /* At the end, for each device in the list's order: what came of it, with its own seconds; may be NULL. */
  void (*device_done)(void *context, const char *device, const wisp_tune_summary *part);
  void *context;
} wisp_tune_request;

/* Order by order, precision by precision: every kernel's candidates in every layout, a final round of the fastest
 * (final.h), then whole stages made of the winners (kernel "step": strategy is the composition, params empty; ms is a
 * stage's, measured by running steps of five). Trials that the store knows are not repeated. A budget is shared out
 * evenly over what is left to tune, again where that ends early, and no trial begins after it but one default
 * candidate of each kernel, which is always tried first. A budgeted search of a problem (a layout, grouping and block
 * size) ends when its layout's best is as efficient as `enough`; where what is timed fits the caches, as on a host,
 * only if that is given. A candidate's failure is its trial's outcome, also where it takes its process with it or
 * never ends; the sweep fails where the request has no meaning (WISP_EUSAGE), the store cannot be written, memory is
 * short, there is no compiler or no device, or the problem does not fit it. What the machine could not compile is
 * skipped and counted. Ctrl-C, TERM and HUP end it in order: WISP_OK, and summary->stopped says which came.
 *
 * devices: a name as wisp_device_open takes it, several with commas between them, or "all" (tuner/workers/devices.h).
 * Each is opened in a worker process of its own (tuner/workers/supervisor.h), which is a fork of this one: for a GPU
 * this process must not have opened or listed devices before. An order and precision is measured on one device; devices
 * that are alike share them out, the heaviest first, and each that is of another kind measures all of them. */
wisp_status wisp_tune(wisp_error *err, const char *devices, const wisp_tune_request *request, wisp_tune_summary *out);

#endif
