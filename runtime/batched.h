/* Schur complements of many alike bordered matrices by a library's routines, one step for all of them each: cuBLAS and
 * cuSOLVER on a GPU, LAPACK on the host. Kernels that eliminate in one pass are measured against it. */
#pragma once

#include "device.h"

/* Matrices [S R; R^T K], each a sum of the same tables times numbers of its own. */
typedef struct wisp_bordered {
  int inner, outer, terms; /* sizes of S and K */
  const double *table;     /* terms, each S, R and K, column by column */
  size_t count;
  const double *factors; /* terms of each matrix together */
  wisp_precision precision;
} wisp_bordered;

typedef enum wisp_batched_method {
  WISP_BATCHED_FACTOR, /* S = L L^T, W = L^-1 R, K - W^T W */
  WISP_BATCHED_INVERT, /* Z = S^-1, U = Z R, K - R^T U: as paper 1 has it */
  WISP_BATCHED_METHODS
} wisp_batched_method;

typedef struct wisp_batched wisp_batched;

/* WISP_EDEVICE says what library to install, WISP_EMEMORY that not even a part of the matrices fits. */
wisp_status wisp_batched_create(wisp_error *err, wisp_device *device, const wisp_bordered *matrices,
                                wisp_batched_method method, wisp_batched **out);
void wisp_batched_destroy(wisp_batched *batched);
WISP_OWNED(wisp_batched, wisp_batched_destroy)
const char *wisp_batched_name(const wisp_batched *batched); /* "cuBLAS: gemm, potrf, trsm, gemm" */

/* Makes and eliminates all of them, a part of so many as fit at a time: enqueued. */
wisp_status wisp_batched_run(wisp_error *err, const void *batched);

/* The results of a run for the last matrices, `count` of them from *first on: outer x outer each, caller's memory. */
wisp_status wisp_batched_last(wisp_error *err, wisp_batched *batched, size_t count, size_t *first, double *K);
