/* wisp run heat: sparse matrices on triangles and tets, assembled anew in every step of time. */
#include "output.h"
#include "print.h"
#include "run_heat.h"
#include "../runtime/assembly/market.h"
#include "../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the request --- */

/* One to three numbers; or an expression of u. */
static wisp_status read_kappa(wisp_error *err, const wisp_arguments *args, wisp_heat_request *r)
{
  const char *text = wisp_option_value(args, "kappa"), *at = text ? text : "1,0,1";
  wisp_heat_kappa *kappa = &r->kappa;
  OWNED(wisp_expr_destroy) wisp_expr *value = NULL;
  wisp_error why = {.text = ""};
  char *end = NULL;
  for (int count = 0; count < 3; count++, at = end + 1) {
    kappa->number[count] = strtod(at, &end);
    if (end == at || !isfinite(kappa->number[count]) || !*end || *end != ',') break;
  }
  if (end != at && !*end) return WISP_OK;
  *kappa = (wisp_heat_kappa){.text = text};
  if (wisp_form_kappa(&why, text, &value, NULL) == WISP_OK) return WISP_OK;
  return wisp_fail(err, WISP_EUSAGE,
                   "option --kappa is '%s', must be one to three numbers such as 1,0,1, or an expression of u: %s",
                   text, why.text);
}

/* The matrix has a vector beside it. */
static wisp_status read_outputs(wisp_error *err, const wisp_arguments *args, wisp_heat_request *r)
{
  char beside[WISP_MARKET_PATH];
  CALL(wisp_option_output(err, args, "output", ".vtu", &r->vtu));
  CALL(wisp_option_output(err, args, "export", ".mtx", &r->path));
  if (!r->path) return WISP_OK;
  CALL(wisp_market_vector_path(err, r->path, beside));
  return wisp_output_check(err, args, "export", beside);
}

/* One item of --fix: the value of u there; false where it is no number. */
static bool read_fix(const wisp_group_item *item, double *value)
{
  char *end = NULL;
  if (item->value) *value = strtod(item->value, &end);
  return item->value && end != item->value && !*end && isfinite(*value);
}

/* "left=200,2=10": the groups are looked up when the mesh is there. */
static wisp_status read_given(wisp_error *err, const wisp_arguments *args, wisp_heat_request *r)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.count = 0};
  double value = 0;
  r->fix = wisp_option_value(args, "fix");
  CALL(wisp_option_real(err, args, "source", -1e100, 1e100, 0, &r->source));
  CALL(wisp_require(err, r->fix || !wisp_option_given(args, "source"), WISP_EUSAGE,
                    "option --source is for --fix: else f follows from the known solution"));
  bool good = !r->fix || wisp_group_list_read(NULL, r->fix, true, &list) == WISP_OK;
  for (size_t i = 0; good && i < list.count; i++) good = read_fix(&list.item[i], &value);
  return wisp_require(
      err, good, WISP_EUSAGE,
      "option --fix is '%s', must be TAG=VALUE,.. by numbers or names of the boundary's physical groups, "
      "such as 1=200 or inlet=200,\"air gap\"=10",
      r->fix);
}

/* The groups that --fix names, and what u is there. */
static wisp_status find_given(wisp_error *err, const wisp_heat_request *r, wisp_heat_run *run)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.count = 0};
  size_t room[2] = {0};
  if (!r->fix) return WISP_OK;
  CALL(wisp_group_list_read(err, r->fix, true, &list));
  for (size_t i = 0; i < list.count; i++) {
    OWNED(free) int32_t *found = NULL;
    size_t count = 0;
    const wisp_status status =
        wisp_groups_find(err, &run->mesh->groups, r->dimension - 1, &list.item[i].word, &found, &count);
    if (status != WISP_OK) return wisp_context(err, status, "option --fix: ");
    for (size_t k = 0; k < count; k++, run->fixes++) {
      CALL(wisp_grow(err, &run->fixed, &room[0], run->fixes + 1, sizeof *run->fixed));
      CALL(wisp_grow(err, &run->values, &room[1], run->fixes + 1, sizeof *run->values));
      run->fixed[run->fixes] = found[k];
      (void)read_fix(&list.item[i], &run->values[run->fixes]);
    }
  }
  return WISP_OK;
}

