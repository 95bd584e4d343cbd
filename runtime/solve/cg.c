#include "cg.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

struct wisp_cg {
  wisp_cg_system system;
  wisp_arrays *arrays; /* the problem's */
  wisp_graph *graph;   /* of all iterations; NULL: not recorded */
  wisp_event *begin, *end;
};

wisp_status wisp_cg_create(wisp_error *err, const wisp_cg_system *system, wisp_cg **out)
{
  wisp_status status = WISP_OK;
  wisp_cg *cg = NULL;
  TRY(wisp_new(err, 1, sizeof *cg, &cg));
  cg->system = *system;
  cg->arrays = wisp_problem_arrays(system->problem);
  TRY(wisp_event_create(err, system->device, &cg->begin));
  TRY(wisp_event_create(err, system->device, &cg->end));
  *out = cg;
  cg = NULL;
done:
  wisp_cg_destroy(cg);
  return status;
}

void wisp_cg_destroy(wisp_cg *cg)
{
  if (!cg) return;
  wisp_graph_destroy(cg->graph);
  wisp_event_destroy(cg->begin);
  wisp_event_destroy(cg->end);
  free(cg);
}

/* --- iterations --- */

/* The residual's: z follows from it, and the next direction from that. */
static wisp_status follow(wisp_error *err, wisp_cg *cg)
{
  wisp_status status = WISP_OK;
  TRY(wisp_launches_run(err, cg->system.precondition, cg->system.problem));
  TRY(wisp_launches_run(err, cg->system.update, cg->system.problem));
done:
  return status;
}

static wisp_status iterate(wisp_error *err, wisp_cg *cg)
{
  wisp_status status = WISP_OK;
  TRY(wisp_launches_run(err, cg->system.apply, cg->system.problem));
  TRY(follow(err, cg));
done:
  return status;
}

/* The solve as one graph, whatever its tolerance and length: these are in device memory. */
static wisp_status record(wisp_error *err, wisp_cg *cg)
{
  wisp_status status = WISP_OK, ended = WISP_OK;
  wisp_error later = {.text = ""};
  if (cg->graph) return WISP_OK;
  TRY(wisp_graph_begin(err, cg->system.device));
  status = iterate(err, cg);
  ended = wisp_graph_end_loop(&later, cg->system.device, wisp_arrays_at(cg->arrays, "left"), &cg->graph);
  TRY(status);
  if (ended != WISP_OK) TRY(wisp_fail(err, ended, "%s", later.text));
done:
  return status;
}

/* The start: solution and p are 0, r is given, z follows from it, as alpha is 0 while nothing is running, and p is z.
 */
static wisp_status begin(wisp_error *err, wisp_cg *cg, const double *r, double limit, int most)
{
  wisp_status status = WISP_OK;
  double state[WISP_CG_STATE] = {0};
  state[WISP_CG_AT_LIMIT] = limit;
  TRY(wisp_arrays_fill(err, cg->arrays, "solution", 0));
  TRY(wisp_arrays_fill(err, cg->arrays, "p", 0));
  TRY(wisp_arrays_fill(err, cg->arrays, "Ap", 0));
  TRY(wisp_arrays_upload_part(err, cg->arrays, "r", 0, cg->system.unknowns, r));
  TRY(wisp_arrays_upload(err, cg->arrays, "state", state));
  TRY(wisp_arrays_upload_ints(err, cg->arrays, "left", &most));
  TRY(follow(err, cg));
done:
  return status;
}

/* --- the largest eigenvalue --- */

enum { LANCZOS = 15 };

/* Conjugate gradients are Lanczos' iteration: alpha and beta make its tridiagonal matrix (Saad 2003, section 6.7). */
static wisp_status largest_eigenvalue(wisp_error *err, int count, const double *history, double *out)
{
  wisp_status status = WISP_OK;
  double diagonal[LANCZOS], beside[LANCZOS];
  for (int k = 0; k < count; k++) {
    const double beta = history[3 * k + 1], alpha = history[3 * k + 2];
    diagonal[k] = 1 / alpha + (k ? beta / history[3 * k - 1] : 0);
    if (k) beside[k - 1] = sqrt(beta) / history[3 * k - 1];
  }
  TRY(wisp_require(err, count > 0 && LAPACKE_dsterf(count, diagonal, beside) == 0 && diagonal[count - 1] > 0,
                   WISP_EWRONG, "conjugate gradients see no eigenvalue after %d iterations", count));
  *out = diagonal[count - 1];
done:
  return status;
}

