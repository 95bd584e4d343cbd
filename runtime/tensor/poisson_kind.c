/* The Poisson problem as a solver: continuous elements on hexes, conjugate gradients. */
#include "multigrid.h"

static const wisp_solver_option options[] = {
    WISP_CHOICE_ROW("problem", "BP", "bp1 bp3 bp5", "bp5", NULL,
                    "bp1: mass; bp3: stiffness at Gauss points; bp5: stiffness at the nodes"),
    WISP_REAL_ROW("lambda", "L", 0, 1e100, "1", NULL, "the screening in -laplace(u) + L u = f"),
    WISP_CHOICE_ROW("geometry", "HOW", "auto stored trilinear", "auto", NULL,
                    "factors stored, made of the vertices (trilinear), or auto: the faster winner"),
    WISP_CHOICE_ROW("preconditioner", "KIND", "none jacobi chebyshev multigrid", "jacobi", NULL,
                    "none, jacobi, chebyshev, or multigrid over orders"),
    WISP_INTEGER_ROW("degree", "K", 1, 16, NULL, "3; multigrid: 5", "degree of the Chebyshev polynomials"),
    WISP_REAL_ROW("tolerance", "T", 0, 1, "1e-10; f32: 1e-5", NULL,
                  "residual to reach, over the right-hand side; 0: all iterations"),
    WISP_INTEGER_ROW("iterations", "K", 0, 1e9, "1000", NULL, "how many at most"),
    WISP_FILE_ROW('o', "output", NULL, NULL, "write u as high-order hexes for ParaView (.vtu)"),
    {.name = NULL}};

/* Ways to the geometry, as the option has them. */
enum { GEOMETRY_AUTO, GEOMETRY_STORED, GEOMETRY_TRILINEAR };

/* Multigrid's cost hardly depends on it, but where it is high, fewer cycles wait for small orders, and stretched cells
 * take fewer iterations. */
static int find_degree(const wisp_solver *s, wisp_preconditioner preconditioner)
{
  if (wisp_solver_given(s, "degree")) return (int)wisp_solver_integer(s, "degree");
  return preconditioner == WISP_MULTIGRID ? 5 : 3;
}

static wisp_status read_poisson(wisp_error *err, wisp_solver *s)
{
  wisp_poisson_run *run = (wisp_poisson_run *)s;
  const wisp_preconditioner preconditioner = (wisp_preconditioner)wisp_solver_choice(s, "preconditioner");
  s->corners = 8;
  s->source.box[0] = 8;
  run->op = (wisp_hex_operator)wisp_solver_choice(s, "problem");
  run->method = (wisp_poisson_method){
      .precision = s->precision, .preconditioner = preconditioner, .degree = find_degree(s, preconditioner)};
  CALL(wisp_fields_check_order(err, wisp_solver_given(s, "output"), s->order));
  CALL(wisp_require(err, preconditioner != WISP_MULTIGRID || run->op != WISP_HEX_MASS, WISP_EUSAGE,
                    "multigrid solves bp3 and bp5: take --preconditioner jacobi for the mass matrix of bp1"));
  return wisp_require(err, preconditioner >= WISP_CHEBYSHEV || !wisp_solver_given(s, "degree"), WISP_EUSAGE,
                      "--degree belongs to --preconditioner chebyshev and multigrid");
}

/* ---- Kernels. */

/* The kernel of a stage that is the operator; every composition of the family has one. */
static const wisp_choice *operator_of(const wisp_stage *stage)
{
  wisp_hex_operator op;
  int i = 0;
  while (!wisp_hex_operator_find(stage->choice[i].kernel, &op)) i++;
  return &stage->choice[i];
}

/* Chooses the kernels, with the geometry as it is asked for. */
static wisp_status choose_with(wisp_error *err, const wisp_solver *s, size_t elements, int geometry, bool exact,
                               wisp_stage *out)
{
  static const char *const operators[] = {"mass", "stiffness", "collocated"};
  static const char *const suffixes[] = {[GEOMETRY_STORED] = "", [GEOMETRY_TRILINEAR] = "_trilinear"};
  const wisp_poisson_run *run = (const wisp_poisson_run *)s;
  const wisp_chooser from = wisp_session_chooser(s->session);
  char text[2 * WISP_POISSON_COMPOSITION] = "";
  for (int variant = GEOMETRY_STORED; variant <= GEOMETRY_TRILINEAR; variant++) {
    char kernel[WISP_NAME_TEXT], composition[WISP_POISSON_COMPOSITION];
    if (geometry != GEOMETRY_AUTO && variant != geometry) continue;
    snprintf(kernel, sizeof kernel, "%s%s", operators[run->op], suffixes[variant]);
    wisp_poisson_composition(kernel, run->method.preconditioner, composition);
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s%s", length ? "|" : "", composition);
  }
  wisp_choose_request request = wisp_solver_choose_request(s, "poisson", elements);
  request.composition = text, request.exact_match_only = exact;
  return wisp_choose(err, &from, &request, out);
}

