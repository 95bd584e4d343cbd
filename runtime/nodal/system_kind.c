/* A system of equations as a solver: discontinuous elements in time. */
#include "system_kind.h"
#include "../process.h"

static const wisp_solver_option options[] = {
    WISP_TEXT_ROW("start", "NAME", NULL, "its solution for such walls, else its start",
                  "what to start from, of what the system's file states"),
    WISP_TEXT_ROW("initial", "FIELD=EXPR,...", NULL, NULL,
                  "in place of --start: first fields as expressions in x, y, z and region; FIELD@GROUP=EXPR for the "
                  "elements of a physical group. Fields and elements without one are 0"),
    WISP_TEXT_ROW("source", "FIELD=EXPR,...", NULL, NULL,
                  "what is added to the rates of fields, as expressions in x, y, z, region and t; FIELD@GROUP=EXPR in "
                  "a physical group, FIELD@(X,Y,Z)=EXPR at a point. Without --start and --initial fields begin as 0"),
    WISP_TEXT_ROW("mode", "M,N,P", NULL, "the solution's own; 1,1,0 of maxwell's cavity",
                  "which mode of a solution in the unit box"),
    WISP_INTEGER_ROW("steps", "S", 0, 1e9, "100", NULL, "how many steps"),
    WISP_REAL_ROW("time", "T", 0, 1e30, NULL, NULL, "in place of --steps: the time to reach, in the last step exactly"),
    WISP_REAL_ROW("cfl", "C", 1e-6, 1e3, "0.85",
                  "0.85; a shorter safe step where finding it would take longer than the run",
                  "the step as a part of the longest stable one, which is found at the start"),
    WISP_REAL_ROW("dt", "DT", 1e-30, 1e30, NULL, NULL,
                  "in place of --cfl: the step itself; with --time the longest one allowed"),
    WISP_CHOICE_ROW("scheme", "NAME", WISP_SCHEME_NAMES, "lsrk45", NULL,
                    "the Runge-Kutta method: 'auto' takes the cheapest whose steps add less than --time-error, "
                    "'accurate' the most exact that takes no longer than lsrk45; one of " WISP_SCHEME_NAMES),
    WISP_REAL_ROW("time-error", "E", 1e-30, 1e30, NULL,
                  "a tenth of the error in space, as the decay of the start's highest modes tells it",
                  "with --scheme auto: the error, in L2, that the steps may add"),
    WISP_REAL_ROW("alpha", "A", 0, 1, "1", NULL, "numerical flux from 1 (upwind) to 0 (central)"),
    WISP_TEXT_ROW(
        "boundary", "KIND", NULL, NULL,
        "what the walls are, of what the system's file has (its first; maxwell: pec, absorbing; acoustics: soft, "
        "rigid, absorbing); or by physical group, 'open=absorbing,7=pec', a kind alone being that of the rest: a "
        "box's sides are 1 to 6, where x is least, greatest, then y, z"),
    WISP_TEXT_ROW("system", "SYSTEM", NULL, NULL, "the system of equations, where the problem is not named"),
    WISP_TEXT_ROW("basis", "BASIS", "nodal", NULL,
                  "nodal, bernstein, or auto: the one whose stage the store knows to be faster"),
    WISP_TEXT_ROW("composition", "KERNELS", NULL, "the store's choice", "the kernels of a stage, such as gather+fused"),
    WISP_LETTER_ROW('l', "layout", "LAYOUT", NULL, "the store's choice", "how fields lie in memory, such as slab-km32"),
    WISP_INTEGER_ROW("every", "S", 1, 1e9, NULL, NULL,
                     "with --output: the fields at the start and every S steps as well, in FILE_STEP.vtu, and the list "
                     "of these files with their times in FILE.pvd"),
    WISP_TEXT_ROW("probe", "X,Y,Z;...", NULL, NULL, "with --probe-file: the points at which fields are recorded"),
    WISP_INTEGER_ROW("probe-every", "S", 1, 1e9, "1", NULL, "with --probe: steps from one record to the next"),
    WISP_FILE_ROW(0, "probe-file", ".csv", NULL, "with --probe: the records, a line with the time for each"),
    WISP_FILE_ROW(0, "checkpoint", ".ckpt", NULL,
                  "the state at the end, every --checkpoint-every steps, and where Ctrl-C or SIGTERM stops the run"),
    WISP_INTEGER_ROW("checkpoint-every", "S", 1, 1e9, NULL, NULL, "with --checkpoint: steps between two"),
    WISP_TEXT_ROW("restart", "CKPT", NULL, NULL,
                  "in place of --start: go on from a checkpoint, with its scheme, step and kernels unless others are "
                  "given; --steps counts from there, --time from 0"),
    WISP_FILE_ROW('o', "output", NULL, NULL, "the solution as a VTK file (.vtu)"),
    {.name = NULL}};

