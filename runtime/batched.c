#include "batched.h"
#include "cuda_api.h"
#include "../gen/lapack.h"

/* From cublas_api.h. */
enum { OP_N = 0, OP_T = 1, LOWER = 0, LEFT = 0, NON_UNIT = 0, DEFAULT_MATH = 0 };

typedef struct routines {
  int (*gemm)(void *, int, int, int, int, int, const void *, uint64_t, int, uint64_t, int, const void *, uint64_t, int);
  int (*multiply)(void *, int, int, int, int, int, const void *, uint64_t, int, long long, uint64_t, int, long long,
                  const void *, uint64_t, int, long long, int);
  int (*solve)(void *, int, int, int, int, int, int, const void *, uint64_t, int, uint64_t, int, int);
  int (*factor)(void *, int, int, uint64_t, int, uint64_t, int);
  int (*split)(void *, int, uint64_t, int, uint64_t, uint64_t, int);
  int (*invert)(void *, int, uint64_t, int, uint64_t, uint64_t, int, uint64_t, int);
} routines;

struct wisp_batched {
  wisp_device *device;
  wisp_batched_method method;
  wisp_precision precision;
  int inner, outer, terms;
  size_t count, part, width, scratch; /* part: matrices at a time; width: numbers of one; scratch: besides */
  wisp_pointer table, factors, matrices, inverses, pivots, info;
  wisp_pointer at_S, at_Z, at_R; /* their addresses, matrix by matrix */
  wisp_cublas_api blas;
  wisp_cusolver_api solver;
  routines of;
  void *handle, *solver_handle; /* NULL on the host */
};

/* --- memory --- */

static wisp_status upload_reals(wisp_error *err, const wisp_batched *b, const double *from, size_t count,
                                wisp_pointer *to)
{
  OWNED(free) float *single = NULL;
  const void *bytes = from;
  if (b->precision == WISP_F32) {
    CALL(wisp_new(err, count, sizeof *single, &single));
    for (size_t i = 0; i < count; i++) single[i] = (float)from[i];
    bytes = single;
  }
  CALL(wisp_device_alloc(err, b->device, count * (size_t)b->precision, to));
  return wisp_device_upload(err, b->device, *to, bytes, count * (size_t)b->precision);
}

static wisp_status list_addresses(wisp_error *err, const wisp_batched *b, wisp_pointer start, size_t step,
                                  wisp_pointer *out)
{
  OWNED(free) uint64_t *at = NULL;
  CALL(wisp_new(err, b->part, sizeof *at, &at));
  for (size_t i = 0; i < b->part; i++) at[i] = start + i * step * (size_t)b->precision;
  CALL(wisp_device_alloc(err, b->device, b->part * sizeof *at, out));
  return wisp_device_upload(err, b->device, *out, at, b->part * sizeof *at);
}

static wisp_status take_memory(wisp_error *err, wisp_batched *b, const wisp_bordered *m)
{
  static const double most = 8e9; /* bytes of matrices at a time */
  const size_t inner = (size_t)b->inner, number = (size_t)b->precision;
  const double bytes = (double)(b->width + b->scratch) * (double)number;
  b->part = (double)b->count * bytes > most ? (size_t)(most / bytes) : b->count;
  CALL(upload_reals(err, b, m->table, (size_t)b->terms * b->width, &b->table));
  CALL(upload_reals(err, b, m->factors, (size_t)b->terms * b->count, &b->factors));
  CALL(wisp_device_alloc(err, b->device, b->part * b->width * number, &b->matrices));
  CALL(list_addresses(err, b, b->matrices, b->width, &b->at_S));
  CALL(list_addresses(err, b, b->matrices + inner * inner * number, b->width, &b->at_R));
  CALL(wisp_device_alloc(err, b->device, b->part * sizeof(int), &b->info));
  if (!b->scratch) return WISP_OK;
  CALL(wisp_device_alloc(err, b->device, b->part * b->scratch * number, &b->inverses));
  CALL(wisp_device_alloc(err, b->device, b->part * inner * sizeof(int), &b->pivots));
  return list_addresses(err, b, b->inverses, b->scratch, &b->at_Z);
}

/* --- on a GPU --- */

#define TAKE(S, potrf)                                                                                 \
  (routines)                                                                                           \
  {                                                                                                    \
    b->blas.cublas##S##gemm_v2, b->blas.cublas##S##gemmStridedBatched, b->blas.cublas##S##trsmBatched, \
        b->solver.potrf, b->blas.cublas##S##getrfBatched, b->blas.cublas##S##getriBatched              \
  }

