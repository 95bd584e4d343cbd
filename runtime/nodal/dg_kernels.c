#include "dg_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays that are computed with: those before the fixed ones. */
enum { U = WISP_NODAL_U, U_NEXT, RHS, LIFTED, RES, FLUX, DUX, DUY, DUZ, FIELDS };
_Static_assert(FLUX == (int)WISP_NODAL_FLUX && DUX == (int)WISP_NODAL_DUX && FIELDS == (int)WISP_NODAL_GEO,
               "the fields stand in the order of gen/nodal/nodal.h");

static size_t size_of(const wisp_dg *dg, int array)
{
  return array == FLUX ? wisp_dg_face_size(dg) : wisp_dg_volume_size(dg);
}

/* --- the definitions: on values, and where they are linear alike on magnitudes --- */

/* Arrays in and out of one evaluation, and what operators it takes: the problem's, or those without signs. */
typedef struct pass {
  const wisp_dg *dg;
  wisp_scalars scalars;           /* of magnitudes: likewise without signs */
  double *const *in, *const *out; /* by array */
  const double *flux;             /* of the faces of `in`, where the kernel makes them itself */
} pass;

static wisp_status volume(wisp_error *err, const pass *p)
{
  return wisp_reference_volume(err, p->dg, p->in[U], p->out[RHS]);
}

static wisp_status derivative(wisp_error *err, const pass *p)
{
  double *const du[3] = {p->out[DUX], p->out[DUY], p->out[DUZ]};
  return wisp_reference_derivative(err, p->dg, p->in[U], du);
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
  memset(p->out[LIFTED], 0, wisp_dg_volume_size(p->dg) * sizeof *p->out[LIFTED]); /* the reference adds */
  return wisp_reference_lift(err, p->dg, p->in[FLUX], p->out[LIFTED]);
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
  OWNED(free) double *rhs = NULL;
  CALL(wisp_new(err, wisp_dg_volume_size(p->dg), sizeof *rhs, &rhs));
  CALL(wisp_reference_volume(err, p->dg, p->in[U], rhs));
  CALL(wisp_reference_lift(err, p->dg, flux, rhs));
  advance(p, rhs, NULL, U_NEXT);
  return WISP_OK;
}

static wisp_status fused(wisp_error *err, const pass *p)
{
  return volume_lift_update(err, p, p->in[FLUX]);
}

static wisp_status stage(wisp_error *err, const pass *p)
{
  return volume_lift_update(err, p, p->flux);
}

/* Every kernel's definition. */
static const struct role {
  const char *kernel;
  wisp_status (*compute)(wisp_error *err, const pass *p);
  bool gathers;
} roles[] = {
    {"volume", volume, false},     {"derivative", derivative, false},
    {"assemble", assemble, false}, {"gather", gather, true},
    {"lift", lift, false},         {"update", update, false},
    {"fused", fused, false},       {"stage", stage, true},
};

static wisp_status find_role(wisp_error *err, const char *kernel, const struct role **out)
{
  for (size_t i = 0; i < WISP_COUNT(roles); i++)
    if (strcmp(roles[i].kernel, kernel) == 0) {
      *out = &roles[i];
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EUSAGE, "the nodal family has no definition of a kernel '%s'", kernel);
}

bool wisp_dg_gathers(const char *kernel)
{
  const struct role *role = NULL;
  return find_role(NULL, kernel, &role) == WISP_OK && role->gathers;
}

static wisp_scalars without_signs(const wisp_scalars *s)
{
  return (wisp_scalars){fabs(s->alpha), fabs(s->a), fabs(s->b), fabs(s->dt)};
}

/* Results, and on operators, scalars and data without signs what they are added up from. */
wisp_status wisp_dg_compute(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *scalars,
                            double *const *in, double *const *out, double *const *sizes)
{
  wisp_status status = WISP_OK;
  const struct role *role = NULL;
  OWNED(wisp_dg_magnitudes_destroy) wisp_dg *magnitudes = NULL;
  double *flux = NULL, *flux_size = NULL, *in_size[FIELDS] = {NULL};
  TRY(find_role(err, kernel, &role));
  TRY(wisp_dg_magnitudes(err, dg, &magnitudes));
  TRY(wisp_new(err, wisp_dg_face_size(dg), sizeof *flux, &flux));
  TRY(wisp_new(err, wisp_dg_face_size(dg), sizeof *flux_size, &flux_size));
  if (role->gathers) wisp_reference_gather(dg, scalars->alpha, in[U], flux, flux_size);
  for (int a = 0; a < FIELDS; a++) {
    if (!in[a]) continue;
    TRY(wisp_new(err, size_of(dg, a), sizeof *in_size[a], &in_size[a]));
    for (size_t q = 0; q < size_of(dg, a); q++) in_size[a][q] = fabs(in[a][q]);
  }
  TRY(role->compute(err, &(pass){dg, *scalars, in, out, flux}));
  TRY(role->compute(err, &(pass){magnitudes, without_signs(scalars), in_size, sizes, flux_size}));
done:
  for (int a = 0; a < FIELDS; a++) free(in_size[a]);
  free(flux), free(flux_size);
  return status;
}

