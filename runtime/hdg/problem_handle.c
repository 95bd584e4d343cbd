/* The Helmholtz problem that a program sets up once and solves for data of its own: the solver of `wisp run helmholtz`,
 * whose arrays are copied from and to the program's. */
#include "../assembly/pattern.h"
#include "helmholtz_solver.h"
#include "../mesh/source.h"
#include "../api/api.h"

#include <math.h>
#include <stdint.h>

enum { U_TAG = 1, FLUX_TAG = 2 };

struct wisp_helmholtz {
  wisp_handle handle;
  wisp_device *device;
  wisp_mesh *mesh;
  int32_t *tags;
  wisp_helmholtz_method method;
  wisp_helmholtz_problem *problem;
  wisp_stage stage[WISP_HELMHOLTZ_PARTS];
  wisp_helmholtz_solver *solver;
  wisp_helmholtz_outcome made; /* the set-up's */
};

/* --- what is asked for --- */

/* Edges of the boundary get a tag by what is given there. */
static wisp_status tag_edges(wisp_error *err, wisp_helmholtz *p, const unsigned char *fluxes, wisp_fixing *out)
{
  size_t with_flux = 0, with_u = 0;
  *out = (wisp_fixing){.all = true};
  if (!fluxes) return WISP_OK;
  for (size_t face = 0; face < 3 * p->mesh->elements; face++) {
    if (p->mesh->neighbour[face] != WISP_BOUNDARY) continue;
    p->mesh->tag[face] = fluxes[face] ? FLUX_TAG : U_TAG;
    with_flux += fluxes[face] != 0, with_u += fluxes[face] == 0;
  }
  CALL(wisp_new(err, 1, sizeof *p->tags, &p->tags));
  *p->tags = U_TAG;
  *out = (wisp_fixing){.all = with_flux == 0, .count = with_flux && with_u, .tag = p->tags};
  return WISP_OK;
}

static wisp_status take_method(wisp_error *err, const wisp_helmholtz_request *r, wisp_precision precision,
                               wisp_helmholtz_method *out)
{
  static const char *const names[] = {"none", "diagonal", "edge-blocks", "two-levels"};
  size_t which = 0;
  const char *name = r->preconditioner ? r->preconditioner : "two-levels";
  while (which < WISP_COUNT(names) && strcmp(name, names[which]) != 0) which++;
  CALL(wisp_require(err, which < WISP_COUNT(names), WISP_EUSAGE,
                    "helmholtz: preconditioner '%s': take none, diagonal, edge-blocks or two-levels", name));
  CALL(wisp_require(err, r->smoothing >= 0 && r->smoothing <= 8, WISP_EUSAGE, "helmholtz: smoothing %d: take 1 to 8",
                    r->smoothing));
  CALL(wisp_require(err, r->tolerance >= 0 && r->tolerance <= 1, WISP_EUSAGE,
                    "helmholtz: tolerance %g: take more than 0, 1 at the most", r->tolerance));
  CALL(wisp_require(err, r->iterations >= 0 && r->iterations <= INT32_MAX, WISP_EUSAGE,
                    "helmholtz: %lld iterations: take 1 to %d", r->iterations, INT32_MAX));
  *out = (wisp_helmholtz_method){.precision = precision,
                                 .preconditioner = (wisp_trace_preconditioner)which,
                                 .tolerance = r->tolerance > 0        ? r->tolerance
                                              : precision == WISP_F64 ? 1e-10
                                                                      : 1e-5,
                                 .iterations = r->iterations ? r->iterations : 100000,
                                 .smoothing = r->smoothing ? r->smoothing : 2};
  return WISP_OK;
}

/* Before anything is numbered. */
static wisp_status check_size(wisp_error *err, const wisp_helmholtz *p, int order)
{
  size_t count[4];
  wisp_pattern_count(p->mesh, count);
  return wisp_helmholtz_check_memory(err, wisp_device_limits(p->device), &p->method, order, (double)count[2],
                                     (double)count[1]);
}

