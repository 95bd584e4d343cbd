/* Claim: the kernels of solvers that are no candidates leave what their definitions say, in both precisions, on numbers
 * that fill no block; and their texts, and those by which a device is measured, compile for GPUs without spills. */
#include "test.h"
#include "../gen/random.h"
#include "../runtime/compilers.h"
#include "../gen/strategy/strategy.h"

#include <float.h>

enum { COUNT = 200003, ROWS = 150001, BLOCKS = 256, LANES = 256, NUMBERS = 3 * BLOCKS + 3 };

static const char formulas[] = "#define NUMBER float\n"
                               "#ifndef __CUDACC__\n#include <math.h>\n#endif\n"
                               "#define KAPPA(u) (1 + (u) * (u))\n#define RISE(u) (2 * (u))\n";

typedef struct bench {
  wisp_device *device;
  wisp_precision precision;
} bench;

static wisp_pointer on_device(const bench *b, size_t bytes)
{
  wisp_pointer at = 0;
  GOOD(wisp_device_alloc(err, b->device, bytes, &at));
  GOOD(wisp_device_fill(err, b->device, at, 0xff, bytes)); /* NaN */
  return at;
}

/* Random numbers, as the device has them, and here as they are there. */
static wisp_pointer reals(const bench *b, size_t count, double *values)
{
  uint64_t random = WISP_RANDOM_SEED + count;
  OWNED(free) float *narrow = allocate(count, sizeof *narrow);
  const wisp_pointer at = on_device(b, count * (size_t)b->precision);
  for (size_t i = 0; i < count; i++) {
    values[i] = wisp_random_real(&random);
    if (b->precision == WISP_F32) values[i] = narrow[i] = (float)values[i];
  }
  GOOD(wisp_device_upload(err, b->device, at, b->precision == WISP_F32 ? (void *)narrow : values,
                          count * (size_t)b->precision));
  return at;
}

static void read_back(const bench *b, wisp_pointer at, size_t count, double *values)
{
  OWNED(free) float *narrow = allocate(count, sizeof *narrow);
  GOOD(wisp_device_finish(err, b->device));
  GOOD(wisp_device_download(err, b->device, b->precision == WISP_F32 ? (void *)narrow : values, at,
                            count * (size_t)b->precision));
  for (size_t i = 0; i < count && b->precision == WISP_F32; i++) values[i] = narrow[i];
}

static void run(const bench *b, const char *name, unsigned blocks, void **args, int count)
{
  const unsigned grid[2] = {blocks, 1}, block[3] = {LANES, 1, 1};
  wisp_module *module = NULL;
  GOOD(wisp_dialect_module(err, b->device, name, b->precision, formulas, &module));
  GOOD(wisp_launch(err, module, NULL, grid, block, args, count));
  GOOD(wisp_device_finish(err, b->device));
  wisp_module_unload(module);
}

static void near(const bench *b, double got, double expected, double size)
{
  const double rounding = b->precision == WISP_F32 ? FLT_EPSILON : DBL_EPSILON;
  if (!(fabs(got - expected) <= 4 * rounding * size)) fail_msg("%.17g, expected %.17g", got, expected);
}

static void check_mix(const bench *b)
{
  double *x = zeros(COUNT), *y = zeros(COUNT), *got = zeros(COUNT), beta = 0.3;
  wisp_pointer at_x = reals(b, COUNT, x), at_y = reals(b, COUNT, y);
  long long count = COUNT;
  void *args[] = {&at_x, &at_y, &beta, &count};
  run(b, "solve/mix", BLOCKS, args, 4);
  read_back(b, at_y, COUNT, got);
  for (size_t i = 0; i < COUNT; i++) near(b, got[i], (1 + beta) * x[i] - beta * y[i], 2);
  wisp_device_free(b->device, at_x), wisp_device_free(b->device, at_y);
  free(x), free(y), free(got);
}

/* From one array into another, and in its place. */
static void check_scale(const bench *b)
{
  double *x = zeros(COUNT), *got = zeros(COUNT), parts[BLOCKS], factor = -1.7, squares = 0, sum = 0;
  wisp_pointer from = reals(b, COUNT, x), apart = on_device(b, COUNT * sizeof *x), sums = on_device(b, sizeof parts);
  long long count = COUNT;
  for (int alone = 0; alone < 2; alone++) {
    wisp_pointer to = alone ? from : apart;
    void *args[] = {&from, &to, &factor, &sums, &count};
    run(b, "solve/scale", BLOCKS, args, 5);
    read_back(b, to, COUNT, got);
    GOOD(wisp_device_download(err, b->device, parts, sums, sizeof parts));
    squares = sum = 0;
    for (int i = 0; i < BLOCKS; i++) sum += parts[i];
    for (size_t i = 0; i < COUNT; i++) near(b, got[i], factor * x[i], 2), squares += got[i] * got[i];
    assert_true(fabs(sum - squares) < 1e-10 * squares);
  }
  wisp_device_free(b->device, from), wisp_device_free(b->device, apart), wisp_device_free(b->device, sums);
  free(x), free(got);
}

