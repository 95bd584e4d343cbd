/* The data of -div(kappa grad u) + lambda u = f on triangles (docs/guide/helmholtz.md), and distances from solutions.
 */
#pragma once

#include "hdg.h"
#include "../mesh/fields.h"
#include "../mesh/formula.h"
#include "../../gen/nodal/tet.h"

/* Texts are expressions (../mesh/formula.h). */
typedef struct wisp_helmholtz_texts {
  double tau;                         /* 0: of each triangle its kappa over the mesh's length (../mesh/frame.h) */
  const char *kappa, *lambda;         /* of each triangle, at its middle */
  const double *kappa_of, *lambda_of; /* or numbers of each triangle, in their place; NULL: by the texts */
  const char *solution; /* u, where it is known: f and what is given on the boundary follow; else NULL, and */
  const char *source, *value, *flux; /* f, u and kappa du/dn on the boundary; NULL: 0 */
  wisp_fixing dirichlet;             /* edges where u is given; on all others of the boundary its flux is */
  bool paper; /* loads and errors by the paper's quadrature, of P + 2 Gauss-Lobatto and P + 1 Gauss-Radau points */
} wisp_helmholtz_texts;

/* The solution and its derivatives, or what is given in its place. */
typedef enum wisp_helmholtz_formula {
  WISP_HELMHOLTZ_U,
  WISP_HELMHOLTZ_DX,
  WISP_HELMHOLTZ_DY,
  WISP_HELMHOLTZ_DXX,
  WISP_HELMHOLTZ_DYY,
  WISP_HELMHOLTZ_SOURCE,
  WISP_HELMHOLTZ_FLUX,
  WISP_HELMHOLTZ_FORMULAS
} wisp_helmholtz_formula;

typedef struct wisp_helmholtz_problem {
  wisp_helmholtz_texts data;
  wisp_hdg *hdg;
  wisp_hdg_pieces *pieces;
  wisp_formula *formula[WISP_HELMHOLTZ_FORMULAS]; /* NULL: not there, or 0 */
  wisp_quadrature rule;
  struct wisp_edge_rule {
    size_t count;
    double x[WISP_HDG_MAX_ORDER + 7], w[WISP_HDG_MAX_ORDER + 7];
  } edge_rule;
  double *phi, *phi_star;              /* the modes at its points: Np, and Ns a point */
  double *tau, *kappa, *lambda, *load; /* as the family's arrays, in the frame of hdg */
  double *given;                       /* likewise */
} wisp_helmholtz_problem;

/* name (of the mesh) appears in messages. Errors of wisp_hdg_create and wisp_hdg_pieces_balance; WISP_EUSAGE where tau
 * or kappa is not positive, lambda negative, a text no expression or not finite somewhere. mesh is borrowed. */
wisp_status wisp_helmholtz_problem_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                          const wisp_helmholtz_texts *data, wisp_helmholtz_problem **out);
void wisp_helmholtz_problem_destroy(wisp_helmholtz_problem *problem);
WISP_OWNED(wisp_helmholtz_problem, wisp_helmholtz_problem_destroy)

/* Distances from the solution: in L2, of both parts of p together; the largest at a point of the quadrature. */
typedef struct wisp_helmholtz_errors {
  double l2_u, l2_p, l2_ustar, linf_u;
} wisp_helmholtz_errors;

/* u, flux, ustar: as the family's arrays. Where the solution is not known all are NAN. */
wisp_status wisp_helmholtz_distance(wisp_error *err, const wisp_helmholtz_problem *problem, const double *u,
                                    const double *flux, const double *ustar, wisp_helmholtz_errors *out);

/* u, u*, p's parts and kappa on the lattice of ../mesh/vtu.h, of degree P + 1: nothing is lost. p has two parts, along
 * x and y; three where the triangles do not lie in a plane of one z. */
wisp_status wisp_helmholtz_fields(wisp_error *err, const wisp_helmholtz_problem *problem, const double *u,
                                  const double *flux, const double *ustar, wisp_fields *out);

/* --- data and fields by values at points: those of the rules, caller's memory --- */

/* Edges of the boundary, in the order of 3 element + its edge, and how many there are; faces may be NULL. */
size_t wisp_helmholtz_boundary(const wisp_helmholtz_problem *problem, int *faces);

/* xyz of all points of elements, and of boundary edges along their elements, as the file has them; each may be NULL. */
void wisp_helmholtz_problem_points(const wisp_helmholtz_problem *problem, double *elements, double *edges);

/* Adds f there, and u or kappa du/dn on the boundary, to load and given; NULL: 0. WISP_EUSAGE: one is not finite. */
wisp_status wisp_helmholtz_problem_integrate(wisp_error *err, const wisp_helmholtz_problem *problem, const double *f,
                                             const double *on_boundary, double *load, double *given);

/* out[(e count + q) parts + part]: values at points (r, s) of each element, of modes of this degree in `parts` parts.
 */
wisp_status wisp_helmholtz_problem_values(wisp_error *err, const wisp_helmholtz_problem *problem, int degree,
                                          size_t parts, const double *array, size_t count, const double *rs,
                                          double *out);
