/* Checkpoints of a run of a system, and a run that goes on from one. */
#include "system_kind.h"

/* A hash of vertices and elements. */
static void print_mesh(const wisp_mesh *mesh, char out[WISP_CHECKPOINT_TEXT])
{
  uint64_t hash = wisp_hash(WISP_HASH_SEED, mesh->xyz, 3 * mesh->vertices * sizeof *mesh->xyz);
  hash = wisp_hash(hash, mesh->cell, (size_t)mesh->corners * mesh->elements * sizeof *mesh->cell);
  snprintf(out, WISP_CHECKPOINT_TEXT, "%016llx", (unsigned long long)hash);
}

/* The numbers as the run's basis has them, so that the same basis gets them back bit for bit. */
static wisp_checkpoint describe(const wisp_system_run *run)
{
  const wisp_solver *s = &run->base;
  const wisp_stepper *stepper = run->stepper;
  wisp_checkpoint c = {.order = s->order,
                       .elements = (double)s->mesh->elements,
                       .nodes = run->tet->Np,
                       .count = run->system->fields,
                       .begun = stepper->clock.begun,
                       .dt = stepper->clock.dt,
                       .clock = (double)stepper->clock.steps,
                       .steps = (double)run->steps,
                       .energy = run->energy_initial};
  snprintf(c.problem, sizeof c.problem, "%s", s->problem);
  for (int f = 0; f < run->system->fields; f++)
    snprintf(c.fields + strlen(c.fields), sizeof c.fields - strlen(c.fields), "%s%s", f ? " " : "",
             run->system->field[f]);
  snprintf(c.basis, sizeof c.basis, "%s", run->basis.name);
  snprintf(c.scheme, sizeof c.scheme, "%s", stepper->integrator.scheme->name);
  snprintf(c.precision, sizeof c.precision, "%s", wisp_precision_name(s->precision));
  snprintf(c.device, sizeof c.device, "%s", wisp_device_limits(s->session->device)->name);
  snprintf(c.composition, sizeof c.composition, "%s", s->stage->composition);
  wisp_layout_print(&s->stage->layout, c.layout);
  print_mesh(s->mesh, c.mesh);
  return c;
}

wisp_status wisp_system_checkpoint(wisp_error *err, wisp_system_run *run, const char *path)
{
  OWNED(free) double *u = NULL;
  const wisp_checkpoint c = describe(run);
  CALL(wisp_new(err, wisp_checkpoint_size(&c), sizeof *u, &u));
  CALL(wisp_system_fetch(err, run));
  CALL(wisp_system_exchange(err, run, WISP_GET, true, u));
  for (size_t f = 0; f < (size_t)run->system->fields; f++)
    CALL(wisp_system_gather(err, run, (size_t)run->tet->Np, u + f * run->base.mesh->elements * (size_t)run->tet->Np));
  if (!wisp_ranks_own(run->domain.ranks)) CALL(wisp_checkpoint_write(err, path, &c, u));
  return wisp_ranks_meet(err, run->domain.ranks);
}

wisp_status wisp_system_read_checkpoint(wisp_error *err, wisp_system_run *run)
{
  const char *path = wisp_solver_text(&run->base, "restart");
  wisp_restart *r = &run->restart;
  if (!path) return WISP_OK;
  CALL(wisp_checkpoint_read(err, path, &r->state, &r->u));
  r->given = true;
  CALL(wisp_require(err, strcmp(r->state.problem, run->base.problem) == 0, WISP_EUSAGE,
                    "%s: the checkpoint is of %s, and the problem is %s: name another file", path, r->state.problem,
                    run->base.problem));
  CALL(wisp_require(err, (int)r->state.order == run->base.order, WISP_EUSAGE,
                    "%s: the checkpoint is of order %g: give -n %g", path, r->state.order, r->state.order));
  return wisp_require(err, wisp_scheme_find(r->state.scheme) && r->state.dt > 0, WISP_EINPUT,
                      "%s: the checkpoint names no scheme and step that there are: take an older one, or start anew",
                      path);
}

bool wisp_system_is_resumed(const wisp_system_run *run)
{
  const wisp_solver *s = &run->base;
  const wisp_checkpoint *c = &run->restart.state;
  return run->restart.given && strcmp(c->device, wisp_device_limits(s->session->device)->name) == 0 &&
         strcmp(c->precision, wisp_precision_name(s->precision)) == 0;
}

wisp_status wisp_system_resume(wisp_error *err, wisp_system_run *run)
{
  const wisp_checkpoint *c = &run->restart.state, own = describe(run);
  const char *path = wisp_solver_text(&run->base, "restart");
  const bool same = strcmp(c->fields, own.fields) == 0 && strcmp(c->mesh, own.mesh) == 0 && c->nodes == own.nodes &&
                    c->count == own.count && c->elements == own.elements;
  CALL(wisp_require(err, same, WISP_EUSAGE,
                    "%s: the checkpoint is of %g elements with the fields %s, and of another mesh or system: give the "
                    "same --mesh or --box",
                    path, c->elements, c->fields));
  const bool raw = strcmp(c->basis, own.basis) == 0;
  CALL(wisp_require(err, raw, WISP_EUSAGE, "%s: the checkpoint is of the basis %s: give --basis %s", path, c->basis,
                    c->basis));
  CALL(wisp_system_exchange(err, run, WISP_SET, true, run->restart.u));
  WISP_FREE(run->restart.u);
  run->restart.u = NULL;
  run->stepper->clock.begun = c->begun;
  run->stepper->clock.dt = c->dt;
  run->stepper->clock.steps = (long long)c->clock;
  run->steps = (long long)c->steps;
  run->time = wisp_stepper_time(run->stepper);
  run->energy_initial = c->energy;
  return wisp_dg_energy(err, run->dg, run->u, &run->energy_resumed);
}