static wisp_status read_method(wisp_error *err, const wisp_arguments *args, wisp_heat_request *r)
{
  long long steps = 0, assemblies = 0;
  double time = 0;
  r->method.precision = r->run.precision;
  const bool exact = r->method.precision == WISP_F64;
  CALL(read_kappa(err, args, r));
  CALL(wisp_option_real(err, args, "capacity", 0, 1e100, 1, &r->capacity));
  CALL(wisp_option_real(err, args, "time", 1e-100, 1e100, 0.1, &time));
  CALL(wisp_option_integer(err, args, "steps", 1, 1000000, 10, &steps));
  CALL(wisp_option_real(err, args, "tolerance", 1e-15, 1, NAN, &r->method.tolerance));
  CALL(wisp_option_real(err, args, "nonlinear", 1e-15, 1, exact ? 1e-12 : 1e-6, &r->method.nonlinear));
  CALL(wisp_option_real(err, args, "standstill", 1e-15, 1, exact ? 1e-10 : 1e-5, &r->method.standstill));
  CALL(wisp_option_integer(err, args, "iterations", 1, 1000000000, 10000, &r->method.iterations));
  CALL(wisp_option_integer(err, args, "assemblies", 1, 100000, 50, &assemblies));
  r->steps = r->capacity > 0 ? (int)steps : 1;
  r->method.step = time / r->steps;
  r->method.assemblies = (int)assemblies;
  return WISP_OK;
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_heat_request *r)
{
  static const char *const elements[] = {"tri", "tet"}, *const matrices[] = {"csr", "sliced-ell"};
  size_t element = 0, matrix = 0;
  *r = (wisp_heat_request){.reproducible = wisp_option_given(args, "reproducible")};
  CALL(wisp_run_check_problem(err, args, "heat"));
  CALL(read_outputs(err, args, r));
  CALL(wisp_option_choice(err, args, "element", WISP_COUNT(elements), elements, 0, &element));
  CALL(wisp_option_choice(err, args, "matrix", WISP_COUNT(matrices), matrices, 0, &matrix));
  r->dimension = 2 + (int)element, r->sliced = matrix == 1;
  CALL(wisp_run_read(err, args, wisp_family_find("assembly"), &r->run));
  CALL(wisp_run_read_grid(err, args, r->dimension == 2 ? 2 : 1, &r->run));
  CALL(read_given(err, args, r));
  return read_method(err, args, r);
}

/* --- the run --- */

static void release(wisp_heat_run *run)
{
  wisp_heat_solver_destroy(run->solver);
  free(run->u), free(run->fixed), free(run->values);
  wisp_stage_free(&run->assembly);
  wisp_stage_free(&run->iteration);
  wisp_heat_destroy(run->heat);
  wisp_mesh_destroy(run->mesh);
  wisp_session_close(run->session);
}

/* settled: how values stand in the matrix. An iteration is the same for all forms, and known as the family's own. */
static wisp_status choose(wisp_error *err, const wisp_heat_request *r, const wisp_heat_run *run, size_t elements,
                          const char *composition, wisp_stage *out)
{
  wisp_fixed settled = {.made = false};
  wisp_fixed_ask(&settled, "sliced", r->sliced, 0);
  const wisp_chooser from = wisp_session_chooser(run->session);
  const char *form = composition ? NULL : "heat";
  wisp_spec spec = wisp_family_spec(wisp_family_find("assembly"), r->run.order, form, r->method.precision);
  wisp_spec_name_element(&spec, r->dimension == 2 ? "tri" : "tet");
  const wisp_own_formula own[] = {{r->kappa.text ? "kappa_of_u" : NULL, r->kappa.text}, {NULL, NULL}};
  const wisp_wish wish = {.spec = spec,
                          .own = composition ? NULL : own,
                          .elements = (long long)elements,
                          .exact_match_only = r->run.exact,
                          .reproducible = r->reproducible,
                          .settled = &settled,
                          .composition = composition};
  return wisp_choose(err, &from, &wish, out);
}

/* The kernels for so many simplices of each dimension, and whether these can be counted and have room on the device. */
static wisp_status choose_kernels(wisp_error *err, const wisp_heat_request *r, wisp_heat_run *run,
                                  const size_t count[4])
{
  const wisp_limits *limits = wisp_device_limits(run->session->device);
  const size_t elements = count[r->dimension];
  char what[64];
  snprintf(what, sizeof what, "%zu %s", elements, wisp_run_heat_cells(r));
  CALL(wisp_pattern_check(err, what, r->run.order, count, r->method.precision, limits));
  CALL(choose(err, r, run, elements, NULL, &run->assembly));
  CALL(choose(err, r, run, elements, WISP_HEAT_ITERATION, &run->iteration));
  return wisp_heat_fits(err, limits, r->dimension + 1, r->run.order, count, r->method.precision, &run->assembly,
                        &run->iteration);
}

/* Of a box the nonzeros are known before anything is made, of a file when it is read. */
static wisp_status make_mesh(wisp_error *err, const wisp_heat_request *r, wisp_heat_run *run)
{
  size_t count[4];
  const bool known = wisp_mesh_source_count(&r->run.mesh, r->dimension + 1, count);
  if (known) CALL(choose_kernels(err, r, run, count));
  CALL(wisp_mesh_make(err, r->dimension + 1, &r->run.mesh, &run->mesh));
  wisp_pattern_count(run->mesh, count);
  if (!known) CALL(choose_kernels(err, r, run, count));
  CALL(wisp_mesh_settle(err, run->mesh));
  if (r->dimension == 3 && !r->run.mesh.file) CALL(wisp_mesh_tag_sides(err, run->mesh));
  return WISP_OK;
}

