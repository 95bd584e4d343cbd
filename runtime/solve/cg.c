#include "cg.h"
#include "../../gen/lapack.h"
#include "../parallel.h"

#include <limits.h>
#include <math.h>

/* --- vectors times a number --- */

enum { BLOCKS = 256, LANES = 256 };

struct wisp_scaler {
  wisp_device *device;
  wisp_module *module;
  wisp_pointer sums; /* of each block, in double */
};

wisp_status wisp_scaler_create(wisp_error *err, wisp_device *device, wisp_precision precision, wisp_scaler **out)
{
  OWNED(wisp_scaler_destroy) wisp_scaler *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->device = device;
  CALL(wisp_dialect_module(err, device, "solve/scale", precision, "", &s->module));
  CALL(wisp_device_alloc(err, device, BLOCKS * sizeof(double), &s->sums));
  return GIVE(s, out);
}

void wisp_scaler_destroy(wisp_scaler *s)
{
  if (!s) return;
  if (s->module) wisp_module_unload(s->module);
  if (s->sums) wisp_device_free(s->device, s->sums);
  free(s);
}

wisp_status wisp_scale(wisp_error *err, wisp_scaler *s, wisp_pointer from, wisp_pointer to, double factor, size_t count,
                       double *squares)
{
  const unsigned grid[2] = {BLOCKS, 1}, block[3] = {LANES, 1, 1};
  long long numbers = (long long)count;
  double parts[BLOCKS];
  void *args[] = {&from, &to, &factor, &s->sums, &numbers};
  CALL(wisp_launch(err, s->module, NULL, grid, block, args, WISP_COUNT(args)));
  if (!squares) return WISP_OK;
  CALL(wisp_device_download(err, s->device, parts, s->sums, sizeof parts));
  *squares = 0;
  for (int i = 0; i < BLOCKS; i++) *squares += parts[i];
  return WISP_OK;
}

/* --- a solver --- */

struct wisp_cg {
  wisp_cg_system system;
  wisp_arrays *arrays; /* the problem's */
  wisp_graph *graph;   /* of all iterations; NULL: not recorded */
  wisp_graph *start;   /* of what comes before them; likewise */
  wisp_event *begin, *end;
  wisp_scaler *scaler; /* NULL until it is needed */
};

void wisp_cg_system_free(wisp_cg_system *system)
{
  wisp_launches_free(&system->apply);
  wisp_launches_free(&system->precondition);
  wisp_launches_free(&system->update);
}

wisp_status wisp_cg_create(wisp_error *err, wisp_cg_system *system, wisp_cg **out)
{
  OWNED(wisp_cg_destroy) wisp_cg *cg = NULL;
  CALL(wisp_new(err, 1, sizeof *cg, &cg));
  cg->arrays = system->problem->arrays;
  CALL(wisp_event_create(err, system->device, &cg->begin));
  CALL(wisp_event_create(err, system->device, &cg->end));
  cg->system = *system;
  system->apply = system->precondition = system->update = (wisp_launches){.count = 0};
  return GIVE(cg, out);
}

void wisp_cg_destroy(wisp_cg *cg)
{
  if (!cg) return;
  wisp_graph_destroy(cg->graph);
  wisp_graph_destroy(cg->start);
  wisp_event_destroy(cg->begin);
  wisp_event_destroy(cg->end);
  wisp_scaler_destroy(cg->scaler);
  wisp_cg_system_free(&cg->system);
  free(cg);
}

/* --- iterations --- */

/* The residual's: z follows from it, and the next direction from that. */
static wisp_status follow_residual(wisp_error *err, wisp_cg *cg)
{
  CALL(wisp_launches_run(err, &cg->system.precondition, cg->system.problem));
  return wisp_launches_run(err, &cg->system.update, cg->system.problem);
}

static wisp_status iterate(wisp_error *err, wisp_cg *cg)
{
  CALL(wisp_launches_run(err, &cg->system.apply, cg->system.problem));
  return follow_residual(err, cg);
}

static wisp_status clear_vectors(wisp_error *err, wisp_cg *cg)
{
  CALL(wisp_arrays_fill(err, cg->arrays, "solution", 0));
  CALL(wisp_arrays_fill(err, cg->arrays, "p", 0));
  return wisp_arrays_fill(err, cg->arrays, "Ap", 0);
}

/* The steps before the iterations: z follows from r, as alpha is 0 while nothing is running, and p is z. */
static wisp_status prepare_iterations(wisp_error *err, wisp_cg *cg)
{
  CALL(clear_vectors(err, cg));
  return follow_residual(err, cg);
}

