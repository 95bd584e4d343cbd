#include "nvml.h"
#include "cuda_api.h"

#include <math.h>
#include <stdlib.h>

enum { CLOCK_SM = 1 }; /* NVML_CLOCK_SM */

struct wisp_nvml {
  wisp_nvml_api api;
  void *device;
};

wisp_nvml *wisp_nvml_open(const char *bus)
{
  wisp_nvml *nvml = calloc(1, sizeof *nvml);
  if (nvml && wisp_nvml_api_open(NULL, &nvml->api) == WISP_OK && nvml->api.nvmlInit_v2() == 0) {
    if (nvml->api.nvmlDeviceGetHandleByPciBusId_v2(bus, &nvml->device) == 0) return nvml;
    nvml->api.nvmlShutdown();
  }
  free(nvml);
  return NULL;
}

double wisp_nvml_clock_mhz(const wisp_nvml *nvml)
{
  unsigned mhz = 0;
  bool known = nvml && nvml->api.nvmlDeviceGetClockInfo(nvml->device, CLOCK_SM, &mhz) == 0;
  return known ? (double)mhz : NAN;
}

void wisp_nvml_close(wisp_nvml *nvml)
{
  if (nvml) nvml->api.nvmlShutdown();
  free(nvml);
}
