/* Dense products by the device's library, cuBLAS or the host's BLAS, against which kernels are measured. */
#pragma once

#include "device.h"

typedef struct wisp_blas wisp_blas;

/* C = A B, all column-major without padding: A is m x k, B k x n, C m x n. */
typedef struct wisp_product {
  int m, n, k;
  wisp_precision precision;
  wisp_pointer A, B, C;
} wisp_product;

/* A variant of the product that a library may have. The first of each precision is the library's plain one. */
typedef struct wisp_blas_variant {
  const char *name; /* "", "A transposed", ... */
  wisp_precision precision;
  bool transposed; /* A points to A's transpose, k x m */
  int compute;     /* cuBLAS's compute type; 0: the plain routine in its default math mode */
} wisp_blas_variant;
enum { WISP_BLAS_VARIANTS = 8 };
extern const wisp_blas_variant wisp_blas_variants[WISP_BLAS_VARIANTS];

/* device is borrowed. WISP_EDEVICE says what to install where there is no library. */
wisp_status wisp_blas_open(wisp_error *err, wisp_device *device, wisp_blas **out);
void wisp_blas_close(wisp_blas *blas);
WISP_OWNED(wisp_blas, wisp_blas_close)
/* "cuBLAS 13.1", "OpenBLAS 0.3.21"; of a library that does not say who it is its file, "libmkl_rt.so.2". */
const char *wisp_blas_name(const wisp_blas *blas);
/* The beginning of the name of a library that is not tuned: it is slower by an order of magnitude. */
#define WISP_REFERENCE_BLAS "reference BLAS"

/* Enqueues one product on the device's stream. WISP_EREFUSED where the library does not take the variant. */
wisp_status wisp_blas_multiply(wisp_error *err, wisp_blas *blas, const wisp_product *product,
                               const wisp_blas_variant *variant);
