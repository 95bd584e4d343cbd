/* The budgeted search against a stored exhaustive sweep: how close to the optimum it is after a number of trials. */
#pragma once

#include "../../cache/store.h"
#include "../../gen/spec.h"

enum { WISP_REPLAY_POINTS = 5, WISP_REPLAY_MOST = 100 };
extern const int wisp_replay_after[WISP_REPLAY_POINTS]; /* 5, 10, 25, 50, 100 trials */

typedef struct wisp_replay_request {
  const char *family, *kernel; /* kernel NULL: all */
  int orders, order[32];       /* none: all */
  int precisions;
  wisp_precision precision[2];
  bool seeded; /* from the rest of the sweep, without this order and precision */
} wisp_replay_request;

typedef struct wisp_replay_target {
  char kernel[WISP_NAME_TEXT];
  int order;
  wisp_precision precision;
  size_t candidates;
  double optimum;                     /* ms */
  double percent[WISP_REPLAY_POINTS]; /* optimum / best found */
  double random[WISP_REPLAY_POINTS];  /* the same, expected of a search that picks at random */
  size_t tried[WISP_REPLAY_MOST];     /* indices into the trials, as they were picked */
  size_t trials;                      /* how many */
} wisp_replay_target;

typedef struct wisp_replay {
  size_t count;
  wisp_replay_target *targets; /* by kernel, order, precision */
  double mean[WISP_REPLAY_POINTS], random[WISP_REPLAY_POINTS], worst[WISP_REPLAY_POINTS];
  size_t worst_target[WISP_REPLAY_POINTS];
} wisp_replay;

/* trials: those of one device; the space of a target is what succeeded (ok, slow). Whole steps are no target.
 * WISP_EUSAGE where nothing fits the request. */
wisp_status wisp_replay_run(wisp_error *err, size_t count, const wisp_trial *trials, const wisp_replay_request *request,
                            wisp_replay *out);
void wisp_replay_free(wisp_replay *replay);

/* All trials of a store file, NAME.gz unpacked by gunzip; of the device that has most. Caller frees *out. */
wisp_status wisp_replay_load(wisp_error *err, const char *path, size_t *count, wisp_trial **out);