/* ---- The coefficients: an option each. */

static wisp_status list_coefficients(wisp_error *err, const char *problem, wisp_text *out)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  CALL(wisp_system_load(err, problem, &system));
  for (int q = 0; q < system->quantities; q++)
    if (!system->quantity[q].expression)
      CALL(wisp_text_print(err, out,
                           "    --%s EXPR  a coefficient: a number, or an expression in an element's middle x, y, z "
                           "and region (%g); or by physical group, 'body=4,air=1', one alone being the rest's\n",
                           system->quantity[q].name, system->quantity[q].otherwise));
  return WISP_OK;
}

static wisp_status load_system(wisp_error *err, wisp_system_run *run)
{
  return run->system ? WISP_OK : wisp_system_load(err, run->base.problem, &run->system);
}

static wisp_status take_coefficient(wisp_error *err, wisp_solver *s, const char *name, const char *value)
{
  wisp_system_run *run = wisp_system_run_of(s);
  CALL(load_system(err, run));
  const int q = wisp_system_quantity(run->system, name);
  if (q < 0 || run->system->quantity[q].expression) return WISP_EMISSING;
  free(run->coefficient[q]);
  return wisp_copy_text(err, value, &run->coefficient[q]);
}

/* ---- The request. */

/* Before there is a mesh the kinds alone are looked at. */
static wisp_status read_walls(wisp_error *err, wisp_system_run *run)
{
  const wisp_solver *s = &run->base;
  wisp_walls_free(&run->walls);
  return wisp_walls_read(err, "option --boundary", s->mesh_name, run->system, s->mesh, wisp_solver_text(s, "boundary"),
                         &run->walls);
}

static wisp_status read_initial(wisp_error *err, wisp_system_run *run)
{
  const char *text = wisp_solver_text(&run->base, "initial");
  if (!text) return WISP_OK;
  wisp_initial_free(&run->initial);
  return wisp_initial_read(err, "option --initial", run->system, run->base.mesh, text, &run->initial);
}

static wisp_status read_sources(wisp_error *err, wisp_system_run *run)
{
  const char *text = wisp_solver_text(&run->base, "source");
  if (!text) return WISP_OK;
  wisp_sources_free(&run->sources);
  return wisp_sources_read(err, "option --source", run->system, run->base.mesh, text, &run->sources);
}

static wisp_status read_system(wisp_error *err, wisp_solver *s)
{
  wisp_system_run *run = wisp_system_run_of(s);
  const char *mode = wisp_solver_text(s, "mode");
  int *m = run->modes, end = 0;
  s->corners = 4;
  s->source.box[0] = 4;
  s->source.sorts_corners = true;
  bool good = !mode || (sscanf(mode, "%3d,%3d,%3d%n", &m[0], &m[1], &m[2], &end) == 3 && !mode[end]);
  CALL(wisp_require(err, good, WISP_EUSAGE, "option --mode is '%s', must be three whole numbers such as 1,1,0", mode));
  run->mode = mode ? m : NULL;
  run->alpha = wisp_solver_real(s, "alpha");
  CALL(wisp_require(err, !wisp_solver_given(s, "time") || !wisp_solver_given(s, "steps"), WISP_EUSAGE,
                    "--time and --steps both say when to end: leave one out"));
  CALL(wisp_require(err, !wisp_solver_given(s, "dt") || !wisp_solver_given(s, "cfl"), WISP_EUSAGE,
                    "--cfl and --dt both give the step: leave one out"));
  CALL(wisp_system_check_scheme(err, run));
  CALL(wisp_require(err, !wisp_solver_given(s, "initial") || !(wisp_solver_given(s, "start") || mode), WISP_EUSAGE,
                    "--initial gives the first fields, as --start and --mode do: leave one out"));
  CALL(wisp_require(err, !wisp_solver_given(s, "every") || wisp_solver_given(s, "output"), WISP_EUSAGE,
                    "option --every wants --output: give both, or neither"));
  const char *probe = wisp_solver_text(s, "probe");
  CALL(wisp_require(err, !probe == !wisp_solver_given(s, "probe-file"), WISP_EUSAGE,
                    "option --probe wants --probe-file: give both, or neither"));
  if (probe) CALL(wisp_probes_create(err, "option --probe", probe, NULL, NULL, s->precision, 1, &run->probes));
  CALL(wisp_require(err, !wisp_solver_given(s, "checkpoint-every") || wisp_solver_given(s, "checkpoint"), WISP_EUSAGE,
                    "option --checkpoint-every wants --checkpoint: give both, or neither"));
  const bool starts = wisp_solver_given(s, "start") || mode || wisp_solver_given(s, "initial");
  CALL(wisp_require(err, !starts || !wisp_solver_given(s, "restart"), WISP_EUSAGE,
                    "--restart gives the first fields, as --start, --mode and --initial do: leave one out"));
  CALL(wisp_system_read_checkpoint(err, run));
  CALL(wisp_fields_check_order(err, wisp_solver_given(s, "output"), s->order));
  CALL(load_system(err, run));
  CALL(read_initial(err, run));
  CALL(read_sources(err, run));
  for (int f = 0; f < run->system->fields; f++) run->name[f] = run->system->field[f];
  return read_walls(err, run);
}