/* The operator that wins, with its geometry stored or made. Where one alone has been measured, that one; where none,
 * the default of this kind of device. */
static wisp_status resolve_geometry(wisp_error *err, const wisp_solver *s, size_t elements, int *out)
{
  HELD(wisp_stage_free)
  wisp_stage with_factors = {.kernels = 0}, with_vertices = {.kernels = 0}, standard = {.kernels = 0};
  CALL(choose_with(err, s, elements, GEOMETRY_STORED, false, &with_factors));
  CALL(choose_with(err, s, elements, GEOMETRY_TRILINEAR, false, &with_vertices));
  CALL(choose_with(err, s, elements, GEOMETRY_AUTO, false, &standard));
  const double stored = operator_of(&with_factors)->ms, made = operator_of(&with_vertices)->ms;
  const bool measured = !isnan(stored) || !isnan(made);
  const bool trilinear = measured ? isnan(stored) || made <= stored : wisp_stage_has(&standard, "vertices");
  *out = trilinear ? GEOMETRY_TRILINEAR : GEOMETRY_STORED;
  return WISP_OK;
}

/* The kernels of multigrid: of each order in single precision, then of aggregation. */
static wisp_status choose_multigrid(wisp_error *err, wisp_solver *s, size_t elements)
{
  const wisp_chooser from = wisp_session_chooser(s->session);
  int orders[WISP_MULTIGRID_ORDERS];
  const int count = wisp_multigrid_orders(s->order, orders);
  wisp_choose_request request = wisp_solver_choose_request(s, "poisson", elements);
  request.spec.precision = WISP_F32;
  for (int i = 0; i < count; i++) {
    char stored[WISP_MULTIGRID_COMPOSITION], made[WISP_MULTIGRID_COMPOSITION], text[2 * WISP_MULTIGRID_COMPOSITION];
    const bool interpolated = i == 0 && ((wisp_poisson_run *)s)->op == WISP_HEX_STIFFNESS;
    wisp_multigrid_composition(interpolated ? "stiffness" : "collocated", orders[i], i == 0, stored);
    wisp_multigrid_composition(interpolated ? "stiffness_trilinear" : "collocated_trilinear", orders[i], i == 0, made);
    snprintf(text, sizeof text, "%s|%s", stored, made);
    request.spec.order = orders[i], request.composition = text;
    CALL(wisp_choose(err, &from, &request, &s->stage[1 + i]));
  }
  request = wisp_aggregation_request(WISP_F32);
  request.exact_match_only = s->exact;
  return wisp_choose(err, &from, &request, &s->stage[1 + count]);
}

static wisp_status choose_poisson(wisp_error *err, wisp_solver *s, const size_t count[4])
{
  const wisp_poisson_run *run = (wisp_poisson_run *)s;
  const wisp_limits *limits = wisp_device_limits(s->session->device);
  const size_t elements = count[3];
  int geometry = wisp_solver_choice(s, "geometry");
  CALL(wisp_solver_check_count(err, s, (double)elements, (double)elements * pow(s->order + 1, 3), "nodes"));
  if (geometry == GEOMETRY_AUTO) CALL(resolve_geometry(err, s, elements, &geometry));
  CALL(choose_with(err, s, elements, geometry, s->exact, s->stage));
  if (run->method.preconditioner == WISP_MULTIGRID) CALL(choose_multigrid(err, s, elements));
  return wisp_poisson_fits(err, limits, elements, s->mesh || s->source.file ? NULL : s->source.box, s->order, run->op,
                           s->precision, s->stage);
}

/* ---- The solve. */

static wisp_status build_poisson(wisp_error *err, wisp_solver *s, const wisp_watch *watch)
{
  wisp_poisson_run *run = (wisp_poisson_run *)s;
  wisp_watch_report(watch, 0.15, "numbering nodes, right-hand side");
  CALL(
      wisp_poisson_create(err, s->mesh_name, s->mesh, s->order, run->op, wisp_solver_real(s, "lambda"), &run->problem));
  wisp_watch_report(watch, 0.65, "geometry and diagonal");
  if (run->method.preconditioner == WISP_MULTIGRID) {
    CALL(wisp_multigrid_create(err, s->session->device, run->problem, s->stage + 1, run->method.degree,
                               &run->multigrid));
    run->method.cycle = wisp_multigrid_cycle(run->multigrid);
  }
  CALL(wisp_poisson_solver_create(err, s->session->device, run->problem, s->stage, &run->method, &run->solver));
  s->nodes = run->problem->hex->Np;
  s->unknowns = (double)run->problem->copies->unknowns;
  s->unknown = "unknowns";
  return wisp_new(err, run->problem->copies->unknowns, sizeof *run->x, &run->x);
}

