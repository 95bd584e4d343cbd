/* Test cases of kernels: a family's reference computes the right outputs (of nodal DG from nodal/dg_parts.h). */
#pragma once

#include "problem.h"

/* The scalars of one launch, and arrays that the kernel has another name for. */
enum { WISP_MAX_SCALARS = 32 };
typedef struct wisp_scalar_list {
  wisp_binding of[WISP_MAX_SCALARS];
  size_t count;
} wisp_scalar_list;

/* The inputs of a test case, where single-precision sums are compared; a check need not use all. */
typedef enum wisp_test_inputs {
  WISP_SIZES,         /* of elements that differ in size, by a factor of 2^20 in all */
  WISP_ZEROS,         /* many of them, whole elements and fields among them, are zero */
  WISP_EVEN,          /* in [-1, 1] */
  WISP_DECADES,       /* of sizes that differ within an element, by a factor of up to 2^20 */
  WISP_UNBOUNDED,     /* one number of some elements is infinite, or NaN */
  WISP_EXTREMES = 32, /* and behind it: scalars, coefficients and magnitudes that solvers pass (family.h), in turn */
  WISP_PLAIN = 64,    /* like WISP_EVEN: on other meshes, and on a problem of the size that kernels are timed on */
  WISP_LAST           /* likewise, of the last launch of those that a solver repeats, where that one differs */
} wisp_test_inputs;

/* Rounding of a strategy beyond that of its terms: numbers of an element are mixed with each other (`mixes` in its
 * space), or cut at the exponent of their largest (`exponent`). */
enum { WISP_MIXES = 1, WISP_ONE_EXPONENT = 2 };

/* One test case, in natural order (wisp_discretisation's origin), by the family's array: the inputs, the right outputs,
 * and for each output the sum of the magnitudes of its terms. Only arrays that the kernel writes have `after`. */
typedef struct wisp_test_case {
  const wisp_discretisation *discretisation;
  const wisp_kernel_decl *kernel;
  int number;
  bool sampled;                    /* the right outputs of some numbers alone are known */
  unsigned rounding;               /* sizes are to be those of such strategies */
  uint64_t seed, random;           /* random: the state to go on with */
  double *before[WISP_MAX_ARRAYS]; /* NaN where there is nothing to be read; NULL: no such array, or fixed */
  double *after[WISP_MAX_ARRAYS];  /* made as a copy of `before`, of a sum of parts: its first number is the sum */
  double *size[WISP_MAX_ARRAYS];   /* made as zeros; of a sum of parts: the root of the sum of squares */
  size_t numbers[WISP_MAX_ARRAYS];
  size_t together; /* of the numbers of an output, so many are an element's: set by fill_inputs where there are
                      single_sums */
  wisp_scalar_list scalars;
  void *own;           /* made by fill_inputs for the reference, freed with the test case; NULL: nothing */
  const char *as, *is; /* an array that the kernel calls `as`; NULL: none */
} wisp_test_case;

/* The number of a case of extremes among them; -1: it is another. */
static inline int wisp_test_case_extreme(const wisp_test_case *r)
{
  return r->number >= WISP_EXTREMES && r->number < WISP_PLAIN ? r->number - WISP_EXTREMES : -1;
}

static inline bool wisp_test_case_plain(const wisp_test_case *r)
{
  return r->number >= WISP_PLAIN;
}

/* In a case of extremes a number that solvers pass, as single precision has it: first those that are listed, in turn,
 * then others of their range, at random. `otherwise` in another case, or where nothing is said. */
double wisp_test_case_passed(const wisp_test_case *r, const wisp_passed_values *passed, double otherwise);

/* Likewise of a scalar of the kernel's family. */
double wisp_test_case_scalar(const wisp_test_case *r, const char *name, double otherwise);
