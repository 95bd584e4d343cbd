/* The nodal DG family in the tuner: irregular tets to check on, boxes and users' meshes to time on, steps of
 * Runge-Kutta stages, and the vendor's product beside those kernels that are one. */
#include "../trial/workload.h"
#include "../../gen/nodal/nodal.h"
#include "../../gen/nodal/half_turns.h"
#include "../../gen/random.h"
#include "../../runtime/nodal/dg_parts.h"
#include "../../runtime/nodal/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the test mesh: a mesh, and the operators of its order, which all discretisations share --- */

typedef struct tet_mesh {
  wisp_mesh *mesh;
  wisp_tet *tet;
} tet_mesh;

static void close_test_mesh(void *test_mesh)
{
  tet_mesh *made = test_mesh;
  if (!made) return;
  wisp_mesh_destroy(made->mesh);
  wisp_tet_destroy(made->tet);
  free(made);
}
WISP_OWNED(tet_mesh, close_test_mesh)

/* Timing problems, as cubes along an edge of the unit box (6 n^3 tets). On a GPU: what a kernel reads and writes is
 * larger than twice a large L2 (126 MB) even in single precision. On the host: a trial takes milliseconds. */
static const struct {
  int up_to_order, gpu, host;
} boxes[] = {{1, 48, 8}, {2, 36, 8}, {3, 28, 8}, {4, 26, 6}, {5, 22, 6},
             {6, 20, 6}, {7, 18, 5}, {8, 16, 5}, {10, 15, 5}};

static wisp_status open_test_mesh(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec,
                                  long long *elements, const wisp_mesh_source *source, void **out)
{
  const bool host = !limits->gpu;
  OWNED(close_test_mesh) tet_mesh *made = NULL;
  long long n = 1;
  for (size_t i = WISP_COUNT(boxes); i-- > 0;)
    if (spec->order <= boxes[i].up_to_order) n = host ? boxes[i].host : boxes[i].gpu;
  const size_t wanted = (size_t)(*elements > 0 ? *elements : 6 * n * n * n);
  wisp_mesh_source sorted = source ? *source : (wisp_mesh_source){.file = NULL};
  sorted.sorts_corners = true;
  CALL(wisp_new(err, 1, sizeof *made, &made));
  CALL(source ? wisp_mesh_some(err, 4, &sorted, wanted, &made->mesh)
              : wisp_mesh_to_check(err, 4, (int)*elements, &made->mesh));
  CALL(wisp_tet_create_for(err, spec->element, true, spec->order, &made->tet));
  *elements = (long long)made->mesh->elements;
  *out = made;
  made = NULL;
  return WISP_OK;
}

/* More than 16 bits count, as long as these have few nodes. */
static long long many_elements(const wisp_spec *spec)
{
  static const double ELEMENTS = 70000, NODES = 1.4e6;
  const double Np = (spec->order + 1) * (spec->order + 2) * (spec->order + 3) / 6.0;
  return (long long)fmin(ELEMENTS, NODES / Np);
}

/* --- discretisations --- */

static void destroy(void *self)
{
  wisp_dg *dg = self;
  wisp_system *system = (wisp_system *)(uintptr_t)dg->system;
  wisp_dg_destroy(dg);
  wisp_system_destroy(system);
}

/* Coefficients that jump from element to element, by up to 2^20; the same in every layout. */
static wisp_status make_media(wisp_error *err, wisp_dg *dg)
{
  const wisp_system *system = dg->system;
  const size_t n = (size_t)system->quantities, count = dg->mesh->elements;
  OWNED(free) double *medium = NULL;
  uint64_t random = 20;
  if (!n) return WISP_OK;
  CALL(wisp_new(err, count * n, sizeof *medium, &medium));
  for (size_t i = 0; i < count * n; i++)
    medium[i] = ldexp(1.5 + wisp_random_real(&random) / 2, (int)wisp_random_below(&random, 21) - 10);
  CALL(wisp_system_complete_medium(err, system, count, medium));
  return wisp_dg_set_medium(err, dg, medium);
}

