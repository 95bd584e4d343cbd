/* The screened Poisson problem -laplace(u) + lambda u = f with Dirichlet conditions, or the mass problem u = f, on
 * continuous elements of hexahedra, with a solution that is known: CEED's bake-off problems BP1, BP3, BP5.
 *
 * The solution is a product of X(s) = sin(pi s) exp(s) in each direction, s from 0 to 1 across the bounding box: zero
 * on the sides of a box, no eigenfunction, and not symmetric. Values on the boundary, where they are not zero, are
 * lifted: unknowns are the nodes inside alone (all nodes for the mass problem). */
#ifndef WISP_POISSON_H
#define WISP_POISSON_H

#include "hex_reference.h"

typedef struct wisp_poisson {
  const wisp_hexmesh *mesh; /* borrowed */
  wisp_hex *hex;
  wisp_hex_operator op;
  double lambda;
  double low[3], length[3]; /* of the bounding box */
  wisp_hexnodes *nodes;
  wisp_hexcopies *copies;
  double *b; /* the right-hand side at each unknown, values on the boundary taken into it */
} wisp_poisson;

/* name (of the mesh) appears in messages. WISP_EUSAGE for an order out of range, a negative lambda, or a problem
 * without unknowns; WISP_EINPUT for a mesh that does not conform or is degenerate. */
wisp_status wisp_poisson_create(wisp_error *err, const char *name, const wisp_hexmesh *mesh, int order,
                                wisp_hex_operator op, double lambda, wisp_poisson **out);
void wisp_poisson_destroy(wisp_poisson *problem);
WISP_OWNED(wisp_poisson, wisp_poisson_destroy)

/* The diagonal of the assembled matrix, exactly: a number an unknown, caller's memory. */
wisp_status wisp_poisson_diagonal(wisp_error *err, const wisp_poisson *problem, double *diagonal);

/* The L2 distance of the solution from these unknowns, by Gauss quadrature. */
wisp_status wisp_poisson_error(wisp_error *err, const wisp_poisson *problem, const double *unknowns, double *error);

#endif
