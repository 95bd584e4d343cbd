/* wisp run SYSTEM: discontinuous elements in time. */
#include "run.h"
#include "mesh_options.h"
#include "progress.h"
#include "run_system.h"
#include "../runtime/mesh/vtu.h"
#include "../runtime/nodal/solution.h"
#include "../runtime/process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const wisp_option options[] = {
    {"orders", 'n', "ORDER", "polynomial order of the elements"},
    {"box", 0, "N", "the unit box as N x N x N cubes of six tets each (4)"},
    WISP_MESH_OPTIONS("tets"),
    {"precision", 'p', "PREC", "f32 or f64 (f64)"},
    {"device", 'd', "DEV", "the device, as 'wisp devices' names it (auto: the first GPU, else the host)"},
    {"start", 0, "NAME", "what to start from, of what the system's file states (its solution, else its start)"},
    {"mode", 0, "M,N,P", "which mode of a solution in the unit box (the solution's own; 1,1,0 of maxwell's cavity)"},
    {"steps", 0, "S", "how many steps (100)"},
    {"time", 0, "T", "in place of --steps: the time to reach, in the last step exactly"},
    {"cfl", 0, "C",
     "the step as a part of the longest stable one, which is found at the start (0.85; a shorter safe step where "
     "finding it would take longer than the run)"},
    {"dt", 0, "DT", "in place of --cfl: the step itself; with --time the longest one allowed"},
    {"alpha", 0, "A", "numerical flux from 1 (upwind) to 0 (central) (1)"},
    {"boundary", 0, "KIND", "what the walls are, of what the system's file has (its first; maxwell: pec, absorbing)"},
    {"system", 0, "SYSTEM", "the system of equations, where the problem is not named"},
    {"db", 0, "FILE", "the user's store to read, in place of the default one"},
    {"match", 0, "HOW", "any: take the best entries; exact: fail where one is not of this device and driver (any)"},
    {"default", 0, NULL, "ignore the store: default kernels"},
    {"basis", 0, "BASIS", "nodal, bernstein, or auto: the one whose stage the store knows to be faster (nodal)"},
    {"composition", 0, "KERNELS", "the kernels of a stage, such as gather+fused (the store's choice)"},
    {"layout", 'l', "LAYOUT", "how fields lie in memory, such as slab-km32 (the store's choice)"},
    {"output", 'o', "FILE", "the solution as a VTK file (.vtu)"},
    {"json", 0, NULL, "a JSON object"},
};
static const wisp_syntax syntax = {
    NULL,
    "Solves a system of equations with the kernels that the tuning store knows for this device, or with default "
    "ones, and reports the error, the energy, the time of a stage and which kernels they were.",
    options, WISP_COUNT(options), 1};

/* --- the request --- */

static wisp_status read_problem(wisp_error *err, const wisp_arguments *args, const wisp_system_request *r)
{
  const char *system = wisp_option_value(args, "system");
  CALL(wisp_require(err, !system || strcmp(system, r->system) == 0, WISP_EUSAGE,
                    "option --system is '%s', and the problem is %s", system, r->system));
  if (!system || args->operand_count) CALL(wisp_run_check_problem(err, args, r->system));
  return WISP_OK;
}

static wisp_status read_mesh(wisp_error *err, const wisp_arguments *args, wisp_system_request *r)
{
  const char *mode = wisp_option_value(args, "mode");
  long long box = 0, order = 0;
  int end = 0;
  const wisp_element *elements = wisp_family_find("nodal")->elements;
  const int *orders = elements->orders;
  int highest = orders[1];
  for (const wisp_element *e = elements; e->name; e++) highest = e->orders[1] > highest ? e->orders[1] : highest;
  CALL(wisp_option_mesh(err, args, &r->mesh));
  CALL(wisp_require(err, !r->mesh.file || !wisp_option_given(args, "box"), WISP_EUSAGE,
                    "--mesh and --box both give the domain: leave one out"));
  CALL(wisp_option_integer(err, args, "box", 1, 400, 4, &box));
  CALL(wisp_require(err, wisp_option_given(args, "orders"), WISP_EUSAGE, "give the order of the elements: -n %d to %d",
                    orders[0], orders[1]));
  CALL(wisp_option_integer(err, args, "orders", orders[0], highest, 0, &order));
  r->has_mode = mode;
  bool good = !mode || (sscanf(mode, "%3d,%3d,%3d%n", &r->mode[0], &r->mode[1], &r->mode[2], &end) == 3 && !mode[end]);
  CALL(wisp_require(err, good, WISP_EUSAGE, "option --mode is '%s', must be three whole numbers such as 1,1,0", mode));
  for (int d = 0; d < 3; d++) r->mesh.box[d] = (int)box;
  r->order = (int)order;
  return WISP_OK;
}

