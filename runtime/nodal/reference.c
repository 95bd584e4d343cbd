/* The definitions as loops, in double: what every kernel's result is held against. */
#include "dg_parts.h"
#include "../parallel.h"

#include <math.h>
#include <stdlib.h>

/* Where DOF i of field f in slot k lies. */
static size_t volume_at(const wisp_dg *dg, int f, size_t k, int i)
{
  return wisp_layout_volume(&dg->layout, dg->system->fields, f, k, (size_t)i);
}

static size_t face_at(const wisp_dg *dg, int f, size_t k, int i)
{
  return wisp_layout_face(&dg->layout, dg->system->fields, f, k, (size_t)i);
}

/* A partial sum as it is kept. */
static double kept(const wisp_dg *dg, double sum)
{
  return dg->single ? (double)(float)sum : sum;
}

/* The derivatives along x, y and z of one field in one element: d/dx_nu = sum over mu of dr_mu/dx_nu D_mu. */
static void derive(const wisp_dg *dg, size_t k, int f, const double *u, double du[3][WISP_TET_MAX_NP])
{
  int Np = dg->tet->Np;
  double own[WISP_TET_MAX_NP];
  for (int j = 0; j < Np; j++) own[j] = u[volume_at(dg, f, k, j)];
  for (int i = 0; i < Np; i++) {
    double along[3] = {0};
    for (int j = 0; j < Np; j++)
      for (int mu = 0; mu < 3; mu++) along[mu] = kept(dg, along[mu] + kept(dg, dg->tet->D[mu][i * Np + j]) * own[j]);
    for (int nu = 0; nu < 3; nu++) {
      du[nu][i] = 0;
      for (int mu = 0; mu < 3; mu++)
        du[nu][i] = kept(dg, du[nu][i] + kept(dg, dg->geo[wisp_dg_geo_at(dg, 3 * mu + nu, k)]) * along[mu]);
    }
  }
}

/* One operator on all elements; its parts are wisp_sweeps over slots. */
typedef struct loop {
  const wisp_dg *dg;
  const double *in;
  double *const *out;
} loop;

static void derive_slots(void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_dg *dg = l->dg;
  double own[3][WISP_TET_MAX_NP];
  for (size_t k = from; k < to; k++)
    for (int f = 0; f < dg->system->fields && dg->slot[k] != WISP_EMPTY; f++) {
      derive(dg, k, f, l->in, own);
      for (int nu = 0; nu < 3; nu++)
        for (int i = 0; i < dg->tet->Np; i++) l->out[nu][volume_at(dg, f, k, i)] = own[nu][i];
    }
}

void wisp_reference_derivative(const wisp_dg *dg, const double *u, double *const du[3])
{
  wisp_parallel_for(dg->slots, derive_slots, &(loop){dg, u, du});
}

static void volume_slots(void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_dg *dg = l->dg;
  const wisp_system *system = dg->system;
  double own[3][WISP_TET_MAX_NP], *rhs = l->out[0];
  for (size_t k = from; k < to; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    for (int f = 0; f < system->fields; f++)
      for (int i = 0; i < dg->tet->Np; i++) rhs[volume_at(dg, f, k, i)] = 0;
    for (int f = 0; f < system->fields; f++) {
      derive(dg, k, f, l->in, own);
      for (size_t t = 0; t < system->terms; t++) {
        const wisp_term *term = &system->term[t];
        const double factor = wisp_dg_factor(dg, term, k);
        for (int i = 0; i < dg->tet->Np && term->in == f; i++) {
          const size_t at = volume_at(dg, term->out, k, i);
          rhs[at] = kept(dg, rhs[at] + factor * own[term->axis][i]);
        }
      }
    }
  }
}

void wisp_reference_volume(const wisp_dg *dg, const double *u, double *rhs)
{
  wisp_parallel_for(dg->slots, volume_slots, &(loop){dg, u, &rhs});
}

