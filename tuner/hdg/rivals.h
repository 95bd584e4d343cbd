/* What the hdg family's kernels are timed beside: chains of the vendor's batched routines for the condensed matrices,
 * its sparse product for the traces' matrix. */
#pragma once

#include "../trial/workload.h"

/* As wisp_workload's rivals. */
wisp_status wisp_hdg_rivals(wisp_error *err, wisp_device *device, const wisp_problem *problem, const wisp_spec *spec,
                            const wisp_left_out *left_out, wisp_yardstick *more, int *count);