static wisp_status read_steps(wisp_error *err, const wisp_arguments *args, wisp_system_request *r)
{
  bool by_time = wisp_option_given(args, "time");
  CALL(wisp_require(err, !by_time || !wisp_option_given(args, "steps"), WISP_EUSAGE,
                    "--time and --steps both say when to end: leave one out"));
  CALL(wisp_option_integer(err, args, "steps", 0, 1000000000, by_time ? -1 : 100, &r->steps));
  CALL(wisp_option_real(err, args, "time", 0, 1e9, NAN, &r->time));
  CALL(wisp_option_real(err, args, "dt", 1e-12, 1e6, NAN, &r->dt));
  CALL(wisp_require(err, isnan(r->dt) || !wisp_option_given(args, "cfl"), WISP_EUSAGE,
                    "--cfl and --dt both give the step: leave one out"));
  CALL(wisp_option_real(err, args, "cfl", 1e-6, 1e3, WISP_CFL, &r->cfl));
  return wisp_option_real(err, args, "alpha", 0, 1, 1, &r->alpha);
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, const char *system, wisp_system_request *r)
{
  static const char *const matches[] = {"any", "exact"};
  const char *precision = wisp_option_value(args, "precision"), *device = wisp_option_value(args, "device");
  size_t match = 0;
  *r = (wisp_system_request){.system = system,
                             .db = wisp_option_value(args, "db"),
                             .output = wisp_option_value(args, "output"),
                             .device = device ? device : "auto",
                             .boundary = wisp_option_value(args, "boundary"),
                             .start = wisp_option_value(args, "start"),
                             .basis = wisp_option_value(args, "basis"),
                             .precision = WISP_F64,
                             .defaults = wisp_option_given(args, "default"),
                             .json = wisp_option_given(args, "json")};
  CALL(read_problem(err, args, r));
  CALL(read_mesh(err, args, r));
  CALL(read_steps(err, args, r));
  if (precision) CALL(wisp_precision_parse(err, precision, &r->precision));
  CALL(wisp_option_choice(err, args, "match", 2, matches, 0, &match));
  CALL(wisp_require(err, !r->defaults || (!match && !r->db), WISP_EUSAGE,
                    "--default reads no store: leave --db and --match out"));
  r->kernels = (wisp_wish){.spec = wisp_family_spec(wisp_family_find("nodal"), r->order, r->system, r->precision),
                           .exact_match_only = match == 1,
                           .composition = wisp_option_value(args, "composition"),
                           .layout = wisp_option_value(args, "layout")};
  return WISP_OK;
}

/* --- the run --- */

static void release(wisp_system_run *run)
{
  wisp_solver_destroy(run->solver);
  wisp_dg_destroy(run->dg);
  wisp_stage_free(&run->step);
  wisp_system_destroy(run->system);
  wisp_tet_destroy(run->tet);
  wisp_mesh_destroy(run->mesh);
  wisp_session_close(run->session);
}

/* Before anything large is made: u, u_next, rhs, res must fit, and be counted in 31 bits. */
static wisp_status check_size(wisp_error *err, const wisp_system_request *r, const wisp_system_run *run,
                              double elements)
{
  const wisp_limits *limits = wisp_device_limits(run->session->device);
  wisp_spec step = r->kernels.spec;
  wisp_work work;
  wisp_spec_name_kernel(&step, WISP_WHOLE_STEP);
  CALL(wisp_family_work(err, &step, elements, &work));
  const double dofs = work.dofs, bytes = 4 * dofs * (double)r->precision;
  CALL(wisp_require(err, dofs < 2147483648.0, WISP_EUSAGE,
                    "%.0f elements of order %d have %.3g degrees of freedom, more than kernels can count (2.1e9): take "
                    "fewer elements or a lower order",
                    elements, r->order, dofs));
  return wisp_require(err, bytes <= (double)limits->memory, WISP_EMEMORY,
                      "%.0f elements of order %d need more than %.2f GB, %s has %.2f GB: take fewer elements, a lower "
                      "order or f32",
                      elements, r->order, bytes / 1e9, limits->name, (double)limits->memory / 1e9);
}

