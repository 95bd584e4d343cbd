#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 3, SAMPLES = 7 };
static const double WARM_MS = 2, SAMPLE_MS = 0.2, ENOUGH_MS = 20;

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *samples, int count)
{
  double sorted[WISP_MAX_SAMPLES];
  memcpy(sorted, samples, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, by_value);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

typedef struct stopwatch {
  wisp_event *from, *to;
} stopwatch;

static wisp_status make_stopwatch(wisp_error *err, wisp_device *device, stopwatch *watch)
{
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
                          double *ms)
{
  wisp_status status = WISP_OK;
  if (ahead) TRY(c->run(err, c->context));
  TRY(wisp_event_record(err, watch->from));
  for (int i = 0; i < repeats; i++) TRY(c->run(err, c->context));
  TRY(wisp_event_record(err, watch->to));
  TRY(wisp_event_elapsed(err, watch->from, watch->to, ms));
  *ms /= repeats;
done:
  return status;
}

static bool is_gpu(const wisp_device *device)
{
  return strcmp(wisp_device_limits(device)->kind, "host") != 0;
}

wisp_status wisp_probe(wisp_error *err, wisp_device *device, wisp_contender *c)
{
  wisp_status status = WISP_OK;
  stopwatch watch = {0};
  double ms = 0;
  TRY(make_stopwatch(err, device, &watch));
  for (double warm = 0; warm < WARM_MS; warm += ms + 1e-3) TRY(sample(err, &watch, c, false, 1, &ms));
  c->repeats = ms < SAMPLE_MS ? (int)fmin(ceil(SAMPLE_MS / fmax(ms, 1e-3)), 64) : 1;
  for (c->count = 0; c->count < PROBES; c->count++)
    TRY(sample(err, &watch, c, is_gpu(device), c->repeats, &c->samples[c->count]));
  c->ms = fmin(fmin(c->samples[0], c->samples[1]), c->samples[2]);
done:
  free_stopwatch(&watch);
  return status;
}

static bool needs_more(const wisp_contender *c)
{
  double sum = 0;
  for (int i = 0; i < c->count; i++) sum += c->samples[i] * c->repeats;
  return c->count < SAMPLES || (sum < ENOUGH_MS && c->count < WISP_MAX_SAMPLES);
}

wisp_status wisp_measure(wisp_error *err, wisp_device *device, wisp_contender *contenders, size_t count)
{
  wisp_status status = WISP_OK;
  stopwatch watch = {0};
  bool more = true;
  TRY(make_stopwatch(err, device, &watch));
  for (size_t i = 0; i < count; i++) {
    TRY(wisp_probe(err, device, &contenders[i]));
    contenders[i].count = 0;
  }
  while (more) {
    more = false;
    for (size_t i = 0; i < count; i++) {
      wisp_contender *c = &contenders[i];
      if (!needs_more(c)) continue;
      TRY(sample(err, &watch, c, is_gpu(device), c->repeats, &c->samples[c->count]));
      c->count++;
      more |= needs_more(c);
    }
  }
  for (size_t i = 0; i < count; i++) contenders[i].ms = median(contenders[i].samples, contenders[i].count);
done:
  free_stopwatch(&watch);
  return status;
}

void wisp_measure_mode(const wisp_contender *c, char mode[64])
{
  if (c->count <= PROBES)
    snprintf(mode, 64, "fastest of %d x %d", c->count, c->repeats);
  else
    snprintf(mode, 64, "median of %d x %d, interleaved", c->count, c->repeats);
}
