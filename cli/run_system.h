/* A run of a system of equations: what is asked for, what it is made of, what came out. */
#ifndef WISP_RUN_SYSTEM_H
#define WISP_RUN_SYSTEM_H

#include "run.h"
#include "../runtime/nodal/basis.h"
#include "../runtime/nodal/start.h"

typedef struct wisp_system_request {
  wisp_run_request run;
  const char *system; /* "maxwell" */
  const char *output;
  const char *boundary, *start; /* NULL: the system's first; what fits the mesh */
  const char *basis;            /* NULL: the first */
  bool has_mode;
  int mode[3];
  long long steps;                              /* -1: by time */
  double time, dt, alpha;                       /* time, dt: NaN where not given */
  double cfl;                                   /* dt over the limit, where dt is not given */
  wisp_wish kernels;                            /* what they are chosen for */
  const char *coefficient[WISP_MAX_QUANTITIES]; /* of each quantity of the system its text; NULL: none is given */
} wisp_system_request;

typedef struct wisp_system_run {
  wisp_session *session;
  wisp_mesh *mesh;
  wisp_basis basis;
  wisp_tet *tet;
  wisp_system *system;
  wisp_stage stage;
  wisp_dg *dg;
  wisp_stepper *solver;
  wisp_start start;
  double *medium; /* of the elements */
  wisp_walls walls;
  bool lossless; /* walls that keep the energy, as a start has to show that is no solution */
  /* results */
  bool known;    /* the solution: l2_error is a number */
  bool measured; /* the longest stable step and the steps' error: else these two are NaN */
  long long steps;
  double limit;      /* the longest stable step */
  double time_error; /* L2, what the steps are estimated to add to the error */
  double misfit;     /* of the start on the elements, wisp_dg_misfit; NaN where the solution is known */
  double dt, dofs, seconds, ms_per_stage, gdofs, l2_error, energy_initial, energy_final;
} wisp_system_run;

/* Refuses coefficients that the precision cannot compute with, and notes jumps that it does not resolve. */
wisp_status wisp_run_system_check_media(wisp_error *err, const wisp_system_request *request, wisp_system_run *run);
/* Notes a start that the elements do not hold; u: what they have of it. */
wisp_status wisp_run_system_check_start(wisp_error *err, wisp_system_run *run, const double *u);
/* Notes energy that the first steps lost, though walls keep it. */
wisp_status wisp_run_system_check_first(wisp_error *err, wisp_system_run *run, long long steps);
/* WISP_EWRONG, with what explains it: the system's file, the step, the media, or else a kernel. */
wisp_status wisp_run_system_blew_up(wisp_error *err, const wisp_system_request *request, const wisp_system_run *run);

/* The report on stdout, as a table or a JSON object. */
wisp_status wisp_run_system_print(wisp_error *err, const wisp_system_request *request, const wisp_system_run *run);

#endif