/* In a layout without padding, with pairs for every inner face. */
static wisp_status count(wisp_error *err, const wisp_spec *spec, size_t elements, wisp_discretisation *out)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  const wisp_mesh mesh = {.elements = elements};
  CALL(wisp_tet_create_for(err, spec->element, true, spec->order, &tet));
  CALL(wisp_system_load(err, spec->system, &system));
  const wisp_layout natural = wisp_layout_padded(tet->Np, WISP_TET_FACES * tet->Nfp, 1);
  wisp_dg dg = wisp_dg_counted(&mesh, tet, system, &natural, 1);
  dg.pairs = WISP_TET_FACES / 2 * elements;
  *out = wisp_dg_discretisation(&dg);
  return WISP_OK;
}

/* Natural order is that of the elements' numbers, whatever order in memory the mesh suggests. */
static wisp_status discretise(wisp_error *err, const void *test_mesh, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  const tet_mesh *made = test_mesh;
  const wisp_mesh *mesh = made->mesh;
  const wisp_tet *tet = made->tet;
  wisp_mesh by_number = *mesh;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  wisp_dg *dg = NULL;
  CALL(wisp_require(err, spec->order == tet->N, WISP_EUSAGE, "a test mesh of order %d has no operators of order %d",
                    tet->N, spec->order));
  CALL(wisp_system_load(err, spec->system, &system));
  const wisp_layout natural = wisp_layout_padded(tet->Np, WISP_TET_FACES * tet->Nfp, 1);
  by_number.order = NULL;
  CALL(wisp_dg_create(err, layout ? mesh : &by_number, tet, system, layout ? layout : &natural, wisp_dg_grouping(fixed),
                      wisp_dg_MB(fixed), WISP_BY_TAG, &dg));
  dg->mesh = mesh;
  const wisp_status status = make_media(err, dg);
  if (status != WISP_OK) wisp_dg_destroy(dg);
  CALL(status);
  *out = wisp_dg_discretisation(dg);
  out->self = dg;
  out->destroy = destroy;
  system = NULL;
  return WISP_OK;
}

/* --- launches --- */

static void bind(const wisp_scalars *scalars, wisp_scalar_list *out)
{
  wisp_dg_bind(scalars, out->of);
  out->count = WISP_DG_SCALARS;
}

/* To check: a step such as a solver takes; what was and what is added are then of one size. */
static wisp_scalars usual(const wisp_problem *problem)
{
  const wisp_dg *dg = wisp_problem_dg(problem);
  const double nodes = dg->tet->N + 1;
  return (wisp_scalars){.alpha = 0.75, .a = -0.5, .b = 0.25, .dt = dg->min_time / (nodes * nodes)};
}

/* To time: a step so small that the fields stay as they are. */
static const double timed_dt = 1e-10;

static void scalars(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out)
{
  const wisp_scalars timed = {.alpha = 1, .a = -0.5, .b = 0.25, .dt = timed_dt},
                     s = purpose == WISP_FOR_CHECKS ? usual(problem) : timed;
  (void)stage;
  bind(&s, out);
}

static wisp_status step(wisp_error *err, wisp_problem *problem, const wisp_kernel *const *kernels, int count)
{
  const wisp_integrator integrator = wisp_integrator_of(problem, kernels, count, &wisp_lsrk45, 1);
  return wisp_integrator_step(err, &integrator, timed_dt);
}

/* --- checks --- */

static double positive(uint64_t *random, double least, double most)
{
  return least + (most - least) * fabs(wisp_random_real(random));
}

/* dt makes both what was and what is added count. */
static wisp_scalars make_scalars(wisp_test_case *r)
{
  const double alpha = positive(&r->random, 0.25, 0.75), usual = r->number == WISP_ZEROS  ? 0
                                                                 : r->number == WISP_EVEN ? 1
                                                                                          : alpha;
  return (wisp_scalars){.alpha = wisp_test_case_scalar(r, "alpha", usual),
                        .a = wisp_test_case_scalar(r, "a", -positive(&r->random, 0.25, 1)),
                        .b = wisp_test_case_scalar(r, "b", positive(&r->random, 0.25, 1)),
                        .dt = wisp_test_case_scalar(r, "dt", positive(&r->random, 0.015625, 0.03125))};
}

/* The first nested stage of a step begins with u_n, which is u then. */
static void begin_step(wisp_test_case *r)
{
  double *u = r->before[WISP_NODAL_U], *u_n = r->before[WISP_NODAL_U_N];
  if (wisp_test_case_extreme(r) != 1 || !u || !u_n) return;
  memcpy(u_n, u, r->numbers[WISP_NODAL_U] * sizeof *u);
  r->as = "u_n";
  r->is = "u";
}

