#include "cg.h"
#include "cg_parts.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The Chebyshev interval reaches from its upper end down to a thirtieth; below it the polynomial still damps, and stays
 * positive. The upper end lies above what this many Lanczos steps see of the largest eigenvalue. */
enum { LANCZOS = 15, INTERVAL = 30 };
static const double above = 1.1;

void wisp_cg_composition(const char *kernel, wisp_preconditioner preconditioner, char text[WISP_CG_COMPOSITION])
{
  snprintf(text, WISP_CG_COMPOSITION, "update+spread+%s+gather+advance%s", kernel,
           preconditioner == WISP_CHEBYSHEV ? "+smooth" : "");
}

/* --- launches --- */

/* One step of the Chebyshev iteration; all else is the same in every launch. */
typedef struct smoothing {
  int first;
  double keep, gain;
} smoothing;

static wisp_status launch(wisp_error *err, wisp_cg *cg, wisp_cg_kernel kernel, const smoothing *s)
{
  const wisp_binding scalars[] = {
      {"lambda", 0, cg->problem->lambda},
      {"rz_parts", 0, wisp_cg_blocks(cg, cg->degree > 1 ? WISP_CG_SMOOTH : WISP_CG_ADVANCE)},
      {"rr_parts", 0, wisp_cg_blocks(cg, WISP_CG_ADVANCE)},
      {"pAp_parts", 0, wisp_cg_blocks(cg, WISP_CG_GATHER)},
      {"scale", 0, cg->scale},
      {"polynomial", 0, cg->degree > 1},
      {"first_step", 0, s ? s->first : 0},
      {"keep", 0, s ? s->keep : 0},
      {"gain", 0, s ? s->gain : 0},
  };
  return wisp_problem_run(err, cg->vectors, cg->kernel[kernel], scalars, WISP_COUNT(scalars));
}

/* A vector from the unknowns to the elements, as u. */
static wisp_status spread(wisp_error *err, wisp_cg *cg, const char *vector)
{
  const wisp_binding bindings[] = {{"vector", wisp_arrays_at(cg->arrays, vector), 0}};
  return wisp_problem_run(err, cg->vectors, cg->kernel[WISP_CG_SPREAD], bindings, 1);
}

/* z from the residual: z = r / diagonal by advance, then the Chebyshev iteration for A z = r (Saad 2003, Algorithm
 * 12.1), whose interval has the middle theta and half the width delta. */
static wisp_status precondition(wisp_error *err, wisp_cg *cg)
{
  const double theta = cg->bound * (1 + 1.0 / INTERVAL) / 2, delta = cg->bound * (1 - 1.0 / INTERVAL) / 2;
  double rho = delta / theta;
  CALL(launch(err, cg, WISP_CG_ADVANCE, NULL));
  for (int k = 1; k < cg->degree; k++) {
    const double next = 1 / (2 * theta / delta - rho);
    const smoothing s = {.first = k == 1, .keep = next * rho, .gain = 2 * next / delta};
    CALL(spread(err, cg, "z"));
    CALL(launch(err, cg, WISP_CG_OPERATOR, NULL));
    CALL(launch(err, cg, WISP_CG_SMOOTH, &s));
    rho = next;
  }
  return WISP_OK;
}

static wisp_status iterate(wisp_error *err, wisp_cg *cg)
{
  CALL(launch(err, cg, WISP_CG_OPERATOR, NULL));
  CALL(launch(err, cg, WISP_CG_GATHER, NULL));
  CALL(precondition(err, cg));
  CALL(launch(err, cg, WISP_CG_UPDATE, NULL));
  return spread(err, cg, "p");
}

/* The solve as one graph, whatever its tolerance and length: these are in device memory. */
static wisp_status record(wisp_error *err, wisp_cg *cg)
{
  wisp_status status = WISP_OK, ended = WISP_OK;
  wisp_error later = {.text = ""};
  if (cg->graph) return WISP_OK;
  TRY(wisp_graph_begin(err, cg->device));
  status = iterate(err, cg);
  ended = wisp_graph_end_loop(&later, cg->device, wisp_arrays_at(cg->arrays, "left"), &cg->graph);
  TRY(status);
  if (ended != WISP_OK) TRY(wisp_fail(err, ended, "%s", later.text));
done:
  return status;
}

/* The start: solution and p are 0, r is given, z follows from it, as alpha is 0 while nothing is running, and p is z.
 */
