/* The definitions as loops, in double: what every kernel's result is held against. */
#include "dg_parts.h"
#include "../parallel.h"
#include "../../gen/wide.h"

/* The place of DOF i of field f in slot k. */
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

typedef float eight_floats __attribute__((vector_size(8 * sizeof(float))));
typedef float four_floats __attribute__((vector_size(4 * sizeof(float))));

enum { ROWS = 4 };

/* An element's values at its nodes or face nodes, fields side by side: field f is number f % 8 of eight f / 8. */
enum { EIGHTS = (WISP_MAX_FIELDS + 7) / 8 };
typedef struct numbers {
  wisp_eight at[EIGHTS][WISP_TET_MAX_NP];
} numbers;

/* Zeros in so many rows, also where there is no field. */
static void clear(const wisp_dg *dg, int rows, numbers *x)
{
  for (int e = 0; 8 * e < dg->system->fields; e++) memset(x->at[e], 0, (size_t)rows * sizeof x->at[e][0]);
}

WISP_UNCHECKED static inline __attribute__((always_inline)) void keep_four(bool single, wisp_four *sum)
{
  if (single) *sum = __builtin_convertvector(__builtin_convertvector(*sum, four_floats), wisp_four);
}

/* y += A x for so many rows of A side by side, none of which waits for another's sums. */
WISP_UNCHECKED static inline __attribute__((always_inline)) void
multiply_rows(bool single, int rows, int columns, const double *A, const wisp_eight *x, wisp_eight *y)
{
  const wisp_four *half = (const wisp_four *)x;
  wisp_four sum[ROWS][2];
  for (int i = 0; i < rows; i++) memcpy(sum[i], &y[i], sizeof sum[i]);
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      const double a = single ? (double)(float)A[i * columns + j] : A[i * columns + j];
#pragma GCC unroll 2
      for (int h = 0; h < 2; h++) {
        sum[i][h] += a * half[2 * j + h];
        keep_four(single, &sum[i][h]);
      }
    }
  for (int i = 0; i < rows; i++) memcpy(&y[i], sum[i], sizeof sum[i]);
}

/* y += A x, A of so many rows and columns: each y is one chain of sums in the order of the columns. */
WISP_UNCHECKED WISP_WIDE static void multiply_element(const wisp_dg *dg, int rows, int columns, const double *A,
                                                      const numbers *x, numbers *y)
{
  for (int e = 0; 8 * e < dg->system->fields; e++) {
    int i = 0;
    for (; i + ROWS <= rows; i += ROWS)
      if (dg->single)
        multiply_rows(true, ROWS, columns, A + i * columns, x->at[e], y->at[e] + i);
      else
        multiply_rows(false, ROWS, columns, A + i * columns, x->at[e], y->at[e] + i);
    for (; i < rows; i++) multiply_rows(dg->single, 1, columns, A + i * columns, x->at[e], y->at[e] + i);
  }
}

/* The derivatives along x, y and z of all fields in one element: d/dx_nu = sum over mu of dr_mu/dx_nu D_mu. */
static void derive(const wisp_dg *dg, size_t k, const double *u, numbers du[3])
{
  const int Np = dg->tet->Np;
  numbers own, along[3];
  clear(dg, Np, &own);
  for (int mu = 0; mu < 3; mu++) clear(dg, Np, &along[mu]), clear(dg, Np, &du[mu]);
  for (int f = 0; f < dg->system->fields; f++)
    for (int j = 0; j < Np; j++) own.at[f / 8][j][f % 8] = u[volume_at(dg, f, k, j)];
  for (int mu = 0; mu < 3; mu++) multiply_element(dg, Np, Np, dg->tet->D[mu], &own, &along[mu]);
  for (int nu = 0; nu < 3; nu++)
    for (int mu = 0; mu < 3; mu++) {
      const double factor = kept(dg, dg->geo[wisp_dg_geo_at(dg, 3 * mu + nu, k)]);
      for (int e = 0; 8 * e < dg->system->fields; e++)
        for (int i = 0; i < Np; i++) {
          du[nu].at[e][i] += factor * along[mu].at[e][i];
          if (!dg->single) continue;
          const eight_floats rounded = __builtin_convertvector(du[nu].at[e][i], eight_floats);
          du[nu].at[e][i] = __builtin_convertvector(rounded, wisp_eight);
        }
    }
}

/* rhs += terms without a derivative, node by node. */
static void add_locals(const wisp_dg *dg, size_t k, const double *u, double *rhs)
{
  for (size_t t = 0; t < dg->system->locals; t++) {
    const wisp_term *term = &dg->system->local[t];
    const double factor = wisp_dg_factor(dg, term, k);
    for (int i = 0; i < dg->tet->Np; i++) {
      double *to = &rhs[volume_at(dg, term->out, k, i)];
      *to = kept(dg, *to + factor * u[volume_at(dg, term->in, k, i)]);
    }
  }
}