/* One number of every eighth element that is no number, half of these infinite. */
static void put_unbounded(wisp_test_case *r, double *numbers, size_t elements, size_t together)
{
  for (size_t k = 0; k < elements; k++)
    if (wisp_random_below(&r->random, 8) == 0)
      numbers[k * together + wisp_random_below(&r->random, together)] =
          wisp_random_below(&r->random, 2) ? (double)INFINITY : (double)NAN;
}

/* Rounds have the numbers of wisp_test_inputs, the last two for comparisons alone. All scalars are random in each,
 * but that alpha is 0 where there are zeros and 1 where numbers are even. Numbers are exact in both precisions. */
static wisp_status fill_inputs(wisp_error *err, wisp_test_case *r)
{
  const wisp_dg *dg = r->discretisation->self;
  const size_t n = (size_t)dg->system->fields;
  OWNED(free) double *scale = NULL;
  wisp_scalars *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  r->own = s;
  *s = make_scalars(r);
  bind(s, &r->scalars);
  r->together = n * (size_t)dg->tet->Np;
  CALL(wisp_new(err, dg->slots, sizeof *scale, &scale));
  for (size_t k = 0; k < dg->slots; k++) {
    const size_t draw = wisp_random_below(&r->random, 24);
    scale[k] = r->number == WISP_SIZES                    ? ldexp(1, 10 * (int)(draw % 3) - 10)
               : r->number == WISP_ZEROS && draw % 8 == 0 ? 0
                                                          : 1;
  }
  for (int a = 0; a < WISP_NODAL_ARRAYS && r->number < WISP_EXTREMES; a++) {
    const size_t dofs = r->numbers[a] / (dg->slots * n), empty = wisp_random_below(&r->random, n);
    for (size_t q = 0; r->before[a] && q < r->numbers[a]; q++) {
      const bool zero = q / dofs % n == empty || wisp_random_below(&r->random, 4) == 0;
      r->before[a][q] *= r->number == WISP_ZEROS && zero ? 0 : scale[q / dofs / n];
      if (r->number == WISP_DECADES) r->before[a][q] = ldexp(r->before[a][q], -(int)wisp_random_below(&r->random, 21));
    }
    if (r->before[a] && r->number == WISP_UNBOUNDED) put_unbounded(r, r->before[a], dg->slots, dofs * n);
  }
  begin_step(r);
  return WISP_OK;
}

/* Elements outside of a sample, whose slots are empty to the reference. */
static void forget_others(const wisp_dg *dg, wisp_test_case *r)
{
  for (size_t k = 0; k < dg->slots; k++)
    for (int a = 0; a < WISP_NODAL_ARRAYS && dg->slot[k] == WISP_EMPTY; a++)
      for (size_t i = 0, of = r->numbers[a] / dg->slots; r->after[a] && i < of; i++) r->after[a][k * of + i] = NAN;
}

/* Two FP16 halves at the exponent of an element's largest number end 2^-14 below where FP32 ends for that number. */
static void widen(const wisp_dg *dg, const wisp_test_case *r)
{
  static const double BELOW = 0x1p-14;
  for (size_t k = 0; k < dg->slots; k++)
    for (int a = 0; a < WISP_NODAL_ARRAYS; a++) {
      const size_t count = r->numbers[a] / dg->slots;
      double most = 0, *size = r->size[a] ? r->size[a] + k * count : NULL;
      for (size_t i = 0; size && i < count; i++) most = fmax(most, size[i]);
      for (size_t i = 0; size && i < count; i++) size[i] += BELOW * most;
    }
}

/* Strategies that mix see nodes in the classes of half turns. */
static wisp_status compute_reference(wisp_error *err, wisp_test_case *r)
{
  const wisp_dg *dg = r->discretisation->self;
  const size_t square = (size_t)dg->tet->Np * (size_t)dg->tet->Np;
  wisp_tet tet = *dg->tet;
  wisp_dg mixed = *dg;
  OWNED(free) double *sizes = NULL;
  if (r->rounding & WISP_MIXES) {
    CALL(wisp_half_turns_sizes(err, dg->tet, &sizes));
    for (size_t mu = 0; mu < 3; mu++) tet.D_size[mu] = sizes + mu * square;
    tet.LIFT_size = sizes + 3 * square;
    mixed.tet = &tet;
  }
  CALL(wisp_dg_compute(err, &mixed, r->kernel->name, r->own, r->before, r->after, r->size));
  if (r->rounding & WISP_ONE_EXPONENT) widen(dg, r);
  forget_others(dg, r);
  return WISP_OK;
}

