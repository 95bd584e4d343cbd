/* What a check of a nodal kernel starts from and must end with: random data, the double reference's results, and for
 * each result the sum of the magnitudes that it is added up from. */
#ifndef WISP_NODAL_EXAMPLE_H
#define WISP_NODAL_EXAMPLE_H

#include "../gen/spec.h"
#include "../runtime/solve/problem.h"

/* Arrays that kernels compute with; indices into an example's data. */
enum {
  WISP_NODAL_U,
  WISP_NODAL_U_NEXT,
  WISP_NODAL_RHS,
  WISP_NODAL_LIFTED,
  WISP_NODAL_RES,
  WISP_NODAL_FLUX,
  WISP_NODAL_DUX,
  WISP_NODAL_DUY,
  WISP_NODAL_DUZ,
  WISP_NODAL_ARRAYS
};
extern const char *const wisp_nodal_names[WISP_NODAL_ARRAYS];

/* Rounds that a kernel is checked in: those that have alpha more, so that it is between 0 and 1, 0, and 1. 0: there is
 * no reference for the kernel. */
int wisp_nodal_rounds(const char *kernel);

typedef struct wisp_nodal_example {
  wisp_scalars scalars;
  double *before[WISP_NODAL_ARRAYS];         /* NaN but where the kernel may read */
  double *after[WISP_NODAL_ARRAYS];          /* NULL where the kernel must change nothing, like */
  double *size[WISP_NODAL_ARRAYS];           /* the sums of magnitudes */
  const char *writes[WISP_NODAL_ARRAYS + 1]; /* names of the arrays with an `after`; ends with NULL */
} wisp_nodal_example;

/* Round 0: fields whose size differs from element to element, by 2^20 in all; round 1: exact zeros among the numbers,
 * whole elements and a whole field of them; round 2: numbers in [-1, 1]. All scalars are random in each, but that alpha
 * is 0 in round 1 and 1 in round 2. Numbers are exact in both precisions. Free it also after a failure. */
wisp_status wisp_nodal_example_make(wisp_error *err, const wisp_dg *dg, const char *kernel, int round, uint64_t seed,
                                    wisp_nodal_example *out);
void wisp_nodal_example_free(wisp_nodal_example *example);

/* For each array that the kernel leaves results in, the largest sum of magnitudes that one of them can have where no
 * number that it reads is above 1; 0 for the others. */
wisp_status wisp_nodal_largest(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *scalars,
                               double largest[WISP_NODAL_ARRAYS]);

/* Numbers of an array; those of a DOF of field f in the element of slot k. */
size_t wisp_nodal_size(const wisp_dg *dg, int array);
size_t wisp_nodal_dofs(const wisp_dg *dg, int array);
size_t wisp_nodal_address(const wisp_dg *dg, int array, int f, size_t k, size_t i);

#endif
