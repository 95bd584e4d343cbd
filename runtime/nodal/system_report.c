/* The report of a run of a system. */
#include "system_kind.h"

/* Reports the origin of composition and layout, not of the kernels' parameters. */
static wisp_status report_origin(wisp_error *err, const wisp_solver *s, wisp_solver_report *to)
{
  const wisp_choice *record = &s->stage->record;
  if (record->match != WISP_MATCH_DEFAULT)
    return wisp_report_line(err, to, "chosen by", "step record: %s, %s layer%s", wisp_match_name(record->match),
                            wisp_layer_name(record->layer),
                            record->stale ? "; stale: its kernels have changed since" : "");
  if (wisp_solver_given(s, "composition") || wisp_solver_given(s, "layout"))
    return wisp_report_line(err, to, "chosen by", "the request");
  return wisp_report_line(err, to, "chosen by", "default: %s",
                          s->session->store ? "the store has no record of a step on this device" : "as asked");
}

static wisp_status report_coefficients(wisp_error *err, const wisp_system_run *run, wisp_solver_report *to)
{
  HELD(wisp_text_free) wisp_text line = {0};
  for (int q = 0; q < run->system->quantities; q++) {
    const char *name = run->system->quantity[q].name;
    char key[64];
    double range[2];
    if (run->system->quantity[q].expression) continue;
    wisp_media_range(run->system, run->base.mesh->elements, run->medium, q, range);
    snprintf(key, sizeof key, "coefficients.%s", name);
    CALL(wisp_report_numbers(err, to, 2, (const wisp_report_number[]){{key, "", range[0]}, {key, "", range[1]}}));
    CALL(wisp_text_print(err, &line, "%s%s %g", line.length ? ", " : "", name, range[0]));
    if (range[1] > range[0]) CALL(wisp_text_print(err, &line, " to %g", range[1]));
  }
  return line.length ? wisp_report_line(err, to, "medium", "%s", line.data) : WISP_OK;
}

static const char *name_walls(const wisp_system_run *run)
{
  return run->walls.of_face ? wisp_solver_text(&run->base, "boundary")
                            : run->system->boundary[run->walls.boundary].name;
}

/* The name of the first fields; NULL: a program's, or none. */
static const char *name_start(const wisp_system_run *run)
{
  const char *restart = wisp_solver_text(&run->base, "restart"), *initial = wisp_solver_text(&run->base, "initial");
  if (restart) return restart;
  return run->start.state ? run->start.text : initial;
}

/* Among them the weakest match of a kernel, and the record that named composition and layout, or null. */
static wisp_status report_texts(wisp_error *err, const wisp_system_run *run, wisp_solver_report *to)
{
  const wisp_stage *stage = run->base.stage;
  wisp_match weakest = WISP_MATCH_EXACT;
  const wisp_start *start = &run->start;
  const double *at = start->surroundings.middle;
  CALL(wisp_report_text(err, to, "basis", run->basis.name));
  CALL(wisp_report_text(err, to, "basis_reason", run->basis.reason));
  CALL(wisp_report_text(err, to, "start", name_start(run)));
  CALL(wisp_report_text(err, to, "source", wisp_solver_text(&run->base, "source")));
  for (int c = 0; start->state && c < 3; c++)
    CALL(wisp_report_numbers(err, to, 1, &(const wisp_report_number){"start_middle", "", at[c]}));
  CALL(wisp_report_text(err, to, "scheme", run->stepper->integrator.scheme->name));
  CALL(wisp_report_truth(err, to, "nested", run->stepper->integrator.nested));
  CALL(wisp_report_text(err, to, "boundary", name_walls(run)));
  for (int i = 0; i < stage->kernels; i++)
    if (stage->choice[i].match > weakest) weakest = stage->choice[i].match;
  CALL(wisp_report_text(err, to, "composition", stage->composition));
  CALL(wisp_report_text(err, to, "match", wisp_match_name(weakest)));
  if (stage->record.match == WISP_MATCH_DEFAULT) return wisp_report_text(err, to, "step_record", NULL);
  CALL(wisp_report_text(err, to, "step_record.match", wisp_match_name(stage->record.match)));
  CALL(wisp_report_text(err, to, "step_record.layer", wisp_layer_name(stage->record.layer)));
  return wisp_report_truth(err, to, "step_record.stale", stage->record.stale);
}

