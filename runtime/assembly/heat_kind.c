/* Heat conduction as a solver: sparse matrices on triangles and tets, assembled anew in every step of time. */
#include "heat_solver.h"
#include "../process.h"

#include <math.h>
#include <stdio.h>

static const wisp_solver_option options[] = {
    WISP_CHOICE_ROW("element", "ELEMENT", "tri tet", "tri", NULL, "tri: triangles, or tet: tetrahedra"),
    WISP_TEXT_ROW("kappa", "KAPPA", "1,0,1", NULL,
                  "the conductivity K0,K1,K2: K0 + K1 u + K2 u^2, left out from the end: 0; or an expression of u with "
                  "sqrt, exp, sin, cos, pow, such as \"1 + exp(-u)\""),
    WISP_REAL_ROW("capacity", "C", 0, 1e100, "1", NULL,
                  "the capacity c in c u_t = div(kappa(u) grad u) + f; 0: steady"),
    WISP_TEXT_ROW(
        "fix", "TAG=VALUE,..", NULL, "the known solution everywhere",
        "u on these physical groups of the boundary, by number or name (\"air gap\"=1, in quotes where it has a "
        "comma or =); the last counts where they meet, nothing flows through the rest, and u is 0 at the start; "
        "a box has the tags 1 and 2 where x is least and greatest, 3 and 4 for y, 5 and 6 for z"),
    WISP_REAL_ROW("source", "F", -1e100, 1e100, "0", NULL, "with --fix, the f of the equation, a number"),
    WISP_REAL_ROW("time", "T", 1e-100, 1e100, "0.1", NULL, "when the last step ends"),
    WISP_INTEGER_ROW("steps", "K", 1, 1000000, "10", NULL, "how many steps of time"),
    WISP_REAL_ROW(
        "tolerance", "T", 1e-15, 1, NULL, "1e-12; f32: 1e-6; where kappa depends on u 1e-3",
        "residual of every linear solve, over the right-hand side F, at most a tenth of that which it starts from"),
    WISP_REAL_ROW("nonlinear", "T", 1e-15, 1, "1e-12; f32: 1e-6", NULL,
                  "where kappa depends on u: the residual F - A(u) u that ends a step, over F"),
    WISP_REAL_ROW("standstill", "T", 1e-15, 1, "1e-10; f32: 1e-5", NULL,
                  "or, where rounding keeps it from falling, the change of u, over the largest u"),
    WISP_INTEGER_ROW("iterations", "K", 1, 1e9, "10000", NULL, "how many a solve may take"),
    WISP_INTEGER_ROW("assemblies", "K", 1, 100000, "50", NULL, "how many a step may take"),
    WISP_CHOICE_ROW("matrix", "FORMAT", "csr sliced-ell", "csr", NULL,
                    "csr: compressed rows, or sliced-ell: slices of 32 rows side by side"),
    WISP_FILE_ROW(0, "export", ".mtx", "_b",
                  "write the last matrix as Matrix Market (.mtx), and its right-hand side beside it (FILE_b)"),
    WISP_FILE_ROW('o', "output", NULL, NULL, "write u at the end as high-order elements for ParaView (.vtu)"),
    WISP_FLAG_ROW("reproducible", "only kernels that leave the same bits every time"),
    {.name = NULL}};

/* ---- The request. */

/* One to three numbers; or an expression of u. */
static wisp_status read_kappa(wisp_error *err, const char *text, wisp_heat_kappa *kappa)
{
  OWNED(wisp_expr_destroy) wisp_expr *value = NULL;
  wisp_error why = {.text = ""};
  const char *at = text;
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

/* One item of --fix: the value of u there; false where it is no number. */
static bool read_fix(const wisp_group_item *item, double *value)
{
  char *end = NULL;
  if (item->value) *value = strtod(item->value, &end);
  return item->value && end != item->value && !*end && isfinite(*value);
}

/* "left=200,2=10": the groups are looked up when the mesh is there. */
static wisp_status check_given(wisp_error *err, const wisp_solver *s)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.count = 0};
  const char *fix = wisp_solver_text(s, "fix");
  double value = 0;
  CALL(wisp_require(err, fix || !wisp_solver_given(s, "source"), WISP_EUSAGE,
                    "option --source is for --fix: else f follows from the known solution"));
  bool good = !fix || wisp_group_list_read(NULL, fix, true, &list) == WISP_OK;
  for (size_t i = 0; good && i < list.count; i++) good = read_fix(&list.item[i], &value);
  return wisp_require(
      err, good, WISP_EUSAGE,
      "option --fix is '%s', must be TAG=VALUE,.. by numbers or names of the boundary's physical groups, "
      "such as 1=200 or inlet=200,\"air gap\"=10",
      fix);
}

