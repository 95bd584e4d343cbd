/* Are the equations linear, but for what does not depend on the fields? Rates are, by their form; fluxes and walls are
 * texts, and are looked at from outside. */
#include "random.h"
#include "system.h"

#include <math.h>

static void draw(uint64_t *random, int count, double *numbers)
{
  for (int i = 0; i < count; i++) numbers[i] = wisp_random_real(random);
}

/* Is the flux between two states the mean of the fluxes at both? Up to rounding of what they are added up from. */
static bool is_straight(const wisp_system *system, int boundary, uint64_t *random)
{
  double u[3][2][WISP_MAX_FIELDS], flux[3][WISP_MAX_FIELDS], size[3][WISP_MAX_FIELDS], normal[3];
  const double alpha = 0.75, rounding = 1e-12;
  bool straight = true;
  draw(random, 3, normal);
  for (int s = 0; s < 2; s++)
    for (int side = 0; side < 2; side++) draw(random, system->fields, u[s][side]);
  for (int side = 0; side < 2; side++)
    for (int f = 0; f < system->fields; f++) u[2][side][f] = (u[0][side][f] + u[1][side][f]) / 2;
  for (int s = 0; s < 3; s++) wisp_system_flux(system, boundary, normal, alpha, u[s][0], u[s][1], flux[s], size[s]);
  for (int f = 0; f < system->fields; f++)
    straight &= fabs(flux[0][f] + flux[1][f] - 2 * flux[2][f]) <= rounding * (size[0][f] + size[1][f] + size[2][f]);
  return straight;
}

bool wisp_system_is_affine(const wisp_system *system)
{
  enum { DRAWS = 16 };
  uint64_t random = WISP_RANDOM_SEED;
  bool affine = true;
  for (int boundary = -1; boundary < system->boundaries; boundary++)
    for (int i = 0; i < DRAWS; i++) affine &= is_straight(system, boundary, &random);
  return affine;
}
