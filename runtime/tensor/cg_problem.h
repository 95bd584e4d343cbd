/* Vectors on continuous elements of hexahedra, with their copies in the elements: what the tensor family's kernels of
 * conjugate gradients (runtime/solve/cg.h) work on.
 *
 * Besides a solve's own arrays: z, d, inverse: a number an unknown; u, y: Np an element; copy_one, copy_two, copy_more,
 * surface: hexmesh.h's one, two, more, surface; coarse_u, coarse_y: (N/2+1)^3 an element; rz_sums, rr_sums, pAp_sums:
 * parts; state: see also templates/tensor/cg_state.part. */
#pragma once

#include "../mesh/hexmesh.h"
#include "templates/tensor/family.h"
#include "../../gen/tensor/hex.h"
#include "../solve/cg.h"

/* Numbers of solution, p, z, r, Ap and inverse: the unknowns, rounded up to vectors of either precision; behind the
 * unknowns p, z, r and Ap are 0. */
size_t wisp_cg_padded(size_t unknowns);

/* Copies, in so many elements, are borrowed. Of what is fixed it fills in what leads from unknowns to copies and back;
 * the geometry is somebody else's. */
wisp_discretisation wisp_cg_discretisation(const wisp_hexcopies *copies, size_t elements, int order,
                                           const wisp_cg_capacity *capacity);

/* The scalars of a launch. */
typedef struct wisp_cg_scalars {
  double scale, beta, alpha;
  int polynomial, first_step, averaged;
  int rz_parts, rr_parts, pAp_parts; /* of each sum that is read */
  int history_room;                  /* iterations; a launch has it from the discretisation */
  size_t locals;                     /* numbers of u: of all elements' nodes; likewise */
  int vector;                        /* of spread: the array's place in the family's list; likewise */
  const wisp_hex *hex;               /* of kernels that lead to another order; likewise */
} wisp_cg_scalars;
enum { WISP_CG_SCALARS = 9 };
void wisp_cg_bind(const wisp_cg_scalars *scalars, wisp_binding out[WISP_CG_SCALARS]);

/* ---- What each vector kernel of conjugate gradients computes, in double, by its formula (runtime/solve/cg.h). Arrays
 * are in the order of the tensor family's list (templates/tensor/family). */

/* Changes `at` as the kernel does, and leaves with every number that it changes the sum of the magnitudes that it is
 * added up from, in `size`. Of a sum that blocks leave as parts: the whole, in its first number, and the root of the
 * sum of its terms' squares. NULL for arrays that the kernel does not touch. WISP_EUSAGE for a kernel that it has not.
 */
wisp_status wisp_cg_compute(wisp_error *err, const wisp_hexcopies *copies, const char *kernel, const wisp_cg_scalars *s,
                            double *const *at, double *const *size);