static wisp_status pose(wisp_error *err, wisp_helmholtz *p, const wisp_helmholtz_request *r, int order)
{
  const char *name = r->mesh ? r->mesh : "helmholtz";
  wisp_helmholtz_texts texts = {.tau = r->tau,
                                .kappa = r->kappa_text ? r->kappa_text : "1",
                                .lambda = r->lambda_text ? r->lambda_text : "0",
                                .kappa_of = r->kappa,
                                .lambda_of = r->lambda};
  CALL(wisp_require(err, !(r->kappa && r->kappa_text) && !(r->lambda && r->lambda_text), WISP_EUSAGE,
                    "helmholtz: kappa or lambda is given by numbers and by a text: leave one out"));
  CALL(wisp_require(err, r->mesh || !r->neumann, WISP_EUSAGE,
                    "helmholtz: neumann names parts of a file's boundary: take fluxes for a mesh of your own"));
  if (r->mesh) {
    const wisp_mesh_source file = wisp_mesh_source_file(r->mesh, r->merge, r->cracks);
    CALL(wisp_mesh_make(err, 3, &file, &p->mesh));
    texts.dirichlet.all = true;
    if (r->neumann) CALL(wisp_fixing_read(err, "neumann", name, p->mesh, r->neumann, true, &p->tags, &texts.dirichlet));
  } else {
    CALL(wisp_api_mesh(err, name, 3, r->vertices, r->elements, r->xyz, r->corners, &p->mesh));
    CALL(tag_edges(err, p, r->fluxes, &texts.dirichlet));
  }
  CALL(check_size(err, p, order));
  return wisp_helmholtz_problem_create(err, name, p->mesh, order, &texts, &p->problem);
}

static wisp_status choose(wisp_error *err, const wisp_session *session, wisp_helmholtz *p, const wisp_spec *spec)
{
  const wisp_chooser from = wisp_session_chooser(session);
  const wisp_wish wish = {
      .spec = *spec, .elements = (long long)p->mesh->elements, .exact_match_only = session->exact_match_only};
  return wisp_helmholtz_choose(err, &from, &wish, WISP_HELMHOLTZ_PARTS, &p->method, p->stage);
}

/* --- opening and closing --- */

static void release(void *self)
{
  wisp_helmholtz *p = self;
  wisp_helmholtz_solver_destroy(p->solver);
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) wisp_stage_free(&p->stage[i]);
  wisp_helmholtz_problem_destroy(p->problem);
  free(p->tags);
  wisp_mesh_destroy(p->mesh);
}

static void discard(wisp_helmholtz *p)
{
  if (p) release(p);
  free(p);
}
WISP_OWNED(wisp_helmholtz, discard)

wisp_status wisp_helmholtz_create(wisp_error *err, wisp_session *session, const wisp_helmholtz_request *request,
                                  wisp_helmholtz **out)
{
  OWNED(discard) wisp_helmholtz *p = NULL;
  wisp_spec spec;
  CALL(WISP_GIVEN(err, session));
  CALL(WISP_GIVEN(err, request));
  CALL(WISP_GIVEN(err, request->spec));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_spec_parse(err, request->spec, &spec));
  CALL(wisp_require(err, strcmp(spec.family, "hdg") == 0 && wisp_spec_is_step(&spec), WISP_EUSAGE,
                    "%s is no Helmholtz problem: take hdg.step, such as hdg.step:tri:p4:helmholtz:f64", request->spec));
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->device = session->device;
  CALL(take_method(err, request, spec.precision, &p->method));
  CALL(pose(err, p, request, spec.order));
  CALL(choose(err, session, p, &spec));
  CALL(wisp_helmholtz_solver_create(err, session->device, p->problem, p->stage, &p->method, &p->solver));
  CALL(wisp_helmholtz_solver_prepare(err, p->solver, &p->made));
  if (request->mesh) CALL(wisp_mesh_note_unused(err, request->mesh, p->mesh));
  wisp_handle_add(session, &p->handle, p, release, free);
  return GIVE(p, out);
}

void wisp_helmholtz_destroy(wisp_helmholtz *p)
{
  if (p) wisp_handle_close(&p->handle);
}

static wisp_status check(wisp_error *err, const wisp_helmholtz *p)
{
  return wisp_handle_check(err, p ? &p->handle : NULL, "helmholtz");
}

/* --- asking --- */

wisp_status wisp_helmholtz_size(wisp_error *err, const wisp_helmholtz *p, wisp_helmholtz_counts *out)
{
  CALL(check(err, p));
  CALL(WISP_GIVEN(err, out));
  const wisp_hdg *s = p->problem->hdg;
  const wisp_hdg_tables *t = s->tables;
  *out = (wisp_helmholtz_counts){.elements = s->mesh->elements,
                                 .edges = s->edges,
                                 .unknowns = s->free_edges * (size_t)t->n,
                                 .modes = (size_t)t->Np,
                                 .star_modes = (size_t)t->Ns,
                                 .points = p->problem->rule.count,
                                 .boundary = wisp_helmholtz_boundary(p->problem, NULL),
                                 .edge_points = p->problem->edge_rule.count,
                                 .load = wisp_helmholtz_field_size(p->solver, "load"),
                                 .given = wisp_helmholtz_field_size(p->solver, "given"),
                                 .u = wisp_helmholtz_field_size(p->solver, "u"),
                                 .flux = wisp_helmholtz_field_size(p->solver, "flux"),
                                 .ustar = wisp_helmholtz_field_size(p->solver, "ustar"),
                                 .trace = s->free_edges * (size_t)t->n};
  return WISP_OK;
}

