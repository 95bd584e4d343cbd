/* The quantities of a system's elements: which there are, who reads them, and their values. */
#include "system_internal.h"

#include <math.h>

int wisp_system_quantity(const wisp_system *system, const char *name)
{
  for (int q = 0; q < system->quantities; q++)
    if (strcmp(system->quantity[q].name, name) == 0) return q;
  return -1;
}

static bool reads(const wisp_quantity *q, wisp_reader_of reader)
{
  if (reader == WISP_RATES) return q->rated;
  return (reader != WISP_OUTSIDE && q->inner) || (reader != WISP_INSIDE && q->outer);
}

int wisp_system_reads(const wisp_system *system, wisp_reader_of reader, int list[WISP_MAX_QUANTITIES])
{
  int count = 0;
  for (int q = 0; q < system->quantities; q++)
    if (reads(&system->quantity[q], reader)) list[count++] = q;
  return count;
}

void wisp_system_default_medium(const wisp_system *system, size_t count, double *medium)
{
  for (size_t e = 0; e < count; e++)
    for (int q = 0; q < system->quantities; q++) *medium++ = system->quantity[q].otherwise;
}

/* One quantity of up to WISP_EXPR_MANY elements from those above it: value[q][element]. */
static wisp_status compute(wisp_error *err, const wisp_system *system, int q, size_t first, int count,
                           double value[WISP_MAX_QUANTITIES][WISP_EXPR_MANY])
{
  const wisp_quantity *quantity = &system->quantity[q];
  if (quantity->expression) wisp_expr_many(quantity->expression, value[0], count, value[q]);
  for (int e = 0; e < count; e++) {
    const bool signed_well = quantity->expression || value[q][e] > 0 || (value[q][e] == 0 && quantity->otherwise == 0);
    const char *must = quantity->expression       ? "finite"
                       : quantity->otherwise == 0 ? "0 or positive, and finite"
                                                  : "positive and finite";
    CALL(wisp_require(err, isfinite(value[q][e]) && signed_well, WISP_EINPUT, "%s is %g in element %zu, must be %s",
                      quantity->name, value[q][e], first + (size_t)e, must));
  }
  return WISP_OK;
}

wisp_status wisp_system_complete_medium(wisp_error *err, const wisp_system *system, size_t count, double *medium)
{
  const size_t n = (size_t)system->quantities;
  double value[WISP_MAX_QUANTITIES][WISP_EXPR_MANY];
  for (size_t first = 0; first < count && n; first += WISP_EXPR_MANY) {
    const size_t left = count - first, some = left < WISP_EXPR_MANY ? left : WISP_EXPR_MANY;
    double *at = medium + first * n;
    for (int q = 0; q < system->quantities; q++) {
      for (size_t e = 0; e < some; e++) value[q][e] = at[e * n + (size_t)q];
      CALL(compute(err, system, q, first, (int)some, value));
      for (size_t e = 0; e < some; e++) at[e * n + (size_t)q] = value[q][e];
    }
  }
  return WISP_OK;
}

double wisp_system_speed(const wisp_system *system, const double *medium)
{
  return system->speed_of < 0 ? system->speed : medium[system->speed_of];
}

double wisp_system_energy(const wisp_system *system, const double *medium, int f)
{
  return system->energy_of[f] < 0 ? system->energy[f] : medium[system->energy_of[f]];
}

int wisp_system_mentioned(const wisp_system *system, const char *text, const char **at)
{
  char name[32];
  for (size_t length = 1; *text; text += length ? length : 1 + strspn(text + 1, "0123456789.")) {
    length = wisp_name_length(text);
    if (!length || length >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    *at = text;
    if (wisp_system_quantity(system, name) >= 0) return wisp_system_quantity(system, name);
  }
  return -1;
}
