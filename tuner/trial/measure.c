/* Samples in turn, and what is made of them. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WARM_MS = 2, ENOUGH_MS = 20, LONG_MS = 160;

int wisp_measure_order(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *samples, int count)
{
  double sorted[WISP_MAX_SAMPLES];
  memcpy(sorted, samples, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, wisp_measure_order);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double fastest(const double *samples, int count)
{
  double least = samples[0];
  for (int i = 1; i < count; i++) least = fmin(least, samples[i]);
  return least;
}

typedef struct stopwatch {
  wisp_device *device;
  wisp_event *from, *to;
} stopwatch;

static wisp_status make_stopwatch(wisp_error *err, wisp_device *device, stopwatch *watch)
{
  watch->device = device;
  wisp_status status = wisp_event_create(err, device, &watch->from);
  return status == WISP_OK ? wisp_event_create(err, device, &watch->to) : status;
}

static void free_stopwatch(stopwatch *watch)
{
  wisp_event_destroy(watch->from);
  wisp_event_destroy(watch->to);
}

/* The time of one run, in a sample of several. A GPU is given one run ahead of the first event, so that the time until
 * the host has enqueued the next is not counted. */
static wisp_status sample(wisp_error *err, const stopwatch *watch, const wisp_contender *c, bool ahead, int repeats,
                          double *ms, double *clock_mhz)
{
  if (ahead) CALL(c->run(err, c->context));
  CALL(wisp_event_record(err, watch->from));
  for (int i = 0; i < repeats; i++) CALL(c->run(err, c->context));
  CALL(wisp_event_record(err, watch->to));
  if (clock_mhz) *clock_mhz = wisp_device_clock_mhz(watch->device); /* while they run */
  CALL(wisp_event_elapsed(err, watch->from, watch->to, ms));
  *ms /= repeats;
  return WISP_OK;
}

wisp_status wisp_probe(wisp_error *err, wisp_device *device, wisp_contender *c)
{
  const wisp_timing how = wisp_device_timing(device);
  HELD(free_stopwatch) stopwatch watch = {0};
  double ms = 0;
  c->clock_mhz = NAN;
  CALL(make_stopwatch(err, device, &watch));
  for (double warm = 0; warm < WARM_MS; warm += ms + 1e-3) CALL(sample(err, &watch, c, false, 1, &ms, NULL));
  c->repeats = ms < how.sample_ms ? (int)fmin(ceil(how.sample_ms / fmax(ms, 1e-3)), 64) : 1;
  for (c->count = 0; c->count < how.probes; c->count++)
    CALL(sample(err, &watch, c, !how.fastest, c->repeats, &c->samples[c->count], NULL));
  c->ms = fastest(c->samples, c->count);
  c->estimate = "fastest";
  return WISP_OK;
}

static bool needs_more(const wisp_timing *how, bool at_length, const wisp_contender *c)
{
  double sum = 0;
  for (int i = 0; i < c->count; i++) sum += c->samples[i] * c->repeats;
  return c->count < how->samples || (sum < (at_length ? LONG_MS : ENOUGH_MS) && c->count < WISP_MAX_SAMPLES);
}

wisp_status wisp_measure(wisp_error *err, wisp_device *device, bool at_length, wisp_contender *contenders, size_t count)
{
  const wisp_timing how = wisp_device_timing(device);
  HELD(free_stopwatch) stopwatch watch = {0};
  bool more = true;
  CALL(make_stopwatch(err, device, &watch));
  for (size_t i = 0; i < count; i++) {
    CALL(wisp_probe(err, device, &contenders[i]));
    contenders[i].count = 0;
  }
  while (more) {
    more = false;
    for (size_t i = 0; i < count; i++) {
      wisp_contender *c = &contenders[i];
      if (!needs_more(&how, at_length, c)) continue;
      bool middle = c->count == how.samples / 2;
      CALL(sample(err, &watch, c, !how.fastest, c->repeats, &c->samples[c->count], middle ? &c->clock_mhz : NULL));
      c->count++;
      more |= needs_more(&how, at_length, c);
    }
  }
  for (size_t i = 0; i < count; i++) {
    wisp_contender *c = &contenders[i];
    c->ms = how.fastest ? fastest(c->samples, c->count) : median(c->samples, c->count);
    c->estimate = how.fastest ? "fastest" : "median";
  }
  return WISP_OK;
}

double wisp_measure_noise(const wisp_contender *c)
{
  double sorted[WISP_MAX_SAMPLES];
  if (c->count < 3 || !(c->ms > 0)) return 0;
  memcpy(sorted, c->samples, (size_t)c->count * sizeof *sorted);
  qsort(sorted, (size_t)c->count, sizeof *sorted, wisp_measure_order);
  if (strcmp(c->estimate, "fastest") == 0) return sorted[2] / c->ms - 1;
  /* The number of samples below the median is binomial: n / 2 +- 0.98 sqrt(n) covers 95 %. */
  double half = 0.98 * sqrt(c->count);
  int low = (int)fmax(floor((c->count - 1) / 2.0 - half), 0), high = c->count - 1 - low;
  return (sorted[high] - sorted[low]) / (2 * c->ms);
}

void wisp_measure_mode(const wisp_contender *c, char mode[64])
{
  snprintf(mode, 64, "%s of %d x %d, interleaved", c->estimate, c->count, c->repeats);
}