/* ---- The basis of the polynomials: values in the nodes, or Bernstein-Bezier coefficients. */

enum { NODAL, BERNSTEIN, BASES };
static const char *const bases[BASES] = {"nodal", "bernstein"};
static const char *const basis_elements[BASES] = {"tet", "bernstein-tet"};

static wisp_status choose_on(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request, int basis,
                             wisp_stage *out)
{
  wisp_choose_request own = *request;
  wisp_spec_name_element(&own.spec, basis_elements[basis]);
  return wisp_choose(err, from, &own, out);
}

/* The choice with a stage's measurement: the composition's record, or that of one kernel that has a winner. NULL where
 * there is no entry. */
static const wisp_choice *measured_choice(const wisp_stage *stage)
{
  if (!stage->kernels || !stage->record.trial) return NULL;
  if (stage->kernels == 1 && stage->choice[0].trial) return stage->choice;
  return stage->record.stale ? NULL : &stage->record;
}

/* The faster, as is expected here, or else of those that match best; -1: nothing was measured. */
static int faster(const wisp_stage stage[BASES], const double time[BASES], bool known)
{
  int best = -1;
  if (known) return time[BERNSTEIN] < time[NODAL] ? BERNSTEIN : NODAL;
  for (int b = 0; b < BASES; b++) {
    if (isnan(time[b])) continue;
    const bool closer = best < 0 || stage[b].record.match < stage[best].record.match;
    const bool as_close = best >= 0 && stage[b].record.match == stage[best].record.match;
    if (closer || (as_close && time[b] < time[best])) best = b;
  }
  return best;
}

/* Why `taken`, where `best` is the one that measurements say, or none. */
static void explain(const wisp_stage stage[BASES], const double time[BASES], bool known, int best, int taken,
                    wisp_basis *basis)
{
  const int other = BASES - 1 - taken;
  const char *const name = bases[other];
  if (!stage[other].kernels)
    snprintf(basis->reason, sizeof basis->reason, "there is no such stage of the %s basis here", name);
  else if (best < 0)
    snprintf(basis->reason, sizeof basis->reason, "no whole stage was measured on this device");
  else if (isnan(time[other]))
    snprintf(basis->reason, sizeof basis->reason, "no whole stage of the %s basis was measured on this device", name);
  else if (!known && stage[other].record.match != stage[taken].record.match)
    snprintf(basis->reason, sizeof basis->reason, "its stage was measured: %s; the %s one: %s",
             wisp_match_name(stage[taken].record.match), name, wisp_match_name(stage[other].record.match));
  else
    snprintf(basis->reason, sizeof basis->reason, "its stage takes %.3g of the time of the %s one",
             time[taken] / time[other], name);
}

static wisp_status choose_faster(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                 wisp_basis *basis, wisp_stage *out)
{
  wisp_stage stage[BASES] = {{.kernels = 0}};
  double time[BASES] = {NAN, NAN}; /* seconds an element; as is expected here, where that is known of both */
  bool known = true;
  wisp_error why[BASES] = {{.text = ""}};
  wisp_status status = WISP_OK;
  for (int b = 0; b < BASES; b++) {
    status = choose_on(&why[b], from, request, b, &stage[b]);
    if (status != WISP_EREFUSED) TRY(wisp_require(err, status == WISP_OK, status, "%s", why[b].text));
    const wisp_choice *choice = status == WISP_OK ? measured_choice(&stage[b]) : NULL;
    if (choice) time[b] = choice->ms / 1e3 / (double)choice->trial->elements;
    known &= choice && !isnan(time[b]) && !isnan(choice->expected);
  }
  const bool has_one = stage[NODAL].kernels || stage[BERNSTEIN].kernels;
  TRY(wisp_require(err, has_one, WISP_EREFUSED, "%s", why[NODAL].text));
  status = WISP_OK;
  for (int b = 0; known && b < BASES; b++) time[b] = measured_choice(&stage[b])->expected / 1e3;
  const int best = faster(stage, time, known), taken = best >= 0 ? best : stage[NODAL].kernels ? NODAL : BERNSTEIN;
  basis->name = bases[taken];
  explain(stage, time, known, best, taken, basis);
  *out = stage[taken];
  stage[taken] = (wisp_stage){.kernels = 0};
done:
  for (int b = 0; b < BASES; b++) wisp_stage_free(&stage[b]);
  return status;
}

