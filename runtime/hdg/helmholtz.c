#include "helmholtz.h"
#include "../mesh/piecewise.h"
#include "../mesh/vtu.h"
#include "../parallel.h"
#include "../../gen/jacobi.h"
#include "../../gen/language/expr.h"
#include "../../gen/nodal/tet_internal.h"

#include <math.h>

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

/* The paper's rule on the bi-unit triangle: P + 2 Gauss-Lobatto points by P + 1 Gauss-Radau points, collapsed. */
static wisp_status make_paper_rule(wisp_error *err, int order, wisp_quadrature *out)
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

/* The places of points (r, s) of element e, in the mesh's own coordinates: xyz of each together. */
static void coordinates(const wisp_hdg *hdg, size_t e, size_t count, const double *r, const double *s, double *xyz)
{
  for (size_t q = 0; q < count; q++) {
    const double share[3] = {-(r[q] + s[q]) / 2, (1 + r[q]) / 2, (1 + s[q]) / 2};
    memset(xyz + 3 * q, 0, 3 * sizeof *xyz);
    for (size_t i = 0; i < 6; i++)
      xyz[3 * q + i % 2] += share[i / 2] * hdg->mesh->xyz[3 * (size_t)hdg->mesh->tri[3 * e + i / 2] + i % 2];
  }
}

/* Coordinates of points x, -1 to 1 along the element, of edge face % 3 of element face / 3. */
static void edge_coordinates(const wisp_hdg *hdg, size_t face, size_t count, const double *x, double *xyz)
{
  for (size_t q = 0; q < count; q++) {
    double r, t;
    wisp_hdg_on_edge((int)face % 3, x[q], &r, &t);
    coordinates(hdg, face / 3, 1, &r, &t, xyz + 3 * q);
  }
}

/* --- data --- */

enum { POINTS = WISP_EXPR_MANY };

/* out += scale * formula at points of an element. */
static void add(const wisp_helmholtz_problem *h, wisp_helmholtz_formula which, double scale, size_t count,
                const double *xyz, int32_t region, int32_t tag, double *out)
{
  double values[POINTS];
  if (!h->formula[which]) return;
  wisp_formula_at(h->formula[which], count, xyz, region, tag, values);
  for (size_t q = 0; q < count; q++) out[q] += scale * values[q];
}

/* f at points of an element, from number `first` of the rule on, times each mode. */
static void add_load(const wisp_helmholtz_problem *h, size_t e, size_t first, size_t count, const double *f,
                     double *load)
{
  const size_t Np = (size_t)h->hdg->tables->Np;
  const double J = wisp_hdg_area(h->hdg, e) / 2;
  for (size_t q = 0; q < count; q++)
    for (size_t i = 0; i < Np; i++)
      load[WISP_SLAB(Np, e, i)] += f[q] * h->rule.w[first + q] * J * h->phi[(first + q) * Np + i];
}

/* A wisp_sweep over elements: f, or lambda u - kappa (u_xx + u_yy), times each mode. */
static void load_elements(void *context, size_t from, size_t to)
{
  const wisp_helmholtz_problem *h = context;
  const bool known = h->data.solution;
  for (size_t e = from; e < to; e++)
    for (size_t first = 0; first < h->rule.count; first += POINTS) {
      const size_t count = h->rule.count - first < POINTS ? h->rule.count - first : POINTS;
      const int32_t region = h->hdg->mesh->region[e];
      double xyz[3 * POINTS], f[POINTS] = {0};
      coordinates(h->hdg, e, count, h->rule.r + first, h->rule.s + first, xyz);
      if (known) add(h, WISP_HELMHOLTZ_U, h->lambda[e], count, xyz, region, 0, f);
      add(h, WISP_HELMHOLTZ_DXX, -h->kappa[e], count, xyz, region, 0, f);
      add(h, WISP_HELMHOLTZ_DYY, -h->kappa[e], count, xyz, region, 0, f);
      add(h, WISP_HELMHOLTZ_SOURCE, 1, count, xyz, region, 0, f);
      add_load(h, e, first, count, f, h->load);
    }
}

/* Values given on a boundary edge at points from -1 to 1 along its element: u, or kappa du/dn times half the edge's
 * length in the mesh's coordinates, so that integrals are over those points. */
