/* The inside of the conjugate gradients: cg.c iterates, cg_arrays.c makes what it iterates on. */
#ifndef WISP_CG_PARTS_H
#define WISP_CG_PARTS_H

#include "cg.h"

/* The kernels of a step, in the order of wisp_cg_composition. */
typedef enum wisp_cg_kernel {
  WISP_CG_UPDATE,
  WISP_CG_SPREAD,
  WISP_CG_OPERATOR,
  WISP_CG_GATHER,
  WISP_CG_ADVANCE,
  WISP_CG_SMOOTH
} wisp_cg_kernel;

enum { WISP_CG_HISTORY = 1024 }; /* iterations whose scalars are kept */

struct wisp_cg {
  wisp_device *device;
  const wisp_poisson *problem;
  wisp_step *step;
  wisp_kernel **kernel;  /* the step's */
  wisp_problem *vectors; /* on the device, with the geometry */
  wisp_arrays *arrays;   /* its own */
  int degree;            /* of the polynomial in M^-1 A; 1: Jacobi, or nothing */
  double scale, bound;   /* z = scale r / diagonal before it */
  wisp_graph *graph;     /* of all iterations; NULL: not recorded */
  wisp_event *begin, *end;
};

/* Blocks of a kernel, each of which leaves one part of a sum; 1 for a kernel that the step lacks. */
int wisp_cg_blocks(const wisp_cg *cg, wisp_cg_kernel kernel);

/* All arrays that the step's kernels take. */
wisp_status wisp_cg_make_arrays(wisp_error *err, wisp_cg *cg, wisp_precision precision);

/* Geometry, and the inverse of the diagonal (of 1 without a preconditioner). */
wisp_status wisp_cg_upload(wisp_error *err, wisp_cg *cg, bool diagonal);

#endif
