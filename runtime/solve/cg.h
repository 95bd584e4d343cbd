/* Conjugate gradients for A x = b, A symmetric and positive, on the arrays of any problem: nothing but launches, so
 * that an iteration is recorded once, as a loop, and a whole solve is one launch, or a few where somebody watches. All
 * scalars live in device memory; sums are left as parts by the blocks of one kernel and added up by those of the next,
 * in the same order every time.
 *
 * The launches are three lists. An iteration is `apply` (Ap = A p, and parts of p . Ap), `precondition` (r -= alpha
 * Ap, z = M^-1 r, and parts of r . z and r . r), and `update` (solution += alpha p, p = z + beta p), which also sees
 * whether the residual is small enough. All but the first run once before the first iteration: alpha is 0 there, as
 * nothing is running.
 *
 * Arrays of the problem that a solve goes by: solution, p, r, Ap, numbers of which the first are the unknowns; state,
 * by the places below; history: r . r, beta and alpha of each iteration; left: one int, the iterations that are still
 * allowed, 0 once the residual is small enough. */
#pragma once

#include "../problem.h"

/* Vectors on a device times a number: y = factor x, and the sum of the squares of y. */
typedef struct wisp_scaler wisp_scaler;

wisp_status wisp_scaler_create(wisp_error *err, wisp_device *device, wisp_precision precision, wisp_scaler **out);
void wisp_scaler_destroy(wisp_scaler *scaler); /* NULL is fine */
WISP_OWNED(wisp_scaler, wisp_scaler_destroy)

/* Enqueues it; from and to may be the same vector. squares (may be NULL): waits for the sum, in double. */
wisp_status wisp_scale(wisp_error *err, wisp_scaler *scaler, wisp_pointer from, wisp_pointer to, double factor,
                       size_t count, double *squares);

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

/* Room for what a solve leaves: parts of sums, and iterations whose scalars are kept; all 0: there are no arrays. */
typedef struct wisp_cg_capacity {
  size_t rz_parts, pAp_parts, iterations;
} wisp_cg_capacity;

/* The system to solve, and its launches. */
typedef struct wisp_cg_system {
  wisp_device *device;   /* borrowed, like */
  wisp_problem *problem; /* what is launched on */
  size_t unknowns;
  wisp_launches apply, precondition, update;
  const char *b; /* the problem's array, as long as r, that has the right-hand side; NULL: the caller has */
} wisp_cg_system;

typedef struct wisp_cg_report {
  long long iterations;    /* that were run: until the residual was small enough, or as many as were allowed */
  bool converged;          /* residual <= tolerance */
  double residual;         /* |r| / |b|, r as iterated */
  double ms_per_iteration; /* 0 for none */
} wisp_cg_report;

typedef struct wisp_cg wisp_cg;

void wisp_cg_system_free(wisp_cg_system *system); /* its lists */

/* Takes the lists, and leaves empty ones. */
wisp_status wisp_cg_create(wisp_error *err, wisp_cg_system *system, wisp_cg **out);
void wisp_cg_destroy(wisp_cg *cg); /* NULL is fine */
WISP_OWNED(wisp_cg, wisp_cg_destroy)

/* Records a solve ahead of the first one. */
wisp_status wisp_cg_record(wisp_error *err, wisp_cg *cg);

/* The largest eigenvalue of M^-1 A that a few iterations see: never too large. WISP_EWRONG where they see none. */
wisp_status wisp_cg_largest(wisp_error *err, wisp_cg *cg, double *largest);

/* Called some times a second: iterations that were run, and the share of all, 0 to 1, by the residual's logarithm. */
typedef struct wisp_cg_watch {
  void (*progress)(void *context, long long iterations, double share);
  void *context;
} wisp_cg_watch;

/* So many iterations for a random right-hand side, launch by launch and not recorded. */
wisp_status wisp_cg_rehearse(wisp_error *err, wisp_cg *cg, int iterations);

/* A factor of residuals and solutions during a solve, for their squares must not leave the range of single precision.
 * It is a power of two, which changes no digit, and 1 where |b|^2 is neither large nor small. */
double wisp_cg_factor(double bb);

/* Solves for b at the unknowns, NULL where the system has an array for it, from 0 until |r| <= tolerance |b|, or for
 * `most` iterations, 0 to INT_MAX. Where the device can loop (wisp_limits.loops) the host starts it and waits for the
 * end; with a watch, which may be NULL, for parts of some tenths of a second. WISP_EWRONG, with the likely cause, where
 * the residual is no number, or 0 at once though b is not. b = 0 is solved by 0, in no iteration. */
wisp_status wisp_cg_solve(wisp_error *err, wisp_cg *cg, const double *b, double tolerance, long long most,
                          const wisp_cg_watch *watch, wisp_cg_report *out);

/* The same in two halves, for who prepares a solve on the device and goes on there: r, state (all 0 but its limit, the
 * square of the smallest residual that is wanted) and left were made by what was enqueued before, with a factor of
 * their own. The first enqueues all iterations, from 0, the second waits; its residual is |r|. */
wisp_status wisp_cg_start(wisp_error *err, wisp_cg *cg);
wisp_status wisp_cg_end(wisp_error *err, wisp_cg *cg, wisp_cg_report *out);

/* The solution at the unknowns, caller's memory. */
wisp_status wisp_cg_solution(wisp_error *err, wisp_cg *cg, double *unknowns);
