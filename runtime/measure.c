/* The measured ceilings of a device, for a copy and plain arithmetic, by which kernels are judged. */
#include "compilers.h"

#include <time.h>

typedef wisp_ceilings_recipe recipe;

/* Before each text: a thread of the host reads its own clock. */
#define LINES "#ifndef __CUDACC__\n#include <time.h>\n#endif\n"

enum { DAY = 24 * 3600, MOST_RUNS = 1000 };

typedef struct work {
  wisp_device *device;
  wisp_module *module; /* NULL: the device's own copy */
  unsigned grid[2], block[3];
  wisp_pointer out, in;
  long long count; /* vectors of 16 bytes, numbers, or iterations */
} work;

static work make_work(wisp_device *device, const recipe *r, unsigned blocks, long long count)
{
  return (work){.device = device,
                .grid = {blocks * (unsigned)wisp_device_limits(device)->units, 1},
                .block = {r->block, 1, 1},
                .count = count};
}

static void free_work(work *w)
{
  wisp_device_free(w->device, w->in), wisp_device_free(w->device, w->out);
  wisp_module_unload(w->module);
}

static wisp_status run_once(wisp_error *err, work *w)
{
  long long blocks = w->grid[0];
  void *args[] = {&w->in, &w->out, &w->count, &blocks};
  const int first = w->in ? 0 : 1;
  if (!w->module) return wisp_device_copy(err, w->device, w->out, w->in, (size_t)w->count * 16);
  return wisp_launch(err, w->module, NULL, w->grid, w->block, args + first, 4 - first);
}

/* The shortest of many runs, which wake the clocks; on a busy machine until it was nearly met three times. */
static wisp_status find_best(wisp_error *err, work *w, const recipe *r, double *best)
{
  OWNED(wisp_event_destroy) wisp_event *from = NULL, *to = NULL;
  double total = 0, shortest = 0;
  int fewest = r->runs[w->in ? 0 : 1], near = 0;
  CALL(wisp_event_create(err, w->device, &from));
  CALL(wisp_event_create(err, w->device, &to));
  for (int run = 0; run < MOST_RUNS; run++) {
    double ms = 0;
    if (run >= fewest && total >= r->ms && (near >= 3 || total >= 10 * r->ms)) break;
    CALL(wisp_event_record(err, from));
    CALL(run_once(err, w));
    CALL(wisp_event_record(err, to));
    CALL(wisp_event_elapsed(err, from, to, &ms));
    total += ms;
    if (ms <= 0) continue;
    if (ms < 0.95 * shortest) near = 0;
    if (shortest <= 0 || ms < shortest) shortest = ms;
    near += ms <= 1.05 * shortest;
  }
  CALL(wisp_require(err, shortest > 0, WISP_EDEVICE, "%s: its clock stands still: time on another device",
                    wisp_device_limits(w->device)->name));
  *best = shortest;
  return WISP_OK;
}

/* Several times the cache, so that it is memory that is measured, but no more than an eighth of the memory. */
static size_t buffer_bytes(const recipe *r, const wisp_limits *limits)
{
  size_t bytes = r->a_unit * (size_t)limits->units, most = (size_t)1 << 30;
  if (bytes > most) bytes = most; /* of many cores; beyond this it only takes longer */
  if (bytes < r->smallest) bytes = r->smallest;
  if (bytes < 4 * limits->l2) bytes = 4 * limits->l2;
  if (limits->memory && bytes > limits->memory / 8) bytes = limits->memory / 8;
  return bytes / 4096 * 4096;
}

/* A pass over so many bytes, 16 of them at a time. */
static work streaming(wisp_device *device, const recipe *r, size_t bytes)
{
  return make_work(device, r, r->copy_blocks, (long long)(bytes / 16));
}

/* The better of a plain kernel and the device's copy. The first copy, there and back, places the host's pages. */
static wisp_status measure_copy(wisp_error *err, wisp_device *device, const recipe *r, double *gbps)
{
  const size_t bytes = buffer_bytes(r, wisp_device_limits(device));
  HELD(free_work) work there = streaming(device, r, bytes);
  double by_kernel = 0, by_device = 0;
  CALL(wisp_dialect_module(err, device, "ceilings/copy", WISP_F64, LINES, &there.module));
  CALL(wisp_device_alloc(err, device, bytes, &there.out));
  CALL(wisp_device_alloc(err, device, bytes, &there.in));
  work back = there, own = there;
  back.in = there.out, back.out = there.in;
  own.module = NULL;
  CALL(run_once(err, &there));
  CALL(run_once(err, &back));
  CALL(find_best(err, &there, r, &by_kernel));
  by_device = by_kernel;
  if (r->own_copy) CALL(find_best(err, &own, r, &by_device));
  *gbps = 2e-6 * (double)bytes / (by_kernel < by_device ? by_kernel : by_device);
  return WISP_OK;
}

