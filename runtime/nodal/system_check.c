/* Checks of a run's own data: coefficients that the precision cannot compute with, a start that the elements do not
 * hold, and the reason why a solution blew up. */
#include "system_kind.h"

/* The share of the start's length that the elements may miss; of its energy that the first steps may lose. */
static const double MISFIT = 0.3, LOSS = 0.1;

/* The coefficient that differs most from element to element, as a text; empty where the precision resolves all. */
static void describe_jump(const wisp_system_run *run, char text[128])
{
  int q = 0;
  const double jump = wisp_media_jump(run->system, run->base.mesh->elements, run->medium, &q);
  const double resolved = wisp_media_resolved(run->base.precision);
  *text = '\0';
  if (jump > resolved)
    snprintf(text, 128, "%s differs by a factor of %.3g between elements, and %s resolves %.0e",
             run->system->quantity[q].name, jump, wisp_precision_name(run->base.precision), resolved);
}

wisp_status wisp_system_check_media(wisp_error *err, wisp_system_run *run)
{
  char jump[128];
  CALL(wisp_media_check(err, run->system, run->base.mesh->elements, run->medium, run->base.precision));
  describe_jump(run, jump);
  if (!*jump) return WISP_OK;
  return wisp_notes_add(err, &run->base.mesh->notes, "coefficient_jump",
                        "%s: rounding may hide the solution, or blow it up", jump);
}

/* Whether some face of the boundary has this kind of wall. */
static bool has_walls(const wisp_system_run *run, int kind)
{
  if (!run->walls.of_face) return run->walls.boundary == kind;
  for (size_t f = 0; f < 4 * run->base.mesh->elements; f++)
    if (run->base.mesh->neighbour[f] == WISP_BOUNDARY && run->walls.of_face[f] == kind) return true;
  return false;
}

wisp_status wisp_system_check_start(wisp_error *err, wisp_system_run *run, const double *u)
{
  const wisp_start *start = &run->start;
  const double *at = start->surroundings.middle;
  run->misfit = NAN;
  if (run->energy_initial == 0 && !run->sources.count)
    CALL(wisp_notes_add(err, &run->base.mesh->notes, "start_without_energy",
                        "the start has no energy in any node of the mesh, and all fields stay 0: take another "
                        "--start or --initial, refine the mesh, or raise -n"));
  if (run->known) return WISP_OK; /* the error tells */
  run->lossless = wisp_system_locals_keep_energy(run->system) && !run->sources.count;
  for (int b = 0; b < run->system->boundaries; b++)
    if (has_walls(run, b)) run->lossless &= wisp_system_keeps_energy(run->system, b);
  if (!start->state) return WISP_OK; /* what --initial gives may jump from group to group */
  CALL(wisp_dg_misfit(err, run->dg, u, wisp_start_field, start, &run->misfit));
  if (run->misfit <= MISFIT) return WISP_OK;
  return wisp_notes_add(err, &run->base.mesh->notes, "start_unresolved",
                        "the mesh does not resolve the start '%s': it is under-resolved, %.0f %% off on the elements, "
                        "in the energy's norm, more than %.0f %%: refine the mesh at (%g, %g, %g), or raise -n",
                        start->text, 100 * run->misfit, 100 * MISFIT, at[0], at[1], at[2]);
}

wisp_status wisp_system_check_first(wisp_error *err, wisp_system_run *run, long long steps)
{
  double energy = 0;
  if (!run->lossless || !(run->energy_initial > 0)) return WISP_OK;
  CALL(wisp_solution_energy(err, run->stepper->problem, &energy));
  const double loss = 1 - energy / run->energy_initial;
  if (!(loss > LOSS)) return WISP_OK;
  return wisp_notes_add(err, &run->base.mesh->notes, "start_loses_energy",
                        "the first %lld steps lose %.0f %% of the energy, though the walls keep it: the start is "
                        "under-resolved, or does not fit the walls: refine the mesh, raise -n, or take another --start "
                        "or --boundary",
                        steps, 100 * loss);
}

/* --- why it blew up --- */

/* A step that is too long, and the option that gave it. */
static bool explain_step(const wisp_system_run *run, char why[256])
{
  if (!run->measured && !isnan(wisp_solver_real(&run->base, "dt")))
    snprintf(why, 256, WISP_MESSAGE("leave --dt out for a stable one"));
  else if (run->dt > run->limit)
    snprintf(why, 256, WISP_MESSAGE("steps up to %.4g are stable here; %s"), run->limit,
             isnan(wisp_solver_real(&run->base, "dt")) ? "take a --cfl below 1" : "leave --dt out");
  else
    return false;
  return true;
}

/* Fluxes and walls that feed the solution, whatever the step. */
static bool explain_system(const wisp_system_run *run, char why[256])
{
  const wisp_system *system = run->system;
  const bool between = wisp_system_adds_energy(system, -1, run->alpha);
  bool inside = false;
  int wall = 0;
  for (size_t e = 0; e < run->base.mesh->elements && !inside && system->locals; e++)
    inside = wisp_system_locals_add_energy(system, run->medium + e * (size_t)system->quantities);
  while (wall < system->boundaries && !(has_walls(run, wall) && wisp_system_adds_energy(system, wall, run->alpha)))
    wall++;
  if (between)
    snprintf(why, 256,
             WISP_MESSAGE("the flux of system %s adds energy between elements, or its energy does not belong to its "
                          "rates: correct its file"),
             system->name);
  else if (wall < system->boundaries)
    snprintf(why, 256,
             WISP_MESSAGE("the walls '%s' of system %s add energy: correct its file, or take another --boundary"),
             system->boundary[wall].name, system->name);
  else if (inside)
    snprintf(why, 256,
             WISP_MESSAGE("terms without a derivative in the rates of system %s add energy: correct its file, or take "
                          "other coefficients"),
             system->name);
  return between || wall < system->boundaries || inside;
}

wisp_status wisp_system_blew_up(wisp_error *err, const wisp_system_run *run)
{
  char why[256], jump[128], step[64] = "which are safe";
  bool known = explain_system(run, why) || explain_step(run, why), tuned = false;
  describe_jump(run, jump);
  for (int i = 0; i < run->base.stage->kernels; i++) tuned |= run->base.stage->choice[i].match != WISP_MATCH_DEFAULT;
  if (run->measured) snprintf(step, sizeof step, "though steps up to %.4g are stable here", run->limit);
  if (!known && *jump)
    snprintf(why, sizeof why, WISP_MESSAGE("%s: take media that differ less%s"), jump,
             run->base.precision == WISP_F32 ? ", or f64" : "");
  else if (!known) /* neither the step nor the data: a kernel, or an estimate that was too long */
    snprintf(why, sizeof why, "%s: %s%s", step,
             tuned ? WISP_MESSAGE("a kernel may be at fault; try --default")
                   : WISP_MESSAGE("default kernels ran, and the data do not explain it; report it with the mesh"),
             run->measured ? ", or a smaller --cfl" : "");
  known |= *jump != '\0';
  return wisp_fail(err, WISP_EWRONG, "the solution blew up in %lld steps of %g%s %s", run->steps, run->dt,
                   known ? ":" : ",", why);
}
