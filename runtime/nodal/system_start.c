/* The first fields of a run of a system: of its file, by expression, or of a checkpoint. */
#include "system_kind.h"

wisp_status wisp_system_choose_start(wisp_error *err, wisp_system_run *run)
{
  const wisp_system *system = run->system;
  const wisp_mesh *mesh = run->base.mesh;
  const char *start = wisp_solver_text(&run->base, "start"), *name = NULL;
  CALL(wisp_start_choose(err, mesh, system, start, run->mode, &run->start));
  for (int i = system->states - 1; i >= 0 && !start && run->start.exact; i--)
    if (system->state[i].walls == run->walls.boundary) name = system->state[i].name;
  if (name && run->start.state->walls != run->walls.boundary)
    CALL(wisp_start_choose(err, mesh, system, name, run->mode, &run->start));
  wisp_start_order(&run->start, run->base.order);
  return WISP_OK;
}

/* Fills u from the start that the system's file states. */
static wisp_status fill_start(wisp_error *err, wisp_system_run *run)
{
  if (!run->start.state) CALL(wisp_system_choose_start(err, run));
  CALL(wisp_start_medium(err, run->base.mesh->elements, run->medium, &run->start));
  run->known = run->start.exact && run->start.state->walls == run->walls.boundary && !run->sources.count;
  wisp_dg_fill(run->dg, wisp_start_field, &run->start, 0, run->u);
  return WISP_OK;
}

wisp_status wisp_system_start(wisp_error *err, wisp_solver *s)
{
  wisp_system_run *run = wisp_system_run_of(s);
  if (run->started) return WISP_OK;
  if (run->restart.given) {
    CALL(wisp_system_resume(err, run));
    run->started = run->fetched = true;
    return wisp_solution_put(err, run->stepper->problem, run->u);
  }
  const bool by_file = !wisp_solver_given(s, "initial") && (!run->sources.count || run->start.state);
  CALL(by_file ? fill_start(err, run) : wisp_initial_fill(err, "option --initial", &run->initial, run->dg, run->u));
  CALL(wisp_dg_energy(err, run->dg, run->u, &run->energy_initial));
  CALL(wisp_system_check_start(err, run, run->u));
  CALL(wisp_solution_put(err, run->stepper->problem, run->u));
  run->started = run->fetched = true;
  return WISP_OK;
}
