#include "workload.h"

#include <string.h>

extern const wisp_workload wisp_workload_nodal, wisp_workload_tensor;

const wisp_workload *const wisp_workloads[] = {
    &wisp_workload_nodal,
    &wisp_workload_tensor,
    NULL,
};

wisp_status wisp_workload_find(wisp_error *err, const char *family, const wisp_workload **out)
{
  for (int i = 0; wisp_workloads[i]; i++)
    if (strcmp(wisp_workloads[i]->family, family) == 0) {
      *out = wisp_workloads[i];
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EUSAGE, "the tuner has no workload for family '%s'", family);
}

bool wisp_workload_serves(const char *family, const char *kernel)
{
  const wisp_workload *workload = NULL;
  if (wisp_workload_find(NULL, family, &workload) != WISP_OK) return false;
  return !workload->serves || workload->serves(kernel);
}