/* Records these steps, and the iterations as a loop: their tolerance and number are in device memory. */
wisp_status wisp_cg_record(wisp_error *err, wisp_cg *cg)
{
  wisp_device *device = cg->system.device;
  for (int loop = 0; loop < 2; loop++) {
    wisp_graph **graph = loop ? &cg->graph : &cg->start;
    wisp_error later = {.text = ""};
    if (*graph) continue;
    CALL(wisp_graph_begin(err, device));
    const wisp_status status = (loop ? iterate : prepare_iterations)(err, cg);
    const wisp_status ended = loop ? wisp_graph_end_loop(&later, device, wisp_arrays_at(cg->arrays, "left"), graph)
                                   : wisp_graph_end(&later, device, graph);
    CALL(status);
    CALL(wisp_require(err, ended == WISP_OK, ended, "%s", later.text));
  }
  return WISP_OK;
}

/* The start of at most so many iterations, until |r|^2 is below the limit. */
static wisp_status begin_solve(wisp_error *err, wisp_cg *cg, double limit, int most)
{
  double state[WISP_CG_STATE] = {0};
  state[WISP_CG_AT_LIMIT] = limit;
  CALL(wisp_arrays_upload(err, cg->arrays, "state", state));
  CALL(wisp_arrays_upload_ints(err, cg->arrays, "left", &most));
  CALL(wisp_cg_record(err, cg));
  return wisp_graph_replay(err, cg->start);
}

/* --- the largest eigenvalue --- */

enum { LANCZOS = 15 };

/* Conjugate gradients are Lanczos' iteration: alpha and beta make its tridiagonal matrix (Saad 2003, section 6.7). */
static wisp_status largest_eigenvalue(wisp_error *err, int count, const double *history, double *out)
{
  const wisp_lapack *lapack = NULL;
  double diagonal[LANCZOS], beside[LANCZOS];
  CALL(wisp_lapack_load(err, &lapack));
  for (int k = 0; k < count; k++) {
    const double beta = history[3 * k + 1], alpha = history[3 * k + 2];
    diagonal[k] = 1 / alpha + (k ? beta / history[3 * k - 1] : 0);
    if (k) beside[k - 1] = sqrt(beta) / history[3 * k - 1];
  }
  CALL(wisp_require(err, count > 0 && lapack->dsterf(count, diagonal, beside) == 0 && diagonal[count - 1] > 0,
                    WISP_EWRONG, "conjugate gradients see no eigenvalue after %d iterations", count));
  *out = diagonal[count - 1];
  return WISP_OK;
}

/* rr: the sum of its squares. */
static wisp_status put_random_residual(wisp_error *err, wisp_cg *cg, double *rr)
{
  const size_t unknowns = cg->system.unknowns;
  OWNED(free) double *r = NULL;
  uint32_t seed = 1;
  CALL(wisp_new(err, unknowns, sizeof *r, &r));
  *rr = 0;
  for (size_t i = 0; i < unknowns; i++) {
    seed = 1664525 * seed + 1013904223; /* Numerical Recipes' quick generator */
    r[i] = (double)(seed >> 8) / (1 << 23) - 1;
    *rr += r[i] * r[i];
  }
  return wisp_arrays_upload_part(err, cg->arrays, "r", 0, unknowns, r);
}

wisp_status wisp_cg_rehearse(wisp_error *err, wisp_cg *cg, int iterations)
{
  const double state[WISP_CG_STATE] = {0};
  double rr = 0;
  CALL(put_random_residual(err, cg, &rr));
  CALL(wisp_arrays_upload(err, cg->arrays, "state", state));
  CALL(wisp_arrays_upload_ints(err, cg->arrays, "left", &iterations));
  CALL(clear_vectors(err, cg));
  CALL(follow_residual(err, cg));
  for (int k = 0; k < iterations; k++) CALL(iterate(err, cg));
  return WISP_OK;
}

wisp_status wisp_cg_largest(wisp_error *err, wisp_cg *cg, double *largest)
{
  OWNED(free) double *history = NULL;
  double state[WISP_CG_STATE], rr = 0;
  CALL(wisp_new(err, wisp_arrays_size(cg->arrays, "history"), sizeof *history, &history));
  CALL(put_random_residual(err, cg, &rr));
  CALL(begin_solve(err, cg, 1e-12 * rr, LANCZOS));
  for (int k = 0; k < LANCZOS; k++) CALL(iterate(err, cg));
  CALL(wisp_arrays_download(err, cg->arrays, "state", state));
  CALL(wisp_arrays_download(err, cg->arrays, "history", history));
  return largest_eigenvalue(err, (int)state[WISP_CG_AT_ITERATION], history, largest);
}

