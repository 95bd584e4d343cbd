/* Two libraries of dense algebra: cuBLAS, opened at run time, and the BLAS that wisp is linked to. */
#include "blas.h"
#include "cuda_api.h"
#include "../gen/lapack.h"

#include <dlfcn.h>

/* From cublas_api.h and library_types.h. */
enum {
  STATUS_ALLOC_FAILED = 3,
  OP_N = 0,
  OP_T = 1,
  DEFAULT_MATH = 0, /* single precision in single precision: no TF32 */
  R_32F = 0,
  R_64F = 1,
  COMPUTE_32F_EMULATED_16BFX9 = 78,
  COMPUTE_64F_EMULATED_FIXEDPOINT = 79,
  ALGORITHM_DEFAULT = -1
};

/* Emulations that claim the accuracy of the plain routine; whether they have it is for the caller to measure. */
const wisp_blas_variant wisp_blas_variants[WISP_BLAS_VARIANTS] = {
    {"", WISP_F32, false, 0},
    {"A transposed", WISP_F32, true, 0},
    {"BF16x9", WISP_F32, false, COMPUTE_32F_EMULATED_16BFX9},
    {"BF16x9, A transposed", WISP_F32, true, COMPUTE_32F_EMULATED_16BFX9},
    {"", WISP_F64, false, 0},
    {"A transposed", WISP_F64, true, 0},
    {"fixed point", WISP_F64, false, COMPUTE_64F_EMULATED_FIXEDPOINT},
    {"fixed point, A transposed", WISP_F64, true, COMPUTE_64F_EMULATED_FIXEDPOINT},
};

struct wisp_blas {
  wisp_device *device;
  char name[80];
  wisp_cublas_api api;
  void *handle; /* NULL on the host */
};

/* ---- The host's BLAS. */

/* "OpenBLAS 0.3.21 ..." to the second space. A library that does not say who it is is called by its file; systems call
 * the reference BLAS libblas.so. */
static wisp_status host_name(wisp_error *err, wisp_blas *blas)
{
  const wisp_lapack *lapack = NULL;
  void *symbol = NULL;
  Dl_info where = {.dli_fname = NULL};
  CALL(wisp_lapack_load(err, &lapack));
  if (lapack->openblas_config) {
    const char *text = lapack->openblas_config(), *space = strchr(text, ' ');
    const size_t length = space ? (size_t)(space - text) + 1 + strcspn(space + 1, " ") : strlen(text);
    snprintf(blas->name, sizeof blas->name, "%.*s", (int)length, text);
    return WISP_OK;
  }
  memcpy(&symbol, &lapack->sgemm, sizeof symbol);
  OWNED(free) char *real = dladdr(symbol, &where) && where.dli_fname ? realpath(where.dli_fname, NULL) : NULL;
  const char *slash = real ? strrchr(real, '/') : NULL, *file = slash ? slash + 1 : "BLAS";
  snprintf(blas->name, sizeof blas->name, "%s%s", strncmp(file, "libblas.so", 10) == 0 ? WISP_REFERENCE_BLAS ", " : "",
           file);
  return WISP_OK;
}

static wisp_status host_multiply(wisp_error *err, const wisp_product *p, const wisp_blas_variant *variant)
{
  const float one = 1, zero = 0;
  const double one_d = 1, zero_d = 0;
  const char *transpose = variant->transposed ? "T" : "N";
  const int lda = variant->transposed ? p->k : p->m;
  const void *A = (const void *)(uintptr_t)p->A, *B = (const void *)(uintptr_t)p->B;
  void *C = (void *)(uintptr_t)p->C;
  const wisp_lapack *lapack = NULL;
  CALL(wisp_lapack_load(err, &lapack));
  if (variant->compute) return wisp_fail(err, WISP_EREFUSED, "the host's BLAS has no %s", variant->name);
  if (p->precision == WISP_F32)
    lapack->sgemm(transpose, "N", &p->m, &p->n, &p->k, &one, A, &lda, B, &p->k, &zero, C, &p->m);
  else
    lapack->dgemm(transpose, "N", &p->m, &p->n, &p->k, &one_d, A, &lda, B, &p->k, &zero_d, C, &p->m);
  return WISP_OK;
}