static wisp_status read_heat(wisp_error *err, wisp_solver *s)
{
  wisp_heat_run *run = (wisp_heat_run *)s;
  const bool tets = wisp_solver_choice(s, "element") == 1;
  s->corners = tets ? 4 : 3;
  s->source.box[0] = tets ? 8 : 16;
  CALL(read_kappa(err, wisp_solver_text(s, "kappa"), &run->kappa));
  CALL(check_given(err, s));
  run->steps = wisp_solver_real(s, "capacity") > 0 ? (int)wisp_solver_integer(s, "steps") : 1;
  run->method = (wisp_heat_method){.precision = s->precision,
                                   .step = wisp_solver_real(s, "time") / run->steps,
                                   .tolerance = wisp_solver_real(s, "tolerance"),
                                   .nonlinear = wisp_solver_real(s, "nonlinear"),
                                   .standstill = wisp_solver_real(s, "standstill"),
                                   .iterations = wisp_solver_integer(s, "iterations"),
                                   .assemblies = (int)wisp_solver_integer(s, "assemblies")};
  return WISP_OK;
}

/* ---- Set-up. */

/* An iteration is the same for all forms, and known as the family's own. */
static wisp_status choose_stage(wisp_error *err, const wisp_solver *s, size_t elements, const char *composition,
                                wisp_stage *out)
{
  const wisp_heat_run *run = (const wisp_heat_run *)s;
  const wisp_chooser from = wisp_session_chooser(s->session);
  const wisp_own_formula own[] = {{run->kappa.text ? "kappa_of_u" : NULL, run->kappa.text}, {NULL, NULL}};
  wisp_fixed preset = {.made = false};
  wisp_choose_request request = wisp_solver_choose_request(s, composition ? NULL : "heat", elements);
  wisp_fixed_ask(&preset, "sliced_ell", wisp_solver_choice(s, "matrix") == 1, 0); /* how values stand in the matrix */
  wisp_spec_name_element(&request.spec, wisp_solver_text(s, "element"));
  request.own = composition ? NULL : own;
  request.reproducible = wisp_solver_given(s, "reproducible");
  request.preset = &preset;
  request.composition = composition;
  return wisp_choose(err, &from, &request, out);
}

static wisp_status choose_heat(wisp_error *err, wisp_solver *s, const size_t count[4])
{
  const wisp_limits *limits = wisp_device_limits(s->session->device);
  const size_t elements = count[s->corners - 1];
  char what[64];
  snprintf(what, sizeof what, "%zu %s", elements, wisp_cells[s->corners].many);
  CALL(wisp_pattern_check(err, what, s->order, count, s->precision, limits));
  CALL(choose_stage(err, s, elements, NULL, &s->stage[WISP_HEAT_ASSEMBLY]));
  CALL(choose_stage(err, s, elements, WISP_HEAT_ITERATION, &s->stage[WISP_HEAT_SOLVE]));
  return wisp_heat_fits(err, limits, s->corners, s->order, count, s->precision, &s->stage[WISP_HEAT_ASSEMBLY],
                        &s->stage[WISP_HEAT_SOLVE]);
}

/* The groups that --fix names, and what u is there. */
static wisp_status find_given(wisp_error *err, wisp_heat_run *run)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.count = 0};
  wisp_solver *s = &run->base;
  size_t capacity[2] = {0};
  if (!wisp_solver_given(s, "fix")) return WISP_OK;
  CALL(wisp_group_list_read(err, wisp_solver_text(s, "fix"), true, &list));
  for (size_t i = 0; i < list.count; i++) {
    OWNED(free) int32_t *found = NULL;
    size_t count = 0;
    const wisp_status status =
        wisp_groups_find(err, &s->mesh->groups, s->corners - 2, &list.item[i].word, &found, &count);
    if (status != WISP_OK) return wisp_context(err, status, "option --fix: ");
    for (size_t k = 0; k < count; k++, run->given_count++) {
      CALL(wisp_grow(err, &run->fixed, &capacity[0], run->given_count + 1, sizeof *run->fixed));
      CALL(wisp_grow(err, &run->values, &capacity[1], run->given_count + 1, sizeof *run->values));
      run->fixed[run->given_count] = found[k];
      (void)read_fix(&list.item[i], &run->values[run->given_count]);
    }
  }
  return WISP_OK;
}