wisp_status wisp_cg_largest(wisp_error *err, wisp_cg *cg, double *largest)
{
  wisp_status status = WISP_OK;
  const size_t unknowns = cg->system.unknowns;
  double state[WISP_CG_STATE], *r = NULL, *history = NULL, rr = 0;
  uint32_t seed = 1;
  TRY(wisp_new(err, unknowns, sizeof *r, &r));
  TRY(wisp_new(err, wisp_arrays_size(cg->arrays, "history"), sizeof *history, &history));
  for (size_t i = 0; i < unknowns; i++) {
    seed = 1664525 * seed + 1013904223; /* Numerical Recipes' quick generator */
    r[i] = (double)(seed >> 8) / (1 << 23) - 1;
    rr += r[i] * r[i];
  }
  TRY(begin(err, cg, r, 1e-12 * rr, LANCZOS));
  for (int k = 0; k < LANCZOS; k++) TRY(iterate(err, cg));
  TRY(wisp_arrays_download(err, cg->arrays, "state", state));
  TRY(wisp_arrays_download(err, cg->arrays, "history", history));
  TRY(largest_eigenvalue(err, (int)state[WISP_CG_AT_ITERATION], history, largest));
done:
  free(r);
  free(history);
  return status;
}

/* --- a solve --- */

static double square(const double *b, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += b[i] * b[i];
  return sum;
}

/* The iterations that are left, the time that they take, and the state that they leave. */
static wisp_status replay(wisp_error *err, wisp_cg *cg, double *ms, double state[WISP_CG_STATE])
{
  wisp_status status = WISP_OK;
  TRY(wisp_event_record(err, cg->begin));
  TRY(wisp_graph_replay(err, cg->graph));
  TRY(wisp_event_record(err, cg->end));
  TRY(wisp_device_finish(err, cg->system.device));
  TRY(wisp_event_elapsed(err, cg->begin, cg->end, ms));
  TRY(wisp_arrays_download(err, cg->arrays, "state", state));
done:
  return status;
}

/* Of the residual's fall, or of the iterations that are allowed, whichever ends first. bb: where it fell from. */
static double share(const double state[WISP_CG_STATE], double bb, long long most)
{
  const double done = state[WISP_CG_AT_ITERATION] / (double)most, rr = state[WISP_CG_AT_RR];
  const double fallen = log(bb / rr) / log(bb / state[WISP_CG_AT_LIMIT]);
  return fmin(1, fmax(done, fallen));
}

/* All iterations: at once, or in parts that take PART_MS as far as the part before shows. */
static wisp_status iterate_all(wisp_error *err, wisp_cg *cg, const double *b, double bb, double limit, int most,
                               const wisp_cg_watch *watch, double *total, double state[WISP_CG_STATE])
{
  enum { FIRST = 10, PART_MS = 200, GROWTH = 8 };
  wisp_status status = WISP_OK;
  int part = watch && FIRST < most ? FIRST : most, left = most - part;
  double ms = 0;
  TRY(begin(err, cg, b, limit, part));
  TRY(record(err, cg));
  TRY(replay(err, cg, total, state));
  if (watch) watch->tell(watch->context, (long long)state[WISP_CG_AT_ITERATION], share(state, bb, most));
  for (ms = *total; left && state[WISP_CG_AT_RUNNING] > 0; left -= part, *total += ms) {
    part = (int)fmin(left, fmax(1, fmin(GROWTH, PART_MS / ms) * part));
    TRY(wisp_arrays_upload_ints(err, cg->arrays, "left", &part));
    TRY(replay(err, cg, &ms, state));
    watch->tell(watch->context, (long long)state[WISP_CG_AT_ITERATION], share(state, bb, most));
  }
done:
  return status;
}

wisp_status wisp_cg_solve(wisp_error *err, wisp_cg *cg, const double *b, double tolerance, long long most,
                          const wisp_cg_watch *watch, wisp_cg_report *out)
{
  wisp_status status = WISP_OK;
  wisp_cg_report report = {.iterations = 0};
  const double bb = square(b, cg->system.unknowns);
  double state[WISP_CG_STATE], ms = 0;
  TRY(wisp_require(err, most >= 0 && most <= INT_MAX, WISP_EUSAGE, "%lld iterations at most: must be from 0 to %d",
                   most, INT_MAX));
  TRY(iterate_all(err, cg, b, bb, tolerance * tolerance * bb, (int)most, watch, &ms, state));
  report.iterations = (long long)state[WISP_CG_AT_ITERATION];
  report.ms_per_iteration = report.iterations ? ms / (double)report.iterations : 0;
  report.residual = bb > 0 ? sqrt(state[WISP_CG_AT_RR] / bb) : 0;
  report.converged = state[WISP_CG_AT_RR] <= state[WISP_CG_AT_LIMIT];
  TRY(wisp_require(err, isfinite(report.residual), WISP_EWRONG, "the residual is %g after %lld iterations",
                   report.residual, report.iterations));
  *out = report;
done:
  return status;
}

wisp_status wisp_cg_solution(wisp_error *err, wisp_cg *cg, double *unknowns)
{
  return wisp_arrays_download_part(err, cg->arrays, "solution", 0, cg->system.unknowns, unknowns);
}
