/* Errors of a family's results in single precision from size to size, in the variants that it has to read its mesh. */
#pragma once

#include "api.h"

enum { WISP_ACCURACY_VARIANTS = 3 };

/* Errors at one size of all numbers but those that are 0, relative to double precision. */
typedef struct wisp_accuracy {
  size_t elements, nodes;
  const char *variant[WISP_ACCURACY_VARIANTS];
  double mean[WISP_ACCURACY_VARIANTS], median[WISP_ACCURACY_VARIANTS];
  double published; /* the mean, elsewhere */
} wisp_accuracy;

typedef wisp_status (*wisp_accuracy_row)(wisp_error *err, void *context, const wisp_accuracy *row);
