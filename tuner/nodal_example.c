#include "nodal_example.h"
#include "../gen/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { U = WISP_NODAL_U, U_NEXT, RHS, LIFTED, RES, FLUX, DUX, DUY, DUZ, ARRAYS };
const char *const wisp_nodal_names[ARRAYS] = {"u", "u_next", "rhs", "lifted", "res", "flux", "dux", "duy", "duz"};

size_t wisp_nodal_size(const wisp_dg *dg, int array)
{
  return array == FLUX ? wisp_dg_face_size(dg) : wisp_dg_volume_size(dg);
}

size_t wisp_nodal_dofs(const wisp_dg *dg, int array)
{
  return (size_t)(array == FLUX ? dg->layout.Nf : dg->layout.Np);
}

size_t wisp_nodal_address(const wisp_dg *dg, int array, int f, size_t k, size_t i)
{
  int n = dg->system->fields;
  return array == FLUX ? wisp_layout_face(&dg->layout, n, f, k, i) : wisp_layout_volume(&dg->layout, n, f, k, i);
}

/* --- references: on values, and where they are linear alike on magnitudes --- */

/* Arrays in and out of one evaluation, and what operators it takes: the problem's, or those without signs. */
typedef struct pass {
  const wisp_dg *dg;
  wisp_scalars scalars;     /* of magnitudes: likewise without signs */
  double *const *in, **out; /* by array */
  const double *flux;       /* of the faces of `in`, where the kernel makes them itself */
} pass;

static void add_volume(const pass *p, double *rhs)
{
  wisp_reference_volume(p->dg, p->in[U], rhs);
}

static wisp_status volume(wisp_error *err, const pass *p)
{
  (void)err;
  add_volume(p, p->out[RHS]);
  return WISP_OK;
}

static wisp_status derivative(wisp_error *err, const pass *p)
{
  (void)err;
  double *const du[3] = {p->out[DUX], p->out[DUY], p->out[DUZ]};
  wisp_reference_derivative(p->dg, p->in[U], du);
  return WISP_OK;
}

/* rhs = sum of coefficient * d u_in / d axis, at every DOF of an element. */
static wisp_status assemble(wisp_error *err, const pass *p)
{
  (void)err;
  const wisp_dg *dg = p->dg;
  const wisp_layout *l = &dg->layout;
  const wisp_system *system = dg->system;
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t i = 0; dg->slot[k] != WISP_EMPTY && i < (size_t)l->Np; i++) {
      double sum[WISP_MAX_FIELDS] = {0};
      for (size_t t = 0; t < system->terms; t++) {
        const wisp_term *term = &system->term[t];
        sum[term->out] +=
            term->coefficient * p->in[DUX + term->axis][wisp_layout_volume(l, system->fields, term->in, k, i)];
      }
      for (int f = 0; f < system->fields; f++) p->out[RHS][wisp_layout_volume(l, system->fields, f, k, i)] = sum[f];
    }
  return WISP_OK;
}

/* Both are there already. */
static wisp_status gather(wisp_error *err, const pass *p)
{
  (void)err;
  memcpy(p->out[FLUX], p->flux, wisp_dg_face_size(p->dg) * sizeof *p->flux);
  return WISP_OK;
}

static wisp_status lift(wisp_error *err, const pass *p)
{
  (void)err;
  memset(p->out[LIFTED], 0, wisp_dg_volume_size(p->dg) * sizeof *p->out[LIFTED]); /* the reference adds */
  wisp_reference_lift(p->dg, p->in[FLUX], p->out[LIFTED]);
  return WISP_OK;
}

/* res = a res + dt (rhs + lifted); u += b res, to array `to`; lifted may be NULL. NaN stays NaN in padding. */
static void advance(const pass *p, const double *rhs, const double *lifted, int to)
{
  size_t size = wisp_dg_volume_size(p->dg);
  for (size_t q = 0; q < size; q++) {
    const double res = p->scalars.a * p->in[RES][q] + p->scalars.dt * (rhs[q] + (lifted ? lifted[q] : 0));
    p->out[to][q] = p->in[U][q] + p->scalars.b * res;
    p->out[RES][q] = res;
  }
}

