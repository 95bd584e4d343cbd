#include "helmholtz.h"
#include "../parallel.h"
#include "../../gen/jacobi.h"
#include "../../gen/nodal/tet_internal.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* --- the solution --- */

typedef struct field {
  double u, slope[2];
} field;

static field solution_at(const double xy[2])
{
  const double x = 2 * PI * xy[0], y = 2 * PI * xy[1];
  return (field){sin(x) * sin(y), {2 * PI * cos(x) * sin(y), 2 * PI * sin(x) * cos(y)}};
}

/* --- quadrature --- */

/* Points with one end, or both, among them, under the weight (1 - x)^alpha: between the ends Gauss points for the
 * weight with a factor that vanishes there, the ends take what is left of its integral. */
static wisp_status place_points(wisp_error *err, int alpha, bool both, int count, double *x, double *w)
{
  const int inner = count - 1 - both;
  double left = 2;
  x[0] = -1;
  CALL(wisp_jacobi_gauss(err, alpha + both, 1, inner, x + 1, w + 1));
  for (int i = 1; i <= inner; i++) {
    w[i] /= (1 + x[i]) * (both ? 1 - x[i] : 1);
    left -= w[i];
  }
  w[0] = both ? left / 2 : left;
  if (both) x[count - 1] = 1, w[count - 1] = left / 2;
  return WISP_OK;
}

wisp_status wisp_helmholtz_quadrature(wisp_error *err, int order, wisp_quadrature *out)
{
  enum { MOST = WISP_HDG_MAX_ORDER + 2 };
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  const int na = order + 2, nb = order + 1;
  double a[MOST], b[MOST], wa[MOST], wb[MOST];
  CALL(place_points(err, 0, true, na, a, wa));
  CALL(place_points(err, 1, false, nb, b, wb));
  rule.count = (size_t)(na * nb);
  CALL(wisp_new(err, rule.count, sizeof *rule.r, &rule.r));
  CALL(wisp_new(err, rule.count, sizeof *rule.s, &rule.s));
  CALL(wisp_new(err, rule.count, sizeof *rule.w, &rule.w));
  for (int q = 0; q < na * nb; q++) {
    rule.r[q] = (1 + a[q % na]) * (1 - b[q / na]) / 2 - 1;
    rule.s[q] = b[q / na];
    rule.w[q] = wa[q % na] * wb[q / na] / 2;
  }
  return GIVE(rule, out);
}

static void place_at(const wisp_hdg *s, size_t e, double r, double t, double xy[2])
{
  const double share[3] = {-(r + t) / 2, (1 + r) / 2, (1 + t) / 2};
  xy[0] = xy[1] = 0;
  for (size_t i = 0; i < 6; i++)
    xy[i % 2] += share[i / 2] * s->mesh->xyz[3 * (size_t)s->mesh->tri[3 * e + i / 2] + i % 2];
}

static double jacobian(const wisp_hdg *s, size_t e)
{
  return wisp_mesh_corner(s->mesh, e, wisp_tri_frames[0], NULL) / 4;
}

/* --- data --- */

/* A wisp_sweep over elements: f = (8 pi^2 kappa + lambda) u. */
static void load_elements(void *context, size_t from, size_t to)
{
  const wisp_helmholtz *h = context;
  const size_t Np = (size_t)h->hdg->tables->Np;
  const double strength = 8 * PI * PI * h->data.kappa + h->data.lambda;
  for (size_t e = from; e < to; e++)
    for (size_t q = 0; q < h->rule.count; q++) {
      double xy[2];
      place_at(h->hdg, e, h->rule.r[q], h->rule.s[q], xy);
      const double f = strength * solution_at(xy).u * h->rule.w[q] * jacobian(h->hdg, e);
      for (size_t i = 0; i < Np; i++) h->load[WISP_SLAB(Np, e, i)] += f * h->phi[q * Np + i];
    }
}

