/* wisp run poisson: continuous elements on hexes, conjugate gradients. */
#include "print.h"
#include "run.h"
#include "../runtime/tensor/poisson_solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked for, what it is made of, what came out. */
typedef enum geometry_way { GEOMETRY_AUTO, GEOMETRY_STORED, GEOMETRY_TRILINEAR } geometry_way;

typedef struct poisson_request {
  wisp_run_request run;
  wisp_hex_operator op;
  geometry_way geometry;
  double lambda, tolerance;
  long long iterations; /* at most */
  wisp_poisson_method method;
} poisson_request;

typedef struct poisson_run {
  wisp_session *session;
  wisp_hexmesh *mesh;
  wisp_poisson *problem;
  wisp_stage stage;
  wisp_poisson_solver *solver;
  /* results */
  wisp_cg_report report;
  double unknowns, l2_error, gdofs;
} poisson_run;

/* By operator, and by preconditioner. */
static const char *const problems[3] = {"bp1", "bp3", "bp5"};
static const char *const operators[3] = {"mass", "stiffness", "collocated"};
static const char *const preconditioners[3] = {"none", "jacobi", "chebyshev"};

/* The kernel of a stage that is the operator; every composition of the family has one. */
static const wisp_choice *operator_of(const wisp_stage *stage)
{
  wisp_hex_operator op;
  int i = 0;
  while (!wisp_hex_operator_find(stage->choice[i].kernel, &op)) i++;
  return &stage->choice[i];
}

/* --- the report --- */

static const char *const equations[3] = {
    "u = f, mass at Gauss points",
    "-laplace(u) + lambda u = f, stiffness at Gauss points",
    "-laplace(u) + lambda u = f, stiffness at the nodes",
};

static bool is_trilinear(const poisson_run *run)
{
  return wisp_stage_has(&run->stage, "vertices");
}

/* Which operator an automatic choice came to, and why it is a guess where nothing was measured. */
static void print_geometry(const poisson_request *r, const poisson_run *run)
{
  const char *way = is_trilinear(run) ? "made of the vertices" : "stored factors";
  const char *why = "";
  if (r->geometry == GEOMETRY_AUTO)
    why = operator_of(&run->stage)->match == WISP_MATCH_DEFAULT ? " (auto: nothing measured, the default here)"
                                                                : " (auto: the faster winner)";
  printf("geometry    %s%s\n", way, why);
}

static void print_text(const poisson_request *r, const poisson_run *run)
{
  const wisp_cg_report *report = &run->report;
  wisp_run_print_domain(&r->run, run->session, run->mesh->elements, "hexes", run->problem->hex->Np, run->unknowns,
                        "unknowns");
  printf("problem     %s: %s", problems[r->op], equations[r->op]);
  if (r->op != WISP_HEX_MASS) printf(", lambda %g", r->lambda);
  printf("\n");
  print_geometry(r, run);
  printf("iteration   %s\n", run->stage.composition);
  wisp_run_print_kernels(&run->stage, r->run.defaults);
  wisp_run_print_tuning(&r->run, 1, (const wisp_stage *const[]){&run->stage});
  printf("solver      conjugate gradients, preconditioner %s", preconditioners[r->method.preconditioner]);
  if (r->method.preconditioner == WISP_CHEBYSHEV)
    printf(" of degree %d, eigenvalues below %.3g", r->method.degree, run->solver->bound);
  printf("\niterations  %lld, residual %.3e", report->iterations, report->residual);
  if (r->tolerance > 0) printf(" (%s %g)", report->converged ? "reached" : "not reached:", r->tolerance);
  printf("\nL2 error    %.6e\n", run->l2_error);
  if (report->iterations)
    printf("speed       %.4g ms an iteration, %.4g GDOF/s, %.3g s in all\n", report->ms_per_iteration, run->gdofs,
           report->ms_per_iteration * (double)report->iterations / 1e3);
}

