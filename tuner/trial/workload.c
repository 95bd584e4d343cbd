#include "workload.h"
#include "../../gen/family.h"
#include "../../runtime/mesh/cell.h"

#include <math.h>
#include <string.h>

#define DECLARE(name) extern const wisp_workload wisp_workload_##name;
WISP_FAMILIES(DECLARE)
static const wisp_workload *const workloads[] = {WISP_FAMILIES(WISP_WORKLOAD_ADDRESS) NULL};

const wisp_workload *wisp_workload_at(size_t i)
{
  const wisp_workload *const *const lists[] = {workloads, wisp_own_workloads};
  for (size_t l = 0; l < WISP_COUNT(lists); l++)
    for (size_t k = 0; lists[l] && lists[l][k]; k++)
      for (const wisp_workload *w = lists[l][k]; w; w = w->more)
        if (i-- == 0) return w;
  return NULL;
}

static bool serves(const wisp_workload *w, const char *kernel)
{
  bool found = !w->kernels;
  for (int i = 0; w->kernels && w->kernels[i]; i++) found |= strcmp(w->kernels[i], kernel) == 0;
  return found;
}

wisp_status wisp_workload_find(wisp_error *err, const char *family, const char *kernel, const wisp_workload **out)
{
  const wisp_workload *w = NULL;
  for (size_t i = 0; (w = wisp_workload_at(i)); i++) {
    if (strcmp(w->family, family) != 0 || (kernel && !serves(w, kernel))) continue;
    *out = w;
    return WISP_OK;
  }
  return wisp_fail(err, WISP_EUSAGE, "the tuner has no workload for family '%s'%s%s", family, kernel ? ", kernel " : "",
                   kernel ? kernel : "");
}

long long wisp_workload_many(const wisp_workload *workload, const wisp_spec *spec)
{
  const char *dash = strrchr(spec->element, '-'); /* "bernstein-tet" */
  const wisp_cell *cell = wisp_cell_find(dash ? dash + 1 : spec->element);
  if (!workload->many || !cell) return 0;
  const double cells = (double)workload->many(spec) / cell->split;
  const long long side = (long long)ceil(pow(cells, 1.0 / cell->dimension) - 1e-9) | 1;
  long long count = cell->split;
  for (int d = 0; d < cell->dimension; d++) count *= side;
  return count;
}

bool wisp_workload_serves(const char *family, const char *kernel)
{
  const wisp_workload *workload = NULL;
  return wisp_workload_find(NULL, family, kernel, &workload) == WISP_OK;
}
