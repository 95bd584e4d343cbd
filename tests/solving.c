#include "solving.h"
#include "test.h"

wisp_session *default_session(void)
{
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = test_device_name(),
                                        .defaults_only = 1};
  wisp_session *session = NULL;
  GOOD(wisp_session_open(err, &request, &session));
  return session;
}

void expect_varying(wisp_spec spec, const char *composition)
{
  wisp_session *session = default_session();
  const wisp_chooser from = wisp_session_chooser(session);
  wisp_choose_request request = {.spec = spec, .composition = composition};
  wisp_stage stage = {.kernels = 0};
  wisp_error refused = {.text = ""};
  GOOD(wisp_choose(err, &from, &request, &stage));
  wisp_stage_free(&stage);
  request.reproducible = true;
  assert_int_equal(wisp_choose(&refused, &from, &request, &stage), WISP_EREFUSED);
  assert_non_null(strstr(refused.text, "adds up in no fixed order"));
  wisp_session_close(session);
}

static void take(wisp_solver *s, const char *name, const char *value)
{
  if (value) GOOD(wisp_solver_take(err, s, name, value));
}

/* One step: too few to measure the longest one. */
static void take_setup(wisp_solver *s, const solving_setup *setup)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  if (setup->precision) s->precision = setup->precision;
  s->order = setup->order;
  take(s, "steps", "1");
  take(s, "composition", setup->composition);
  take(s, "layout", setup->layout);
  take(s, "alpha", setup->central ? "0" : NULL);
  take(s, "boundary", setup->absorbing ? "absorbing" : NULL);
  take(s, "basis", setup->element && strcmp(setup->element, "tet") != 0 ? "bernstein" : NULL);
  if (!setup->media) return;
  GOOD(wisp_system_load(err, s->problem, &system));
  for (int q = 0; q < system->quantities; q++) take(s, system->quantity[q].name, setup->media[q]);
}

bool solving_open(wisp_error *why, solving *s, wisp_mesh *mesh, const solving_setup *setup)
{
  *s = (solving){.session = default_session(), .mesh = mesh};
  GOOD(wisp_solver_new(err, &wisp_system_kind, setup->system ? setup->system : "maxwell", &s->base));
  s->base->mesh = mesh;
  s->base->own_mesh = true;
  take_setup(s->base, setup);
  GOOD(wisp_solver_begin(err, s->base, NULL));
  s->session->store = (wisp_store *)(uintptr_t)setup->store; /* while kernels are chosen */
  const wisp_status status = wisp_solver_open(why, s->base, s->session, NULL);
  s->session->store = NULL;
  if (status == WISP_EREFUSED) {
    solving_close(s);
    return false;
  }
  if (status != WISP_OK) fail_msg("%s", why->text);
  const wisp_system_run *run = wisp_system_run_of(s->base);
  s->device = s->session->device;
  s->tet = run->tet, s->system = run->system, s->dg = run->dg, s->solver = run->stepper;
  s->stage = *s->base->stage;
  s->problem = s->solver->problem;
  return true;
}

void solving_close(solving *s)
{
  wisp_solver_discard(s->base);
  wisp_session_close(s->session);
  *s = (solving){.mesh = NULL};
}

wisp_mesh *ragged_box(int n, size_t left_out)
{
  wisp_mesh *box = NULL, *mesh = NULL;
  GOOD(wisp_mesh_box(err, n, &box));
  GOOD(wisp_mesh_create(err, 4, box->vertices, box->elements - left_out, &mesh));
  memcpy(mesh->xyz, box->xyz, 3 * mesh->vertices * sizeof *mesh->xyz);
  memcpy(mesh->tet, box->tet, 4 * mesh->elements * sizeof *mesh->tet);
  GOOD(wisp_mesh_connect(err, "ragged box", mesh));
  wisp_mesh_destroy(box);
  return mesh;
}

wisp_status solution_set(wisp_error *err, wisp_problem *problem, wisp_function function, const void *context, double t)
{
  OWNED(free) double *u = NULL;
  CALL(wisp_new(err, wisp_arrays_size(problem->arrays, "u"), sizeof *u, &u));
  wisp_dg_fill(wisp_problem_dg(problem), function, context, t, u);
  return wisp_solution_put(err, problem, u);
}

wisp_status solution_error(wisp_error *err, wisp_problem *problem, wisp_function exact, const void *context, double t,
                           double *out)
{
  OWNED(free) double *u = NULL;
  CALL(wisp_new(err, wisp_arrays_size(problem->arrays, "u"), sizeof *u, &u));
  CALL(wisp_arrays_download(err, problem->arrays, "u", u));
  return wisp_dg_l2_error(err, wisp_problem_dg(problem), u, exact, context, t, out);
}

double cavity_error(solving *s, double time, double finer)
{
  wisp_start cavity;
  double l2 = 0;
  long long steps = 1 + (long long)(time / wisp_dg_safe_dt(s->dg) * finer);
  GOOD(wisp_start_choose(err, s->mesh, s->system, "cavity", (const int[]){1, 1, 0}, &cavity));
  GOOD(solution_set(err, s->problem, wisp_start_field, &cavity, 0));
  GOOD(wisp_stepper_advance(err, s->solver, time / (double)steps, steps, NULL));
  GOOD(solution_error(err, s->problem, wisp_start_field, &cavity, time, &l2));
  return l2;
}

void fill_random(double *values, size_t count)
{
  uint64_t state = 88172645463325252ull;
  for (size_t i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values[i] = (double)(int64_t)(state >> 43) / 1048576.0 - 1.0;
  }
}

void random_solution(const wisp_dg *dg, double *u)
{
  const wisp_layout *l = &dg->layout;
  size_t n = (size_t)dg->system->fields, Np = (size_t)l->Np;
  OWNED(free) double *values = allocate(dg->mesh->elements * n * Np, sizeof *values);
  fill_random(values, dg->mesh->elements * n * Np);
  memset(u, 0, wisp_dg_volume_size(dg) * sizeof *u);
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t f = 0; dg->slot[k] != WISP_EMPTY && f < n; f++)
      for (size_t i = 0; i < Np; i++)
        u[wisp_layout_volume(l, (int)n, (int)f, k, i)] = values[((size_t)dg->slot[k] * n + f) * Np + i];
}

void reference_steps(const wisp_dg *dg, const wisp_scheme *scheme, double alpha, double dt, int steps, double *u)
{
  size_t size = wisp_dg_volume_size(dg);
  OWNED(free) double *rhs = zeros(size), *res = zeros(size);
  OWNED(free) double *flux = zeros(wisp_dg_face_size(dg));
  for (int stage = 0; stage < steps * scheme->stages; stage++) {
    const wisp_rk_stage *rk = &scheme->stage[stage % scheme->stages];
    wisp_reference_volume(dg, u, rhs);
    wisp_reference_gather(dg, alpha, u, NULL, flux, NULL);
    wisp_reference_lift(dg, flux, rhs);
    for (size_t i = 0; i < size; i++) {
      res[i] = rk->a * res[i] + dt * rhs[i];
      u[i] += rk->b * res[i];
    }
  }
}
