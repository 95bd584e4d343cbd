/* The vendor's dense product that a kernel competes with. Operand and result are column-major, without padding: what a
 * library likes best. */
#pragma once

#include "../../runtime/blas.h"
#include "../trial/workload.h"

typedef struct wisp_rival wisp_rival;

/* The operand is B of it, C what comes of it. */
const wisp_product *wisp_rival_product(const wisp_rival *rival);

/* The fastest of the library's ways to the same product, of so many elements; context: a wisp_rival. The operand holds
 * random numbers, the same for the same sizes. error: relative to the largest result. blas and device are borrowed.
 * WISP_EUSAGE for sizes that do not fit an int, WISP_EWRONG where the library's plain way is wrong. */
wisp_status wisp_rival_yardstick(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_dense *dense,
                                 wisp_precision precision, long long count, wisp_yardstick *out);
