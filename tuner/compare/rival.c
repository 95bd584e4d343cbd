/* A dense product set up for timing: matrices in double become the library's, as they are and transposed. */
#include "rival.h"
#include "../trial/measure.h"
#include "../../gen/random.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERIOD = 1 << 16, SAMPLE = 64 }; /* random numbers repeat; columns that errors are taken over */
static const double TOLERATED = 4, EPSILONS = 64;

struct wisp_rival {
  wisp_device *device;
  wisp_blas *blas;
  wisp_product product; /* A is A or its transpose, as the method wants it */
  wisp_pointer A[2], B, C;
  double *matrix; /* A, row major, as rounded to the precision */
  const wisp_blas_variant *method;
  double error;
  char name[96];
};

static size_t bytes_of(const wisp_rival *r, size_t numbers)
{
  return numbers * (size_t)r->product.precision;
}

static void put(const wisp_rival *r, double value, void *to, size_t i)
{
  if (r->product.precision == WISP_F32)
    ((float *)to)[i] = (float)value;
  else
    ((double *)to)[i] = value;
}

static void select_method(wisp_rival *r, const wisp_blas_variant *method, double error)
{
  r->method = method;
  r->error = error;
  r->product.A = r->A[method->transposed];
  r->product.B = r->B;
  r->product.C = r->C;
  snprintf(r->name, sizeof r->name, *method->name ? "%s (%s)" : "%s", wisp_blas_name(r->blas), method->name);
}

/* Column-major A, and its transpose, which is the row-major matrix as it stands. */
static wisp_status upload_matrix(wisp_error *err, wisp_rival *r)
{
  size_t m = (size_t)r->product.m, k = (size_t)r->product.k;
  OWNED(free) void *numbers = NULL;
  CALL(wisp_new(err, m * k, sizeof(double), &numbers));
  for (int transposed = 0; transposed < 2; transposed++) {
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < k; j++) put(r, r->matrix[i * k + j], numbers, transposed ? i * k + j : j * m + i);
    CALL(wisp_device_alloc(err, r->device, bytes_of(r, m * k), &r->A[transposed]));
    CALL(wisp_device_upload(err, r->device, r->A[transposed], numbers, bytes_of(r, m * k)));
  }
  return WISP_OK;
}

/* The first PERIOD numbers of the operand. */
static void random_numbers(double numbers[PERIOD])
{
  uint64_t state = WISP_RANDOM_SEED;
  for (size_t i = 0; i < PERIOD; i++) numbers[i] = wisp_random_real(&state);
}

/* Random numbers, over and over. */
static wisp_status upload_operand(wisp_error *err, wisp_rival *r)
{
  const size_t count = (size_t)r->product.k * (size_t)r->product.n;
  OWNED(free) double *numbers = NULL;
  OWNED(free) void *chunk = NULL;
  CALL(wisp_new(err, PERIOD, sizeof *numbers, &numbers));
  CALL(wisp_new(err, PERIOD, sizeof(double), &chunk));
  random_numbers(numbers);
  for (size_t i = 0; i < PERIOD; i++) put(r, numbers[i], chunk, i);
  for (size_t from = 0; from < count; from += PERIOD) {
    const size_t part = count - from < PERIOD ? count - from : PERIOD;
    CALL(wisp_device_upload(err, r->device, r->B + bytes_of(r, from), chunk, bytes_of(r, part)));
  }
  return WISP_OK;
}

static void destroy(void *rival)
{
  wisp_rival *r = rival;
  if (!r) return;
  const wisp_pointer arrays[] = {r->A[0], r->A[1], r->B, r->C};
  for (size_t i = 0; i < WISP_COUNT(arrays); i++)
    if (arrays[i]) wisp_device_free(r->device, arrays[i]);
  free(r->matrix);
  free(r);
}

WISP_OWNED(wisp_rival, destroy)

/* columns: of all elements. */
static wisp_status create(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_dense *dense,
                          wisp_precision precision, size_t columns, wisp_rival **out)
{
  OWNED(destroy) wisp_rival *r = NULL;
  const int m = dense->m, k = dense->k;
  CALL(wisp_require(err, columns > 0 && columns <= INT_MAX, WISP_EUSAGE,
                    "a product of %zu columns: must be from 1 to %d", columns, INT_MAX));
  CALL(wisp_new(err, 1, sizeof *r, &r));
  r->device = device;
  r->blas = blas;
  r->product = (wisp_product){.m = m, .n = (int)columns, .k = k, .precision = precision};
  CALL(wisp_new(err, (size_t)m * (size_t)k, sizeof *r->matrix, &r->matrix));
  for (size_t i = 0; i < (size_t)m * (size_t)k; i++)
    r->matrix[i] = precision == WISP_F32 ? (double)(float)dense->matrix[i] : dense->matrix[i];
  CALL(upload_matrix(err, r));
  CALL(wisp_device_alloc(err, device, bytes_of(r, (size_t)k * columns), &r->B));
  CALL(wisp_device_alloc(err, device, bytes_of(r, (size_t)m * columns), &r->C));
  CALL(upload_operand(err, r));
  for (int w = WISP_BLAS_VARIANTS - 1; w >= 0; w--)
    if (wisp_blas_variants[w].precision == precision) select_method(r, &wisp_blas_variants[w], NAN);
  return GIVE(r, out);
}

