#include "heat_solver.h"
#include "market.h"
#include "../process.h"

#include <math.h>

enum { INVERT, MULTIPLY, ADVANCE, UPDATE, ITERATION_KERNELS, HISTORY = 1024 };

struct wisp_heat_solver {
  wisp_device *device;
  const wisp_heat *heat;
  wisp_stage *stage[2]; /* assembly, iteration */
  wisp_heat_method method;
  wisp_problem *problem;
  wisp_cg *cg;
  double *u, *given, *f;   /* at the nodes; given: this step's solution, for the boundary */
  double *F, *left, *next; /* at the unknowns; left: F - A u */
  wisp_heat_report report;
};

/* --- making it --- */

static bool is_wanted(const void *solver, const char *array)
{
  const wisp_heat_solver *s = solver;
  return wisp_stage_has(s->stage[0], array) || wisp_stage_has(s->stage[1], array);
}

static wisp_status make_arrays(wisp_error *err, wisp_heat_solver *s)
{
  const wisp_assembly_room room = {.rz_parts = (size_t)wisp_kernel_blocks(s->stage[1]->kernel[ADVANCE]),
                                   .pAp_parts = (size_t)wisp_kernel_blocks(s->stage[1]->kernel[MULTIPLY]),
                                   .iterations = HISTORY};
  const size_t nodes = s->heat->assembly->nodes->nodes, rows = s->heat->assembly->pattern->rows;
  wisp_discretisation d = {.family = NULL};
  CALL(wisp_assembly_discretise(err, s->heat->assembly, s->heat->assembly->form->name, &s->stage[0]->fixed, &room, &d));
  CALL(wisp_problem_open(err, s->device, &d, s->method.precision, WISP_NARROW_GUARD, is_wanted, s, &s->problem));
  CALL(wisp_new(err, nodes, sizeof *s->u, &s->u));
  CALL(wisp_new(err, nodes, sizeof *s->given, &s->given));
  CALL(wisp_new(err, nodes, sizeof *s->f, &s->f));
  CALL(wisp_new(err, rows, sizeof *s->F, &s->F));
  CALL(wisp_new(err, rows, sizeof *s->left, &s->left));
  return wisp_new(err, rows, sizeof *s->next, &s->next);
}

static wisp_status make_cg(wisp_error *err, wisp_heat_solver *s)
{
  const double parts = wisp_kernel_blocks(s->stage[1]->kernel[ADVANCE]);
  const wisp_binding bindings[] = {{"scale", 0, 1},
                                   {"polynomial", 0, 0},
                                   {"rz_parts", 0, parts},
                                   {"rr_parts", 0, parts},
                                   {"pAp_parts", 0, wisp_kernel_blocks(s->stage[1]->kernel[MULTIPLY])}};
  HELD(wisp_cg_system_free)
  wisp_cg_system system = {.device = s->device, .problem = s->problem, .unknowns = s->heat->assembly->pattern->rows};
  wisp_launches *const lists[ITERATION_KERNELS] = {
      [MULTIPLY] = &system.apply, [ADVANCE] = &system.precondition, [UPDATE] = &system.update};
  for (int k = MULTIPLY; k < ITERATION_KERNELS; k++)
    CALL(wisp_launches_add(err, lists[k], s->stage[1]->kernel[k], bindings, WISP_COUNT(bindings)));
  return wisp_cg_create(err, &system, &s->cg);
}

wisp_status wisp_heat_solver_create(wisp_error *err, wisp_device *device, const wisp_heat *heat, wisp_stage *assembly,
                                    wisp_stage *iteration, const wisp_heat_method *method, wisp_heat_solver **out)
{
  OWNED(wisp_heat_solver_destroy) wisp_heat_solver *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *s = (wisp_heat_solver){
      .device = device, .heat = heat, .stage = {assembly, iteration}, .method = *method, .report = {.converged = true}};
  CALL(wisp_stage_load(err, device, assembly));
  CALL(wisp_stage_load(err, device, iteration));
  CALL(make_arrays(err, s));
  CALL(make_cg(err, s));
  wisp_heat_solution(heat, 0, s->u);
  return GIVE(s, out);
}

void wisp_heat_solver_destroy(wisp_heat_solver *s)
{
  if (!s) return;
  wisp_cg_destroy(s->cg);
  wisp_problem_destroy(s->problem);
  free(s->u), free(s->given), free(s->f), free(s->F), free(s->left), free(s->next);
  free(s);
}

/* --- a step --- */

static wisp_status check_kappa(wisp_error *err, const wisp_heat_solver *s)
{
  for (size_t i = 0; i < s->heat->assembly->nodes->nodes; i++) {
    const double u = s->u[i], kappa = wisp_heat_kappa_at(s->heat, u);
    if (!(kappa > 0) || !isfinite(kappa))
      return wisp_fail(err, WISP_EUSAGE, "kappa is %g where u is %g, at (%g, %g, %g): must be positive", kappa, u,
                       s->heat->places[3 * i], s->heat->places[3 * i + 1], s->heat->places[3 * i + 2]);
  }
  return WISP_OK;
}

