/* How far a kernel's result may be from the double reference, relative to the reference's largest value. */
#ifndef WISP_TOLERANCE_H
#define WISP_TOLERANCE_H

#include "../gen/layout.h"
#include "../gen/spec.h"

double wisp_tolerance(const wisp_spec *spec, const wisp_layout *layout);

#endif
