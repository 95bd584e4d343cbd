/* A run of a system goes on in time: by parts, between which it writes, reports and stops. */
#include "system_kind.h"
#include "../process.h"

/* Finds the number of steps and their length. */
static wisp_status plan_steps(wisp_error *err, const wisp_system_run *run, const wisp_until *until, long long *count,
                              double *dt)
{
  const wisp_solver *s = &run->base;
  const bool by_settings = !until || (!until->steps && until->time == 0);
  const double end = !by_settings ? until->time : wisp_solver_real(s, "time");
  *dt = until && until->dt > 0 ? until->dt : run->step;
  *count = !by_settings && until->steps ? until->steps : wisp_solver_integer(s, "steps");
  if (!by_settings ? until->steps != 0 : isnan(end)) return WISP_OK;
  const double steps = fmax(0, ceil((end - run->time) / *dt * (1 - 1e-12)));
  if (!(steps <= 1e9))
    return wisp_fail(err, WISP_EUSAGE,
                     "%g steps of %g to time %g are too many: take an earlier --time, or a mesh without tiny elements",
                     steps, *dt, end);
  *count = (long long)steps;
  const double fitting = (end - run->time) / steps;
  if (*count && fabs(fitting / *dt - 1) > 1e-12) *dt = fitting; /* a run that goes on keeps its step */
  return WISP_OK;
}

/* Steps from here to the next multiple of `every`, at most `left`. */
static long long steps_to(long long at, long long every, long long left)
{
  const long long next = every > 0 ? every - at % every : left;
  return next < left ? next : left;
}

/* The fields, if this step is one of those that are asked for. */
static wisp_status write_series(wisp_error *err, wisp_system_run *run)
{
  wisp_solver *s = &run->base;
  const long long every = wisp_solver_integer(s, "every");
  if (every < 1 || run->steps % every) return WISP_OK;
  CALL(wisp_solver_make_fields(err, s));
  if (!wisp_ranks_own(s->session->ranks))
    CALL(wisp_series_write(err, wisp_solver_text(s, "output"), run->steps, &s->fields, &run->series));
  return wisp_ranks_meet(err, s->session->ranks);
}

static wisp_status advance_part(wisp_error *err, wisp_system_run *run, long long steps)
{
  const wisp_status status = wisp_stepper_advance(err, run->stepper, run->dt, steps, &run->ms_per_stage);
  run->fetched = false;
  run->steps += steps;
  run->time = wisp_stepper_time(run->stepper);
  return status;
}

/* The state, if it is asked for now: at the end, or every so many steps. */
static wisp_status keep_state(wisp_error *err, wisp_system_run *run, bool ends)
{
  const char *path = wisp_solver_text(&run->base, "checkpoint");
  const long long every = wisp_solver_integer(&run->base, "checkpoint-every");
  if (!path || !(ends || (every > 0 && run->steps % every == 0))) return WISP_OK;
  return wisp_system_checkpoint(err, run, path);
}

static bool is_stopped(const wisp_watch *watch)
{
  return watch && watch->stops && watch->stops(watch->context);
}

/* In parts of some tenths of a second, for the progress; within a part nobody waits. Ranks make those of rank 0. */
static wisp_status advance_in_parts(wisp_error *err, wisp_system_run *run, long long steps, const wisp_watch *watch)
{
  const double part = 0.3;
  const long long every = wisp_solver_integer(&run->base, "every"),
                  kept = wisp_solver_integer(&run->base, "checkpoint-every");
  bool stopped = false;
  double total = 0, fit = 10;
  CALL(write_series(err, run));
  for (long long done = 0, next = 0; done < steps && !stopped; done += next) {
    char text[64];
    next = (long long)fmax(1, fmin(fit, (double)(steps - done)));
    next = steps_to(run->steps, every, steps_to(run->steps, kept, next));
    CALL(wisp_ranks_agree(err, run->base.session->ranks, &next, sizeof next));
    const double before = wisp_seconds();
    CALL(advance_part(err, run, next));
    fit = fmin(part / (wisp_seconds() - before), 4) * (double)next;
    if (!done) CALL(wisp_system_check_first(err, run, next));
    total += run->ms_per_stage * (double)next;
    snprintf(text, sizeof text, "step %lld of %lld", done + next, steps);
    wisp_watch_report(watch, (double)(done + next) / (double)steps, text);
    CALL(write_series(err, run));
    stopped = is_stopped(watch);
    CALL(wisp_ranks_agree(err, run->base.session->ranks, &stopped, sizeof stopped));
    CALL(keep_state(err, run, stopped || done + next == steps));
  }
  run->base.stopped = stopped;
  run->ms_per_stage = steps ? total / (double)steps : 0;
  return WISP_OK;
}

/* After the run that the settings say: whether energy has grown, and what the steps have added to the error. */
static wisp_status judge(wisp_error *err, wisp_system_run *run)
{
  double energy = 0, length = 0;
  CALL(wisp_system_fetch(err, run));
  CALL(wisp_dg_energy(err, run->dg, run->u, &energy));
  if (!(energy <= 2 * fmax(run->energy_initial, run->energy_resumed)) && !run->sources.count)
    CALL(wisp_system_blew_up(err, run));
  CALL(wisp_dg_length(err, run->dg, run->u, &length));
  return wisp_system_time_error(err, run, length);
}

wisp_status wisp_system_advance(wisp_error *err, wisp_solver *s, const wisp_until *until, const wisp_watch *watch)
{
  wisp_system_run *run = wisp_system_run_of(s);
  long long steps = 0;
  CALL(wisp_system_start(err, s));
  CALL(wisp_system_choose_scheme(err, run));
  CALL(plan_steps(err, run, until, &steps, &run->dt));
  run->time_error = NAN;
  CALL(wisp_stepper_probe(err, run->stepper));
  const wisp_status status = until && !watch ? advance_part(err, run, steps) : advance_in_parts(err, run, steps, watch);
  if (status == WISP_EWRONG && !until) CALL(wisp_system_blew_up(err, run));
  CALL(status);
  if (run->probes) CALL(wisp_probes_write(err, run->probes, wisp_solver_text(s, "probe-file")));
  return until ? WISP_OK : judge(err, run);
}
