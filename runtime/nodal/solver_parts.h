/* The inside of the solver: solver.c advances, limit.c asks its kernels how far a step may go. */
#ifndef WISP_SOLVER_PARTS_H
#define WISP_SOLVER_PARTS_H

#include "solver.h"

/* A kernel that writes u_next does so in every stage, and a step has an odd number of them: so there are two graphs,
 * one for each of the two arrays that u can be in when a step begins. */
enum { WISP_PLACES = 2 };

struct wisp_solver {
  wisp_device *device;
  wisp_stage *stage;
  wisp_precision precision;
  double alpha;
  wisp_problem *problem;
  wisp_kernel **kernel;           /* the stage's */
  bool swaps;                     /* a stage ends in u_next */
  int place;                      /* which of the two arrays u is in now */
  double dt;                      /* of the graphs */
  wisp_graph *graph[WISP_PLACES]; /* by the place of u at the beginning; NULL: not recorded */
  wisp_event *begin, *end;
  struct {
    wisp_module *module;     /* templates/solve/sketch */
    wisp_pointer mask, sums; /* which numbers of u are somebody's, a bit each; what it makes */
  } sketch;
};

/* Random sums of u, WISP_SKETCH of them (krylov.h). Waits for what was enqueued before. Between open and close; close
 * does nothing where open did not. */
wisp_status wisp_solver_open_sketch(wisp_error *err, wisp_solver *solver, const wisp_dg *dg);
void wisp_solver_close_sketch(wisp_solver *solver);
wisp_status wisp_solver_sketch(wisp_error *err, const wisp_solver *solver, double *out);

/* Enqueues one stage: res = a res + dt L u, u += b res, with L the operator in space. */
wisp_status wisp_solver_stage(wisp_error *err, wisp_solver *solver, double a, double b, double dt);

#endif