/* What a boundary edge is given, mode by mode: of u the projection, of its flux the integral. */
static wisp_status give_edges(wisp_error *err, wisp_helmholtz *h)
{
  enum { MOST = WISP_HDG_MAX_ORDER + 7 };
  const wisp_hdg *s = h->hdg;
  const size_t n = (size_t)s->tables->n;
  const int points = s->tables->N + 7;
  double x[MOST], w[MOST], psi[WISP_HDG_MAX_N], xy[2], r, t;
  CALL(wisp_jacobi_gauss(err, 0, 0, points, x, w));
  for (size_t edge = 0; edge < s->edges; edge++) {
    const int32_t face = s->side[2 * edge];
    if (s->side[2 * edge + 1] >= 0) continue;
    const wisp_hdg_triangle at = wisp_hdg_triangle_at(s, (size_t)face / 3, (double[3]){1, 1, 1}, 1, 0);
    const double *a = at.xy[face % 3], *b = at.xy[(face + 1) % 3];
    for (int q = 0; q < points; q++) {
      wisp_hdg_on_edge(face % 3, x[q], &r, &t);
      place_at(s, (size_t)face / 3, r, t, xy);
      const field here = solution_at(xy);
      const double flux = h->data.kappa * (here.slope[0] * (b[1] - a[1]) - here.slope[1] * (b[0] - a[0])) / 2;
      wisp_hdg_edge_modes(s->tables->N, x[q], psi);
      for (size_t k = 0; k < n; k++)
        h->given[edge * n + k] +=
            w[q] * psi[k] * wisp_hdg_sign(s->edge[face], (int)k) * (edge < s->free_edges ? flux : here.u);
    }
  }
  return WISP_OK;
}

/* Sines take some more than the polynomials do. */
static wisp_status tabulate(wisp_error *err, wisp_helmholtz *h)
{
  const wisp_hdg_tables *t = h->hdg->tables;
  CALL(h->data.paper ? wisp_helmholtz_quadrature(err, t->N, &h->rule)
                     : wisp_triangle_quadrature(err, h->data.degree ? h->data.degree : 2 * t->N + 8, &h->rule));
  CALL(wisp_new(err, h->rule.count * (size_t)t->Np, sizeof *h->phi, &h->phi));
  CALL(wisp_new(err, h->rule.count * (size_t)t->Ns, sizeof *h->phi_star, &h->phi_star));
  for (size_t q = 0; q < h->rule.count; q++) {
    wisp_triangle_modes(t->N, h->rule.r[q], h->rule.s[q], h->phi + q * (size_t)t->Np, NULL);
    wisp_triangle_modes(t->N + 1, h->rule.r[q], h->rule.s[q], h->phi_star + q * (size_t)t->Ns, NULL);
  }
  return WISP_OK;
}

static wisp_status check(wisp_error *err, const wisp_helmholtz_data *data)
{
  CALL(wisp_require(err, data->tau > 0 && isfinite(data->tau), WISP_EUSAGE, "tau is %g: must be positive", data->tau));
  CALL(wisp_require(err, data->kappa > 0 && isfinite(data->kappa), WISP_EUSAGE, "kappa is %g: must be positive",
                    data->kappa));
  return wisp_require(err, data->lambda >= 0 && isfinite(data->lambda), WISP_EUSAGE,
                      "lambda is %g: must be 0 or positive", data->lambda);
}

wisp_status wisp_helmholtz_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                  const wisp_helmholtz_data *data, wisp_helmholtz **out)
{
  OWNED(wisp_helmholtz_destroy) wisp_helmholtz *h = NULL;
  const size_t elements = mesh->elements, slots = WISP_SLAB_SLOTS(elements);
  CALL(check(err, data));
  CALL(wisp_new(err, 1, sizeof *h, &h));
  h->data = *data;
  CALL(wisp_hdg_create(err, name, mesh, order, &data->dirichlet, &h->hdg));
  CALL(wisp_require(err, data->lambda > 0 || h->hdg->free_edges < h->hdg->edges, WISP_EUSAGE,
                    "%s: lambda is 0 and no edge of the boundary holds u: it is known up to a constant alone", name));
  CALL(tabulate(err, h));
  CALL(wisp_new(err, 3 * slots, sizeof *h->tau, &h->tau));
  CALL(wisp_new(err, elements, sizeof *h->kappa, &h->kappa));
  CALL(wisp_new(err, elements, sizeof *h->lambda, &h->lambda));
  CALL(wisp_new(err, slots * (size_t)h->hdg->tables->Np, sizeof *h->load, &h->load));
  CALL(wisp_new(err, h->hdg->edges * (size_t)h->hdg->tables->n, sizeof *h->given, &h->given));
  for (size_t i = 0; i < 3 * slots; i++) h->tau[i] = data->tau;
  for (size_t e = 0; e < elements; e++) h->kappa[e] = data->kappa, h->lambda[e] = data->lambda;
  wisp_parallel_for(elements, load_elements, h);
  CALL(give_edges(err, h));
  return GIVE(h, out);
}

