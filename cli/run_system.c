/* wisp run SYSTEM: discontinuous elements in time. */
#include "output.h"
#include "print.h"
#include "run_system.h"
#include "../runtime/mesh/vtu.h"
#include "../runtime/nodal/media.h"
#include "../runtime/nodal/start.h"
#include "../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- the coefficients: an option each --- */

static wisp_status list_coefficients(wisp_error *err, const wisp_system *system, wisp_text *out)
{
  for (int q = 0; system && q < system->quantities; q++)
    if (!system->quantity[q].expression)
      CALL(wisp_text_print(err, out,
                           "    --%s EXPR  a coefficient: a number, or an expression in an element's middle x, y, z "
                           "and region (%g)\n",
                           system->quantity[q].name, system->quantity[q].otherwise));
  return WISP_OK;
}

static void read_coefficients(const wisp_arguments *args, const wisp_system *system, wisp_system_request *r)
{
  for (size_t i = args->help.own; i < args->help.count; i++) {
    const int q = wisp_system_quantity(system, args->help.option[i].name);
    if (q >= 0) r->coefficient[q] = args->values[i];
  }
}

/* --- the request --- */

static wisp_status read_problem(wisp_error *err, const wisp_arguments *args, const wisp_system_request *r)
{
  const char *system = wisp_option_value(args, "system");
  CALL(wisp_require(err, !system || strcmp(system, r->system) == 0, WISP_EUSAGE,
                    "option --system is '%s', and the problem is %s", system, r->system));
  if (!system || args->operand_count) CALL(wisp_run_check_problem(err, args, r->system));
  return WISP_OK;
}

static wisp_status read_domain(wisp_error *err, const wisp_arguments *args, wisp_system_request *r)
{
  const char *mode = wisp_option_value(args, "mode");
  long long box = 0;
  int end = 0;
  CALL(wisp_option_integer(err, args, "box", 1, 400, 4, &box));
  r->has_mode = mode;
  bool good = !mode || (sscanf(mode, "%3d,%3d,%3d%n", &r->mode[0], &r->mode[1], &r->mode[2], &end) == 3 && !mode[end]);
  CALL(wisp_require(err, good, WISP_EUSAGE, "option --mode is '%s', must be three whole numbers such as 1,1,0", mode));
  for (int d = 0; d < 3; d++) r->run.mesh.box[d] = (int)box;
  return WISP_OK;
}

static wisp_status read_steps(wisp_error *err, const wisp_arguments *args, wisp_system_request *r)
{
  bool by_time = wisp_option_given(args, "time");
  CALL(wisp_require(err, !by_time || !wisp_option_given(args, "steps"), WISP_EUSAGE,
                    "--time and --steps both say when to end: leave one out"));
  CALL(wisp_option_integer(err, args, "steps", 0, 1000000000, by_time ? -1 : 100, &r->steps));
  CALL(wisp_option_real(err, args, "time", 0, 1e30, NAN, &r->time));
  CALL(wisp_option_real(err, args, "dt", 1e-30, 1e30, NAN, &r->dt));
  CALL(wisp_require(err, isnan(r->dt) || !wisp_option_given(args, "cfl"), WISP_EUSAGE,
                    "--cfl and --dt both give the step: leave one out"));
  CALL(wisp_option_real(err, args, "cfl", 1e-6, 1e3, WISP_CFL, &r->cfl));
  return wisp_option_real(err, args, "alpha", 0, 1, 1, &r->alpha);
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, const char *system, wisp_system_request *r)
{
  const wisp_family *family = wisp_family_find("nodal");
  *r = (wisp_system_request){.system = system,
                             .boundary = wisp_option_value(args, "boundary"),
                             .basis = wisp_option_value(args, "basis"),
                             .start = wisp_option_value(args, "start")};
  CALL(read_problem(err, args, r));
  CALL(wisp_run_read(err, args, family, &r->run));
  CALL(read_domain(err, args, r));
  CALL(read_steps(err, args, r));
  r->kernels = (wisp_wish){.spec = wisp_family_spec(family, r->run.order, r->system, r->run.precision),
                           .exact_match_only = r->run.exact,
                           .composition = wisp_option_value(args, "composition"),
                           .layout = wisp_option_value(args, "layout")};
  return WISP_OK;
}

