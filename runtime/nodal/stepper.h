/* Advances a nodal problem in time with the kernels of a stage. */
#pragma once

#include "forcing.h"
#include "halo.h"
#include "probes.h"

/* ---- A step of the Runge-Kutta method as launches of a stage's kernels, in the form that they are made for.
 *
 * Low storage: res = a res + dt L u, u = u + b res: four words of memory a number and stage.
 * Nested: u_k = u_n + c_k dt L u_(k-1), u_0 = u_n, which for a linear L without a time of its own is the same step up
 * to rounding: three words, and two in the first stage. Its kernels take u_n. Stages after the first write res and
 * u_next in turn, of which the last makes u of u_next. */

/* All of it borrowed. Between calls the fields are in u. */
typedef struct wisp_integrator {
  wisp_problem *problem;
  const wisp_kernel *const *kernel; /* in launch order */
  int kernels;
  double alpha;
  const wisp_scheme *scheme;
  const wisp_forcing *forcing;   /* what steps add besides; NULL: nothing */
  const wisp_exchange *exchange; /* before each stage, with other domains; NULL: there are none */
  bool nested;                   /* the kernels' form */
  bool moves;                    /* a stage ends in u_next: u and u_next change places */
  bool step_moves;               /* so does a step */
  wisp_module *mixing;           /* templates/solve/mix, which wisp_integrator_recur takes where nested; else NULL */
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

/* ---- Ritz values of an operator from a Krylov sequence of which only sketches are kept (Nakatsukasa and Tropp 2024,
 * "Fast and accurate randomized algorithms for linear systems and eigenvalue problems"): random sums of a vector's
 * numbers, so many that lengths and angles among a few dozen vectors are kept within percents. The vectors themselves
 * stay on the device, two at a time. */

enum {
  WISP_SPECTRUM_BLOCKS = 64,
  WISP_SPECTRUM_LANES = 256,
  WISP_SPECTRUM = WISP_SPECTRUM_BLOCKS * WISP_SPECTRUM_LANES, /* numbers, as templates/solve/sketch.*.k makes them */
  WISP_KRYLOV = 32                                            /* applications of the operator at most */
};

/* u_{k+1} = u_k + beta[k] (u_k - u_{k-1}) + alpha[k] L u_k, u_{-1} = u_0. */
typedef struct wisp_krylov {
  int count;        /* applications so far */
  double *spectrum; /* WISP_SPECTRUM numbers of each of u_0 .. u_count */
  double beta[WISP_KRYLOV], alpha[WISP_KRYLOV];
} wisp_krylov;

/* An approximate eigenvalue, and how far its vector v of length 1 is from being an eigenvector: |L v - value v|. */
typedef struct wisp_ritz {
  double re, im, residual;
} wisp_ritz;

/* The eigenvalues of L as the sequence shows them, *values of them. Where the vectors have become dependent, their
 * condition above 1 / noise, those before count. WISP_EWRONG for sketches that are zero or not finite. */
wisp_status wisp_krylov_ritz(wisp_error *err, const wisp_krylov *krylov, double noise, int *values,
                             wisp_ritz value[WISP_KRYLOV]);

/* A vector as the sum of its parts along Ritz vectors, in an orthonormal basis of the space, relative to its length. */
typedef struct wisp_modes {
  int count;
  wisp_ritz value[WISP_KRYLOV];
  double _Complex part[WISP_KRYLOV * WISP_KRYLOV]; /* of value i: count numbers from i * WISP_KRYLOV on */
} wisp_modes;
wisp_status wisp_krylov_modes(wisp_error *err, const wisp_krylov *krylov, double noise, wisp_modes *out);

/* ---- Advancing. */

/* A step of kernels that write u_next leaves u in the other of two arrays. So there are two graphs, one for each array
 * that u can be in when a step begins. */
enum { WISP_U_ARRAYS = 2 };

typedef struct wisp_stepper {
  wisp_device *device;
  wisp_stage *stage;
  wisp_precision precision;
  wisp_problem *problem;
  wisp_integrator integrator; /* of the stage's kernels */
  int current;                /* which of the two arrays u is in now */
  double dt;                  /* of the graphs */
  struct {
    double begun, dt;
    long long steps;
  } clock;                          /* the time is begun + steps dt, whatever parts the steps were made in */
  wisp_forcing *forcing;            /* NULL: there are no sources */
  wisp_exchange *exchange;          /* NULL: all of the mesh is here */
  wisp_probes *probes;              /* sees the fields after each step; borrowed; NULL: none does */
  wisp_graph *graph[WISP_U_ARRAYS]; /* by the place of u at the beginning; NULL: not recorded */
  wisp_event *begin, *end;
  struct {
    int count; /* 0: the longest stable step was not asked for */
    wisp_ritz value[WISP_KRYLOV];
  } found; /* of the operator's eigenvalues */
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

/* Enqueues `steps` steps of dt without host round trips (one graph replayed per step), then waits.
 * Graphs are kept as long as dt is the same. Time per stage in *ms_per_stage (may be NULL), 0 for no steps. WISP_EWRONG
 * where the fields are not finite afterwards. */
wisp_status wisp_stepper_advance(wisp_error *err, wisp_stepper *solver, double dt, long long steps,
                                 double *ms_per_stage);

/* The time, and the time from now on. */
double wisp_stepper_time(const wisp_stepper *solver);
void wisp_stepper_set_time(wisp_stepper *solver, double time);

/* Steps add sources from now on; borrowed. what ("option --source") begins messages. */
wisp_status wisp_stepper_force(wisp_error *err, wisp_stepper *solver, const char *what, const wisp_sources *sources);

/* A sample of the fields as they are, for the probes. */
wisp_status wisp_stepper_probe(wisp_error *err, wisp_stepper *solver);

/* Stages that the next two take together: they are not worth while for a run of fewer. */
long long wisp_stepper_limit_stages(void);

/* The longest step that is stable on this mesh, order and flux, estimated with some applications of the solver's own
 * kernels to random data (limit.c says how; docs/results/accuracy.md, how near it comes). Fields are zero afterwards.
 * WISP_CFL times it is what the estimate's error leaves room for. */
#define WISP_CFL 0.85
wisp_status wisp_stepper_limit(wisp_error *err, wisp_stepper *solver, double *limit);

/* The same for another scheme, from the eigenvalues that wisp_stepper_limit has found. */
double wisp_stepper_reach(const wisp_stepper *solver, const wisp_scheme *scheme);

/* Goes on with another scheme; the fields stay. WISP_EUSAGE where the equations are not linear, and the scheme has its
 * order for linear ones alone. */
wisp_status wisp_stepper_use(wisp_error *err, wisp_stepper *solver, const wisp_scheme *scheme);

/* The fields as they are as a sum of modes, after wisp_stepper_limit: 20 applications of the operator and the memory of
 * one field more; the fields stay. */
wisp_status wisp_stepper_modes(wisp_error *err, wisp_stepper *solver, wisp_modes *out);

/* The error of so many steps of a scheme, relative to the length of the fields that the modes are of. */
double wisp_modes_error(const wisp_modes *modes, const wisp_scheme *scheme, double dt, double steps);

/* The part of the largest value that rounding in the stages of one step can grow to, where the kernels are nested. In
 * low storage it does not grow. */
double wisp_stepper_rounding(const wisp_stepper *solver, const wisp_scheme *scheme, double dt);

/* Estimates the error of `time` in steps of dt, relative to the length of the fields as they are now. It is the error
 * of Runge-Kutta's method alone, whose leading term is |1/120 - c5| (dt L)^5 u a step, c5 its own fifth coefficient.
 * Takes the memory of one field more; the fields stay. In single precision rounding adds to it. */
wisp_status wisp_stepper_time_error(wisp_error *err, wisp_stepper *solver, double dt, double time, double *relative);

/* --- inside: solver.c advances, limit.c asks its kernels how far a step may go, norms.c what they left --- */

/* Random sums of u, WISP_SPECTRUM of them. Waits for what was enqueued before. Between open and close; close
 * does nothing where open did not. */
wisp_status wisp_stepper_open_spectrum(wisp_error *err, wisp_stepper *solver, const wisp_dg *dg);
void wisp_stepper_close_spectrum(wisp_stepper *solver);
wisp_status wisp_stepper_spectrum(wisp_error *err, const wisp_stepper *solver, double *out);

/* Forgets the recorded steps, of arrays that are in other places now. */
void wisp_stepper_forget(wisp_stepper *solver);
