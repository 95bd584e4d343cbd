/* How far a kernel's result may be from the double reference. */
#ifndef WISP_TOLERANCE_H
#define WISP_TOLERANCE_H

#include "../gen/layout.h"
#include "../gen/spec.h"

/* Relative to the sum of the magnitudes that the result is added up from. */
double wisp_tolerance(const wisp_spec *spec, const wisp_layout *layout);

/* Relative to the largest of all results: what a family promises besides; HUGE_VAL: nothing. */
double wisp_promise(const wisp_spec *spec);

#endif
