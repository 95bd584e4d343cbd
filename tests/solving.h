/* A problem set up for a test: mesh, operators, system, device, step, discretisation, solver, with cmocka's asserts. */
#pragma once

#include "../runtime/nodal/system_kind.h"

typedef struct solving {
  wisp_session *session;
  wisp_solver *base; /* what the following belong to */
  wisp_device *device;
  wisp_mesh *mesh;
  wisp_tet *tet;
  wisp_system *system;
  wisp_stage stage;
  wisp_dg *dg;
  wisp_stepper *solver;
  wisp_problem *problem; /* the solver's */
} solving;

/* A set-up; zeros are the family nodal on tets, the system maxwell in its own medium, f64, defaults without a
 * store, upwind flux, PEC (of another system its first boundary). */
typedef struct solving_setup {
  int order;
  wisp_precision precision;
  const char *element, *system;
  const char *const *media; /* of each quantity of the system; NULL: as it has them */
  const char *composition, *layout;
  bool central, absorbing;
  const wisp_store *store;
} solving_setup;

/* A session on the test device that chooses the default kernels. */
wisp_session *default_session(void);

/* This composition runs, and no longer where results must be reproducible. */
void expect_varying(wisp_spec spec, const char *composition);

/* Takes the mesh. False, with nothing to close and the reason in err, where the step has no plan here. */
bool solving_open(wisp_error *err, solving *s, wisp_mesh *mesh, const solving_setup *setup);
void solving_close(solving *s);

/* The unit box without its last `left_out` elements, so that groups are not full. */
wisp_mesh *ragged_box(int n, size_t left_out);

/* Cavity mode (1,1,0) at t = 0 in u, and one run of it to `time` with the solver's own dt divided by `finer`; gives the
 * L2 error. */
double cavity_error(solving *s, double time, double finer);

/* u = function at time t in the nodes; the L2 distance of u from that. */
wisp_status solution_set(wisp_error *err, wisp_problem *problem, wisp_function function, const void *context, double t);
wisp_status solution_error(wisp_error *err, wisp_problem *problem, wisp_function exact, const void *context, double t,
                           double *out);

/* The same numbers on every machine, in [-1, 1], multiples of 2^-20. */
void fill_random(double *values, size_t count);

/* Random DOFs in every element; padding and empty slots stay 0. Size: wisp_dg_volume_size. */
void random_solution(const wisp_dg *dg, double *u);

/* The solver's steps by the double references: `steps` steps of dt on u, in place. */
void reference_steps(const wisp_dg *dg, const wisp_scheme *scheme, double alpha, double dt, int steps, double *u);
