/* Heat conduction c u_t = div(kappa(u) grad u) + f on triangles or tets, with a solution that is known, by backward
 * Euler: in every step the matrix is assembled anew until u stands still, each time solved by conjugate gradients.
 *
 * kappa(u) = kappa0 + kappa1 u + kappa2 u^2, or any expression of u, interpolated from the nodes. The solution is (1 +
 * t) sin(pi X) exp(Y + Z), X, Y and Z from 0 to 1 across the bounding box (Z = 0 on triangles): linear in time, so that
 * the error is the space's; given on the whole boundary. f follows from it, and is interpolated too. Steady: t = 0. */
#pragma once

#include "../mesh/fields.h"
#include "../solve/cg.h"
#include "../solve/choose.h"
#include "assembly.h"

/* The data of a problem whose solution is not known (NULL: it is): u on the parts of the boundary that are in these
 * groups, the last one's where they meet; and f. The arrays are borrowed. */
typedef struct wisp_heat_given {
  size_t count;
  const int32_t *tag; /* the numbers of groups */
  const double *value;
  double f;
} wisp_heat_given;

/* kappa(u) */
typedef struct wisp_heat_kappa {
  double number[3];
  const char *text; /* of u; NULL: what the form says, with these numbers */
} wisp_heat_kappa;

typedef struct wisp_heat {
  wisp_heat_kappa kappa;   /* its text is borrowed */
  wisp_expr *value, *rise; /* of kappa at a node; its derivative by u */
  double capacity; /* c times the square of the frame's length: of the equation in the assembly's frame, in which */
  wisp_heat_given given;    /* likewise f is; count 0: the solution is known */
  double low[3], length[3]; /* of the bounding box, in the frame */
  wisp_assembly *assembly;
  double *xyz; /* x, y and z of each node in the frame */
} wisp_heat;

/* name (of the mesh) appears in messages. Errors of wisp_assembly_create; WISP_EUSAGE for a capacity below 0, and for
 * one of 0 where a part of the mesh has nothing fixed. mesh and given's arrays are borrowed. given may be NULL. */
wisp_status wisp_heat_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                             const wisp_heat_kappa *kappa, double capacity, const wisp_heat_given *given,
                             wisp_heat **out);
void wisp_heat_destroy(wisp_heat *heat);
WISP_OWNED(wisp_heat, wisp_heat_destroy)

bool wisp_heat_is_linear(const wisp_heat *heat); /* kappa does not depend on u */
double wisp_heat_kappa_at(const wisp_heat *heat, double u);

/* An estimate of the right-hand side at a node at time t, in the frame: f, kappa u and a mass of this rate times u. */
double wisp_heat_size(const wisp_heat *heat, double t, double rate);

/* At every node: the solution, or else 0 and what is given; caller's memory. u is the same in the frame. */
void wisp_heat_solution(const wisp_heat *heat, double t, double *u);
/* Parts of the solution and of its f, in the frame: at every node g, of which the solution is 1 + t times; then at
 * every node |grad g|^2, then the Laplacian of g. Or in the first third the given values. Caller's memory. */
void wisp_heat_shape(const wisp_heat *heat, double *shape);

/* The place of node i in the mesh's coordinates. */
void wisp_heat_coordinates(const wisp_heat *heat, size_t i, double xyz[3]);

/* The L2 distance of a field from the solution, by quadrature, in the mesh's units. */
wisp_status wisp_heat_error(wisp_error *err, const wisp_heat *heat, double t, const double *u, double *error);

/* u, as it is at the nodes, on the lattice of runtime/mesh/vtu.h. */
wisp_status wisp_heat_fields(wisp_error *err, const wisp_heat *heat, const double *u, wisp_fields *out);
