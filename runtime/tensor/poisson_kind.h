/* The Poisson problem on hexes as a solver. */
#pragma once

#include "../solve/solver.h"
#include "poisson_solver.h"

typedef struct wisp_poisson_run {
  wisp_solver base;
  wisp_hex_operator op;
  wisp_poisson_method method;
  wisp_poisson *problem;
  wisp_poisson_solver *solver;
  double tolerance; /* of the last solve */
  wisp_cg_report report;
  double *x; /* the unknowns */
} wisp_poisson_run;

extern const wisp_solver_kind wisp_poisson_kind;