/* One product, enqueued. */
static wisp_status multiply(wisp_error *err, const void *rival)
{
  const wisp_rival *r = rival;
  return wisp_blas_multiply(err, r->blas, &r->product, r->method);
}

/* The largest error of the method in use over the first columns, relative to the largest entry of the exact product.
 * The result is spoilt first, so that a method that does nothing is not taken for a right one. */
static wisp_status sample_error(wisp_error *err, wisp_rival *r, double *out)
{
  size_t m = (size_t)r->product.m, k = (size_t)r->product.k, n = (size_t)r->product.n;
  size_t columns = n < SAMPLE ? n : SAMPLE;
  OWNED(free) double *B = NULL;
  double worst = 0, largest = 0;
  OWNED(free) void *C = NULL;
  CALL(wisp_new(err, PERIOD, sizeof *B, &B));
  CALL(wisp_new(err, columns * m, sizeof(double), &C));
  random_numbers(B);
  CALL(wisp_device_fill(err, r->device, r->C, 0xff, bytes_of(r, columns * m)));
  CALL(multiply(err, r));
  CALL(wisp_device_download(err, r->device, C, r->C, bytes_of(r, columns * m)));
  for (size_t c = 0; c < columns; c++)
    for (size_t i = 0; i < m; i++) {
      double exact = 0;
      for (size_t j = 0; j < k; j++) exact += r->matrix[i * k + j] * B[(c * k + j) % PERIOD];
      const size_t at = c * m + i;
      const double got = r->product.precision == WISP_F32 ? (double)((const float *)C)[at] : ((const double *)C)[at];
      const double error = fabs(got - exact);
      worst = isfinite(error) ? fmax(worst, error) : INFINITY;
      largest = fmax(largest, fabs(exact));
    }
  *out = worst / largest;
  return WISP_OK;
}

/* Takes the fastest of the library's ways whose largest error on a sample, against double, is at most 4 times that of
 * its plain one. WISP_EWRONG where the plain one itself is wrong. */
static wisp_status choose(wisp_error *err, wisp_rival *r)
{
  const wisp_blas_variant *best = NULL;
  double reference = 0, best_ms = 0, best_error = 0;
  double epsilon = r->product.precision == WISP_F32 ? 0x1p-23 : 0x1p-52;
  for (int w = 0; w < WISP_BLAS_VARIANTS; w++) {
    wisp_contender timed = {.run = multiply, .context = r};
    double error = 0;
    if (wisp_blas_variants[w].precision != r->product.precision) continue;
    select_method(r, &wisp_blas_variants[w], NAN);
    const wisp_status status = sample_error(err, r, &error);
    if (status == WISP_EREFUSED && best) continue; /* this library does not have it */
    CALL(status);
    if (!best) reference = error;
    CALL(wisp_require(err, reference < EPSILONS * epsilon, WISP_EWRONG, "%s: the product is wrong by %g", r->name,
                      reference));
    if (!(error <= fmax(TOLERATED * reference, epsilon))) continue;
    CALL(wisp_probe(err, r->device, &timed));
    if (best && timed.ms >= best_ms) continue;
    best = r->method;
    best_ms = timed.ms;
    best_error = error;
  }
  select_method(r, best, best_error);
  return WISP_OK;
}

const wisp_product *wisp_rival_product(const wisp_rival *r)
{
  return &r->product;
}

wisp_status wisp_rival_yardstick(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_dense *dense,
                                 wisp_precision precision, long long count, wisp_yardstick *out)
{
  OWNED(destroy) wisp_rival *rival = NULL;
  const size_t columns = (size_t)count * (size_t)dense->columns;
  CALL(create(err, device, blas, dense, precision, columns, &rival));
  CALL(choose(err, rival));
  *out = (wisp_yardstick){.run = multiply, .destroy = destroy, .context = rival, .error = rival->error};
  snprintf(out->name, sizeof out->name, "%s", rival->name);
  rival = NULL;
  return WISP_OK;
}
