/* What a kernel that is bound by memory is measured beside: half of its minimal bytes, read and written by the device's
 * own copy. */
#ifndef WISP_YARDSTICK_COPY_H
#define WISP_YARDSTICK_COPY_H

#include "workload.h"

/* A workload's yardstick. */
wisp_status wisp_yardstick_copy(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_spec *spec,
                                long long elements, wisp_yardstick *out);

#endif
