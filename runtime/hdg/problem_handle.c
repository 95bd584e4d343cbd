/* The solver of `wisp run helmholtz` for a program, which sets it up once and solves for data in its own arrays. */
#include "helmholtz_solver.h"
#include "../api/solvers.h"

#include <stdint.h>

/* --- opening and closing --- */

static wisp_status take_input(wisp_error *err, const wisp_helmholtz_input *input, wisp_helmholtz *p)
{
  const wisp_solver *s = &p->base;
  CALL(wisp_require(
      err, !(input->kappa && wisp_solver_given(s, "kappa")) && !(input->lambda && wisp_solver_given(s, "lambda")),
      WISP_EUSAGE, "helmholtz: kappa or lambda is given by numbers and by a text: leave one out"));
  CALL(wisp_require(err, !s->own_mesh || !wisp_solver_given(s, "neumann"), WISP_EUSAGE,
                    "helmholtz: neumann names parts of a file's boundary: take fluxes for a mesh of your own"));
  p->data.kappa_of = input->kappa, p->data.lambda_of = input->lambda;
  p->fluxes = s->own_mesh ? input->fluxes : NULL;
  p->by_program = true;
  return WISP_OK;
}

wisp_status wisp_helmholtz_create(wisp_error *err, wisp_session *session, const wisp_solver_request *request,
                                  const wisp_helmholtz_input *input, wisp_helmholtz **out)
{
  wisp_helmholtz_input own;
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_solver_make(err, __func__, request, &s));
  CALL(wisp_require(err, s->kind == &wisp_helmholtz_kind, WISP_EUSAGE,
                    "%s is no Helmholtz problem: name the problem helmholtz", s->problem));
  wisp_helmholtz *p = (wisp_helmholtz *)s;
  CALL(WISP_TAKE(err, input, &own));
  CALL(take_input(err, &own, p));
  CALL(wisp_solver_open(err, s, session, NULL));
  CALL(wisp_helmholtz_solver_prepare(err, p->solver, &p->outcome));
  p->made = p->outcome;
  wisp_handle_add(session, &s->handle, "helmholtz", s, wisp_solver_release, free);
  s = NULL;
  *out = p;
  return WISP_OK;
}

const wisp_solver *wisp_helmholtz_as_solver(const wisp_helmholtz *p)
{
  return p ? &p->base : NULL;
}

void wisp_helmholtz_destroy(wisp_helmholtz *p)
{
  wisp_handle_close("helmholtz", p);
}

/* --- asking --- */

wisp_status wisp_helmholtz_size(wisp_error *err, const wisp_helmholtz *p, wisp_helmholtz_counts *out)
{
  CALL(WISP_OPEN(err, "helmholtz", p));
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
  CALL(WISP_OPEN(err, "helmholtz", p));
  wisp_helmholtz_problem_points(p->problem, xyz, edge_xyz);
  if (edge) wisp_helmholtz_boundary(p->problem, edge);
  return WISP_OK;
}

/* --- data and fields --- */

static wisp_pointer at(const void *memory)
{
  return (wisp_pointer)(uintptr_t)memory;
}

/* Numbers in double here, of the problem's precision in the caller's memory there; count of them, uploaded or not. */
static wisp_status exchange(wisp_error *err, const wisp_helmholtz *p, bool upload, double *here, size_t count,
                            const void *there)
{
  wisp_device *device = p->base.session->device;
  OWNED(free) float *single = NULL;
  if (p->method.precision == WISP_F64)
    return upload ? wisp_device_upload(err, device, at(there), here, count * sizeof *here)
                  : wisp_device_download(err, device, here, at(there), count * sizeof *here);
  CALL(wisp_new(err, count, sizeof *single, &single));
  for (size_t i = 0; upload && i < count; i++) single[i] = (float)here[i];
  CALL(upload ? wisp_device_upload(err, device, at(there), single, count * sizeof *single)
              : wisp_device_download(err, device, single, at(there), count * sizeof *single));
  for (size_t i = 0; !upload && i < count; i++) here[i] = (double)single[i];
  return WISP_OK;
}

wisp_status wisp_helmholtz_integrate(wisp_error *err, const wisp_helmholtz *p, const double *f,
                                     const double *on_boundary, void *load, void *given)
{
  wisp_helmholtz_counts n;
  OWNED(free) double *numbers = NULL;
  CALL(WISP_OPEN(err, "helmholtz", p));
  CALL(WISP_GIVEN(err, load));
  CALL(WISP_GIVEN(err, given));
  CALL(wisp_helmholtz_size(err, p, &n));
  CALL(wisp_new(err, n.load + n.given, sizeof *numbers, &numbers));
  CALL(wisp_helmholtz_problem_integrate(err, p->problem, f, on_boundary, numbers, numbers + n.load));
  CALL(exchange(err, p, true, numbers, n.load, load));
  return exchange(err, p, true, numbers + n.load, n.given, given);
}

