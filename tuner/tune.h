/* The tuner: enumerate, refuse with a reason, compile in parallel, verify against the double reference, time, store
 * every trial. */
#ifndef WISP_TUNE_H
#define WISP_TUNE_H

#include "../cache/store.h"
#include "../runtime/solve/problem.h"

typedef struct wisp_tune_progress { /* handed to the callback after every trial */
  const char *spec, *layout;
  long long done, total, failed;
  double seconds_left;           /* estimate; NaN unknown */
  const wisp_trial *last, *best; /* best of this (spec, layout) so far; may be NULL */
} wisp_tune_progress;

typedef struct wisp_tune_request {
  const char *family, *system;
  const int *orders;
  size_t order_count;
  const wisp_precision *precisions;
  size_t precision_count;
  const char *kernel, *strategy, *layout; /* restrict; NULL: all */
  double budget_seconds;                  /* <= 0: exhaustive */
  long long elements;                     /* problem size for timing; 0: chosen for the device */
  const char *db;                         /* store file */
  bool retry_failed;
  int jobs; /* compile workers; 0: all cores */
  void (*progress)(void *context, const wisp_tune_progress *progress);
  void *context;
} wisp_tune_request;

typedef struct wisp_tune_summary {
  long long trials, ok, refused, failed, known;
  double seconds;
} wisp_tune_summary;

wisp_status wisp_tune(wisp_error *err, wisp_device *device, const wisp_tune_request *request, wisp_tune_summary *out);

/* Verifies one kernel on a small ragged problem: random data, poisoned outputs, NaN in all padding, guard zones. *error
 * is the largest error relative to the reference's largest value. WISP_EWRONG where it is above the tolerance
 * (tuner/tolerance.c), with the place. */
wisp_status wisp_verify(wisp_error *err, wisp_device *device, wisp_kernel *kernel, double *error);

#endif
