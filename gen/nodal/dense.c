/* Which dense product a nodal kernel stands for. */
#include "dense.h"
#include "tet.h"
#include "../system.h"

#include <string.h>

wisp_status wisp_nodal_dense(wisp_error *err, const wisp_spec *spec, wisp_dense *out)
{
  const bool lift = strcmp(spec->kernel, "lift") == 0;
  const bool derivatives = strcmp(spec->kernel, "volume") == 0 || strcmp(spec->kernel, "derivative") == 0;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  if (!lift && !derivatives) return WISP_OK;
  CALL(wisp_system_read(err, spec->system, NULL, &system));
  CALL(wisp_tet_create_for(err, spec->element, spec->order, &tet));
  const size_t Np = (size_t)tet->Np, k = lift ? (size_t)WISP_TET_FACES * (size_t)tet->Nfp : Np, m = lift ? Np : 3 * Np;
  double *matrix = NULL;
  CALL(wisp_new(err, m * k, sizeof *matrix, &matrix));
  for (size_t d = 0; d < 3 && !lift; d++) memcpy(matrix + d * Np * Np, tet->D[d], Np * Np * sizeof *matrix);
  if (lift) memcpy(matrix, tet->LIFT, m * k * sizeof *matrix);
  *out = (wisp_dense){.matrix = matrix, .m = (int)m, .k = (int)k, .columns = system->fields};
  return WISP_OK;
}
