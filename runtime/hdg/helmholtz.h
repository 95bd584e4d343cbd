/* -div(kappa grad u) + lambda u = f on triangles with a solution that is known, u = sin(2 pi x) sin(2 pi y), by the
 * hybridized method (docs/hdg.md): its data, and how far a field is from it. */
#ifndef WISP_HELMHOLTZ_H
#define WISP_HELMHOLTZ_H

#include "hdg.h"
#include "../../gen/nodal/tet.h"

typedef struct wisp_helmholtz_data {
  double tau, kappa, lambda;
  wisp_fixing dirichlet; /* edges where u is given; on all others of the boundary its flux is */
  int degree;            /* of the quadrature of loads and errors; 0: some more than the polynomials need */
  bool paper; /* loads and errors by the paper's quadrature, of P + 2 Gauss-Lobatto and P + 1 Gauss-Radau points */
} wisp_helmholtz_data;

typedef struct wisp_helmholtz {
  wisp_helmholtz_data data;
  wisp_hdg *hdg;
  wisp_quadrature rule;
  double *phi, *phi_star;              /* the modes at its points: Np, and Ns a point */
  double *tau, *kappa, *lambda, *load; /* as the family's arrays */
  double *given;
} wisp_helmholtz;

/* name (of the mesh) appears in messages. Errors of wisp_hdg_create; WISP_EUSAGE where tau or kappa is not positive,
 * lambda negative, or nothing holds u. mesh is borrowed. */
wisp_status wisp_helmholtz_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                  const wisp_helmholtz_data *data, wisp_helmholtz **out);
void wisp_helmholtz_destroy(wisp_helmholtz *problem);
WISP_OWNED(wisp_helmholtz, wisp_helmholtz_destroy)

/* Distances from the solution: in L2, of p = kappa grad u both parts together; the largest at a point of the
 * quadrature. */
typedef struct wisp_helmholtz_errors {
  double l2_u, l2_p, l2_ustar, linf_u;
} wisp_helmholtz_errors;

/* u, flux, ustar: as the family's arrays. */
wisp_status wisp_helmholtz_distance(wisp_error *err, const wisp_helmholtz *problem, const double *u, const double *flux,
                                    const double *ustar, wisp_helmholtz_errors *out);

/* The paper's rule on the bi-unit triangle: P + 2 Gauss-Lobatto points by P + 1 Gauss-Radau points, collapsed. */
wisp_status wisp_helmholtz_quadrature(wisp_error *err, int order, wisp_quadrature *out);

#endif
