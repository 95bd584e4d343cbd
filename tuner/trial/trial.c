#include "trial.h"
#include "../../cache/store.h"
#include "../../gen/environment.h"
#include "../../gen/family.h"
#include "../../gen/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

wisp_status wisp_bench_create(wisp_error *err, wisp_device *device, double drop, wisp_bench *out)
{
  wisp_bench bench = {.device = device, .limits = wisp_device_limits(device), .drop = drop};
  CALL(wisp_device_ceilings(err, device, &bench.ceilings));
  CALL(wisp_verifier_create(err, device, &bench.verifier));
  wisp_device_clock_mhz(device); /* what the first call has to open is opened before anything is timed */
  *out = bench;
  return WISP_OK;
}

static void forget_problems(wisp_bench *bench)
{
  wisp_at_size_destroy(bench->at_size);
  wisp_at_size_destroy(bench->at_small);
  wisp_at_size_destroy(bench->at_large);
  wisp_problems_destroy(bench->problems);
  wisp_problems_destroy(bench->small);
  wisp_problems_destroy(bench->large);
  bench->problems = bench->small = bench->large = NULL;
  bench->at_size = bench->at_small = bench->at_large = NULL;
}

void wisp_bench_free(wisp_bench *bench)
{
  forget_problems(bench);
  wisp_verifier_destroy(bench->verifier);
  *bench = (wisp_bench){0};
}

/* Device memory for problems: on the host, other programs live there too. */
static size_t problem_memory(const wisp_bench *bench)
{
  return bench->limits->memory / (bench->limits->gpu ? 2 : 8) / (bench->sharers > 1 ? bench->sharers : 1);
}

wisp_status wisp_bench_fits(wisp_error *err, const wisp_limits *limits, const wisp_mesh_source *source,
                            const wisp_spec *spec, long long elements)
{
  const wisp_workload *workload = NULL;
  wisp_work work = {0};
  wisp_discretisation d = {.family = NULL};
  if (elements <= 0 || (source && source->file)) return WISP_OK;
  CALL(wisp_workload_find(err, spec->family, wisp_spec_is_composition(spec) ? NULL : spec->kernel, &workload));
  CALL(wisp_family_work(err, spec, (double)elements, &work));
  const double bytes = work.dofs * (double)spec->precision;
  CALL(wisp_require(err, bytes <= (double)limits->memory, WISP_EMEMORY,
                    "%lld elements of order %d have %.3g GB of results alone, %s has %.3g GB: take fewer elements",
                    elements, spec->order, bytes / 1e9, limits->name, (double)limits->memory / 1e9));
  if (!workload->count || workload->listed) return WISP_OK; /* lists are made for the kernels at hand */
  CALL(workload->count(err, spec, (size_t)elements, &d));
  return wisp_problem_fits(err, limits, &d, spec->precision, WISP_WIDE_GUARD, NULL, NULL, 0);
}

wisp_status wisp_bench_set_problem(wisp_error *err, wisp_bench *bench, const wisp_spec *spec, long long elements)
{
  const wisp_workload *workload = NULL;
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&bench->profile, WISP_PREPARING);
  CALL(wisp_workload_find(err, spec->family, spec->kernel, &workload));
  if (bench->problems && workload == bench->workload && wisp_spec_same_element(spec, &bench->spec) &&
      spec->precision == bench->spec.precision && elements == bench->asked)
    return WISP_OK;
  forget_problems(bench);
  bench->workload = workload;
  bench->spec = *spec;
  bench->asked = elements;
  CALL(wisp_problems_create(err, bench->device, workload, spec, elements, &bench->source, problem_memory(bench),
                            &bench->problems));
  return wisp_at_size_create(err, bench->device, workload, bench->problems, &bench->at_size);
}

wisp_status wisp_bench_acquire(wisp_error *err, wisp_bench *bench, const wisp_plan *plan, wisp_problem_ref *ref)
{
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&bench->profile, WISP_PREPARING);
  return wisp_problems_acquire(err, bench->problems, &plan, 1, ref);
}

