/* Heat conduction as a solver. */
#ifndef WISP_HEAT_KIND_H
#define WISP_HEAT_KIND_H

#include "../solve/solver.h"
#include "heat_solver.h"

/* Its stages. */
enum { WISP_HEAT_ASSEMBLY, WISP_HEAT_SOLVE };

typedef struct wisp_heat_run {
  wisp_solver base;
  int steps;
  wisp_heat_kappa kappa;
  wisp_heat_method method;
  int32_t *fixed; /* groups of the boundary, and the values of u there; NULL: the solution is known */
  double *values;
  size_t given_count;
  wisp_heat *heat;
  wisp_heat_solver *solver;
  double *u;      /* at every node */
  double seconds; /* of the last steps */
} wisp_heat_run;

extern const wisp_solver_kind wisp_heat_kind;

#endif