static void give_points(const wisp_helmholtz_problem *h, size_t edge, size_t points, const double *x, double *out)
{
  const wisp_hdg *s = h->hdg;
  const size_t face = (size_t)s->side[2 * edge], e = face / 3;
  const wisp_hdg_triangle at = wisp_hdg_triangle_at(s, e, (double[3]){1, 1, 1}, 1, 0);
  const double *a = at.xy[face % 3], *b = at.xy[(face + 1) % 3], half = s->frame.length / 2;
  const int32_t region = s->mesh->region[e], tag = s->mesh->tag[face];
  double xyz[3 * POINTS];
  for (size_t q = 0; q < points; q++) out[q] = 0;
  edge_coordinates(s, face, points, x, xyz);
  if (edge >= s->free_edges) {
    add(h, WISP_HELMHOLTZ_U, 1, points, xyz, region, tag, out);
    return;
  }
  add(h, WISP_HELMHOLTZ_DX, h->kappa[e] * (b[1] - a[1]) * half, points, xyz, region, tag, out);
  add(h, WISP_HELMHOLTZ_DY, -h->kappa[e] * (b[0] - a[0]) * half, points, xyz, region, tag, out);
  add(h, WISP_HELMHOLTZ_FLUX, hypot(b[0] - a[0], b[1] - a[1]) * half, points, xyz, region, tag, out);
}

/* Mode by mode, from values at the points of an edge's rule: of u the projection, of its flux the integral. */
static wisp_status give_modes(wisp_error *err, const wisp_helmholtz_problem *h, size_t edge, const double *values,
                              double *given)
{
  const wisp_hdg *s = h->hdg;
  const size_t n = (size_t)s->tables->n;
  const int32_t face = s->side[2 * edge];
  double psi[WISP_HDG_MAX_N];
  for (size_t q = 0; q < h->edge_rule.count; q++) {
    wisp_hdg_edge_modes(s->tables->N, h->edge_rule.x[q], psi);
    for (size_t k = 0; k < n; k++)
      given[edge * n + k] += h->edge_rule.w[q] * psi[k] * wisp_hdg_sign(s->edge[face], (int)k) * values[q];
  }
  return wisp_require(err, isfinite(given[edge * n]), WISP_EUSAGE,
                      "what is given on the boundary is not finite on edge %d of triangle %zu (tag %d)", face % 3,
                      wisp_mesh_number(s->mesh, (size_t)face / 3), s->mesh->tag[face]);
}

/* Sines take some more than the polynomials do. */
static wisp_status tabulate(wisp_error *err, wisp_helmholtz_problem *h)
{
  const wisp_hdg_tables *t = h->hdg->tables;
  CALL(h->data.paper ? make_paper_rule(err, t->N, &h->rule) : wisp_triangle_quadrature(err, 2 * t->N + 8, &h->rule));
  h->edge_rule.count = (size_t)t->N + 7;
  CALL(wisp_jacobi_gauss(err, 0, 0, t->N + 7, h->edge_rule.x, h->edge_rule.w));
  CALL(wisp_new(err, h->rule.count * (size_t)t->Np, sizeof *h->phi, &h->phi));
  CALL(wisp_new(err, h->rule.count * (size_t)t->Ns, sizeof *h->phi_star, &h->phi_star));
  for (size_t q = 0; q < h->rule.count; q++) {
    wisp_triangle_modes(t->N, h->rule.r[q], h->rule.s[q], h->phi + q * (size_t)t->Np, NULL);
    wisp_triangle_modes(t->N + 1, h->rule.r[q], h->rule.s[q], h->phi_star + q * (size_t)t->Ns, NULL);
  }
  return WISP_OK;
}

/* The family declares the range that its kernels are verified in. */
static wisp_status check_coefficient(wisp_error *err, const wisp_mesh *mesh, const char *name, size_t e, double value)
{
  const wisp_passed_values *range = &wisp_family_array(wisp_family_find("hdg"), name)->passed;
  return wisp_require(err, value >= range->least && value <= range->most, WISP_EUSAGE,
                      "%s is %g in triangle %zu (region %d): must be %s, from %g to %g", name, value,
                      wisp_mesh_number(mesh, e), mesh->region[e], range->least > 0 ? "positive" : "0 or positive",
                      range->least, range->most);
}

/* Coefficients, triangle by triangle, in the mesh's units. */
static wisp_status set_coefficients(wisp_error *err, wisp_helmholtz_problem *h)
{
  const wisp_mesh *mesh = h->hdg->mesh;
  const char *const texts[2] = {h->data.kappa, h->data.lambda}, *const names[2] = {"kappa", "lambda"};
  const double *const numbers[2] = {h->data.kappa_of, h->data.lambda_of};
  double *const values[2] = {h->kappa, h->lambda};
  for (int c = 0; c < 2; c++) {
    HELD(wisp_piecewise_free) wisp_piecewise given = {.piece = NULL};
    if (!numbers[c]) CALL(wisp_piecewise_create(err, names[c], texts[c], mesh, &given));
    for (size_t e = 0; e < mesh->elements; e++) values[c][e] = numbers[c] ? numbers[c][e] : 1;
    CALL(wisp_piecewise_middles(err, &given, mesh, 1, values[c]));
    for (size_t e = 0; e < mesh->elements; e++) CALL(check_coefficient(err, mesh, names[c], e, values[c][e]));
  }
  return WISP_OK;
}

