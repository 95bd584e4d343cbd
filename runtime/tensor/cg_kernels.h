/* What each vector kernel of conjugate gradients computes, in double, by its formula (runtime/solve/cg.h). Arrays are
 * in the order of the tensor family's list (gen/tensor/tensor.h). */
#ifndef WISP_CG_KERNELS_H
#define WISP_CG_KERNELS_H

#include "../../gen/tensor/tensor.h"
#include "../solve/cg.h"
#include "cg_problem.h"

/* Changes `at` as the kernel does, and leaves with every number that it changes the sum of the magnitudes that it is
 * added up from, in `size`. Of a sum that blocks leave as parts: the whole, in its first number, and the root of the
 * sum of its terms' squares. NULL for arrays that the kernel does not touch. WISP_EUSAGE for a kernel that it has not.
 */
wisp_status wisp_cg_compute(wisp_error *err, const wisp_hexcopies *copies, const char *kernel, const wisp_cg_scalars *s,
                            double *const *at, double *const *size);

#endif