wisp_status wisp_bench_repeat_check(wisp_error *err, wisp_bench *bench, wisp_problem *problem,
                                    const wisp_kernel *kernel, bool leading)
{
  enum { LAUNCHES = 3000, THOROUGH = 500, FEW = 162 };
  static const double LEADING = 0.1, OTHERS = 0.05, MOST = 1;
  const wisp_workload *workload = bench->workload;
  const wisp_plan *plan = kernel->plan;
  const wisp_mesh_source box = wisp_mesh_source_irregular(); /* whatever file is timed on */
  int left = LAUNCHES, thorough = THOROUGH;
  HELD(wisp_problem_ref_end) wisp_problem_ref few = {0};
  CALL(wisp_at_size_check(err, bench->at_size, problem, kernel)); /* beside those that came after it */
  CALL(wisp_at_size_repeat(err, bench->at_size, problem, kernel, leading ? LEADING : OTHERS, &left, &thorough));
  if (left <= 0) return WISP_OK;
  if (!bench->small) {
    CALL(wisp_problems_create(err, bench->device, workload, &bench->spec, FEW, &box, problem_memory(bench),
                              &bench->small));
    CALL(wisp_at_size_create(err, bench->device, workload, bench->small, &bench->at_small));
  }
  CALL(wisp_problems_acquire(err, bench->small, &plan, 1, &few));
  return wisp_at_size_repeat(err, bench->at_small, few.problem, kernel, MOST, &left, &thorough);
}

/* The problem of many elements, made where there is none; *out stays as it is where none is needed: the one to time on
 * is as large, and off multiples of 8. */
static wisp_status acquire_large(wisp_error *err, wisp_bench *bench, const wisp_plan *plan, wisp_problem_ref *out)
{
  const wisp_workload *workload = bench->workload;
  const wisp_mesh_source box = wisp_mesh_source_irregular();
  const long long timed = wisp_problems_elements(bench->problems), many = wisp_workload_many(workload, &bench->spec);
  if (many <= 0 || (many <= timed && timed % 8)) return WISP_OK;
  if (!bench->large) {
    CALL(wisp_problems_create(err, bench->device, workload, &bench->spec, many, &box, problem_memory(bench),
                              &bench->large));
    CALL(wisp_at_size_create(err, bench->device, workload, bench->large, &bench->at_large));
  }
  return wisp_problems_acquire(err, bench->large, &plan, 1, out);
}

wisp_status wisp_bench_prepare_large(wisp_error *err, wisp_bench *bench, const wisp_plan *plan)
{
  HELD(wisp_problem_ref_end) wisp_problem_ref ref = {0};
  CALL(acquire_large(err, bench, plan, &ref));
  return ref.problem ? wisp_at_size_prepare(err, bench->at_large, ref.problem, plan) : WISP_OK;
}

wisp_status wisp_bench_check_large(wisp_error *err, wisp_bench *bench, const wisp_kernel *kernel)
{
  HELD(wisp_problem_ref_end) wisp_problem_ref ref = {0};
  CALL(acquire_large(err, bench, kernel->plan, &ref));
  return ref.problem ? wisp_at_size_check(err, bench->at_large, ref.problem, kernel) : WISP_OK;
}

void wisp_incumbent_free(wisp_incumbent *incumbent)
{
  wisp_kernel_destroy(incumbent->kernel);
  wisp_job_free(incumbent->job);
  *incumbent = (wisp_incumbent){0};
}

static void put(char *to, size_t size, const char *from)
{
  snprintf(to, size, "%.*s", (int)size - 1, from);
}

void wisp_trial_name(const wisp_trial *t, char out[WISP_TRIAL_NAME])
{
  snprintf(out, WISP_TRIAL_NAME, "%s %s (%s)", t->strategy, t->params, t->template_hash);
}