/* One operator on all elements; its parts are wisp_sweeps over slots. */
typedef struct loop {
  const wisp_dg *dg;
  const double *in;
  double *const *out;
  const double *flux; /* of a product */
} loop;

static void derive_slots(void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_dg *dg = l->dg;
  numbers own[3];
  for (size_t k = from; k < to; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    derive(dg, k, l->in, own);
    for (int nu = 0; nu < 3; nu++)
      for (int f = 0; f < dg->system->fields; f++)
        for (int i = 0; i < dg->tet->Np; i++) l->out[nu][volume_at(dg, f, k, i)] = own[nu].at[f / 8][i][f % 8];
  }
}

void wisp_reference_derivative(const wisp_dg *dg, const double *u, double *const du[3])
{
  wisp_parallel_for(dg->slots, derive_slots, &(loop){.dg = dg, .in = u, .out = du});
}

static void volume_slots(void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_dg *dg = l->dg;
  const wisp_system *system = dg->system;
  numbers own[3];
  double *rhs = l->out[0];
  for (size_t k = from; k < to; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    derive(dg, k, l->in, own);
    for (int f = 0; f < system->fields; f++)
      for (int i = 0; i < dg->tet->Np; i++) rhs[volume_at(dg, f, k, i)] = 0;
    for (int f = 0; f < system->fields; f++)
      for (size_t t = 0; t < system->terms; t++) {
        const wisp_term *term = &system->term[t];
        const double factor = wisp_dg_factor(dg, term, k);
        for (int i = 0; i < dg->tet->Np && term->in == f; i++) {
          const size_t at = volume_at(dg, term->out, k, i);
          rhs[at] = kept(dg, rhs[at] + factor * own[term->axis].at[f / 8][i][f % 8]);
        }
      }
    add_locals(dg, k, l->in, rhs);
  }
}

void wisp_reference_volume(const wisp_dg *dg, const double *u, double *rhs)
{
  wisp_parallel_for(dg->slots, volume_slots, &(loop){.dg = dg, .in = u, .out = &rhs});
}

/* The place in trace of node i of a face of slot k. */
static size_t trace_at(const wisp_dg *dg, int f, size_t k, int face, int i)
{
  const int n = dg->system->fields, Nfp = dg->tet->Nfp;
  return (k * WISP_TET_FACES + (size_t)face) * (size_t)(n * Nfp) + (size_t)(f * Nfp + i);
}

void wisp_reference_trace(const wisp_dg *dg, const double *u, double *trace)
{
  const int Nfp = dg->tet->Nfp;
  for (size_t k = 0; k < dg->slots; k++)
    for (int face = 0; face < WISP_TET_FACES && dg->slot[k] != WISP_EMPTY; face++)
      for (int f = 0; f < dg->system->fields; f++)
        for (int i = 0; i < Nfp; i++)
          trace[trace_at(dg, f, k, face, i)] = u[volume_at(dg, f, k, dg->tet->Fmask[face * Nfp + i])];
}