static cJSON *make_json(const poisson_request *r, const poisson_run *run)
{
  cJSON *object = cJSON_CreateObject();
  const wisp_cg_report *report = &run->report;
  const wisp_json_number numbers[] = {
      {"elements", (double)run->mesh->elements},
      {"order", r->run.order},
      {"dofs", run->unknowns},
      {"lambda", r->lambda},
      {"degree", r->method.preconditioner == WISP_CHEBYSHEV ? (double)r->method.degree : NAN},
      {"eigenvalue_bound", run->solver->bound},
      {"iterations", (double)report->iterations},
      {"tolerance", r->tolerance},
      {"residual", report->residual},
      {"l2_error", run->l2_error},
      {"ms_per_iteration", report->iterations ? report->ms_per_iteration : NAN},
      {"gdofs", run->gdofs},
      {"seconds", report->ms_per_iteration * (double)report->iterations / 1e3},
  };
  cJSON_AddStringToObject(object, "system", "poisson");
  cJSON_AddStringToObject(object, "problem", problems[r->op]);
  cJSON_AddStringToObject(object, "geometry", is_trilinear(run) ? "trilinear" : "stored");
  cJSON_AddStringToObject(object, "preconditioner", preconditioners[r->method.preconditioner]);
  cJSON_AddStringToObject(object, "precision", wisp_precision_name(r->run.precision));
  cJSON_AddStringToObject(object, "device", wisp_device_limits(run->session->device)->name);
  cJSON_AddBoolToObject(object, "converged", report->converged);
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  cJSON_AddStringToObject(object, "composition", run->stage.composition);
  wisp_run_add_kernels(object, &run->stage);
  wisp_json_add_notes(object, &run->mesh->notes);
  return object;
}

/* As a table or a JSON object. */
static wisp_status print_report(wisp_error *err, const poisson_request *request, const poisson_run *run)
{
  if (request->run.json) return wisp_json_put(err, make_json(request, run));
  print_text(request, run);
  return WISP_OK;
}

/* --- the request --- */

static wisp_status read_solver(wisp_error *err, const wisp_arguments *args, poisson_request *r)
{
  static const char *const geometries[] = {"auto", "stored", "trilinear"};
  size_t op = 0, geometry = 0, preconditioner = 0;
  long long degree = 0;
  r->method.precision = r->run.precision;
  CALL(wisp_option_choice(err, args, "problem", 3, problems, WISP_HEX_COLLOCATED, &op));
  CALL(wisp_option_choice(err, args, "geometry", 3, geometries, 0, &geometry));
  CALL(wisp_option_choice(err, args, "preconditioner", 3, preconditioners, WISP_JACOBI, &preconditioner));
  CALL(wisp_require(err, preconditioner == WISP_CHEBYSHEV || !wisp_option_given(args, "degree"), WISP_EUSAGE,
                    "--degree belongs to --preconditioner chebyshev"));
  CALL(wisp_option_integer(err, args, "degree", 1, 16, 3, &degree));
  CALL(wisp_option_real(err, args, "lambda", 0, 1e100, 1, &r->lambda));
  CALL(wisp_option_real(err, args, "tolerance", 0, 1, r->method.precision == WISP_F64 ? 1e-10 : 1e-5, &r->tolerance));
  CALL(wisp_option_integer(err, args, "iterations", 0, 1000000000, 1000, &r->iterations));
  r->op = (wisp_hex_operator)op;
  r->geometry = (geometry_way)geometry;
  r->method.preconditioner = (wisp_preconditioner)preconditioner;
  r->method.degree = (int)degree;
  return WISP_OK;
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, poisson_request *r)
{
  CALL(wisp_run_check_problem(err, args, "poisson"));
  CALL(wisp_run_read(err, args, wisp_family_find("tensor"), &r->run));
  CALL(wisp_run_read_grid(err, args, 3, &r->run));
  return read_solver(err, args, r);
}

/* --- the run --- */

