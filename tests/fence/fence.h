/* A kind of device that a program adds. */
#pragma once

#include "../../runtime/device_kind.h"

extern const wisp_device_kind wisp_kind_fence;
