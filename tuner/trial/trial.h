/* One candidate, tried: loaded, verified, timed against the incumbent, and written up as a trial. Whatever goes wrong
 * with the candidate is its trial's outcome, not an error. */
#pragma once

#include "../../cache/store.h"
#include "../link/link.h"
#include "at_size.h"
#include "measure.h"
#include "pipeline.h"
#include "problems.h"
#include "verify.h"

/* The shared state of all trials of a sweep on one device. */
typedef struct wisp_bench {
  wisp_device *device;
  const wisp_limits *limits;
  wisp_ceilings ceilings;
  wisp_verifier *verifier;
  wisp_mesh_source source;       /* of what kernels are timed on; zero: the box as it is */
  const wisp_workload *workload; /* of the kernel at hand */
  wisp_problems *problems;       /* its large ones, for timing, and what they were made for */
  wisp_at_size *at_size;         /* checks on them */
  wisp_problems *small;          /* of few elements, and checks on them; NULL: not needed yet */
  wisp_at_size *at_small;
  wisp_problems *large; /* of many elements, where those to time on have few; likewise */
  wisp_at_size *at_large;
  size_t sharers; /* processes that have problems in the device's memory; 0 and 1: this one alone */
  wisp_spec spec; /* of whose element, order and precision they are */
  long long asked;
  wisp_profile profile;
  double drop;           /* a candidate slower than this times the best is not measured further */
  const wisp_link *link; /* to the tuner, which is told of each launch before; set by who tries candidates */
  bool doubtful;         /* the device is lost or memory may be damaged: a new worker has to go on */
} wisp_bench;

/* device is borrowed. */
wisp_status wisp_bench_create(wisp_error *err, wisp_device *device, double drop, wisp_bench *out);
void wisp_bench_free(wisp_bench *bench);

/* Checks before anything is made that a problem of so many elements fits the device, as far as the workload knows its
 * counts, or at least the kernel's results. WISP_EMEMORY states both sizes. elements 0 and a source's file always pass.
 */
wisp_status wisp_bench_fits(wisp_error *err, const wisp_limits *limits, const wisp_mesh_source *source,
                            const wisp_spec *spec, long long elements);

/* Sets the problem that the kernel, order and precision of a spec are timed on: of `elements` elements, or more where
 * the family needs it; 0: as many as the family chooses for the device. Drops the problem before, unless it serves this
 * spec too. */
wisp_status wisp_bench_set_problem(wisp_error *err, wisp_bench *bench, const wisp_spec *spec, long long elements);
/* The problem that a plan is launched on, until the reference ends (problems.h). */
wisp_status wisp_bench_acquire(wisp_error *err, wisp_bench *bench, const wisp_plan *plan, wisp_problem_ref *ref);

/* Launches a kernel 3000 times from the same inputs and compares outputs (at_size.h), of the first 500 launches all and
 * then each 25th: first on its problem, 0.1 s for a `leading` one and 0.05 s for others; the launches that are left on
 * a problem of few elements, for at most a second. */
wisp_status wisp_bench_repeat_check(wisp_error *err, wisp_bench *bench, wisp_problem *problem,
                                    const wisp_kernel *kernel, bool leading);

/* Makes what the check on many elements needs (workload.h: `many`), and checks a kernel there, as at_size.h says: on
 * the host, whose problems to time on are small. */
wisp_status wisp_bench_prepare_large(wisp_error *err, wisp_bench *bench, const wisp_plan *plan);
wisp_status wisp_bench_check_large(wisp_error *err, wisp_bench *bench, const wisp_kernel *kernel);

/* Which of a kernel's candidates in a layout it is, text and all: "plain lanes=256 (0123456789abcdef)". */
enum { WISP_TRIAL_NAME = 360 };
void wisp_trial_name(const wisp_trial *trial, char out[WISP_TRIAL_NAME]);

/* The best candidate so far of one spec and layout, kept loaded to be timed side by side with those that come close. */
typedef struct wisp_incumbent {
  double ms; /* 0: none yet */
  char name[WISP_TRIAL_NAME];
  wisp_job *job;
  wisp_kernel *kernel;
} wisp_incumbent;
void wisp_incumbent_free(wisp_incumbent *incumbent);