static wisp_status open_libraries(wisp_error *err, wisp_batched *b, void *stream)
{
  CALL(wisp_cublas_api_open(err, &b->blas));
  CALL(wisp_cusolver_api_open(err, &b->solver));
  CALL(wisp_require(err, b->blas.cublasCreate_v2(&b->handle) == 0, WISP_EDEVICE, "cublas: it does not begin"));
  CALL(wisp_require(err, b->solver.cusolverDnCreate(&b->solver_handle) == 0, WISP_EDEVICE,
                    "cusolver: it does not begin"));
  b->blas.cublasSetStream_v2(b->handle, stream);
  b->blas.cublasSetMathMode(b->handle, DEFAULT_MATH);
  b->solver.cusolverDnSetStream(b->solver_handle, stream);
  b->of = b->precision == WISP_F32 ? TAKE(S, cusolverDnSpotrfBatched) : TAKE(D, cusolverDnDpotrfBatched);
  return WISP_OK;
}

static wisp_status check_batched(wisp_error *err, int result, const char *what)
{
  return wisp_require(err, result == 0, WISP_EDEVICE, "the batched %s fails with status %d", what, result);
}

static wisp_status run_part(wisp_error *err, const wisp_batched *b, size_t first, int count)
{
  static const float ones[3] = {0, 1, -1};
  static const double ones_d[3] = {0, 1, -1};
  const bool single = b->precision == WISP_F32;
  const void *const none = single ? (const void *)&ones[0] : &ones_d[0],
                    *const one = single ? (const void *)&ones[1] : &ones_d[1],
                    *const minus = single ? (const void *)&ones[2] : &ones_d[2];
  const int Np = b->inner, m = b->outer, width = (int)b->width;
  const size_t number = (size_t)b->precision;
  const long long stride = (long long)b->width, squares = (long long)Np * Np;
  const wisp_pointer R = b->matrices + (size_t)squares * number, K = R + (size_t)(Np * m) * number;
  const wisp_pointer factors = b->factors + first * (size_t)b->terms * number;
  CALL(check_batched(err,
                     b->of.gemm(b->handle, OP_N, OP_N, width, count, b->terms, one, b->table, width, factors, b->terms,
                                none, b->matrices, width),
                     "gemm"));
  if (b->method == WISP_BATCHED_FACTOR) {
    CALL(check_batched(err, b->of.factor(b->solver_handle, LOWER, Np, b->at_S, Np, b->info, count), "potrf"));
    CALL(check_batched(
        err, b->of.solve(b->handle, LEFT, LOWER, OP_N, NON_UNIT, Np, m, one, b->at_S, Np, b->at_R, Np, count), "trsm"));
    return check_batched(
        err,
        b->of.multiply(b->handle, OP_T, OP_N, m, m, Np, minus, R, Np, stride, R, Np, stride, one, K, m, stride, count),
        "gemm");
  }
  const wisp_pointer U = b->inverses + (size_t)squares * number;
  const long long apart = (long long)b->scratch;
  CALL(check_batched(err, b->of.split(b->handle, Np, b->at_S, Np, b->pivots, b->info, count), "getrf"));
  CALL(check_batched(err, b->of.invert(b->handle, Np, b->at_S, Np, b->pivots, b->at_Z, Np, b->info, count), "getri"));
  CALL(check_batched(err,
                     b->of.multiply(b->handle, OP_N, OP_N, Np, m, Np, one, b->inverses, Np, apart, R, Np, stride, none,
                                    U, Np, apart, count),
                     "gemm"));
  return check_batched(
      err,
      b->of.multiply(b->handle, OP_T, OP_N, m, m, Np, minus, R, Np, stride, U, Np, apart, one, K, m, stride, count),
      "gemm");
}

/* --- on the host, in double alone --- */

