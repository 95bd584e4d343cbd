/* A discretised problem: mesh, order, system and layout become the arrays that kernels read. Host side, in double.
 *
 * Elements stand in slots (runtime/mesh/mesh.h: wisp_mesh_group with groups of KM * MB): slot[k] is an element or
 * WISP_EMPTY; slots is a multiple of KM * MB. Empty slots have zero geometry, zero face Jacobians and the first
 * boundary's code on all faces with their own address as neighbour. Per-element arrays follow wisp_layout_element.
 */
#pragma once

#include "scheme.h"
#include "../../gen/nodal/nodal.h"
#include "../../gen/nodal/tet.h"
#include "../domain/domain.h"
#include "../problem.h"
#include "../solve/choose.h"
#include "media.h"

enum {
  WISP_GEO = 9,         /* dr_mu/dx_nu at component mu*3 + nu: rx ry rz sx sy sz tx ty tz */
  WISP_FACE_INTS = 8,   /* component f: neighbour's address; component 4+f: code */
  WISP_FACE_REALS = 16, /* component 4f..4f+3: nx ny nz Fscale (surface Jacobian / volume Jacobian) */
  WISP_PAIR_INTS = 5,   /* per descriptor: fetch_m, fetch_p, code, store_m, store_p */
  WISP_PAIR_REALS = 5,  /* nx ny nz (outward of m), Fscale_m, Fscale_p */
  WISP_BLOCK_INTS = 4 /* per gather block: first descriptor, end of intra-block, end of inter-block, end of boundary */
};

/* Behind these stand quantities of the system (gen/system.h): in geo, of `geos` components, those that rates read; in
 * face_real those that fluxes read inside, then, face after face, those that they read outside; in a pair's numbers
 * those that they read at all, of m and of p. On a boundary the outside is as the inside.
 *
 * Face code: list + 32 * boundary, list 0..23 into the tet's facelist for the neighbour's nodes (0 on a boundary),
 * boundary 0 inside, else 1 + index of the system's boundary. Addresses are of (field 0, slot, node 0) by
 * wisp_layout_volume with n = system->fields. Pair code: list_m + 32 * list_p + 1024 * boundary; list_m = face_m * 6,
 * list_p = face_p * 6 + turn, so turn = list_p % 6. store_m, store_p: address of face DOF 0 of that face in field 0, by
 * wisp_layout_face, relative to the block's first flux number. Intra-block pairs drive two faces (m and p in the same
 * gather block of MB groups); inter-block and boundary ones only m. */
typedef struct wisp_dg {
  const wisp_mesh *mesh; /* borrowed, like tet and system */
  const wisp_tet *tet;
  const wisp_system *system;
  wisp_layout layout;
  int MB; /* groups in a gather block */
  size_t slots, groups, blocks;
  int32_t *slot;
  /* One of several domains has ghosts, elements of others that touch its own, in slots behind its own: kernels read
   * them and write none. Arrays below that are as long as slots or groups are as much longer, but for face_int. */
  const wisp_domain *domain; /* borrowed; NULL: all of the mesh is here */
  size_t cut, ghosts;        /* groups: those with elements that touch others', which come first; of ghosts */
  wisp_records records;      /* how many numbers there are of an element in geo and face_real, of a pair in pair_real */
  double *jacobian;          /* slots: |dx/dr|, 0 where empty */
  double *medium;            /* slots * quantities: what the system's file gives, until others are set */
  double *geo;               /* groups * geos * KM */
  int *face_int;             /* groups * 8 * KM */
  double *face_real;         /* groups * face_reals * KM */
  size_t pairs;
  int *pair_block;   /* blocks * 4 */
  int *pair_int;     /* pairs * 5 */
  double *pair_real; /* pairs * pair_reals */
  int *turnlist;     /* 6 * Nfp: face node of p that meets face node i of m, by turn */
  bool single;       /* the reference rounds what it adds up as single precision does, to be compared with itself */
  double min_length; /* smallest inscribed-sphere diameter, for the CFL */
  double min_time;   /* that a wave takes through an inscribed sphere, shortened by terms without a derivative */
} wisp_dg;