static void check_spectrum(const bench *b)
{
  enum { BUCKETS = 64 * LANES, WORDS = (COUNT + 31) / 32 };
  OWNED(free) double *x = zeros(COUNT), *expected = zeros(BUCKETS), *got = zeros(BUCKETS);
  OWNED(free) uint32_t *mask = calloc(WORDS, sizeof *mask);
  wisp_pointer in = reals(b, COUNT, x), bits = on_device(b, WORDS * sizeof *mask),
               out = on_device(b, BUCKETS * sizeof *got);
  long long count = COUNT;
  void *args[] = {&in, &bits, &out, &count};
  assert_non_null(mask);
  for (size_t i = 0; i < COUNT; i++) {
    uint64_t hash = i * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebull;
    if (i % 3 == 0) continue;
    mask[i / 32] |= (uint32_t)1 << i % 32;
    expected[i % BUCKETS] += hash >> 63 ? -x[i] : x[i];
  }
  GOOD(wisp_device_upload(err, b->device, bits, mask, WORDS * sizeof *mask));
  run(b, "solve/sketch", 64, args, 4);
  GOOD(wisp_device_download(err, b->device, got, out, BUCKETS * sizeof *got));
  for (size_t i = 0; i < BUCKETS; i++) assert_true(fabs(got[i] - expected[i]) < 1e-13);
  wisp_device_free(b->device, in), wisp_device_free(b->device, bits), wisp_device_free(b->device, out);
}

static double kappa_at(double u)
{
  return 1 + u * u;
}

/* With a solution that is known and without, in a step of time and steady. */
static void check_begin(const bench *b)
{
  OWNED(free)
  double *shape = zeros(3 * COUNT), *u = zeros(COUNT), *f = zeros(COUNT), *got = zeros(COUNT);
  double t = 0.4, rate = 2, capacity = 3, source = 0.7;
  const bench doubles = {b->device, WISP_F64};
  wisp_pointer at_shape = reals(&doubles, 3 * COUNT, shape), at_f = on_device(b, COUNT * sizeof *f);
  long long rows = ROWS, nodes = COUNT;
  for (int combination = 0; combination < 4; combination++) {
    int known = combination % 2, steady = combination / 2;
    wisp_pointer at_u = reals(b, COUNT, u);
    void *args[] = {&at_shape, &at_u, &at_f, &t, &rate, &capacity, &source, &known, &steady, &rows, &nodes};
    run(b, "solve/heat_begin", BLOCKS, args, 11);
    read_back(b, at_f, COUNT, f), read_back(b, at_u, COUNT, got);
    for (size_t i = 0; i < COUNT; i++) {
      const double g = shape[i], grown = 1 + t, at = grown * g;
      const double known_source =
          capacity * g - 2 * at * grown * grown * shape[COUNT + i] - kappa_at(at) * grown * shape[2 * COUNT + i];
      near(b, f[i], (known ? known_source : source) + rate * u[i], 20);
      near(b, got[i], i >= ROWS ? (known ? at : g) : steady ? 0 : u[i], 2);
    }
    wisp_device_free(b->device, at_u);
  }
  wisp_device_free(b->device, at_shape), wisp_device_free(b->device, at_f);
}

