/* Properties of fluxes and walls. These are texts, and random states show what they do. With du/dt = -div F + lifted
 * fluxes and an energy whose factors make n.F symmetric, the energy changes on faces alone: by the energy's product of
 * u with 2 flux - n.F. */
#include "random.h"
#include "system.h"

#include <math.h>

/* One side of a face: a state and the medium that it is in. */
typedef struct side {
  double u[WISP_MAX_FIELDS], medium[WISP_MAX_QUANTITIES];
} side;

static double rate_of(const wisp_term *term, const double *medium)
{
  return term->coefficient * (term->quantity < 0 ? 1 : medium[term->quantity]);
}

/* The energy's factors times the rates' coefficients are a symmetric matrix in every direction. */
static bool is_symmetric(const wisp_system *system, const double *medium)
{
  double entry[WISP_MAX_FIELDS][WISP_MAX_FIELDS][3] = {0};
  bool symmetric = true;
  for (size_t t = 0; t < system->terms; t++) {
    const wisp_term *term = &system->term[t];
    entry[term->out][term->in][term->axis] += wisp_system_energy(system, medium, term->out) * rate_of(term, medium);
  }
  for (int f = 0; f < system->fields; f++)
    for (int g = 0; g < f; g++)
      for (int axis = 0; axis < 3; axis++) {
        const double a = entry[f][g][axis], b = entry[g][f][axis];
        symmetric &= fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
      }
  return symmetric;
}

static wisp_status draw(const wisp_system *system, uint64_t *random, side *s)
{
  wisp_system_default_medium(system, 1, s->medium);
  for (int f = 0; f < system->fields; f++) s->u[f] = wisp_random_real(random);
  for (int q = 0; q < system->quantities; q++) s->medium[q] *= exp2(wisp_random_real(random));
  return wisp_system_complete_medium(NULL, system, 1, s->medium);
}

/* n.F of a state, -(rates' coefficients) times the normal. */
static void flow_out(const wisp_system *system, const double normal[3], const double *u, const double *medium,
                     double out[WISP_MAX_FIELDS])
{
  for (int f = 0; f < system->fields; f++) out[f] = 0;
  for (size_t t = 0; t < system->terms; t++) {
    const wisp_term *term = &system->term[t];
    out[term->out] -= rate_of(term, medium) * normal[term->axis] * u[term->in];
  }
}

/* The energy's product of a state with a flow; *size grows by the magnitudes that it is added up from. */
static double product(const wisp_system *system, const double *medium, const double *u, const double *flow,
                      double *size)
{
  double sum = 0;
  for (int f = 0; f < system->fields; f++) {
    const double part = wisp_system_energy(system, medium, f) * u[f] * flow[f];
    sum += part, *size += fabs(part);
  }
  return sum;
}

/* The energy that side m gains at the face, by 2 flux - n.F. */
static double power(const wisp_system *system, int boundary, const double normal[3], double alpha, const side *m,
                    const side *p, double *size)
{
  double flux[WISP_MAX_FIELDS], out[WISP_MAX_FIELDS];
  const wisp_side outside = {boundary < 0 ? p->u : NULL, boundary < 0 ? p->medium : m->medium};
  wisp_system_flux_between(system, boundary, normal, alpha, (wisp_side){m->u, m->medium}, outside, flux, NULL);
  flow_out(system, normal, m->u, m->medium, out);
  return 2 * product(system, m->medium, m->u, flux, size) - product(system, m->medium, m->u, out, size);
}

static void draw_normal(uint64_t *random, double normal[3])
{
  double length = 0;
  for (int c = 0; c < 3; c++) normal[c] = wisp_random_real(random), length += normal[c] * normal[c];
  for (int c = 0; c < 3; c++) normal[c] /= sqrt(length);
}

enum { DRAWS = 64, AFFINE_DRAWS = 16 };
static const double rounding = 1e-9;

bool wisp_system_adds_energy(const wisp_system *system, int boundary, double alpha)
{
  uint64_t random = WISP_RANDOM_SEED;
  bool adds = false;
  for (int i = 0; i < DRAWS; i++) {
    side m, p;
    double normal[3], back[3], size = 0;
    if (draw(system, &random, &m) != WISP_OK || draw(system, &random, &p) != WISP_OK) return false;
    if (!is_symmetric(system, m.medium)) return true;
    draw_normal(&random, normal);
    for (int c = 0; c < 3; c++) back[c] = -normal[c];
    double sum = power(system, boundary, normal, alpha, &m, &p, &size);
    if (boundary < 0) sum += power(system, boundary, back, alpha, &p, &m, &size);
    adds |= sum > rounding * size;
  }
  return adds;
}

