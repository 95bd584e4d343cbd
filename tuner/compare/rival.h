/* The vendor's dense product that a kernel competes with. Operand and result are column-major, without padding: what a
 * library likes best. */
#pragma once

#include "../../runtime/blas.h"
#include "../trial/workload.h"

typedef struct wisp_rival wisp_rival;

/* columns: of all elements. The operand holds random numbers, the same for the same sizes. blas and device are
 * borrowed. WISP_EUSAGE for sizes that do not fit an int. */
wisp_status wisp_rival_create(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_dense *dense,
                              wisp_precision precision, size_t columns, wisp_rival **out);
void wisp_rival_destroy(wisp_rival *rival);
WISP_OWNED(wisp_rival, wisp_rival_destroy)

/* Takes the fastest of the library's ways whose largest error on a sample, against double, is at most 4 times that of
 * its plain one. Before, the plain one is in use. WISP_EWRONG where the plain one itself is wrong. */
wisp_status wisp_rival_choose(wisp_error *err, wisp_rival *rival);

/* One product, enqueued: a wisp_contender's run. */
wisp_status wisp_rival_run(wisp_error *err, const void *rival);

double wisp_rival_error(const wisp_rival *rival); /* of the way chosen, relative to the largest result */

/* The operand is B of it, C what comes of it. */
const wisp_product *wisp_rival_product(const wisp_rival *rival);

/* The fastest of the library's ways to the same product, of so many elements. */
wisp_status wisp_rival_yardstick(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_dense *dense,
                                 wisp_precision precision, long long count, wisp_yardstick *out);
