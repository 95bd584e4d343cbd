/* Vectors on continuous elements, for the kernels that conjugate gradients need besides the operator: what these are
 * timed on and checked with. See runtime/solve/cg.h for the arrays. */
#ifndef WISP_VECTORS_H
#define WISP_VECTORS_H

#include "../runtime/arrays.h"
#include "../runtime/mesh/source.h"
#include "../runtime/solve/cg.h"

/* The arrays of reals; indices into a set of them. */
enum {
  WISP_VECTOR_SOLUTION,
  WISP_VECTOR_P,
  WISP_VECTOR_Z,
  WISP_VECTOR_R,
  WISP_VECTOR_AP,
  WISP_VECTOR_INVERSE,
  WISP_VECTOR_D,
  WISP_VECTOR_U,
  WISP_VECTOR_Y,
  WISP_VECTOR_RZ_SUMS,
  WISP_VECTOR_RR_SUMS,
  WISP_VECTOR_PAP_SUMS,
  WISP_VECTOR_STATE,
  WISP_VECTOR_HISTORY,
  WISP_VECTORS
};
extern const char *const wisp_vector_names[WISP_VECTORS];

/* Iterations that history has room for, and parts that a sum can have. */
enum { WISP_VECTOR_ITERATIONS = 16, WISP_VECTOR_PARTS = 65536 };

/* The unknowns within so many hexes, boundary values given: the first of a box that is about as long as wide, which is
 * whole where it is moved or ordered, or all of a file. */
typedef struct wisp_vectors {
  size_t elements;
  wisp_hexcopies *copies;
  size_t size[WISP_VECTORS]; /* numbers */
} wisp_vectors;

/* WISP_EUSAGE where all nodes lie on the boundary. */
wisp_status wisp_vectors_create(wisp_error *err, int order, size_t elements, const wisp_mesh_source *source,
                                wisp_vectors **out);
void wisp_vectors_destroy(wisp_vectors *vectors);

/* All arrays, reals zero. */
wisp_status wisp_vectors_arrays(wisp_error *err, wisp_device *device, const wisp_vectors *vectors,
                                wisp_precision precision, wisp_arrays **out);

/* Random numbers of an array, exact in both precisions, positive in inverse and the sums, and 0 behind the last
 * unknown; `count` of them, or as many as the array has. */
void wisp_vectors_fill(const wisp_vectors *vectors, int array, uint64_t *state, size_t count, double *numbers);

/* The scalars of a launch. */
typedef struct wisp_vector_scalars {
  double scale, keep, gain;
  int polynomial, parts; /* of each sum that is read */
} wisp_vector_scalars;

/* One launch over all unknowns. */
wisp_status wisp_vectors_launch(wisp_error *err, wisp_arrays *arrays, const wisp_vectors *vectors,
                                const wisp_kernel *kernel, const wisp_vector_scalars *scalars);

#endif