static void release(poisson_run *run)
{
  wisp_poisson_solver_destroy(run->solver);
  wisp_stage_free(&run->stage);
  wisp_poisson_destroy(run->problem);
  wisp_mesh_destroy(run->mesh);
  wisp_session_close(run->session);
}

/* Chooses the kernels, with the geometry as it is asked for. */
static wisp_status choose(wisp_error *err, const poisson_request *r, const poisson_run *run, size_t elements,
                          geometry_way geometry, bool exact, wisp_stage *out)
{
  static const char *const suffixes[] = {[GEOMETRY_STORED] = "", [GEOMETRY_TRILINEAR] = "_trilinear"};
  char text[2 * WISP_POISSON_COMPOSITION] = "";
  for (int way = GEOMETRY_STORED; way <= GEOMETRY_TRILINEAR; way++) {
    char kernel[WISP_NAME_TEXT], composition[WISP_POISSON_COMPOSITION];
    if (geometry != GEOMETRY_AUTO && way != (int)geometry) continue;
    snprintf(kernel, sizeof kernel, "%s%s", operators[r->op], suffixes[way]);
    wisp_poisson_composition(kernel, r->method.preconditioner, composition);
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s%s", length ? "|" : "", composition);
  }
  const wisp_chooser from = wisp_session_chooser(run->session);
  const wisp_wish wish = {
      .spec = wisp_family_spec(wisp_family_find("tensor"), r->run.order, "poisson", r->method.precision),
      .elements = (long long)elements,
      .exact_match_only = exact,
      .composition = text};
  return wisp_choose(err, &from, &wish, out);
}

/* The operator that wins, with its geometry stored or made. Where one alone has been measured, that one; where none,
 * the default of this kind of device. */
static wisp_status resolve_geometry(wisp_error *err, const poisson_request *r, const poisson_run *run, size_t elements,
                                    geometry_way *out)
{
  HELD(wisp_stage_free)
  wisp_stage with_factors = {.kernels = 0}, with_vertices = {.kernels = 0}, standard = {.kernels = 0};
  CALL(choose(err, r, run, elements, GEOMETRY_STORED, false, &with_factors));
  CALL(choose(err, r, run, elements, GEOMETRY_TRILINEAR, false, &with_vertices));
  CALL(choose(err, r, run, elements, GEOMETRY_AUTO, false, &standard));
  const double stored = operator_of(&with_factors)->ms, made = operator_of(&with_vertices)->ms;
  const bool measured = !isnan(stored) || !isnan(made);
  const bool trilinear = measured ? isnan(stored) || made <= stored : wisp_stage_has(&standard, "vertices");
  *out = trilinear ? GEOMETRY_TRILINEAR : GEOMETRY_STORED;
  return WISP_OK;
}

/* The kernels for so many elements, and whether these can be counted and have room on the device. */
static wisp_status choose_kernels(wisp_error *err, const poisson_request *r, poisson_run *run, size_t elements)
{
  const wisp_limits *limits = wisp_device_limits(run->session->device);
  const double nodes = (double)elements * pow(r->run.order + 1, 3);
  geometry_way geometry = r->geometry;
  CALL(wisp_run_check_count(err, (double)elements, "hexes", r->run.order, nodes, "nodes"));
  if (geometry == GEOMETRY_AUTO) CALL(resolve_geometry(err, r, run, elements, &geometry));
  CALL(choose(err, r, run, elements, geometry, r->run.exact, &run->stage));
  return wisp_poisson_fits(err, limits, elements, r->run.mesh.file ? NULL : r->run.mesh.box, r->run.order, r->op,
                           r->method.precision, &run->stage);
}

/* The elements of a box are known before it is made. */
static wisp_status make_mesh(wisp_error *err, const poisson_request *r, poisson_run *run)
{
  size_t count[4];
  const bool known = wisp_mesh_source_count(&r->run.mesh, 8, count);
  if (known) CALL(choose_kernels(err, r, run, count[3]));
  CALL(wisp_mesh_make(err, 8, &r->run.mesh, &run->mesh));
  return known ? WISP_OK : choose_kernels(err, r, run, run->mesh->elements);
}

