/* wisp run helmholtz: the hybridized method on triangles, from the mesh to u, p and u*. */
#include "print.h"
#include "run_helmholtz.h"
#include "../runtime/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wisp_trace_preconditioners[3] = {"none", "diagonal", "edge-blocks"};

/* --- the request --- */

static wisp_status read_neumann(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_request *r)
{
  const char *text = wisp_option_value(args, "neumann"), *at = text;
  for (char *end = NULL; at && *at; at = *end ? end + 1 : end) {
    const long tag = strtol(at, &end, 10);
    if (end == at || (*end && *end != ',') || tag < 1 || tag > INT32_MAX || r->neumann_count == WISP_MOST_TAGS)
      return wisp_fail(err, WISP_EUSAGE, "option --neumann is '%s', must be tags of the boundary such as 1,3", text);
    r->neumann[r->neumann_count++] = (int32_t)tag;
  }
  return wisp_require(err, !text || r->neumann_count, WISP_EUSAGE,
                      "option --neumann is empty, must be tags such as 1,3");
}

static wisp_status read_method(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_request *r)
{
  static const char *const rules[] = {"exact", "paper"};
  static const char *const matrices[] = {"blocks", "halves"};
  size_t rule = 0, preconditioner = 0, matrix = 0;
  r->method.precision = r->run.precision;
  CALL(wisp_option_real(err, args, "kappa", 1e-100, 1e100, 1, &r->data.kappa));
  CALL(wisp_option_real(err, args, "lambda", 0, 1e100, 1, &r->data.lambda));
  CALL(wisp_option_real(err, args, "tau", 1e-100, 1e100, 1, &r->data.tau));
  CALL(wisp_option_real(err, args, "tolerance", 1e-16, 1, r->method.precision == WISP_F64 ? 1e-10 : 1e-5,
                        &r->method.tolerance));
  CALL(wisp_option_integer(err, args, "iterations", 1, INT32_MAX, 100000, &r->method.iterations));
  CALL(wisp_option_choice(err, args, "quadrature", 2, rules, 0, &rule));
  CALL(wisp_option_choice(err, args, "preconditioner", 3, wisp_trace_preconditioners, WISP_TRACE_BLOCKS,
                          &preconditioner));
  CALL(wisp_option_choice(err, args, "matrix", 2, matrices, 0, &matrix));
  r->data.paper = rule == 1;
  r->method.halves = matrix == 1;
  r->method.preconditioner = (wisp_trace_preconditioner)preconditioner;
  return read_neumann(err, args, r);
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_request *r)
{
  static const char *const elements[] = {"tri"};
  size_t element = 0;
  *r = (wisp_helmholtz_request){.neumann_count = 0};
  CALL(wisp_run_check_problem(err, args, "helmholtz"));
  CALL(wisp_option_choice(err, args, "element", WISP_COUNT(elements), elements, 0, &element));
  CALL(wisp_run_read(err, args, wisp_family_find("hdg"), &r->run));
  CALL(wisp_run_read_grid(err, args, 2, &r->run));
  return read_method(err, args, r);
}

/* --- the run --- */

static void release(wisp_helmholtz_run *run)
{
  wisp_helmholtz_solver_destroy(run->solver);
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) wisp_stage_free(&run->stage[i]);
  wisp_helmholtz_destroy(run->problem);
  free(run->dirichlet);
  wisp_mesh_destroy(run->mesh);
  wisp_session_close(run->session);
}

/* Of a box the numbers are known before anything is made: those of K are the most, halves of the elements' not much
 * fewer. */
static wisp_status make_mesh(wisp_error *err, const wisp_helmholtz_request *r, wisp_helmholtz_run *run)
{
  const double nx = r->run.mesh.box[0], ny = r->run.mesh.box[1], n = r->run.order + 1, edges = 3 * nx * ny + nx + ny;
  const double data = 2 * nx * ny * (3 * n * (3 * n + 1) / 2 + 3 * n), numbers = WISP_HDG_ROW * n * n * edges;
  const wisp_run_size size = {.elements = 2 * nx * ny,
                              .numbers = numbers > data ? numbers : data,
                              .bytes = (numbers + data) * (double)r->method.precision,
                              .cells = "triangles",
                              .what = "numbers in the matrix"};
  if (!r->run.mesh.file) CALL(wisp_run_check_size(err, run->session, r->run.order, &size));
  return wisp_mesh_make(err, 3, &r->run.mesh, &run->mesh);
}

