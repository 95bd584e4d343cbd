/* y = A x by a library, cuSPARSE on a GPU, plain loops on the host: kernels are measured against it. */
#pragma once

#include "device.h"

/* Rows of square blocks, as compressed rows of them: which columns row i has are column[start[i]] and so on. */
typedef struct wisp_block_rows {
  int size;
  size_t rows, columns;
  const int32_t *start, *column;
} wisp_block_rows;

typedef enum wisp_spmv_format {
  WISP_SPMV_NUMBERS,
  WISP_SPMV_ORDERED,
  WISP_SPMV_BLOCKS,
  WISP_SPMV_FORMATS
} wisp_spmv_format;

typedef struct wisp_spmv wisp_spmv;

/* Numbers are repeatable. WISP_EDEVICE says what to install, WISP_EREFUSED that the library lacks the format. */
wisp_status wisp_spmv_create(wisp_error *err, wisp_device *device, const wisp_block_rows *pattern,
                             wisp_precision precision, wisp_spmv_format format, wisp_spmv **out);
void wisp_spmv_destroy(wisp_spmv *spmv);
WISP_OWNED(wisp_spmv, wisp_spmv_destroy)
const char *wisp_spmv_name(const wisp_spmv *spmv); /* "cuSPARSE: CSR" */

/* One product, enqueued. */
wisp_status wisp_spmv_run(wisp_error *err, const void *spmv);

/* The largest error of a product over some first rows of blocks, over their largest number: runs it, and waits. */
wisp_status wisp_spmv_error(wisp_error *err, wisp_spmv *spmv, const wisp_block_rows *pattern, double *error);