static wisp_status host_part(wisp_error *err, const wisp_batched *b, size_t first, int count)
{
  static const double none = 0, one = 1, minus = -1;
  const int Np = b->inner, m = b->outer, width = (int)b->width;
  const double *factors = (const double *)(uintptr_t)b->factors + first * (size_t)b->terms;
  const wisp_lapack *lapack = NULL;
  CALL(wisp_lapack_load(err, &lapack));
  double *matrices = (double *)(uintptr_t)b->matrices;
  lapack->dgemm("N", "N", &width, &count, &b->terms, &one, (const double *)(uintptr_t)b->table, &width, factors,
                &b->terms, &none, matrices, &width);
  for (size_t i = 0; i < (size_t)count; i++) {
    double *S = matrices + i * b->width, *R = S + Np * Np, *K = R + Np * m;
    int info = 0, *pivots = (int *)(uintptr_t)b->pivots + i * (size_t)Np;
    if (b->method == WISP_BATCHED_FACTOR) {
      info = (int)lapack->dpotrf(LAPACK_COL_MAJOR, 'L', Np, S, Np);
      lapack->dtrsm("L", "L", "N", "N", &Np, &m, &one, S, &Np, R, &Np);
      lapack->dgemm("T", "N", &m, &m, &Np, &minus, R, &Np, R, &Np, &one, K, &m);
    } else {
      double *Z = (double *)(uintptr_t)b->inverses + i * b->scratch, *U = Z + Np * Np;
      memcpy(Z, S, (size_t)(Np * Np) * sizeof *Z);
      info = (int)lapack->dgetrf(LAPACK_COL_MAJOR, Np, Np, Z, Np, pivots);
      if (!info) info = (int)lapack->dgetri(LAPACK_COL_MAJOR, Np, Z, Np, pivots);
      lapack->dgemm("N", "N", &Np, &m, &Np, &one, Z, &Np, R, &Np, &none, U, &Np);
      lapack->dgemm("T", "N", &m, &m, &Np, &minus, R, &Np, U, &Np, &one, K, &m);
    }
    CALL(wisp_require(err, info == 0, WISP_EWRONG, "matrix %zu of a batch is singular to rounding", i));
  }
  return WISP_OK;
}

/* --- the interface --- */

void wisp_batched_destroy(wisp_batched *b)
{
  if (!b) return;
  const wisp_pointer all[] = {b->table, b->factors, b->matrices, b->inverses, b->pivots,
                              b->info,  b->at_S,    b->at_Z,     b->at_R};
  for (size_t i = 0; i < WISP_COUNT(all); i++)
    if (all[i]) wisp_device_free(b->device, all[i]);
  if (b->handle) b->blas.cublasDestroy_v2(b->handle);
  if (b->solver_handle) b->solver.cusolverDnDestroy(b->solver_handle);
  free(b);
}

wisp_status wisp_batched_create(wisp_error *err, wisp_device *device, const wisp_bordered *m,
                                wisp_batched_method method, wisp_batched **out)
{
  OWNED(wisp_batched_destroy) wisp_batched *b = NULL;
  const size_t inner = (size_t)m->inner, outer = (size_t)m->outer;
  void *stream = NULL;
  CALL(wisp_new(err, 1, sizeof *b, &b));
  *b = (wisp_batched){.device = device,
                      .method = method,
                      .precision = m->precision,
                      .inner = m->inner,
                      .outer = m->outer,
                      .terms = m->terms,
                      .count = m->count,
                      .width = inner * inner + inner * outer + outer * outer,
                      .scratch = method == WISP_BATCHED_INVERT ? inner * inner + inner * outer : 0};
  CALL(wisp_device_stream(err, device, &stream));
  CALL(wisp_require(err, stream || m->precision == WISP_F64, WISP_EREFUSED,
                    "the host's batches are in double precision"));
  if (stream) CALL(open_libraries(err, b, stream));
  CALL(take_memory(err, b, m));
  return GIVE(b, out);
}

const char *wisp_batched_name(const wisp_batched *b)
{
  static const char *const names[2][WISP_BATCHED_METHODS] = {
      {"LAPACK: gemm, potrf, trsm, gemm", "LAPACK: gemm, getrf, getri, gemm, gemm"},
      {"cuBLAS, cuSOLVER: gemm, potrf, trsm, gemm", "cuBLAS: gemm, getrf, getri, gemm, gemm"}};
  return names[b->handle != NULL][b->method];
}

wisp_status wisp_batched_run(wisp_error *err, const void *batched)
{
  const wisp_batched *b = batched;
  for (size_t first = 0; first < b->count; first += b->part) {
    const int count = (int)(b->count - first < b->part ? b->count - first : b->part);
    CALL(b->handle ? run_part(err, b, first, count) : host_part(err, b, first, count));
  }
  return WISP_OK;
}

wisp_status wisp_batched_last(wisp_error *err, wisp_batched *b, size_t count, size_t *first, double *K)
{
  const size_t outer = (size_t)b->outer, size = outer * outer, number = (size_t)b->precision;
  OWNED(free) float *single = NULL;
  *first = (b->count - 1) / b->part * b->part;
  CALL(wisp_new(err, size, sizeof *single, &single));
  for (size_t i = 0; i < count && *first + i < b->count; i++) {
    const wisp_pointer from = b->matrices + ((i + 1) * b->width - size) * number;
    CALL(wisp_device_download(err, b->device, b->precision == WISP_F32 ? (void *)single : K + i * size, from,
                              size * number));
    for (size_t q = 0; q < size && b->precision == WISP_F32; q++) K[i * size + q] = (double)single[q];
  }
  return WISP_OK;
}