/* Linear solves within a nonlinear one are as good as the next matrix deserves. */
static double default_tolerance(const wisp_heat_request *r, const wisp_heat *heat)
{
  if (!wisp_heat_is_linear(heat)) return 1e-3;
  return r->method.precision == WISP_F64 ? 1e-12 : 1e-6;
}

static wisp_status set_up(wisp_error *err, const wisp_arguments *args, wisp_heat_request *r, wisp_heat_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const double begin = wisp_seconds();
  wisp_progress_show(&progress, 0, "opening store and device");
  CALL(wisp_cli_open_device(err, args, r->run.device, r->run.db, r->run.defaults, &run->session));
  CALL(make_mesh(err, r, run));
  CALL(find_given(err, r, run));
  wisp_progress_show(&progress, 0.2, "numbering nodes, pattern");
  const wisp_heat_given given = {run->fixes, run->fixed, run->values, r->source};
  CALL(wisp_heat_create(err, r->run.mesh.file ? r->run.mesh.file : "box", run->mesh, r->run.order, &r->kappa,
                        r->capacity, r->fix ? &given : NULL, &run->heat));
  if (isnan(r->method.tolerance)) r->method.tolerance = default_tolerance(r, run->heat);
  wisp_progress_show(&progress, 0.6, "lists, kernels");
  CALL(wisp_heat_solver_create(err, run->session->device, run->heat, &run->assembly, &run->iteration, &r->method,
                               &run->solver));
  run->seconds_setup = wisp_seconds() - begin;
  return WISP_OK;
}

static wisp_status solve(wisp_error *err, const wisp_arguments *args, const wisp_heat_request *r, wisp_heat_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const double begin = wisp_seconds();
  char text[64];
  for (int step = 0; step < r->steps; step++) {
    snprintf(text, sizeof text, "step %d of %d", step + 1, r->steps);
    wisp_progress_show(&progress, (double)step / r->steps, text);
    CALL(wisp_heat_step(err, run->solver));
  }
  run->seconds = wisp_seconds() - begin;
  CALL(wisp_new(err, run->heat->assembly->nodes->nodes, sizeof *run->u, &run->u));
  CALL(wisp_heat_solver_field(err, run->solver, run->u));
  run->l2_error = NAN;
  if (r->fix) return WISP_OK;
  return wisp_heat_error(err, run->heat, wisp_heat_solver_report(run->solver)->t, run->u, &run->l2_error);
}

/* What was not reached is a failure, after the report. */
static wisp_status check_convergence(wisp_error *err, const wisp_heat_request *r, const wisp_heat_run *run)
{
  const wisp_heat_report *report = wisp_heat_solver_report(run->solver);
  const wisp_heat_method *method = &r->method;
  if (report->converged) return WISP_OK;
  if (wisp_heat_is_linear(run->heat))
    return wisp_fail(
        err, WISP_EWRONG,
        "no convergence: the last residual is %.3g of the right-hand side, not %g: allow more --iterations, "
        "or a larger --tolerance",
        report->residual, method->tolerance);
  return wisp_fail(
      err, WISP_EWRONG,
      "no convergence: the last nonlinear residual is %.3g of the right-hand side, not %g, the last change "
      "of u %.3g: allow more --iterations or --assemblies, a larger --nonlinear, or take more steps",
      report->residual, method->nonlinear, report->change);
}

/* Of a solve that failed nothing is written. */
static wisp_status write_files(wisp_error *err, const wisp_heat_request *r, const wisp_heat_run *run)
{
  if (r->path) CALL(wisp_heat_export(err, run->solver, r->path));
  return r->vtu ? wisp_heat_write_vtu(err, run->heat, run->u, r->vtu) : WISP_OK;
}

static wisp_status run_heat(wisp_error *err, wisp_arguments *args)
{
  wisp_heat_request request;
  HELD(release) wisp_heat_run run = {.seconds = 0};
  CALL(read_request(err, args, &request));
  CALL(set_up(err, args, &request, &run));
  CALL(wisp_run_say_notes(err, args, &request.run, run.mesh));
  CALL(solve(err, args, &request, &run));
  const wisp_heat_report *report = wisp_heat_solver_report(run.solver);
  CALL(wisp_run_note_zero(err, &(wisp_cg_report){report->iterations, true, report->residual, 0}, &run.mesh->notes));
  wisp_cli_say_notes(args, &run.mesh->notes);
  if (report->converged) CALL(write_files(err, &request, &run));
  CALL(wisp_run_heat_print(err, &request, &run));
  return check_convergence(err, &request, &run);
}

const wisp_syntax wisp_heat_syntax = {.page = "run-heat", .act = run_heat, .most_operands = 1};