/* The fluxes through the nodes of one face, and what they are added up from. */
static void gather_face(const wisp_dg *dg, size_t k, int face, double alpha, const double *u, const double *trace,
                        double *flux, double *sizes)
{
  int n = dg->system->fields, Nfp = dg->tet->Nfp;
  size_t address = (size_t)dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, face, k)];
  const size_t beyond = wisp_dg_slot_at(dg, address);
  int code = dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, 4 + face, k)];
  double geometry[4], u_m[WISP_MAX_FIELDS], u_p[WISP_MAX_FIELDS], out[WISP_MAX_FIELDS], size[WISP_MAX_FIELDS];
  for (int c = 0; c < 4; c++) geometry[c] = dg->face_real[wisp_dg_face_at(dg, 4 * face + c, k)];
  const int list = code % 32, face_p = list / WISP_TET_ORIENTATIONS,
            *oriented = dg->turnlist + list % WISP_TET_ORIENTATIONS * Nfp;
  for (int i = 0; i < Nfp; i++) {
    for (int f = 0; f < n; f++) {
      u_m[f] = u[volume_at(dg, f, k, dg->tet->Fmask[face * Nfp + i])];
      u_p[f] = trace ? trace[trace_at(dg, f, beyond, face_p, oriented[i])]
                     : u[volume_at(dg, f, beyond, dg->tet->facelist[list * Nfp + i])];
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

typedef struct gathering {
  const wisp_dg *dg;
  double alpha;
  const double *u, *trace;
  double *flux, *sizes;
} gathering;

static void gather_slots(void *context, size_t from, size_t to)
{
  const gathering *g = context;
  for (size_t k = from; k < to; k++)
    for (int face = 0; face < WISP_TET_FACES && g->dg->slot[k] != WISP_EMPTY; face++)
      gather_face(g->dg, k, face, g->alpha, g->u, g->trace, g->flux, g->sizes);
}

void wisp_reference_gather(const wisp_dg *dg, double alpha, const double *u, const double *trace, double *flux,
                           double *sizes)
{
  wisp_parallel_for(dg->slots, gather_slots, &(gathering){dg, alpha, u, trace, flux, sizes});
}

static void lift_slots(void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_dg *dg = l->dg;
  const int Np = dg->tet->Np, Nf = dg->layout.Nf;
  double *rhs = l->out[0];
  numbers own, sum;
  clear(dg, Nf, &own);
  for (size_t k = from; k < to; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    for (int f = 0; f < dg->system->fields; f++)
      for (int j = 0; j < Nf; j++) own.at[f / 8][j][f % 8] = l->in[face_at(dg, f, k, j)];
    clear(dg, Np, &sum);
    multiply_element(dg, Np, Nf, dg->tet->LIFT, &own, &sum);
    for (int f = 0; f < dg->system->fields; f++)
      for (int i = 0; i < Np; i++) {
        const size_t at = volume_at(dg, f, k, i);
        rhs[at] = kept(dg, rhs[at] + sum.at[f / 8][i][f % 8]);
      }
  }
}

void wisp_reference_lift(const wisp_dg *dg, const double *flux, double *rhs)
{
  wisp_parallel_for(dg->slots, lift_slots, &(loop){.dg = dg, .in = flux, .out = &rhs});
}

/* --- one product by [Dr | Ds | Dt | LIFT] --- */

/* Inputs of Dr, Ds and Dt that make the right-hand side's volume part. */
static void mix_terms(const loop *p, size_t k, numbers taken[3])
{
  const wisp_dg *dg = p->dg;
  for (int mu = 0; mu < 3; mu++) clear(dg, dg->tet->Np, &taken[mu]);
  for (size_t t = 0; t < dg->system->terms; t++) {
    const wisp_term *term = &dg->system->term[t];
    const double factor = wisp_dg_factor(dg, term, k);
    for (int mu = 0; mu < 3; mu++) {
      const double mixed = kept(dg, factor * dg->geo[wisp_dg_geo_at(dg, 3 * mu + term->axis, k)]);
      wisp_eight *out = taken[mu].at[term->out / 8];
      for (int j = 0; j < dg->tet->Np; j++)
        out[j][term->out % 8] = kept(dg, out[j][term->out % 8] + mixed * p->in[volume_at(dg, term->in, k, j)]);
    }
  }
}

static void product_slots(void *context, size_t from, size_t to)
{
  const loop *p = context;
  const wisp_dg *dg = p->dg;
  const int Np = dg->tet->Np, Nf = dg->layout.Nf;
  numbers taken[3], fluxes, sum;
  clear(dg, Nf, &fluxes);
  for (size_t k = from; k < to; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    mix_terms(p, k, taken);
    for (int f = 0; f < dg->system->fields; f++)
      for (int j = 0; j < Nf; j++) fluxes.at[f / 8][j][f % 8] = p->flux[face_at(dg, f, k, j)];
    clear(dg, Np, &sum);
    for (int mu = 0; mu < 3; mu++) multiply_element(dg, Np, Np, dg->tet->D[mu], &taken[mu], &sum);
    multiply_element(dg, Np, Nf, dg->tet->LIFT, &fluxes, &sum);
    for (int f = 0; f < dg->system->fields; f++)
      for (int i = 0; i < Np; i++) p->out[0][volume_at(dg, f, k, i)] = sum.at[f / 8][i][f % 8];
    add_locals(dg, k, p->in, p->out[0]);
  }
}

void wisp_reference_product(const wisp_dg *dg, const double *u, const double *flux, double *rhs)
{
  wisp_parallel_for(dg->slots, product_slots, &(loop){dg, u, &rhs, flux});
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
  tet->N = dg->tet->N, tet->Np = dg->tet->Np, tet->Nfp = dg->tet->Nfp, tet->Fmask = dg->tet->Fmask;
  copy->tet = tet;
  CALL(wisp_new(err, 1, sizeof *system, &system));
  *system = *dg->system;
  copy->system = system;
  for (size_t t = 0; t < system->terms; t++) system->term[t].coefficient = fabs(system->term[t].coefficient);
  for (size_t t = 0; t < system->locals; t++) system->local[t].coefficient = fabs(system->local[t].coefficient);
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