/* Key and provenance of a plan's trial. */
void wisp_trial_begin(const wisp_bench *bench, const wisp_plan *plan, bool is_default, wisp_trial *trial);
/* The same for candidates that stand for many, or for a whole step. */
void wisp_trial_key(const wisp_bench *bench, const wisp_spec *spec, const wisp_layout *layout, const char *strategy,
                    const char *hash, const char *params, wisp_trial *trial);

/* Measured now. */
void wisp_trial_stamp(wisp_trial *trial);

/* The outcome of a failed candidate. */
wisp_outcome wisp_outcome_of(wisp_status failure);

/* The time limit of a candidate in seconds: $WISP_TRIAL_SECONDS (10), and the time to verify and probe one a thousand
 * times slower than the best so far, or else than the floor. */
double wisp_trial_limit(const wisp_bench *bench, const wisp_spec *spec, double best_ms);

/* Takes the job; it becomes the incumbent's where it is the fastest. Tells the tuner before the launch. Fails only
 * where no candidate is to blame: no memory, no compiler, no store. */
wisp_status wisp_trial_run(wisp_error *err, wisp_bench *bench, wisp_job *job, wisp_incumbent *incumbent,
                           wisp_trial *trial);

/* Verifies a winner anew, without a time: on all test cases, on its problem, and at launch after launch as in a final
 * round, with other data than candidates have. The bench's problem is set. Otherwise as wisp_trial_run; the job stays
 * the caller's.
 */
wisp_status wisp_trial_verify(wisp_error *err, wisp_bench *bench, const wisp_job *job, wisp_trial *trial);

/* A kernel on its problem, as a contender's context; wisp_lone_run launches it with scalars that keep its output
 * steady.
 */
typedef struct wisp_lone_kernel {
  const wisp_workload *workload;
  wisp_problem *problem;
  const wisp_kernel *kernel;
} wisp_lone_kernel;
wisp_status wisp_lone_run(wisp_error *err, const void *lone_kernel);

/* ms, samples, the rates that follow from the minimal work of the spec's kernel, and the floor's share of the time
 * (wisp_floor_find); plan NULL: of a whole stage. */
wisp_status wisp_trial_rate(wisp_error *err, const wisp_bench *bench, const wisp_spec *spec, const wisp_plan *plan,
                            const wisp_contender *timed, double runs, wisp_trial *trial);
/* The share of a trial's time that moving the bytes of the spec's kernel takes at least. */
double wisp_trial_byte_share(const wisp_bench *bench, const wisp_spec *spec, const wisp_trial *trial);

/* ---- The floor of a candidate: the least time that its device needs for its bytes and operations. */

typedef struct wisp_floor {
  double ms, bytes_ms; /* bytes_ms: of the bytes alone */
  const char *by;      /* the resource that sets it: "bytes", "adds" (atomic additions), "fma" (a unit's operations) */
} wisp_floor;

/* Whether a launch may find bytes in a cache that the launch before left there: below twice the cache of a card; on a
 * host always, for the size of its last cache is not known. */
bool wisp_bytes_fit_cache(const wisp_limits *limits, double bytes);

/* Sets the trial's efficiency, the floor's share of its time, and what sets the floor: "cache" where the time is below
 * the floor because the bytes fit a cache. Above wisp_most_efficiency elsewhere there is none: the device has more
 * bandwidth or a higher peak than was measured. */
void wisp_trial_compare(wisp_trial *trial, const wisp_limits *limits, double bytes, const wisp_floor *floor);

/* The floor of the spec's kernel with this minimal work. Bytes move at the bandwidth of a copy, or of a fill where the
 * kernel reads nothing. Operations count as far as the plan's space states them, at the measured peak of the unit that
 * executes them; a unit whose peak is not known sets no floor. plan NULL: operations do not count. */
wisp_status wisp_floor_find(wisp_error *err, const wisp_ceilings *ceilings, const wisp_spec *spec,
                            const wisp_work *work, double elements, const wisp_plan *plan, wisp_floor *out);
