/* In the place of NVIDIA's management library: one GPU, at PCI bus 0000:1B:00.0, whose clock is what a test says. */
#include <stdlib.h>
#include <string.h>

enum { INVALID_ARGUMENT = 2, NOT_FOUND = 6, UNINITIALIZED = 1, CLOCK_SM = 1 };

static int open_count, gpu;

int stub_nvml_open(void)
{
  return open_count;
}

int nvmlInit_v2(void)
{
  open_count++;
  return 0;
}

int nvmlShutdown(void)
{
  return open_count-- > 0 ? 0 : UNINITIALIZED;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
  *device = &gpu;
  return strcmp(bus, "0000:1B:00.0") == 0 ? 0 : NOT_FOUND;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
  const char *text = getenv("STUB_CLOCK");
  if (!open_count) return UNINITIALIZED;
  if (device != &gpu || type != CLOCK_SM || !text) return INVALID_ARGUMENT;
  *mhz = (unsigned)atoi(text);
  return 0;
}