wisp_status wisp_helmholtz_points(wisp_error *err, const wisp_helmholtz *p, double *xyz, double *edge_xyz, int *edge)
{
  CALL(check(err, p));
  wisp_helmholtz_problem_points(p->problem, xyz, edge_xyz);
  if (edge) wisp_helmholtz_boundary(p->problem, edge);
  return WISP_OK;
}

wisp_status wisp_helmholtz_kernel(wisp_error *err, const wisp_helmholtz *p, size_t i, wisp_kernel_info *info)
{
  CALL(check(err, p));
  CALL(WISP_GIVEN(err, info));
  for (int part = 0; part < WISP_HELMHOLTZ_PARTS; part++) {
    const wisp_stage *stage = &p->stage[part];
    if (i < (size_t)stage->kernels) return *info = wisp_api_info(&stage->choice[i]), WISP_OK;
    i -= (size_t)stage->kernels;
  }
  return wisp_fail(err, WISP_EMISSING, "helmholtz: it has no more kernels");
}

wisp_status wisp_helmholtz_note(wisp_error *err, const wisp_helmholtz *p, size_t i, wisp_mesh_note *note)
{
  CALL(check(err, p));
  CALL(WISP_GIVEN(err, note));
  return wisp_notes_at(err, &p->mesh->notes, i, note);
}

/* --- data and fields --- */

static wisp_pointer at(const void *memory)
{
  return (wisp_pointer)(uintptr_t)memory;
}

/* Numbers in double here, of the problem's precision in the caller's memory there. */
static wisp_status put(wisp_error *err, const wisp_helmholtz *p, const double *from, size_t count, void *to)
{
  OWNED(free) float *single = NULL;
  if (p->method.precision == WISP_F64) return wisp_device_upload(err, p->device, at(to), from, count * sizeof *from);
  CALL(wisp_new(err, count, sizeof *single, &single));
  for (size_t i = 0; i < count; i++) single[i] = (float)from[i];
  return wisp_device_upload(err, p->device, at(to), single, count * sizeof *single);
}

static wisp_status get(wisp_error *err, const wisp_helmholtz *p, const void *from, size_t count, double *to)
{
  OWNED(free) float *single = NULL;
  if (p->method.precision == WISP_F64) return wisp_device_download(err, p->device, to, at(from), count * sizeof *to);
  CALL(wisp_new(err, count, sizeof *single, &single));
  CALL(wisp_device_download(err, p->device, single, at(from), count * sizeof *single));
  for (size_t i = 0; i < count; i++) to[i] = (double)single[i];
  return WISP_OK;
}

wisp_status wisp_helmholtz_integrate(wisp_error *err, const wisp_helmholtz *p, const double *f,
                                     const double *on_boundary, void *load, void *given)
{
  wisp_helmholtz_counts n;
  OWNED(free) double *numbers = NULL;
  CALL(check(err, p));
  CALL(WISP_GIVEN(err, load));
  CALL(WISP_GIVEN(err, given));
  CALL(wisp_helmholtz_size(err, p, &n));
  CALL(wisp_new(err, n.load + n.given, sizeof *numbers, &numbers));
  CALL(wisp_helmholtz_problem_integrate(err, p->problem, f, on_boundary, numbers, numbers + n.load));
  CALL(put(err, p, numbers, n.load, load));
  return put(err, p, numbers + n.load, n.given, given);
}

wisp_status wisp_helmholtz_values(wisp_error *err, const wisp_helmholtz *p, const char *field, const void *modes,
                                  size_t count, const double *rs, double *values)
{
  OWNED(free) double *numbers = NULL;
  CALL(check(err, p));
  CALL(WISP_GIVEN(err, field));
  CALL(WISP_GIVEN(err, modes));
  CALL(WISP_GIVEN(err, rs));
  CALL(WISP_GIVEN(err, values));
  CALL(wisp_require(err, wisp_list_has("u flux ustar", field), WISP_EUSAGE,
                    "helmholtz: there is no field '%s': take u, flux or ustar", field));
  const size_t size = wisp_helmholtz_field_size(p->solver, field);
  const int degree = p->problem->hdg->tables->N + (strcmp(field, "ustar") == 0);
  CALL(wisp_new(err, size, sizeof *numbers, &numbers));
  CALL(get(err, p, modes, size, numbers));
  return wisp_helmholtz_problem_values(err, p->problem, degree, strcmp(field, "flux") == 0 ? 2 : 1, numbers, count, rs,
                                       values);
}

/* --- a solve --- */

