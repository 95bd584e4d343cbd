/* Simulations of include/wisp.h: mesh, operators, store, stage and solver behind one handle. */
#include "../../gen/family.h"
#include "../../gen/nodal/tet_internal.h"
#include "../api/api.h"
#include "../mesh/source.h"
#include "../parallel.h"
#include "basis.h"
#include "media.h"
#include "start.h"
#include "stepper.h"

#include <stdlib.h>
#include <string.h>

WISP_OWNED(wisp_simulation, wisp_simulation_destroy)

struct wisp_simulation {
  wisp_mesh *mesh;
  wisp_tet *tet;
  wisp_system *system;
  wisp_session *session;
  wisp_stage stage;
  wisp_dg *dg;
  wisp_stepper *solver;
  double dt;      /* a stable step */
  double *medium; /* of the elements, in the mesh's order */
  double *field;  /* u as the device holds it, for exchange */
  int *node;      /* WAYS x Np: which of the file's nodes each of a turned element's is, by way_of its corners */
};

const char *wisp_simulation_store_note(const wisp_simulation *s)
{
  return s ? wisp_session_note(s->session) : NULL;
}

void wisp_simulation_destroy(wisp_simulation *s)
{
  if (!s) return;
  wisp_stepper_destroy(s->solver);
  wisp_dg_destroy(s->dg);
  wisp_stage_free(&s->stage);
  wisp_session_close(s->session);
  wisp_system_destroy(s->system);
  wisp_tet_destroy(s->tet);
  wisp_mesh_destroy(s->mesh);
  free(s->field);
  free(s->node);
  free(s->medium);
  free(s);
}

static const char *or_default(const char *text, const char *otherwise)
{
  return text && *text ? text : otherwise;
}

static const char *name_of(const wisp_request *r)
{
  return r->mesh ? r->mesh : "box";
}

/* What does not depend on the device: equations, and the kinds of walls. */
static wisp_status read_problem(wisp_error *err, const wisp_request *r, wisp_simulation *s, wisp_walls *walls)
{
  CALL(wisp_require(err, !r->mesh || !r->box, WISP_EUSAGE, "request: mesh and box exclude each other: leave one out"));
  CALL(wisp_system_load(err, or_default(r->system, wisp_family_find("nodal")->default_system), &s->system));
  return wisp_walls_read(err, "request: boundary", name_of(r), s->system, NULL, or_default(r->boundary, NULL), walls);
}

/* Three of its corners tell how an element was turned. */
enum { WAYS = 64 };

static size_t way_of(const int8_t *corner)
{
  return 16 * (size_t)corner[0] + 4 * (size_t)corner[1] + (size_t)corner[2];
}