/* The energy that a state gains by terms without a derivative. */
static double local_power(const wisp_system *system, const double *u, const double *medium, double *size)
{
  double rate[WISP_MAX_FIELDS] = {0};
  for (size_t t = 0; t < system->locals; t++)
    rate[system->local[t].out] += rate_of(&system->local[t], medium) * u[system->local[t].in];
  return 2 * product(system, medium, u, rate, size);
}

bool wisp_system_locals_keep_energy(const wisp_system *system)
{
  uint64_t random = WISP_RANDOM_SEED;
  bool keep = true;
  for (int i = 0; i < DRAWS && keep; i++) {
    side s;
    double size = 0;
    if (draw(system, &random, &s) != WISP_OK) return false;
    for (int q = 0; q < system->quantities; q++) s.medium[q] += system->quantity[q].otherwise == 0;
    if (wisp_system_complete_medium(NULL, system, 1, s.medium) != WISP_OK) return false;
    keep = fabs(local_power(system, s.u, s.medium, &size)) <= rounding * size;
  }
  return keep;
}

bool wisp_system_locals_add_energy(const wisp_system *system, const double *medium)
{
  uint64_t random = WISP_RANDOM_SEED;
  bool adds = false;
  for (int i = 0; i < DRAWS && !adds; i++) {
    side s;
    double size = 0;
    for (int f = 0; f < system->fields; f++) s.u[f] = wisp_random_real(&random);
    adds = local_power(system, s.u, medium, &size) > rounding * size;
  }
  return adds;
}

bool wisp_system_keeps_energy(const wisp_system *system, int boundary)
{
  uint64_t random = WISP_RANDOM_SEED;
  bool keeps = true;
  for (int i = 0; i < DRAWS && keeps; i++) {
    side m;
    double normal[3], on_wall[WISP_MAX_FIELDS], out[WISP_MAX_FIELDS], size = 0;
    if (draw(system, &random, &m) != WISP_OK || !is_symmetric(system, m.medium)) return false;
    draw_normal(&random, normal);
    wisp_system_ghost(system, boundary, normal, (wisp_side){m.u, m.medium}, on_wall);
    for (int f = 0; f < system->fields; f++) on_wall[f] = (on_wall[f] + m.u[f]) / 2;
    flow_out(system, normal, on_wall, m.medium, out);
    keeps = fabs(product(system, m.medium, on_wall, out, &size)) <= rounding * size;
  }
  return keeps;
}

/* ---- Rates are linear by their form. */

static void draw_numbers(uint64_t *random, int count, double *numbers)
{
  for (int i = 0; i < count; i++) numbers[i] = wisp_random_real(random);
}

/* Is the flux between two states the mean of the fluxes at both? Up to rounding of what they are added up from. */
static bool is_straight(const wisp_system *system, int boundary, uint64_t *random)
{
  double u[3][2][WISP_MAX_FIELDS], flux[3][WISP_MAX_FIELDS], size[3][WISP_MAX_FIELDS], normal[3];
  const double alpha = 0.75;
  bool straight = true;
  draw_numbers(random, 3, normal);
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 2; k++) draw_numbers(random, system->fields, u[s][k]);
  for (int k = 0; k < 2; k++)
    for (int f = 0; f < system->fields; f++) u[2][k][f] = (u[0][k][f] + u[1][k][f]) / 2;
  for (int s = 0; s < 3; s++) wisp_system_flux(system, boundary, normal, alpha, u[s][0], u[s][1], flux[s], size[s]);
  for (int f = 0; f < system->fields; f++)
    straight &= fabs(flux[0][f] + flux[1][f] - 2 * flux[2][f]) <= 1e-12 * (size[0][f] + size[1][f] + size[2][f]);
  return straight;
}

bool wisp_system_is_affine(const wisp_system *system)
{
  uint64_t random = WISP_RANDOM_SEED;
  bool affine = true;
  for (int boundary = -1; boundary < system->boundaries; boundary++)
    for (int i = 0; i < AFFINE_DRAWS; i++) affine &= is_straight(system, boundary, &random);
  return affine;
}
