/* The dense product that a kernel stands for: what a vendor's library of dense algebra would do in its place. */
#pragma once

#include "spec.h"

typedef struct wisp_dense {
  double *matrix; /* row major, m x k, the holder's to free; NULL: there is no such product */
  int m, k;
  int columns; /* of its operand, an element */
} wisp_dense;

static inline void wisp_dense_release(wisp_dense *dense)
{
  free(dense->matrix);
  dense->matrix = NULL;
}