static wisp_status number_nodes(wisp_error *err, wisp_simulation *s)
{
  const size_t Np = (size_t)s->tet->Np;
  if (!s->mesh->corner) return WISP_OK;
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
static size_t node_of(const wisp_simulation *s, size_t element, size_t i)
{
  const int8_t *corner = s->mesh->corner;
  return corner ? (size_t)s->node[way_of(corner + 4 * element) * (size_t)s->tet->Np + i] : i;
}

/* The kernels for so many elements, and whether these fit the device. */
static wisp_status choose_kernels(wisp_error *err, const wisp_request *r, wisp_precision precision, size_t elements,
                                  wisp_simulation *s)
{
  wisp_basis basis;
  const wisp_chooser from = wisp_session_chooser(s->session);
  const wisp_wish wish = {.spec = wisp_family_spec(wisp_family_find("nodal"), r->order, s->system->name, precision),
                          .elements = (long long)elements,
                          .exact_match_only = r->exact_match_only};
  CALL(wisp_basis_choose(err, &from, &wish, or_default(r->basis, NULL), &basis, &s->stage));
  CALL(wisp_tet_create_for(err, wisp_basis_element(&basis), r->order, &s->tet));
  return wisp_dg_fits(err, wisp_device_limits(s->session->device), elements, s->tet, s->system, precision, &s->stage);
}

/* The elements of a box are known before it is made. */
static wisp_status make_mesh(wisp_error *err, const wisp_request *r, wisp_precision precision, wisp_simulation *s,
                             wisp_walls *walls)
{
  const int n = r->box ? r->box : 4;
  const wisp_mesh_source source = {
      .file = r->mesh, .box = {n, n, n}, .turned = true, .merge = r->merge, .cracks = r->cracks};
  size_t count[4];
  const bool known = wisp_mesh_source_count(&source, 4, count);
  if (known) CALL(choose_kernels(err, r, precision, count[3], s));
  CALL(wisp_mesh_make(err, 4, &source, &s->mesh));
  if (!r->mesh) CALL(wisp_mesh_tag_sides(err, s->mesh));
  CALL(wisp_walls_read(err, "request: boundary", name_of(r), s->system, s->mesh, or_default(r->boundary, NULL), walls));
  return known ? WISP_OK : choose_kernels(err, r, precision, s->mesh->elements, s);
}

wisp_status wisp_simulation_create(wisp_error *err, const wisp_request *r, wisp_simulation **out)
{
  OWNED(wisp_simulation_destroy) wisp_simulation *s = NULL;
  HELD(wisp_walls_free) wisp_walls walls = {0};
  CALL(wisp_require(err, r && out, WISP_EUSAGE, "simulation: %s is NULL", r ? "its place" : "the request"));
  const wisp_precision precision = r->precision ? r->precision : WISP_F64;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  CALL(read_problem(err, r, s, &walls));
  CALL(wisp_session_open(err, &(wisp_session_request){.device = r->device, .store = r->store}, &s->session));
  CALL(make_mesh(err, r, precision, s, &walls));
  CALL(number_nodes(err, s));
  CALL(wisp_dg_create_plain(err, s->mesh, s->tet, s->system, &s->stage.layout, &s->stage.fixed, &walls, &s->dg));
  CALL(wisp_stepper_create(err, s->session->device, s->dg, precision, &s->stage, r->central ? 0.0 : 1.0, &s->solver));
  CALL(wisp_stepper_limit(err, s->solver, &s->dt));
  s->dt *= WISP_CFL;
  CALL(wisp_new(err, wisp_dg_volume_size(s->dg), sizeof *s->field, &s->field));
  CALL(wisp_new(err, s->mesh->elements, (size_t)(s->system->quantities + 1) * sizeof *s->medium, &s->medium));
  wisp_system_default_medium(s->system, s->mesh->elements, s->medium);
  if (r->mesh) CALL(wisp_mesh_note_unused(err, r->mesh, s->mesh));
  return GIVE(s, out);
}

void wisp_simulation_size(const wisp_simulation *s, size_t *elements, size_t *nodes, size_t *fields)
{
  *elements = s->mesh->elements;
  *nodes = (size_t)s->tet->Np;
  *fields = (size_t)s->system->fields;
}

const char *wisp_simulation_field(const wisp_simulation *s, size_t f)
{
  return f < (size_t)s->system->fields ? s->system->field[f] : NULL;
}

void wisp_simulation_nodes(const wisp_simulation *s, double *xyz)
{
  const size_t Np = (size_t)s->tet->Np;
  double own[3 * WISP_TET_MAX_NP];
  for (size_t k = 0; k < s->dg->slots; k++) {
    const size_t element = (size_t)s->dg->slot[k];
    if (s->dg->slot[k] == WISP_EMPTY) continue;
    wisp_dg_nodes(s->dg, k, own);
    for (size_t i = 0; i < 3 * Np; i++) xyz[3 * (element * Np + node_of(s, element, i / 3)) + i % 3] = own[i];
  }
}

/* Copies between u in the mesh's order and the device's layout. */
typedef struct exchange {
  const wisp_simulation *simulation;
  const double *from; /* u; NULL: the other way, to `to` */
  double *to;
} exchange;

/* A wisp_sweep over slots. */
static void exchange_slots(void *context, size_t first, size_t end)
{
  const exchange *x = context;
  const wisp_simulation *s = x->simulation;
  const wisp_dg *dg = s->dg;
  const int n = s->system->fields;
  const size_t K = s->mesh->elements, Np = (size_t)s->tet->Np;
  double own[WISP_TET_MAX_NP];
  for (size_t k = first; k < end; k++)
    for (int f = 0; f < n && dg->slot[k] != WISP_EMPTY; f++) {
      const size_t element = (size_t)dg->slot[k], there = ((size_t)f * K + element) * Np;
      for (size_t i = 0; i < Np; i++)
        own[i] =
            x->from ? x->from[there + node_of(s, element, i)] : s->field[wisp_layout_volume(&dg->layout, n, f, k, i)];
      x->from ? wisp_tet_from_nodes(s->tet, own) : wisp_tet_to_nodes(s->tet, own);
      for (size_t i = 0; i < Np; i++)
        *(x->from ? &s->field[wisp_layout_volume(&dg->layout, n, f, k, i)] : &x->to[there + node_of(s, element, i)]) =
            own[i];
    }
}

/* What a caller hands over: a simulation, and where numbers go to or come from. */
static wisp_status check(wisp_error *err, const wisp_simulation *s, const void *numbers)
{
  CALL(wisp_require(err, s, WISP_EUSAGE, "simulation: NULL is none: create one first"));
  return wisp_require(err, numbers, WISP_EUSAGE, "simulation: the array is NULL");
}

wisp_status wisp_simulation_set(wisp_error *err, wisp_simulation *s, const double *u)
{
  CALL(check(err, s, u));
  wisp_parallel_fill(s->field, 0, wisp_dg_volume_size(s->dg) * sizeof *s->field);
  wisp_parallel_for(s->dg->slots, exchange_slots, &(exchange){.simulation = s, .from = u});
  return wisp_solution_put(err, s->solver->problem, s->field);
}

wisp_status wisp_simulation_get(wisp_error *err, wisp_simulation *s, double *u)
{
  CALL(check(err, s, u));
  CALL(wisp_arrays_download(err, s->solver->problem->arrays, "u", s->field));
  wisp_parallel_for(s->dg->slots, exchange_slots, &(exchange){.simulation = s, .to = u});
  return WISP_OK;
}

double wisp_simulation_dt(const wisp_simulation *s)
{
  return s->dt;
}

wisp_status wisp_simulation_coefficient(wisp_error *err, wisp_simulation *s, const char *name, const double *values)
{
  OWNED(free) double *medium = NULL;
  CALL(check(err, s, values));
  const size_t n = (size_t)s->system->quantities, elements = s->mesh->elements;
  const int q = name ? wisp_system_quantity(s->system, name) : -1;
  CALL(wisp_require(err, q >= 0 && !s->system->quantity[q].expression, WISP_EUSAGE,
                    "simulation: system %s has no coefficient '%s'", s->system->name, name ? name : "NULL"));
  CALL(wisp_new(err, elements, n * sizeof *medium, &medium));
  memcpy(medium, s->medium, elements * n * sizeof *medium);
  for (size_t e = 0; e < elements; e++) medium[e * n + (size_t)q] = values[e];
  CALL(wisp_system_complete_medium(err, s->system, elements, medium));
  CALL(wisp_media_check(err, s->system, elements, medium, s->solver->precision));
  memcpy(s->medium, medium, elements * n * sizeof *medium);
  CALL(wisp_dg_set_medium(err, s->dg, medium));
  CALL(wisp_problem_refill(err, s->solver->problem));
  CALL(wisp_stepper_limit(err, s->solver, &s->dt));
  s->dt *= WISP_CFL;
  return WISP_OK;
}

wisp_status wisp_simulation_advance(wisp_error *err, wisp_simulation *s, double dt, long long steps,
                                    double *ms_per_stage)
{
  CALL(check(err, s, s));
  return wisp_stepper_advance(err, s->solver, dt, steps, ms_per_stage);
}

wisp_status wisp_simulation_energy(wisp_error *err, wisp_simulation *s, double *energy)
{
  CALL(check(err, s, energy));
  return wisp_solution_energy(err, s->solver->problem, energy);
}

int wisp_simulation_kernel(const wisp_simulation *s, size_t i, wisp_kernel_info *info)
{
  if (i >= (size_t)s->stage.kernels) return 0;
  *info = wisp_api_info(&s->stage.choice[i]);
  return 1;
}

int wisp_simulation_note(const wisp_simulation *s, size_t i, wisp_mesh_note *note)
{
  return wisp_notes_at(NULL, &s->mesh->notes, i, note) == WISP_OK;
}