static wisp_status read_formulas(wisp_error *err, wisp_helmholtz_problem *h)
{
  const wisp_mesh *mesh = h->hdg->mesh;
  const wisp_helmholtz_texts *d = &h->data;
  const struct {
    const char *name, *text;
    wisp_helmholtz_formula which;
  } given[] = {{"source", d->source, WISP_HELMHOLTZ_SOURCE},
               {"value", d->value, WISP_HELMHOLTZ_U},
               {"flux", d->flux, WISP_HELMHOLTZ_FLUX}};
  static const wisp_helmholtz_formula slopes[4][2] = {{WISP_HELMHOLTZ_U, WISP_HELMHOLTZ_DX},
                                                      {WISP_HELMHOLTZ_U, WISP_HELMHOLTZ_DY},
                                                      {WISP_HELMHOLTZ_DX, WISP_HELMHOLTZ_DXX},
                                                      {WISP_HELMHOLTZ_DY, WISP_HELMHOLTZ_DYY}};
  for (size_t i = 0; i < WISP_COUNT(given) && !d->solution; i++)
    if (given[i].text)
      CALL(wisp_formula_create(err, given[i].name, given[i].text, mesh, given[i].which != WISP_HELMHOLTZ_SOURCE,
                               &h->formula[given[i].which]));
  if (!d->solution) return WISP_OK;
  CALL(wisp_formula_create(err, "solution", d->solution, mesh, false, &h->formula[WISP_HELMHOLTZ_U]));
  for (int i = 0; i < 4; i++) CALL(wisp_formula_slope(err, h->formula[slopes[i][0]], i % 2, &h->formula[slopes[i][1]]));
  return WISP_OK;
}

static wisp_status check_load(wisp_error *err, const wisp_helmholtz_problem *h, const double *load)
{
  const size_t Np = (size_t)h->hdg->tables->Np;
  for (size_t e = 0; e < h->hdg->mesh->elements; e++)
    CALL(wisp_require(err, isfinite(load[WISP_SLAB(Np, e, 0)]), WISP_EUSAGE,
                      "the source is not finite in triangle %zu (region %d)", wisp_mesh_number(h->hdg->mesh, e),
                      h->hdg->mesh->region[e]));
  return WISP_OK;
}

/* --- by values at points --- */

size_t wisp_helmholtz_boundary(const wisp_helmholtz_problem *h, int *faces)
{
  const wisp_mesh *mesh = h->hdg->mesh;
  size_t count = 0;
  for (size_t face = 0; face < 3 * mesh->elements; face++)
    if (mesh->neighbour[face] == WISP_BOUNDARY) {
      if (faces) faces[count] = (int)face;
      count++;
    }
  return count;
}

void wisp_helmholtz_problem_points(const wisp_helmholtz_problem *h, double *elements, double *edges)
{
  const wisp_mesh *mesh = h->hdg->mesh;
  for (size_t e = 0; elements && e < mesh->elements; e++) {
    double *xyz = elements + 3 * e * h->rule.count;
    coordinates(h->hdg, e, h->rule.count, h->rule.r, h->rule.s, xyz);
    wisp_plane_place(mesh->plane, h->rule.count, xyz);
  }
  for (size_t face = 0; edges && face < 3 * mesh->elements; face++) {
    if (mesh->neighbour[face] != WISP_BOUNDARY) continue;
    edge_coordinates(h->hdg, face, h->edge_rule.count, h->edge_rule.x, edges);
    wisp_plane_place(mesh->plane, h->edge_rule.count, edges);
    edges += 3 * h->edge_rule.count;
  }
}

typedef struct loading {
  const wisp_helmholtz_problem *h;
  const double *f;
  double *load;
} loading;

/* A wisp_sweep over elements. */
static void load_values(void *context, size_t from, size_t to)
{
  const loading *l = context;
  for (size_t e = from; e < to; e++) add_load(l->h, e, 0, l->h->rule.count, l->f + e * l->h->rule.count, l->load);
}

