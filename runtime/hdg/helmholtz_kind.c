/* The Helmholtz problem as a solver: the hybridized method on triangles, from the mesh to u, p and u*. */
#include "helmholtz_solver.h"
#include "../process.h"

#include <math.h>
#include <stdio.h>

#define EXPRESSIONS                                                                                                  \
  "numbers or expressions such as 'region == steel ? 10 : 1'; they know x, y, z, pi, sin, cos, exp, sqrt, min, max " \
  "and the operators of C; region, and on the boundary tag, are compared with physical groups by name, in quotes "   \
  "unless it is a plain word (\"air gap\"), or by number; a list gives groups values of their own, 'steel=10,1'"

static const wisp_solver_option options[] = {
    WISP_CHOICE_ROW("element", "ELEMENT", "tri", "tri", NULL, "tri: triangles"),
    WISP_CHOICE_ROW("diagonal", "HOW", "rising falling", "rising", NULL,
                    "of the box: along which its squares are cut, rising or falling"),
    WISP_TEXT_ROW("kappa", "K", "1", "", "the conductivity of each triangle (1), and"),
    WISP_TEXT_ROW("lambda", "L", "1", "", "the reaction (1): " EXPRESSIONS),
    WISP_TEXT_ROW("solution", "U", NULL, "sin(2*pi*x)*sin(2*pi*y)",
                  "u as an expression: f, values and fluxes follow from it, and errors are progress"),
    WISP_TEXT_ROW("source", "F", NULL, NULL, "else f (0),"),
    WISP_TEXT_ROW("value", "U", NULL, NULL, "u where the boundary holds it (0),"),
    WISP_TEXT_ROW("flux", "Q", NULL, "0", "and kappa du/dn where it does not"),
    WISP_TEXT_ROW(
        "neumann", "TAG,...", NULL, NULL,
        "physical groups of the boundary where the flux is given, not u, by number or name (in quotes where it "
        "has a comma): a box's sides are 1 to 4"),
    WISP_REAL_ROW("tau", "T", 1e-100, 1e100, NULL, "of each triangle kappa over the square root of the mesh's area",
                  "the stabilisation"),
    WISP_CHOICE_ROW(
        "preconditioner", "HOW", "none diagonal edge-blocks two-levels", NULL,
        "two-levels; of halves and unstored edge-blocks",
        "none, diagonal, edge-blocks, or two-levels: smoothing by edge blocks, and a coarse space of lines"),
    WISP_INTEGER_ROW("smoothing", "K", 1, 8, "2", NULL,
                     "of two levels: the degree of the polynomial before and after the coarse problem"),
    WISP_CHOICE_ROW(
        "coarse", "HOW", "own single", "own", NULL,
        "of two levels: the coarse problem's numbers in the solve's precision, own, or in single; smoothing is in "
        "single precision always"),
    WISP_CHOICE_ROW(
        "matrix", "HOW", "blocks halves unstored", NULL, "blocks or halves, which the store says is faster",
        "applied by rows of blocks: blocks, or by elements, of which half is stored: halves, or nothing, to order "
        "4: unstored"),
    WISP_TEXT_ROW("setup", "KERNELS", NULL, "the store's choice",
                  "the kernels that make the matrix, such as condense+assemble"),
    WISP_INTEGER_ROW(
        "batch", "K", 1, INT32_MAX, NULL, "as many as memory has room for",
        "of build_inside+invert_inside+multiply_inside+assemble: the matrices of so many elements at a time"),
    WISP_REAL_ROW("tolerance", "T", 1e-16, 1, "1e-10; f32: 1e-5", NULL,
                  "residual of the solve, over the right-hand side"),
    WISP_INTEGER_ROW("iterations", "K", 1, INT32_MAX, "100000", NULL, "how many it may take"),
    WISP_FLAG_ROW("reproducible", "only kernels that leave the same bits every time"),
    WISP_CHOICE_ROW("quadrature", "RULE", "exact paper", "exact", NULL,
                    "of loads and errors: exact, or paper, with its points"),
    WISP_FILE_ROW('o', "output", NULL, NULL, "write u, u*, p and kappa as high-order triangles for ParaView (.vtu)"),
    {.name = NULL}};