static wisp_status build_heat(wisp_error *err, wisp_solver *s, const wisp_watch *watch)
{
  wisp_heat_run *run = (wisp_heat_run *)s;
  CALL(wisp_mesh_apply_order(err, s->mesh));
  if (s->corners == 4 && !s->source.file && !s->own_mesh) CALL(wisp_mesh_tag_sides(err, s->mesh));
  CALL(find_given(err, run));
  wisp_watch_report(watch, 0.2, "numbering nodes, pattern");
  const wisp_heat_given given = {run->given_count, run->fixed, run->values, wisp_solver_real(s, "source")};
  CALL(wisp_heat_create(err, s->mesh_name, s->mesh, s->order, &run->kappa, wisp_solver_real(s, "capacity"),
                        run->given_count ? &given : NULL, &run->heat));
  if (isnan(run->method.tolerance)) /* linear solves within a nonlinear one are as good as the next matrix deserves */
    run->method.tolerance = !wisp_heat_is_linear(run->heat) ? 1e-3 : s->precision == WISP_F64 ? 1e-12 : 1e-6;
  wisp_watch_report(watch, 0.6, "lists, kernels");
  CALL(wisp_heat_solver_create(err, s->session->device, run->heat, &s->stage[WISP_HEAT_ASSEMBLY],
                               &s->stage[WISP_HEAT_SOLVE], &run->method, &run->solver));
  const wisp_assembly *assembly = run->heat->assembly;
  s->nodes = assembly->nodes->Np;
  s->unknowns = (double)assembly->pattern->rows;
  s->unknown = "unknowns";
  return wisp_new(err, assembly->nodes->nodes, sizeof *run->u, &run->u);
}

/* ---- Steps. */

/* A goal that was not reached is a failure, after the report. */
static wisp_status check_convergence(wisp_error *err, const wisp_heat_run *run)
{
  const wisp_heat_report *report = wisp_heat_solver_report(run->solver);
  if (report->converged) return WISP_OK;
  if (wisp_heat_is_linear(run->heat))
    return wisp_fail(
        err, WISP_EWRONG,
        "no convergence: the last residual is %.3g of the right-hand side, not %g: allow more --iterations, "
        "or a larger --tolerance",
        report->residual, run->method.tolerance);
  return wisp_fail(
      err, WISP_EWRONG,
      "no convergence: the last nonlinear residual is %.3g of the right-hand side, not %g, the last change "
      "of u %.3g: allow more --iterations or --assemblies, a larger --nonlinear, or take more steps",
      report->residual, run->method.nonlinear, report->change);
}

static wisp_status check_residual(wisp_error *err, const wisp_heat_run *run)
{
  const double goal = wisp_heat_is_linear(run->heat) ? run->method.tolerance : run->method.nonlinear;
  return wisp_true_residual_check(err, &run->residual, wisp_heat_solver_report(run->solver)->residual, goal);
}

static wisp_status advance_heat(wisp_error *err, wisp_solver *s, const wisp_until *until, const wisp_watch *watch)
{
  wisp_heat_run *run = (wisp_heat_run *)s;
  const int steps = until && until->steps ? (int)until->steps : run->steps;
  const wisp_heat_report *report = wisp_heat_solver_report(run->solver);
  const char *path = wisp_solver_text(s, "export");
  const double begin = wisp_seconds();
  CALL(wisp_require(err, !until || (until->time == 0 && until->dt == 0 && until->tolerance == 0), WISP_EUSAGE,
                    "heat: its step and tolerances are settings: tell how many steps, or nothing"));
  for (int step = 0; step < steps; step++) {
    char text[64];
    snprintf(text, sizeof text, "step %d of %d", step + 1, steps);
    wisp_watch_report(watch, (double)step / steps, text);
    CALL(wisp_heat_step(err, run->solver));
  }
  run->seconds = wisp_seconds() - begin;
  CALL(wisp_heat_solver_field(err, run->solver, run->u));
  CALL(wisp_solver_note_zero(err, s, report->iterations, report->residual));
  if (path && report->converged) CALL(wisp_heat_export(err, run->solver, path));
  CALL(wisp_heat_residual(err, run->solver, &run->residual));
  s->reports = true;
  CALL(check_residual(err, run));
  return check_convergence(err, run);
}

static wisp_status rehearse_heat(wisp_error *err, wisp_solver *s, const wisp_launch_watch *watch)
{
  const wisp_heat_run *run = (wisp_heat_run *)s;
  CALL(wisp_require(err, run->solver, WISP_EMISSING, "the solver is not set up"));
  return wisp_heat_rehearse(err, run->solver, watch);
}

static wisp_status make_fields(wisp_error *err, wisp_solver *s, wisp_fields *out)
{
  const wisp_heat_run *run = (wisp_heat_run *)s;
  return wisp_heat_fields(err, run->heat, run->u, out);
}

/* ---- The report. */

typedef struct range {
  double low, high, mean;
} range;

static range describe_field(const wisp_heat_run *run)
{
  const size_t nodes = run->heat->assembly->nodes->nodes;
  range r = {INFINITY, -INFINITY, 0};
  for (size_t i = 0; i < nodes; i++) {
    r.low = fmin(r.low, run->u[i]), r.high = fmax(r.high, run->u[i]);
    r.mean += run->u[i] / (double)nodes;
  }
  return r;
}