static wisp_status take_data(wisp_error *err, wisp_helmholtz *p, const wisp_helmholtz_data *data)
{
  wisp_arrays *arrays = wisp_helmholtz_solver_arrays(p->solver);
  const struct {
    const char *array;
    const void *from;
  } taken[] = {{"load", data->load}, {"given", data->given}};
  for (size_t i = 0; i < WISP_COUNT(taken); i++)
    CALL(taken[i].from ? wisp_device_copy(err, p->device, wisp_arrays_at(arrays, taken[i].array), at(taken[i].from),
                                          wisp_arrays_bytes_of(arrays, taken[i].array))
                       : wisp_arrays_fill(err, arrays, taken[i].array, 0));
  return WISP_OK;
}

static bool floats(const wisp_helmholtz *p)
{
  for (size_t i = 0; i < p->problem->pieces->count; i++)
    if (p->problem->pieces->floats[i]) return true;
  return false;
}

/* Where u is known up to a constant data must balance, which the host sees to. */
static wisp_status settle(wisp_error *err, wisp_helmholtz *p)
{
  wisp_arrays *arrays = wisp_helmholtz_solver_arrays(p->solver);
  const size_t loads = wisp_arrays_size(arrays, "load");
  OWNED(free) double *numbers = NULL;
  if (!floats(p)) return WISP_OK;
  CALL(wisp_new(err, loads + wisp_arrays_size(arrays, "given"), sizeof *numbers, &numbers));
  CALL(wisp_arrays_download(err, arrays, "load", numbers));
  CALL(wisp_arrays_download(err, arrays, "given", numbers + loads));
  CALL(wisp_hdg_pieces_settle(err, p->problem->pieces, "helmholtz", numbers + loads, numbers));
  return wisp_arrays_upload(err, arrays, "load", numbers);
}

static wisp_status give(wisp_error *err, wisp_helmholtz *p, const wisp_helmholtz_data *data)
{
  wisp_arrays *arrays = wisp_helmholtz_solver_arrays(p->solver);
  const struct {
    const char *array;
    void *to;
    bool centered;
  } given[] = {{"u", data->u, true}, {"flux", data->flux, false}, {"ustar", data->ustar, true}};
  const size_t traces = p->problem->hdg->free_edges * (size_t)p->problem->hdg->tables->n;
  for (size_t i = 0; i < WISP_COUNT(given); i++) {
    const size_t size = wisp_arrays_size(arrays, given[i].array);
    OWNED(free) double *numbers = NULL;
    if (!given[i].to) continue;
    if (given[i].centered && floats(p)) {
      CALL(wisp_new(err, size, sizeof *numbers, &numbers));
      CALL(wisp_helmholtz_field(err, p->solver, given[i].array, numbers));
      CALL(put(err, p, numbers, size, given[i].to));
    } else {
      CALL(wisp_device_copy(err, p->device, at(given[i].to), wisp_arrays_at(arrays, given[i].array),
                            wisp_arrays_bytes_of(arrays, given[i].array)));
    }
  }
  if (data->trace)
    CALL(wisp_device_copy(err, p->device, at(data->trace), wisp_arrays_at(arrays, "solution"),
                          traces * (size_t)p->method.precision));
  return wisp_device_finish(err, p->device);
}

wisp_status wisp_helmholtz_solve(wisp_error *err, wisp_helmholtz *p, const wisp_helmholtz_data *data,
                                 wisp_helmholtz_report *out)
{
  wisp_helmholtz_outcome o = {.bytes = 0};
  CALL(check(err, p));
  CALL(WISP_GIVEN(err, data));
  CALL(take_data(err, p, data));
  CALL(settle(err, p));
  CALL(wisp_helmholtz_solver_again(err, p->solver, &o));
  CALL(wisp_require(err, o.cg.converged, WISP_EWRONG,
                    "helmholtz: no convergence: the residual is %.3g after %lld iterations: allow more of them or a "
                    "larger tolerance",
                    o.cg.residual, o.cg.iterations));
  CALL(give(err, p, data));
  if (!out) return WISP_OK;
  *out = (wisp_helmholtz_report){.iterations = o.cg.iterations,
                                 .residual = o.cg.residual,
                                 .seconds_mesh = p->problem->hdg->seconds,
                                 .seconds_setup = p->made.seconds[WISP_HELMHOLTZ_SETUP],
                                 .seconds_preconditioner = p->made.seconds_numbers,
                                 .seconds_right_side = o.seconds[WISP_HELMHOLTZ_AGAIN],
                                 .seconds_iterations = o.seconds[WISP_HELMHOLTZ_ITERATION],
                                 .seconds_fields = o.seconds[WISP_HELMHOLTZ_FIELDS],
                                 .bytes_setup = o.part_bytes[WISP_HELMHOLTZ_SETUP],
                                 .bytes_iterations = o.part_bytes[WISP_HELMHOLTZ_ITERATION],
                                 .bytes_fields = o.part_bytes[WISP_HELMHOLTZ_FIELDS]};
  return WISP_OK;
}