/* ---- The request. */

static wisp_status read_method(wisp_error *err, wisp_solver *s, wisp_helmholtz_method *m)
{
  const int matrix = wisp_solver_given(s, "matrix") ? wisp_solver_choice(s, "matrix") : -1;
  const wisp_trace_preconditioner usual = matrix > 0 ? WISP_TRACE_BLOCKS : WISP_TRACE_LEVELS;
  *m =
      (wisp_helmholtz_method){.precision = s->precision,
                              .preconditioner = wisp_solver_given(s, "preconditioner")
                                                    ? (wisp_trace_preconditioner)wisp_solver_choice(s, "preconditioner")
                                                    : usual,
                              .matrix = (wisp_trace_matrix)(WISP_TRACE_ROWS + matrix), /* none: either */
                              .tolerance = wisp_solver_real(s, "tolerance"),
                              .iterations = wisp_solver_integer(s, "iterations"),
                              .narrow = wisp_solver_choice(s, "coarse") == 1,
                              .smoothing = (int)wisp_solver_integer(s, "smoothing"),
                              .setup = wisp_solver_text(s, "setup"),
                              .batch = wisp_solver_given(s, "batch") ? wisp_solver_integer(s, "batch") : 0};
  return wisp_require(err, !m->narrow || m->preconditioner == WISP_TRACE_LEVELS, WISP_EUSAGE,
                      "option --coarse is for --preconditioner two-levels");
}

static wisp_status read_helmholtz(wisp_error *err, wisp_solver *s)
{
  wisp_helmholtz *h = (wisp_helmholtz *)s;
  const double tau = wisp_solver_real(s, "tau");
  s->corners = 3;
  s->source.box[0] = 16;
  s->source.falling = wisp_solver_choice(s, "diagonal") == 1;
  CALL(wisp_require(err, !s->source.file || !wisp_solver_given(s, "diagonal"), WISP_EUSAGE,
                    "--diagonal is for the box and --mesh names a file: leave one out"));
  h->data.kappa = wisp_solver_text(s, "kappa"), h->data.lambda = wisp_solver_text(s, "lambda");
  h->data.solution = wisp_solver_text(s, "solution"), h->data.source = wisp_solver_text(s, "source");
  h->data.value = wisp_solver_text(s, "value"), h->data.flux = wisp_solver_text(s, "flux");
  h->data.tau = isnan(tau) ? 0 : tau;
  h->data.paper = wisp_solver_choice(s, "quadrature") == 1;
  CALL(wisp_require(err, !h->data.solution || !(h->data.source || h->data.value || h->data.flux), WISP_EUSAGE,
                    "option --solution is for a problem whose source, value and flux follow from it: leave these out"));
  return read_method(err, s, &h->method);
}

/* ---- Set-up. */

