/* wisp run helmholtz: the hybridized method on triangles, from the mesh to u, p and u*. */
#include "output.h"
#include "print.h"
#include "run_helmholtz.h"
#include "../runtime/assembly/pattern.h"
#include "../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wisp_trace_preconditioners[4] = {"none", "diagonal", "edge-blocks", "two-levels"};

/* --- the request --- */

/* The equation's data: a solution that is known, or what stands in its place. */
static wisp_status read_data(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_wishes *r)
{
  const struct {
    const char *option, **to;
  } texts[] = {{"kappa", &r->data.kappa},      {"lambda", &r->data.lambda}, {"source", &r->data.source},
               {"value", &r->data.value},      {"flux", &r->data.flux},     {"neumann", &r->neumann},
               {"solution", &r->data.solution}};
  for (size_t i = 0; i < WISP_COUNT(texts); i++)
    if (wisp_option_given(args, texts[i].option)) *texts[i].to = wisp_option_value(args, texts[i].option);
  CALL(wisp_option_output(err, args, "output", ".vtu", &r->vtu));
  const bool own = r->data.source || r->data.value || r->data.flux;
  CALL(wisp_require(err, !own || !r->data.solution, WISP_EUSAGE,
                    "option --solution is for a problem whose source, value and flux follow from it: leave these out"));
  r->standard = !own && !r->data.solution;
  return wisp_option_real(err, args, "tau", 1e-100, 1e100, 0, &r->data.tau);
}

static wisp_status read_method(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_wishes *r)
{
  static const char *const rules[] = {"exact", "paper"}, *const coarse[] = {"own", "single"};
  static const char *const matrices[] = {"blocks", "halves", "unstored"};
  size_t rule = 0, single = 0, preconditioner = 0, matrix = 0;
  long long smoothing = 0;
  r->method.precision = r->run.precision;
  CALL(wisp_option_real(err, args, "tolerance", 1e-16, 1, r->method.precision == WISP_F64 ? 1e-10 : 1e-5,
                        &r->method.tolerance));
  CALL(wisp_option_integer(err, args, "iterations", 1, INT32_MAX, 100000, &r->method.iterations));
  CALL(wisp_option_choice(err, args, "quadrature", 2, rules, 0, &rule));
  CALL(wisp_option_choice(err, args, "matrix", WISP_COUNT(matrices), matrices, 0, &matrix));
  CALL(wisp_option_choice(err, args, "preconditioner", 4, wisp_trace_preconditioners,
                          matrix ? WISP_TRACE_BLOCKS : WISP_TRACE_LEVELS, &preconditioner));
  CALL(wisp_option_integer(err, args, "smoothing", 1, 8, 2, &smoothing));
  CALL(wisp_option_choice(err, args, "coarse", WISP_COUNT(coarse), coarse, 0, &single));
  CALL(wisp_require(err, !single || preconditioner == WISP_TRACE_LEVELS, WISP_EUSAGE,
                    "option --coarse is for --preconditioner two-levels"));
  CALL(wisp_option_integer(err, args, "batch", 1, INT32_MAX, 0, &r->method.batch));
  r->method.smoothing = (int)smoothing;
  r->method.narrow = single == 1;
  r->method.setup = wisp_option_value(args, "setup");
  r->data.paper = rule == 1;
  r->method.matrix =
      wisp_option_given(args, "matrix") ? (wisp_trace_matrix)(WISP_TRACE_ROWS + matrix) : WISP_TRACE_EITHER;
  r->reproducible = wisp_option_given(args, "reproducible");
  r->method.preconditioner = (wisp_trace_preconditioner)preconditioner;
  return read_data(err, args, r);
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_wishes *r)
{
  static const char *const elements[] = {"tri"}, *const diagonals[] = {"rising", "falling"};
  size_t element = 0, diagonal = 0;
  *r = (wisp_helmholtz_wishes){.data = {.kappa = "1", .lambda = "1"}};
  CALL(wisp_run_check_problem(err, args, "helmholtz"));
  CALL(wisp_option_choice(err, args, "element", WISP_COUNT(elements), elements, 0, &element));
  CALL(wisp_run_read(err, args, wisp_family_find("hdg"), &r->run));
  CALL(wisp_run_read_grid(err, args, 2, &r->run));
  CALL(wisp_option_choice(err, args, "diagonal", WISP_COUNT(diagonals), diagonals, 0, &diagonal));
  CALL(wisp_require(err, !r->run.mesh.file || !wisp_option_given(args, "diagonal"), WISP_EUSAGE,
                    "--diagonal is for the box and --mesh names a file: leave one out"));
  r->run.mesh.falling = diagonal == 1;
  return read_method(err, args, r);
}

/* --- the run --- */

static void release(wisp_helmholtz_run *run)
{
  wisp_helmholtz_solver_destroy(run->solver);
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) wisp_stage_free(&run->stage[i]);
  wisp_helmholtz_problem_destroy(run->problem);
  free(run->neumann);
  wisp_mesh_destroy(run->mesh);
  wisp_session_close(run->session);
}

/* Of a box it is known before anything is made what it needs, of a file when it is read. */
static wisp_status make_mesh(wisp_error *err, const wisp_helmholtz_wishes *r, wisp_helmholtz_run *run)
{
  const wisp_limits *limits = wisp_device_limits(run->session->device);
  size_t count[4];
  const bool known = wisp_mesh_source_count(&r->run.mesh, 3, count);
  if (!known) CALL(wisp_mesh_make(err, 3, &r->run.mesh, &run->mesh));
  if (!known) wisp_pattern_count(run->mesh, count);
  CALL(wisp_helmholtz_check_memory(err, limits, &r->method, r->run.order, (double)count[2], (double)count[1]));
  return known ? wisp_mesh_make(err, 3, &r->run.mesh, &run->mesh) : WISP_OK;
}

