/* How far a kernel's result may be from the double reference. */
#ifndef WISP_TOLERANCE_H
#define WISP_TOLERANCE_H

#include "../../gen/family.h"

#include <math.h>

/* Relative to the sum of the magnitudes that the result is added up from. */
wisp_status wisp_tolerance(wisp_error *err, const wisp_spec *spec, double *out);

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