wisp_status wisp_helmholtz_values(wisp_error *err, const wisp_helmholtz *p, const char *field, const void *modes,
                                  size_t count, const double *rs, double *values)
{
  OWNED(free) double *numbers = NULL;
  CALL(WISP_OPEN(err, "helmholtz", p));
  CALL(WISP_GIVEN(err, field));
  CALL(WISP_GIVEN(err, modes));
  CALL(WISP_GIVEN(err, rs));
  CALL(WISP_GIVEN(err, values));
  CALL(wisp_require(err, wisp_list_has("u flux ustar", field), WISP_EUSAGE,
                    "helmholtz: there is no field '%s': take u, flux or ustar", field));
  const size_t size = wisp_helmholtz_field_size(p->solver, field);
  const int degree = p->problem->hdg->tables->N + (strcmp(field, "ustar") == 0);
  CALL(wisp_new(err, size, sizeof *numbers, &numbers));
  CALL(exchange(err, p, false, numbers, size, modes));
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
    CALL(taken[i].from ? wisp_device_copy(err, p->base.session->device, wisp_arrays_at(arrays, taken[i].array),
                                          at(taken[i].from), wisp_arrays_bytes_of(arrays, taken[i].array))
                       : wisp_arrays_fill(err, arrays, taken[i].array, 0));
  return WISP_OK;
}

static bool floats(const wisp_helmholtz *p)
{
  for (size_t i = 0; i < p->problem->pieces->count; i++)
    if (p->problem->pieces->floats[i]) return true;
  return false;
}

/* Balances the data on the host, where u is known up to a constant alone. */
static wisp_status balance(wisp_error *err, wisp_helmholtz *p)
{
  wisp_arrays *arrays = wisp_helmholtz_solver_arrays(p->solver);
  const size_t loads = wisp_arrays_size(arrays, "load");
  OWNED(free) double *numbers = NULL;
  if (!floats(p)) return WISP_OK;
  CALL(wisp_new(err, loads + wisp_arrays_size(arrays, "given"), sizeof *numbers, &numbers));
  CALL(wisp_arrays_download(err, arrays, "load", numbers));
  CALL(wisp_arrays_download(err, arrays, "given", numbers + loads));
  CALL(wisp_hdg_pieces_balance(err, p->problem->pieces, "helmholtz", numbers + loads, numbers));
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
      CALL(exchange(err, p, true, numbers, size, given[i].to));
    } else {
      CALL(wisp_device_copy(err, p->base.session->device, at(given[i].to), wisp_arrays_at(arrays, given[i].array),
                            wisp_arrays_bytes_of(arrays, given[i].array)));
    }
  }
  if (data->trace)
    CALL(wisp_device_copy(err, p->base.session->device, at(data->trace), wisp_arrays_at(arrays, "solution"),
                          traces * (size_t)p->method.precision));
  return wisp_device_finish(err, p->base.session->device);
}

wisp_status wisp_helmholtz_solve(wisp_error *err, wisp_helmholtz *p, const wisp_helmholtz_data *data,
                                 wisp_helmholtz_report *out)
{
  wisp_helmholtz_data own;
  wisp_helmholtz_outcome o = {.bytes = 0};
  CALL(WISP_OPEN(err, "helmholtz", p));
  CALL(WISP_GIVEN(err, data));
  CALL(WISP_TAKE(err, data, &own));
  data = &own;
  CALL(take_data(err, p, data));
  CALL(balance(err, p));
  CALL(wisp_helmholtz_solver_next_rhs(err, p->solver, &o));
  CALL(wisp_require(err, o.cg.converged, WISP_EWRONG,
                    "helmholtz: no convergence: the residual is %.3g after %lld iterations: allow more of them or a "
                    "larger tolerance",
                    o.cg.residual, o.cg.iterations));
  CALL(wisp_true_residual_check(err, &o.residual, o.cg.residual, p->method.tolerance));
  CALL(give(err, p, data));
  if (!out) return WISP_OK;
  *out = (wisp_helmholtz_report){.iterations = o.cg.iterations,
                                 .residual = o.cg.residual,
                                 .seconds_mesh = p->problem->hdg->seconds,
                                 .seconds_setup = p->made.seconds[WISP_HELMHOLTZ_SETUP],
                                 .seconds_preconditioner = p->made.seconds_numbers,
                                 .seconds_right_side = o.seconds[WISP_HELMHOLTZ_NEXT_RHS],
                                 .seconds_iterations = o.seconds[WISP_HELMHOLTZ_ITERATION],
                                 .seconds_fields = o.seconds[WISP_HELMHOLTZ_FIELDS],
                                 .bytes_setup = o.part_bytes[WISP_HELMHOLTZ_SETUP],
                                 .bytes_iterations = o.part_bytes[WISP_HELMHOLTZ_ITERATION],
                                 .bytes_fields = o.part_bytes[WISP_HELMHOLTZ_FIELDS],
                                 .true_residual = o.residual.value};
  return WISP_OK;
}
