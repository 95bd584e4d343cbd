/* The state of one sweep in a worker, which sweep.c walks through orders and precisions, sweep_kernel.c through the
 * candidates of a kernel and step.c through compositions. */
#ifndef WISP_SWEEP_H
#define WISP_SWEEP_H

#include "../search/search.h"
#include "../trial/trial.h"

enum { WISP_MAX_KERNELS = 16, WISP_MAX_PASSES = 256 };

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
  double start, deadline;    /* seconds; deadline is infinite without a budget */
  /* Of this order and precision: */
  wisp_unit unit;
  long long here;           /* trials */
  size_t parts, parts_done; /* its kernels, and the step */
  size_t left;              /* candidates left in this part */
  wisp_trial (*best)[8];    /* [kernel of the family][layout of the scope]; ms 0: none */
  bool changed;             /* something new was measured */
  size_t passes;            /* final rounds' winners that were right at launch after launch */
  uint64_t passed[WISP_MAX_PASSES];
  int skipped; /* candidates in a row that the machine could not compile */
} wisp_sweep;

/* What a worker does: a wisp_worker_body, whose context is a wisp_sweep. */
wisp_status wisp_sweep_work(wisp_error *err, void *sweep, const wisp_link *link);

/* What the request means at this order and precision. */
wisp_spec wisp_sweep_spec(const wisp_sweep *sweep, int order, wisp_precision precision);

/* Everything about one kernel of the scope's order and precision: sweep_kernel.c. */
wisp_status wisp_sweep_kernel(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int kernel);
/* Whether that kernel of the family is to be tuned. */
bool wisp_sweep_wants(const wisp_sweep *sweep, int kernel);
bool wisp_sweep_is_host(const wisp_sweep *sweep);

/* Adds a trial to the counts. */
void wisp_summary_count(wisp_tune_summary *summary, const wisp_trial *trial);
/* It is the one that tells why, should nothing be right. */
void wisp_summary_why(wisp_tune_summary *summary, const wisp_trial *trial);

/* A candidate that this machine could not compile for want of memory, room or processes: no verdict on it, so that
 * nothing is stored and a later sweep tries it. Fails where that happens again and again. */
wisp_status wisp_sweep_skip(wisp_error *err, wisp_sweep *sweep, const wisp_error *why);

/* Where the device is lost or memory in doubt after what was added last: ends this worker, and another goes on. */
void wisp_sweep_replace(wisp_sweep *sweep);

/* Stores a trial that was run, counts it, tells the caller. best may be NULL. */
wisp_status wisp_sweep_add(wisp_error *err, wisp_sweep *sweep, const wisp_trial *trial, const wisp_trial *best);

/* Measures whole stages of the kernels in sweep->best and stores them. */
wisp_status wisp_sweep_steps(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope);

#endif
