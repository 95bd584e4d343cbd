/* Steps of heat conduction on a device: the assembly family's kernels, and conjugate gradients (runtime/solve/cg.h)
 * with its matrix and the tensor family's vectors. u and f stay there; the host waits for each solve's end alone. */
#pragma once

#include "../solve/residual.h"
#include "../solve/solver.h"
#include "heat.h"

/* An iteration of conjugate gradients as a composition for wisp_choose; the assembly is the family's stage. */
#define WISP_HEAT_ITERATION "invert+multiply+tensor.advance+tensor.update"

typedef struct wisp_heat_method {
  wisp_precision precision;
  double step;          /* of time; steady problems have none */
  double tolerance;     /* a linear solve ends at this residual, over F; or at a tenth of that which it starts from */
  double nonlinear;     /* a step of time ends at this residual F - A(u) u, over F, where kappa depends on u; */
  double standstill;    /* or, where rounding keeps it from falling, at this change of u, over the largest u */
  long long iterations; /* of one solve at most */
  int assemblies;       /* of one step at most */
} wisp_heat_method;

/* Totals of all steps so far. */
typedef struct wisp_heat_report {
  double t;
  int steps, assemblies;
  long long iterations;
  double residual, change;                                      /* F - A(u) u of the last step, over F; of u at last */
  bool converged;                                               /* every step came to its end */
  double seconds_assembling, seconds_aiming, seconds_iterating; /* aiming: what conjugate gradients start from */
} wisp_heat_report;

typedef struct wisp_heat_solver wisp_heat_solver;

/* Whether such a mesh will fit the device with the kernels of both stages: errors of wisp_assembly_fits. */
wisp_status wisp_heat_fits(wisp_error *err, const wisp_limits *limits, int corners, int order, const size_t count[4],
                           wisp_precision precision, wisp_stage *assembly, wisp_stage *iteration);

/* Compiles and loads the kernels of both stages, chosen for the family's "step" and for WISP_HEAT_ITERATION, and makes
 * all arrays; u is the solution at t = 0. What is borrowed outlives it. */
wisp_status wisp_heat_solver_create(wisp_error *err, wisp_device *device, const wisp_heat *heat, wisp_stage *assembly,
                                    wisp_stage *iteration, const wisp_heat_method *method, wisp_heat_solver **out);
void wisp_heat_solver_destroy(wisp_heat_solver *solver);
WISP_OWNED(wisp_heat_solver, wisp_heat_solver_destroy)

/* One step of time; a steady problem is solved by one. A linear one takes one solve, another as many as it needs: each
 * begins with the matrix and the residual of the last u, so that it is the nonlinear residual that ends the step.
 * WISP_EUSAGE where kappa(u) is not positive at a node. */
wisp_status wisp_heat_step(wisp_error *err, wisp_heat_solver *solver);

/* An assembly, and a few iterations with its matrix, launch by launch, which the watch sees. u is random meanwhile. */
wisp_status wisp_heat_rehearse(wisp_error *err, wisp_heat_solver *solver, const wisp_launch_watch *watch);

size_t wisp_heat_solver_bytes(const wisp_heat_solver *solver); /* of device memory, in arrays of both stages */
const wisp_heat_report *wisp_heat_solver_report(const wisp_heat_solver *solver);
wisp_status wisp_heat_solver_field(wisp_error *err, const wisp_heat_solver *solver, double *u); /* at every node */

/* The true residual of the last step: of u and A(u) by the reference; in single precision of the matrix that was
 * assembled last, for it is another than the reference's. */
wisp_status wisp_heat_residual(wisp_error *err, const wisp_heat_solver *solver, wisp_true_residual *out);

/* Either way to it (heat_residual.c). view: the problem's assembly with its form; f and u at the nodes. */
wisp_status wisp_heat_element_residual(wisp_error *err, const wisp_assembly *view, const wisp_heat *heat, double rate,
                                       const double *f, const double *u, wisp_true_residual *out);
wisp_status wisp_heat_matrix_residual(wisp_error *err, const wisp_pattern *pattern, const double *values,
                                      const double *F, const double *u, wisp_true_residual *out);

/* Writes the matrix that was assembled last as Matrix Market, and beside it the right-hand side, its name PATH with _b
 * before the ending. Numbers have all their digits. A failure names the file that failed, and leaves neither. */
wisp_status wisp_heat_export(wisp_error *err, const wisp_heat_solver *solver, const char *path);

/* ---- The problem as a solver. */

/* Its stages. */
enum { WISP_HEAT_ASSEMBLY, WISP_HEAT_SOLVE };

typedef struct wisp_heat_run {
  wisp_solver base;
  int steps;
  wisp_heat_kappa kappa;
  wisp_heat_method method;
  int32_t *fixed; /* groups of the boundary, and the values of u there; NULL: the solution is known */
  double *values;
  size_t given_count;
  wisp_heat *heat;
  wisp_heat_solver *solver;
  double *u;                   /* at every node */
  wisp_true_residual residual; /* of the last step */
  double seconds;              /* of the last steps */
} wisp_heat_run;

extern const wisp_solver_kind wisp_heat_kind;