static wisp_status choose_helmholtz(wisp_error *err, wisp_solver *s, const size_t count[4])
{
  wisp_helmholtz *h = (wisp_helmholtz *)s;
  const wisp_chooser from = wisp_session_chooser(s->session);
  wisp_choose_request request = wisp_solver_choose_request(s, NULL, count[2]);
  request.reproducible = wisp_solver_given(s, "reproducible");
  CALL(wisp_helmholtz_check_memory(err, wisp_device_limits(s->session->device), &h->method, s->order, (double)count[2],
                                   (double)count[1]));
  return wisp_helmholtz_choose(err, &from, &request, h->by_program ? WISP_HELMHOLTZ_PARTS : WISP_HELMHOLTZ_NEXT_RHS,
                               &h->method, s->stage);
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

/* Edges of the boundary of a program's mesh get a tag by what is given there. */
static wisp_status tag_edges(wisp_error *err, wisp_helmholtz *h)
{
  enum { U_TAG = 1, FLUX_TAG };
  wisp_mesh *mesh = h->base.mesh;
  size_t with_flux = 0, with_u = 0;
  for (size_t face = 0; face < 3 * mesh->elements; face++) {
    if (mesh->neighbour[face] != WISP_BOUNDARY) continue;
    mesh->tag[face] = h->fluxes[face] ? FLUX_TAG : U_TAG;
    with_flux += h->fluxes[face] != 0, with_u += h->fluxes[face] == 0;
  }
  CALL(wisp_new(err, 1, sizeof *h->tags, &h->tags));
  *h->tags = U_TAG;
  h->data.dirichlet = (wisp_fixing){.all = with_flux == 0, .count = with_flux && with_u, .tag = h->tags};
  return WISP_OK;
}

static wisp_status build_helmholtz(wisp_error *err, wisp_solver *s, const wisp_watch *watch)
{
  wisp_helmholtz *h = (wisp_helmholtz *)s;
  const char *neumann = wisp_solver_text(s, "neumann");
  h->data.dirichlet.all = true;
  if (neumann)
    CALL(wisp_fixing_read(err, "option --neumann", s->mesh_name, s->mesh, neumann, true, &h->tags, &h->data.dirichlet));
  if (h->fluxes) CALL(tag_edges(err, h));
  if (!h->by_program && !h->data.solution && !h->data.source && !h->data.value && !h->data.flux)
    h->data.solution = standard_solution(s->mesh);
  wisp_watch_report(watch, 0.2, "numbering edges, data");
  const double begin = wisp_seconds();
  CALL(wisp_helmholtz_problem_create(err, s->mesh_name, s->mesh, s->order, &h->data, &h->problem));
  h->seconds_data = wisp_seconds() - begin - h->problem->hdg->seconds;
  wisp_watch_report(watch, 0.6, "lists, kernels");
  CALL(wisp_helmholtz_solver_create(err, s->session->device, h->problem, s->stage, &h->method, &h->solver));
  const wisp_hdg *hdg = h->problem->hdg;
  s->nodes = hdg->tables->Np;
  s->unknowns = (double)hdg->free_edges * hdg->tables->n;
  s->unknown = "unknowns";
  return WISP_OK;
}

/* ---- The solve. */

static wisp_status download(wisp_error *err, const wisp_helmholtz *h, const char *array, double **out)
{
  if (!*out) CALL(wisp_new(err, wisp_helmholtz_field_size(h->solver, array), sizeof **out, out));
  return wisp_helmholtz_field(err, h->solver, array, *out);
}

static wisp_status advance_helmholtz(wisp_error *err, wisp_solver *s, const wisp_until *until, const wisp_watch *watch)
{
  wisp_helmholtz *h = (wisp_helmholtz *)s;
  wisp_iteration_watch progress = {watch, 0};
  const wisp_cg_watch iterations = wisp_watch_iterations(&progress);
  const wisp_cg_report *cg = &h->outcome.cg;
  const double begin = wisp_seconds();
  CALL(wisp_require(err, !until, WISP_EUSAGE,
                    "helmholtz: its iterations and tolerance are settings: leave the goal of this solve out"));
  CALL(wisp_helmholtz_solver_run(err, h->solver, watch ? &iterations : NULL, &h->outcome));
  h->seconds = wisp_seconds() - begin;
  CALL(wisp_solver_note_zero(err, s, cg->iterations, cg->residual));
  CALL(download(err, h, "u", &h->u));
  CALL(download(err, h, "flux", &h->flux));
  CALL(download(err, h, "ustar", &h->ustar));
  s->reports = true;
  CALL(wisp_true_residual_check(err, &h->outcome.residual, cg->residual, h->method.tolerance));
  return wisp_require(err, cg->converged, WISP_EWRONG,
                      "no convergence: the residual is %.3g after %lld iterations: allow more --iterations or a larger "
                      "--tolerance",
                      cg->residual, cg->iterations);
}

static wisp_status rehearse_helmholtz(wisp_error *err, wisp_solver *s, const wisp_launch_watch *watch)
{
  const wisp_helmholtz *h = (wisp_helmholtz *)s;
  CALL(wisp_require(err, h->solver, WISP_EMISSING, "the solver is not set up"));
  return wisp_helmholtz_rehearse(err, h->solver, watch);
}

static wisp_status make_fields(wisp_error *err, wisp_solver *s, wisp_fields *out)
{
  const wisp_helmholtz *h = (wisp_helmholtz *)s;
  CALL(wisp_require(err, h->u, WISP_EUSAGE, "helmholtz: nothing is solved yet: call wisp_solver_advance first"));
  return wisp_helmholtz_fields(err, h->problem, h->u, h->flux, h->ustar, out);
}

/* ---- The report. */

static const char *preconditioner_of(const wisp_helmholtz *h)
{
  static const char *const names[] = {"none", "diagonal", "edge-blocks", "two-levels"};
  return names[h->method.preconditioner];
}

static wisp_status report_numbers(wisp_error *err, const wisp_helmholtz *h, const wisp_helmholtz_errors *errors,
                                  double tau, wisp_solver_report *to)
{
  const wisp_helmholtz_outcome *o = &h->outcome;
  const wisp_hdg *hdg = h->problem->hdg;
  const wisp_report_number numbers[] = {
      {"edges", "", (double)hdg->edges},
      {"unknowns", "", h->base.unknowns},
      {"tau", "", tau},
      {"iterations", "", (double)o->cg.iterations},
      {"residual", "", o->cg.residual},
      {"true_residual", "", o->residual.value},
      {"ms_per_iteration", "ms", o->cg.ms_per_iteration},
      {"l2_u", "", errors->l2_u},
      {"l2_p", "", errors->l2_p},
      {"l2_ustar", "", errors->l2_ustar},
      {"linf_u", "", errors->linf_u},
      {"bytes", "B", (double)o->bytes},
      {"bytes_setup", "B", (double)o->part_bytes[WISP_HELMHOLTZ_SETUP]},
      {"bytes_iterations", "B", (double)o->part_bytes[WISP_HELMHOLTZ_ITERATION]},
      {"bytes_fields", "B", (double)o->part_bytes[WISP_HELMHOLTZ_FIELDS]},
      {"seconds_setup", "s", o->seconds[WISP_HELMHOLTZ_SETUP]},
      {"seconds_mesh", "s", hdg->seconds},
      {"seconds_preconditioner", "s", o->seconds_numbers},
      {"seconds_iterations", "s", o->seconds[WISP_HELMHOLTZ_ITERATION]},
      {"seconds_fields", "s", o->seconds[WISP_HELMHOLTZ_FIELDS]},
      {"seconds", "s", h->seconds},
  };
  CALL(wisp_report_text(err, to, "element", "tri"));
  CALL(wisp_report_text(err, to, "kappa", h->data.kappa));
  CALL(wisp_report_text(err, to, "lambda", h->data.lambda));
  CALL(wisp_report_text(err, to, "preconditioner", preconditioner_of(h)));
  CALL(wisp_report_truth(err, to, "converged", o->cg.converged));
  CALL(wisp_report_numbers(err, to, WISP_COUNT(numbers), numbers));
  return wisp_report_text(err, to, "setup", h->base.stage[WISP_HELMHOLTZ_SETUP].composition);
}

static wisp_status report_solve(wisp_error *err, const wisp_helmholtz *h, const wisp_helmholtz_errors *e,
                                wisp_solver_report *to)
{
  const wisp_helmholtz_outcome *o = &h->outcome;
  const size_t *bytes = o->part_bytes;
  const double *seconds = o->seconds;
  CALL(wisp_report_line(
      err, to, "solve",
      "%lld iterations of conjugate gradients, preconditioner %s, residual %.2e, true residual %.2e, %.4f ms each",
      o->cg.iterations, preconditioner_of(h), o->cg.residual, o->residual.value, o->cg.ms_per_iteration));
  if (h->data.solution)
    CALL(wisp_report_line(err, to, "L2 error", "u %.6e, p %.6e, u* %.6e", e->l2_u, e->l2_p, e->l2_ustar));
  if (h->data.solution) CALL(wisp_report_line(err, to, "Linf error", "u %.6e", e->linf_u));
  CALL(wisp_report_line(err, to, "memory",
                        "%.3f GB on the device: %.3f set-up, %.3f more for iterations, %.3f for fields",
                        (double)o->bytes / 1e9, (double)bytes[WISP_HELMHOLTZ_SETUP] / 1e9,
                        (double)bytes[WISP_HELMHOLTZ_ITERATION] / 1e9, (double)bytes[WISP_HELMHOLTZ_FIELDS] / 1e9));
  return wisp_report_line(err, to, "seconds",
                          "%.3g set-up, %.3g preconditioner, %.3g iterations, %.3g fields, %.3g in all",
                          seconds[WISP_HELMHOLTZ_SETUP], o->seconds_numbers, seconds[WISP_HELMHOLTZ_ITERATION],
                          seconds[WISP_HELMHOLTZ_FIELDS], h->seconds);
}

static wisp_status report_helmholtz(wisp_error *err, wisp_solver *s, wisp_solver_report *to)
{
  static const char *const parts[] = {"set-up", "iteration", "fields"};
  const wisp_helmholtz *h = (wisp_helmholtz *)s;
  const wisp_helmholtz_texts *data = &h->data;
  wisp_helmholtz_errors errors = {NAN, NAN, NAN, NAN};
  char range[64];
  double tau[2] = {INFINITY, 0}; /* the least and the greatest of all triangles */
  if (h->u) CALL(wisp_helmholtz_distance(err, h->problem, h->u, h->flux, h->ustar, &errors));
  for (size_t e = 0; e < s->mesh->elements; e++) { /* in the mesh's units */
    const double own = data->tau > 0 ? data->tau : h->problem->tau[WISP_SLAB(3, e, 0)] / h->problem->hdg->frame.length;
    tau[0] = fmin(tau[0], own), tau[1] = fmax(tau[1], own);
  }
  snprintf(range, sizeof range, tau[0] < tau[1] ? "%g to %g" : "%g", tau[0], tau[1]);
  CALL(report_numbers(err, h, &errors, tau[1], to));
  CALL(wisp_report_line(err, to, "problem",
                        "-div(kappa grad u) + lambda u = f, kappa = %s, lambda = %s, tau = %s, %s = %s", data->kappa,
                        data->lambda, range, data->solution ? "u" : "f",
                        data->solution ? data->solution
                        : data->source ? data->source
                                       : "0"));
  for (int part = 0; part < WISP_HELMHOLTZ_NEXT_RHS; part++) {
    CALL(wisp_report_line(err, to, parts[part], "%s", s->stage[part].composition));
    CALL(wisp_report_kernels(err, to, part));
  }
  return report_solve(err, h, &errors, to);
}

static void release_helmholtz(wisp_solver *s)
{
  wisp_helmholtz *h = (wisp_helmholtz *)s;
  free(h->u), free(h->flux), free(h->ustar);
  wisp_helmholtz_solver_destroy(h->solver);
  wisp_helmholtz_problem_destroy(h->problem);
  free(h->tags);
}

const wisp_solver_kind wisp_helmholtz_kind = {
    .problem = "helmholtz",
    .family = "hdg",
    .bytes = sizeof(wisp_helmholtz),
    .option = options,
    .read = read_helmholtz,
    .choose = choose_helmholtz,
    .build = build_helmholtz,
    .advance = advance_helmholtz,
    .rehearse = rehearse_helmholtz,
    .report = report_helmholtz,
    .fields = make_fields,
    .release = release_helmholtz,
};
