/* NVML opened at run time, so that none is needed to build. Prototypes are declared here by hand, from NVIDIA's
 * documentation of nvml.h; every function returns an nvmlReturn_t, 0 for success. */
#include "nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_SM = 1 }; /* NVML_CLOCK_SM */

struct wisp_nvml {
  void *library, *device;
  int (*init)(void);
  int (*shutdown)(void);
  int (*find)(const char *bus, void **device);
  int (*clock)(void *device, int type, unsigned *mhz);
};

/* dlsym gives an object pointer, which C cannot cast to a function's: its bytes are copied. */
static bool bind(wisp_nvml *nvml)
{
  const struct {
    const char *name;
    size_t offset;
  } entries[] = {{"nvmlInit_v2", offsetof(wisp_nvml, init)},
                 {"nvmlShutdown", offsetof(wisp_nvml, shutdown)},
                 {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(wisp_nvml, find)},
                 {"nvmlDeviceGetClockInfo", offsetof(wisp_nvml, clock)}};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *symbol = dlsym(nvml->library, entries[i].name);
    if (!symbol) return false;
    memcpy((char *)nvml + entries[i].offset, &symbol, sizeof symbol);
  }
  return true;
}

wisp_nvml *wisp_nvml_open(const char *bus)
{
  const char *name = getenv("WISP_NVML");
  void *library = dlopen(name && *name ? name : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  wisp_nvml *nvml = library ? calloc(1, sizeof *nvml) : NULL;
  if (nvml) {
    nvml->library = library;
    if (bind(nvml) && nvml->init() == 0) {
      if (nvml->find(bus, &nvml->device) == 0) return nvml;
      nvml->shutdown();
    }
  }
  if (library) dlclose(library);
  free(nvml);
  return NULL;
}

double wisp_nvml_clock_mhz(const wisp_nvml *nvml)
{
  unsigned mhz = 0;
  return nvml && nvml->clock(nvml->device, CLOCK_SM, &mhz) == 0 ? (double)mhz : NAN;
}

void wisp_nvml_close(wisp_nvml *nvml)
{
  if (!nvml) return;
  nvml->shutdown();
  dlclose(nvml->library);
  free(nvml);
}
