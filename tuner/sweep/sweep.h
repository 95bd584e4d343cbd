/* The state of one sweep in a worker, which sweep.c walks through orders and precisions, sweep_kernel.c through the
 * candidates of a kernel and compositions. */
#pragma once

#include "../../runtime/solve/choose.h"
#include "../search/search.h"
#include "../trial/trial.h"

enum { WISP_MAX_KERNELS = 64, WISP_MAX_PASSED = 256 };

/* A stage as a solver takes it, and the store that its choices point into. */
typedef struct wisp_chosen {
  wisp_store *store;
  wisp_stage stage;
} wisp_chosen;
void wisp_chosen_free(wisp_chosen *chosen);

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
  bool by_stage;             /* a budget for whole stages: no trial begins that would not end in it */
  double round;              /* seconds that a final round takes, as the last ones did; 0: there was none */
  double pace, first;        /* seconds that a trial takes, and the first one of a kernel, with its references */
  /* The order and precision at hand: */
  wisp_unit unit;
  wisp_part part; /* of a solver, whose compositions these are (parts.c): */
  const char *const *compositions;
  const char **part_list;
  char *part_text;
  double part_until;        /* the end of its share of the budget */
  double part_saved;        /* the share of its time that this round saved */
  double part_hopes;        /* the largest share that a search could save yet */
  wisp_fixed preset;        /* demands of the winners of parts before */
  double began;             /* this round of it */
  long long here;           /* trials */
  wisp_chosen start;        /* the part as a solver took it before, once it is timed; else no kernels */
  double start_ms;          /* its time then; 0: there is none */
  double until;             /* no candidate begins later: the rest is for final rounds and whole stages */
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
/* Tries what a stage takes for one of its kernels, unless the store knows it. *right: it may run. */
wisp_status wisp_sweep_try(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int kernel,
                           const wisp_plan *plan, bool *right);
/* Whether that kernel of the family is to be tuned. */
bool wisp_sweep_wants(const wisp_sweep *sweep, int kernel);
/* No candidates: whole stages of the winners that the store knows. */
bool wisp_sweep_compositions_alone(const wisp_sweep *sweep);

/* Ends this worker if the last trial lost the device or may have damaged memory; another worker goes on. */
void wisp_sweep_replace(wisp_sweep *sweep);

/* Stores a trial that was run, counts it, tells the caller. best may be NULL. */
wisp_status wisp_sweep_add(wisp_error *err, wisp_sweep *sweep, const wisp_trial *trial, const wisp_trial *best);

/* Notes how long a trial took, of a kernel whose first one it is or not. */
void wisp_sweep_note_pace(wisp_sweep *sweep, double seconds, bool first);
/* Whether one more trial is expected to end by then. */
bool wisp_sweep_fits(const wisp_sweep *sweep, double until);
/* Adds the time since the last call, or since the unit began, to its entry. */
void wisp_sweep_note_time(wisp_sweep *sweep);
/* The summary's entry of the unit at hand; NULL: there are too many. */
wisp_tuned *wisp_sweep_tuned(wisp_sweep *sweep);

/* ---- Parts of a solver: parts.c. */

/* The number of parts of the spec's solver: none where nothing of the family is tuned as a whole.
 * *shares: those of the budget that they have together, from this one on. */
int wisp_sweep_count_parts(const wisp_sweep *sweep, const wisp_spec *spec, int from, int *shares);
/* Sets the i-th part; *there: there is one. */
wisp_status wisp_sweep_set_part(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, int i, bool *there);
/* Goes back to the family's compositions. */
void wisp_sweep_drop_part(wisp_sweep *sweep);
/* Does one of the part's compositions have the kernel? */
bool wisp_sweep_composes(const wisp_sweep *sweep, const char *kernel);

/* ---- Whole stages, and other parts: stages.c. */

/* Verifies and times the kernels of the stage that a solver takes here today, then, by_stage, the whole: what any layer
 * of the store knows to be the best, or the default. */
wisp_status wisp_sweep_start(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope);
/* Measures whole stages of the kernels in sweep->best and stores them. */
wisp_status wisp_sweep_compositions(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope);
/* Measures the stage that a solver takes now, and the one that it takes then, until the record is of these kernels and
 * of this card. */
wisp_status wisp_sweep_store_taken(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope);
/* Keeps the demands of the part's winners on the discretisation, for parts to come. */
wisp_status wisp_sweep_follow(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope);
/* by_stage: measures promising stages, and times the one that a solver would take now in turn with the one of before.
 * If it is not faster, the kernels that make it so are stored as slow, and another one is compared. Kernels that
 * stay have their final rounds, as far as there is time. */
wisp_status wisp_sweep_finish(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope);

/* ---- Prospects: which kernels could be of the fastest stage (prospects.c). */

/* Times of each kernel of the family in each layout of the scope, in ms of an element. */
typedef struct wisp_prospects {
  size_t kernels;
  int layouts;
  double (*least)[8]; /* what it could take after a search; INFINITY where it does not run */
  double (*own)[8];   /* the best that was measured here; INFINITY: nothing was */
} wisp_prospects;
void wisp_prospects_free(wisp_prospects *prospects);
/* From the store and from the memory's speed. */
wisp_status wisp_prospects_find(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, wisp_prospects *out);
/* A kernel had its share of the budget: where that was enough for a search, its winners are what it takes. */
void wisp_prospects_note(wisp_prospects *prospects, const wisp_sweep *sweep, int kernel);
/* The largest share of the best stage's time that searches could save; what is unknown may save as much as any. */
double wisp_prospects_hopes(const wisp_prospects *prospects, const wisp_sweep *sweep);
/* The worth of a kernel: 1 for the best composition, less the slower the best composition with it could be, and 0 where
 * none with it could be the fastest. 1 for kernels of no composition, and where no stage was measured. */
double wisp_prospects_worth(const wisp_prospects *prospects, const wisp_sweep *sweep, int kernel);

/* ---- Verdicts of other cards of this architecture (verdicts.c). */

typedef struct wisp_verdict_entry {
  const wisp_trial *trial; /* that failed; the store's */
  bool here, refuted;      /* so it did on this card; a candidate that failed for this reason elsewhere is right here */
} wisp_verdict_entry;

typedef struct wisp_verdicts {
  size_t count, capacity;
  wisp_verdict_entry *list;
} wisp_verdicts;
void wisp_verdicts_free(wisp_verdicts *verdicts);

/* Finds failures of a kernel's candidates for reasons that depend on the architecture at most. The store must outlive
 * them. */
wisp_status wisp_verdicts_find(wisp_error *err, const wisp_sweep *sweep, const wisp_store *store, const wisp_spec *spec,
                               wisp_verdicts *out);

/* A candidate of which nothing bad is known; one that failed elsewhere for a reason that is not checked here; one that
 * need not be tried. *why: the trial that failed. */
typedef enum wisp_prejudice { WISP_UNKNOWN, WISP_TO_CHECK, WISP_LEFT_OUT } wisp_prejudice;
wisp_prejudice wisp_verdicts_judge(const wisp_verdicts *verdicts, const wisp_trial *candidate, const wisp_trial **why);

/* The result of a candidate that failed elsewhere as `why` says. */
wisp_status wisp_verdicts_note(wisp_error *err, wisp_verdicts *verdicts, const wisp_trial *why,
                               const wisp_trial *trial);

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