/* --- a solve --- */

typedef struct squares {
  const double *b;
  size_t count;
  double *sums;
} squares;

enum { SQUARES = 1 << 16 };

/* A wisp_sweep over blocks of fixed size, so that the total does not depend on the number of threads. */
static void square_blocks(void *context, size_t from, size_t to)
{
  const squares *s = context;
  for (size_t block = from; block < to; block++)
    for (size_t i = block * SQUARES; i < s->count && i < (block + 1) * SQUARES; i++)
      s->sums[block] += s->b[i] * s->b[i];
}

static wisp_status square_norm(wisp_error *err, const double *b, size_t count, double *out)
{
  const size_t blocks = (count + SQUARES - 1) / SQUARES;
  OWNED(free) double *sums = NULL;
  CALL(wisp_new(err, blocks, sizeof *sums, &sums));
  wisp_parallel_for(blocks, square_blocks, &(squares){b, count, sums});
  *out = 0;
  for (size_t i = 0; i < blocks; i++) *out += sums[i];
  return WISP_OK;
}

static wisp_status enqueue(wisp_error *err, wisp_cg *cg)
{
  CALL(wisp_event_record(err, cg->begin));
  CALL(wisp_graph_replay(err, cg->graph));
  return wisp_event_record(err, cg->end);
}

static wisp_status await_solve(wisp_error *err, wisp_cg *cg, double *ms, double state[WISP_CG_STATE])
{
  CALL(wisp_device_finish(err, cg->system.device));
  CALL(wisp_event_elapsed(err, cg->begin, cg->end, ms));
  return wisp_arrays_download(err, cg->arrays, "state", state);
}

static wisp_status run_iterations(wisp_error *err, wisp_cg *cg, double *ms, double state[WISP_CG_STATE])
{
  CALL(enqueue(err, cg));
  return await_solve(err, cg, ms, state);
}

/* The share of the residual's fall from bb, or of the iterations that are allowed, whichever ends first. */
static double find_share(const double state[WISP_CG_STATE], double bb, long long most)
{
  const double done = state[WISP_CG_AT_ITERATION] / (double)most, rr = state[WISP_CG_AT_RR];
  const double fallen = log(bb / rr) / log(bb / state[WISP_CG_AT_LIMIT]);
  return fmin(1, fmax(done, fallen));
}

double wisp_cg_factor(double bb)
{
  enum { FAR = 40 };
  int exponent = 0;
  if (bb > 0 && isfinite(bb)) frexp(bb, &exponent);
  return abs(exponent) <= FAR ? 1 : ldexp(1, -exponent / 2);
}

static wisp_precision precision_of(const wisp_cg *cg)
{
  return (wisp_precision)(wisp_arrays_bytes_of(cg->arrays, "r") / wisp_arrays_size(cg->arrays, "r"));
}

/* A vector of the problem times a number, in another's place or its own. */
static wisp_status scale_vector(wisp_error *err, wisp_cg *cg, const char *from, const char *to, double factor,
                                double *sum)
{
  if (!cg->scaler) CALL(wisp_scaler_create(err, cg->system.device, precision_of(cg), &cg->scaler));
  return wisp_scale(err, cg->scaler, wisp_arrays_at(cg->arrays, from), wisp_arrays_at(cg->arrays, to), factor,
                    cg->system.unknowns, sum);
}

/* r is b, the caller's or, where it is NULL, the system's array, times the factor. bb: |b|^2. */
static wisp_status put_residual(wisp_error *err, wisp_cg *cg, const double *b, double *factor, double *bb)
{
  const size_t unknowns = cg->system.unknowns;
  CALL(b ? square_norm(err, b, unknowns, bb) : scale_vector(err, cg, cg->system.b, "r", 1, bb));
  if (b) CALL(wisp_arrays_upload_part(err, cg->arrays, "r", 0, unknowns, b));
  *factor = wisp_cg_factor(*bb);
  return *factor == 1 ? WISP_OK : scale_vector(err, cg, "r", "r", *factor, NULL);
}

