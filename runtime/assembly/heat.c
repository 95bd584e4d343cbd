#include "heat.h"
#include "../../gen/nodal/tet.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* Without mass, every connected part of the mesh must have a fixed node. */
static wisp_status check_fixed(wisp_error *err, const char *name, const wisp_heat *heat)
{
  const wisp_simplexnodes *nodes = heat->assembly->nodes;
  const size_t Np = (size_t)nodes->Np;
  OWNED(free) int32_t *parent = NULL;
  OWNED(free) bool *held = NULL;
  CALL(wisp_new(err, nodes->nodes, sizeof *parent, &parent));
  CALL(wisp_new(err, nodes->nodes, sizeof *held, &held));
  for (size_t i = 0; i < nodes->nodes; i++) parent[i] = (int32_t)i;
  for (size_t i = 0; i < nodes->elements * Np; i++)
    parent[wisp_root_of(parent, (size_t)nodes->node[i])] =
        (int32_t)wisp_root_of(parent, (size_t)nodes->node[i / Np * Np]);
  for (size_t i = nodes->unknowns; i < nodes->nodes; i++) held[wisp_root_of(parent, i)] = true;
  for (size_t i = 0; i < nodes->unknowns; i++)
    if (!held[wisp_root_of(parent, i)]) {
      double at[3];
      wisp_heat_coordinates(heat, i, at);
      wisp_plane_place(heat->assembly->mesh->plane, 1, at);
      return wisp_fail(
          err, WISP_EUSAGE,
          "%s: nothing is fixed of what hangs together with (%g, %g, %g), and there is no mass: the matrix "
          "is singular: fix more of the boundary, or give a capacity",
          name, at[0], at[1], at[2]);
    }
  return WISP_OK;
}

wisp_status wisp_heat_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                             const wisp_heat_kappa *kappa, double capacity, const wisp_heat_given *given,
                             wisp_heat **out)
{
  static const char *const names[] = {"kappa0", "kappa1", "kappa2"};
  const wisp_fixing fixed = {.all = !given, .count = given ? given->count : 0, .tag = given ? given->tag : NULL};
  OWNED(wisp_heat_destroy) wisp_heat *heat = NULL;
  CALL(wisp_require(err, capacity >= 0, WISP_EUSAGE, "a heat capacity of %g: must be 0 (steady) or more", capacity));
  CALL(wisp_new(err, 1, sizeof *heat, &heat));
  CALL(wisp_assembly_create(err, name, mesh, order, &fixed, &heat->assembly));
  const wisp_frame *frame = &heat->assembly->frame;
  heat->assembly->frame = wisp_mesh_frame(mesh);
  heat->kappa = *kappa;
  heat->capacity = capacity * frame->length * frame->length;
  if (given) heat->given = *given;
  heat->given.f *= frame->length * frame->length;
  CALL(wisp_form_load(err, "heat", &heat->assembly->form));
  CALL(wisp_form_kappa(err, kappa->text ? kappa->text : heat->assembly->form->text, &heat->value, &heat->rise));
  for (size_t k = 0; k < WISP_COUNT(names); k++) { /* both are of u alone from here on */
    wisp_expr_put(heat->value, names[k], kappa->number[k]);
    wisp_expr_put(heat->rise, names[k], kappa->number[k]);
  }
  wisp_frame_extent(frame, mesh, heat->low, heat->length);
  CALL(wisp_new(err, 3 * heat->assembly->nodes->nodes, sizeof *heat->xyz, &heat->xyz));
  CALL(wisp_simplexnodes_points(err, heat->assembly->nodes, mesh, frame, heat->xyz));
  if (capacity <= 0) CALL(check_fixed(err, name, heat));
  return GIVE(heat, out);
}

void wisp_heat_destroy(wisp_heat *heat)
{
  if (!heat) return;
  wisp_assembly_destroy(heat->assembly);
  free(heat->xyz);
  wisp_expr_destroy(heat->value), wisp_expr_destroy(heat->rise);
  free(heat);
}