/* Iterations a second of all blocks together, each at its best of a few runs. */
static wisp_status block_rates(wisp_error *err, work *w, const recipe *r, double *per_second)
{
  unsigned blocks = w->grid[0];
  OWNED(free) double *seconds = NULL, *best = NULL;
  double sum = 0;
  CALL(wisp_new(err, blocks, sizeof *seconds, &seconds));
  CALL(wisp_new(err, blocks, sizeof *best, &best));
  for (int i = 0; i < r->runs[1]; i++) {
    CALL(run_once(err, w));
    CALL(wisp_device_download(err, w->device, seconds, w->out, blocks * sizeof *seconds));
    for (unsigned b = 0; b < blocks; b++)
      if (seconds[b] > 0 && (best[b] <= 0 || seconds[b] < best[b])) best[b] = seconds[b];
  }
  for (unsigned b = 0; b < blocks; b++)
    if (best[b] > 0) sum += (double)w->count / best[b];
  CALL(wisp_require(err, sum > 0, WISP_EDEVICE, "%s: its clock stands still: time on another device",
                    wisp_device_limits(w->device)->name));
  *per_second = sum;
  return WISP_OK;
}

static wisp_status measure_fma(wisp_error *err, wisp_device *device, const recipe *r, int precision, double *gflops)
{
  HELD(free_work) work w = make_work(device, r, r->fma_blocks, r->iterations);
  double ms = 0, per_second = 0;
  CALL(wisp_dialect_module(err, device, "ceilings/fma", precision ? WISP_F64 : WISP_F32, LINES, &w.module));
  CALL(wisp_device_alloc(err, device, (size_t)w.grid[0] * r->block * sizeof(double), &w.out));
  if (r->own_clock) {
    CALL(block_rates(err, &w, r, &per_second));
  } else {
    CALL(find_best(err, &w, r, &ms));
    per_second = 1e3 * (double)w.grid[0] * (double)r->iterations / ms;
  }
  *gflops = 2e-9 * r->fmas[precision] * per_second;
  return WISP_OK;
}

static wisp_status measure_fill(wisp_error *err, wisp_device *device, const recipe *r, double *gbps)
{
  const size_t bytes = buffer_bytes(r, wisp_device_limits(device));
  HELD(free_work) work w = streaming(device, r, bytes);
  double ms = 0;
  CALL(wisp_dialect_module(err, device, "ceilings/write", WISP_F64, LINES, &w.module));
  CALL(wisp_device_alloc(err, device, bytes, &w.out));
  CALL(find_best(err, &w, r, &ms));
  *gbps = 1e-6 * (double)bytes / ms;
  return WISP_OK;
}

static wisp_status measure_add(wisp_error *err, wisp_device *device, const recipe *r, int precision, double *gops)
{
  enum { TIMES = 6 }; /* as the texts say */
  HELD(free_work) work w = make_work(device, r, r->copy_blocks, r->added_to);
  double ms = 0;
  CALL(wisp_dialect_module(err, device, "ceilings/additions", precision ? WISP_F64 : WISP_F32, LINES, &w.module));
  CALL(wisp_device_alloc(err, device, (size_t)w.count * sizeof(double), &w.out));
  CALL(find_best(err, &w, r, &ms));
  *gops = 1e-6 * TIMES * (double)w.count / ms;
  return WISP_OK;
}

typedef struct kept {
  int64_t when; /* seconds since 1970 */
  wisp_ceilings ceilings;
} kept;

static bool find_recent(const wisp_cache_key *key, wisp_ceilings *out)
{
  wisp_binary binary = {0};
  kept old = {0};
  if (!wisp_cache_get(key, &binary)) return false;
  if (binary.length == sizeof old) memcpy(&old, binary.data, sizeof old);
  wisp_binary_free(&binary);
  int64_t age = (int64_t)time(NULL) - old.when;
  if (age < 0 || age > DAY) return false;
  *out = old.ceilings;
  return true;
}

wisp_status wisp_device_ceilings(wisp_error *err, wisp_device *device, wisp_ceilings *out)
{
  HELD(wisp_text_free) wisp_text compiler = {0}, options = {0};
  const wisp_limits *limits = &device->limits;
  char size[64];
  kept fresh = {.when = (int64_t)time(NULL)};
  if (device->ceilings.copy_gbps > 0) return *out = device->ceilings, WISP_OK;
  CALL(wisp_require(err, !device->recording, WISP_EUSAGE, "ceilings: not while a graph is being recorded on %s",
                    limits->name));
  CALL(wisp_known_compiler(err, device->kind->name, device->kind->compiler, limits->target, &compiler));
  CALL(wisp_compiler_options(err, device->kind, limits->target, &options));
  snprintf(size, sizeof size, "%d units, %zu bytes", limits->units, limits->memory);
  const char *const texts[] = {"ceilings 3", limits->kind,  limits->name, limits->driver,
                               size,         compiler.data, options.data};
  const wisp_cache_key key = {texts, WISP_COUNT(texts)};
  if (!find_recent(&key, &fresh.ceilings)) {
    const recipe *r = &device->kind->ceilings;
    wisp_ceilings *made = &fresh.ceilings;
    CALL(wisp_require(err, r->block, WISP_EMISSING, "ceilings: nothing is known of devices of kind %s",
                      device->kind->name));
    CALL(measure_copy(err, device, r, &made->copy_gbps));
    CALL(measure_fma(err, device, r, 0, &made->fma_gflops_f32));
    CALL(measure_fma(err, device, r, 1, &made->fma_gflops_f64));
    CALL(measure_fill(err, device, r, &made->fill_gbps));
    CALL(measure_add(err, device, r, 0, &made->add_gops_f32));
    CALL(measure_add(err, device, r, 1, &made->add_gops_f64));
    wisp_cache_put(&key, &(wisp_binary){(char *)&fresh, sizeof fresh, {-1, -1, -1, 0, 0}});
  }
  *out = device->ceilings = fresh.ceilings;
  return WISP_OK;
}
