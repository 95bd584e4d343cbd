/* A Poisson problem and its solver set up for a test, with cmocka's asserts. */
#pragma once

#include "../runtime/tensor/poisson_solver.h"

typedef struct poisson_case {
  wisp_session *session;
  wisp_solver *base; /* what the following belong to */
  wisp_hexmesh *mesh;
  wisp_poisson *problem;
  wisp_stage stage;
  wisp_poisson_solver *solver;
  double *x; /* the unknowns */
} poisson_case;

/* Zeros are f64 and no preconditioner; degree 0 is 3. */
typedef struct poisson_setup {
  const char *kernel; /* "collocated_trilinear" */
  int order;
  double lambda;
  wisp_precision precision;
  wisp_preconditioner preconditioner;
  int degree;
} poisson_setup;

/* Takes the mesh. Default kernels, on the device that tests run on. */
void poisson_open(poisson_case *c, wisp_hexmesh *mesh, const poisson_setup *setup);
void poisson_close(poisson_case *c);

/* Solves and gives what it took; the solution is in c->x. */
wisp_cg_report poisson_solve(poisson_case *c, double tolerance, long long most);

/* A box of n^3 hexes, bent unless amplitude is 0. */
wisp_hexmesh *hex_box(int n, double amplitude);