/* --- the run --- */

static void release(wisp_system_run *run)
{
  wisp_stepper_destroy(run->solver);
  wisp_dg_destroy(run->dg);
  wisp_walls_free(&run->walls);
  wisp_stage_free(&run->stage);
  free(run->medium);
  wisp_system_destroy(run->system);
  wisp_tet_destroy(run->tet);
  wisp_mesh_destroy(run->mesh);
  wisp_session_close(run->session);
}

/* The kernels for so many elements, and whether these can be counted and have room on the device. */
static wisp_status choose_kernels(wisp_error *err, wisp_system_request *r, wisp_system_run *run, size_t elements)
{
  const wisp_limits *limits = wisp_device_limits(run->session->device);
  const wisp_chooser from = wisp_session_chooser(run->session);
  wisp_spec stage = r->kernels.spec;
  wisp_work work;
  wisp_spec_name_kernel(&stage, WISP_WHOLE_STEP);
  CALL(wisp_family_work(err, &stage, (double)elements, &work));
  CALL(wisp_run_check_count(err, (double)elements, "elements", r->run.order, work.dofs, "degrees of freedom"));
  r->kernels.elements = (long long)elements;
  CALL(wisp_basis_choose(err, &from, &r->kernels, r->basis, &run->basis, &run->stage));
  CALL(wisp_tet_create_for(err, wisp_basis_element(&run->basis), r->run.order, &run->tet));
  return wisp_dg_fits(err, limits, elements, run->tet, run->system, r->run.precision, &run->stage);
}

/* Where nobody says from what to start, and the walls are not those of the solution that was chosen: one that has them.
 */
static wisp_status start_for_walls(wisp_error *err, const wisp_system_request *r, wisp_system_run *run)
{
  const wisp_system *system = run->system;
  const char *name = NULL;
  if (r->start || !run->start.exact || run->start.state->walls == run->walls.boundary) return WISP_OK;
  for (int i = system->states - 1; i >= 0; i--)
    if (system->state[i].walls == run->walls.boundary) name = system->state[i].name;
  if (!name) return WISP_OK;
  return wisp_start_choose(err, run->mesh, system, name, r->has_mode ? r->mode : NULL, &run->start);
}

/* Before there is a mesh the kinds alone are looked at. */
static wisp_status read_walls(wisp_error *err, const wisp_system_request *r, wisp_system_run *run)
{
  return wisp_walls_read(err, "option --boundary", r->run.mesh.file ? r->run.mesh.file : "box", run->system, run->mesh,
                         r->boundary, &run->walls);
}

/* The elements of a box are known before it is made. */
static wisp_status make_mesh(wisp_error *err, wisp_system_request *r, wisp_system_run *run)
{
  wisp_mesh_source source = r->run.mesh;
  size_t count[4];
  const bool known = wisp_mesh_source_count(&source, 4, count);
  source.turned = true;
  if (known) CALL(choose_kernels(err, r, run, count[3]));
  CALL(wisp_mesh_make(err, 4, &source, &run->mesh));
  if (!source.file) CALL(wisp_mesh_tag_sides(err, run->mesh));
  CALL(read_walls(err, r, run));
  return known ? WISP_OK : choose_kernels(err, r, run, run->mesh->elements);
}