static wisp_status make_mesh(wisp_error *err, const wisp_system_request *r, wisp_system_run *run)
{
  if (!r->mesh.file) CALL(check_size(err, r, run, 6 * pow(r->mesh.box[0], 3)));
  CALL(wisp_mesh_make(err, &r->mesh, &run->mesh));
  CALL(check_size(err, r, run, (double)run->mesh->elements));
  CALL(wisp_start_choose(err, run->mesh, run->system, r->start, r->has_mode ? r->mode : NULL, &run->start));
  run->known = run->start.exact && run->start.state->walls == run->boundary;
  return WISP_OK;
}

/* Before a long run, not after it: can the file be written? Opened to append, so that what it holds stays. */
static wisp_status check_output(wisp_error *err, const char *path)
{
  if (!path) return WISP_OK;
  const bool there = access(path, F_OK) == 0;
  FILE *file = fopen(path, "ab");
  CALL(wisp_require(err, file, WISP_ESYSTEM, "%s: cannot be written: %s", path, strerror(errno)));
  fclose(file);
  if (!there) remove(path);
  return WISP_OK;
}

/* Does it pay to measure the longest stable step, and afterwards the steps' error? Not where that takes more stages
 * than the run has, unless its result was asked for. */
static bool measures_step(const wisp_arguments *args, const wisp_system_request *r)
{
  return r->steps < 0 || wisp_option_given(args, "cfl") || WISP_RK_STAGES * r->steps >= wisp_solver_limit_stages();
}

/* The step: as given, a part of the longest stable one, or one that is stable unmeasured. */
static wisp_status choose_step(wisp_error *err, const wisp_arguments *args, const wisp_system_request *r,
                               wisp_system_run *run)
{
  char note[128];
  run->measured = measures_step(args, r);
  run->limit = NAN;
  if (run->measured) CALL(wisp_solver_limit(err, run->solver, &run->limit));
  run->dt = !isnan(r->dt) ? r->dt : run->measured ? r->cfl * run->limit : wisp_dg_safe_dt(run->dg);
  snprintf(note, sizeof note, "a step of %g is above the limit of %.4g: the solution may blow up", run->dt, run->limit);
  if (run->dt > run->limit) wisp_cli_warn(args, note);
  return WISP_OK;
}

static wisp_status choose_boundary(wisp_error *err, const wisp_system_request *r, wisp_system_run *run)
{
  const wisp_system *system = run->system;
  char kinds[WISP_MAX_BOUNDARIES * (sizeof system->boundary->name + 4)] = "";
  for (int b = 0, at = 0; b < system->boundaries; b++)
    at += snprintf(kinds + at, sizeof kinds - (size_t)at, "%s%s", at ? " or " : "", system->boundary[b].name);
  run->boundary = r->boundary ? wisp_system_boundary(system, r->boundary) : 0;
  return wisp_require(err, run->boundary >= 0, WISP_EUSAGE, "option --boundary is '%s', must be %s", r->boundary,
                      kinds);
}

static wisp_status set_up(wisp_error *err, const wisp_arguments *args, wisp_system_request *r, wisp_system_run *run)
{
  CALL(wisp_require(err, !r->output || r->order <= WISP_VTU_MAX_ORDER, WISP_EUSAGE,
                    "--output: VTK files have orders up to %d: leave it out", WISP_VTU_MAX_ORDER));
  CALL(check_output(err, r->output));
  CALL(wisp_system_load(err, r->system, &run->system));
  CALL(choose_boundary(err, r, run));
  CALL(wisp_run_open(err, args, r->device, r->db, r->defaults, &run->session));
  CALL(make_mesh(err, r, run));
  r->kernels.elements = (long long)run->mesh->elements;
  const wisp_chooser from = wisp_session_chooser(run->session);
  CALL(wisp_basis_choose(err, &from, &r->kernels, r->basis, &run->basis, &run->step));
  CALL(wisp_tet_create_for(err, wisp_basis_element(&run->basis), r->order, &run->tet));
  CALL(wisp_dg_create_plain(err, run->mesh, run->tet, run->system, &run->step.layout, &run->step.fixed, run->boundary,
                            &run->dg));
  CALL(wisp_solver_create(err, run->session->device, run->dg, r->precision, &run->step, r->alpha, &run->solver));
  return choose_step(err, args, r, run);
}