static wisp_status begin(wisp_error *err, wisp_cg *cg, const double *r, double limit, int most)
{
  double state[WISP_CG_STATE] = {0};
  state[WISP_CG_AT_LIMIT] = limit;
  CALL(wisp_arrays_fill(err, cg->arrays, "solution", 0));
  CALL(wisp_arrays_fill(err, cg->arrays, "p", 0));
  CALL(wisp_arrays_fill(err, cg->arrays, "Ap", 0));
  CALL(wisp_arrays_upload_part(err, cg->arrays, "r", 0, cg->problem->copies->unknowns, r));
  CALL(wisp_arrays_upload(err, cg->arrays, "state", state));
  CALL(wisp_arrays_upload_ints(err, cg->arrays, "left", &most));
  CALL(precondition(err, cg));
  CALL(launch(err, cg, WISP_CG_UPDATE, NULL));
  return spread(err, cg, "p");
}

/* --- the largest eigenvalue --- */

/* Conjugate gradients are Lanczos' iteration: alpha and beta make its tridiagonal matrix (Saad 2003, section 6.7). */
static wisp_status largest_eigenvalue(wisp_error *err, int count, const double *history, double *out)
{
  double diagonal[LANCZOS], beside[LANCZOS];
  for (int k = 0; k < count; k++) {
    const double beta = history[3 * k + 1], alpha = history[3 * k + 2];
    diagonal[k] = 1 / alpha + (k ? beta / history[3 * k - 1] : 0);
    if (k) beside[k - 1] = sqrt(beta) / history[3 * k - 1];
  }
  CALL(wisp_require(err, count > 0 && LAPACKE_dsterf(count, diagonal, beside) == 0 && diagonal[count - 1] > 0,
                    WISP_EWRONG, "the Chebyshev preconditioner: no bound of the eigenvalues was found; use jacobi"));
  *out = diagonal[count - 1];
  return WISP_OK;
}

/* A few iterations with Jacobi's preconditioner on a random residual. */
static wisp_status estimate(wisp_error *err, wisp_cg *cg)
{
  wisp_status status = WISP_OK;
  const size_t unknowns = cg->problem->copies->unknowns;
  double state[WISP_CG_STATE], *r = NULL, *history = NULL, rr = 0, largest = 0;
  uint32_t seed = 1;
  TRY(wisp_new(err, unknowns, sizeof *r, &r));
  TRY(wisp_new(err, 3 * WISP_CG_HISTORY, sizeof *history, &history));
  for (size_t i = 0; i < unknowns; i++) {
    seed = 1664525 * seed + 1013904223; /* Numerical Recipes' quick generator */
    r[i] = (double)(seed >> 8) / (1 << 23) - 1;
    rr += r[i] * r[i];
  }
  TRY(begin(err, cg, r, 1e-12 * rr, LANCZOS));
  for (int k = 0; k < LANCZOS; k++) TRY(iterate(err, cg));
  TRY(wisp_arrays_download(err, cg->arrays, "state", state));
  TRY(wisp_arrays_download(err, cg->arrays, "history", history));
  TRY(largest_eigenvalue(err, (int)state[WISP_CG_AT_ITERATION], history, &largest));
  cg->bound = above * largest;
done:
  free(r);
  free(history);
  return status;
}

/* --- the solver --- */

wisp_status wisp_cg_create(wisp_error *err, wisp_device *device, const wisp_poisson *problem, wisp_step *step,
                           const wisp_cg_request *request, wisp_cg **out)
{
  OWNED(wisp_cg_destroy) wisp_cg *cg = NULL;
  CALL(wisp_require(err, request->degree >= 1, WISP_EUSAGE, "a Chebyshev polynomial of degree %d: must be 1 or more",
                    request->degree));
  CALL(wisp_new(err, 1, sizeof *cg, &cg));
  cg->device = device;
  cg->problem = problem;
  cg->step = step;
  cg->degree = 1;
  cg->scale = 1;
  cg->bound = NAN;
  CALL(wisp_new(err, (size_t)step->kernels, sizeof *cg->kernel, &cg->kernel));
  CALL(wisp_step_load(err, device, step, cg->kernel));
  CALL(wisp_cg_make_arrays(err, cg, request->precision));
  CALL(wisp_cg_upload(err, cg, request->preconditioner != WISP_NO_PRECONDITIONER));
  CALL(wisp_event_create(err, device, &cg->begin));
  CALL(wisp_event_create(err, device, &cg->end));
  if (request->preconditioner == WISP_CHEBYSHEV) {
    CALL(estimate(err, cg));
    cg->degree = request->degree;
    cg->scale = 2 / (cg->bound * (1 + 1.0 / INTERVAL));
  }
  *out = cg;
  cg = NULL;
  return WISP_OK;
}