/* All iterations: at once, or in parts that take PART_MS as far as the part before shows. bb: |b|^2 as they have it. */
static wisp_status iterate_all(wisp_error *err, wisp_cg *cg, const double *b, double tolerance, int most,
                               const wisp_cg_watch *watch, double *bb, double *total, double state[WISP_CG_STATE])
{
  enum { FIRST = 10, PART_MS = 200, GROWTH = 8 };
  int part = watch && FIRST < most ? FIRST : most, left = most - part;
  double ms = 0, factor = 1;
  CALL(wisp_cg_record(err, cg));
  CALL(put_residual(err, cg, b, &factor, bb));
  *bb *= factor * factor;
  CALL(begin_solve(err, cg, tolerance * tolerance * *bb, *bb > 0 || b ? part : 0));
  CALL(run_iterations(err, cg, total, state));
  if (watch) watch->progress(watch->context, (long long)state[WISP_CG_AT_ITERATION], find_share(state, *bb, most));
  for (ms = *total; left && state[WISP_CG_AT_RUNNING] > 0; left -= part, *total += ms) {
    part = (int)fmin(left, fmax(1, fmin(GROWTH, PART_MS / ms) * part));
    CALL(wisp_arrays_upload_ints(err, cg->arrays, "left", &part));
    CALL(run_iterations(err, cg, &ms, state));
    watch->progress(watch->context, (long long)state[WISP_CG_AT_ITERATION], find_share(state, *bb, most));
  }
  return factor == 1 ? WISP_OK : scale_vector(err, cg, "solution", "solution", 1 / factor, NULL);
}

/* A residual that is no number, or 0 before the first iteration though b is not, with what may be the cause. */
static wisp_status check_residual(wisp_error *err, const wisp_cg *cg, double bb, double rr, long long iterations)
{
  const bool lost = bb > 0 && rr <= 0;
  const char *range = precision_of(cg) == WISP_F32
                          ? ", or leaves the range of single precision: check these, or take -p f64"
                          : ": check these";
  if (!iterations)
    CALL(wisp_require(err, isfinite(bb) && isfinite(rr) && !lost, WISP_EWRONG,
                      "the residual is %g before the first iteration: a coefficient, the source or a boundary value is "
                      "%s%s",
                      sqrt(isfinite(bb) ? rr : bb), lost ? "too small" : "not finite", range));
  return wisp_require(err, isfinite(rr), WISP_EWRONG,
                      "the residual is %g after %lld iterations: the matrix is not positive, or a coefficient is not "
                      "finite%s",
                      sqrt(rr), iterations, range);
}

wisp_status wisp_cg_solve(wisp_error *err, wisp_cg *cg, const double *b, double tolerance, long long most,
                          const wisp_cg_watch *watch, wisp_cg_report *out)
{
  wisp_cg_report report = {.iterations = 0};
  double state[WISP_CG_STATE], ms = 0, bb = 0;
  CALL(wisp_require(err, b || cg->system.b, WISP_EUSAGE, "no right-hand side"));
  CALL(wisp_require(err, most >= 0 && most <= INT_MAX, WISP_EUSAGE, "%lld iterations at most: must be from 0 to %d",
                    most, INT_MAX));
  CALL(iterate_all(err, cg, b, tolerance, (int)most, watch, &bb, &ms, state));
  report.iterations = bb > 0 ? (long long)state[WISP_CG_AT_ITERATION] : 0;
  report.ms_per_iteration = report.iterations ? ms / (double)report.iterations : 0;
  CALL(check_residual(err, cg, bb, state[WISP_CG_AT_RR], report.iterations));
  report.residual = bb > 0 ? sqrt(state[WISP_CG_AT_RR] / bb) : 0;
  report.converged = state[WISP_CG_AT_RR] <= state[WISP_CG_AT_LIMIT];
  *out = report;
  return WISP_OK;
}

wisp_status wisp_cg_start(wisp_error *err, wisp_cg *cg)
{
  CALL(clear_vectors(err, cg));
  CALL(wisp_cg_record(err, cg));
  CALL(follow_residual(err, cg));
  return enqueue(err, cg);
}

wisp_status wisp_cg_end(wisp_error *err, wisp_cg *cg, wisp_cg_report *out)
{
  double state[WISP_CG_STATE], ms = 0;
  CALL(await_solve(err, cg, &ms, state));
  const double count = state[WISP_CG_AT_ITERATION], rr = state[WISP_CG_AT_RR];
  CALL(check_residual(err, cg, 0, rr, (long long)count));
  *out = (wisp_cg_report){.iterations = (long long)count,
                          .converged = rr <= state[WISP_CG_AT_LIMIT],
                          .residual = sqrt(rr),
                          .ms_per_iteration = count > 0 ? ms / count : 0};
  return WISP_OK;
}

wisp_status wisp_cg_solution(wisp_error *err, wisp_cg *cg, double *unknowns)
{
  return wisp_arrays_download_part(err, cg->arrays, "solution", 0, cg->system.unknowns, unknowns);
}