static wisp_status update(wisp_error *err, const pass *p)
{
  (void)err;
  advance(p, p->in[RHS], p->in[LIFTED], U);
  return WISP_OK;
}

static wisp_status volume_lift_update(wisp_error *err, const pass *p, const double *flux)
{
  wisp_status status = WISP_OK;
  double *rhs = NULL;
  TRY(wisp_new(err, wisp_dg_volume_size(p->dg), sizeof *rhs, &rhs));
  add_volume(p, rhs);
  wisp_reference_lift(p->dg, flux, rhs);
  advance(p, rhs, NULL, U_NEXT);
done:
  free(rhs);
  return status;
}

static wisp_status fused(wisp_error *err, const pass *p)
{
  return volume_lift_update(err, p, p->in[FLUX]);
}

static wisp_status stage(wisp_error *err, const pass *p)
{
  return volume_lift_update(err, p, p->flux);
}

#define BIT(array) (1u << (array))

/* Every kernel: which arrays it may read (random), which it must leave right, and by which reference. */
static const struct role {
  const char *kernel;
  unsigned reads, writes;
  wisp_status (*compute)(wisp_error *err, const pass *p);
  bool gathers; /* makes fluxes, and so has alpha */
} roles[] = {
    {"volume", BIT(U), BIT(RHS), volume, false},
    {"derivative", BIT(U), BIT(DUX) | BIT(DUY) | BIT(DUZ), derivative, false},
    {"assemble", BIT(DUX) | BIT(DUY) | BIT(DUZ), BIT(RHS), assemble, false},
    {"gather", BIT(U), BIT(FLUX), gather, true},
    {"lift", BIT(FLUX), BIT(LIFTED), lift, false},
    {"update", BIT(U) | BIT(RES) | BIT(RHS) | BIT(LIFTED), BIT(U) | BIT(RES), update, false},
    {"fused", BIT(U) | BIT(RES) | BIT(FLUX), BIT(U_NEXT) | BIT(RES), fused, false},
    {"stage", BIT(U) | BIT(RES), BIT(U_NEXT) | BIT(RES), stage, true},
};

static const struct role *find_role(const char *kernel)
{
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (strcmp(roles[i].kernel, kernel) == 0) return &roles[i];
  return NULL;
}

int wisp_nodal_rounds(const char *kernel)
{
  const struct role *role = find_role(kernel);
  return !role ? 0 : role->gathers ? 3 : 2;
}

/* --- data --- */

enum { SIZES, ZEROS, PLAIN }; /* what is particular about a round */

static double positive(uint64_t *random, double least, double most)
{
  return least + (most - least) * fabs(wisp_random_real(random));
}

/* dt makes both what was and what is added count. */
static wisp_scalars make_scalars(uint64_t *random, int round)
{
  const double alpha = positive(random, 0.25, 0.75);
  return (wisp_scalars){.alpha = round == ZEROS   ? 0
                                 : round == PLAIN ? 1
                                                  : alpha,
                        .a = -positive(random, 0.25, 1),
                        .b = positive(random, 0.25, 1),
                        .dt = positive(random, 0.015625, 0.03125)};
}

/* A power of two for each slot: all numbers of an element are multiplied by it. Or 0: an element of zeros. */
static wisp_status make_scales(wisp_error *err, size_t slots, int round, uint64_t *random, double **out)
{
  wisp_status status = wisp_new(err, slots, sizeof **out, out);
  for (size_t k = 0; status == WISP_OK && k < slots; k++) {
    const uint64_t draw = wisp_random_next(random) >> 32;
    (*out)[k] = round == SIZES ? ldexp(1, (int)(draw % 3) * 10 - 10) : round == ZEROS && draw % 8 == 0 ? 0 : 1;
  }
  return status;
}