void wisp_cg_destroy(wisp_cg *cg)
{
  if (!cg) return;
  wisp_graph_destroy(cg->graph);
  wisp_event_destroy(cg->begin);
  wisp_event_destroy(cg->end);
  for (int i = 0; cg->kernel && i < cg->step->kernels; i++) wisp_kernel_destroy(cg->kernel[i]);
  free(cg->kernel);
  wisp_problem_destroy(cg->vectors);
  free(cg);
}

/* Of the right-hand side. */
static double square(const wisp_poisson *problem)
{
  double sum = 0;
  for (size_t i = 0; i < problem->copies->unknowns; i++) sum += problem->b[i] * problem->b[i];
  return sum;
}

/* The iterations that are left, the time that they take, and the state that they leave. */
static wisp_status replay(wisp_error *err, wisp_cg *cg, double *ms, double state[WISP_CG_STATE])
{
  CALL(wisp_event_record(err, cg->begin));
  CALL(wisp_graph_replay(err, cg->graph));
  CALL(wisp_event_record(err, cg->end));
  CALL(wisp_device_finish(err, cg->device));
  CALL(wisp_event_elapsed(err, cg->begin, cg->end, ms));
  return wisp_arrays_download(err, cg->arrays, "state", state);
}

/* Of the residual's fall, or of the iterations that are allowed, whichever ends first. bb: where it fell from. */
static double share(const double state[WISP_CG_STATE], double bb, long long most)
{
  const double done = state[WISP_CG_AT_ITERATION] / (double)most, rr = state[WISP_CG_AT_RR];
  const double fallen = log(bb / rr) / log(bb / state[WISP_CG_AT_LIMIT]);
  return fmin(1, fmax(done, fallen));
}

/* All iterations: at once, or in parts that take PART_MS as far as the part before shows. */
static wisp_status iterate_all(wisp_error *err, wisp_cg *cg, double bb, double limit, int most,
                               const wisp_cg_watch *watch, double *total, double state[WISP_CG_STATE])
{
  enum { FIRST = 10, PART_MS = 200, GROWTH = 8 };
  int part = watch && FIRST < most ? FIRST : most, left = most - part;
  double ms = 0;
  CALL(begin(err, cg, cg->problem->b, limit, part));
  CALL(record(err, cg));
  CALL(replay(err, cg, total, state));
  if (watch) watch->tell(watch->context, (long long)state[WISP_CG_AT_ITERATION], share(state, bb, most));
  for (ms = *total; left && state[WISP_CG_AT_RUNNING] > 0; left -= part, *total += ms) {
    part = (int)fmin(left, fmax(1, fmin(GROWTH, PART_MS / ms) * part));
    CALL(wisp_arrays_upload_ints(err, cg->arrays, "left", &part));
    CALL(replay(err, cg, &ms, state));
    watch->tell(watch->context, (long long)state[WISP_CG_AT_ITERATION], share(state, bb, most));
  }
  return WISP_OK;
}

wisp_status wisp_cg_solve(wisp_error *err, wisp_cg *cg, double tolerance, long long most, const wisp_cg_watch *watch,
                          wisp_cg_report *out)
{
  wisp_cg_report report = {.iterations = 0};
  const double bb = square(cg->problem);
  double state[WISP_CG_STATE], ms = 0;
  CALL(wisp_require(err, most >= 0 && most <= INT_MAX, WISP_EUSAGE, "%lld iterations at most: must be from 0 to %d",
                    most, INT_MAX));
  CALL(iterate_all(err, cg, bb, tolerance * tolerance * bb, (int)most, watch, &ms, state));
  report.iterations = (long long)state[WISP_CG_AT_ITERATION];
  report.ms_per_iteration = report.iterations ? ms / (double)report.iterations : 0;
  report.residual = bb > 0 ? sqrt(state[WISP_CG_AT_RR] / bb) : 0;
  report.converged = state[WISP_CG_AT_RR] <= state[WISP_CG_AT_LIMIT];
  CALL(wisp_require(err, isfinite(report.residual), WISP_EWRONG, "the residual is %g after %lld iterations",
                    report.residual, report.iterations));
  *out = report;
  return WISP_OK;
}

wisp_status wisp_cg_solution(wisp_error *err, wisp_cg *cg, double *unknowns)
{
  return wisp_arrays_download_part(err, cg->arrays, "solution", 0, cg->problem->copies->unknowns, unknowns);
}

double wisp_cg_bound(const wisp_cg *cg)
{
  return cg->bound;
}