/* Lines up to the table of kernels. */
static wisp_status report_method(wisp_error *err, const wisp_system_run *run, wisp_solver_report *to)
{
  const wisp_stage *stage = run->base.stage;
  const wisp_basis *basis = &run->basis;
  const wisp_start *start = &run->start;
  const double *at = start->surroundings.middle;
  char layout[WISP_LAYOUT_TEXT], middle[96] = "", step[128];
  wisp_layout_print(&stage->layout, layout);
  if (start->state && start->state->walls < 0) snprintf(middle, sizeof middle, " at (%g, %g, %g)", at[0], at[1], at[2]);
  if (run->measured)
    snprintf(step, sizeof step, "stable up to %.4g, cfl %.3g", run->limit, run->dt / run->limit);
  else
    snprintf(step, sizeof step, "%s: to measure the longest stable one would take longer than the run",
             wisp_solver_given(&run->base, "dt") ? "as asked" : "safe without a measurement");
  CALL(wisp_system_report_domains(err, run, to));
  CALL(wisp_report_line(err, to, "basis", "%s%s%s", basis->name, *basis->reason ? ": " : "", basis->reason));
  CALL(report_coefficients(err, run, to));
  const char *begun = name_start(run), *source = wisp_solver_text(&run->base, "source");
  if (!source) source = "";
  if (*source) CALL(wisp_report_line(err, to, "source", "%s", source));
  CALL(wisp_report_line(err, to, "start", "%s%s, walls %s, alpha %g",
                        begun     ? begun
                        : *source ? "zero"
                                  : "a program's",
                        middle, name_walls(run), run->alpha));
  CALL(wisp_report_line(err, to, "steps", "%lld of %.6g to time %.6g; %s", run->steps, run->dt, run->time, step));
  CALL(wisp_report_line(err, to, "stage", "%s in %s", stage->composition, layout));
  CALL(wisp_system_report_scheme(err, run, to));
  CALL(report_origin(err, &run->base, to));
  return wisp_report_kernels(err, to, 0);
}

static const char *power_name(int order)
{
  static const char *const names[] = {"fourth", "fifth", "sixth", "seventh", "eighth"};
  return names[order - 4];
}

wisp_status wisp_system_report(wisp_error *err, wisp_solver *s, wisp_solver_report *to)
{
  wisp_system_run *run = wisp_system_run_of(s);
  const bool ran = run->steps;
  const double ms = ran ? run->ms_per_stage : NAN, gdofs = s->unknowns / ms / 1e6,
               seconds = ran ? ms * run->stepper->integrator.scheme->stages * (double)run->steps / 1e3 : 0,
               per_time = ran ? seconds / run->time : NAN;
  double error = NAN, energy = NAN;
  CALL(wisp_system_fetch(err, run));
  CALL(wisp_dg_energy(err, run->dg, run->u, &energy));
  if (run->known) CALL(wisp_dg_l2_error(err, run->dg, run->u, wisp_start_field, &run->start, run->time, &error));
  const wisp_report_number numbers[] = {
      {"dofs", "", s->unknowns},
      {"alpha", "", run->alpha},
      {"steps", "", (double)run->steps},
      {"dt", "", run->dt},
      {"dt_limit", "", run->limit},
      {"cfl", "", run->dt / run->limit},
      {"time", "", run->time},
      {"l2_error", "", error},
      {"time_error", "", run->time_error},
      {"time_error_allowed", "", run->scheme.allowed},
      {"space_error_estimate", "", run->scheme.space},
      {"scheme_speedup", "", run->scheme.speedup},
      {"start_misfit", "", run->misfit},
      {"energy_initial", "", run->energy_initial},
      {"energy_final", "", energy},
      {"ms_per_stage", "ms", ms},
      {"gdofs", "GDOF/s", gdofs},
      {"seconds", "s", seconds},
      {"seconds_per_time", "s", per_time},
  };
  CALL(report_texts(err, run, to));
  CALL(wisp_report_numbers(err, to, WISP_COUNT(numbers), numbers));
  CALL(report_method(err, run, to));
  if (run->known)
    CALL(wisp_report_line(err, to, "L2 error", "%.6e", error));
  else
    CALL(wisp_report_line(err, to, "L2 error",
                          "not known: no closed solution for this domain, medium, start and walls"));
  if (run->measured && !isnan(run->time_error))
    CALL(wisp_report_line(err, to, "time error",
                          "%.1e estimated, of the steps alone; it falls with the %s power of --cfl", run->time_error,
                          power_name(run->stepper->integrator.scheme->order)));
  CALL(wisp_report_line(err, to, "energy", "%.9g at the start, %.9g at the end", run->energy_initial, energy));
  if (!ran) return WISP_OK;
  return wisp_report_line(err, to, "speed", "%.4g ms a stage, %.4g GDOF/s, %.3g s in all, %.3g s a unit of time", ms,
                          gdofs, seconds, per_time);
}
