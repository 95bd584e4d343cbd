#include "media.h"
#include "../mesh/formula.h"

#include <math.h>
#include <stdio.h>

wisp_status wisp_media_create(wisp_error *err, const wisp_system *system, const wisp_mesh *mesh,
                              const char *const *texts, double **medium)
{
  const size_t n = (size_t)system->quantities;
  OWNED(free) double *values = NULL;
  CALL(wisp_new(err, mesh->elements * n + 1, sizeof *values, &values));
  wisp_system_default_medium(system, mesh->elements, values);
  for (size_t q = 0; q < n; q++) {
    OWNED(wisp_formula_destroy) wisp_formula *formula = NULL;
    char what[64];
    if (!texts[q]) continue;
    snprintf(what, sizeof what, "coefficient %s", system->quantity[q].name);
    CALL(wisp_formula_create(err, what, texts[q], mesh, false, &formula));
    wisp_formula_middles(formula, mesh, n, values + q);
  }
  CALL(wisp_system_complete_medium(err, system, mesh->elements, values));
  return GIVE(values, medium);
}

wisp_status wisp_media_check(wisp_error *err, const wisp_system *system, size_t elements, const double *medium,
                             wisp_precision precision)
{
  const bool single = precision == WISP_F32;
  const double most = single ? 1e15 : 1e30;
  const size_t n = (size_t)system->quantities;
  for (size_t i = 0; i < elements * n; i++) {
    const wisp_quantity *q = &system->quantity[i % n];
    CALL(wisp_require(err, q->expression || (medium[i] >= 1 / most && medium[i] <= most), WISP_EUSAGE,
                      "coefficient %s is %g in element %zu, must be from %g to %g in %s: take other units%s", q->name,
                      medium[i], i / n, 1 / most, most, wisp_precision_name(precision), single ? ", or f64" : ""));
  }
  return WISP_OK;
}

double wisp_media_jump(const wisp_system *system, size_t elements, const double *medium, int *quantity)
{
  const size_t n = (size_t)system->quantities;
  double largest = 1;
  *quantity = 0;
  for (size_t q = 0; q < n; q++) {
    double low = INFINITY, high = 0;
    for (size_t e = 0; e < elements; e++) low = fmin(low, medium[e * n + q]), high = fmax(high, medium[e * n + q]);
    if (system->quantity[q].expression || !(high / low > largest)) continue;
    largest = high / low;
    *quantity = (int)q;
  }
  return largest;
}

double wisp_media_resolved(wisp_precision precision)
{
  return precision == WISP_F32 ? 1e6 : 1e12;
}
