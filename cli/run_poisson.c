/* wisp run poisson: continuous elements on hexes, conjugate gradients. */
#include "progress.h"
#include "run_poisson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wisp_poisson_problems[3] = {"bp1", "bp3", "bp5"};
const char *const wisp_poisson_preconditioners[3] = {"none", "jacobi", "chebyshev"};
static const char *const operators[3] = {"mass", "stiffness", "collocated"};

/* --- the request --- */

static wisp_status read_box(wisp_error *err, const wisp_arguments *args, wisp_poisson_request *r)
{
  const char *box = wisp_option_value(args, "box");
  int end = 0, *n = r->run.mesh.box;
  n[0] = n[1] = n[2] = 8;
  bool one = box && sscanf(box, "%4d%n", &n[0], &end) == 1 && !box[end];
  if (one) n[1] = n[2] = n[0];
  bool three = box && !one && sscanf(box, "%4d,%4d,%4d%n", &n[0], &n[1], &n[2], &end) == 3 && !box[end];
  CALL(wisp_require(err, !box || one || three, WISP_EUSAGE,
                    "option --box is '%s', must be hexes a side such as 8, or 8,8,16", box));
  for (int d = 0; d < 3; d++)
    CALL(wisp_require(err, n[d] >= 1 && n[d] <= 400, WISP_EUSAGE, "option --box is '%s', must be from 1 to 400", box));
  return WISP_OK;
}

static wisp_status read_solver(wisp_error *err, const wisp_arguments *args, wisp_poisson_request *r)
{
  static const char *const geometries[] = {"auto", "stored", "trilinear"};
  size_t op = 0, geometry = 0, preconditioner = 0;
  long long degree = 0;
  r->method.precision = r->run.precision;
  CALL(wisp_option_choice(err, args, "problem", 3, wisp_poisson_problems, WISP_HEX_COLLOCATED, &op));
  CALL(wisp_option_choice(err, args, "geometry", 3, geometries, 0, &geometry));
  CALL(wisp_option_choice(err, args, "preconditioner", 3, wisp_poisson_preconditioners, WISP_JACOBI, &preconditioner));
  CALL(wisp_require(err, preconditioner == WISP_CHEBYSHEV || !wisp_option_given(args, "degree"), WISP_EUSAGE,
                    "--degree belongs to --preconditioner chebyshev"));
  CALL(wisp_option_integer(err, args, "degree", 1, 16, 3, &degree));
  CALL(wisp_option_real(err, args, "lambda", 0, 1e12, 1, &r->lambda));
  CALL(wisp_option_real(err, args, "tolerance", 0, 1, r->method.precision == WISP_F64 ? 1e-10 : 1e-5, &r->tolerance));
  CALL(wisp_option_integer(err, args, "iterations", 0, 1000000000, 1000, &r->iterations));
  r->op = (wisp_hex_operator)op;
  r->geometry = (wisp_geometry)geometry;
  r->method.preconditioner = (wisp_preconditioner)preconditioner;
  r->method.degree = (int)degree;
  return WISP_OK;
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_poisson_request *r)
{
  CALL(wisp_run_check_problem(err, args, "poisson"));
  CALL(wisp_run_read(err, args, wisp_family_find("tensor"), &r->run));
  CALL(read_box(err, args, r));
  return read_solver(err, args, r);
}

/* --- the run --- */

static void release(wisp_poisson_run *run)
{
  wisp_poisson_solver_destroy(run->solver);
  wisp_stage_free(&run->stage);
  wisp_poisson_destroy(run->problem);
  wisp_mesh_destroy(run->mesh);
  wisp_session_close(run->session);
}

/* Copies of u and y. */
static wisp_status check_size(wisp_error *err, const wisp_poisson_request *r, const wisp_poisson_run *run,
                              double elements)
{
  const double nodes = elements * pow(r->run.order + 1, 3);
  const wisp_run_size size = {elements, nodes, 2 * nodes * (double)r->run.precision, "hexes", "nodes"};
  return wisp_run_check_size(err, run->session, r->run.order, &size);
}

static wisp_status make_mesh(wisp_error *err, const wisp_poisson_request *r, wisp_poisson_run *run)
{
  const int *n = r->run.mesh.box;
  if (!r->run.mesh.file) CALL(check_size(err, r, run, (double)n[0] * n[1] * n[2]));
  CALL(wisp_mesh_make(err, 8, &r->run.mesh, &run->mesh));
  return check_size(err, r, run, (double)run->mesh->elements);
}