void wisp_helmholtz_destroy(wisp_helmholtz *h)
{
  if (!h) return;
  wisp_hdg_destroy(h->hdg);
  wisp_quadrature_free(&h->rule);
  free(h->phi), free(h->phi_star), free(h->tau), free(h->kappa), free(h->lambda), free(h->load), free(h->given);
  free(h);
}

/* --- distances --- */

/* A field's value from its modes at a point: `width` of an element, the first `count` from number `at` on. */
static double value(const double *array, size_t width, size_t e, size_t at, size_t count, const double *modes)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += array[WISP_SLAB(width, e, at + i)] * modes[i];
  return sum;
}

typedef struct distance {
  const wisp_helmholtz *h;
  const double *u, *flux, *ustar;
  wisp_helmholtz_errors *of; /* each slab, squared but for the largest */
} distance;

static void add_point(const distance *d, size_t e, size_t q, wisp_helmholtz_errors *sum)
{
  const wisp_helmholtz *h = d->h;
  const size_t Np = (size_t)h->hdg->tables->Np, Ns = (size_t)h->hdg->tables->Ns;
  const double *phi = h->phi + q * Np, weight = h->rule.w[q] * jacobian(h->hdg, e);
  double xy[2];
  place_at(h->hdg, e, h->rule.r[q], h->rule.s[q], xy);
  const field here = solution_at(xy);
  const double off = value(d->u, Np, e, 0, Np, phi) - here.u;
  const double off_star = value(d->ustar, Ns, e, 0, Ns, h->phi_star + q * Ns) - here.u;
  for (size_t c = 0; c < 2; c++) {
    const double off_p = value(d->flux, 2 * Np, e, c * Np, Np, phi) - h->data.kappa * here.slope[c];
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
  const size_t elements = d->h->hdg->mesh->elements;
  for (size_t e = from * WISP_SLAB_ELEMENTS; e < to * WISP_SLAB_ELEMENTS && e < elements; e++)
    for (size_t q = 0; q < d->h->rule.count; q++) add_point(d, e, q, &d->of[e / WISP_SLAB_ELEMENTS]);
}

wisp_status wisp_helmholtz_distance(wisp_error *err, const wisp_helmholtz *h, const double *u, const double *flux,
                                    const double *ustar, wisp_helmholtz_errors *out)
{
  const size_t slabs = WISP_SLAB_SLOTS(h->hdg->mesh->elements) / WISP_SLAB_ELEMENTS;
  OWNED(free) wisp_helmholtz_errors *of = NULL;
  wisp_helmholtz_errors sum = {0};
  CALL(wisp_new(err, slabs, sizeof *of, &of));
  wisp_parallel_for(slabs, measure_slabs, &(distance){h, u, flux, ustar, of});
  for (size_t i = 0; i < slabs; i++) {
    sum.l2_u += of[i].l2_u, sum.l2_p += of[i].l2_p, sum.l2_ustar += of[i].l2_ustar;
    sum.linf_u = fmax(sum.linf_u, of[i].linf_u);
  }
  *out = (wisp_helmholtz_errors){sqrt(sum.l2_u), sqrt(sum.l2_p), sqrt(sum.l2_ustar), sum.linf_u};
  return WISP_OK;
}