/* What the run starts from, and in which media. */
static wisp_status make_start(wisp_error *err, const wisp_system_request *r, wisp_system_run *run)
{
  CALL(wisp_start_choose(err, run->mesh, run->system, r->start, r->has_mode ? r->mode : NULL, &run->start));
  CALL(start_for_walls(err, r, run));
  wisp_start_order(&run->start, r->run.order);
  CALL(wisp_media_create(err, run->system, run->mesh, r->coefficient, &run->medium));
  CALL(wisp_run_system_check_media(err, r, run));
  CALL(wisp_start_medium(err, run->mesh->elements, run->medium, &run->start));
  run->known = run->start.exact && run->start.state->walls == run->walls.boundary;
  return WISP_OK;
}

/* Does it pay to measure the longest stable step, and afterwards the steps' error? Not where that takes more stages
 * than the run has, unless its result was asked for. */
static bool measures_step(const wisp_arguments *args, const wisp_system_request *r)
{
  return r->steps < 0 || wisp_option_given(args, "cfl") || wisp_lsrk45.stages * r->steps >= wisp_stepper_limit_stages();
}

/* The step: as given, a part of the longest stable one, or one that is stable unmeasured. */
static wisp_status choose_step(wisp_error *err, const wisp_arguments *args, const wisp_system_request *r,
                               wisp_system_run *run)
{
  run->measured = measures_step(args, r);
  run->limit = NAN;
  if (run->measured) CALL(wisp_stepper_limit(err, run->solver, &run->limit));
  run->dt = !isnan(r->dt) ? r->dt : run->measured ? r->cfl * run->limit : wisp_dg_safe_dt(run->dg);
  if (run->dt > run->limit)
    CALL(wisp_notes_add(err, &run->mesh->notes, "step_above_limit",
                        "a step of %g is above the limit of %.4g: the solution may blow up; take a %s", run->dt,
                        run->limit, isnan(r->dt) ? "--cfl below 1" : "shorter --dt"));
  return WISP_OK;
}

static wisp_status set_up(wisp_error *err, const wisp_arguments *args, wisp_system_request *r, wisp_system_run *run)
{
  CALL(wisp_require(err, !wisp_option_given(args, "output") || r->run.order <= WISP_VTU_MAX_ORDER, WISP_EUSAGE,
                    "--output: VTK files have orders up to %d: leave it out", WISP_VTU_MAX_ORDER));
  CALL(wisp_option_output(err, args, "output", ".vtu", &r->output));
  CALL(wisp_system_load(err, r->system, &run->system));
  read_coefficients(args, run->system, r);
  CALL(read_walls(err, r, run));
  CALL(wisp_cli_open_device(err, args, r->run.device, r->run.db, r->run.defaults, &run->session));
  CALL(make_mesh(err, r, run));
  CALL(make_start(err, r, run));
  CALL(wisp_dg_create_plain(err, run->mesh, run->tet, run->system, &run->stage.layout, &run->stage.fixed, &run->walls,
                            &run->dg));
  CALL(wisp_dg_set_medium(err, run->dg, run->medium));
  CALL(wisp_stepper_create(err, run->session->device, run->dg, r->run.precision, &run->stage, r->alpha, &run->solver));
  return choose_step(err, args, r, run);
}

/* How many steps of which length. */
static wisp_status plan_steps(wisp_error *err, const wisp_system_request *r, wisp_system_run *run)
{
  run->steps = r->steps;
  if (r->steps >= 0) return WISP_OK;
  double steps = ceil(r->time / run->dt * (1 - 1e-12));
  if (!(steps <= 1e9))
    return wisp_fail(err, WISP_EUSAGE,
                     "%g steps of %g to time %g are too many: take an earlier --time, or a mesh without tiny elements",
                     steps, run->dt, r->time);
  run->steps = (long long)steps;
  if (run->steps) run->dt = r->time / steps;
  return WISP_OK;
}