/* A solution that varies along the two coordinates in which the plane reaches farthest. */
static const char *standard_solution(const wisp_mesh *mesh)
{
  static const char *const without[3] = {"sin(2 * pi * y) * sin(2 * pi * z)", "sin(2 * pi * x) * sin(2 * pi * z)",
                                         "sin(2 * pi * x) * sin(2 * pi * y)"};
  const double *normal = mesh->plane ? mesh->plane->axis[2] : (const double[3]){0, 0, 1};
  int steepest = 2;
  for (int c = 1; c >= 0; c--)
    if (fabs(normal[c]) > fabs(normal[steepest])) steepest = c;
  return without[steepest];
}

static wisp_status choose(wisp_error *err, wisp_helmholtz_wishes *r, wisp_helmholtz_run *run)
{
  const wisp_chooser from = wisp_session_chooser(run->session);
  const wisp_wish wish = {.spec = wisp_family_spec(wisp_family_find("hdg"), r->run.order, NULL, r->method.precision),
                          .elements = (long long)run->mesh->elements,
                          .exact_match_only = r->run.exact,
                          .reproducible = r->reproducible};
  return wisp_helmholtz_choose(err, &from, &wish, WISP_HELMHOLTZ_AGAIN, &r->method, run->stage);
}

static wisp_status set_up(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_wishes *r,
                          wisp_helmholtz_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const double begin = wisp_seconds();
  wisp_progress_show(&progress, 0, "opening store and device");
  CALL(wisp_cli_open_device(err, args, r->run.device, r->run.db, r->run.defaults, &run->session));
  CALL(make_mesh(err, r, run));
  if (r->standard) r->data.solution = standard_solution(run->mesh);
  r->data.dirichlet.all = true;
  if (r->neumann)
    CALL(wisp_fixing_read(err, "option --neumann", r->run.mesh.file ? r->run.mesh.file : "box", run->mesh, r->neumann,
                          true, &run->neumann, &r->data.dirichlet));
  CALL(choose(err, r, run));
  wisp_progress_show(&progress, 0.2, "numbering edges, data");
  CALL(wisp_helmholtz_problem_create(err, r->run.mesh.file ? r->run.mesh.file : "box", run->mesh, r->run.order,
                                     &r->data, &run->problem));
  wisp_progress_show(&progress, 0.6, "lists, kernels");
  CALL(wisp_helmholtz_solver_create(err, run->session->device, run->problem, run->stage, &r->method, &run->solver));
  run->seconds_setup = wisp_seconds() - begin;
  return WISP_OK;
}

static wisp_status download(wisp_error *err, const wisp_helmholtz_run *run, const char *array, double **out)
{
  CALL(wisp_new(err, wisp_helmholtz_field_size(run->solver, array), sizeof **out, out));
  return wisp_helmholtz_field(err, run->solver, array, *out);
}

/* A wisp_cg_watch's. */
static void tell(void *context, long long iterations, double share)
{
  char text[64];
  snprintf(text, sizeof text, "iteration %lld", iterations);
  wisp_progress_show(context, share, text);
}

static wisp_status solve(wisp_error *err, const wisp_arguments *args, const wisp_helmholtz_wishes *r,
                         wisp_helmholtz_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  OWNED(free) double *u = NULL, *flux = NULL, *ustar = NULL;
  const wisp_cg_watch watch = {tell, &progress};
  const double begin = wisp_seconds();
  CALL(wisp_helmholtz_solver_run(err, run->solver, wisp_option_given(args, "quiet") ? NULL : &watch, &run->report));
  run->seconds = wisp_seconds() - begin;
  CALL(wisp_run_note_zero(err, &run->report.cg, &run->mesh->notes));
  CALL(download(err, run, "u", &u));
  CALL(download(err, run, "flux", &flux));
  CALL(download(err, run, "ustar", &ustar));
  if (r->vtu && run->report.cg.converged) /* of a solve that failed nothing is written */
    CALL(wisp_helmholtz_write_vtu(err, run->problem, u, flux, ustar, r->vtu));
  return wisp_helmholtz_distance(err, run->problem, u, flux, ustar, &run->errors);
}

static wisp_status run_helmholtz(wisp_error *err, wisp_arguments *args)
{
  wisp_helmholtz_wishes request;
  HELD(release) wisp_helmholtz_run run = {.seconds = 0};
  CALL(read_request(err, args, &request));
  CALL(set_up(err, args, &request, &run));
  CALL(wisp_run_say_notes(err, args, &request.run, run.mesh));
  CALL(solve(err, args, &request, &run));
  wisp_cli_say_notes(args, &run.mesh->notes);
  CALL(wisp_run_helmholtz_print(err, &request, &run));
  return wisp_require(err, run.report.cg.converged, WISP_EWRONG,
                      "no convergence: the residual is %.3g after %lld iterations: allow more --iterations or a larger "
                      "--tolerance",
                      run.report.cg.residual, run.report.cg.iterations);
}

const wisp_syntax wisp_helmholtz_syntax = {.page = "run-helmholtz", .act = run_helmholtz, .most_operands = 1};
