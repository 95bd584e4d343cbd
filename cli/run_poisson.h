/* A run of the Poisson problem: what is asked for, what it is made of, what came out. */
#ifndef WISP_RUN_POISSON_H
#define WISP_RUN_POISSON_H

#include "run.h"
#include "../runtime/tensor/poisson_solver.h"

typedef enum wisp_geometry { WISP_GEOMETRY_AUTO, WISP_GEOMETRY_STORED, WISP_GEOMETRY_TRILINEAR } wisp_geometry;

typedef struct wisp_poisson_request {
  wisp_run_request run;
  wisp_hex_operator op;
  wisp_geometry geometry;
  double lambda, tolerance;
  long long iterations; /* at most */
  wisp_poisson_method method;
} wisp_poisson_request;

typedef struct wisp_poisson_run {
  wisp_session *session;
  wisp_hexmesh *mesh;
  wisp_poisson *problem;
  wisp_stage stage;
  wisp_poisson_solver *solver;
  /* results */
  wisp_cg_report report;
  double unknowns, l2_error, gdofs;
} wisp_poisson_run;

extern const char *const wisp_poisson_problems[3];        /* "bp1", ...: by operator */
extern const char *const wisp_poisson_preconditioners[3]; /* "none", ... */

/* The kernel of a stage that is the operator; every composition of the family has one. */
const wisp_choice *wisp_run_operator(const wisp_stage *stage);

/* The report on stdout, as a table or a JSON object. */
wisp_status wisp_run_poisson_print(wisp_error *err, const wisp_poisson_request *request, const wisp_poisson_run *run);

#endif
