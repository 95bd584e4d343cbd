/* Values of a system's fields for programs: in the nodes, elements and their nodes in the mesh's order, whatever lies
 * where on the device. */
#include "../../gen/nodal/tet_internal.h"
#include "../parallel.h"
#include "system_kind.h"

/* Three of its corners tell how an element was turned. */
enum { WAYS = 64 };

static size_t way_of(const int8_t *corner)
{
  return 16 * (size_t)corner[0] + 4 * (size_t)corner[1] + (size_t)corner[2];
}

static wisp_status number_nodes(wisp_error *err, wisp_system_run *s)
{
  const size_t Np = (size_t)s->tet->Np;
  if (!s->base.mesh->corner || s->node) return WISP_OK;
  CALL(wisp_new(err, WAYS * Np, sizeof *s->node, &s->node));
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++)
      for (int c = 0; c < 4; c++) {
        const int to[4] = {a, b, c, 6 - a - b - c};
        if (a == b || b == c || a == c) continue;
        int *node = s->node + way_of((const int8_t[]){(int8_t)a, (int8_t)b, (int8_t)c}) * Np;
        for (int i = 0; i < s->tet->Np; i++) node[i] = wisp_tet_image(s->tet->N, i, to);
      }
  return WISP_OK;
}

/* Which of an element's nodes, as the mesh's file has its corners, this one is. */
static size_t node_of(const wisp_system_run *s, size_t element, size_t i)
{
  const int8_t *corner = s->base.mesh->corner;
  return corner ? (size_t)s->node[way_of(corner + 4 * element) * (size_t)s->tet->Np + i] : i;
}

wisp_status wisp_system_size(wisp_error *err, const wisp_solver *s, wisp_solver_sizes *out)
{
  const wisp_system_run *run = wisp_system_run_of(s);
  (void)err;
  *out = (wisp_solver_sizes){s->mesh->elements, (size_t)run->tet->Np, (size_t)run->system->fields,
                             (const char *const *)run->name};
  return WISP_OK;
}

wisp_status wisp_system_nodes(wisp_error *err, const wisp_solver *solver, double *xyz)
{
  wisp_system_run *s = wisp_system_run_of(solver);
  const size_t Np = (size_t)s->tet->Np;
  double own[3 * WISP_TET_MAX_NP];
  CALL(number_nodes(err, s));
  for (size_t k = 0; k < s->dg->slots; k++) {
    const size_t element = (size_t)s->dg->slot[k];
    if (s->dg->slot[k] == WISP_EMPTY) continue;
    wisp_dg_nodes(s->dg, k, own);
    for (size_t i = 0; i < 3 * Np; i++) xyz[3 * (element * Np + node_of(s, element, i / 3)) + i % 3] = own[i];
  }
  return WISP_OK;
}

/* Copies between u in the mesh's order and the device's layout. */
typedef struct exchange {
  const wisp_system_run *run;
  const double *from; /* u; NULL: the other way, to `to` */
  double *to;
  bool raw; /* no change of basis */
} exchange;

/* A wisp_sweep over slots. */
static void exchange_slots(void *context, size_t first, size_t end)
{
  const exchange *x = context;
  const wisp_system_run *s = x->run;
  const wisp_dg *dg = s->dg;
  const int n = s->system->fields;
  const size_t K = s->base.mesh->elements, Np = (size_t)s->tet->Np;
  double own[WISP_TET_MAX_NP];
  for (size_t k = first; k < end; k++)
    for (int f = 0; f < n && dg->slot[k] != WISP_EMPTY; f++) {
      const size_t element = (size_t)dg->slot[k], there = ((size_t)f * K + element) * Np;
      for (size_t i = 0; i < Np; i++)
        own[i] = x->from ? x->from[there + node_of(s, element, i)] : s->u[wisp_layout_volume(&dg->layout, n, f, k, i)];
      if (!x->raw) x->from ? wisp_tet_from_nodes(s->tet, own) : wisp_tet_to_nodes(s->tet, own);
      for (size_t i = 0; i < Np; i++)
        *(x->from ? &s->u[wisp_layout_volume(&dg->layout, n, f, k, i)] : &x->to[there + node_of(s, element, i)]) =
            own[i];
    }
}

wisp_status wisp_system_fetch(wisp_error *err, wisp_system_run *run)
{
  if (!run->fetched) CALL(wisp_arrays_download(err, run->stepper->problem->arrays, "u", run->u));
  run->fetched = true;
  return WISP_OK;
}

/* A coefficient by element: the fields are zero afterwards, and the step is another. */
static wisp_status set_coefficient(wisp_error *err, wisp_system_run *s, const char *name, const double *values)
{
  OWNED(free) double *medium = NULL;
  const wisp_system *system = s->system;
  const size_t n = (size_t)system->quantities, elements = s->base.mesh->elements;
  const int q = wisp_system_quantity(system, name);
  CALL(wisp_require(err, q >= 0 && !system->quantity[q].expression, WISP_EUSAGE,
                    "solver: system %s has no coefficient '%s'", system->name, name));
  CALL(wisp_new(err, elements, n * sizeof *medium, &medium));
  memcpy(medium, s->medium, elements * n * sizeof *medium);
  for (size_t e = 0; e < elements; e++) medium[e * n + (size_t)q] = values[e];
  CALL(wisp_system_complete_medium(err, system, elements, medium));
  CALL(wisp_media_check(err, system, elements, medium, s->base.precision));
  memcpy(s->medium, medium, elements * n * sizeof *medium);
  CALL(wisp_dg_set_medium(err, s->dg, medium));
  CALL(wisp_problem_refill(err, s->stepper->problem));
  s->started = s->fetched = false;
  return wisp_system_choose_step(err, s);
}

wisp_status wisp_system_exchange(wisp_error *err, wisp_system_run *s, wisp_exchange_direction direction, bool raw,
                                 double *u)
{
  CALL(number_nodes(err, s));
  if (direction == WISP_SET) wisp_parallel_fill(s->u, 0, wisp_dg_volume_size(s->dg) * sizeof *s->u);
  wisp_parallel_for(s->dg->slots, exchange_slots,
                    &(exchange){.run = s, .from = direction == WISP_SET ? u : NULL, .to = u, .raw = raw});
  return WISP_OK;
}

wisp_status wisp_system_set(wisp_error *err, wisp_solver *solver, const char *name, const double *values)
{
  wisp_system_run *s = wisp_system_run_of(solver);
  if (name) return set_coefficient(err, s, name, values);
  CALL(number_nodes(err, s));
  wisp_parallel_fill(s->u, 0, wisp_dg_volume_size(s->dg) * sizeof *s->u);
  wisp_parallel_for(s->dg->slots, exchange_slots, &(exchange){.run = s, .from = values});
  CALL(wisp_solution_put(err, s->stepper->problem, s->u));
  CALL(wisp_dg_energy(err, s->dg, s->u, &s->energy_initial));
  s->started = s->fetched = true;
  s->known = false;
  s->time = 0, s->steps = 0;
  wisp_stepper_set_time(s->stepper, 0);
  return WISP_OK;
}

wisp_status wisp_system_get(wisp_error *err, wisp_solver *solver, double *u)
{
  wisp_system_run *s = wisp_system_run_of(solver);
  CALL(number_nodes(err, s));
  CALL(wisp_system_fetch(err, s));
  wisp_parallel_for(s->dg->slots, exchange_slots, &(exchange){.run = s, .to = u});
  return WISP_OK;
}
