/* Straight-sided elements: x is affine in r, so that every factor is one number an element (Hesthaven & Warburton,
 * section 10.3). */
#include "../parallel.h"
#include "dg_parts.h"

/* Coordinates of vertex v of the element in slot k. */
static const double *vertex(const wisp_dg *dg, size_t k, int v)
{
  return dg->mesh->xyz + 3 * (size_t)dg->mesh->tet[4 * (size_t)dg->slot[k] + (size_t)v];
}

/* dx_nu/dr_mu at [nu][mu]: half the edges from vertex 0. Returns the determinant. */
static double tangents(const wisp_dg *dg, size_t k, double x[3][3])
{
  for (int nu = 0; nu < 3; nu++)
    for (int mu = 0; mu < 3; mu++) x[nu][mu] = (vertex(dg, k, mu + 1)[nu] - vertex(dg, k, 0)[nu]) / 2;
  return x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) - x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
         x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
}

/* Outward gradients of what is constant on each reference face: -t, -s, r+s+t, -r. In space their lengths are the
 * ratios of surface to volume Jacobian, their directions the normals. */
static const int outward[WISP_TET_FACES][3] = {{0, 0, -1}, {0, -1, 0}, {1, 1, 1}, {-1, 0, 0}};

/* All factors of the element in slot k. Returns the diameter of its inscribed sphere. */
static double element_geometry(wisp_dg *dg, size_t k)
{
  double x[3][3], r[3][3], sum = 0;
  dg->jacobian[k] = tangents(dg, k, x);
  for (int mu = 0; mu < 3; mu++) /* the inverse, dr_mu/dx_nu at [mu][nu]: cofactors by cyclic indices */
    for (int nu = 0; nu < 3; nu++) {
      const int a = (nu + 1) % 3, b = (nu + 2) % 3, c = (mu + 1) % 3, d = (mu + 2) % 3;
      r[mu][nu] = (x[a][c] * x[b][d] - x[a][d] * x[b][c]) / dg->jacobian[k];
    }
  for (int c = 0; c < WISP_GEO; c++) dg->geo[wisp_dg_geo_at(dg, c, k)] = r[c / 3][c % 3];
  for (int f = 0; f < WISP_TET_FACES; f++) {
    double gradient[3] = {0};
    for (int nu = 0; nu < 3; nu++)
      for (int mu = 0; mu < 3; mu++) gradient[nu] += outward[f][mu] * r[mu][nu];
    const double length = sqrt(gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]);
    for (int nu = 0; nu < 3; nu++) dg->face_real[wisp_dg_face_at(dg, 4 * f + nu, k)] = gradient[nu] / length;
    dg->face_real[wisp_dg_face_at(dg, 4 * f + 3, k)] = length;
    sum += length;
  }
  return 4 / sum; /* 6 volume / surface, volume 4/3 J, a face 2 Fscale J */
}

/* A loop over groups; the second one gives the quantities to those who read them. */
typedef struct placing {
  wisp_dg *dg;
  double *least; /* of each group: the smallest sphere, or the shortest time through one */
  const int32_t *where;
  int rated[WISP_MAX_QUANTITIES], inner[WISP_MAX_QUANTITIES]; /* in geo; in face_real, of the element */
  int outer[WISP_MAX_QUANTITIES];                             /* and of its neighbours */
  int rates, inside, outside;
} placing;

/* A wisp_sweep over groups. */
static void measure_groups(void *context, size_t from, size_t to)
{
  const placing *m = context;
  const size_t KM = (size_t)m->dg->layout.KM;
  for (size_t g = from; g < to; g++) {
    m->least[g] = HUGE_VAL;
    for (size_t k = g * KM; k < (g + 1) * KM; k++)
      if (m->dg->slot[k] != WISP_EMPTY) m->least[g] = fmin(m->least[g], element_geometry(m->dg, k));
  }
}

