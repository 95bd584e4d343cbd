/* Shared by the two workloads of the tensor family. */
#pragma once

#include "../../runtime/device.h"

/* The number of elements to time on: `asked`, or where that is 0 those of 10^7 nodes on a GPU, far more than its caches
 * hold, and of 10^5 on the host, where a trial takes milliseconds. */
size_t wisp_tensor_elements(const wisp_limits *limits, int order, long long asked);

/* wisp_workload's `many`. */
long long wisp_tensor_many(const wisp_spec *spec);
