#include "spmv.h"
#include "cuda_api.h"
#include "parallel.h"
#include "../gen/random.h"

#include <math.h>

enum { PERIOD = 65521, SAMPLE = 64 }; /* random numbers repeat; block rows that errors are taken over */
/* From cusparse.h and library_types.h. */
enum { NOT_TRANSPOSED = 0, INDEX_32 = 2, BASE_0 = 0, R_32F = 0, R_64F = 1, ROW_ORDER = 2 };
static const int algorithms[WISP_SPMV_FORMATS] = {2, 3, 6};

struct wisp_spmv {
  wisp_device *device;
  wisp_spmv_format format;
  wisp_precision precision;
  int size;
  size_t rows, columns, blocks;
  double random[PERIOD];
  wisp_pointer start, column, values, x, y, buffer;
  wisp_cusparse_api api;
  void *handle, *matrix, *from, *to; /* NULL on the host */
};

/* --- numbers --- */

/* Entry (i, j) of a block. */
static double block_entry(const wisp_spmv *s, size_t block, size_t i, size_t j)
{
  const size_t n = (size_t)s->size;
  return s->random[((block * n + i) * n + j) % PERIOD];
}

/* By rows of numbers, or block by block. */
typedef struct filling {
  const wisp_spmv *s;
  const wisp_block_rows *pattern;
  void *values;
  int32_t *start, *column;
} filling;

static void set_number(const wisp_spmv *s, double value, void *to, size_t i)
{
  if (s->precision == WISP_F32)
    ((float *)to)[i] = (float)value;
  else
    ((double *)to)[i] = value;
}

/* A wisp_sweep over block rows. */
static void fill_rows(void *context, size_t from, size_t to)
{
  const filling *f = context;
  const bool blocked = f->s->format == WISP_SPMV_BLOCKS;
  const size_t n = (size_t)f->s->size;
  for (size_t row = from; row < to; row++) {
    const size_t first = (size_t)f->pattern->start[row], count = (size_t)f->pattern->start[row + 1] - first;
    for (size_t i = 0; i < n; i++) {
      const size_t line = first * n * n + i * count * n;
      if (!blocked) f->start[row * n + i] = (int32_t)line;
      for (size_t q = 0; q < count; q++)
        for (size_t j = 0; j < n; j++) {
          const size_t at = blocked ? ((first + q) * n + i) * n + j : line + q * n + j;
          set_number(f->s, block_entry(f->s, first + q, i, j), f->values, at);
          if (!blocked) f->column[at] = f->pattern->column[first + q] * (int32_t)n + (int32_t)j;
        }
    }
  }
}

static wisp_status upload_copy(wisp_error *err, const wisp_spmv *s, const void *from, size_t bytes, wisp_pointer *to)
{
  CALL(wisp_device_alloc(err, s->device, bytes, to));
  return wisp_device_upload(err, s->device, *to, from, bytes);
}

static wisp_status take_memory(wisp_error *err, wisp_spmv *s, const wisp_block_rows *p)
{
  const bool blocked = s->format == WISP_SPMV_BLOCKS;
  const size_t n = (size_t)s->size, numbers = s->blocks * n * n, number = (size_t)s->precision;
  OWNED(free) int32_t *start = NULL, *column = NULL;
  OWNED(free) void *values = NULL;
  CALL(wisp_new(err, (s->columns * n > numbers ? s->columns * n : numbers), number, &values));
  CALL(wisp_new(err, s->rows * n + 1, sizeof *start, &start));
  CALL(wisp_new(err, blocked ? 0 : numbers, sizeof *column, &column));
  wisp_parallel_for(s->rows, fill_rows, &(filling){s, p, values, start, column});
  start[s->rows * n] = (int32_t)numbers;
  CALL(upload_copy(err, s, values, numbers * number, &s->values));
  CALL(upload_copy(err, s, blocked ? p->start : start, (s->rows * (blocked ? 1 : n) + 1) * sizeof *start, &s->start));
  CALL(upload_copy(err, s, blocked ? p->column : column, (blocked ? s->blocks : numbers) * sizeof *column, &s->column));
  for (size_t i = 0; i < s->columns * n; i++) set_number(s, s->random[i % PERIOD], values, i);
  CALL(upload_copy(err, s, values, s->columns * n * number, &s->x));
  return wisp_device_alloc(err, s->device, s->rows * n * number, &s->y);
}

