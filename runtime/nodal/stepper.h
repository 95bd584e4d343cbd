/* Advances a nodal problem in time with the kernels of a stage. */
#pragma once

#include "../solve/choose.h"
#include "integrator.h"

/* A step of kernels that write u_next leaves u in the other of two arrays. So there are two graphs, one for each array
 * that u can be in when a step begins. */
enum { WISP_U_ARRAYS = 2 };

typedef struct wisp_stepper {
  wisp_device *device;
  wisp_stage *stage;
  wisp_precision precision;
  wisp_problem *problem;
  wisp_integrator integrator;       /* of the stage's kernels */
  int current;                      /* which of the two arrays u is in now */
  double dt;                        /* of the graphs */
  wisp_graph *graph[WISP_U_ARRAYS]; /* by the place of u at the beginning; NULL: not recorded */
  wisp_event *begin, *end;
  struct {
    wisp_module *module;     /* templates/solve/sketch */
    wisp_pointer mask, sums; /* which numbers of u are somebody's, a bit each; what it makes */
  } spectrum;
} wisp_stepper;

/* Compiles the stage's kernels (in parallel) and uploads the problem. dg must have the stage's layout and MB; it is
 * given pairs where a kernel reads them. All borrowed objects must outlive the solver. A kernel that fails to compile
 * or load falls back to the default with the choice saying so. */
wisp_status wisp_stepper_create(wisp_error *err, wisp_device *device, wisp_dg *dg, wisp_precision precision,
                                wisp_stage *stage, double alpha, wisp_stepper **out);
void wisp_stepper_destroy(wisp_stepper *solver);
WISP_OWNED(wisp_stepper, wisp_stepper_destroy)

/* Enqueues `steps` steps of dt (5 stages each) without host round trips (one graph replayed per step), then waits.
 * Graphs are kept as long as dt is the same. Time per stage in *ms_per_stage (may be NULL), 0 for no steps. WISP_EWRONG
 * where the fields are not finite afterwards. */
wisp_status wisp_stepper_advance(wisp_error *err, wisp_stepper *solver, double dt, long long steps,
                                 double *ms_per_stage);

/* Stages that the next two take together: they are not worth while for a run of fewer. */
long long wisp_stepper_limit_stages(void);

/* The longest step that is stable on this mesh, order and flux, estimated with some applications of the solver's own
 * kernels to random data (limit.c says how; docs/results/accuracy.md, how near it comes). Fields are zero afterwards.
 * WISP_CFL times it is what the estimate's error leaves room for. */
#define WISP_CFL 0.85
wisp_status wisp_stepper_limit(wisp_error *err, wisp_stepper *solver, double *limit);

/* Estimates the error of `time` in steps of dt, relative to the length of the fields as they are now. It is the error
 * of Runge-Kutta's method alone, whose leading term is |1/120 - c5| (dt L)^5 u a step, c5 its own fifth coefficient.
 * Takes the memory of one field more; the fields stay. In single precision rounding adds to it. */
wisp_status wisp_stepper_time_error(wisp_error *err, wisp_stepper *solver, double dt, double time, double *relative);

/* --- inside: solver.c advances, limit.c asks its kernels how far a step may go, norms.c what they left --- */

/* Random sums of u, WISP_SPECTRUM of them (krylov.h). Waits for what was enqueued before. Between open and close; close
 * does nothing where open did not. */
wisp_status wisp_stepper_open_spectrum(wisp_error *err, wisp_stepper *solver, const wisp_dg *dg);
void wisp_stepper_close_spectrum(wisp_stepper *solver);
wisp_status wisp_stepper_spectrum(wisp_error *err, const wisp_stepper *solver, double *out);

/* Forgets the recorded steps, of arrays that are in other places now. */
void wisp_stepper_forget(wisp_stepper *solver);
