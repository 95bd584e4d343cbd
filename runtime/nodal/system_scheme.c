/* The scheme of a run of a system, and the step that it takes. */
#include "system_kind.h"

#include <float.h>

/* Applications that the modes of the fields take; a run without a request takes them where it has ten times as many
 * stages. */
enum { MODES = 20, WORTH = 10 * MODES };

/* The part of the error in space that the steps may add. */
static const double SHARE = 0.1;

/* Rounding that fields have anyhow, relative to their length, in units of the precision: single precision ends near
 * 1e-6. */
static const double ROUNDING = 8;

static const char *requested(const wisp_system_run *run)
{
  return wisp_system_option(run, "scheme", run->restart.state.scheme);
}

/* Whether the run chooses, by its fields. */
static bool chooses(const wisp_system_run *run)
{
  return !wisp_scheme_find(requested(run));
}

static bool accurately(const wisp_system_run *run)
{
  return strcmp(requested(run), "accurate") == 0;
}

/* The time that a stage of the scheme goes on in such steps, over that of LSRK4(5). */
static double speedup_of(const wisp_system_run *run, const wisp_scheme *scheme, double step)
{
  const double usual = wisp_solver_real(&run->base, "cfl") * wisp_stepper_reach(run->stepper, &wisp_lsrk45);
  return step / scheme->stages / (usual / wisp_lsrk45.stages);
}

wisp_status wisp_system_check_scheme(wisp_error *err, const wisp_system_run *run)
{
  const bool by_error = chooses(run) && !accurately(run);
  return wisp_require(err, by_error || !wisp_solver_given(&run->base, "time-error"), WISP_EUSAGE,
                      "--time-error is for --scheme auto: leave one out");
}

wisp_status wisp_system_choose_step(wisp_error *err, wisp_system_run *run)
{
  const wisp_solver *s = &run->base;
  const bool goes_on = run->restart.given && !wisp_solver_given(s, "cfl") && !wisp_solver_given(s, "dt");
  const double dt = goes_on ? run->restart.state.dt : wisp_solver_real(s, "dt");
  const wisp_scheme *scheme = chooses(run) ? &wisp_lsrk45 : wisp_scheme_find(requested(run));
  const bool asked = wisp_solver_given(s, "time") || wisp_solver_given(s, "cfl") || wisp_solver_given(s, "scheme");
  CALL(wisp_stepper_use(err, run->stepper, scheme));
  /* Does it pay to measure the longest stable step, and afterwards the steps' error? Not where that takes more stages
   * than the run has, unless its result was asked for. */
  run->measured = asked || scheme->stages * wisp_solver_integer(s, "steps") >= wisp_stepper_limit_stages();
  run->limit = NAN;
  run->scheme = (wisp_scheme_choice){run->measured && chooses(run) && isnan(dt), NAN, NAN, NAN, NAN};
  if (run->measured) CALL(wisp_stepper_limit(err, run->stepper, &run->limit));
  run->step = !isnan(dt) ? dt : run->measured ? wisp_solver_real(s, "cfl") * run->limit : wisp_dg_safe_dt(run->dg);
  run->dt = run->step;
  if (run->measured) run->scheme.speedup = speedup_of(run, scheme, run->step);
  if (run->step > run->limit)
    CALL(wisp_notes_add(err, &s->mesh->notes, "step_above_limit",
                        "a step of %g is above the limit of %.4g: the solution may blow up; take a %s", run->step,
                        run->limit, isnan(dt) ? "--cfl below 1" : "shorter --dt"));
  return WISP_OK;
}

/* ---- By the fields. */

typedef struct candidate {
  const wisp_scheme *scheme;
  double step, error, speedup;
} candidate;

/* Steps of the run that the settings ask for. */
static double count_steps(const wisp_system_run *run, double step)
{
  const double end = wisp_solver_real(&run->base, "time");
  return isnan(end) ? (double)wisp_solver_integer(&run->base, "steps") : fmax(1, ceil(end / step));
}

static candidate estimate(const wisp_system_run *run, const wisp_modes *modes, double length, const wisp_scheme *scheme,
                          double step)
{
  const double relative =
      wisp_modes_error(modes, scheme, step, count_steps(run, step)) + wisp_stepper_rounding(run->stepper, scheme, step);
  return (candidate){scheme, step, length * relative, speedup_of(run, scheme, step)};
}

static candidate at_limit(const wisp_system_run *run, const wisp_modes *modes, double length, const wisp_scheme *scheme)
{
  const double cfl = wisp_solver_real(&run->base, "cfl");
  return estimate(run, modes, length, scheme, cfl * wisp_stepper_reach(run->stepper, scheme));
}

/* Shorter steps until they are exact enough, unless rounding is what is in the way. */
static candidate shorten(const wisp_system_run *run, const wisp_modes *modes, double length, candidate c,
                         double allowed)
{
  const double step = c.step;
  for (int i = 0; i < 30 && allowed > 0 && c.error > allowed && c.step > 1e-3 * step; i++) {
    const double ratio = fmax(0.1, 0.98 * pow(allowed / c.error, 1.0 / c.scheme->order));
    c = estimate(run, modes, length, c.scheme, c.step * ratio);
  }
  return c;
}

/* Prefers the cheaper of two that are exact enough, else the more exact. */
static bool is_better(const candidate *a, const candidate *b, double allowed)
{
  if (a->error <= allowed && b->error <= allowed) return a->speedup > b->speedup;
  if (a->error <= allowed || b->error <= allowed) return a->error <= allowed;
  return a->error < b->error;
}