/* --- cuSPARSE --- */

static const float ones[2] = {0, 1};
static const double ones_d[2] = {0, 1};

static const void *constant(const wisp_spmv *s, int which)
{
  return s->precision == WISP_F32 ? (const void *)&ones[which] : &ones_d[which];
}

static wisp_status check_cusparse(wisp_error *err, int result, const char *what)
{
  return wisp_require(err, result == 0, WISP_EREFUSED, "cusparse: %s fails with status %d", what, result);
}

static wisp_status describe_product(wisp_error *err, wisp_spmv *s, void *stream)
{
  const int type = s->precision == WISP_F32 ? R_32F : R_64F;
  const int64_t n = s->size, rows = (int64_t)s->rows, columns = (int64_t)s->columns, blocks = (int64_t)s->blocks;
  const bool blocked = s->format == WISP_SPMV_BLOCKS;
  size_t bytes = 0;
  CALL(check_cusparse(err, s->api.cusparseCreate(&s->handle), "beginning"));
  CALL(check_cusparse(err, s->api.cusparseSetStream(s->handle, stream), "taking a stream"));
  CALL(wisp_require(err, !blocked || s->api.cusparseCreateBsr, WISP_EREFUSED, "this cuSPARSE has no rows of blocks"));
  CALL(check_cusparse(err,
                      blocked ? s->api.cusparseCreateBsr(&s->matrix, rows, columns, blocks, n, n, s->start, s->column,
                                                         s->values, INDEX_32, INDEX_32, BASE_0, type, ROW_ORDER)
                              : s->api.cusparseCreateCsr(&s->matrix, rows * n, columns * n, blocks * n * n, s->start,
                                                         s->column, s->values, INDEX_32, INDEX_32, BASE_0, type),
                      "describing the matrix"));
  CALL(check_cusparse(err, s->api.cusparseCreateDnVec(&s->from, columns * n, s->x, type), "describing x"));
  CALL(check_cusparse(err, s->api.cusparseCreateDnVec(&s->to, rows * n, s->y, type), "describing y"));
  CALL(check_cusparse(err,
                      s->api.cusparseSpMV_bufferSize(s->handle, NOT_TRANSPOSED, constant(s, 1), s->matrix, s->from,
                                                     constant(s, 0), s->to, type, algorithms[s->format], &bytes),
                      "asking for room"));
  CALL(wisp_device_alloc(err, s->device, bytes + 16, &s->buffer));
  if (!s->api.cusparseSpMV_preprocess) return WISP_OK;
  return check_cusparse(err,
                        s->api.cusparseSpMV_preprocess(s->handle, NOT_TRANSPOSED, constant(s, 1), s->matrix, s->from,
                                                       constant(s, 0), s->to, type, algorithms[s->format], s->buffer),
                        "preparing");
}

/* --- the host --- */

/* A wisp_sweep over rows of numbers. */
static void host_rows(void *context, size_t from, size_t to)
{
  const wisp_spmv *s = context;
  const int32_t *start = (const int32_t *)(uintptr_t)s->start, *column = (const int32_t *)(uintptr_t)s->column;
  const double *values = (const double *)(uintptr_t)s->values, *x = (const double *)(uintptr_t)s->x;
  const float *single = (const float *)(uintptr_t)s->values, *x_single = (const float *)(uintptr_t)s->x;
  for (size_t row = from; row < to; row++) {
    double sum = 0;
    float sum_single = 0;
    for (int32_t i = start[row]; i < start[row + 1] && s->precision == WISP_F64; i++) sum += values[i] * x[column[i]];
    for (int32_t i = start[row]; i < start[row + 1] && s->precision == WISP_F32; i++)
      sum_single += single[i] * x_single[column[i]];
    set_number(s, s->precision == WISP_F64 ? sum : (double)sum_single, (void *)(uintptr_t)s->y, row);
  }
}

/* --- the interface --- */