/* ---- cuBLAS. */

static wisp_status check_cublas(wisp_error *err, int result, const char *what)
{
  return wisp_require(err, result == 0, result == STATUS_ALLOC_FAILED ? WISP_EMEMORY : WISP_EDEVICE,
                      "cublas: %s fails with status %d", what, result);
}

static wisp_status cublas_open(wisp_error *err, wisp_blas *blas, void *stream)
{
  int version = 0;
  CALL(wisp_cublas_api_open(err, &blas->api));
  CALL(check_cublas(err, blas->api.cublasCreate_v2(&blas->handle), "cublasCreate"));
  CALL(check_cublas(err, blas->api.cublasSetStream_v2(blas->handle, stream), "cublasSetStream"));
  CALL(check_cublas(err, blas->api.cublasSetMathMode(blas->handle, DEFAULT_MATH), "cublasSetMathMode"));
  CALL(check_cublas(err, blas->api.cublasGetVersion_v2(blas->handle, &version), "cublasGetVersion"));
  snprintf(blas->name, sizeof blas->name, "cuBLAS %d.%d", version / 10000, version % 10000 / 100);
  return WISP_OK;
}

/* Old libraries do not know all compute types. */
static wisp_status cublas_multiply(wisp_error *err, const wisp_blas *blas, const wisp_product *p,
                                   const wisp_blas_variant *variant)
{
  static const float singles[2] = {0, 1};
  static const double doubles[2] = {0, 1};
  const bool single = p->precision == WISP_F32;
  const void *const zero = single ? (const void *)&singles[0] : &doubles[0], *const one =
                                                                                 single ? (const void *)&singles[1]
                                                                                        : &doubles[1];
  const int transpose = variant->transposed ? OP_T : OP_N, lda = variant->transposed ? p->k : p->m;
  const int type = single ? R_32F : R_64F;
  if (!variant->compute)
    return check_cublas(err,
                        (single ? blas->api.cublasSgemm_v2 : blas->api.cublasDgemm_v2)(blas->handle, transpose, OP_N,
                                                                                       p->m, p->n, p->k, one, p->A, lda,
                                                                                       p->B, p->k, zero, p->C, p->m),
                        "the product");
  const int result = blas->api.cublasGemmEx(blas->handle, transpose, OP_N, p->m, p->n, p->k, one, p->A, type, lda, p->B,
                                            type, p->k, zero, p->C, type, p->m, variant->compute, ALGORITHM_DEFAULT);
  return wisp_require(err, result == 0, WISP_EREFUSED, "%s declines %s with status %d", blas->name, variant->name,
                      result);
}

/* ---- The interface. */

void wisp_blas_close(wisp_blas *blas)
{
  if (!blas) return;
  if (blas->handle) {
    void *stream;
    if (wisp_device_stream(NULL, blas->device, &stream) == WISP_OK) blas->api.cublasDestroy_v2(blas->handle);
  }
  free(blas);
}

wisp_status wisp_blas_open(wisp_error *err, wisp_device *device, wisp_blas **out)
{
  OWNED(wisp_blas_close) wisp_blas *blas = NULL;
  void *stream = NULL;
  CALL(wisp_new(err, 1, sizeof *blas, &blas));
  blas->device = device;
  CALL(wisp_device_stream(err, device, &stream));
  if (stream)
    CALL(cublas_open(err, blas, stream));
  else
    CALL(host_name(err, blas));
  return GIVE(blas, out);
}

const char *wisp_blas_name(const wisp_blas *blas)
{
  return blas->name;
}

wisp_status wisp_blas_multiply(wisp_error *err, wisp_blas *blas, const wisp_product *product,
                               const wisp_blas_variant *variant)
{
  void *stream;
  CALL(wisp_device_stream(err, blas->device, &stream));
  return blas->handle ? cublas_multiply(err, blas, product, variant) : host_multiply(err, product, variant);
}
