/* A system of equations as a solver: discontinuous elements in time. */
#pragma once

#include "../solve/solver.h"
#include "checkpoint.h"
#include "initial.h"
#include "../mesh/series.h"
#include "start.h"
#include "stepper.h"

typedef struct wisp_basis {
  const char *name; /* "nodal" or "bernstein" */
  char reason[160]; /* for the choice, for people; empty where the basis was asked for */
} wisp_basis;

/* The choice of the scheme. L2 errors are estimates; NaN: nothing was estimated. */
typedef struct wisp_scheme_choice {
  bool open;                    /* to be taken when there are fields */
  double allowed, space, error; /* of the steps, of the elements, of the scheme's steps */
  double speedup;               /* time that a stage goes on, over that of LSRK4(5); NaN: not measured */
} wisp_scheme_choice;

/* The state that a run goes on from. */
typedef struct wisp_restart {
  bool given;
  wisp_checkpoint state;
  double *u; /* until it has started */
} wisp_restart;

typedef struct wisp_system_run {
  wisp_solver base;
  char *coefficient[WISP_MAX_QUANTITIES]; /* of each quantity of the system its text; NULL: none is given */
  const int *mode;                        /* NULL: the solution's own */
  int modes[3];
  double alpha;
  wisp_system *system;
  wisp_basis basis;
  wisp_tet *tet;
  wisp_domain domain; /* where the session has ranks */
  wisp_dg *dg;
  wisp_stepper *stepper;
  wisp_start start;     /* of the system's file; its state is NULL where there is none */
  wisp_initial initial; /* by expression, where these are asked for */
  wisp_sources sources; /* by expression, likewise */
  double *medium;       /* of the elements */
  wisp_walls walls;
  bool known;    /* the solution */
  bool lossless; /* walls that keep the energy, as a start has to show that is no solution */
  bool measured; /* the longest stable step */
  bool started;  /* fields are a start's, or a program's */
  wisp_scheme_choice scheme;
  double limit;  /* the longest stable step; NaN: not measured */
  double step;   /* the one to take */
  double misfit; /* of the start on the elements, wisp_dg_misfit; NaN where the solution is known */
  double energy_initial;
  double energy_resumed; /* of a run that went on, where it did: sources may have come before */
  /* what has run */
  long long steps;
  double time, dt;
  double ms_per_stage; /* of the last steps */
  double time_error;   /* L2, what the steps are estimated to add to the error; NaN: not known */
  double *u;           /* the fields on the host, where `fetched` */
  bool fetched;
  wisp_restart restart;
  wisp_probes *probes; /* NULL: none */
  wisp_series series;  /* of files that have been written */
  const char *name[WISP_MAX_FIELDS];
  int *node; /* of a program's values: which of the file's nodes each of a turned element's is (system_values.c) */
} wisp_system_run;

static inline wisp_system_run *wisp_system_run_of(const wisp_solver *solver)
{
  return (wisp_system_run *)(uintptr_t)solver;
}

/* The fields on the host: run->u (system_values.c, as the next). */
wisp_status wisp_system_fetch(wisp_error *err, wisp_system_run *run);

/* Between run->u, which is as the kernels have it, and u in the mesh's order. raw: numbers as the basis has them. */
typedef enum wisp_exchange_direction { WISP_GET, WISP_SET } wisp_exchange_direction;
wisp_status wisp_system_exchange(wisp_error *err, wisp_system_run *run, wisp_exchange_direction direction, bool raw,
                                 double *u);

/* ---- Checkpoints (system_restart.c). */

wisp_status wisp_system_checkpoint(wisp_error *err, wisp_system_run *run, const char *path);
/* run->restart, if one is asked for, before there is a mesh. */
wisp_status wisp_system_read_checkpoint(wisp_error *err, wisp_system_run *run);
/* The value of an option: of a run that goes on the recorded one, unless it is given. */
static inline const char *wisp_system_option(const wisp_system_run *run, const char *name, const char *recorded)
{
  const wisp_solver *s = &run->base;
  return run->restart.given && !wisp_solver_given(s, name) ? recorded : wisp_solver_text(s, name);
}
/* Whether the same kernels can go on: on the same device in the same precision. */
bool wisp_system_is_resumed(const wisp_system_run *run);
/* The fields in run->u, the time and what has run. */
wisp_status wisp_system_resume(wisp_error *err, wisp_system_run *run);