/* The fluxes through the nodes of one face, and what they are added up from. */
static void gather_face(const wisp_dg *dg, size_t k, int face, double alpha, const double *u, double *flux,
                        double *sizes)
{
  int n = dg->system->fields, Nfp = dg->tet->Nfp;
  size_t stride = dg->layout.order == WISP_NODE_FASTEST ? 1 : (size_t)dg->layout.KM;
  size_t address = (size_t)dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, face, k)];
  const size_t beyond = wisp_dg_slot_at(dg, address);
  int code = dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, 4 + face, k)];
  double geometry[4], u_m[WISP_MAX_FIELDS], u_p[WISP_MAX_FIELDS], out[WISP_MAX_FIELDS], size[WISP_MAX_FIELDS];
  for (int c = 0; c < 4; c++) geometry[c] = dg->face_real[wisp_dg_face_at(dg, 4 * face + c, k)];
  for (int i = 0; i < Nfp; i++) {
    size_t node_p = (size_t)dg->tet->facelist[code % 32 * Nfp + i];
    for (int f = 0; f < n; f++) {
      u_m[f] = u[volume_at(dg, f, k, dg->tet->Fmask[face * Nfp + i])];
      u_p[f] = u[address + (size_t)f * (size_t)dg->layout.NpM + node_p * stride];
    }
    wisp_system_flux_between(dg->system, code / 32 - 1, geometry, alpha, (wisp_side){u_m, wisp_dg_medium(dg, k)},
                             (wisp_side){u_p, wisp_dg_medium(dg, beyond)}, out, size);
    for (int f = 0; f < n; f++) {
      const size_t at = face_at(dg, f, k, face * Nfp + i);
      flux[at] = kept(dg, geometry[3] * out[f]);
      if (sizes) sizes[at] = geometry[3] * size[f];
    }
  }
}

void wisp_reference_gather(const wisp_dg *dg, double alpha, const double *u, double *flux, double *sizes)
{
  for (size_t k = 0; k < dg->slots; k++)
    for (int face = 0; face < WISP_TET_FACES && dg->slot[k] != WISP_EMPTY; face++)
      gather_face(dg, k, face, alpha, u, flux, sizes);
}

static void lift_slots(void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_dg *dg = l->dg;
  int Np = dg->tet->Np, Nf = dg->layout.Nf;
  double own[WISP_TET_FACES * WISP_TET_MAX_NFP], *rhs = l->out[0];
  for (size_t k = from; k < to; k++)
    for (int f = 0; f < dg->system->fields && dg->slot[k] != WISP_EMPTY; f++) {
      for (int j = 0; j < Nf; j++) own[j] = l->in[face_at(dg, f, k, j)];
      for (int i = 0; i < Np; i++) {
        double sum = 0;
        for (int j = 0; j < Nf; j++) sum = kept(dg, sum + kept(dg, dg->tet->LIFT[i * Nf + j]) * own[j]);
        rhs[volume_at(dg, f, k, i)] = kept(dg, rhs[volume_at(dg, f, k, i)] + sum);
      }
    }
}

void wisp_reference_lift(const wisp_dg *dg, const double *flux, double *rhs)
{
  wisp_parallel_for(dg->slots, lift_slots, &(loop){dg, flux, &rhs});
}

/* --- one product by [Dr | Ds | Dt | LIFT] --- */

typedef struct product {
  const wisp_dg *dg;
  const double *u, *flux;
  double *rhs;
} product;

/* What Dr, Ds and Dt are to take to make one field's part of the right-hand side. */
static void mix_terms(const product *p, size_t k, int f, double taken[3][WISP_TET_MAX_NP])
{
  const wisp_dg *dg = p->dg;
  for (int mu = 0; mu < 3; mu++)
    for (int j = 0; j < dg->tet->Np; j++) taken[mu][j] = 0;
  for (size_t t = 0; t < dg->system->terms; t++) {
    const wisp_term *term = &dg->system->term[t];
    const double factor = wisp_dg_factor(dg, term, k);
    for (int mu = 0; mu < 3 && term->out == f; mu++) {
      const double mixed = factor * dg->geo[wisp_dg_geo_at(dg, 3 * mu + term->axis, k)];
      for (int j = 0; j < dg->tet->Np; j++)
        taken[mu][j] = kept(dg, taken[mu][j] + kept(dg, mixed) * p->u[volume_at(dg, term->in, k, j)]);
    }
  }
}

