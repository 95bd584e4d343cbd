/* The floor of a candidate: the least time that its device needs for what the candidate has to move and execute. */
#pragma once

#include "../../gen/family.h"
#include "../../runtime/device.h"

typedef struct wisp_floor {
  double ms, bytes_ms; /* bytes_ms: of the bytes alone */
  const char *by;      /* the resource that sets it: "bytes", "adds" (atomic additions), "fma" (a unit's operations) */
} wisp_floor;

/* The floor of the spec's kernel with this minimal work. Bytes move at the bandwidth of a copy, or of a fill where the
 * kernel reads nothing. Operations count as far as the plan's space states them, at the measured peak of the unit that
 * executes them; a unit whose peak is not known sets no floor. plan NULL: operations do not count. */
wisp_status wisp_floor_find(wisp_error *err, const wisp_ceilings *ceilings, const wisp_spec *spec,
                            const wisp_work *work, double elements, const wisp_plan *plan, wisp_floor *out);