/* --- the worst element --- */

/* One element, without signs, whose every factor is the largest that there is. */
static wisp_status make_worst(wisp_error *err, const wisp_dg *dg, wisp_dg *one, double *scale)
{
  *one = (wisp_dg){.tet = dg->tet, .system = dg->system, .slots = 1, .groups = 1, .blocks = 1, .MB = 1};
  one->layout = wisp_layout_padded(dg->layout.Np, dg->layout.Nf, 1);
  CALL(wisp_new(err, 1, sizeof *one->slot, &one->slot));
  CALL(wisp_new(err, WISP_GEO, sizeof *one->geo, &one->geo));
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    for (int c = 0; c < WISP_GEO; c++)
      one->geo[c] = fmax(one->geo[c], fabs(dg->geo[wisp_layout_element(&dg->layout, WISP_GEO, c, k)]));
    for (int f = 0; f < WISP_TET_FACES; f++)
      *scale = fmax(*scale, dg->face_real[wisp_layout_element(&dg->layout, WISP_FACE_REALS, 4 * f + 3, k)]);
  }
  return WISP_OK;
}

/* The fluxes' sums, of traces of magnitude 1 on any kind of face. */
static void worst_flux(const wisp_dg *one, double alpha, double scale, double *flux)
{
  static const double normal[3] = {1, 1, 1};
  const int n = one->system->fields;
  double ones[WISP_MAX_FIELDS], value[WISP_MAX_FIELDS], size[WISP_MAX_FIELDS];
  for (int f = 0; f < n; f++) ones[f] = 1;
  for (int boundary = -1; boundary < one->system->boundaries; boundary++) {
    wisp_system_flux(one->system, boundary, normal, alpha, ones, ones, value, size);
    for (int f = 0; f < n; f++)
      for (int i = 0; i < one->layout.Nf; i++) {
        double *at = &flux[wisp_layout_face(&one->layout, n, f, 0, (size_t)i)];
        *at = fmax(*at, scale * size[f]);
      }
  }
}

wisp_status wisp_dg_largest(wisp_error *err, const wisp_dg *dg, const char *kernel, const wisp_scalars *s,
                            double largest[WISP_NODAL_ARRAYS])
{
  wisp_status status = WISP_OK;
  const struct role *role = NULL;
  wisp_dg one = {0}, *magnitudes = NULL;
  double scale = 0, *flux = NULL, *in[FIELDS] = {NULL}, *out[FIELDS] = {NULL};
  TRY(find_role(err, kernel, &role));
  TRY(make_worst(err, dg, &one, &scale));
  TRY(wisp_dg_magnitudes(err, &one, &magnitudes));
  TRY(wisp_new(err, wisp_dg_face_size(&one), sizeof *flux, &flux));
  worst_flux(&one, s->alpha, scale, flux);
  for (int a = 0; a < FIELDS; a++) {
    TRY(wisp_new(err, size_of(&one, a), sizeof *in[a], &in[a]));
    TRY(wisp_new(err, size_of(&one, a), sizeof *out[a], &out[a]));
    for (size_t q = 0; q < size_of(&one, a); q++) in[a][q] = 1;
  }
  TRY(role->compute(err, &(pass){magnitudes, without_signs(s), in, out, flux}));
  for (int a = 0; a < WISP_NODAL_ARRAYS; a++) largest[a] = 0;
  for (int a = 0; a < FIELDS; a++) {
    for (size_t q = 0; q < size_of(&one, a); q++) largest[a] = fmax(largest[a], out[a][q]);
  }
done:
  for (int a = 0; a < FIELDS; a++) free(in[a]), free(out[a]);
  free(flux), free(one.slot), free(one.geo);
  wisp_dg_magnitudes_destroy(magnitudes);
  return status;
}
