#include "workload.h"

#include <string.h>

extern const wisp_workload wisp_workload_nodal, wisp_workload_tensor, wisp_workload_vectors;

static const wisp_workload *const workloads[] = {
    &wisp_workload_nodal,
    &wisp_workload_tensor,
    &wisp_workload_vectors,
};
enum { WORKLOADS = WISP_COUNT(workloads) };

const wisp_workload *wisp_workload_at(size_t i)
{
  if (i < WORKLOADS) return workloads[i];
  return wisp_own_workloads ? wisp_own_workloads[i - WORKLOADS] : NULL;
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

bool wisp_workload_serves(const char *family, const char *kernel)
{
  const wisp_workload *workload = NULL;
  return wisp_workload_find(NULL, family, kernel, &workload) == WISP_OK;
}
