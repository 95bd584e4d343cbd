/* The request, the progress and the summary of a sweep. */
#pragma once

#include "../../cache/store.h"
#include "../../gen/strategy/strategy.h"
#include "../../runtime/device.h"
#include "../../runtime/mesh/source.h"

/* ---- What the time of a sweep goes to: every moment to one purpose. */

typedef enum wisp_phase {
  WISP_ELSE,      /* opening the device, choosing candidates, telling the tuner */
  WISP_PREPARING, /* making the problems to time on */
  WISP_COMPILING, /* waiting for compilers */
  WISP_VERIFYING, /* making references, and comparing with them and with the default candidate */
  WISP_TIMING,
  WISP_PHASES
} wisp_phase;

typedef struct wisp_profile {
  wisp_phase purpose;
  double since; /* of the monotonic clock, like wisp_seconds; 0: not begun */
  double spent[WISP_PHASES];
} wisp_profile;

/* From now on time goes to this purpose. */
void wisp_profile_switch(wisp_profile *profile, wisp_phase purpose);

/* The same, and where the block is left later_round to the one before: HELD(wisp_profile_leave) wisp_profile_scope now
 * = ... */
typedef struct __attribute__((unused)) wisp_profile_scope { /* there for its end */
  wisp_profile *profile;
  wisp_phase before;
} wisp_profile_scope;
wisp_profile_scope wisp_profile_enter(wisp_profile *profile, wisp_phase purpose);
void wisp_profile_leave(const wisp_profile_scope *turning);

/* Moves what was spent so far to an account of the same purposes. */
void wisp_profile_flush(wisp_profile *profile, double spent[WISP_PHASES]);

/* Whatever else these seconds were spent on, which a worker that ended did not come to tell, is WISP_ELSE. */
void wisp_profile_balance(double spent[WISP_PHASES], double seconds);

/* A unit of work: an order and a precision. */
typedef struct wisp_unit {
  int order;
  wisp_precision precision;
  bool later_round;    /* a later round, over what an earlier one had no time for */
  bool first_look;     /* a few candidates alone: other units wait for their first round */
  bool resumed;        /* begun by a worker that is gone */
  double until;        /* seconds of the monotonic clock: the end of its share of a budget; INFINITY without one */
  double saved, hopes; /* the worker's report: the share of the stage's time that this round saved, and the largest that
                          a search could save yet */
} wisp_unit;

typedef struct wisp_tune_progress { /* handed to the callback after every trial */
  const char *spec, *layout, *device;
  ptrdiff_t worker; /* that tried it: its device's place in the list */
  long long done, total, failed;
  const wisp_trial *last, *best; /* best of this (spec, layout) so far; may be NULL */
} wisp_tune_progress;

/* A reason for which trials failed, as the first of them gives it: reasons that differ in numbers only are one. */
typedef struct wisp_failure {
  long long count;
  char outcome[16]; /* "wrong", "crash", ... */
  char reason[240];
} wisp_failure;

/* A sweep that fails for more reasons than these counts the others in the last one. */
enum { WISP_MOST_FAILURES = 12 };

/* The result of one part of a solver, of one order and precision. */
typedef struct wisp_tuned {
  int order;
  wisp_precision precision;
  char part[20]; /* "set-up", "iteration"; empty: a stage, or kernels alone */
  long long trials;
  double seconds;
  double before_ms, after_ms; /* of the whole, timed in turn where it is another one afterwards; 0: not timed */
} wisp_tuned;

enum { WISP_MOST_TARGETS = 96 };

typedef struct wisp_tune_summary {
  long long trials, ok, refused, failed;
  long long left_out; /* not tried, for they failed on another card of this architecture */
  int failures;       /* reasons; their counts add up to `failed` and `left_out` */
  wisp_failure failure[WISP_MOST_FAILURES];
  long long known, known_ok; /* not tried later_round, for the store knows them; those of them that are right */
  long long skipped;         /* not compiled for want of memory, stack, room or processes: not stored */
  int stopped;               /* by this signal; 0: it came to its end */
  char why[760];             /* of the first candidate that failed, or of those that are refused; else empty */
  double seconds;            /* wall time */
  double device_seconds;     /* that workers had their devices, summed over all */
  double spent[WISP_PHASES]; /* of that, on each; they add up to it */
  int targets;               /* that had any time */
  wisp_tuned target[WISP_MOST_TARGETS];
  wisp_limits limits; /* of the first device that was there; kind is empty where there was none */
} wisp_tune_summary;

/* Adds a trial to the counts. */
void wisp_summary_count(wisp_tune_summary *summary, const wisp_trial *trial);
/* The entry of a part of an order and precision, made where there is none; NULL: there are too many. */
wisp_tuned *wisp_summary_target(wisp_tune_summary *summary, int order, wisp_precision precision, const char *part);
/* Adds a failure to the summary's reasons, not to its counts. */
void wisp_summary_fail(wisp_tune_summary *summary, const wisp_failure *failure);
/* Counts a candidate that is not tried, for it failed elsewhere. */
void wisp_summary_leave_out(wisp_tune_summary *summary, const wisp_trial *why);
/* Counts as many of them as before, for a unit that is begun again. */
void wisp_summary_recount(wisp_tune_summary *summary, const wisp_tune_summary *before);
/* It is the one that tells why, should nothing be right. */
void wisp_summary_why(wisp_tune_summary *summary, const wisp_trial *trial);

typedef struct wisp_tune_request {
  const char *family, *system; /* system NULL: the family's own, like */
  const char *element;         /* its first */
  const int *orders;
  size_t order_count;
  const wisp_precision *precisions;
  size_t precision_count;
  const char *kernel, *strategy, *layout; /* restrict, kernel a list with commas; NULL: all */
  double budget_seconds;                  /* <= 0: exhaustive; of wall time, on however many devices */
  double enough;      /* share of its bytes' floor at which a budgeted search of a problem ends; 0: 0.97 on a GPU */
  int at_least;       /* but not before this many candidates of its kernel are known; 0: 25 */
  long long elements; /* problem size for timing; 0: chosen for the device */
  const wisp_mesh_source *source;   /* the mesh to time on; NULL: a box, moved, shuffled and ordered */
  const char *db;                   /* store file */
  wisp_strategies *strategies;      /* of the caller; NULL: wisp_tune loads them */
  bool retry_failed, defaults_only; /* of each strategy and layout its default candidate alone */
  int jobs;                         /* compilations at a time, shared out over the devices; 0: all cores */
  void (*progress)(void *context, const wisp_tune_progress *progress);
  void (*tick)(void *context); /* several times a second, also while nothing comes to an end; may be NULL */
  void (*warn)(void *context, const char *text); /* about the store, about devices; may be NULL */
  /* At the end, for each device in the list's order: what came of it, with its own seconds; may be NULL. */
  void (*device_done)(void *context, const char *device, const wisp_tune_summary *part);
  void *context;
} wisp_tune_request;

/* Whether the request is for this kernel too. */
bool wisp_tune_wants(const wisp_tune_request *request, const char *kernel);
