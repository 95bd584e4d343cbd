/* Honest timing: warm-up by time, interleaved samples, medians (on a host: the fastest), raw samples kept. */
#pragma once

#include "../../runtime/device.h"

enum { WISP_MAX_SAMPLES = 32 };

/* Something to time: run enqueues it once. */
typedef struct wisp_contender {
  wisp_status (*run)(wisp_error *err, const void *context);
  const void *context;
  /* Results: one run's time, the samples that it is an estimate from, and which. */
  double ms;
  int count;
  double samples[WISP_MAX_SAMPLES];
  int repeats;      /* runs in a sample: short ones are timed several at once */
  double clock_mhz; /* the device's, during one of the samples; NaN where unknown */
  const char *estimate;
} wisp_contender;

/* Warms up and takes a few samples of one contender; ms is the fastest: where even that is far behind, so is the
 * contender. */
wisp_status wisp_probe(wisp_error *err, wisp_device *device, wisp_contender *contender);

/* Samples the contenders in turn, until each has enough samples and 20 ms (or all samples that are kept); at_length:
 * 160 ms, for a decision between contenders that are close. ms is the median on a GPU, the fastest on a host
 * (tuner/trial/measure.c says why). */
wisp_status wisp_measure(wisp_error *err, wisp_device *device, bool at_length, wisp_contender *contenders,
                         size_t count);
/* The noise of a contender's ms, relative to it: half the 95 % confidence interval of the median, by rank; of the
 * fastest, the distance of the third fastest. */
double wisp_measure_noise(const wisp_contender *contender);

/* Orders doubles, for qsort. */
int wisp_measure_order(const void *x, const void *y);

/* "median of 7 x 2, interleaved": samples, and runs in each */
void wisp_measure_mode(const wisp_contender *contender, char mode[64]);
