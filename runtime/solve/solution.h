/* What is asked of a solution on a device: its start, its energy, its error. The field u is moved to the host and
 * judged there, in double. */
#ifndef WISP_SOLUTION_H
#define WISP_SOLUTION_H

#include "dg_problem.h"

/* u = function at time t in the nodes; the Runge-Kutta residual starts at zero. */
wisp_status wisp_solution_set(wisp_error *err, wisp_problem *problem, wisp_function function, const void *context,
                              double t);

/* wisp_dg_energy of u. Not finite where the solution has blown up: no error here. */
wisp_status wisp_solution_energy(wisp_error *err, wisp_problem *problem, double *out);

/* wisp_dg_l2_error of u. */
wisp_status wisp_solution_l2_error(wisp_error *err, wisp_problem *problem, wisp_function exact, const void *context,
                                   double t, double *out);

/* Writes all fields of u with runtime/mesh/vtu.h, elements in the mesh's order: the interpolant of order N, nothing
 * lost. WISP_ESYSTEM where the file cannot be written. */
wisp_status wisp_solution_write_vtu(wisp_error *err, wisp_problem *problem, const char *path);

#endif
