/* Media of the elements of a mesh of tets, from texts as a user gives them. */
#pragma once

#include "../../gen/system.h"
#include "../mesh/mesh.h"

/* Of each quantity of the system that is a coefficient a number or an expression in x, y, z, where an element's middle
 * is, its region, and pi; NULL: what the system's file gives. `quantities` numbers an element, in the mesh's order; the
 * caller frees them. WISP_EUSAGE for an expression that is none, WISP_EINPUT names an element where a coefficient is
 * not positive. */
wisp_status wisp_media_create(wisp_error *err, const wisp_system *system, const wisp_mesh *mesh,
                              const char *const *texts, double **medium);

/* WISP_EUSAGE names an element with a coefficient that is not from 1e-30 to 1e30, in single precision from 1e-15 to
 * 1e15: products of such numbers and their inverses stay within the precision's range. */
wisp_status wisp_media_check(wisp_error *err, const wisp_system *system, size_t elements, const double *medium,
                             wisp_precision precision);

/* The largest ratio of a coefficient's values, 1 where there is none, and which coefficient has it; and the ratio up to
 * which sums over both sides of a face keep some digits of the smaller side: 1e12, in single precision 1e6. */
double wisp_media_jump(const wisp_system *system, size_t elements, const double *medium, int *quantity);
double wisp_media_resolved(wisp_precision precision);