/* Nothing slower than LSRK4(5) in its longest step is taken, unless for an error that was asked for. */
static candidate choose_among(const wisp_system_run *run, const wisp_modes *modes, double length, double allowed)
{
  const bool linear = wisp_system_is_affine(run->system), asked = wisp_solver_given(&run->base, "time-error");
  candidate best = at_limit(run, modes, length, &wisp_lsrk45);
  for (int i = 0; wisp_schemes[i]; i++) {
    if (!linear && !wisp_schemes[i]->general) continue;
    const candidate longest = at_limit(run, modes, length, wisp_schemes[i]),
                    both[] = {longest, shorten(run, modes, length, longest, allowed)};
    for (int c = 0; c < 2; c++)
      if ((asked || both[c].speedup >= 1) && is_better(&both[c], &best, allowed)) best = both[c];
  }
  return best;
}

/* A run of so few stages is over before a choice pays. */
static bool is_short(const wisp_system_run *run)
{
  return !wisp_solver_given(&run->base, "scheme") && count_steps(run, run->step) * wisp_lsrk45.stages < WORTH;
}

/* The L2 error that the steps may add: none where the most exact scheme is asked for. */
static double allowed_error(const wisp_system_run *run, double length)
{
  const double unit = run->base.precision == WISP_F32 ? FLT_EPSILON : DBL_EPSILON;
  if (accurately(run)) return 0;
  if (wisp_solver_given(&run->base, "time-error")) return wisp_solver_real(&run->base, "time-error");
  return fmax(SHARE * run->scheme.space, ROUNDING * unit * length);
}

wisp_status wisp_system_choose_scheme(wisp_error *err, wisp_system_run *run)
{
  wisp_scheme_choice *choice = &run->scheme;
  OWNED(free) wisp_modes *modes = NULL;
  double length = 0;
  if (!choice->open || is_short(run)) return WISP_OK;
  choice->open = false;
  CALL(wisp_new(err, 1, sizeof *modes, &modes));
  CALL(wisp_dg_length(err, run->dg, run->u, &length));
  if (!(length > 0)) return WISP_OK;
  CALL(wisp_dg_unresolved(err, run->dg, run->u, run->alpha > 0, &choice->space));
  CALL(wisp_stepper_modes(err, run->stepper, modes));
  choice->allowed = allowed_error(run, length);
  const candidate best = choose_among(run, modes, length, choice->allowed);
  CALL(wisp_stepper_use(err, run->stepper, best.scheme));
  choice->error = best.error, choice->speedup = best.speedup;
  run->step = run->dt = best.step;
  run->limit = wisp_stepper_reach(run->stepper, best.scheme);
  return WISP_OK;
}

wisp_status wisp_system_time_error(wisp_error *err, wisp_system_run *run, double length)
{
  const wisp_scheme *scheme = run->stepper->integrator.scheme;
  OWNED(free) wisp_modes *modes = NULL;
  double relative = NAN;
  run->time_error = run->scheme.error;           /* expected of the same steps, with what has decayed since */
  if (run->sources.count) run->time_error = NAN; /* the fields as they are do not tell what they were */
  if (!run->measured || !isnan(run->scheme.error) || run->sources.count) return WISP_OK;
  if (scheme == &wisp_lsrk45) {
    CALL(wisp_stepper_time_error(err, run->stepper, run->dt, run->time, &relative));
  } else if (length > 0 && run->steps) {
    CALL(wisp_new(err, 1, sizeof *modes, &modes));
    CALL(wisp_stepper_modes(err, run->stepper, modes));
    relative = wisp_modes_error(modes, scheme, run->dt, (double)run->steps) +
               wisp_stepper_rounding(run->stepper, scheme, run->dt);
  }
  run->time_error = relative * length;
  return WISP_OK;
}

/* ---- The report. */

wisp_status wisp_system_report_scheme(wisp_error *err, const wisp_system_run *run, wisp_solver_report *to)
{
  const wisp_scheme *scheme = run->stepper->integrator.scheme;
  const wisp_scheme_choice *choice = &run->scheme;
  const bool nested = run->stepper->integrator.nested;
  char name[64] = "LSRK4(5)";
  if (scheme != &wisp_lsrk45)
    snprintf(name, sizeof name, "%s, order %d in %d stages", scheme->name, scheme->order, scheme->stages);
  CALL(wisp_report_line(err, to, "method", "%s, %s", name,
                        nested ? "nested: the same step, as the equations are linear, in three words a DOF and stage "
                                 "in place of four"
                               : "in low storage: four words a DOF and stage"));
  if (scheme != &wisp_lsrk45 && !isnan(choice->speedup))
    CALL(wisp_report_line(err, to, "", "goes %.3g times as far a stage as LSRK4(5)", choice->speedup));
  if (isnan(choice->error)) return WISP_OK;
  if (accurately(run))
    return wisp_report_line(err, to, "", "chosen as the most exact that takes no longer than LSRK4(5): %.1e expected",
                            choice->error);
  return wisp_report_line(err, to, "", "chosen as the cheapest whose steps add at most %.1e%s: %.1e expected%s",
                          choice->allowed,
                          wisp_solver_given(&run->base, "time-error") ? "" : ", a tenth of the error in space",
                          choice->error, choice->error > choice->allowed ? "; none is as exact" : "");
}