static void product_slots(void *context, size_t from, size_t to)
{
  const product *p = context;
  const wisp_dg *dg = p->dg;
  const int Np = dg->tet->Np, Nf = dg->layout.Nf;
  double taken[3][WISP_TET_MAX_NP];
  for (size_t k = from; k < to; k++)
    for (int f = 0; f < dg->system->fields && dg->slot[k] != WISP_EMPTY; f++) {
      mix_terms(p, k, f, taken);
      for (int i = 0; i < Np; i++) {
        double sum = 0;
        for (int mu = 0; mu < 3; mu++)
          for (int j = 0; j < Np; j++) sum = kept(dg, sum + kept(dg, dg->tet->D[mu][i * Np + j]) * taken[mu][j]);
        for (int j = 0; j < Nf; j++)
          sum = kept(dg, sum + kept(dg, dg->tet->LIFT[i * Nf + j]) * p->flux[face_at(dg, f, k, j)]);
        p->rhs[volume_at(dg, f, k, i)] = sum;
      }
    }
}

void wisp_reference_product(const wisp_dg *dg, const double *u, const double *flux, double *rhs)
{
  wisp_parallel_for(dg->slots, product_slots, &(product){dg, u, flux, rhs});
}

/* --- operators without signs --- */

static wisp_status copy_magnitudes(wisp_error *err, size_t count, const double *from, double **out)
{
  wisp_status status = wisp_new(err, count, sizeof **out, out);
  for (size_t i = 0; status == WISP_OK && i < count; i++) (*out)[i] = fabs(from[i]);
  return status;
}

void wisp_dg_magnitudes_destroy(wisp_dg *magnitudes)
{
  if (!magnitudes) return;
  wisp_tet *tet = (wisp_tet *)magnitudes->tet;
  for (int mu = 0; tet && mu < 3; mu++) free(tet->D[mu]);
  if (tet) free(tet->LIFT);
  free(tet);
  free((wisp_system *)magnitudes->system);
  free(magnitudes->geo);
  free(magnitudes->medium);
  free(magnitudes);
}

wisp_status wisp_dg_magnitudes(wisp_error *err, const wisp_dg *dg, wisp_dg **out)
{
  const size_t Np = (size_t)dg->tet->Np;
  OWNED(wisp_dg_magnitudes_destroy) wisp_dg *copy = NULL;
  wisp_tet *tet = NULL;
  wisp_system *system = NULL;
  CALL(wisp_new(err, 1, sizeof *copy, &copy));
  *copy = *dg;
  copy->geo = NULL;
  copy->medium = NULL;
  copy->tet = NULL;
  copy->system = NULL;
  CALL(wisp_new(err, 1, sizeof *tet, &tet));
  tet->N = dg->tet->N, tet->Np = dg->tet->Np, tet->Nfp = dg->tet->Nfp;
  copy->tet = tet;
  CALL(wisp_new(err, 1, sizeof *system, &system));
  *system = *dg->system;
  copy->system = system;
  for (size_t t = 0; t < system->terms; t++) system->term[t].coefficient = fabs(system->term[t].coefficient);
  for (int mu = 0; mu < 3; mu++) {
    const double *size = dg->tet->D_size[mu];
    CALL(copy_magnitudes(err, Np * Np, size ? size : dg->tet->D[mu], &tet->D[mu]));
  }
  const double *lifts = dg->tet->LIFT_size ? dg->tet->LIFT_size : dg->tet->LIFT;
  CALL(copy_magnitudes(err, Np * (size_t)dg->layout.Nf, lifts, &tet->LIFT));
  CALL(copy_magnitudes(err, dg->slots * (size_t)dg->records.geos, dg->geo, &copy->geo));
  CALL(copy_magnitudes(err, dg->slots * (size_t)dg->system->quantities, dg->medium, &copy->medium));
  return GIVE(copy, out);
}
