/* A step of the Runge-Kutta method as launches of a stage's kernels, in the form that they are made for.
 *
 * Low storage: res = a res + dt L u, u = u + b res: four words of memory a number and stage.
 * Nested: u_k = u_n + c_k dt L u_(k-1), u_0 = u_n, which for a linear L without a time of its own is the same step up
 * to rounding: three words, and two in the first stage. Its kernels take u_n. Stages after the first write res and
 * u_next in turn, of which the last makes u of u_next. */
#pragma once

#include "dg.h"

/* All of it borrowed. Between calls the fields are in u. */
typedef struct wisp_integrator {
  wisp_problem *problem;
  const wisp_kernel *const *kernel; /* in launch order */
  int kernels;
  double alpha;
  const wisp_scheme *scheme;
  bool nested;         /* the kernels' form */
  bool moves;          /* a stage ends in u_next: u and u_next change places */
  bool step_moves;     /* so does a step */
  wisp_module *mixing; /* templates/solve/mix, which wisp_integrator_recur takes where nested; else NULL */
} wisp_integrator;
wisp_integrator wisp_integrator_of(wisp_problem *problem, const wisp_kernel *const *kernel, int kernels,
                                   const wisp_scheme *scheme, double alpha);

/* Enqueues a step of dt. After a failure u may be in u_next. */
wisp_status wisp_integrator_step(wisp_error *err, const wisp_integrator *integrator, double dt);

/* u = dt L u, with res in another place and 0; six in a row bring all arrays back to their places, whose res is to be 0
 * before the first. */
wisp_status wisp_integrator_apply(wisp_error *err, const wisp_integrator *integrator, double dt);

/* The sequence u_(k+1) = u_k + beta (u_k - u_(k-1)) + alpha L u_k, after a beginning with u_(-1) = u_0. Arrays are in
 * other places afterwards. */
wisp_status wisp_integrator_begin(wisp_error *err, const wisp_integrator *integrator);
wisp_status wisp_integrator_recur(wisp_error *err, const wisp_integrator *integrator, double beta, double alpha);