void wisp_heat_coordinates(const wisp_heat *heat, size_t i, double xyz[3])
{
  const wisp_frame *frame = &heat->assembly->frame;
  for (size_t d = 0; d < 3; d++) xyz[d] = frame->origin[d] + frame->length * heat->xyz[3 * i + d];
}

/* --- kappa --- */

double wisp_heat_kappa_at(const wisp_heat *heat, double u)
{
  double value, size;
  wisp_expr_real(heat->value, (const double[WISP_FORM_SLOTS]){[WISP_FORM_U] = u}, NULL, &value, &size);
  return value;
}

bool wisp_heat_is_linear(const wisp_heat *heat)
{
  bool constant = true;
  for (size_t i = 0; wisp_expr_name(heat->value, i); i++) constant &= strcmp(wisp_expr_name(heat->value, i), "u") != 0;
  return constant || (!heat->kappa.text && fabs(heat->kappa.number[1]) + fabs(heat->kappa.number[2]) <= 0);
}

/* --- the solution --- */

/* g(x, y, z), of which the solution is 1 + t times, its gradient, and its Laplacian. */
typedef struct shape {
  double g, slope[3], laplacian;
} shape;

static shape shape_at(const wisp_heat *heat, const double xyz[3])
{
  const double *L = heat->length, X = PI * (xyz[0] - heat->low[0]) / L[0];
  const int dimension = heat->assembly->simplex->dimension;
  double sum = 0;
  shape s = {.laplacian = -PI * PI / (L[0] * L[0])};
  for (int d = 1; d < dimension; d++) {
    sum += (xyz[d] - heat->low[d]) / L[d];
    s.laplacian += 1 / (L[d] * L[d]);
  }
  s.g = sin(X) * exp(sum);
  s.laplacian *= s.g;
  s.slope[0] = PI * cos(X) * exp(sum) / L[0];
  for (int d = 1; d < dimension; d++) s.slope[d] = s.g / L[d];
  return s;
}

double wisp_heat_size(const wisp_heat *heat, double t, double rate)
{
  const wisp_heat_given *given = &heat->given;
  double u = given->count ? 0 : 1 + t, kappa = 0;
  for (size_t i = 0; i < given->count; i++) u = fmax(u, fabs(given->value[i]));
  for (int sign = -1; sign <= 1; sign++) {
    const double at = fabs(wisp_heat_kappa_at(heat, sign * u));
    if (isfinite(at)) kappa = fmax(kappa, at);
  }
  return fmax(fabs(given->f), (kappa + heat->capacity + rate) * u);
}

void wisp_heat_solution(const wisp_heat *heat, double t, double *u)
{
  const wisp_heat_given *given = &heat->given;
  const wisp_assembly *s = heat->assembly;
  if (given->count) memset(u, 0, s->nodes->nodes * sizeof *u);
  for (size_t i = 0; i < given->count; i++) wisp_simplexnodes_set(s->nodes, s->mesh, given->tag[i], given->value[i], u);
  for (size_t i = 0; !given->count && i < s->nodes->nodes; i++) u[i] = (1 + t) * shape_at(heat, heat->xyz + 3 * i).g;
}

void wisp_heat_shape(const wisp_heat *heat, double *out)
{
  const size_t nodes = heat->assembly->nodes->nodes;
  if (heat->given.count) wisp_heat_solution(heat, 0, out);
  for (size_t i = 0; !heat->given.count && i < nodes; i++) {
    const shape s = shape_at(heat, heat->xyz + 3 * i);
    out[i] = s.g, out[2 * nodes + i] = s.laplacian;
    out[nodes + i] = s.slope[0] * s.slope[0] + s.slope[1] * s.slope[1] + s.slope[2] * s.slope[2];
  }
}

/* --- its distance --- */

