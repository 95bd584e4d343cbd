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
  const char *fix; /* what is given on the boundary, "left=200,2=10"; NULL: nothing, the solution is known */
  double source;   /* f, where something is given */
  wisp_heat_method method;
  bool reproducible, sliced;
} wisp_heat_request;

typedef struct wisp_heat_run {
  wisp_session *session;
  wisp_mesh *mesh;
  wisp_heat *heat;
  wisp_stage assembly, iteration;
  int32_t *fixed; /* what --fix says: groups of the boundary, and the values of u there */
  double *values;
  size_t fixes;
  wisp_heat_solver *solver;
  double *u; /* at every node, at the end */
  double l2_error, seconds_setup, seconds;
} wisp_heat_run;

/* "triangles", "tets" */
const char *wisp_run_heat_cells(const wisp_heat_request *request);

/* The report on stdout, as text or a JSON object. */
wisp_status wisp_run_heat_print(wisp_error *err, const wisp_heat_request *request, const wisp_heat_run *run);

#endif