/* In parts of some tenths of a second, for the progress; within a part nobody waits. */
static wisp_status advance(wisp_error *err, const wisp_arguments *args, wisp_system_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const double part = 0.3;
  double total = 0;
  for (long long done = 0, next = run->steps < 10 ? run->steps : 10; done < run->steps;) {
    char text[64];
    double ms = 0, before = wisp_seconds();
    CALL(wisp_stepper_advance(err, run->solver, run->dt, next, &ms));
    if (!done) CALL(wisp_run_system_check_first(err, run, next));
    total += ms * (double)next;
    done += next;
    const double fit = part / (wisp_seconds() - before) * (double)next, left = (double)(run->steps - done);
    next = (long long)fmax(1, fmin(fmin(fit, 4 * (double)next), left));
    snprintf(text, sizeof text, "step %lld of %lld", done, run->steps);
    wisp_progress_show(&progress, (double)done / (double)run->steps, text);
  }
  run->ms_per_stage = run->steps ? total / (double)run->steps : 0;
  return WISP_OK;
}

static wisp_status solve(wisp_error *err, const wisp_arguments *args, const wisp_system_request *r,
                         wisp_system_run *run)
{
  wisp_problem *problem = run->solver->problem;
  OWNED(free) double *u = NULL;
  double time = 0, length = 0;
  run->l2_error = NAN;
  CALL(plan_steps(err, r, run));
  time = run->dt * (double)run->steps;
  CALL(wisp_new(err, wisp_dg_volume_size(run->dg), sizeof *u, &u));
  wisp_dg_fill(run->dg, wisp_start_field, &run->start, 0, u);
  CALL(wisp_dg_energy(err, run->dg, u, &run->energy_initial));
  CALL(wisp_run_system_check_start(err, run, u));
  wisp_cli_say_notes(args, &run->mesh->notes);
  CALL(wisp_solution_put(err, problem, u));
  const wisp_status status = advance(err, args, run);
  wisp_cli_say_notes(args, &run->mesh->notes);
  if (status == WISP_EWRONG) CALL(wisp_run_system_blew_up(err, r, run));
  CALL(status);
  CALL(wisp_arrays_download(err, problem->arrays, "u", u));
  CALL(wisp_dg_energy(err, run->dg, u, &run->energy_final));
  if (!(run->energy_final <= 2 * run->energy_initial)) CALL(wisp_run_system_blew_up(err, r, run));
  if (run->known) CALL(wisp_dg_l2_error(err, run->dg, u, wisp_start_field, &run->start, time, &run->l2_error));
  run->time_error = NAN;
  if (run->measured) CALL(wisp_stepper_time_error(err, run->solver, run->dt, time, &run->time_error));
  CALL(wisp_dg_length(err, run->dg, u, &length));
  run->time_error *= length;
  if (r->output) CALL(wisp_solution_write_vtu(err, run->dg, u, r->output));
  run->dofs = (double)run->mesh->elements * run->tet->Np * run->system->fields;
  run->seconds = run->ms_per_stage * wisp_lsrk45.stages * (double)run->steps / 1e3;
  run->gdofs = run->steps ? run->dofs / run->ms_per_stage / 1e6 : NAN;
  return WISP_OK;
}

static wisp_status run_system(wisp_error *err, wisp_arguments *args)
{
  wisp_system_request request;
  HELD(release) wisp_system_run run = {.steps = 0};
  CALL(read_request(err, args, args->syntax->subject, &request));
  CALL(set_up(err, args, &request, &run));
  CALL(wisp_run_say_notes(err, args, &request.run, run.mesh));
  CALL(solve(err, args, &request, &run));
  return wisp_run_system_print(err, &request, &run);
}

int wisp_run_system(const char *system, int argc, char **argv)
{
  OWNED(wisp_system_destroy) wisp_system *described = NULL;
  HELD(wisp_text_free) wisp_text coefficients = {0};
  if (wisp_system_load(NULL, system, &described) != WISP_OK ||
      list_coefficients(NULL, described, &coefficients) != WISP_OK)
    described = NULL; /* a file that is wrong is told of later */
  return wisp_cli_run_command(
      &(wisp_syntax){
          .page = "run-system", .act = run_system, .most_operands = 1, .subject = system, .more = coefficients.data},
      argc, argv);
}
