/* What the two workloads of the tensor family share. */
#pragma once

#include "../../runtime/device.h"

/* How many elements kernels are timed on: so many as asked for, or where that is 0 those of 10^7 nodes, far more than a
 * GPU's caches hold, or of 10^5 on the host, where a trial takes milliseconds. */
size_t wisp_tensor_elements(const wisp_limits *limits, int order, long long asked);
