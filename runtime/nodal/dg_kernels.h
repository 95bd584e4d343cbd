/* What each kernel of the nodal family computes, in double, by its definition. Arrays are in the order of the family's
 * list (gen/nodal/nodal.h), laid out as the dg says. */
#ifndef WISP_DG_KERNELS_H
#define WISP_DG_KERNELS_H

#include "../../gen/nodal/nodal.h"
#include "dg.h"

/* Whether a kernel makes fluxes, and so has alpha. */
bool wisp_dg_gathers(const char *kernel);

/* From the arrays `in` to those of `out` that the kernel writes, and with every result the sum of the magnitudes that
 * it is added up from, to `sizes`. Padding and empty slots become whatever. WISP_EUSAGE for a kernel that it has not.
 */
wisp_status wisp_dg_compute(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *scalars,
                            double *const *in, double *const *out, double *const *sizes);

/* For each array that the kernel leaves results in, the largest sum of magnitudes that one of them can have where no
 * number that it reads is above 1; 0 for the others. */
wisp_status wisp_dg_largest(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *scalars,
                            double largest[WISP_NODAL_ARRAYS]);

#endif
