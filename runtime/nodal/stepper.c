/* Advances a problem in time: kernels compiled in parallel, one recorded graph a step, replayed. */
#include "stepper.h"

static bool takes(const wisp_kernel *const *kernel, int kernels, const char *array)
{
  bool any = false;
  for (int i = 0; i < kernels; i++) any |= wisp_plan_takes(kernel[i]->plan, array);
  return any;
}

wisp_integrator wisp_integrator_of(wisp_problem *problem, const wisp_kernel *const *kernel, int kernels,
                                   const wisp_scheme *scheme, double alpha)
{
  const bool nested = takes(kernel, kernels, "u_n"), moves = takes(kernel, kernels, "u_next");
  return (wisp_integrator){.problem = problem,
                           .kernel = kernel,
                           .kernels = kernels,
                           .alpha = alpha,
                           .scheme = scheme,
                           .nested = nested,
                           .moves = moves,
                           .step_moves = moves && (nested || scheme->stages % 2)};
}

/* u and u_next change places: a kernel that reads u of its neighbours cannot overwrite it. */
static void move(const wisp_integrator *i)
{
  if (i->moves) wisp_arrays_swap(i->problem->arrays, "u", "u_next");
}

/* Launches the kernels of a stage of u in `from`. Other domains get their face nodes first; theirs come to where
 * kernels read a neighbour's values before the first kernel that does. */
static wisp_status launch_stage(wisp_error *err, const wisp_integrator *i, const char *from,
                                const wisp_binding *bindings, size_t count)
{
  const wisp_arrays *arrays = i->problem->arrays;
  const char *to = wisp_arrays_at(arrays, "trace") ? "trace" : from;
  bool waits = i->exchange;
  if (i->exchange) CALL(wisp_exchange_post(err, i->exchange, wisp_arrays_at(arrays, from)));
  for (int k = 0; k < i->kernels; k++) {
    const wisp_plan *plan = i->kernel[k]->plan;
    if (waits && (wisp_plan_takes(plan, "face_int") || wisp_plan_takes(plan, "pair_int"))) {
      CALL(wisp_exchange_collect(err, i->exchange, wisp_arrays_at(arrays, to)));
      waits = false;
    }
    CALL(wisp_problem_run(err, i->problem, i->kernel[k], bindings, count));
  }
  return WISP_OK;
}

/* res = a res + dt L u, u += b res */
static wisp_status low_storage_stage(wisp_error *err, const wisp_integrator *i, double a, double b, double dt)
{
  wisp_binding bindings[WISP_DG_SCALARS];
  wisp_dg_bind(&(wisp_scalars){.alpha = i->alpha, .a = a, .b = b, .dt = dt}, bindings);
  CALL(launch_stage(err, i, "u", bindings, WISP_COUNT(bindings)));
  move(i);
  return WISP_OK;
}

/* to = begun + dt L from, arrays by their names. */
static wisp_status nested_stage(wisp_error *err, const wisp_integrator *i, const char *begun, const char *from,
                                const char *to, double dt)
{
  enum { PLACES = 3 };
  const wisp_arrays *arrays = i->problem->arrays;
  wisp_binding bindings[PLACES + WISP_DG_SCALARS] = {{"u_n", wisp_arrays_at(arrays, begun), 0},
                                                     {"u", wisp_arrays_at(arrays, from), 0},
                                                     {"u_next", wisp_arrays_at(arrays, to), 0}};
  wisp_dg_bind(&(wisp_scalars){.alpha = i->alpha, .dt = dt}, bindings + PLACES);
  return launch_stage(err, i, from, bindings, WISP_COUNT(bindings));
}

/* Adds the sources in stage s, whose result is in `to`. */
static wisp_status force(wisp_error *err, const wisp_integrator *i, int s, const char *to)
{
  const wisp_arrays *arrays = i->problem->arrays;
  if (!i->forcing) return WISP_OK;
  return wisp_forcing_add(err, i->forcing, i->scheme, s, i->nested, wisp_arrays_at(arrays, to),
                          wisp_arrays_at(arrays, "res"));
}

wisp_status wisp_integrator_step(wisp_error *err, const wisp_integrator *i, double dt)
{
  static const char *const arrays[] = {"res", "u_next"};
  const char *from = "u";
  const int count = i->scheme->stages;
  for (int s = 0; !i->nested && s < count; s++) {
    CALL(low_storage_stage(err, i, i->scheme->stage[s].a, i->scheme->stage[s].b, dt));
    CALL(force(err, i, s, "u"));
  }
  for (int s = 0, left = count; i->nested && left > 0; s++, left--) { /* the last in u_next */
    CALL(nested_stage(err, i, "u", from, arrays[left % 2], i->scheme->nested[s] * dt));
    CALL(force(err, i, s, arrays[left % 2]));
    from = arrays[left % 2];
  }
  if (i->nested) move(i);
  return WISP_OK;
}

