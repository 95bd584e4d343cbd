#include "helmholtz_solver.h"
#include "../process.h"

#include <stdlib.h>

/* An iteration's kernels: the first is the preconditioner's set-up, then come those that apply the matrix, of which the
 * last leaves the parts of p . Ap; then, counted from the end, these. */
enum { INVERT, APPLY, UPDATE = 1, ADVANCE = 2, LAST_APPLY = 3, HISTORY = 1024 };

struct wisp_helmholtz_solver {
  wisp_device *device;
  const wisp_helmholtz *data;
  wisp_stage *stage; /* of each part */
  wisp_kernel **kernel[WISP_HELMHOLTZ_PARTS];
  wisp_helmholtz_method method;
  wisp_problem *problem;
  wisp_cg *cg;
};

const char *wisp_helmholtz_composition(wisp_helmholtz_part part, const wisp_helmholtz_method *method)
{
  static const char *const iterations[2][2] = {
      {"invert+apply+tensor.advance+tensor.update", "invert+apply+precondition+tensor.update"},
      {"invert+multiply+collect+tensor.advance+tensor.update", "invert+multiply+collect+precondition+tensor.update"}};
  if (part == WISP_HELMHOLTZ_SETUP) return method->halves ? "condense+assemble" : NULL; /* which leaves the halves */
  if (part == WISP_HELMHOLTZ_FIELDS) return "recover+postprocess";
  return iterations[method->halves][method->preconditioner == WISP_TRACE_BLOCKS];
}

/* --- making it --- */

static bool is_wanted(const void *solver, const char *array)
{
  const wisp_helmholtz_solver *s = solver;
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++)
    if (wisp_stage_has(&s->stage[i], array)) return true;
  return false;
}

/* Of the iteration's kernel that is so far from the end. */
static int blocks(const wisp_helmholtz_solver *s, int from_end)
{
  const wisp_stage *stage = &s->stage[WISP_HELMHOLTZ_ITERATION];
  unsigned grid[2] = {1, 1};
  wisp_plan_grid(NULL, stage->plan[stage->kernels - from_end], NULL, grid);
  return (int)grid[0];
}

static wisp_status make_arrays(wisp_error *err, wisp_helmholtz_solver *s)
{
  const wisp_helmholtz *h = s->data;
  const wisp_hdg_room room = {
      .rz_parts = (size_t)blocks(s, ADVANCE), .pAp_parts = (size_t)blocks(s, LAST_APPLY), .iterations = HISTORY};
  wisp_discretisation d = wisp_hdg_discretisation(h->hdg, &room);
  CALL(wisp_problem_open(err, s->device, &d, s->method.precision, WISP_NARROW_GUARD, is_wanted, s, &s->problem));
  wisp_arrays *arrays = s->problem->arrays;
  CALL(wisp_arrays_upload(err, arrays, "tau", h->tau));
  CALL(wisp_arrays_upload(err, arrays, "kappa", h->kappa));
  CALL(wisp_arrays_upload(err, arrays, "lambda", h->lambda));
  CALL(wisp_arrays_upload(err, arrays, "load", h->load));
  return wisp_arrays_upload(err, arrays, "given", h->given);
}

static wisp_status make_cg(wisp_error *err, wisp_helmholtz_solver *s)
{
  const double parts = blocks(s, ADVANCE);
  const wisp_binding bindings[] = {{"scale", 0, 1},
                                   {"polynomial", 0, s->method.preconditioner == WISP_TRACE_BLOCKS},
                                   {"rz_parts", 0, parts},
                                   {"rr_parts", 0, parts},
                                   {"pAp_parts", 0, blocks(s, LAST_APPLY)}};
  HELD(wisp_cg_system_free)
  wisp_cg_system system = {.device = s->device,
                           .problem = s->problem,
                           .unknowns = s->data->hdg->free_edges * (size_t)s->data->hdg->tables->n};
  const int kernels = s->stage[WISP_HELMHOLTZ_ITERATION].kernels;
  for (int k = APPLY; k < kernels; k++) {
    wisp_launches *const list = k == kernels - UPDATE    ? &system.update
                                : k == kernels - ADVANCE ? &system.precondition
                                                         : &system.apply;
    CALL(wisp_launches_add(err, list, s->kernel[WISP_HELMHOLTZ_ITERATION][k], bindings, WISP_COUNT(bindings)));
  }
  return wisp_cg_create(err, &system, &s->cg);
}