static wisp_status compute_single(wisp_error *err, const wisp_test_case *r, double *const *out)
{
  const wisp_dg *dg = r->discretisation->self;
  wisp_dg single = *dg;
  single.single = true;
  return wisp_dg_compute(err, &single, r->kernel->name, r->own, r->before, out, NULL);
}

/* --- on a solver's own mesh --- */

/* The elements that a reference computes in some tenths of a second. */
static size_t afforded(const wisp_dg *dg)
{
  const double Np = dg->tet->Np, work = dg->system->fields * (3 * Np * Np + Np * dg->layout.Nf);
  return (size_t)fmax(48, 1e8 / work);
}

/* The sampled slots of a problem, and behind them their neighbours, as a discretisation in the natural layout, which a
 * reference computes; and the problem's own, whose slots have their numbers there. */
typedef struct sampled {
  wisp_dg view, numbered;
  size_t own; /* slots of the sample */
  size_t (*origin)(const void *dg, const wisp_array_decl *array, size_t i);
} sampled;

static void free_sampled(void *self)
{
  sampled *s = self;
  free(s->view.slot), free(s->view.medium), free(s->view.geo), free(s->view.face_int), free(s->view.face_real);
  free(s->numbered.slot);
  free(s);
}

static size_t neighbour_of(const wisp_dg *dg, size_t k, int face)
{
  return wisp_dg_slot_at(dg, (size_t)dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, face, k)]);
}

static void number_slot(sampled *s, size_t k)
{
  if (s->numbered.slot[k] == WISP_EMPTY) s->numbered.slot[k] = (int32_t)s->view.slots++;
}

/* Numbers the picked slots, then their neighbours. */
static void number_slots(const wisp_dg *dg, const unsigned char *picked, sampled *s)
{
  for (size_t k = 0; k < dg->slots; k++) s->numbered.slot[k] = WISP_EMPTY;
  for (size_t k = 0; k < dg->slots; k++)
    if (picked[k] && dg->slot[k] != WISP_EMPTY) number_slot(s, k);
  s->own = s->view.slots;
  for (size_t k = 0; k < dg->slots; k++)
    for (int face = 0; face < WISP_TET_FACES; face++)
      if (picked[k] && dg->slot[k] != WISP_EMPTY) number_slot(s, neighbour_of(dg, k, face));
}

/* Copies the numbers of slot k. */
static void copy_slot(const wisp_dg *dg, size_t k, sampled *s)
{
  wisp_dg *view = &s->view;
  const size_t at = (size_t)s->numbered.slot[k];
  const wisp_records *r = &dg->records;
  view->slot[at] = at < s->own ? dg->slot[k] : WISP_EMPTY;
  memcpy(wisp_dg_medium(view, at), wisp_dg_medium(dg, k), (size_t)dg->system->quantities * sizeof *dg->medium);
  for (int c = 0; c < r->geos; c++)
    view->geo[wisp_dg_at(view, r->geos, c, at)] = dg->geo[wisp_dg_at(dg, r->geos, c, k)];
  for (int c = 0; c < r->face_reals; c++)
    view->face_real[wisp_dg_at(view, r->face_reals, c, at)] = dg->face_real[wisp_dg_at(dg, r->face_reals, c, k)];
  for (int face = 0; face < WISP_TET_FACES && at < s->own; face++) {
    const size_t beyond = (size_t)s->numbered.slot[neighbour_of(dg, k, face)];
    view->face_int[wisp_dg_at(view, WISP_FACE_INTS, face, at)] =
        (int)wisp_layout_volume(&view->layout, dg->system->fields, 0, beyond, 0);
    view->face_int[wisp_dg_at(view, WISP_FACE_INTS, 4 + face, at)] =
        dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, 4 + face, k)];
  }
}

