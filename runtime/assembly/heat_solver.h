/* Steps of heat conduction on a device: the assembly family's kernels, and conjugate gradients (runtime/solve/cg.h)
 * with its matrix and the tensor family's vectors. u and f stay there, and the host waits for the end of each solve
 * alone. */
#ifndef WISP_HEAT_SOLVER_H
#define WISP_HEAT_SOLVER_H

#include "heat.h"

/* An iteration of conjugate gradients as a composition for wisp_choose; the assembly is the family's stage. */
#define WISP_HEAT_ITERATION "invert+multiply+tensor.advance+tensor.update"

typedef struct wisp_heat_method {
  wisp_precision precision;
  double step;                  /* of time; steady problems have none */
  double tolerance, standstill; /* of a solve's residual, over its right-hand side; of u's change, over the largest u */
  long long iterations;         /* of one solve at most */
  int assemblies;               /* of one step at most */
} wisp_heat_method;

/* Of all steps so far. */
typedef struct wisp_heat_report {
  double t;
  int steps, assemblies;
  long long iterations;
  double residual, change;                                      /* of the last solve, of u by it */
  bool converged;                                               /* every solve, and u stood still in every step */
  double seconds_assembling, seconds_aiming, seconds_iterating; /* aiming: what conjugate gradients start from */
} wisp_heat_report;

typedef struct wisp_heat_solver wisp_heat_solver;

/* Compiles and loads the kernels of both stages, chosen for the family's "step" and for WISP_HEAT_ITERATION, and makes
 * all arrays; u is the solution at t = 0. What is borrowed outlives it. */
wisp_status wisp_heat_solver_create(wisp_error *err, wisp_device *device, const wisp_heat *heat, wisp_stage *assembly,
                                    wisp_stage *iteration, const wisp_heat_method *method, wisp_heat_solver **out);
void wisp_heat_solver_destroy(wisp_heat_solver *solver);
WISP_OWNED(wisp_heat_solver, wisp_heat_solver_destroy)

/* One step of time; a steady problem is solved by one. WISP_EUSAGE where kappa(u) is not positive at a node. */
wisp_status wisp_heat_step(wisp_error *err, wisp_heat_solver *solver);

const wisp_heat_report *wisp_heat_solver_report(const wisp_heat_solver *solver);
wisp_status wisp_heat_solver_field(wisp_error *err, const wisp_heat_solver *solver, double *u); /* at every node */

/* Writes the matrix that was assembled last as Matrix Market, and beside it the right-hand side, its name PATH with _b
 * before the ending. Nothing is left of a file that could not be written whole. */
wisp_status wisp_heat_export(wisp_error *err, const wisp_heat_solver *solver, const char *path);

#endif