static wisp_status choose(wisp_error *err, const wisp_poisson_request *r, const wisp_poisson_run *run, bool trilinear,
                          bool exact, wisp_stage *out)
{
  char kernel[WISP_NAME_TEXT], composition[WISP_POISSON_COMPOSITION];
  snprintf(kernel, sizeof kernel, "%s%s", operators[r->op], trilinear ? "_trilinear" : "");
  wisp_poisson_composition(kernel, r->method.preconditioner, composition);
  const wisp_chooser from = wisp_session_chooser(run->session);
  const wisp_wish wish = {
      .spec = wisp_family_spec(wisp_family_find("tensor"), r->run.order, "poisson", r->method.precision),
      .elements = (long long)run->mesh->elements,
      .exact_match_only = exact,
      .composition = composition};
  return wisp_choose(err, &from, &wish, out);
}

const wisp_choice *wisp_run_operator(const wisp_stage *stage)
{
  wisp_hex_operator op;
  int i = 0;
  while (!wisp_hex_operator_find(stage->choice[i].kernel, &op)) i++;
  return &stage->choice[i];
}

/* Does the operator that makes its geometry win? Where one alone has been measured, that one; where none, the one that
 * moves fewer bytes. */
static wisp_status prefer_trilinear(wisp_error *err, const wisp_poisson_request *r, const wisp_poisson_run *run,
                                    bool *out)
{
  HELD(wisp_stage_free) wisp_stage with_factors = {.kernels = 0}, with_vertices = {.kernels = 0};
  CALL(choose(err, r, run, false, false, &with_factors));
  CALL(choose(err, r, run, true, false, &with_vertices));
  const double stored = wisp_run_operator(&with_factors)->ms, made = wisp_run_operator(&with_vertices)->ms;
  *out = isnan(made) ? isnan(stored) : !(stored < made);
  return WISP_OK;
}

/* A part of the run begins; before: the share of set-up's time that has passed, as measured, NaN for what has no such
 * share. */
static void show(wisp_progress *progress, double before, const char *part)
{
  if (progress->terminal) progress->last = 0; /* every part, however soon after another */
  wisp_progress_show(progress, before, part);
}

static wisp_status set_up(wisp_error *err, const wisp_arguments *args, const wisp_poisson_request *r,
                          wisp_poisson_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  bool trilinear = r->geometry == WISP_GEOMETRY_TRILINEAR;
  show(&progress, 0, "opening store and device");
  CALL(wisp_cli_open_device(err, args, r->run.device, r->run.db, r->run.defaults, &run->session));
  show(&progress, 0.1, "making the mesh");
  CALL(make_mesh(err, r, run));
  if (r->geometry == WISP_GEOMETRY_AUTO) CALL(prefer_trilinear(err, r, run, &trilinear));
  CALL(choose(err, r, run, trilinear, r->run.exact, &run->stage));
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

static wisp_status solve(wisp_error *err, const wisp_arguments *args, const wisp_poisson_request *r,
                         wisp_poisson_run *run)
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
  CALL(wisp_cg_solution(err, run->solver->cg, solution));
  show(&progress, NAN, "the solution's error");
  CALL(wisp_poisson_error(err, run->problem, solution, &run->l2_error));
  run->unknowns = (double)unknowns;
  run->gdofs = run->report.iterations ? run->unknowns / run->report.ms_per_iteration / 1e6 : NAN;
  return WISP_OK;
}

/* A tolerance that was not reached is a failure, after the report. */
static wisp_status check_convergence(wisp_error *err, const wisp_poisson_request *r, const wisp_poisson_run *run)
{
  return wisp_require(err, run->report.converged || r->tolerance == 0, WISP_EWRONG,
                      "no convergence: the residual is %.3g after %lld iterations, not %g: allow more --iterations, or "
                      "a larger --tolerance",
                      run->report.residual, run->report.iterations, r->tolerance);
}

static wisp_status run_poisson(wisp_error *err, wisp_arguments *args)
{
  wisp_poisson_request request;
  HELD(release) wisp_poisson_run run = {.unknowns = 0};
  CALL(read_request(err, args, &request));
  CALL(set_up(err, args, &request, &run));
  CALL(solve(err, args, &request, &run));
  CALL(wisp_run_poisson_print(err, &request, &run));
  return check_convergence(err, &request, &run);
}

const wisp_syntax wisp_poisson_syntax = {.page = "run-poisson", .act = run_poisson, .most_operands = 1};