/* A node whose kappa is none is found, be it fixed, and the first of them; u then stays. */
static void check_residual_and_correct(const bench *b, size_t bad)
{
  OWNED(free) double *F = zeros(COUNT), *Ap = zeros(COUNT), *u = zeros(COUNT), *r = zeros(COUNT);
  double numbers[NUMBERS], factor = 0.9, tolerance = 1e-3, least = 1e-5, whole = 0, left = 0, change = 0, most = 0;
  wisp_pointer at_F = reals(b, ROWS, F), at_Ap = reals(b, ROWS + 1, Ap), at_u = reals(b, COUNT, u);
  wisp_pointer at_r = on_device(b, ROWS * sizeof *r), at_numbers = on_device(b, sizeof numbers);
  wisp_pointer state = on_device(b, 8 * sizeof(double)), passes = on_device(b, sizeof(int));
  long long rows = ROWS, nodes = COUNT;
  int iterations = 77, entries = 8, limit = 5, counted = 0;
  const double none[2] = {NAN, NAN};
  for (size_t i = bad; i < COUNT; i += 5000)
    GOOD(wisp_device_upload(err, b->device, at_u + i * (size_t)b->precision,
                            b->precision == WISP_F32 ? (const void *)&(const float){NAN} : none, (size_t)b->precision));
  void *of_residual[] = {&at_F, &at_Ap, &at_u, &at_r, &at_numbers, &factor, &rows, &nodes};
  run(b, "solve/heat_residual", BLOCKS, of_residual, 8);
  void *of_aim[] = {&at_numbers, &state, &passes, &tolerance, &least, &iterations, &entries, &limit};
  run(b, "solve/heat_aim", 1, of_aim, 8);
  read_back(b, at_r, ROWS, r);
  for (size_t i = 0; i < ROWS; i++) {
    near(b, r[i], factor * F[i] - factor * Ap[i], 2);
    whole += factor * F[i] * factor * F[i];
    left += factor * (F[i] - Ap[i]) * factor * (F[i] - Ap[i]);
  }
  GOOD(wisp_device_download(err, b->device, numbers, at_numbers, sizeof numbers));
  GOOD(wisp_device_download(err, b->device, &counted, passes, sizeof counted));
  assert_true(fabs(numbers[NUMBERS - 3] - whole) < 1e-10 * whole && fabs(numbers[NUMBERS - 2] - left) < 1e-10 * left);
  assert_true(counted == iterations && numbers[NUMBERS - 1] == (double)(bad < COUNT ? bad : COUNT));
  double ends[8];
  read_back(b, state, 8, ends);
  for (int i = 0; i < 8; i++)
    near(b, ends[i], i == limit ? fmax(fmin(tolerance * tolerance * whole, left / 100), least * least * whole) : 0,
         whole);
  void *of_correct[] = {&at_F, &at_u, &at_numbers, &factor, &rows, &nodes};
  run(b, "solve/heat_correct", BLOCKS, of_correct, 6);
  read_back(b, at_u, COUNT, r = realloc(r, COUNT * sizeof *r));
  for (size_t i = 0; i < COUNT; i++) {
    const bool moves = i < ROWS && bad >= COUNT;
    if (bad < COUNT && i >= bad && (i - bad) % 5000 == 0) continue;
    near(b, r[i], moves ? u[i] + F[i] / factor : u[i], 4);
    if (moves) change = fmax(change, fabs(F[i] / factor)), most = fmax(most, fabs(r[i]));
  }
  GOOD(wisp_device_download(err, b->device, numbers, at_numbers, sizeof numbers));
  for (int i = 1; i < BLOCKS && bad >= COUNT; i++)
    numbers[0] = fmax(numbers[0], numbers[2 * i]), numbers[1] = fmax(numbers[1], numbers[2 * i + 1]);
  if (bad >= COUNT) near(b, numbers[0], change, 2), near(b, numbers[1], most, 4);
  const wisp_pointer all[] = {at_F, at_Ap, at_u, at_r, at_numbers, state, passes};
  for (size_t i = 0; i < WISP_COUNT(all); i++) wisp_device_free(b->device, all[i]);
}

TEST(definitions)
{
  const char *name = getenv("WISP_TEST_DEVICE");
  bench b = {.precision = WISP_F64};
  GOOD(wisp_device_open(err, name && *name ? name : "host", &b.device));
  for (int p = 0; p < 2; p++, b.precision = WISP_F32) {
    check_mix(&b);
    check_scale(&b);
    check_spectrum(&b);
    check_begin(&b);
    check_residual_and_correct(&b, COUNT);
    check_residual_and_correct(&b, ROWS + 3);
  }
  wisp_device_close(b.device);
}

TEST(compiled_for_gpus)
{
  static const char *const names[] = {
      "checks/compare",      "checks/probe",   "ceilings/copy",      "ceilings/write", "ceilings/fma",
      "ceilings/additions",  "solve/mix",      "solve/scale",        "solve/sketch",   "solve/heat_begin",
      "solve/heat_residual", "solve/heat_aim", "solve/heat_correct", "solve/source",   "solve/probe",
      "domain/post",         "domain/collect"};
  static const char *const targets[] = {"sm_80", "sm_90", "sm_100"};
  HELD(wisp_text_free) wisp_text compiler = {0};
  if (wisp_nvrtc_compiler(NULL, "sm_90", &compiler) != WISP_OK) skip();
  for (size_t i = 0; i < 6 * WISP_COUNT(names); i++) {
    wisp_limits limits;
    HELD(wisp_text_free) wisp_text source = {0};
    HELD(wisp_binary_free) wisp_binary binary = {0};
    size_t shared = 0;
    GOOD(wisp_target_limits(err, targets[i / 2 % 3], &limits));
    GOOD(wisp_dialect_source(err, names[i / 6], i % 2 ? WISP_F64 : WISP_F32, formulas, limits.kind, limits.gpu, &source,
                             &shared));
    GOOD(wisp_compile(err, limits.target, names[i / 6], source.data, &binary));
    assert_int_equal(binary.usage.spill_bytes, 0);
  }
}