/* The square of what an element adds, with the nodes' polynomials at the quadrature's points. */
static double element_error(const wisp_heat *heat, double t, const double *u, size_t e, const wisp_quadrature *rule,
                            const double *phi)
{
  const wisp_assembly *s = heat->assembly;
  const size_t Np = (size_t)s->simplex->Np;
  const int32_t *node = s->nodes->node + e * Np;
  const size_t corners = (size_t)s->mesh->corners;
  const double J = wisp_mesh_corner(s->mesh, e, wisp_mesh_cell(s->mesh)->frame[0], NULL) / (1 << s->simplex->dimension);
  double sum = 0;
  for (size_t q = 0; q < rule->count; q++) {
    const double at[3] = {rule->r[q], rule->s[q], rule->t[q]};
    double value = 0, xyz[3] = {0}, share[4] = {1};
    for (size_t v = 1; v < corners; v++) share[v] = (1 + at[v - 1]) / 2, share[0] -= share[v];
    for (size_t a = 0; a < Np; a++) value += phi[q * Np + a] * u[node[a]];
    for (size_t i = 0; i < 3 * corners; i++)
      xyz[i % 3] += share[i / 3] * wisp_frame_vertex(&s->frame, s->mesh, s->mesh->cell[corners * e + i / 3], i % 3);
    const double off = value - (1 + t) * shape_at(heat, xyz).g;
    sum += rule->w[q] * J * off * off;
  }
  return sum;
}

wisp_status wisp_heat_error(wisp_error *err, const wisp_heat *heat, double t, const double *u, double *error)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  OWNED(free) double *phi = NULL;
  const wisp_simplex *simplex = heat->assembly->simplex;
  const size_t Np = (size_t)simplex->Np;
  double sum = 0;
  CALL((simplex->dimension == 2 ? wisp_triangle_quadrature : wisp_tet_quadrature)(err, 2 * simplex->N + 4, &rule));
  CALL(wisp_new(err, rule.count * Np, sizeof *phi, &phi));
  for (size_t q = 0; q < rule.count; q++)
    wisp_simplex_at(simplex, (const double[3]){rule.r[q], rule.s[q], rule.t[q]}, phi + q * Np, NULL);
  for (size_t e = 0; e < heat->assembly->mesh->elements; e++) sum += element_error(heat, t, u, e, &rule, phi);
  *error = sqrt(sum);
  return WISP_OK;
}

/* --- its field --- */

/* Coordinates and u at the lattice's point `step` of an element. */
static void sample(const wisp_heat *heat, const double *u, size_t e, const int step[4], double xyz[3], double *value)
{
  const wisp_assembly *s = heat->assembly;
  const size_t corners = (size_t)s->mesh->corners, Np = (size_t)s->simplex->Np;
  double phi[WISP_SIMPLEX_MAX_NP], point[3];
  for (int d = 0; d < 3; d++) point[d] = -1 + 2.0 * step[d + 1] / s->simplex->N;
  wisp_simplex_at(s->simplex, point, phi, NULL);
  *value = xyz[0] = xyz[1] = xyz[2] = 0;
  for (size_t a = 0; a < Np; a++) *value += phi[a] * u[s->nodes->node[e * Np + a]];
  for (size_t i = 0; i < 3 * corners; i++)
    xyz[i % 3] += step[i / 3] * s->mesh->xyz[3 * (size_t)s->mesh->cell[corners * e + i / 3] + i % 3] / s->simplex->N;
}

wisp_status wisp_heat_fields(wisp_error *err, const wisp_heat *heat, const double *u, wisp_fields *out)
{
  static const char *const names[] = {"u"};
  HELD(wisp_fields_free) wisp_fields fields = {.count = 0};
  const wisp_simplex *simplex = heat->assembly->simplex;
  const size_t Np = (size_t)simplex->Np, elements = heat->assembly->mesh->elements;
  int step[WISP_SIMPLEX_MAX_NP][4];
  CALL(wisp_fields_create(err, simplex->dimension + 1, simplex->N, elements, Np, 1, names, &fields));
  wisp_simplex_steps(simplex->dimension, simplex->N, step);
  for (size_t i = 0; i < Np * elements; i++)
    sample(heat, u, i / Np, step[i % Np], fields.xyz + 3 * i, fields.value[0] + i);
  wisp_plane_place(heat->assembly->mesh->plane, Np * elements, fields.xyz);
  return GIVE(fields, out);
}