/* How many steps of which length. */
static wisp_status plan_steps(wisp_error *err, const wisp_system_request *r, wisp_system_run *run)
{
  run->steps = r->steps;
  if (r->steps >= 0) return WISP_OK;
  double steps = ceil(r->time / run->dt * (1 - 1e-12));
  if (!(steps <= 1e9))
    return wisp_fail(err, WISP_EUSAGE, "%g steps of %g to time %g are too many", steps, run->dt, r->time);
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
    CALL(wisp_solver_advance(err, run->solver, run->dt, next, &ms));
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

/* No flux from central to upwind lets the energy grow: a growing one, or NaN, is the step's fault, unless the step is
 * one that cannot be. */
static wisp_status blew_up(wisp_error *err, const wisp_system_request *r, const wisp_system_run *run)
{
  if (!run->measured)
    return wisp_fail(err, WISP_EWRONG,
                     isnan(r->dt)
                         ? "the solution blew up in %lld steps of %g, which are safe: a kernel is at fault; try "
                           "--default"
                         : "the solution blew up in %lld steps of %g: leave --dt out for a stable one",
                     run->steps, run->dt);
  return wisp_fail(
      err, WISP_EWRONG,
      run->dt > run->limit
          ? "the solution blew up in %lld steps of %g: steps up to %.4g are stable here; leave --dt out"
          : "the solution blew up in %lld steps of %g, though steps up to %.4g are stable here: a kernel is "
            "at fault; try --default, or a smaller --cfl",
      run->steps, run->dt, run->limit);
}

static wisp_status solve(wisp_error *err, const wisp_arguments *args, const wisp_system_request *r,
                         wisp_system_run *run)
{
  wisp_problem *problem = wisp_solver_problem(run->solver);
  OWNED(free) double *u = NULL;
  double time = 0, length = 0;
  run->l2_error = NAN;
  CALL(plan_steps(err, r, run));
  time = run->dt * (double)run->steps;
  CALL(wisp_new(err, wisp_dg_volume_size(run->dg), sizeof *u, &u));
  CALL(wisp_dg_fill(err, run->dg, wisp_start_field, &run->start, 0, u));
  CALL(wisp_dg_energy(err, run->dg, u, &run->energy_initial));
  CALL(wisp_solution_put(err, problem, u));
  const wisp_status status = advance(err, args, run);
  if (status == WISP_EWRONG) CALL(blew_up(err, r, run));
  CALL(status);
  CALL(wisp_solution_get(err, problem, u));
  CALL(wisp_dg_energy(err, run->dg, u, &run->energy_final));
  if (!(run->energy_final <= 2 * run->energy_initial)) CALL(blew_up(err, r, run));
  if (run->known) CALL(wisp_dg_l2_error(err, run->dg, u, wisp_start_field, &run->start, time, &run->l2_error));
  run->time_error = NAN;
  if (run->measured) CALL(wisp_solver_time_error(err, run->solver, run->dt, time, &run->time_error));
  CALL(wisp_dg_length(err, run->dg, u, &length));
  run->time_error *= length;
  if (r->output) CALL(wisp_solution_write_vtu(err, run->dg, u, r->output));
  run->dofs = (double)run->mesh->elements * run->tet->Np * run->system->fields;
  run->seconds = run->ms_per_stage * WISP_RK_STAGES * (double)run->steps / 1e3;
  run->gdofs = run->steps ? run->dofs / run->ms_per_stage / 1e6 : NAN;
  return WISP_OK;
}

int wisp_run_system(const char *system, int argc, char **argv)
{
  wisp_status status = WISP_OK;
  wisp_error err = {.text = ""};
  wisp_arguments args;
  wisp_system_request request;
  wisp_system_run run = {.steps = 0};
  int exit_status = 0;
  char usage[128];
  wisp_syntax own = syntax;
  snprintf(usage, sizeof usage, "wisp run %s -n ORDER [--box N | --mesh FILE] [options]", system);
  own.usage = usage;
  if (!wisp_arguments_read(&own, argc, argv, &args, &exit_status)) return exit_status;
  TRY(read_request(&err, &args, system, &request));
  TRY(set_up(&err, &args, &request, &run));
  TRY(solve(&err, &args, &request, &run));
  TRY(wisp_run_system_print(&err, &request, &run));
done:
  release(&run);
  return wisp_cli_end(&args, status, &err);
}