/* Nested, res stays 0 and u_next takes the result. In low storage it comes to be in res, and u, left as it was, is the
 * next res: a is 0. */
wisp_status wisp_integrator_apply(wisp_error *err, const wisp_integrator *i, double dt)
{
  if (i->nested) {
    CALL(nested_stage(err, i, "res", "u", "u_next", dt));
    move(i);
    return WISP_OK;
  }
  CALL(low_storage_stage(err, i, 0, 0, dt));
  wisp_arrays_swap(i->problem->arrays, "u", "res");
  return WISP_OK;
}

/* --- the sequence: res holds u_k - u_(k-1) in low storage, u_(k-1) where nested --- */

wisp_status wisp_integrator_begin(wisp_error *err, const wisp_integrator *i)
{
  wisp_problem *p = i->problem;
  const size_t bytes = wisp_arrays_size(p->arrays, "u") * (size_t)i->kernel[0]->plan->spec.precision;
  if (!i->nested) return wisp_arrays_fill(err, p->arrays, "res", 0);
  return wisp_device_copy(err, p->device, wisp_arrays_at(p->arrays, "res"), wisp_arrays_at(p->arrays, "u"), bytes);
}

wisp_status wisp_integrator_recur(wisp_error *err, const wisp_integrator *i, double beta, double alpha)
{
  if (!i->nested) return low_storage_stage(err, i, beta, 1, alpha);
  wisp_arrays *arrays = i->problem->arrays; /* res = (1 + beta) u - beta res */
  const unsigned grid[2] = {256, 1}, block[3] = {256, 1, 1};
  wisp_pointer x = wisp_arrays_at(arrays, "u"), y = wisp_arrays_at(arrays, "res");
  long long count = (long long)wisp_arrays_size(arrays, "u");
  void *args[] = {&x, &y, &beta, &count};
  CALL(wisp_launch(err, i->mixing, NULL, grid, block, args, WISP_COUNT(args)));
  CALL(nested_stage(err, i, "res", "u", "u_next", alpha));
  move(i);
  wisp_arrays_swap(arrays, "res", "u_next");
  return WISP_OK;
}

/* --- advancing --- */

/* The exchange of one of several domains. */
static wisp_status open_exchange(wisp_error *err, wisp_stepper *solver, const wisp_dg *dg)
{
  HELD(wisp_halo_free) wisp_halo halo = {.list = NULL};
  if (!dg->domain) return WISP_OK;
  CALL(wisp_halo_create(err, dg, wisp_stage_has(solver->stage, "trace"), &halo));
  CALL(wisp_exchange_create(err, solver->device, dg->domain->ranks, solver->precision, halo.neighbours, halo.list,
                            &solver->exchange));
  solver->integrator.exchange = solver->exchange;
  return WISP_OK;
}

/* Rank 0 compiles first, and the others find its kernels in the cache. */
static wisp_status load_in_turn(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_stage *stage)
{
  wisp_ranks *ranks = dg->domain ? dg->domain->ranks : NULL;
  const bool first = !wisp_ranks_own(ranks);
  if (!first) CALL(wisp_ranks_meet(err, ranks));
  CALL(wisp_stage_load(err, device, stage));
  return first ? wisp_ranks_meet(err, ranks) : WISP_OK;
}

