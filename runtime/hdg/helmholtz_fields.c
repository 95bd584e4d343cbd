/* Results from the fields: distances from a known solution, and fields on a lattice. */
#include "helmholtz.h"
#include "../mesh/vtu.h"
#include "../parallel.h"
#include "../../gen/nodal/tet_internal.h"

#include <math.h>

/* --- distances --- */

/* A field's value from its modes at a point: `width` of an element, the first `count` from number `at` on. */
static double value(const double *array, size_t width, size_t e, size_t at, size_t count, const double *modes)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += array[WISP_SLAB(width, e, at + i)] * modes[i];
  return sum;
}

typedef struct distance {
  const wisp_helmholtz_problem *h;
  const double *u, *flux, *ustar;
  wisp_helmholtz_errors *of; /* each slab, squared but for the largest */
  double *points;            /* each slab: places and three values of a rule's points */
} distance;

static void add_point(const distance *d, size_t e, size_t q, double J, const double *there, wisp_helmholtz_errors *sum)
{
  const wisp_helmholtz_problem *h = d->h;
  const size_t Np = (size_t)h->hdg->tables->Np, Ns = (size_t)h->hdg->tables->Ns, count = h->rule.count;
  const double *phi = h->phi + q * Np;
  const double weight = h->rule.w[q] * J;
  const double off = value(d->u, Np, e, 0, Np, phi) - there[q];
  const double off_star = value(d->ustar, Ns, e, 0, Ns, h->phi_star + q * Ns) - there[q];
  for (size_t c = 0; c < 2; c++) {
    const double off_p = value(d->flux, 2 * Np, e, c * Np, Np, phi) - h->kappa[e] * there[(c + 1) * count + q];
    sum->l2_p += weight * off_p * off_p;
  }
  sum->l2_u += weight * off * off;
  sum->l2_ustar += weight * off_star * off_star;
  sum->linf_u = fmax(sum->linf_u, fabs(off));
}

/* A wisp_sweep over slabs, so that the sum of their sums does not depend on how many threads there are. */
static void measure_slabs(void *context, size_t from, size_t to)
{
  const distance *d = context;
  const wisp_hdg *s = d->h->hdg;
  const wisp_quadrature *rule = &d->h->rule;
  for (size_t slab = from; slab < to; slab++) {
    double *xyz = d->points + 6 * slab * rule->count, *there = xyz + 3 * rule->count;
    for (size_t e = slab * WISP_SLAB_ELEMENTS; e < (slab + 1) * WISP_SLAB_ELEMENTS && e < s->mesh->elements; e++) {
      wisp_helmholtz_coordinates(s, e, rule->count, rule->r, rule->s, xyz);
      for (size_t i = WISP_HELMHOLTZ_U; i <= WISP_HELMHOLTZ_DY; i++)
        wisp_formula_at(d->h->formula[i], rule->count, xyz, s->mesh->region[e], 0, there + i * rule->count);
      const double J = wisp_hdg_area(s, e) / 2;
      for (size_t q = 0; q < rule->count; q++) add_point(d, e, q, J, there, &d->of[slab]);
    }
  }
}

wisp_status wisp_helmholtz_distance(wisp_error *err, const wisp_helmholtz_problem *h, const double *u,
                                    const double *flux, const double *ustar, wisp_helmholtz_errors *out)
{
  const size_t slabs = WISP_SLAB_SLOTS(h->hdg->mesh->elements) / WISP_SLAB_ELEMENTS;
  OWNED(free) wisp_helmholtz_errors *of = NULL;
  OWNED(free) double *points = NULL;
  wisp_helmholtz_errors sum = {0};
  if (!h->data.solution) return *out = (wisp_helmholtz_errors){NAN, NAN, NAN, NAN}, WISP_OK;
  CALL(wisp_new(err, slabs, sizeof *of, &of));
  CALL(wisp_new(err, 6 * slabs * h->rule.count, sizeof *points, &points));
  wisp_parallel_for(slabs, measure_slabs, &(distance){h, u, flux, ustar, of, points});
  for (size_t i = 0; i < slabs; i++) {
    sum.l2_u += of[i].l2_u, sum.l2_p += of[i].l2_p, sum.l2_ustar += of[i].l2_ustar;
    sum.linf_u = fmax(sum.linf_u, of[i].linf_u);
  }
  *out = (wisp_helmholtz_errors){sqrt(sum.l2_u), sqrt(sum.l2_p), sqrt(sum.l2_ustar), sum.linf_u};
  return WISP_OK;
}

