/* A kind of device that a program adds. */
#ifndef FENCE_H
#define FENCE_H

#include "../../runtime/device_kind.h"

extern const wisp_device_kind wisp_kind_fence;

#endif