wisp_status wisp_helmholtz_problem_integrate(wisp_error *err, const wisp_helmholtz_problem *h, const double *f,
                                             const double *on_boundary, double *load, double *given)
{
  const wisp_hdg *s = h->hdg;
  const double *values = on_boundary;
  double scaled[POINTS];
  if (f) wisp_parallel_for(s->mesh->elements, load_values, &(loading){h, f, load});
  if (f) CALL(check_load(err, h, load));
  for (size_t face = 0; on_boundary && face < 3 * s->mesh->elements; face++) {
    const size_t edge = (size_t)s->edge[face] / 2;
    if (s->mesh->neighbour[face] != WISP_BOUNDARY) continue;
    const wisp_hdg_triangle at = wisp_hdg_triangle_at(s, face / 3, (double[3]){1, 1, 1}, 1, 0);
    const double scale = edge < s->free_edges ? wisp_hdg_length(&at, (int)(face % 3)) * s->frame.length / 2 : 1;
    for (size_t q = 0; q < h->edge_rule.count; q++) scaled[q] = scale * values[q];
    CALL(give_modes(err, h, edge, scaled, given));
    values += h->edge_rule.count;
  }
  return WISP_OK;
}

wisp_status wisp_helmholtz_problem_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                          const wisp_helmholtz_texts *data, wisp_helmholtz_problem **out)
{
  OWNED(wisp_helmholtz_problem_destroy) wisp_helmholtz_problem *h = NULL;
  const size_t elements = mesh->elements, slots = WISP_SLAB_SLOTS(elements);
  CALL(wisp_require(err, data->tau >= 0 && isfinite(data->tau), WISP_EUSAGE, "tau is %g: must be positive", data->tau));
  CALL(wisp_new(err, 1, sizeof *h, &h));
  h->data = *data;
  CALL(wisp_hdg_create(err, name, mesh, order, &data->dirichlet, &h->hdg));
  h->hdg->frame = wisp_mesh_frame(mesh);
  CALL(tabulate(err, h));
  CALL(wisp_new(err, 3 * slots, sizeof *h->tau, &h->tau));
  CALL(wisp_new(err, elements, sizeof *h->kappa, &h->kappa));
  CALL(wisp_new(err, elements, sizeof *h->lambda, &h->lambda));
  CALL(wisp_new(err, slots * (size_t)h->hdg->tables->Np, sizeof *h->load, &h->load));
  CALL(wisp_new(err, h->hdg->edges * (size_t)h->hdg->tables->n, sizeof *h->given, &h->given));
  CALL(set_coefficients(err, h));
  CALL(read_formulas(err, h));
  wisp_parallel_for(elements, load_elements, h);
  CALL(check_load(err, h, h->load));
  for (size_t edge = 0; edge < h->hdg->edges; edge++) {
    double values[POINTS];
    if (h->hdg->side[2 * edge + 1] >= 0) continue;
    give_points(h, edge, h->edge_rule.count, h->edge_rule.x, values);
    CALL(give_modes(err, h, edge, values, h->given));
  }
  /* Into the frame: lambda times the square of its length, tau times its length. An integral of f over a triangle, one
   * of kappa du/dn over an edge and u itself are the same in both. */
  const double L = h->hdg->frame.length;
  for (size_t i = 0; i < 3 * slots; i++) h->tau[i] = 1;
  for (size_t i = 0; i < 3 * elements; i++)
    h->tau[WISP_SLAB(3, i / 3, i % 3)] = data->tau > 0 ? data->tau * L : h->kappa[i / 3];
  for (size_t e = 0; e < elements; e++) h->lambda[e] *= L * L;
  CALL(wisp_hdg_pieces_create(err, h->hdg, h->lambda, &h->pieces));
  CALL(wisp_hdg_pieces_balance(err, h->pieces, name, h->given, h->load));
  return GIVE(h, out);
}

void wisp_helmholtz_problem_destroy(wisp_helmholtz_problem *h)
{
  if (!h) return;
  wisp_hdg_pieces_destroy(h->pieces);
  wisp_hdg_destroy(h->hdg);
  for (int i = 0; i < WISP_HELMHOLTZ_FORMULAS; i++) wisp_formula_destroy(h->formula[i]);
  wisp_quadrature_free(&h->rule);
  WISP_FREE(h->phi, h->phi_star, h->tau, h->kappa, h->lambda, h->load, h->given, h);
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
      coordinates(s, e, rule->count, rule->r, rule->s, xyz);
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
    coordinates(h->hdg, e, 1, &r[i % Ns], &s[i % Ns], fields.xyz + 3 * i);
  }
  wisp_plane_place(plane, points, fields.xyz);
  return GIVE(fields, out);
}