static wisp_status advance_poisson(wisp_error *err, wisp_solver *s, const wisp_until *until, const wisp_watch *watch)
{
  wisp_poisson_run *run = (wisp_poisson_run *)s;
  const long long most = until && until->steps ? until->steps : wisp_solver_integer(s, "iterations");
  wisp_iteration_watch progress = {watch, most};
  const wisp_cg_watch iterations = wisp_watch_iterations(&progress);
  wisp_cg_report *report = &run->report;
  char text[64];
  snprintf(text, sizeof text, "at most %lld iterations", most);
  wisp_watch_report(watch, NAN, text);
  run->tolerance = until && until->tolerance > 0 ? until->tolerance : wisp_solver_real(s, "tolerance");
  CALL(wisp_cg_solve(err, run->solver->cg, run->problem->b, run->tolerance, most, watch ? &iterations : NULL, report));
  CALL(wisp_solver_note_zero(err, s, report->iterations, report->residual));
  CALL(wisp_cg_solution(err, run->solver->cg, run->x));
  CALL(wisp_poisson_residual(err, run->problem, s->precision, wisp_stage_has(s->stage, "vertices"), run->x,
                             &run->residual));
  s->reports = true;
  CALL(wisp_true_residual_check(err, &run->residual, report->residual, run->tolerance));
  return wisp_require(err, report->converged || run->tolerance == 0, WISP_EWRONG,
                      "no convergence: the residual is %.3g after %lld iterations, not %g: allow more --iterations, or "
                      "a larger --tolerance",
                      report->residual, report->iterations, run->tolerance);
}

static wisp_status rehearse_poisson(wisp_error *err, wisp_solver *s, const wisp_launch_watch *watch)
{
  const wisp_poisson_run *run = (wisp_poisson_run *)s;
  const wisp_poisson_solver *solver = run->solver;
  CALL(wisp_require(err, solver, WISP_EMISSING, "the solver is not set up"));
  solver->vectors->watch = watch;
  if (run->multigrid) wisp_multigrid_watch(run->multigrid, watch);
  const wisp_status status = wisp_cg_rehearse(err, solver->cg, WISP_REHEARSED_ITERATIONS);
  solver->vectors->watch = NULL;
  if (run->multigrid) wisp_multigrid_watch(run->multigrid, NULL);
  return status;
}

static wisp_status make_fields(wisp_error *err, wisp_solver *s, wisp_fields *out)
{
  const wisp_poisson_run *run = (wisp_poisson_run *)s;
  return wisp_poisson_fields(err, run->problem, run->x, out);
}

/* ---- The report. */

/* " of orders 4, 2, 1 in f32, degree 3, then aggregates on 2 levels" */
static void describe_multigrid(const wisp_poisson_run *run, char *text, size_t capacity)
{
  const wisp_multigrid_info info = wisp_multigrid_describe(run->multigrid);
  size_t at = 0;
  for (int i = 0; i < info.orders; i++)
    at += (size_t)snprintf(text + at, capacity - at, "%s%d", i ? ", " : " of orders ", info.order[i]);
  at += (size_t)snprintf(text + at, capacity - at, " in f32, degree %d", run->method.degree);
  if (info.aggregations)
    snprintf(text + at, capacity - at, ", then aggregates on %zu level%s", info.aggregations,
             info.aggregations == 1 ? "" : "s");
}