static wisp_status report_lines(wisp_error *err, const wisp_heat_run *run, const range *u, double error,
                                wisp_solver_report *to)
{
  static const char *const parts[] = {"assembly", "iteration"};
  const wisp_solver *s = &run->base;
  const wisp_heat_report *report = wisp_heat_solver_report(run->solver);
  const double *k = run->kappa.number;
  char kappa[128];
  snprintf(kappa, sizeof kappa, "%g + %g u + %g u^2", k[0], k[1], k[2]);
  CALL(wisp_report_line(err, to, "matrix", "%zu nonzeros%s", run->heat->assembly->pattern->nonzeros,
                        wisp_solver_choice(s, "matrix") == 1 ? ", in slices of 32 rows" : ""));
  CALL(wisp_report_line(err, to, "problem", "c u_t = div(kappa(u) grad u) + f, c = %g, kappa = %s",
                        wisp_solver_real(s, "capacity"), run->kappa.text ? run->kappa.text : kappa));
  for (int part = 0; part < 2; part++) {
    CALL(wisp_report_line(err, to, parts[part], "%s", s->stage[part].composition));
    CALL(wisp_report_kernels(err, to, part));
  }
  CALL(wisp_solver_real(s, "capacity") > 0
           ? wisp_report_line(err, to, "steps", "%d of backward Euler to t = %g", report->steps, report->t)
           : wisp_report_line(err, to, "steps", "steady"));
  CALL(wisp_report_line(err, to, "solves",
                        "%d assemblies, %lld iterations of conjugate gradients with Jacobi's preconditioner, last "
                        "residual %.3e, true residual %.3e",
                        report->assemblies, report->iterations, report->residual, run->residual.value));
  CALL(wisp_report_line(err, to, "u", "%.9g to %.9g, %.9g on average of the nodes", u->low, u->high, u->mean));
  if (!run->given_count) CALL(wisp_report_line(err, to, "L2 error", "%.6e", error));
  return wisp_report_line(err, to, "seconds", "%.3g assemblies, %.3g starts of solves, %.3g iterations, %.3g all steps",
                          report->seconds_assembling, report->seconds_aiming, report->seconds_iterating, run->seconds);
}

static wisp_status report_heat(wisp_error *err, wisp_solver *s, wisp_solver_report *to)
{
  const wisp_heat_run *run = (wisp_heat_run *)s;
  const wisp_heat_report *report = wisp_heat_solver_report(run->solver);
  const range u = describe_field(run);
  double error = NAN;
  if (!run->given_count) CALL(wisp_heat_error(err, run->heat, report->t, run->u, &error));
  const wisp_report_number numbers[] = {
      {"unknowns", "", s->unknowns},
      {"nonzeros", "", (double)run->heat->assembly->pattern->nonzeros},
      {"capacity", "", wisp_solver_real(s, "capacity")},
      {"steps", "", report->steps},
      {"time", "", report->t},
      {"assemblies", "", report->assemblies},
      {"iterations", "", (double)report->iterations},
      {"residual", "", report->residual},
      {"true_residual", "", run->residual.value},
      {"change", "", report->change},
      {"l2_error", "", error},
      {"u_lowest", "", u.low},
      {"u_highest", "", u.high},
      {"u_mean", "", u.mean},
      {"seconds_assemblies", "s", report->seconds_assembling},
      {"seconds_starts", "s", report->seconds_aiming},
      {"seconds_iterations", "s", report->seconds_iterating},
      {"seconds", "s", run->seconds},
  };
  CALL(wisp_report_text(err, to, "matrix", wisp_solver_text(s, "matrix")));
  CALL(wisp_report_text(err, to, "element", wisp_solver_text(s, "element")));
  CALL(wisp_report_truth(err, to, "converged", report->converged));
  CALL(wisp_report_numbers(err, to, WISP_COUNT(numbers), numbers));
  CALL(wisp_report_text(err, to, "assembly", s->stage[WISP_HEAT_ASSEMBLY].composition));
  return report_lines(err, run, &u, error, to);
}

static void release_heat(wisp_solver *s)
{
  wisp_heat_run *run = (wisp_heat_run *)s;
  wisp_heat_solver_destroy(run->solver);
  wisp_heat_destroy(run->heat);
  free(run->u), free(run->fixed), free(run->values);
}

const wisp_solver_kind wisp_heat_kind = {
    .problem = "heat",
    .family = "assembly",
    .bytes = sizeof(wisp_heat_run),
    .option = options,
    .read = read_heat,
    .choose = choose_heat,
    .build = build_heat,
    .advance = advance_heat,
    .rehearse = rehearse_heat,
    .report = report_heat,
    .fields = make_fields,
    .release = release_heat,
};