static wisp_status copy_slots(wisp_error *err, const wisp_dg *dg, sampled *s)
{
  wisp_dg *view = &s->view;
  const size_t n = view->slots;
  view->groups = view->blocks = n;
  CALL(wisp_new(err, n, sizeof *view->slot, &view->slot));
  CALL(wisp_new(err, n * (size_t)dg->system->quantities + 1, sizeof *view->medium, &view->medium));
  CALL(wisp_new(err, n * (size_t)dg->records.geos, sizeof *view->geo, &view->geo));
  CALL(wisp_new(err, n * WISP_FACE_INTS, sizeof *view->face_int, &view->face_int));
  CALL(wisp_new(err, n * (size_t)dg->records.face_reals, sizeof *view->face_real, &view->face_real));
  for (size_t k = 0; k < dg->slots; k++)
    if (s->numbered.slot[k] != WISP_EMPTY) copy_slot(dg, k, s);
  return WISP_OK;
}

/* The place of a number of the problem's in the sample. */
static size_t origin_of_sampled(const void *self, const wisp_array_decl *array, size_t i)
{
  const sampled *s = self;
  return s->origin(&s->numbered, array, i);
}

/* Slots outside of a sample are empty to its reference. */
static void free_narrowed(void *self)
{
  free(((wisp_dg *)self)->slot);
  free(self);
}

static wisp_status narrow(wisp_error *err, const wisp_discretisation *all, uint64_t *random, wisp_discretisation *out)
{
  const wisp_dg *dg = all->self;
  OWNED(free) unsigned char *picked = NULL;
  OWNED(free) int32_t *slot = NULL;
  wisp_dg *view = NULL;
  if (afforded(dg) >= dg->slots) return WISP_OK;
  CALL(wisp_sample_pick(err, dg->slots, afforded(dg), random, &picked));
  CALL(wisp_new(err, dg->slots, sizeof *slot, &slot));
  for (size_t k = 0; k < dg->slots; k++) slot[k] = picked[k] ? dg->slot[k] : WISP_EMPTY;
  CALL(wisp_new(err, 1, sizeof *view, &view));
  *view = *dg;
  view->slot = slot;
  slot = NULL;
  *out = *all;
  out->self = view, out->destroy = free_narrowed;
  return WISP_OK;
}

static wisp_status adopt(wisp_error *err, const wisp_solver *solver, const wisp_problem *problem, const wisp_plan *plan,
                         wisp_test_case *r, wisp_sample *out)
{
  const wisp_dg *dg = wisp_problem_dg(problem);
  const wisp_scalar_list *list = &r->scalars;
  OWNED(free) unsigned char *picked = NULL;
  sampled *s = NULL;
  wisp_scalars *scalars = NULL;
  (void)solver, (void)plan;
  CALL(wisp_new(err, 1, sizeof *scalars, &scalars));
  r->own = scalars;
  *scalars = (wisp_scalars){wisp_scalar_of(list, "alpha", 1), wisp_scalar_of(list, "a", 0),
                            wisp_scalar_of(list, "b", 0), wisp_scalar_of(list, "dt", 0)};
  CALL(wisp_sample_pick(err, dg->slots, afforded(dg), &r->random, &picked));
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *out = (wisp_sample){.d = {.self = s, .destroy = free_sampled}};
  s->numbered = *dg, s->numbered.slot = NULL, s->origin = problem->d.origin;
  s->view = (wisp_dg){.mesh = dg->mesh, .tet = dg->tet, .system = dg->system, .MB = 1, .records = dg->records};
  s->view.turnlist = dg->turnlist;
  s->view.layout = wisp_layout_padded(dg->tet->Np, WISP_TET_FACES * dg->tet->Nfp, 1);
  CALL(wisp_new(err, dg->slots, sizeof *s->numbered.slot, &s->numbered.slot));
  number_slots(dg, picked, s);
  CALL(copy_slots(err, dg, s));
  out->d = wisp_dg_discretisation(&s->view); /* its self, the view, stands first */
  out->d.destroy = free_sampled, out->d.origin = origin_of_sampled;
  out->compact = true, out->own = s->own, out->of = s->view.slots;
  return WISP_OK;
}

const wisp_workload wisp_workload_nodal = {
    .family = "nodal",
    .count = count,
    .open = open_test_mesh,
    .close = close_test_mesh,
    .many = many_elements,
    .discretise = discretise,
    .scalars = scalars,
    .stages = &wisp_lsrk45.stages,
    .step = step,
    .fill_inputs = fill_inputs,
    .other_meshes = WISP_CHECK_MESHES - 1,
    .reference = compute_reference,
    .single_sums = compute_single,
    .narrow = narrow,
    .adopt = adopt,
    .dense = wisp_nodal_dense,
    .published = 6ll * 26 * 26 * 26,
};