/* The least that the groups of all domains leave. */
static wisp_status sweep_groups(wisp_error *err, wisp_sweep sweep, size_t groups, placing *p, double *out)
{
  OWNED(free) double *least = NULL;
  CALL(wisp_new(err, groups, sizeof *least, &least));
  p->least = least;
  wisp_parallel_for(groups, sweep, p);
  *out = HUGE_VAL;
  for (size_t g = 0; g < groups; g++) *out = fmin(*out, least[g]);
  return p->dg->domain ? wisp_ranks_least(err, p->dg->domain->ranks, out) : WISP_OK;
}

wisp_status wisp_dg_geometry(wisp_error *err, wisp_dg *dg)
{
  return sweep_groups(err, measure_groups, dg->groups + dg->ghosts, &(placing){.dg = dg}, &dg->min_length);
}

void wisp_dg_coordinates(const wisp_dg *dg, size_t k, size_t count, const double *r, const double *s, const double *t,
                         double *xyz)
{
  const double *a = vertex(dg, k, 0), *b = vertex(dg, k, 1), *c = vertex(dg, k, 2), *d = vertex(dg, k, 3);
  for (size_t i = 0; i < count; i++)
    for (int x = 0; x < 3; x++)
      *xyz++ = (-(1 + r[i] + s[i] + t[i]) * a[x] + (1 + r[i]) * b[x] + (1 + s[i]) * c[x] + (1 + t[i]) * d[x]) / 2;
}

void wisp_dg_nodes(const wisp_dg *dg, size_t k, double *xyz)
{
  const wisp_tet *tet = dg->tet;
  memset(xyz, 0, 3 * (size_t)tet->Np * sizeof *xyz);
  if (dg->slot[k] != WISP_EMPTY) wisp_dg_coordinates(dg, k, (size_t)tet->Np, tet->r, tet->s, tet->t, xyz);
}

/* --- media: their quantities, where kernels read them --- */

wisp_status wisp_dg_where(wisp_error *err, const wisp_dg *dg, int32_t **out)
{
  int32_t *where = NULL;
  const wisp_status status = wisp_new(err, dg->mesh->elements, sizeof *where, &where);
  for (size_t k = 0; status == WISP_OK && k < wisp_dg_all_slots(dg); k++)
    if (dg->slot[k] != WISP_EMPTY) where[dg->slot[k]] = (int32_t)k;
  *out = where;
  return status;
}

double wisp_dg_factor(const wisp_dg *dg, const wisp_term *term, size_t k)
{
  return term->quantity < 0 ? term->coefficient : term->coefficient * wisp_dg_medium(dg, k)[term->quantity];
}

/* The slot across a face where there is one, else the slot itself. */
static size_t across(const wisp_dg *dg, const int32_t *where, size_t k, int f)
{
  if (dg->slot[k] == WISP_EMPTY) return k;
  const int32_t neighbour = dg->mesh->neighbour[4 * (size_t)dg->slot[k] + (size_t)f];
  return neighbour == WISP_BOUNDARY ? k : (size_t)where[neighbour];
}

void wisp_dg_pair_quantities(const wisp_dg *dg, size_t m, size_t p, double *pair_real)
{
  int list[WISP_MAX_QUANTITIES];
  const int count = wisp_system_reads(dg->system, WISP_EITHER_SIDE, list);
  for (int i = 0; i < count; i++) {
    pair_real[WISP_PAIR_REALS + i] = wisp_dg_medium(dg, m)[list[i]];
    pair_real[WISP_PAIR_REALS + count + i] = wisp_dg_medium(dg, p)[list[i]];
  }
}

