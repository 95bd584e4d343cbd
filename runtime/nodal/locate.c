#include "locate.h"

#include <math.h>
#include <stdio.h>

/* Rounding may put a point of an element's surface so far outside, in parts of the element. */
static const double TOLERANCE = 1e-10;

/* The place in the reference element of slot k, and how far inside it is: the least of its barycentric coordinates. */
static double place(const wisp_dg *dg, size_t k, const double at[3], wisp_located *out)
{
  static const double r[4] = {-1, 1, -1, -1}, s[4] = {-1, -1, 1, -1}, t[4] = {-1, -1, -1, 1};
  double corner[12], b[4] = {1}, least = 1;
  wisp_dg_coordinates(dg, k, 4, r, s, t, corner);
  for (int mu = 0; mu < 3; mu++) { /* d(r, s, t)/d(x, y, z) is constant, and r = -1 + 2 b */
    b[mu + 1] = 0;
    for (int nu = 0; nu < 3; nu++)
      b[mu + 1] +=
          dg->geo[wisp_layout_element(&dg->layout, dg->records.geos, 3 * mu + nu, k)] * (at[nu] - corner[nu]) / 2;
    b[0] -= b[mu + 1];
  }
  for (int i = 0; i < 4; i++) least = b[i] < least ? b[i] : least;
  *out = (wisp_located){k, 2 * b[1] - 1, 2 * b[2] - 1, 2 * b[3] - 1};
  return least;
}

wisp_status wisp_dg_locate(wisp_error *err, const char *what, const wisp_dg *dg, const double at[3], wisp_located *out)
{
  double element = HUGE_VAL;
  *out = (wisp_located){.slot = WISP_ELSEWHERE};
  for (size_t k = 0; k < dg->slots; k++) {
    wisp_located here;
    if (dg->slot[k] == WISP_EMPTY || dg->slot[k] > element || place(dg, k, at, &here) < -TOLERANCE) continue;
    element = dg->slot[k];
    *out = here;
  }
  const double own = element;
  if (dg->domain) CALL(wisp_ranks_least(err, dg->domain->ranks, &element));
  if (own > element) out->slot = WISP_ELSEWHERE;
  return wisp_require(err, isfinite(element), WISP_EUSAGE, "%s: the point (%g, %g, %g) is in no element of the mesh",
                      what, at[0], at[1], at[2]);
}

wisp_status wisp_point_read(wisp_error *err, const char *what, const char *text, double at[3])
{
  int end = 0, bracket = *text == '(';
  bool good = sscanf(text + bracket, "%lf ,%lf ,%lf %n", &at[0], &at[1], &at[2], &end) == 3 && end;
  if (good && bracket) good = text[end + 1] == ')' && !text[end + 2];
  if (good && !bracket) good = !text[end];
  for (int c = 0; good && c < 3; c++) good = at[c] - at[c] == 0;
  return wisp_require(err, good, WISP_EUSAGE, "%s: '%s' is no point: write three numbers, such as (0.5,0.25,1)", what,
                      text);
}