wisp_status wisp_stepper_create(wisp_error *err, wisp_device *device, wisp_dg *dg, wisp_precision precision,
                                wisp_stage *stage, double alpha, wisp_stepper **out)
{
  OWNED(wisp_stepper_destroy) wisp_stepper *solver = NULL;
  char ours[WISP_LAYOUT_TEXT], theirs[WISP_LAYOUT_TEXT];
  wisp_layout_print(&stage->layout, ours);
  wisp_layout_print(&dg->layout, theirs);
  CALL(wisp_require(err, strcmp(ours, theirs) == 0 && dg->MB == wisp_dg_MB(&stage->fixed), WISP_EUSAGE,
                    "the stage is made for layout %s and MB=%d, the discretisation has %s and %d", ours,
                    wisp_dg_MB(&stage->fixed), theirs, dg->MB));
  CALL(wisp_new(err, 1, sizeof *solver, &solver));
  solver->device = device;
  solver->stage = stage;
  solver->precision = precision;
  CALL(load_in_turn(err, device, dg, stage));
  if (wisp_stage_has(stage, "pair_block")) CALL(wisp_dg_add_pairs(err, dg));
  CALL(wisp_problem_create(err, device, dg, precision, WISP_NARROW_GUARD, stage, &solver->problem));
  solver->integrator = wisp_integrator_of(solver->problem, (const wisp_kernel *const *)stage->kernel, stage->kernels,
                                          &wisp_lsrk45, alpha);
  CALL(open_exchange(err, solver, dg));
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

wisp_status wisp_stepper_use(wisp_error *err, wisp_stepper *solver, const wisp_scheme *scheme)
{
  const wisp_integrator *i = &solver->integrator;
  const wisp_system *system = wisp_problem_dg(solver->problem)->system;
  CALL(wisp_require(err, scheme->general || wisp_system_is_affine(system), WISP_EUSAGE,
                    "scheme %s is for linear equations, and those of system %s are not: take lsrk45 or ndb14",
                    scheme->name, system->name));
  if (i->scheme != scheme) wisp_stepper_forget(solver);
  solver->integrator = wisp_integrator_of(solver->problem, i->kernel, i->kernels, scheme, i->alpha);
  solver->integrator.forcing = solver->forcing;
  solver->integrator.exchange = solver->exchange;
  return WISP_OK;
}

wisp_status wisp_stepper_force(wisp_error *err, wisp_stepper *solver, const char *what, const wisp_sources *sources)
{
  OWNED(wisp_forcing_destroy) wisp_forcing *made = NULL;
  const wisp_dg *dg = wisp_problem_dg(solver->problem);
  CALL(wisp_forcing_create(err, solver->device, dg, solver->precision, what, sources, &made));
  wisp_stepper_forget(solver);
  wisp_forcing_destroy(solver->forcing);
  solver->integrator.forcing = solver->forcing = made;
  made = NULL;
  return WISP_OK;
}

double wisp_stepper_time(const wisp_stepper *solver)
{
  return solver->clock.begun + solver->clock.dt * (double)solver->clock.steps;
}

void wisp_stepper_set_time(wisp_stepper *solver, double time)
{
  solver->clock.begun = time, solver->clock.steps = 0;
}

void wisp_stepper_destroy(wisp_stepper *solver)
{
  if (!solver) return;
  wisp_stepper_forget(solver);
  wisp_stepper_close_spectrum(solver);
  wisp_forcing_destroy(solver->forcing);
  wisp_exchange_destroy(solver->exchange);
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

wisp_status wisp_stepper_probe(wisp_error *err, wisp_stepper *solver)
{
  const wisp_pointer u = wisp_arrays_at(solver->problem->arrays, "u");
  if (!solver->probes) return WISP_OK;
  return wisp_probes_take(err, solver->probes, u, solver->clock.steps, wisp_stepper_time(solver));
}

/* Weighs the sources for the next `steps` steps, or as many as fit, from number `from` of the clock on. */
static wisp_status weigh(wisp_error *err, const wisp_stepper *solver, long long from, long long steps)
{
  const wisp_integrator *i = &solver->integrator;
  if (!solver->forcing) return WISP_OK;
  return wisp_forcing_weigh(err, solver->forcing, i->scheme, i->nested, solver->clock.begun, solver->clock.dt, from,
                            steps);
}

wisp_status wisp_stepper_advance(wisp_error *err, wisp_stepper *solver, double dt, long long steps,
                                 double *ms_per_stage)
{
  double ms = 0;
  OWNED(free) double *sums = NULL;
  bool finite = true;
  CALL(wisp_require(err, isfinite(dt), WISP_EUSAGE, "a step of %g: must be a finite number", dt));
  CALL(wisp_require(err, steps >= 0, WISP_EUSAGE, "%lld steps: must be 0 or more", steps));
  CALL(record_all(err, solver, dt));
  if (solver->clock.dt != dt) wisp_stepper_set_time(solver, wisp_stepper_time(solver));
  solver->clock.dt = dt;
  CALL(wisp_event_record(err, solver->begin));
  for (long long s = 0; s < steps; s++) {
    if (s % WISP_FORCING_STEPS == 0) CALL(weigh(err, solver, solver->clock.steps, steps - s));
    CALL(wisp_graph_replay(err, solver->graph[solver->current]));
    swap_u(solver);
    solver->clock.steps++;
    CALL(wisp_stepper_probe(err, solver));
  }
  CALL(wisp_event_record(err, solver->end));
  CALL(wisp_device_finish(err, solver->device));
  CALL(wisp_event_elapsed(err, solver->begin, solver->end, &ms));
  if (solver->exchange) CALL(wisp_exchange_check(err, solver->exchange));
  CALL(wisp_new(err, WISP_SPECTRUM, sizeof *sums, &sums));
  CALL(wisp_stepper_spectrum(err, solver, sums));
  for (int i = 0; i < WISP_SPECTRUM; i++) finite &= isfinite(sums[i]); /* a number that is none makes its sum so */
  CALL(wisp_require(err, finite, WISP_EWRONG, "the solution blew up: it is not finite after %lld steps of %g", steps,
                    dt));
  if (ms_per_stage) *ms_per_stage = steps ? ms / (double)steps / solver->integrator.scheme->stages : 0;
  return WISP_OK;
}
