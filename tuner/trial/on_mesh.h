/* Checks a solver's kernels on its own mesh: over a few whole stages or iterations each launch is compared with the
 * family's reference, on a sample of the elements, rows or edges, and everywhere with the default kernel from the same
 * inputs. */
#pragma once

#include "verify.h"

/* The result of one kernel of the solver. */
typedef struct wisp_checked_kernel {
  const wisp_choice *choice; /* the stage's */
  const wisp_plan *plan;
  int launches, referenced;      /* in all; compared with the reference */
  size_t numbers;                /* that were */
  double error, tolerance;       /* the largest error, over the sum of magnitudes */
  char standard[WISP_NAME_TEXT]; /* the default's strategy; empty: it was not compared with one */
  const char *alone;             /* why not; NULL: it was */
  bool wrong;
  char text[256]; /* how it is wrong; or why there was no reference; or empty */
} wisp_checked_kernel;

typedef struct wisp_checked_kernels {
  size_t count;
  wisp_checked_kernel *list;
  double seconds;
} wisp_checked_kernels;
void wisp_checked_kernels_free(wisp_checked_kernels *kernels);
/* The first that is wrong; NULL: none is. */
const wisp_checked_kernel *wisp_checked_kernels_wrong(const wisp_checked_kernels *kernels);

/* The solver is open, and can run afterwards where nothing is wrong. They point into it. Fails where a check cannot
 * be made: no memory, no compiler. */
wisp_status wisp_verify_solver(wisp_error *err, wisp_solver *solver, wisp_checked_kernels *out);
