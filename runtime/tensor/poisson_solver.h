/* Conjugate gradients (runtime/solve/cg.h) for a Poisson problem, with the kernels of the tensor family.
 *
 * The operator is spread (p to the elements, as u), the element's operator (y = A u), and gather (Ap); the
 * preconditioner is advance, which scales by the diagonal, or does nothing; with Chebyshev then degree - 1 times spread
 * (z to the elements), the operator, smooth. */
#pragma once

#include "../solve/residual.h"
#include "../solve/solver.h"
#include "hex_reference.h"

/* ---- The screened Poisson problem -laplace(u) + lambda u = f with Dirichlet conditions, or the mass problem u = f, on
 * continuous elements of hexahedra, with a solution that is known: CEED's bake-off problems BP1, BP3, BP5.
 *
 * The solution is a product of X(s) = sin(pi s) exp(s) in each direction, s from 0 to 1 across the bounding box: zero
 * on the sides of a box, no eigenfunction, and not symmetric. Values on the boundary, where they are not zero, are
 * lifted: unknowns are the nodes inside alone (all nodes for the mass problem). */

typedef struct wisp_poisson {
  const wisp_hexmesh *mesh; /* borrowed */
  wisp_frame frame;         /* that all of the following is in */
  wisp_hex *hex;
  wisp_hex_operator op;
  double lambda;            /* times the square of the frame's length */
  double low[3], length[3]; /* of the bounding box */
  wisp_hexnodes *nodes;
  wisp_hexcopies *copies;
  double *b; /* the right-hand side at each unknown, values on the boundary taken into it */
} wisp_poisson;

/* name (of the mesh) appears in messages. WISP_EUSAGE for an order out of range, a lambda that is
 * negative or, times the square of the length, above 1e12, or a problem without unknowns; WISP_EINPUT for a mesh that
 * does not conform or is degenerate. */
wisp_status wisp_poisson_create(wisp_error *err, const char *name, const wisp_hexmesh *mesh, int order,
                                wisp_hex_operator op, double lambda, wisp_poisson **out);
void wisp_poisson_destroy(wisp_poisson *problem);
WISP_OWNED(wisp_poisson, wisp_poisson_destroy)

/* The diagonal of the assembled matrix in the frame, exactly: a number an unknown, caller's memory. */
wisp_status wisp_poisson_diagonal(wisp_error *err, const wisp_poisson *problem, double *diagonal);

/* The L2 distance of the solution from these unknowns, by Gauss quadrature, in the mesh's units. */
wisp_status wisp_poisson_error(wisp_error *err, const wisp_poisson *problem, const double *unknowns, double *error);

/* The true residual of these unknowns, by the reference. precision: of the solve that found them; vertices: its
 * operator reads them, and no stored factors. */
wisp_status wisp_poisson_residual(wisp_error *err, const wisp_poisson *problem, wisp_precision precision, bool vertices,
                                  const double *unknowns, wisp_true_residual *out);

/* u on the lattice of ../mesh/vtu.h. */
wisp_status wisp_poisson_fields(wisp_error *err, const wisp_poisson *problem, const double *unknowns, wisp_fields *out);

typedef enum wisp_preconditioner {
  WISP_NO_PRECONDITIONER,
  WISP_JACOBI,
  WISP_CHEBYSHEV,
  WISP_MULTIGRID /* multigrid.h */
} wisp_preconditioner;

/* A cycle in single precision that precondition makes z by, all borrowed: from the residual at r, where z begins as
 * scale r / diagonal, to z. */
typedef struct wisp_poisson_cycle {
  const wisp_launches *launches;
  wisp_pointer r, z;
  double scale;
} wisp_poisson_cycle;

enum { WISP_POISSON_COMPOSITION = WISP_NAME_TEXT + 48 };

/* The kernels of an iteration as a composition for wisp_choose, with this operator ("collocated_trilinear"). */
void wisp_poisson_composition(const char *kernel, wisp_preconditioner preconditioner,
                              char text[WISP_POISSON_COMPOSITION]);

/* The operator of a stage that is loaded. */
const wisp_kernel *wisp_poisson_operator(const wisp_stage *stage);

typedef struct wisp_poisson_method {
  wisp_precision precision;
  wisp_preconditioner preconditioner;
  int degree;               /* of the Chebyshev polynomial, or those of multigrid, 1 or more */
  wisp_poisson_cycle cycle; /* of multigrid */
} wisp_poisson_method;

typedef struct wisp_poisson_solver {
  const wisp_poisson *problem;
  wisp_stage *stage;
  wisp_problem *vectors;    /* on the device, with the geometry */
  wisp_arrays *arrays;      /* its own */
  int degree;               /* of the polynomial in M^-1 A; 1: Jacobi, or nothing */
  double scale;             /* z = scale r / diagonal before it */
  double bound;             /* the upper end of the interval that it is made for; NaN without one */
  wisp_poisson_cycle cycle; /* without launches: another preconditioner */
  wisp_cg *cg;              /* what solves, for the problem's right-hand side or another */
} wisp_poisson_solver;

/* Whether so many hexes fit a device with these limits, before a mesh is made. box: the cells of a box along its edges,
 * of which all is known; NULL: unknowns that elements share are left out. Errors of wisp_arrays_fit. */
wisp_status wisp_poisson_fits(wisp_error *err, const wisp_limits *limits, size_t elements, const int *box, int order,
                              wisp_hex_operator op, wisp_precision precision, const wisp_stage *stage);

/* Compiles the stage's kernels, makes and uploads all arrays, and for Chebyshev estimates the largest eigenvalue. The
 * borrowed problem, stage and device must outlive it. stage: chosen for wisp_poisson_composition. WISP_EMEMORY says how
 * much is needed and how much there is. */
wisp_status wisp_poisson_solver_create(wisp_error *err, wisp_device *device, const wisp_poisson *problem,
                                       wisp_stage *stage, const wisp_poisson_method *method, wisp_poisson_solver **out);
void wisp_poisson_solver_destroy(wisp_poisson_solver *solver);
WISP_OWNED(wisp_poisson_solver, wisp_poisson_solver_destroy)

/* ---- The problem as a solver. */

typedef struct wisp_poisson_run {
  wisp_solver base;
  wisp_hex_operator op;
  wisp_poisson_method method;
  wisp_poisson *problem;
  struct wisp_multigrid *multigrid; /* NULL: another preconditioner */
  wisp_poisson_solver *solver;
  double tolerance; /* of the last solve */
  wisp_cg_report report;
  wisp_true_residual residual; /* likewise */
  double *x;                   /* the unknowns */
} wisp_poisson_run;

extern const wisp_solver_kind wisp_poisson_kind;