/* wisp_choose for the request on the element that is asked for: "nodal" (NULL), "bernstein", or "auto", the one whose
 * whole stage was measured to take less time on the device. Of entries that match it unequally well the better match
 * counts; without any the nodal one is taken. The stage's spec names the element that was taken. WISP_EUSAGE for
 * another name, or an order that the basis has not. */
static wisp_status choose_basis(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                const char *name, wisp_basis *basis, wisp_stage *out)
{
  int b = 0;
  basis->reason[0] = '\0';
  if (name && strcmp(name, "auto") == 0) return choose_faster(err, from, request, basis, out);
  while (name && b < BASES && strcmp(bases[b], name) != 0) b++;
  CALL(wisp_require(err, b < BASES, WISP_EUSAGE, "basis '%s' is not known: use one of nodal, bernstein, auto", name));
  basis->name = bases[b];
  return choose_on(err, from, request, b, out);
}

/* ---- Set-up. */

static wisp_status choose_system(wisp_error *err, wisp_solver *s, const size_t count[4])
{
  wisp_system_run *run = wisp_system_run_of(s);
  const wisp_chooser from = wisp_session_chooser(s->session);
  const size_t ranks = (size_t)wisp_ranks_count(s->session->ranks), elements = (count[3] + ranks - 1) / ranks;
  wisp_choose_request request = wisp_solver_choose_request(s, run->system->name, elements);
  wisp_spec stage = request.spec;
  wisp_work work;
  const bool same = wisp_system_is_resumed(run);
  request.composition = same ? wisp_system_option(run, "composition", run->restart.state.composition)
                             : wisp_solver_text(s, "composition");
  request.layout = same ? wisp_system_option(run, "layout", run->restart.state.layout) : wisp_solver_text(s, "layout");
  wisp_spec_name_kernel(&stage, WISP_COMPOSITION);
  CALL(wisp_family_work(err, &stage, (double)elements, &work));
  CALL(wisp_solver_check_count(err, s, (double)elements, work.dofs, "degrees of freedom"));
  CALL(choose_basis(err, &from, &request, wisp_system_option(run, "basis", run->restart.state.basis), &run->basis,
                    s->stage));
  CALL(wisp_tet_create_for(err, s->stage->plan[0]->spec.element, true, s->order, &run->tet));
  return wisp_dg_fits(err, wisp_device_limits(s->session->device), elements, run->tet, run->system, s->precision,
                      s->stage);
}

static wisp_status build_system(wisp_error *err, wisp_solver *s, const wisp_watch *watch)
{
  wisp_system_run *run = wisp_system_run_of(s);
  const wisp_domain *domain = NULL;
  if (!s->source.file && !s->own_mesh) CALL(wisp_mesh_tag_sides(err, s->mesh));
  CALL(read_walls(err, run));
  CALL(read_initial(err, run));
  CALL(read_sources(err, run));
  if (wisp_solver_given(s, "start") || run->mode) CALL(wisp_system_choose_start(err, run));
  CALL(wisp_media_create(err, run->system, s->mesh, (const char *const *)run->coefficient, &run->medium));
  CALL(wisp_system_check_media(err, run));
  wisp_watch_report(watch, 0.3, "neighbours, kernels");
  CALL(wisp_system_divide(err, run, &domain));
  CALL(wisp_dg_create_part(err, domain, s->mesh, run->tet, run->system, &s->stage->layout, &s->stage->fixed,
                           &run->walls, &run->dg));
  CALL(wisp_dg_set_medium(err, run->dg, run->medium));
  CALL(wisp_stepper_create(err, s->session->device, run->dg, s->precision, s->stage, run->alpha, &run->stepper));
  CALL(wisp_system_compare_kernels(err, run));
  if (run->sources.count) CALL(wisp_stepper_force(err, run->stepper, "option --source", &run->sources));
  if (wisp_solver_given(s, "probe"))
    CALL(wisp_probes_create(err, "option --probe", wisp_solver_text(s, "probe"), s->session->device, run->dg,
                            s->precision, wisp_solver_integer(s, "probe-every"), &run->probes));
  run->stepper->probes = run->probes;
  s->nodes = run->tet->Np;
  s->unknowns = (double)s->mesh->elements * run->tet->Np * run->system->fields;
  s->unknown = "DOFs";
  run->misfit = run->time_error = run->energy_initial = NAN;
  CALL(wisp_new(err, wisp_dg_volume_size(run->dg), sizeof *run->u, &run->u));
  wisp_watch_report(watch, 0.8, "the longest stable step");
  return wisp_system_choose_step(err, run);
}