/* Addresses must fit 31 bits: WISP_EUSAGE says how large the problem may be. Every boundary face gets the boundary
 * `boundary` (index), or with WISP_BY_TAG the one that its tag counts out: 0 the first, 1 the second, round and round.
 */
enum { WISP_BY_TAG = -2 };
wisp_status wisp_dg_create(wisp_error *err, const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                           const wisp_layout *layout, wisp_grouping how, int MB, int boundary, wisp_dg **out);
/* The grouping and block size that kernels ask for, where they do. */
wisp_grouping wisp_dg_grouping(const wisp_fixed *fixed);
int wisp_dg_MB(const wisp_fixed *fixed);
/* As they ask, without pairs, which few read: blocks are empty until they are added, which once is enough. */
wisp_status wisp_dg_create_plain(wisp_error *err, const wisp_mesh *mesh, const wisp_tet *tet, const wisp_system *system,
                                 const wisp_layout *layout, const wisp_fixed *fixed, const wisp_walls *walls,
                                 wisp_dg **out);
/* The same of one domain; min_length and min_time are the least of all, and so every rank makes this call. */
wisp_status wisp_dg_create_part(wisp_error *err, const wisp_domain *domain, const wisp_mesh *mesh, const wisp_tet *tet,
                                const wisp_system *system, const wisp_layout *layout, const wisp_fixed *fixed,
                                const wisp_walls *walls, wisp_dg **out);
wisp_status wisp_dg_add_pairs(wisp_error *err, wisp_dg *dg);

/* Other media: `quantities` numbers an element, in the mesh's order, complete. Arrays on a device are as before until
 * they are filled again. */
wisp_status wisp_dg_set_medium(wisp_error *err, wisp_dg *dg, const double *medium);

void wisp_dg_destroy(wisp_dg *dg);
WISP_OWNED(wisp_dg, wisp_dg_destroy)

/* The factor of a rate's term in slot k. */
double wisp_dg_factor(const wisp_dg *dg, const wisp_term *term, size_t k);

/* The slots of its own elements and of ghosts. */
static inline size_t wisp_dg_all_slots(const wisp_dg *dg)
{
  return dg->slots + dg->ghosts * (size_t)dg->layout.KM;
}

/* Sizes of arrays in numbers. */
size_t wisp_dg_volume_size(const wisp_dg *dg); /* groups * fields * NpM, of ghosts as well */
size_t wisp_dg_face_size(const wisp_dg *dg);   /* groups * fields * NfM */
size_t wisp_dg_trace_size(const wisp_dg *dg);  /* slots * fields * Nf */

/* A step that is stable without anything measured, 4 to 25 times shorter than it could be: half of min_time over
 * (N + 1)^2. */
double wisp_dg_safe_dt(const wisp_dg *dg);

/* Node coordinates of the element in slot k: xyz[3*i+c]. */
void wisp_dg_nodes(const wisp_dg *dg, size_t k, double *xyz);
/* Coordinates of points of the reference element, for the element in slot k, which is not empty. */
void wisp_dg_coordinates(const wisp_dg *dg, size_t k, size_t count, const double *r, const double *s, const double *t,
                         double *xyz);

/* A function of space and time for all fields at `count` points: x y z of each together, and so its fields. */
typedef void (*wisp_function)(const void *context, size_t count, const double *xyz, double t, double *u);
/* u from values in the nodes; padding is 0. The function is called from several threads at once. */
void wisp_dg_fill(const wisp_dg *dg, wisp_function function, const void *context, double t, double *u);
/* A number in [-1, 1) of its own for every field, element and node, or coefficient, whatever the layout. */
void wisp_dg_noise(const wisp_dg *dg, double *u);

/* sqrt(sum over fields of the integral of (u - exact)^2), by a quadrature of degree 2N+2 or more, not the nodes. */
wisp_status wisp_dg_l2_error(wisp_error *err, const wisp_dg *dg, const double *u, wisp_function exact,
                             const void *context, double t, double *out);