void wisp_spmv_destroy(wisp_spmv *s)
{
  if (!s) return;
  const wisp_pointer all[] = {s->start, s->column, s->values, s->x, s->y, s->buffer};
  for (size_t i = 0; i < WISP_COUNT(all); i++)
    if (all[i]) wisp_device_free(s->device, all[i]);
  if (s->matrix) s->api.cusparseDestroySpMat(s->matrix);
  if (s->from) s->api.cusparseDestroyDnVec(s->from);
  if (s->to) s->api.cusparseDestroyDnVec(s->to);
  if (s->handle) s->api.cusparseDestroy(s->handle);
  free(s);
}

wisp_status wisp_spmv_create(wisp_error *err, wisp_device *device, const wisp_block_rows *p, wisp_precision precision,
                             wisp_spmv_format format, wisp_spmv **out)
{
  OWNED(wisp_spmv_destroy) wisp_spmv *s = NULL;
  uint64_t state = WISP_RANDOM_SEED;
  void *stream = NULL;
  const size_t blocks = (size_t)p->start[p->rows], numbers = blocks * (size_t)p->size * (size_t)p->size;
  CALL(wisp_require(err, numbers <= INT32_MAX, WISP_EREFUSED, "%zu numbers are more than 31 bits count", numbers));
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->device = device, s->format = format, s->precision = precision, s->size = p->size;
  s->rows = p->rows, s->columns = p->columns, s->blocks = blocks;
  for (size_t i = 0; i < PERIOD; i++) s->random[i] = wisp_random_real(&state);
  CALL(wisp_device_stream(err, device, &stream));
  CALL(wisp_require(err, stream || format == WISP_SPMV_NUMBERS, WISP_EREFUSED, "the host has rows of numbers alone"));
  if (stream) CALL(wisp_cusparse_api_open(err, &s->api));
  CALL(take_memory(err, s, p));
  if (stream) CALL(describe_product(err, s, stream));
  return GIVE(s, out);
}

const char *wisp_spmv_name(const wisp_spmv *s)
{
  static const char *const names[WISP_SPMV_FORMATS] = {"cuSPARSE: CSR", "cuSPARSE: CSR, reproducible", "cuSPARSE: BSR"};
  return s->handle ? names[s->format] : "loops over CSR";
}

wisp_status wisp_spmv_run(wisp_error *err, const void *spmv)
{
  const wisp_spmv *s = spmv;
  if (s->handle)
    return check_cusparse(err,
                          s->api.cusparseSpMV(s->handle, NOT_TRANSPOSED, constant(s, 1), s->matrix, s->from,
                                              constant(s, 0), s->to, s->precision == WISP_F32 ? R_32F : R_64F,
                                              algorithms[s->format], s->buffer),
                          "the product");
  wisp_parallel_for(s->rows * (size_t)s->size, host_rows, (void *)(uintptr_t)s);
  return WISP_OK;
}

wisp_status wisp_spmv_error(wisp_error *err, wisp_spmv *s, const wisp_block_rows *p, double *error)
{
  const size_t n = (size_t)s->size, rows = s->rows < SAMPLE ? s->rows : SAMPLE, number = (size_t)s->precision;
  OWNED(free) void *y = NULL;
  double worst = 0, largest = 0;
  CALL(wisp_new(err, rows * n, number, &y));
  CALL(wisp_device_fill(err, s->device, s->y, 0xff, rows * n * number));
  CALL(wisp_spmv_run(err, s));
  CALL(wisp_device_download(err, s->device, y, s->y, rows * n * number));
  for (size_t i = 0; i < rows * n; i++) {
    double sum = 0;
    for (int32_t q = p->start[i / n]; q < p->start[i / n + 1]; q++)
      for (size_t j = 0; j < n; j++)
        sum += block_entry(s, (size_t)q, i % n, j) * s->random[((size_t)p->column[q] * n + j) % PERIOD];
    const double off = fabs((s->precision == WISP_F32 ? (double)((float *)y)[i] : ((double *)y)[i]) - sum);
    worst = isfinite(off) ? fmax(worst, off) : INFINITY, largest = fmax(largest, fabs(sum));
  }
  *error = worst / largest;
  return WISP_OK;
}