wisp_status wisp_helmholtz_solver_create(wisp_error *err, wisp_device *device, const wisp_helmholtz *problem,
                                         wisp_stage stage[WISP_HELMHOLTZ_PARTS], const wisp_helmholtz_method *method,
                                         wisp_helmholtz_solver **out)
{
  OWNED(wisp_helmholtz_solver_destroy) wisp_helmholtz_solver *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *s = (wisp_helmholtz_solver){.device = device, .data = problem, .stage = stage, .method = *method};
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) {
    CALL(wisp_new(err, (size_t)stage[i].kernels, sizeof **s->kernel, &s->kernel[i]));
    CALL(wisp_stage_load(err, device, &stage[i], s->kernel[i]));
  }
  CALL(make_arrays(err, s));
  CALL(make_cg(err, s));
  return GIVE(s, out);
}

void wisp_helmholtz_solver_destroy(wisp_helmholtz_solver *s)
{
  if (!s) return;
  wisp_cg_destroy(s->cg);
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) {
    for (int k = 0; s->kernel[i] && k < s->stage[i].kernels; k++) wisp_kernel_destroy(s->kernel[i][k]);
    free(s->kernel[i]);
  }
  wisp_problem_destroy(s->problem);
  free(s);
}

/* --- a solve --- */

/* A stage's kernels, and the seconds that they take. */
static wisp_status run(wisp_error *err, wisp_helmholtz_solver *s, wisp_helmholtz_part part, int kernels,
                       double *seconds)
{
  CALL(wisp_device_finish(err, s->device));
  const double begin = wisp_seconds();
  for (int k = 0; k < kernels; k++) CALL(wisp_problem_run(err, s->problem, s->kernel[part][k], NULL, 0));
  CALL(wisp_device_finish(err, s->device));
  *seconds = wisp_seconds() - begin;
  return WISP_OK;
}

static wisp_status iterate(wisp_error *err, wisp_helmholtz_solver *s, const wisp_cg_watch *watch,
                           wisp_helmholtz_report *report)
{
  static const double one = 1;
  wisp_arrays *arrays = s->problem->arrays;
  OWNED(free) double *b = NULL;
  CALL(wisp_new(err, wisp_arrays_size(arrays, "b"), sizeof *b, &b));
  CALL(wisp_arrays_download(err, arrays, "b", b));
  CALL(run(err, s, WISP_HELMHOLTZ_ITERATION, INVERT + 1, &report->seconds[WISP_HELMHOLTZ_ITERATION]));
  if (s->method.preconditioner == WISP_TRACE_NONE) CALL(wisp_arrays_repeat(err, arrays, "inverse", 1, &one));
  CALL(wisp_cg_solve(err, s->cg, b, s->method.tolerance, s->method.iterations, watch, &report->cg));
  report->seconds[WISP_HELMHOLTZ_ITERATION] += 1e-3 * report->cg.ms_per_iteration * (double)report->cg.iterations;
  return WISP_OK;
}

wisp_status wisp_helmholtz_solve(wisp_error *err, wisp_helmholtz_solver *s, const wisp_cg_watch *watch,
                                 wisp_helmholtz_report *out)
{
  wisp_helmholtz_report report = {.bytes = wisp_arrays_bytes(s->problem->arrays)};
  CALL(
      run(err, s, WISP_HELMHOLTZ_SETUP, s->stage[WISP_HELMHOLTZ_SETUP].kernels, &report.seconds[WISP_HELMHOLTZ_SETUP]));
  CALL(iterate(err, s, watch, &report));
  CALL(run(err, s, WISP_HELMHOLTZ_FIELDS, s->stage[WISP_HELMHOLTZ_FIELDS].kernels,
           &report.seconds[WISP_HELMHOLTZ_FIELDS]));
  *out = report;
  return WISP_OK;
}

wisp_status wisp_helmholtz_field(wisp_error *err, wisp_helmholtz_solver *s, const char *array, double *values)
{
  const wisp_hdg_tables *t = s->data->hdg->tables;
  const size_t modes = strcmp(array, "u") == 0 ? (size_t)t->Np : strcmp(array, "ustar") == 0 ? (size_t)t->Ns : 0;
  CALL(wisp_arrays_download(err, s->problem->arrays, array, values));
  return modes ? wisp_hdg_pieces_center(err, s->data->pieces, modes, values) : WISP_OK;
}

size_t wisp_helmholtz_field_size(const wisp_helmholtz_solver *s, const char *array)
{
  return wisp_arrays_size(s->problem->arrays, array);
}