/* NaN everywhere; random numbers at the DOFs of elements where the kernel reads. */
static wisp_status make_array(wisp_error *err, const wisp_dg *dg, int array, bool random, int round,
                              const double *scales, uint64_t *state, double **out)
{
  const size_t size = wisp_nodal_size(dg, array), dofs = wisp_nodal_dofs(dg, array);
  const int empty = round == ZEROS ? (int)(wisp_random_next(state) >> 32) % dg->system->fields : -1;
  wisp_status status = wisp_new(err, size, sizeof **out, out);
  if (status != WISP_OK) return status;
  for (size_t q = 0; q < size; q++) (*out)[q] = NAN;
  for (size_t k = 0; random && k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < dofs; i++) {
        const double number = scales[k] * wisp_random_real(state);
        const bool zero = f == empty || (round == ZEROS && wisp_random_next(state) >> 62 == 0);
        (*out)[wisp_nodal_address(dg, array, f, k, i)] = zero ? 0 : number;
      }
  return WISP_OK;
}

void wisp_nodal_example_free(wisp_nodal_example *e)
{
  for (int a = 0; a < ARRAYS; a++) free(e->before[a]), free(e->after[a]), free(e->size[a]);
  *e = (wisp_nodal_example){0};
}

/* Results, and on operators, scalars and data without signs what they are added up from. */
static wisp_status compute(wisp_error *err, const wisp_dg *dg, const struct role *role, wisp_nodal_example *e)
{
  wisp_status status = WISP_OK;
  wisp_dg *magnitudes = NULL;
  double *flux = NULL, *flux_size = NULL, *sizes[ARRAYS] = {NULL};
  TRY(wisp_dg_magnitudes(err, dg, &magnitudes));
  TRY(wisp_new(err, wisp_dg_face_size(dg), sizeof *flux, &flux));
  TRY(wisp_new(err, wisp_dg_face_size(dg), sizeof *flux_size, &flux_size));
  if (role->gathers) TRY(wisp_reference_gather_sizes(err, dg, e->scalars.alpha, e->before[U], flux, flux_size));
  for (int a = 0; a < ARRAYS; a++) {
    TRY(wisp_new(err, wisp_nodal_size(dg, a), sizeof *sizes[a], &sizes[a]));
    for (size_t q = 0; q < wisp_nodal_size(dg, a); q++) sizes[a][q] = fabs(e->before[a][q]);
  }
  const wisp_scalars s = e->scalars, without = {fabs(s.alpha), fabs(s.a), fabs(s.b), fabs(s.dt)};
  const pass of_values = {dg, s, e->before, e->after, flux},
             of_sizes = {magnitudes, without, sizes, e->size, flux_size};
  TRY(role->compute(err, &of_values));
  TRY(role->compute(err, &of_sizes));
done:
  for (int a = 0; a < ARRAYS; a++) free(sizes[a]);
  free(flux), free(flux_size);
  wisp_dg_magnitudes_destroy(magnitudes);
  return status;
}

wisp_status wisp_nodal_example_make(wisp_error *err, const wisp_dg *dg, const char *kernel, int round, uint64_t seed,
                                    wisp_nodal_example *e)
{
  wisp_status status = WISP_OK;
  const struct role *role = find_role(kernel);
  uint64_t state = wisp_random_from(seed + (uint64_t)round);
  double *scales = NULL;
  int writes = 0;
  e->scalars = make_scalars(&state, round);
  TRY(make_scales(err, dg->slots, round, &state, &scales));
  for (int a = 0; a < ARRAYS; a++) {
    TRY(make_array(err, dg, a, role->reads & BIT(a), round, scales, &state, &e->before[a]));
    if (!(role->writes & BIT(a))) continue;
    TRY(wisp_new(err, wisp_nodal_size(dg, a), sizeof *e->after[a], &e->after[a]));
    TRY(wisp_new(err, wisp_nodal_size(dg, a), sizeof *e->size[a], &e->size[a]));
    e->writes[writes++] = wisp_nodal_names[a];
  }
  TRY(compute(err, dg, role, e));
done:
  free(scales);
  return status;
}

