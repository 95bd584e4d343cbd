/* A run of the Helmholtz problem on triangles: what is asked for, what it is made of, what came out. */
#ifndef WISP_RUN_HELMHOLTZ_H
#define WISP_RUN_HELMHOLTZ_H

#include "run.h"
#include "../runtime/hdg/helmholtz_solver.h"

typedef struct wisp_helmholtz_wishes {
  wisp_run_request run;
  wisp_helmholtz_texts data;
  wisp_helmholtz_method method;
  bool reproducible;   /* no kernel that adds up in no fixed order */
  const char *neumann; /* as --neumann gives it, or NULL */
  bool standard;       /* nothing is said of u: the solution is the one that --help tells */
  const char *vtu;
} wisp_helmholtz_wishes;

typedef struct wisp_helmholtz_run {
  wisp_session *session;
  wisp_mesh *mesh;
  wisp_helmholtz_problem *problem;
  int32_t *neumann; /* the groups of the boundary whose flux is given; NULL: none */
  wisp_stage stage[WISP_HELMHOLTZ_PARTS];
  wisp_helmholtz_solver *solver;
  wisp_helmholtz_outcome report;
  wisp_helmholtz_errors errors;
  double seconds_setup, seconds;
} wisp_helmholtz_run;

extern const char *const wisp_trace_preconditioners[4]; /* as wisp_trace_preconditioner */

/* The report on stdout, as text or a JSON object. */
wisp_status wisp_run_helmholtz_print(wisp_error *err, const wisp_helmholtz_wishes *request,
                                     const wisp_helmholtz_run *run);

#endif
