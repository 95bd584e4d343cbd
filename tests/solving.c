#include "good.h"
#include "solving.h"
#include "../runtime/nodal/media.h"
#include "../runtime/nodal/start.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

const char *test_device(void)
{
  const char *name = getenv("WISP_TEST_DEVICE");
  return name && *name ? name : "host";
}

/* The mesh by the stage's layout, in the setup's medium. */
static void discretise(solving *s, const solving_setup *setup)
{
  double *medium = NULL;
  const char *side = setup->absorbing ? "absorbing" : "pec";
  const wisp_walls walls = {.boundary = setup->system ? 0 : wisp_system_boundary(s->system, side)};
  GOOD(wisp_dg_create_plain(err, s->mesh, s->tet, s->system, &s->stage.layout, &s->stage.fixed, &walls, &s->dg));
  if (!setup->media) return;
  GOOD(wisp_media_create(err, s->system, s->mesh, setup->media, &medium));
  GOOD(wisp_dg_set_medium(err, s->dg, medium));
  free(medium);
}

bool solving_open(wisp_error *why, solving *s, wisp_mesh *mesh, const solving_setup *setup)
{
  const wisp_precision precision = setup->precision ? setup->precision : WISP_F64;
  const char *system = setup->system ? setup->system : "maxwell", *element = setup->element ? setup->element : "tet";
  wisp_wish wish = {.spec = wisp_family_spec(wisp_family_find("nodal"), setup->order, system, precision),
                    .elements = (long long)mesh->elements,
                    .composition = setup->composition,
                    .layout = setup->layout};
  wisp_spec_name_element(&wish.spec, element);
  *s = (solving){.mesh = mesh};
  GOOD(wisp_strategies_load(err, &s->strategies));
  GOOD(wisp_device_open(err, test_device(), &s->device));
  const wisp_chooser from = {s->strategies, setup->store, wisp_device_limits(s->device), NULL};
  wisp_status status = wisp_choose(why, &from, &wish, &s->stage);
  if (status == WISP_EREFUSED) {
    solving_close(s);
    return false;
  }
  if (status != WISP_OK) fail_msg("%s", why->text);
  GOOD(wisp_tet_create_for(err, element, setup->order, &s->tet));
  GOOD(wisp_system_load(err, system, &s->system));
  discretise(s, setup);
  GOOD(wisp_stepper_create(err, s->device, s->dg, precision, &s->stage, setup->central ? 0 : 1, &s->solver));
  s->problem = s->solver->problem;
  return true;
}

void solving_close(solving *s)
{
  wisp_stepper_destroy(s->solver);
  wisp_dg_destroy(s->dg);
  wisp_stage_free(&s->stage);
  wisp_system_destroy(s->system);
  wisp_tet_destroy(s->tet);
  wisp_mesh_destroy(s->mesh);
  wisp_device_close(s->device);
  wisp_strategies_free(s->strategies);
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
  double *values = malloc(dg->mesh->elements * n * Np * sizeof *values);
  assert_non_null(values);
  fill_random(values, dg->mesh->elements * n * Np);
  memset(u, 0, wisp_dg_volume_size(dg) * sizeof *u);
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t f = 0; dg->slot[k] != WISP_EMPTY && f < n; f++)
      for (size_t i = 0; i < Np; i++)
        u[wisp_layout_volume(l, (int)n, (int)f, k, i)] = values[((size_t)dg->slot[k] * n + f) * Np + i];
  free(values);
}

void reference_steps(const wisp_dg *dg, const wisp_scheme *scheme, double alpha, double dt, int steps, double *u)
{
  size_t size = wisp_dg_volume_size(dg);
  double *rhs = calloc(size, sizeof *rhs), *res = calloc(size, sizeof *res);
  double *flux = calloc(wisp_dg_face_size(dg), sizeof *flux);
  assert_true(rhs && res && flux);
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
  free(rhs), free(res), free(flux);
}
