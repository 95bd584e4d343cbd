/* Conjugate gradients on continuous elements, with the kernels of the tensor family: nothing but launches, so that an
 * iteration is recorded once, as a loop, and a whole solve is one launch, or a few where somebody watches. All scalars
 * live in device memory; sums are left as parts by the blocks of one kernel and added up by those of the next, in the
 * same order every time.
 *
 * An iteration is the operator (y = A u in each element), gather (Ap), and advance (r -= alpha Ap, z = M^-1 r); with
 * the Chebyshev preconditioner then degree - 1 times spread (z to the elements, as u), the operator, smooth; then
 * update (solution += alpha p, p = z + beta p), which also sees whether the residual is small enough; and at last
 * spread (p to the elements). Advance, update and spread run once before the first.
 *
 * Arrays: solution, p, z, r, Ap, d, inverse: a number an unknown; u, y: Np an element; copy_one, copy_two, copy_more,
 * surface: hexmesh.h's one, two, more, surface; rz_sums, rr_sums, pAp_sums: parts; state: see
 * templates/tensor/cg_state.part; history: r . r, beta and alpha of each iteration; left: one int, the iterations that
 * are still allowed, 0 once the residual is small enough; and the geometry that the operator reads. */
#ifndef WISP_CG_H
#define WISP_CG_H

#include "poisson.h"
#include "../problem.h"
#include "../solve/choose.h"

/* Places in state. */
typedef enum wisp_cg_place {
  WISP_CG_AT_RZ,
  WISP_CG_AT_RZ_BEFORE,
  WISP_CG_AT_ALPHA,
  WISP_CG_AT_RUNNING,
  WISP_CG_AT_RR,
  WISP_CG_AT_LIMIT,
  WISP_CG_AT_ITERATION,
  WISP_CG_STATE /* numbers */
} wisp_cg_place;

/* Numbers of solution, p, z, r, Ap and inverse: the unknowns, rounded up to vectors of either precision; behind the
 * unknowns p, z, r and Ap are 0. */
size_t wisp_cg_padded(size_t unknowns);

/* What blocks leave parts in, and iterations whose scalars are kept. */
typedef struct wisp_cg_room {
  size_t rz_parts, pAp_parts, iterations;
} wisp_cg_room;

/* Vectors on continuous elements, with their copies in so many elements; copies are borrowed. Of what is fixed it fills
 * in what leads from unknowns to copies and back; the geometry is somebody else's. */
wisp_discretisation wisp_cg_discretisation(const wisp_hexcopies *copies, size_t elements, int order,
                                           const wisp_cg_room *room);

typedef enum wisp_preconditioner { WISP_NO_PRECONDITIONER, WISP_JACOBI, WISP_CHEBYSHEV } wisp_preconditioner;

enum { WISP_CG_COMPOSITION = WISP_NAME_TEXT + 48 };

/* The kernels of an iteration as a composition for wisp_choose, with this operator ("collocated_trilinear"). */
void wisp_cg_composition(const char *kernel, wisp_preconditioner preconditioner, char text[WISP_CG_COMPOSITION]);

typedef struct wisp_cg_request {
  wisp_precision precision;
  wisp_preconditioner preconditioner;
  int degree; /* of the Chebyshev polynomial, 1 or more */
} wisp_cg_request;

typedef struct wisp_cg_report {
  long long iterations;    /* that were run: until the residual was small enough, or as many as were allowed */
  bool converged;          /* residual <= tolerance */
  double residual;         /* |r| / |b|, r as iterated */
  double ms_per_iteration; /* 0 for none */
} wisp_cg_report;

typedef struct wisp_cg wisp_cg;

/* Compiles the step's kernels, makes and uploads all arrays, and for Chebyshev estimates the largest eigenvalue. The
 * borrowed problem, step and device must outlive it. step: chosen for wisp_cg_composition. WISP_EMEMORY says how much
 * is needed and how much there is. */
wisp_status wisp_cg_create(wisp_error *err, wisp_device *device, const wisp_poisson *problem, wisp_step *step,
                           const wisp_cg_request *request, wisp_cg **out);
void wisp_cg_destroy(wisp_cg *cg);
WISP_OWNED(wisp_cg, wisp_cg_destroy)

/* Told some times a second how far a solve is: iterations that were run, and the share of all, 0 to 1, as far as the
 * residual's fall shows it: its logarithm's. */
typedef struct wisp_cg_watch {
  void (*tell)(void *context, long long iterations, double share);
  void *context;
} wisp_cg_watch;

/* Solves from 0 until |r| <= tolerance |b|, or for `most` iterations, 0 to INT_MAX. Where the device can loop
 * (wisp_limits.loops) the host starts it and waits for the end, no more; with a watch, which may be NULL, it does so
 * for parts of some tenths of a second. WISP_EWRONG where the residual is no number. */
wisp_status wisp_cg_solve(wisp_error *err, wisp_cg *cg, double tolerance, long long most, const wisp_cg_watch *watch,
                          wisp_cg_report *out);

/* The solution at the unknowns, caller's memory. */
wisp_status wisp_cg_solution(wisp_error *err, wisp_cg *cg, double *unknowns);

/* The upper end of the interval that the Chebyshev polynomial is made for, NaN without one. */
double wisp_cg_bound(const wisp_cg *cg);

#endif