static bool is_listed(const int32_t *tags, size_t count, int32_t tag)
{
  for (size_t i = 0; i < count; i++)
    if (tags[i] == tag) return true;
  return false;
}

/* The boundary's tags but those with a flux. */
static wisp_status find_dirichlet(wisp_error *err, wisp_helmholtz_request *r, wisp_helmholtz_run *run)
{
  const wisp_mesh *mesh = run->mesh;
  wisp_fixing *fixing = &r->data.dirichlet;
  const wisp_fixing neumann = {.count = r->neumann_count, .tag = r->neumann};
  if (!r->neumann_count) return *fixing = (wisp_fixing){.all = true}, WISP_OK;
  CALL(wisp_fixing_check(err, r->run.mesh.file ? r->run.mesh.file : "box", mesh, &neumann));
  CALL(wisp_new(err, 3 * mesh->elements, sizeof *run->dirichlet, &run->dirichlet));
  fixing->tag = run->dirichlet;
  for (size_t f = 0; f < 3 * mesh->elements; f++)
    if (mesh->neighbour[f] == WISP_BOUNDARY && !wisp_fixing_has(&neumann, mesh->tag[f]) &&
        !is_listed(run->dirichlet, fixing->count, mesh->tag[f]))
      run->dirichlet[fixing->count++] = mesh->tag[f];
  return WISP_OK;
}

static wisp_status choose(wisp_error *err, const wisp_helmholtz_request *r, wisp_helmholtz_run *run)
{
  const wisp_chooser from = wisp_session_chooser(run->session);
  for (int part = 0; part < WISP_HELMHOLTZ_PARTS; part++) {
    const wisp_wish wish = {.spec = wisp_family_spec(wisp_family_find("hdg"), r->run.order, NULL, r->method.precision),
                            .elements = (long long)run->mesh->elements,
                            .exact_match_only = r->run.exact,
                            .composition = wisp_helmholtz_composition((wisp_helmholtz_part)part, &r->method)};
    CALL(wisp_choose(err, &from, &wish, &run->stage[part]));
  }
  return WISP_OK;
}

static wisp_status set_up(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_request *r,
                          wisp_helmholtz_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const double begin = wisp_seconds();
  wisp_progress_show(&progress, 0, "opening store and device");
  CALL(wisp_cli_open_device(err, args, r->run.device, r->run.db, r->run.defaults, &run->session));
  CALL(make_mesh(err, r, run));
  CALL(find_dirichlet(err, r, run));
  CALL(choose(err, r, run));
  wisp_progress_show(&progress, 0.2, "numbering edges, data");
  CALL(wisp_helmholtz_create(err, r->run.mesh.file ? r->run.mesh.file : "box", run->mesh, r->run.order, &r->data,
                             &run->problem));
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

static wisp_status solve(wisp_error *err, const wisp_arguments *args, wisp_helmholtz_run *run)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  OWNED(free) double *u = NULL, *flux = NULL, *ustar = NULL;
  const wisp_cg_watch watch = {tell, &progress};
  const double begin = wisp_seconds();
  CALL(wisp_helmholtz_solve(err, run->solver, wisp_option_given(args, "quiet") ? NULL : &watch, &run->report));
  run->seconds = wisp_seconds() - begin;
  CALL(download(err, run, "u", &u));
  CALL(download(err, run, "flux", &flux));
  CALL(download(err, run, "ustar", &ustar));
  return wisp_helmholtz_distance(err, run->problem, u, flux, ustar, &run->errors);
}

static wisp_status run_helmholtz(wisp_error *err, wisp_arguments *args)
{
  wisp_helmholtz_request request;
  HELD(release) wisp_helmholtz_run run = {.seconds = 0};
  CALL(read_request(err, args, &request));
  CALL(set_up(err, args, &request, &run));
  CALL(solve(err, args, &run));
  CALL(wisp_run_helmholtz_print(err, &request, &run));
  return wisp_require(err, run.report.cg.converged, WISP_EWRONG,
                      "no convergence: the residual is %.3g after %lld iterations: allow more --iterations or a larger "
                      "--tolerance",
                      run.report.cg.residual, run.report.cg.iterations);
}

const wisp_syntax wisp_helmholtz_syntax = {.page = "run-helmholtz", .act = run_helmholtz, .most_operands = 1};
