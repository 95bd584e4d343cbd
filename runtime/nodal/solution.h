/* What is asked of a solution on a device: its start, its energy, its error. The field u is moved to the host and
 * judged there, in double. Who asks for more than one thing gets it once, and asks the functions of dg.h. */
#ifndef WISP_SOLUTION_H
#define WISP_SOLUTION_H

#include "dg_problem.h"

/* u as given, wisp_arrays_size(problem->arrays, "u") numbers; the Runge-Kutta residual starts at zero. */
wisp_status wisp_solution_put(wisp_error *err, wisp_problem *problem, const double *u);

/* wisp_dg_energy of u. Not finite where the solution has blown up: no error here. */
wisp_status wisp_solution_energy(wisp_error *err, wisp_problem *problem, double *out);

/* Writes all fields of u with runtime/mesh/vtu.h, elements in the mesh's order: the interpolant of order N, nothing
 * lost. WISP_ESYSTEM where the file cannot be written. */
wisp_status wisp_solution_write_vtu(wisp_error *err, const wisp_dg *dg, const double *u, const char *path);

#endif