/* --- the worst element --- */

/* One element, without signs, whose every factor is the largest that there is. */
static wisp_status make_worst(wisp_error *err, const wisp_dg *dg, wisp_dg *one, double *scale)
{
  wisp_status status = WISP_OK;
  *one = (wisp_dg){.tet = dg->tet, .system = dg->system, .slots = 1, .groups = 1, .blocks = 1, .MB = 1};
  one->layout = wisp_layout_padded(dg->layout.Np, dg->layout.Nf, 1);
  TRY(wisp_new(err, 1, sizeof *one->slot, &one->slot));
  TRY(wisp_new(err, WISP_GEO, sizeof *one->geo, &one->geo));
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    for (int c = 0; c < WISP_GEO; c++)
      one->geo[c] = fmax(one->geo[c], fabs(dg->geo[wisp_layout_element(&dg->layout, WISP_GEO, c, k)]));
    for (int f = 0; f < WISP_TET_FACES; f++)
      *scale = fmax(*scale, dg->face_real[wisp_layout_element(&dg->layout, WISP_FACE_REALS, 4 * f + 3, k)]);
  }
done:
  return status;
}

/* The fluxes' sums, of traces of magnitude 1 on any kind of face. */
static wisp_status worst_flux(wisp_error *err, const wisp_dg *one, double alpha, double scale, double *flux)
{
  static const double normal[3] = {1, 1, 1};
  wisp_status status = WISP_OK;
  const int n = one->system->fields;
  double ones[WISP_MAX_FIELDS], value[WISP_MAX_FIELDS], size[WISP_MAX_FIELDS];
  for (int f = 0; f < n; f++) ones[f] = 1;
  for (int boundary = -1; boundary < one->system->boundaries; boundary++) {
    TRY(wisp_system_flux_sizes(err, one->system, boundary, normal, alpha, ones, ones, value, size));
    for (int f = 0; f < n; f++)
      for (int i = 0; i < one->layout.Nf; i++) {
        double *at = &flux[wisp_layout_face(&one->layout, n, f, 0, (size_t)i)];
        *at = fmax(*at, scale * size[f]);
      }
  }
done:
  return status;
}

wisp_status wisp_nodal_largest(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *s,
                               double largest[WISP_NODAL_ARRAYS])
{
  wisp_status status = WISP_OK;
  const struct role *role = find_role(kernel);
  wisp_dg one = {0}, *magnitudes = NULL;
  double scale = 0, *flux = NULL, *in[ARRAYS] = {NULL}, *out[ARRAYS] = {NULL};
  TRY(make_worst(err, dg, &one, &scale));
  TRY(wisp_dg_magnitudes(err, &one, &magnitudes));
  TRY(wisp_new(err, wisp_dg_face_size(&one), sizeof *flux, &flux));
  TRY(worst_flux(err, &one, s->alpha, scale, flux));
  for (int a = 0; a < ARRAYS; a++) {
    TRY(wisp_new(err, wisp_nodal_size(&one, a), sizeof *in[a], &in[a]));
    TRY(wisp_new(err, wisp_nodal_size(&one, a), sizeof *out[a], &out[a]));
    for (size_t q = 0; q < wisp_nodal_size(&one, a); q++) in[a][q] = 1;
  }
  TRY(role->compute(err, &(pass){magnitudes, {fabs(s->alpha), fabs(s->a), fabs(s->b), fabs(s->dt)}, in, out, flux}));
  for (int a = 0; a < ARRAYS; a++) {
    largest[a] = 0;
    for (size_t q = 0; q < wisp_nodal_size(&one, a); q++) largest[a] = fmax(largest[a], out[a][q]);
  }
done:
  for (int a = 0; a < ARRAYS; a++) free(in[a]), free(out[a]);
  free(flux), free(one.slot), free(one.geo);
  wisp_dg_magnitudes_destroy(magnitudes);
  return status;
}
