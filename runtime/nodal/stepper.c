/* Advances a problem in time: kernels compiled in parallel, one recorded graph a step, replayed. */
#include "krylov.h"
#include "stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static wisp_status check_discretisation(wisp_error *err, const wisp_dg *dg, const wisp_stage *stage)
{
  char ours[WISP_LAYOUT_TEXT], theirs[WISP_LAYOUT_TEXT];
  wisp_layout_print(&stage->layout, ours);
  wisp_layout_print(&dg->layout, theirs);
  return wisp_require(err, strcmp(ours, theirs) == 0 && dg->MB == wisp_dg_MB(&stage->fixed), WISP_EUSAGE,
                      "the stage is made for layout %s and MB=%d, the discretisation has %s and %d", ours,
                      wisp_dg_MB(&stage->fixed), theirs, dg->MB);
}

wisp_status wisp_stepper_create(wisp_error *err, wisp_device *device, wisp_dg *dg, wisp_precision precision,
                                wisp_stage *stage, double alpha, wisp_stepper **out)
{
  OWNED(wisp_stepper_destroy) wisp_stepper *solver = NULL;
  CALL(check_discretisation(err, dg, stage));
  CALL(wisp_new(err, 1, sizeof *solver, &solver));
  solver->device = device;
  solver->stage = stage;
  solver->precision = precision;
  CALL(wisp_stage_load(err, device, stage));
  if (wisp_stage_has(stage, "pair_block")) CALL(wisp_dg_add_pairs(err, dg));
  CALL(wisp_problem_create(err, device, dg, precision, WISP_NARROW_GUARD, stage, &solver->problem));
  solver->integrator = wisp_integrator_of(solver->problem, (const wisp_kernel *const *)stage->kernel, stage->kernels,
                                          &wisp_lsrk45, alpha);
  CALL(wisp_stepper_open_spectrum(err, solver, dg));
  CALL(wisp_event_create(err, device, &solver->begin));
  CALL(wisp_event_create(err, device, &solver->end));
  return GIVE(solver, out);
}

void wisp_stepper_forget(wisp_stepper *solver)
{
  for (int i = 0; i < WISP_U_ARRAYS; i++) {
    wisp_graph_destroy(solver->graph[i]);
    solver->graph[i] = NULL;
  }
}

void wisp_stepper_destroy(wisp_stepper *solver)
{
  if (!solver) return;
  wisp_stepper_forget(solver);
  wisp_stepper_close_spectrum(solver);
  wisp_event_destroy(solver->begin);
  wisp_event_destroy(solver->end);
  wisp_problem_destroy(solver->problem);
  free(solver);
}

/* u has gone to the other array, where steps make it do so. */
static void swap_u(wisp_stepper *solver)
{
  if (!solver->integrator.step_moves) return;
  wisp_arrays_swap(solver->problem->arrays, "u", "u_next");
  solver->current = 1 - solver->current;
}

/* Records the step that begins with u where it is now, and leaves u there: nothing has run yet. */
static wisp_status record(wisp_error *err, wisp_stepper *solver, double dt)
{
  wisp_error later = {.text = ""};
  const wisp_pointer u = wisp_arrays_at(solver->problem->arrays, "u");
  CALL(wisp_graph_begin(err, solver->device));
  const wisp_status launched = wisp_integrator_step(err, &solver->integrator, dt);
  const wisp_status ended = wisp_graph_end(&later, solver->device, &solver->graph[solver->current]);
  if (wisp_arrays_at(solver->problem->arrays, "u") != u) wisp_arrays_swap(solver->problem->arrays, "u", "u_next");
  CALL(launched);
  return wisp_require(err, ended == WISP_OK, ended, "%s", later.text);
}

/* Both graphs where a step ends in the other array. */
static wisp_status record_all(wisp_error *err, wisp_stepper *solver, double dt)
{
  wisp_status status = WISP_OK;
  if (solver->dt != dt) wisp_stepper_forget(solver);
  solver->dt = dt;
  for (int i = 0; i < WISP_U_ARRAYS; i++) { /* to the end even after a failure: u must come back */
    if (status == WISP_OK && !solver->graph[solver->current]) status = record(err, solver, dt);
    swap_u(solver);
  }
  if (status != WISP_OK) wisp_stepper_forget(solver);
  return status;
}

/* A number that is none makes its sum so. */
static wisp_status check_finite(wisp_error *err, const wisp_stepper *solver, double dt, long long steps)
{
  OWNED(free) double *sums = NULL;
  bool finite = true;
  CALL(wisp_new(err, WISP_SPECTRUM, sizeof *sums, &sums));
  CALL(wisp_stepper_spectrum(err, solver, sums));
  for (int i = 0; i < WISP_SPECTRUM; i++) finite &= isfinite(sums[i]);
  return wisp_require(err, finite, WISP_EWRONG, "the solution blew up: it is not finite after %lld steps of %g", steps,
                      dt);
}

wisp_status wisp_stepper_advance(wisp_error *err, wisp_stepper *solver, double dt, long long steps,
                                 double *ms_per_stage)
{
  double ms = 0;
  CALL(wisp_require(err, isfinite(dt), WISP_EUSAGE, "a step of %g: must be a finite number", dt));
  CALL(wisp_require(err, steps >= 0, WISP_EUSAGE, "%lld steps: must be 0 or more", steps));
  CALL(record_all(err, solver, dt));
  CALL(wisp_event_record(err, solver->begin));
  for (long long s = 0; s < steps; s++) {
    CALL(wisp_graph_replay(err, solver->graph[solver->current]));
    swap_u(solver);
  }
  CALL(wisp_event_record(err, solver->end));
  CALL(wisp_device_finish(err, solver->device));
  CALL(wisp_event_elapsed(err, solver->begin, solver->end, &ms));
  CALL(check_finite(err, solver, dt, steps));
  if (ms_per_stage) *ms_per_stage = steps ? ms / (double)steps / solver->integrator.scheme->stages : 0;
  return WISP_OK;
}
