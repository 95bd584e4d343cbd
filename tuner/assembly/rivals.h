/* What the assembly family's kernels are timed beside: the vendor's product of the sparse matrix with a vector. */
#pragma once

#include "../trial/workload.h"

/* As wisp_workload's rivals. */
wisp_status wisp_assembly_rivals(wisp_error *err, wisp_device *device, const wisp_problem *problem,
                                 const wisp_spec *spec, const wisp_left_out *left_out, wisp_yardstick *more,
                                 int *count);