/* A part of the run begins; before: the share of set-up's time that has passed, as measured, NaN for what has no such
 * share. */
static void show(wisp_progress *progress, double before, const char *part)
{
  if (progress->terminal) progress->last = 0; /* every part, however soon after another */
  wisp_progress_show(progress, before, part);
}

static wisp_status set_up(wisp_error *err, const wisp_arguments *args, const poisson_request *r, poisson_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  show(&progress, 0, "opening store and device");
  CALL(wisp_cli_open_device(err, args, r->run.device, r->run.db, r->run.defaults, &run->session));
  show(&progress, 0.1, "making the mesh");
  CALL(make_mesh(err, r, run));
  show(&progress, 0.15, "numbering nodes, right-hand side");
  CALL(wisp_poisson_create(err, r->run.mesh.file ? r->run.mesh.file : "box", run->mesh, r->run.order, r->op, r->lambda,
                           &run->problem));
  show(&progress, 0.65, "geometry and diagonal");
  return wisp_poisson_solver_create(err, run->session->device, run->problem, &run->stage, &r->method, &run->solver);
}

/* How far the solve is, where it is shown. */
typedef struct watching {
  wisp_progress *progress;
  long long most;
} watching;

static void tell(void *context, long long iterations, double share)
{
  const watching *w = context;
  char text[64];
  snprintf(text, sizeof text, "iteration %lld of at most %lld", iterations, w->most);
  wisp_progress_show(w->progress, share, text);
}

static wisp_status solve(wisp_error *err, const wisp_arguments *args, const poisson_request *r, poisson_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const wisp_cg_watch watch = {tell, &(watching){&progress, r->iterations}};
  const size_t unknowns = run->problem->copies->unknowns;
  OWNED(free) double *solution = NULL;
  char text[64];
  CALL(wisp_new(err, unknowns, sizeof *solution, &solution));
  snprintf(text, sizeof text, "at most %lld iterations", r->iterations);
  show(&progress, NAN, text);
  CALL(wisp_cg_solve(err, run->solver->cg, run->problem->b, r->tolerance, r->iterations, progress.quiet ? NULL : &watch,
                     &run->report));
  CALL(wisp_run_note_zero(err, &run->report, &run->mesh->notes));
  CALL(wisp_cg_solution(err, run->solver->cg, solution));
  show(&progress, NAN, "the solution's error");
  CALL(wisp_poisson_error(err, run->problem, solution, &run->l2_error));
  run->unknowns = (double)unknowns;
  run->gdofs = run->report.iterations ? run->unknowns / run->report.ms_per_iteration / 1e6 : NAN;
  return WISP_OK;
}

/* A tolerance that was not reached is a failure, after the report. */
static wisp_status check_convergence(wisp_error *err, const poisson_request *r, const poisson_run *run)
{
  return wisp_require(err, run->report.converged || r->tolerance == 0, WISP_EWRONG,
                      "no convergence: the residual is %.3g after %lld iterations, not %g: allow more --iterations, or "
                      "a larger --tolerance",
                      run->report.residual, run->report.iterations, r->tolerance);
}

static wisp_status run_poisson(wisp_error *err, wisp_arguments *args)
{
  poisson_request request;
  HELD(release) poisson_run run = {.unknowns = 0};
  CALL(read_request(err, args, &request));
  CALL(set_up(err, args, &request, &run));
  CALL(wisp_run_say_notes(err, args, &request.run, run.mesh));
  CALL(solve(err, args, &request, &run));
  wisp_cli_say_notes(args, &run.mesh->notes);
  CALL(print_report(err, &request, &run));
  return check_convergence(err, &request, &run);
}

const wisp_syntax wisp_poisson_syntax = {.page = "run-poisson", .act = run_poisson, .most_operands = 1};
