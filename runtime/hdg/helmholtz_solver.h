/* The Helmholtz problem on a device: set-up, conjugate gradients (runtime/solve/cg.h) on the traces with the tensor
 * family's vectors, and what follows from them. */
#ifndef WISP_HELMHOLTZ_SOLVER_H
#define WISP_HELMHOLTZ_SOLVER_H

#include "../solve/cg.h"
#include "../solve/choose.h"
#include "helmholtz.h"

typedef enum wisp_trace_preconditioner {
  WISP_TRACE_NONE,
  WISP_TRACE_DIAGONAL,
  WISP_TRACE_BLOCKS,
  WISP_TRACE_LEVELS /* smoothing by the edges' own blocks, and a coarse space (coarse.h) */
} wisp_trace_preconditioner;

/* Stages: the set-up, an iteration with its preconditioner, what follows; as compositions for wisp_choose, NULL where
 * the family's stage is meant, whichever is best. */
typedef enum wisp_helmholtz_part {
  WISP_HELMHOLTZ_SETUP,
  WISP_HELMHOLTZ_ITERATION,
  WISP_HELMHOLTZ_FIELDS,
  WISP_HELMHOLTZ_PARTS
} wisp_helmholtz_part;

typedef struct wisp_helmholtz_method {
  wisp_precision precision;
  wisp_trace_preconditioner preconditioner;
  bool halves;      /* the matrix is applied element by element, of which half is stored; else by rows of blocks */
  double tolerance; /* of the residual, over the right-hand side */
  long long iterations;
  int smoothing; /* of two levels: the degree of Chebyshev's polynomial before and after the coarse problem */
} wisp_helmholtz_method;
const char *wisp_helmholtz_composition(wisp_helmholtz_part part, const wisp_helmholtz_method *method);

typedef struct wisp_helmholtz_report {
  wisp_cg_report cg;
  double seconds[WISP_HELMHOLTZ_PARTS]; /* of each stage, transfers of its data and results not counted */
  double seconds_numbers;               /* of what the preconditioner is made of, anew for a matrix */
  size_t bytes;                         /* of device memory */
} wisp_helmholtz_report;

typedef struct wisp_helmholtz_solver wisp_helmholtz_solver;

/* Compiles and loads the kernels of all stages and makes all arrays. What is borrowed outlives it. */
wisp_status wisp_helmholtz_solver_create(wisp_error *err, wisp_device *device, const wisp_helmholtz *problem,
                                         wisp_stage stage[WISP_HELMHOLTZ_PARTS], const wisp_helmholtz_method *method,
                                         wisp_helmholtz_solver **out);
void wisp_helmholtz_solver_destroy(wisp_helmholtz_solver *solver);
WISP_OWNED(wisp_helmholtz_solver, wisp_helmholtz_solver_destroy)

/* All stages, one after the other; what the preconditioner is made of for the first solve alone, as the matrix
 * stays. watch may be NULL. */
wisp_status wisp_helmholtz_solve(wisp_error *err, wisp_helmholtz_solver *solver, const wisp_cg_watch *watch,
                                 wisp_helmholtz_report *out);

/* An array of the family's (u, flux, ustar; the trace, as solution), caller's memory. */
wisp_status wisp_helmholtz_field(wisp_error *err, wisp_helmholtz_solver *solver, const char *array, double *values);
size_t wisp_helmholtz_field_size(const wisp_helmholtz_solver *solver, const char *array);

#endif
