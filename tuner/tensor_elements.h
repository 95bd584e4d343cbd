/* Random hexahedra for the tensor family's kernels: what they are timed on and checked with. */
#ifndef WISP_TENSOR_ELEMENTS_H
#define WISP_TENSOR_ELEMENTS_H

#include "../gen/hex.h"
#include "../runtime/arrays.h"

/* The arrays that kernels are bound to by name; indices into a set of them. */
enum {
  WISP_TENSOR_U,
  WISP_TENSOR_Y,
  WISP_TENSOR_GAUSS_FACTORS, /* 7 x glNp an element: G00 G01 G02 G11 G12 G22 GwJ */
  WISP_TENSOR_GAUSS_MASS,    /* glNp: GwJ */
  WISP_TENSOR_GLL_FACTORS,   /* 7 x Np */
  WISP_TENSOR_VERTICES,      /* 24: [d][v] */
  WISP_TENSOR_ARRAYS
};
extern const char *const wisp_tensor_names[WISP_TENSOR_ARRAYS];

/* How many elements kernels are timed on: so many as asked for, or where that is 0 those of 10^7 nodes, far more than a
 * GPU's caches hold, or of 10^5 on the host, where a trial takes milliseconds. */
size_t wisp_tensor_elements(const wisp_device *device, int order, long long asked);

/* Numbers of an array in one element. */
size_t wisp_tensor_numbers(const wisp_hex *hex, int array);

/* Unit cubes with every vertex moved by up to an eighth, so that no Jacobian comes near zero, and a random field: for
 * each array but y its numbers, count elements of them. Vertices and field are exact in both precisions. The caller
 * frees each of values; that of y stays NULL. */
wisp_status wisp_tensor_make(wisp_error *err, const wisp_hex *hex, size_t count, uint64_t seed,
                             double *values[WISP_TENSOR_ARRAYS]);

/* All arrays for so many elements, zero. */
wisp_status wisp_tensor_arrays(wisp_error *err, wisp_device *device, const wisp_hex *hex, wisp_precision precision,
                               size_t elements, wisp_arrays **out);

/* One launch over all elements. */
wisp_status wisp_tensor_launch(wisp_error *err, wisp_arrays *arrays, const wisp_kernel *kernel, size_t elements,
                               double lambda);

#endif