wisp_status wisp_helmholtz_problem_values(wisp_error *err, const wisp_helmholtz_problem *h, int degree, size_t parts,
                                          const double *array, size_t count, const double *rs, double *out)
{
  const size_t modes = (size_t)((degree + 1) * (degree + 2) / 2), elements = h->hdg->mesh->elements;
  OWNED(free) double *phi = NULL;
  CALL(wisp_new(err, count * modes, sizeof *phi, &phi));
  for (size_t q = 0; q < count; q++) wisp_triangle_modes(degree, rs[2 * q], rs[2 * q + 1], phi + q * modes, NULL);
  for (size_t i = 0; i < elements * count * parts; i++)
    out[i] = value(array, parts * modes, i / parts / count, i % parts * modes, modes, phi + i / parts % count * modes);
  return WISP_OK;
}

/* --- on a lattice --- */

/* p at a point: of its parts in the plane those along the file's axes. */
static void put_flux(const wisp_plane *plane, const double own[2], double *const p[3], size_t i)
{
  static const wisp_plane level = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const wisp_plane *to = plane ? plane : &level;
  for (size_t c = 0; c < 3 && p[c]; c++) p[c][i] = own[0] * to->axis[0][c] + own[1] * to->axis[1][c];
}

wisp_status wisp_helmholtz_fields(wisp_error *err, const wisp_helmholtz_problem *h, const double *u, const double *flux,
                                  const double *ustar, wisp_fields *out)
{
  static const char *const names[] = {"u", "u_star", "p_x", "p_y", "kappa", "p_z"};
  HELD(wisp_fields_free) wisp_fields fields = {.count = 0};
  const wisp_plane *plane = h->hdg->mesh->plane;
  const size_t parts = !plane || plane->axis[2][2] >= 1 ? 2 : 3; /* of p: none along z in a plane of one z */
  const wisp_hdg_tables *t = h->hdg->tables;
  const size_t Np = (size_t)t->Np, Ns = (size_t)t->Ns, points = Ns * h->hdg->mesh->elements;
  double r[WISP_HDG_MAX_NS * 5], s[WISP_HDG_MAX_NS * 5], layer[WISP_HDG_MAX_NS * 5]; /* the tet's: its first is ours */
  CALL(wisp_vtu_lattice(err, t->N + 1, r, s, layer));
  CALL(wisp_fields_create(err, 3, t->N + 1, h->hdg->mesh->elements, Ns, parts + 3, names, &fields));
  double *const p[3] = {fields.value[2], fields.value[3], parts == 3 ? fields.value[5] : NULL};
  for (size_t i = 0; i < points; i++) {
    const size_t e = i / Ns;
    double modes[WISP_HDG_MAX_NS], own[2];
    wisp_triangle_modes(t->N + 1, r[i % Ns], s[i % Ns], modes, NULL);
    fields.value[1][i] = value(ustar, Ns, e, 0, Ns, modes);
    wisp_triangle_modes(t->N, r[i % Ns], s[i % Ns], modes, NULL);
    fields.value[0][i] = value(u, Np, e, 0, Np, modes);
    for (size_t c = 0; c < 2; c++) own[c] = value(flux, 2 * Np, e, c * Np, Np, modes);
    put_flux(plane, own, p, i);
    fields.value[4][i] = h->kappa[e];
    wisp_helmholtz_coordinates(h->hdg, e, 1, &r[i % Ns], &s[i % Ns], fields.xyz + 3 * i);
  }
  wisp_plane_place(plane, points, fields.xyz);
  return GIVE(fields, out);
}