/* The distance of u from a function at t = 0 over the function's own length, both in the energy's norm and by a
 * quadrature of degree N+1, whose points are no nodes: near 0 where the elements hold the function, 1 where they miss
 * it. 1 where the function is 0 at all of the quadrature's points. */
wisp_status wisp_dg_misfit(wisp_error *err, const wisp_dg *dg, const double *u, wisp_function exact,
                           const void *context, double *out);
/* Integral of sum energy[f] u_f^2, exactly (mass matrix). */
wisp_status wisp_dg_energy(wisp_error *err, const wisp_dg *dg, const double *u, double *out);
/* The square root of the integral of the squares of all fields. */
wisp_status wisp_dg_length(wisp_error *err, const wisp_dg *dg, const double *u, double *out);

/* Estimates the error in space of smooth fields, by the decay of their modes: the L2 length of those of degree N, for
 * upwind fluxes times its ratio to that of degree N - 1, if below 1. (A central flux loses an order.) */
wisp_status wisp_dg_unresolved(wisp_error *err, const wisp_dg *dg, const double *u, bool upwind, double *out);

/* The double references that kernels are verified against: plain loops over the definitions, in any layout. They read
 * no padding and write no padding or empty slots. */
void wisp_reference_volume(const wisp_dg *dg, const double *u, double *rhs); /* rhs = -div F(u) */
/* d/dx, d/dy, d/dz of every field. */
void wisp_reference_derivative(const wisp_dg *dg, const double *u, double *const du[3]);
void wisp_reference_trace(const wisp_dg *dg, const double *u, double *trace);
/* Fscale n.(F-F*); values of neighbours are of trace, or where this is NULL of u; sizes: below, or NULL */
void wisp_reference_gather(const wisp_dg *dg, double alpha, const double *u, const double *trace, double *flux,
                           double *sizes);
void wisp_reference_lift(const wisp_dg *dg, const double *flux, double *rhs); /* rhs += LIFT flux */
/* Both, as products by [Dr | Ds | Dt | LIFT]: a chain of 3 Np + Nf sums for each number. */
void wisp_reference_product(const wisp_dg *dg, const double *u, const double *flux, double *rhs);

/* Scales of rounding errors: for each result the sum of the magnitudes that it is added up from. The gather leaves
 * them beside the fluxes. For linear operators they are the references above on these operators, given magnitudes:
 * tables, factors and coefficients without their signs. The result has no faces and borrows what the dg has. */
wisp_status wisp_dg_magnitudes(wisp_error *err, const wisp_dg *dg, wisp_dg **out);
void wisp_dg_magnitudes_destroy(wisp_dg *magnitudes);
WISP_OWNED(wisp_dg, wisp_dg_magnitudes_destroy)

/* ---- A nodal problem on a device: the discretisation that a wisp_dg is, and its launches. Arrays:
 * templates/nodal/family lists them, dg.h says what is in the fixed ones. */

/* The dg is borrowed. */
wisp_discretisation wisp_dg_discretisation(const wisp_dg *dg);

/* Whether so many elements fit a device with these limits, by their number alone, before a mesh is made: the counts of
 * a dg that a solver of the stage asks for. Groups that are not full may add to them. WISP_EUSAGE where addresses are
 * too long, WISP_EMEMORY says how much is needed and how much there is. */
wisp_status wisp_dg_fits(wisp_error *err, const wisp_limits *limits, size_t elements, const wisp_tet *tet,
                         const wisp_system *system, wisp_precision precision, const wisp_stage *stage);

/* dg and device are borrowed. All fields start at zero. Of the arrays that few stages have, dux, duy, duz and trace,
 * those of a stage are made, or none where it is NULL; u_n never. */
wisp_status wisp_problem_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                size_t guard, const wisp_stage *stage, wisp_problem **out);
const wisp_dg *wisp_problem_dg(const wisp_problem *problem);

/* The scalars of a launch. */
typedef struct wisp_scalars {
  double alpha, a, b, dt;
} wisp_scalars;
enum { WISP_DG_SCALARS = 4 };
void wisp_dg_bind(const wisp_scalars *scalars, wisp_binding out[WISP_DG_SCALARS]);