void wisp_trial_stamp(wisp_trial *t)
{
  time_t now = time(NULL);
  struct tm utc;
  strftime(t->when, sizeof t->when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

void wisp_trial_key(const wisp_bench *bench, const wisp_spec *spec, const wisp_layout *layout, const char *strategy,
                    const char *hash, const char *params, wisp_trial *t)
{
  const wisp_limits *limits = bench->limits;
  wisp_trial_blank(t);
  t->units = limits->units;
  wisp_spec_print(spec, t->spec);
  wisp_layout_print(layout, t->layout);
  put(t->strategy, sizeof t->strategy, strategy);
  put(t->params, sizeof t->params, params);
  put(t->device, sizeof t->device, limits->name);
  put(t->target, sizeof t->target, limits->target);
  put(t->driver, sizeof t->driver, limits->driver);
  put(t->compiler, sizeof t->compiler, limits->compiler);
  put(t->template_hash, sizeof t->template_hash, hash);
  put(t->version, sizeof t->version, WISP_VERSION);
  put(t->mode, sizeof t->mode, "not timed");
  wisp_trial_stamp(t);
  t->rules = WISP_VERIFYING_RULES;
  t->elements = wisp_problems_elements(bench->problems);
  put(t->mesh, sizeof t->mesh, bench->workload->alone ? WISP_MESH_BOX : wisp_mesh_source_kind(&bench->source));
}

void wisp_trial_begin(const wisp_bench *bench, const wisp_plan *plan, bool is_default, wisp_trial *t)
{
  const char *strategy = plan->strategy->name;
  char hash[20];
  wisp_plan_hash(plan, bench->limits->kind, hash);
  wisp_trial_key(bench, &plan->spec, &plan->layout, strategy, hash, plan->params, t);
  t->is_default = is_default;
}

static void raise(wisp_floor *floor, double ms, const char *by)
{
  if (!(ms > floor->ms)) return;
  floor->ms = ms;
  floor->by = by;
}

wisp_status wisp_floor_find(wisp_error *err, const wisp_ceilings *ceilings, const wisp_spec *spec,
                            const wisp_work *work, double elements, const wisp_plan *plan, wisp_floor *out)
{
  const double gbps = work->no_read ? ceilings->fill_gbps : ceilings->copy_gbps;
  const double adds = spec->precision == WISP_F32 ? ceilings->add_gops_f32 : ceilings->add_gops_f64;
  const double peak = spec->precision == WISP_F32 ? ceilings->fma_gflops_f32 : ceilings->fma_gflops_f64;
  double executed = 0;
  wisp_floor floor = {.bytes_ms = work->bytes / gbps / 1e6, .by = "bytes"};
  floor.ms = floor.bytes_ms;
  raise(&floor, work->adds / adds / 1e6, "adds");
  if (plan) CALL(wisp_plan_executed(err, plan, WISP_UNIT_FMA, elements, work->flops, &executed));
  if (peak > 0) raise(&floor, executed / peak / 1e6, wisp_unit_names[WISP_UNIT_FMA]);
  *out = floor;
  return WISP_OK;
}

/* The floor of the spec's kernel on the problem at hand; of a whole stage (plan NULL) that of its bytes in one pass,
 * for its operations can be made fewer than the dense products'. */
static wisp_status find_floor(wisp_error *err, const wisp_bench *bench, const wisp_spec *spec, const wisp_plan *plan,
                              wisp_work *work, wisp_floor *floor)
{
  CALL(wisp_problems_work(err, bench->problems, spec, work));
  return wisp_floor_find(err, &bench->ceilings, spec, work, (double)wisp_problems_elements(bench->problems), plan,
                         floor);
}

bool wisp_bytes_fit_cache(const wisp_limits *limits, double bytes)
{
  return !limits->gpu || bytes < 2 * (double)limits->l2;
}

void wisp_trial_compare(wisp_trial *t, const wisp_limits *limits, double bytes, const wisp_floor *floor)
{
  const bool below = floor->ms > wisp_most_efficiency * t->ms, cached = wisp_bytes_fit_cache(limits, bytes);
  t->efficiency = below && !cached ? NAN : floor->ms / t->ms;
  put(t->floor, sizeof t->floor, !below ? floor->by : cached ? WISP_FLOOR_CACHE : "");
}

double wisp_trial_byte_share(const wisp_bench *bench, const wisp_spec *spec, const wisp_trial *t)
{
  wisp_work work = {0};
  wisp_floor floor = {0};
  return find_floor(NULL, bench, spec, NULL, &work, &floor) == WISP_OK ? floor.bytes_ms / t->ms : 0;
}

double wisp_trial_limit(const wisp_bench *bench, const wisp_spec *spec, double best_ms)
{
  wisp_work work = {0};
  wisp_floor floor = {0};
  if (!(best_ms > 0) && find_floor(NULL, bench, spec, NULL, &work, &floor) == WISP_OK) best_ms = floor.ms;
  return wisp_environment_number("WISP_TRIAL_SECONDS") + 10 * best_ms; /* ms times a thousand are seconds; ten runs */
}

wisp_status wisp_trial_rate(wisp_error *err, const wisp_bench *bench, const wisp_spec *spec, const wisp_plan *plan,
                            const wisp_contender *timed, double runs, wisp_trial *t)
{
  wisp_work work = {0};
  wisp_floor floor = {0};
  CALL(find_floor(err, bench, spec, plan, &work, &floor));
  t->ms = timed->ms / runs;
  t->clock_mhz = timed->clock_mhz;
  t->gdofs = work.dofs / t->ms / 1e6;
  t->gbps = work.bytes / t->ms / 1e6;
  t->gflops = work.flops / t->ms / 1e6;
  wisp_trial_compare(t, bench->limits, work.bytes, &floor);
  t->sample_count = timed->count;
  for (int i = 0; i < timed->count; i++) t->samples[i] = timed->samples[i] / runs;
  wisp_measure_mode(timed, t->mode);
  return WISP_OK;
}

wisp_outcome wisp_outcome_of(wisp_status failure)
{
  return failure == WISP_ECOMPILE  ? WISP_TRIAL_COMPILE_ERROR
         : failure == WISP_EWRONG  ? WISP_TRIAL_WRONG
         : failure == WISP_EDEVICE ? WISP_TRIAL_CRASH
                                   : WISP_TRIAL_REFUSED;
}

/* --- timing --- */

wisp_status wisp_lone_run(wisp_error *err, const void *context)
{
  const wisp_lone_kernel *lone = context;
  return wisp_problems_launch(err, lone->workload, lone->problem, lone->kernel, WISP_FOR_TIMING);
}

/* Probed first; measured in full where it is not far behind, side by side with the incumbent where it comes close to
 * it. */
static wisp_status time_candidate(wisp_error *err, wisp_bench *bench, const wisp_kernel *kernel,
                                  const wisp_incumbent *best, wisp_trial *t, bool *wins)
{
  const wisp_plan *plan = kernel->plan;
  HELD(wisp_problem_ref_end) wisp_problem_ref own = {0}, others = {0};
  bool close = false;
  if (best->kernel) CALL(wisp_bench_acquire(err, bench, best->kernel->plan, &others));
  CALL(wisp_bench_acquire(err, bench, plan, &own));
  const wisp_lone_kernel lone[2] = {{bench->workload, own.problem, kernel},
                                    {bench->workload, others.problem, best->kernel}};
  wisp_contender timed[2] = {{.run = wisp_lone_run, .context = &lone[0]}, {.run = wisp_lone_run, .context = &lone[1]}};
  CALL(wisp_probe(err, bench->device, &timed[0]));
  wisp_trial_end(t, WISP_TRIAL_OK, "%s", "");
  if (best->ms > 0 && timed[0].ms > bench->drop * best->ms) {
    wisp_reason_drop(t, timed[0].ms / best->ms, best->name);
  } else {
    close = best->kernel && timed[0].ms < 1.1 * best->ms;
    CALL(wisp_measure(err, bench->device, false, timed, close ? 2 : 1));
  }
  CALL(wisp_trial_rate(err, bench, &plan->spec, plan, &timed[0], 1, t));
  *wins =
      wisp_trial_outcome(t) == WISP_TRIAL_OK && (close ? timed[0].ms < timed[1].ms : best->ms <= 0 || t->ms < best->ms);
  return WISP_OK;
}

/* Work that is not the candidate's own is done before the tuner starts the clock. */
static wisp_status announce(wisp_error *err, wisp_bench *bench, const wisp_plan *plan, double limit,
                            const wisp_trial *t)
{
  HELD(wisp_problem_ref_end) wisp_problem_ref ref = {0};
  CALL(wisp_bench_acquire(err, bench, plan, &ref));
  CALL(wisp_verifier_prepare(err, bench->verifier, plan));
  CALL(wisp_at_size_prepare(err, bench->at_size, ref.problem, plan));
  return wisp_link_begin(err, bench->link, WISP_NOTE_LAUNCH, t, limit);
}

/* Nobody who asks for single precision shall get less than what sums of it leave, whatever the numbers. */
static wisp_status compare_with_single(wisp_error *err, const wisp_bench *bench, const wisp_plan *plan,
                                       const wisp_kernel *kernel)
{
  static const double MOST_EXCESS = 2;
  static const wisp_test_inputs sorts[] = {WISP_SIZES, WISP_EVEN, WISP_DECADES};
  for (size_t i = 0; i < WISP_COUNT(sorts); i++) {
    double error = 0, single = 0;
    CALL(wisp_verifier_compare_single(err, bench->verifier, kernel, sorts[i], &error, &single));
    CALL(wisp_require(err, error <= MOST_EXCESS * single, WISP_EWRONG,
                      "errors are %.1f times those of plain sums: right, but not to be chosen (%s)", error / single,
                      plan->strategy->name));
  }
  return WISP_OK;
}

/* Everything that can fail for the candidate's own reasons. One that was dropped is no winner, whatever it computes. */
static wisp_status try_candidate(wisp_error *err, wisp_bench *bench, wisp_job *job, const wisp_incumbent *best,
                                 wisp_trial *t, wisp_kernel **kernel, bool *wins)
{
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&bench->profile, WISP_VERIFYING);
  HELD(wisp_problem_ref_end) wisp_problem_ref timed = {0};
  CALL(wisp_require(err, job->status == WISP_OK, job->status, "%s", job->error.text));
  t->registers = job->binary.usage.registers;
  t->spill_bytes = job->binary.usage.spill_bytes;
  t->shared_bytes = job->binary.usage.shared_bytes;
  CALL(announce(err, bench, job->plan, wisp_trial_limit(bench, &job->plan->spec, best->ms), t));
  CALL(wisp_kernel_create(err, bench->device, job->plan, &job->binary, kernel));
  CALL(wisp_verifier_check(err, bench->verifier, *kernel, &t->error));
  CALL(compare_with_single(err, bench, job->plan, *kernel));
  wisp_profile_switch(&bench->profile, WISP_TIMING);
  CALL(time_candidate(err, bench, *kernel, best, t, wins));
  wisp_profile_switch(&bench->profile, WISP_VERIFYING);
  if (wisp_trial_outcome(t) != WISP_TRIAL_OK) return WISP_OK;
  CALL(wisp_bench_acquire(err, bench, job->plan, &timed));
  return wisp_at_size_check(err, bench->at_size, timed.problem, *kernel);
}

/* No memory, no compiler, no store: not the candidate's fault, and an error. Else it is what came of the trial. */
static wisp_status conclude(wisp_error *err, wisp_bench *bench, const wisp_job *job, wisp_status status,
                            const wisp_error *reason, wisp_trial *t)
{
  if (status == WISP_EMEMORY || status == WISP_ESYSTEM || status == WISP_ESTORE ||
      (status == WISP_EDEVICE && job->status != WISP_OK))
    return wisp_fail(err, status, "%s", reason->text);
  if (status != WISP_OK) wisp_trial_end(t, wisp_outcome_of(status), "%s", reason->text);
  /* Writes to other arrays go unnoticed. */
  bench->doubtful |= status == WISP_EWRONG || status == WISP_EDEVICE;
  return WISP_OK;
}

wisp_status wisp_trial_run(wisp_error *err, wisp_bench *bench, wisp_job *job, wisp_incumbent *best, wisp_trial *t)
{
  wisp_error reason = {0};
  wisp_kernel *kernel = NULL;
  bool wins = false;
  wisp_trial_begin(bench, job->plan, job->is_default, t);
  wisp_status status = try_candidate(&reason, bench, job, best, t, &kernel, &wins);
  wins &= status == WISP_OK;
  status = conclude(err, bench, job, status, &reason, t);
  if (wins) {
    wisp_incumbent_free(best);
    *best = (wisp_incumbent){.ms = t->ms, .job = job, .kernel = kernel};
    wisp_trial_name(t, best->name);
  } else {
    wisp_kernel_destroy(kernel);
    wisp_job_free(job);
  }
  return status;
}

/* --- without a time --- */

static wisp_status verify_again(wisp_error *err, wisp_bench *bench, const wisp_job *job, wisp_trial *t)
{
  static const double MORE_TIME = 5; /* 3000 launches besides, on a device that others may use */
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&bench->profile, WISP_VERIFYING);
  HELD(wisp_problem_ref_end) wisp_problem_ref large = {0};
  OWNED(wisp_kernel_destroy) wisp_kernel *kernel = NULL;
  CALL(wisp_require(err, job->status == WISP_OK, job->status, "%s", job->error.text));
  wisp_verifier_seed(bench->verifier, WISP_OTHER_SEED);
  CALL(wisp_bench_acquire(err, bench, job->plan, &large));
  CALL(announce(err, bench, job->plan, MORE_TIME * wisp_trial_limit(bench, &job->plan->spec, 0), t));
  CALL(wisp_kernel_create(err, bench->device, job->plan, &job->binary, &kernel));
  CALL(wisp_verifier_check(err, bench->verifier, kernel, &t->error));
  wisp_verifier_seed(bench->verifier, WISP_RANDOM_SEED); /* that of candidates, for whom the next limit was set */
  CALL(compare_with_single(err, bench, job->plan, kernel));
  CALL(wisp_bench_repeat_check(err, bench, large.problem, kernel, true));
  wisp_trial_end(t, WISP_TRIAL_OK, "%s", "");
  return WISP_OK;
}

wisp_status wisp_trial_verify(wisp_error *err, wisp_bench *bench, const wisp_job *job, wisp_trial *t)
{
  wisp_error reason = {0};
  wisp_trial_begin(bench, job->plan, job->is_default, t);
  return conclude(err, bench, job, verify_again(&reason, bench, job, t), &reason, t);
}
