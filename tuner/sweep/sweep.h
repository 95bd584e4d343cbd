/* The state of one sweep in a worker, which sweep.c walks through orders and precisions, sweep_kernel.c through the
 * candidates of a kernel and compositions. */
#pragma once

#include "../search/search.h"
#include "../trial/trial.h"

enum { WISP_MAX_KERNELS = 64, WISP_MAX_PASSED = 256 };

typedef struct wisp_sweep {
  const wisp_tune_request *request;
  const wisp_family *family;
  wisp_strategies *strategies;
  const wisp_link *link; /* to the tuner, which has the store */
  wisp_pipeline *pipeline;
  wisp_bench bench;
  wisp_seeds seeds;          /* with a budget */
  wisp_tune_summary summary; /* of this device */
  size_t workers;            /* on this host: they share its cores */
  double deadline;           /* seconds; infinite without a budget */
  /* The order and precision at hand: */
  wisp_unit unit;
  long long here;           /* trials */
  size_t parts, parts_done; /* its kernels, and the step */
  double share;             /* of the time left, what the kernel at hand is worth */
  bool searched;            /* of its candidates as many were tried as a search takes, or all */
  size_t left;              /* candidates left in this part */
  wisp_trial (*best)[8];    /* [kernel of the family][layout of the scope]; ms 0: none */
  bool changed;             /* something new was measured */
  size_t passed_count;      /* final rounds' winners that were right at launch after launch */
  uint64_t passed[WISP_MAX_PASSED];
  int skipped; /* candidates in a row that the machine could not compile */
} wisp_sweep;

/* The work of a worker: a wisp_worker_body, whose context is a wisp_sweep. */
wisp_status wisp_sweep_work(wisp_error *err, void *sweep, const wisp_link *link);

/* The spec of the request at this order and precision. */
wisp_spec wisp_sweep_spec(const wisp_sweep *sweep, int order, wisp_precision precision);

/* Everything about one kernel of the scope's order and precision: sweep_kernel.c. */
wisp_status wisp_sweep_kernel(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int kernel);
/* Tries what a stage takes for one of its kernels, unless the store knows it. */
wisp_status wisp_sweep_try(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int kernel,
                           const wisp_plan *plan);
/* Whether that kernel of the family is to be tuned. */
bool wisp_sweep_wants(const wisp_sweep *sweep, int kernel);
/* No candidates: whole stages of the winners that the store knows. */
bool wisp_sweep_compositions_alone(const wisp_sweep *sweep);

/* Ends this worker if the last trial lost the device or may have damaged memory; another worker goes on. */
void wisp_sweep_replace(wisp_sweep *sweep);

/* Stores a trial that was run, counts it, tells the caller. best may be NULL. */
wisp_status wisp_sweep_add(wisp_error *err, wisp_sweep *sweep, const wisp_trial *trial, const wisp_trial *best);

/* Measures whole stages of the kernels in sweep->best and stores them. */
wisp_status wisp_sweep_compositions(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope);

/* ---- The final round of one kernel in one layout: the fastest candidates once more, side by side; a fixed rule for
 * those that are alike within noise; and the winner, freshly loaded, verified with other data. docs/reference/search.md
 * tells why. */

/* Holds the final round of a layout of the scope among all `ok` trials of a kernel, known ones and those of today, if
 * there are candidates that no earlier round saw, and stores the new times and who is chosen and tied. *winner: the
 * chosen trial, unchanged where none is `ok`. A wrong winner is stored as wrong, and the worker ends
 * (wisp_sweep_replace); the next worker holds the round without it. */
wisp_status wisp_sweep_final(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int layout,
                             const wisp_trials *all, wisp_trial *winner);

/* The rule for ties: of trials timed side by side, noise[i] the relative spread of each, those within max(0.5 %, the
 * two spreads) of the best, at most 1 %, are tied. Sets each trial's tie and returns the chosen one's index; count is
 * at least 1. */
size_t wisp_resolve_tie(size_t count, wisp_trial *trials, const double *noise);
