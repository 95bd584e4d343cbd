/* A run of heat conduction: what is asked for, what it is made of, what came out. */
#ifndef WISP_RUN_HEAT_H
#define WISP_RUN_HEAT_H

#include "run.h"
#include "../runtime/assembly/heat_solver.h"

typedef struct wisp_heat_request {
  wisp_run_request run;
  int dimension;    /* of the elements, 2 or 3 */
  const char *path; /* of the matrix, to be exported; NULL: it is not */
  const char *vtu;  /* of u at the end; NULL: none */
  int steps;
  wisp_heat_kappa kappa;
  double capacity;
  wisp_heat_given given; /* count 0: nothing, the solution is known */
  wisp_heat_method method;
  bool reproducible, sliced;
} wisp_heat_request;

typedef struct wisp_heat_run {
  wisp_session *session;
  wisp_mesh *mesh;
  wisp_heat *heat;
  wisp_stage assembly, iteration;
  wisp_heat_solver *solver;
  double *u; /* at every node, at the end */
  double l2_error, seconds_setup, seconds;
} wisp_heat_run;

/* "triangles", "tets" */
const char *wisp_run_heat_cells(const wisp_heat_request *request);

/* The report on stdout, as text or a JSON object. */
wisp_status wisp_run_heat_print(wisp_error *err, const wisp_heat_request *request, const wisp_heat_run *run);

#endif