/* ---- A rehearsal. */

/* One step; u and res begin as noise. */
static wisp_status rehearse_step(wisp_error *err, wisp_system_run *run)
{
  wisp_arrays *arrays = run->stepper->problem->arrays;
  const wisp_pointer at = wisp_arrays_at(arrays, "u");
  wisp_dg_noise(run->dg, run->u);
  CALL(wisp_arrays_upload(err, arrays, "u", run->u));
  CALL(wisp_arrays_upload(err, arrays, "res", run->u));
  const double step = run->step > 0 ? run->step : wisp_dg_safe_dt(run->dg); /* unless it was found */
  wisp_integrator integrator = run->stepper->integrator;
  integrator.forcing = NULL;
  const wisp_status status = wisp_integrator_step(err, &integrator, step);
  if (wisp_arrays_at(arrays, "u") != at) wisp_arrays_swap(arrays, "u", "u_next");
  return status;
}

/* Fields that were there are set again. */
static wisp_status rehearse_system(wisp_error *err, wisp_solver *s, const wisp_launch_watch *watch)
{
  wisp_system_run *run = wisp_system_run_of(s);
  OWNED(free) double *before = NULL;
  CALL(wisp_require(err, run->stepper && run->u, WISP_EMISSING, "the solver is not set up"));
  wisp_problem *problem = run->stepper->problem;
  const size_t size = wisp_dg_volume_size(run->dg);
  CALL(wisp_new(err, size, sizeof *before, &before));
  CALL(wisp_arrays_download(err, problem->arrays, "u", before));
  problem->watch = watch;
  const wisp_status status = rehearse_step(err, run);
  problem->watch = NULL;
  CALL(status);
  memcpy(run->u, before, size * sizeof *before);
  return wisp_solution_put(err, problem, before);
}

static wisp_status make_fields(wisp_error *err, wisp_solver *s, wisp_fields *out)
{
  wisp_system_run *run = wisp_system_run_of(s);
  CALL(wisp_system_fetch(err, run));
  CALL(wisp_solution_fields(err, run->dg, run->u, out));
  CALL(wisp_system_gather(err, run, 3 * out->points, out->xyz));
  for (size_t f = 0; f < out->count; f++) CALL(wisp_system_gather(err, run, out->points, out->value[f]));
  out->time = run->time;
  return WISP_OK;
}

static void release_system(wisp_solver *s)
{
  wisp_system_run *run = wisp_system_run_of(s);
  wisp_stepper_destroy(run->stepper);
  wisp_dg_destroy(run->dg);
  wisp_mesh_part_free(&run->domain.part);
  wisp_walls_free(&run->walls);
  wisp_initial_free(&run->initial);
  wisp_sources_free(&run->sources);
  wisp_series_free(&run->series);
  wisp_probes_destroy(run->probes);
  wisp_system_destroy(run->system);
  wisp_tet_destroy(run->tet);
  for (int q = 0; q < WISP_MAX_QUANTITIES; q++) free(run->coefficient[q]);
  WISP_FREE(run->medium, run->u, run->node, run->restart.u);
}

const wisp_solver_kind wisp_system_kind = {
    .family = "nodal",
    .divides = true,
    .bytes = sizeof(wisp_system_run),
    .option = options,
    .knows = wisp_system_exists,
    .list = list_coefficients,
    .take = take_coefficient,
    .read = read_system,
    .choose = choose_system,
    .build = build_system,
    .start = wisp_system_start,
    .advance = wisp_system_advance,
    .rehearse = rehearse_system,
    .report = wisp_system_report,
    .fields = make_fields,
    .size = wisp_system_size,
    .nodes = wisp_system_nodes,
    .set = wisp_system_set,
    .get = wisp_system_get,
    .release = release_system,
};