static wisp_status report_lines(wisp_error *err, const wisp_solver *s, wisp_solver_report *to)
{
  static const char *const equations[3] = {
      "u = f, mass at Gauss points",
      "-laplace(u) + lambda u = f, stiffness at Gauss points",
      "-laplace(u) + lambda u = f, stiffness at the nodes",
  };
  const wisp_poisson_run *run = (const wisp_poisson_run *)s;
  const wisp_cg_report *report = &run->report;
  const char *why = ""; /* an automatic choice is a guess where nothing was measured */
  char lambda[64] = "", polynomial[160] = "", goal[64] = "";
  if (wisp_solver_choice(s, "geometry") == GEOMETRY_AUTO)
    why = operator_of(s->stage)->match == WISP_MATCH_DEFAULT ? " (auto: nothing measured, the default here)"
                                                             : " (auto: the faster winner)";
  if (run->op != WISP_HEX_MASS) snprintf(lambda, sizeof lambda, ", lambda %g", wisp_solver_real(s, "lambda"));
  if (run->method.preconditioner == WISP_CHEBYSHEV)
    snprintf(polynomial, sizeof polynomial, " of degree %d, eigenvalues below %.3g", run->method.degree,
             run->solver->bound);
  if (run->method.preconditioner == WISP_MULTIGRID) describe_multigrid(run, polynomial, sizeof polynomial);
  if (run->tolerance > 0)
    snprintf(goal, sizeof goal, " (%s %g)", report->converged ? "reached" : "not reached:", run->tolerance);
  CALL(wisp_report_line(err, to, "problem", "%s: %s%s", wisp_solver_text(s, "problem"), equations[run->op], lambda));
  CALL(wisp_report_line(err, to, "geometry", "%s%s",
                        wisp_stage_has(s->stage, "vertices") ? "made of the vertices" : "stored factors", why));
  CALL(wisp_report_line(err, to, "iteration", "%s", s->stage->composition));
  CALL(wisp_report_kernels(err, to, 0));
  CALL(wisp_report_line(err, to, "solver", "conjugate gradients, preconditioner %s%s",
                        wisp_solver_text(s, "preconditioner"), polynomial));
  return wisp_report_line(err, to, "iterations", "%lld, residual %.3e%s, true residual %.3e", report->iterations,
                          report->residual, goal, run->residual.value);
}

static wisp_status report_poisson(wisp_error *err, wisp_solver *s, wisp_solver_report *to)
{
  const wisp_poisson_run *run = (wisp_poisson_run *)s;
  const wisp_cg_report *report = &run->report;
  const bool ran = report->iterations;
  const double ms = ran ? report->ms_per_iteration : NAN, gdofs = s->unknowns / ms / 1e6,
               seconds = report->ms_per_iteration * (double)report->iterations / 1e3;
  double error = NAN;
  CALL(wisp_poisson_error(err, run->problem, run->x, &error));
  const wisp_report_number numbers[] = {
      {"dofs", "", s->unknowns},
      {"lambda", "", wisp_solver_real(s, "lambda")},
      {"degree", "", run->method.preconditioner >= WISP_CHEBYSHEV ? (double)run->method.degree : NAN},
      {"eigenvalue_bound", "", run->solver->bound},
      {"iterations", "", (double)report->iterations},
      {"tolerance", "", run->tolerance},
      {"residual", "", report->residual},
      {"true_residual", "", run->residual.value},
      {"l2_error", "", error},
      {"ms_per_iteration", "ms", ms},
      {"gdofs", "GDOF/s", gdofs},
      {"seconds", "s", seconds},
  };
  CALL(wisp_report_text(err, to, "problem", wisp_solver_text(s, "problem")));
  CALL(wisp_report_text(err, to, "geometry", wisp_stage_has(s->stage, "vertices") ? "trilinear" : "stored"));
  CALL(wisp_report_text(err, to, "preconditioner", wisp_solver_text(s, "preconditioner")));
  CALL(wisp_report_truth(err, to, "converged", report->converged));
  CALL(wisp_report_numbers(err, to, WISP_COUNT(numbers), numbers));
  CALL(wisp_report_text(err, to, "composition", s->stage->composition));
  CALL(report_lines(err, s, to));
  CALL(wisp_report_line(err, to, "L2 error", "%.6e", error));
  if (!ran) return WISP_OK;
  return wisp_report_line(err, to, "speed", "%.4g ms an iteration, %.4g GDOF/s, %.3g s in all", ms, gdofs, seconds);
}

static void release_poisson(wisp_solver *s)
{
  wisp_poisson_run *run = (wisp_poisson_run *)s;
  free(run->x);
  wisp_poisson_solver_destroy(run->solver);
  wisp_multigrid_destroy(run->multigrid);
  wisp_poisson_destroy(run->problem);
}

const wisp_solver_kind wisp_poisson_kind = {
    .problem = "poisson",
    .family = "tensor",
    .bytes = sizeof(wisp_poisson_run),
    .option = options,
    .read = read_poisson,
    .choose = choose_poisson,
    .build = build_poisson,
    .advance = advance_poisson,
    .rehearse = rehearse_poisson,
    .report = report_poisson,
    .fields = make_fields,
    .release = release_poisson,
};
