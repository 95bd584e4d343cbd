/* The true residual of a solve: b - A x in double, by another path than the kernels that solved. A system gives the
 * rows themselves, or the parts that elements add to them. */
#pragma once

#include "../../gen/check.h"
#include "../../gen/spec.h"

#include <stdint.h>

typedef struct wisp_true_residual {
  double value; /* |b - A x| / |b| */
  double floor; /* 100 eps | |A| |x| | / |b|: rounding explains no more */
} wisp_true_residual;

/* A row, or an element's part of one: of A x, of b, and the sum of the magnitudes that A x is added up from. */
typedef struct wisp_residual_term {
  double product, right, size;
} wisp_residual_term;

typedef struct wisp_residual_system {
  size_t rows;
  wisp_precision precision; /* of the solve: its eps */
  const void *context;
  /* By rows; NULL: by elements. */
  void (*row)(const void *context, size_t row, wisp_residual_term *out);
  /* By elements of `width` numbers each: the k-th place of a row among them, element times width and so on, SIZE_MAX
   * behind its last; and the numbers of `count` elements, `out` zeroed. Safe for threads. */
  size_t elements, width;
  size_t (*place)(const void *context, size_t row, size_t k);
  wisp_status (*apply)(wisp_error *err, const void *context, size_t count, const int32_t *element,
                       wisp_residual_term *out);
  const double *b; /* right-hand side of each row, besides what elements add; NULL: 0 */
} wisp_residual_system;

/* A sample of so many rows, spread evenly, stands for all of more. */
enum { WISP_RESIDUAL_ROWS = 1 << 18 };
wisp_status wisp_true_residual_find(wisp_error *err, const wisp_residual_system *system, wisp_true_residual *out);

/* WISP_EWRONG, in one line, where it exceeds both its floor and ten times the larger of the solve's own residual and
 * its tolerance. */
wisp_status wisp_true_residual_check(wisp_error *err, const wisp_true_residual *residual, double own, double tolerance);
