/* How far a kernel's result may be from the double reference. */
#ifndef WISP_TOLERANCE_H
#define WISP_TOLERANCE_H

#include "../gen/layout.h"
#include "../gen/spec.h"

#include <math.h>

/* Relative to the sum of the magnitudes that the result is added up from. */
double wisp_tolerance(const wisp_spec *spec, const wisp_layout *layout);

/* Relative to the largest of all results: what a family promises besides; HUGE_VAL: nothing. */
double wisp_promise(const wisp_spec *spec);

/* Is this error, relative to its sum of magnitudes, larger than *worst, which it then becomes? HUGE_VAL: there is
 * nothing that could have been rounded; the first such error stays. */
static inline bool wisp_is_worse(double difference, double size, double *worst)
{
  if (!(difference > 0) || *worst >= HUGE_VAL || difference <= *worst * size) return false;
  *worst = size > 0 ? difference / size : HUGE_VAL;
  return true;
}

#endif
