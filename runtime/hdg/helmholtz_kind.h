/* The Helmholtz problem on triangles as a solver; and wisp_helmholtz of wisp.h, which is the same one. */
#pragma once

#include "../solve/solver.h"
#include "helmholtz_solver.h"

typedef struct wisp_helmholtz {
  wisp_solver base;
  wisp_helmholtz_texts data;
  wisp_helmholtz_method method;
  bool by_program;             /* data come from a program, solve after solve */
  const unsigned char *fluxes; /* its edges with a flux, until the mesh is made; NULL: none */
  int32_t *tags;               /* groups of the boundary whose flux is given, or whose u */
  wisp_helmholtz_problem *problem;
  wisp_helmholtz_solver *solver;
  wisp_helmholtz_outcome made, outcome; /* the set-up's, for a program; the last solve's */
  double seconds;                       /* of it */
  double seconds_data;                  /* of the data on the host, edges not counted */
  double *u, *flux, *ustar;
} wisp_helmholtz;

extern const wisp_solver_kind wisp_helmholtz_kind;
