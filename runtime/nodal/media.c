#include "media.h"
#include "../mesh/formula.h"

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
