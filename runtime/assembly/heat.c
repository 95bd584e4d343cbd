#include "heat.h"
#include "../../gen/nodal/tet.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

wisp_status wisp_heat_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order, const double kappa[3],
                             double capacity, wisp_heat **out)
{
  static const wisp_fixing boundary = {.all = true};
  OWNED(wisp_heat_destroy) wisp_heat *heat = NULL;
  CALL(wisp_require(err, capacity >= 0, WISP_EUSAGE, "a heat capacity of %g: must be 0 (steady) or more", capacity));
  CALL(wisp_new(err, 1, sizeof *heat, &heat));
  *heat = (wisp_heat){.kappa = {kappa[0], kappa[1], kappa[2]}, .capacity = capacity};
  CALL(wisp_assembly_create(err, name, mesh, order, &boundary, &heat->assembly));
  heat->assembly->form = wisp_form_find("heat");
  for (size_t d = 0; d < 2; d++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < mesh->vertices; v++) {
      low = fmin(low, mesh->xyz[3 * v + d]);
      high = fmax(high, mesh->xyz[3 * v + d]);
    }
    heat->low[d] = low;
    heat->length[d] = high - low;
  }
  CALL(wisp_new(err, 2 * heat->assembly->nodes->nodes, sizeof *heat->places, &heat->places));
  CALL(wisp_trinodes_places(err, heat->assembly->nodes, mesh, heat->places));
  return GIVE(heat, out);
}

void wisp_heat_destroy(wisp_heat *heat)
{
  if (!heat) return;
  wisp_assembly_destroy(heat->assembly);
  free(heat->places);
  free(heat);
}

/* --- the solution --- */

/* g(x, y), of which the solution is 1 + t times, its gradient, and its Laplacian. */
typedef struct shape {
  double g, slope[2], laplacian;
} shape;

static shape shape_at(const wisp_heat *heat, const double xy[2])
{
  const double *L = heat->length, X = (xy[0] - heat->low[0]) / L[0], Y = (xy[1] - heat->low[1]) / L[1];
  const double g = sin(PI * X) * exp(Y);
  return (shape){.g = g,
                 .slope = {PI * cos(PI * X) * exp(Y) / L[0], g / L[1]},
                 .laplacian = g * (1 / (L[1] * L[1]) - PI * PI / (L[0] * L[0]))};
}

void wisp_heat_solution(const wisp_heat *heat, double t, double *u)
{
  for (size_t i = 0; i < heat->assembly->nodes->nodes; i++) u[i] = (1 + t) * shape_at(heat, heat->places + 2 * i).g;
}

/* f = c u_t - kappa'(u) |grad u|^2 - kappa(u) laplace(u) */
void wisp_heat_source(const wisp_heat *heat, double t, double *f)
{
  const double *k = heat->kappa, grown = 1 + t;
  for (size_t i = 0; i < heat->assembly->nodes->nodes; i++) {
    const shape s = shape_at(heat, heat->places + 2 * i);
    const double u = grown * s.g, kappa = k[0] + u * (k[1] + u * k[2]), rise = k[1] + 2 * k[2] * u;
    const double square = grown * grown * (s.slope[0] * s.slope[0] + s.slope[1] * s.slope[1]);
    f[i] = heat->capacity * s.g - rise * square - kappa * grown * s.laplacian;
  }
}

/* --- its distance --- */

/* The square of what an element adds, with the nodes' polynomials at the quadrature's points. */
static double element_error(const wisp_heat *heat, double t, const double *u, size_t e, const wisp_quadrature *rule,
                            const double *phi)
{
  const wisp_assembly *s = heat->assembly;
  const size_t Np = (size_t)s->tri->Np;
  const int32_t *node = s->nodes->node + e * Np;
  const double J = wisp_mesh_corner(s->mesh, e, wisp_tri_frames[0], NULL) / 4;
  double sum = 0;
  for (size_t q = 0; q < rule->count; q++) {
    const double share[3] = {-(rule->r[q] + rule->s[q]) / 2, (1 + rule->r[q]) / 2, (1 + rule->s[q]) / 2};
    double value = 0, xy[2] = {0, 0};
    for (size_t a = 0; a < Np; a++) value += phi[q * Np + a] * u[node[a]];
    for (size_t i = 0; i < 6; i++)
      xy[i % 2] += share[i / 2] * s->mesh->xyz[3 * (size_t)s->mesh->tri[3 * e + i / 2] + i % 2];
    const double off = value - (1 + t) * shape_at(heat, xy).g;
    sum += rule->w[q] * J * off * off;
  }
  return sum;
}

wisp_status wisp_heat_error(wisp_error *err, const wisp_heat *heat, double t, const double *u, double *error)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  OWNED(free) double *phi = NULL;
  const wisp_tri *tri = heat->assembly->tri;
  const size_t Np = (size_t)tri->Np;
  double sum = 0;
  CALL(wisp_triangle_quadrature(err, 2 * tri->N + 4, &rule));
  CALL(wisp_new(err, rule.count * Np, sizeof *phi, &phi));
  for (size_t q = 0; q < rule.count; q++) wisp_tri_at(tri, rule.r[q], rule.s[q], phi + q * Np, NULL);
  for (size_t e = 0; e < heat->assembly->mesh->elements; e++) sum += element_error(heat, t, u, e, &rule, phi);
  *error = sqrt(sum);
  return WISP_OK;
}