static void place_slot(const placing *p, size_t k)
{
  wisp_dg *dg = p->dg;
  const double *own = wisp_dg_medium(dg, k);
  for (int i = 0; i < p->rates; i++) dg->geo[wisp_dg_geo_at(dg, WISP_GEO + i, k)] = own[p->rated[i]];
  for (int i = 0; i < p->inside; i++) dg->face_real[wisp_dg_face_at(dg, WISP_FACE_REALS + i, k)] = own[p->inner[i]];
  for (int f = 0; f < WISP_TET_FACES && p->outside; f++) {
    const double *theirs = wisp_dg_medium(dg, across(dg, p->where, k, f));
    const int first = WISP_FACE_REALS + p->inside + f * p->outside;
    for (int i = 0; i < p->outside; i++) dg->face_real[wisp_dg_face_at(dg, first + i, k)] = theirs[p->outer[i]];
  }
}

/* A bound of how fast the terms without a derivative change fields: the lesser of the largest sums of their factors by
 * row and by column. */
static double local_rate(const wisp_dg *dg, size_t k)
{
  double row[WISP_MAX_FIELDS] = {0}, column[WISP_MAX_FIELDS] = {0}, rows = 0, columns = 0;
  for (size_t t = 0; t < dg->system->locals; t++) {
    const wisp_term *term = &dg->system->local[t];
    const double factor = fabs(wisp_dg_factor(dg, term, k));
    row[term->out] += factor, column[term->in] += factor;
  }
  for (int f = 0; f < dg->system->fields; f++) rows = fmax(rows, row[f]), columns = fmax(columns, column[f]);
  return fmin(rows, columns);
}

/* A wisp_sweep over groups. */
static void place_groups(void *context, size_t from, size_t to)
{
  const placing *p = context;
  const size_t KM = (size_t)p->dg->layout.KM;
  const double order = p->dg->tet->N + 1;
  for (size_t g = from; g < to; g++) {
    p->least[g] = HUGE_VAL;
    for (size_t k = g * KM; k < (g + 1) * KM; k++) {
      double sum = 0;
      place_slot(p, k);
      if (p->dg->slot[k] == WISP_EMPTY) continue;
      /* The time that a wave takes through the inscribed sphere: 6 volume / surface, over its speed. */
      for (int f = 0; f < WISP_TET_FACES; f++) sum += p->dg->face_real[wisp_dg_face_at(p->dg, 4 * f + 3, k)];
      const double time = 4 / sum / wisp_system_speed(p->dg->system, wisp_dg_medium(p->dg, k));
      p->least[g] = fmin(p->least[g], 1 / (1 / time + local_rate(p->dg, k) / (4 * order * order)));
    }
  }
}

wisp_status wisp_dg_quantities(wisp_error *err, wisp_dg *dg)
{
  OWNED(free) int32_t *where = NULL;
  CALL(wisp_dg_where(err, dg, &where));
  placing p = {.dg = dg, .where = where};
  p.rates = wisp_system_reads(dg->system, WISP_RATES, p.rated);
  p.inside = wisp_system_reads(dg->system, WISP_INSIDE, p.inner);
  p.outside = wisp_system_reads(dg->system, WISP_OUTSIDE, p.outer);
  CALL(sweep_groups(err, place_groups, dg->groups, &p, &dg->min_time));
  for (size_t i = 0; i < dg->pairs; i++) {
    const int *first = dg->pair_int + WISP_PAIR_INTS * i; /* of the first nodes of m and p */
    wisp_dg_pair_quantities(dg, wisp_dg_slot_at(dg, (size_t)first[0]), wisp_dg_slot_at(dg, (size_t)first[1]),
                            dg->pair_real + i * (size_t)dg->records.pair_reals);
  }
  return WISP_OK;
}

wisp_status wisp_dg_set_medium(wisp_error *err, wisp_dg *dg, const double *medium)
{
  const size_t n = (size_t)dg->system->quantities;
  for (size_t k = 0; n && k < wisp_dg_all_slots(dg); k++)
    if (dg->slot[k] != WISP_EMPTY) memcpy(wisp_dg_medium(dg, k), medium + (size_t)dg->slot[k] * n, n * sizeof *medium);
  return wisp_dg_quantities(err, dg);
}