/* ---- One of several domains (system_domain.c); of a process alone they do nothing. */

/* This rank's domain of the mesh, in run->domain. *out: NULL where the mesh is not divided. */
wisp_status wisp_system_divide(wisp_error *err, wisp_system_run *run, const wisp_domain **out);
/* WISP_ESYSTEM where ranks run different kernels. */
wisp_status wisp_system_compare_kernels(wisp_error *err, const wisp_system_run *run);
/* Reports the parts: nothing of a process alone. */
wisp_status wisp_system_report_domains(wisp_error *err, const wisp_system_run *run, wisp_solver_report *to);
/* Gives rank 0 the values of all elements: `numbers` of each, one after the other, in the mesh's order. */
wisp_status wisp_system_gather(wisp_error *err, const wisp_system_run *run, size_t numbers, double *values);

/* ---- The scheme and its step (system_scheme.c). */

/* Refuses requests that say two things. */
wisp_status wisp_system_check_scheme(wisp_error *err, const wisp_system_run *run);
/* The step to take, in the medium as it is: fields are zero afterwards. */
wisp_status wisp_system_choose_step(wisp_error *err, wisp_system_run *run);
/* The scheme, where it goes by the fields as they are, and its step. The fields are in run->u as well. */
wisp_status wisp_system_choose_scheme(wisp_error *err, wisp_system_run *run);
/* run->time_error, of the steps so far, for fields of that L2 length. */
wisp_status wisp_system_time_error(wisp_error *err, wisp_system_run *run, double length);
wisp_status wisp_system_report_scheme(wisp_error *err, const wisp_system_run *run, wisp_solver_report *to);

/* ---- What a run can tell of its own data (system_check.c). */

/* Refuses coefficients that the precision cannot compute with, and notes jumps that it does not resolve. */
wisp_status wisp_system_check_media(wisp_error *err, wisp_system_run *run);
/* Notes a start that the elements do not hold; u: what they have of it. */
wisp_status wisp_system_check_start(wisp_error *err, wisp_system_run *run, const double *u);
/* Notes energy that the first steps lost, though walls keep it. */
wisp_status wisp_system_check_first(wisp_error *err, wisp_system_run *run, long long steps);
/* WISP_EWRONG, with what explains it: the system's file, the step, the media, or else a kernel. */
wisp_status wisp_system_blew_up(wisp_error *err, const wisp_system_run *run);

/* ---- Members of the kind's table in files of their own: system_advance.c, system_report.c, system_values.c. */

/* Chooses the start of the system's file (system_start.c, as the next). Without a request, and where the walls are not
 * those of the chosen solution, takes a solution that has them. */
wisp_status wisp_system_choose_start(wisp_error *err, wisp_system_run *run);
/* Sets the first fields, unless a program has set them. */
wisp_status wisp_system_start(wisp_error *err, wisp_solver *solver);
wisp_status wisp_system_advance(wisp_error *err, wisp_solver *solver, const wisp_until *until, const wisp_watch *watch);

wisp_status wisp_system_report(wisp_error *err, wisp_solver *solver, wisp_solver_report *to);
wisp_status wisp_system_size(wisp_error *err, const wisp_solver *solver, wisp_solver_sizes *out);
wisp_status wisp_system_nodes(wisp_error *err, const wisp_solver *solver, double *xyz);
wisp_status wisp_system_set(wisp_error *err, wisp_solver *solver, const char *name, const double *values);
wisp_status wisp_system_get(wisp_error *err, wisp_solver *solver, double *u);

extern const wisp_solver_kind wisp_system_kind;
