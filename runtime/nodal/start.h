/* Starts and solutions that a system's file states: the first fields of a run, and whether its solution is known. */
#pragma once

#include "dg.h"
#include "../mesh/fields.h"

typedef struct wisp_start {
  const wisp_system *system;
  const wisp_state *state;
  wisp_surroundings surroundings;
  bool exact;    /* solves the equations in this domain, with the state's walls */
  char text[64]; /* "cavity mode 1,1,0" */
} wisp_start;

/* The system's start or solution of that name. NULL: its first solution in the unit box, or where a mode is asked for;
 * else its first start. mode: NULL for the solution's own. The system is borrowed. WISP_EUSAGE where there is none, the
 * mode has no meaning for it, or it is not finite. */
wisp_status wisp_start_choose(wisp_error *err, const wisp_mesh *mesh, const wisp_system *system, const char *name,
                              const int *mode, wisp_start *out);

/* Divides the spacing of nodes, which wisp_start_choose sets for elements of order 1, by the order. */
void wisp_start_order(wisp_start *start, int order);

/* The media of `elements` elements. A solution is one where they are all alike; else it is a start, in a medium of
 * their mean coefficients. WISP_EUSAGE where it is not finite there. */
wisp_status wisp_start_medium(wisp_error *err, size_t elements, const double *medium, wisp_start *start);

/* A wisp_function: all fields at t = 0, at any t where it is a solution. context is the start. */
void wisp_start_field(const void *start, size_t count, const double *xyz, double t, double *u);

/* ---- What is asked of a solution on a device: its start, its energy, its error. The field u is moved to the host and
 * judged there, in double. Who asks for more than one thing gets it once, and asks the functions of dg.h. */

/* u as given, wisp_arrays_size(problem->arrays, "u") numbers; the Runge-Kutta residual starts at zero. */
wisp_status wisp_solution_put(wisp_error *err, wisp_problem *problem, const double *u);

/* wisp_dg_energy of u. Not finite where the solution has blown up: no error here. */
wisp_status wisp_solution_energy(wisp_error *err, wisp_problem *problem, double *out);

/* All fields of u on the lattice of runtime/mesh/vtu.h, elements in the mesh's order: the interpolant of order N,
 * nothing lost. */
wisp_status wisp_solution_fields(wisp_error *err, const wisp_dg *dg, const double *u, wisp_fields *out);
