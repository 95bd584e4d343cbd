/* Trilinear hexahedra in double, with plain loops over elements: geometric factors, and the operators of the tensor
 * family (Swirydowicz, Chalmers, Karakus, Warburton 2019) as the reference that kernels are checked against.
 *
 * Arrays, element after element: u, y, diagonal: Np nodes, (k Nq + j) Nq + i with i along r; vertices: 24 numbers,
 * [d][v] coordinate d of corner v = vr + 2 vs + 4 vt; factors: 7 x points, [c][q] with
 * c = 0..5: G00 G01 G02 G11 G12 G22, G_ab = w J sum_x dr_a/dx dr_b/dx, and c = 6: w J, w the quadrature weight. */
#pragma once

#include "../../gen/tensor/hex.h"
#include "../mesh/frame.h"
#include "../mesh/hexmesh.h"
#include "../arrays.h"

/* Points of integrals: the Nq^3 nodes, or the Gl^3 Gauss points. */
typedef enum wisp_hex_points { WISP_HEX_GLL, WISP_HEX_GAUSS } wisp_hex_points;

/* mass:       y = I^T (w J o (I u))                       at Gauss points (BP1)
 * stiffness:  y = I^T (glD^T G glD + lambda w J) I u      at Gauss points (BP3)
 * collocated: y = (D^T G D + lambda w J) u                at the nodes    (BP5) */
typedef enum wisp_hex_operator { WISP_HEX_MASS, WISP_HEX_STIFFNESS, WISP_HEX_COLLOCATED } wisp_hex_operator;

/* The operator that a kernel computes: "mass", "mass_trilinear", ... False for a name that is none. */
bool wisp_hex_operator_find(const char *kernel, wisp_hex_operator *out);
wisp_hex_points wisp_hex_operator_points(wisp_hex_operator op);

/* The corners of elements from .. from + count - 1 in a frame. */
void wisp_hex_vertices(const wisp_hexmesh *mesh, const wisp_frame *frame, size_t from, size_t count, double *vertices);

/* The nodes or points of one element, xyz[3 q + c]; its vertices. */
void wisp_hex_coordinates(const wisp_hex *hex, wisp_hex_points points, const double vertices[24], double *xyz);

/* The factors of `count` elements. WISP_EINPUT, naming the element counted from `first`, where a Jacobian is not
 * positive. */
wisp_status wisp_hex_factors(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double *vertices,
                             size_t first, size_t count, double *factors);

/* The last factor alone, w J, of one element, which messages call `element`. */
wisp_status wisp_hex_masses(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double vertices[24],
                            size_t element, double *masses);

/* y = A u on `count` elements, element by element. lambda does not count for mass. */
wisp_status wisp_hex_apply(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                           size_t count, double lambda, const double *u, double *y);

/* For each number of y the sum of the magnitudes that it is added up from, which scales rounding errors. */
wisp_status wisp_hex_apply_sizes(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                                 size_t count, double lambda, const double *u, double *sizes);

/* Workspace of one thread that works on one element after another; messages call the current one `element`. hex is
 * borrowed. */
typedef struct wisp_hex_workspace wisp_hex_workspace;
wisp_status wisp_hex_workspace_create(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op,
                                      wisp_hex_workspace **out);
void wisp_hex_workspace_destroy(wisp_hex_workspace *workspace);
WISP_OWNED(wisp_hex_workspace, wisp_hex_workspace_destroy)

/* The diagonal of the element's matrix, exactly. */
wisp_status wisp_hex_diagonal(wisp_error *err, wisp_hex_workspace *workspace, const double vertices[24], size_t element,
                              double lambda, double *diagonal);

/* Those of all elements of a mesh in a frame, Np numbers each: caller's memory. */
wisp_status wisp_hex_diagonals(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const wisp_hexmesh *mesh,
                               const wisp_frame *frame, double lambda, double *out);

/* b_i = sum over points of w J f phi_i: the functional of f, given at the operator's points. */
wisp_status wisp_hex_load(wisp_error *err, wisp_hex_workspace *workspace, const double vertices[24], size_t element,
                          const double *f, double *b);

/* The square of the L2 distance of u at the nodes from f at the operator's points. */
wisp_status wisp_hex_distance(wisp_error *err, wisp_hex_workspace *workspace, const double vertices[24], size_t element,
                              const double *u, const double *f, double *square);

/* ---- The geometry that operators on hexahedra read, on a device. */

/* Fills those of gauss_factors, gauss_mass, gll_factors and vertices that are there, as they are in a frame.
 * WISP_EINPUT, naming the element, where a Jacobian is not positive. */
wisp_status wisp_hex_upload(wisp_error *err, const wisp_hex *hex, const wisp_hexmesh *mesh, const wisp_frame *frame,
                            wisp_arrays *arrays);
