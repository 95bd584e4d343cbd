/* Ritz values of an operator from a Krylov sequence of which only sketches are kept (Nakatsukasa and Tropp 2024, "Fast
 * and accurate randomized algorithms for linear systems and eigenvalue problems"): random sums of a vector's numbers,
 * so many that lengths and angles among a few dozen vectors are kept within percents. The vectors themselves stay on
 * the device, two at a time. */
#pragma once

#include "../../gen/check.h"

enum {
  WISP_SPECTRUM_BLOCKS = 64,
  WISP_SPECTRUM_LANES = 256,
  WISP_SPECTRUM = WISP_SPECTRUM_BLOCKS * WISP_SPECTRUM_LANES, /* numbers, as templates/solve/sketch.*.k makes them */
  WISP_KRYLOV = 32                                            /* applications of the operator at most */
};

/* u_{k+1} = u_k + beta[k] (u_k - u_{k-1}) + alpha[k] L u_k, u_{-1} = u_0. */
typedef struct wisp_krylov {
  int count;        /* applications so far */
  double *spectrum; /* WISP_SPECTRUM numbers of each of u_0 .. u_count */
  double beta[WISP_KRYLOV], alpha[WISP_KRYLOV];
} wisp_krylov;

/* An approximate eigenvalue, and how far its vector v of length 1 is from being an eigenvector: |L v - value v|. */
typedef struct wisp_ritz {
  double re, im, residual;
} wisp_ritz;

/* The eigenvalues of L as the sequence shows them, *values of them. Where the vectors have become dependent, their
 * condition above 1 / noise, those before count. WISP_EWRONG for sketches that are zero or not finite. */
wisp_status wisp_krylov_ritz(wisp_error *err, const wisp_krylov *krylov, double noise, int *values,
                             wisp_ritz value[WISP_KRYLOV]);