/* The matrix and F for u as it is, the inverse of the diagonal, and what u leaves of F. */
static wisp_status assemble(wisp_error *err, wisp_heat_solver *s)
{
  const double rate = s->heat->capacity > 0 ? s->heat->capacity / s->method.step : 0;
  const size_t rows = s->heat->assembly->pattern->rows;
  const wisp_binding bindings[] = {{"kappa0", 0, s->heat->kappa.number[0]},
                                   {"kappa1", 0, s->heat->kappa.number[1]},
                                   {"kappa2", 0, s->heat->kappa.number[2]},
                                   {"density", 0, 0},
                                   {"mass", 0, rate}};
  const double begin = wisp_seconds();
  CALL(wisp_arrays_upload(err, s->problem->arrays, "u", s->u));
  CALL(wisp_arrays_upload_part(err, s->problem->arrays, "p", 0, rows, s->u));
  for (int k = 0; k < s->stage[0]->kernels; k++)
    CALL(wisp_problem_run(err, s->problem, s->stage[0]->kernel[k], bindings, WISP_COUNT(bindings)));
  CALL(wisp_problem_run(err, s->problem, s->stage[1]->kernel[INVERT], NULL, 0));
  CALL(wisp_problem_run(err, s->problem, s->stage[1]->kernel[MULTIPLY], NULL, 0));
  CALL(wisp_arrays_download(err, s->problem->arrays, "F", s->F));
  CALL(wisp_arrays_download_part(err, s->problem->arrays, "Ap", 0, rows, s->left));
  for (size_t i = 0; i < rows; i++) s->left[i] = s->F[i] - s->left[i];
  s->report.assemblies++;
  s->report.seconds_assembling += wisp_seconds() - begin;
  return WISP_OK;
}

static double length(const double *vector, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += vector[i] * vector[i];
  return sqrt(sum);
}

/* Corrects u by the matrix at hand; by how much, over the largest. What is small enough already is left as it is. */
static wisp_status solve(wisp_error *err, wisp_heat_solver *s)
{
  const size_t rows = s->heat->assembly->pattern->rows;
  const double begin = wisp_seconds(), whole = length(s->F, rows), left = length(s->left, rows);
  const bool solved = left <= s->method.tolerance * whole;
  double most = 0, change = 0;
  wisp_cg_report report = {.converged = true, .residual = 1};
  memset(s->next, 0, rows * sizeof *s->next);
  if (!solved) {
    CALL(wisp_cg_solve(err, s->cg, s->left, s->method.tolerance * whole / left, s->method.iterations, NULL, &report));
    CALL(wisp_cg_solution(err, s->cg, s->next));
  }
  for (size_t i = 0; i < rows; i++) {
    s->u[i] += s->next[i];
    change = fmax(change, fabs(s->next[i]));
    most = fmax(most, fabs(s->u[i]));
  }
  s->report.converged &= report.converged;
  s->report.iterations += report.iterations;
  s->report.residual = whole > 0 ? report.residual * left / whole : 0;
  s->report.change = most > 0 ? change / most : 0;
  s->report.seconds_iterating += wisp_seconds() - begin;
  return WISP_OK;
}

/* f + c u / dt with this step's u, and the next boundary values. */
static wisp_status begin_step(wisp_error *err, wisp_heat_solver *s)
{
  const size_t nodes = s->heat->assembly->nodes->nodes, rows = s->heat->assembly->pattern->rows;
  const bool steady = s->heat->capacity <= 0;
  const double rate = steady ? 0 : s->heat->capacity / s->method.step;
  if (!steady) s->report.t = (s->report.steps + 1) * s->method.step;
  wisp_heat_source(s->heat, s->report.t, s->f);
  for (size_t i = 0; i < nodes; i++) s->f[i] += rate * s->u[i];
  wisp_heat_solution(s->heat, s->report.t, s->given);
  memcpy(s->u + rows, s->given + rows, (nodes - rows) * sizeof *s->u);
  if (steady) memset(s->u, 0, rows * sizeof *s->u); /* nothing is known of it */
  return wisp_arrays_upload(err, s->problem->arrays, "f", s->f);
}

wisp_status wisp_heat_step(wisp_error *err, wisp_heat_solver *s)
{
  const bool linear = wisp_heat_is_linear(s->heat);
  CALL(begin_step(err, s));
  s->report.change = INFINITY;
  for (int i = 0; i < s->method.assemblies && s->report.change > s->method.standstill; i++) {
    CALL(check_kappa(err, s));
    CALL(assemble(err, s));
    CALL(solve(err, s));
    if (linear) s->report.change = 0;
  }
  s->report.converged &= s->report.change <= s->method.standstill;
  s->report.steps++;
  return WISP_OK;
}

const wisp_heat_report *wisp_heat_solver_report(const wisp_heat_solver *s)
{
  return &s->report;
}

const double *wisp_heat_solver_field(const wisp_heat_solver *s)
{
  return s->u;
}

wisp_status wisp_heat_export(wisp_error *err, const wisp_heat_solver *s, const char *path)
{
  OWNED(free) double *values = NULL;
  const wisp_pattern *p = s->heat->assembly->pattern;
  CALL(wisp_new(err, p->nonzeros, sizeof *values, &values));
  CALL(wisp_arrays_download(err, s->problem->arrays, "values", values));
  return wisp_market_write(err, path, p, values, s->F);
}
