/* Claim: a GPU's clock is what NVIDIA's management library says of the GPU at that bus, and unknown where the library
 * is missing, incomplete, or does not tell; whatever is opened is closed. Shown over a stub
 * (tests/stub/libnvidia-ml.c), so that no GPU is needed. */
#include "test.h"
#include "device_checks.h"
#include "store_fixture.h"
#include "../runtime/cuda_parts.h"

#include <dlfcn.h>

#define BUS "0000:1B:00.0"

/* Compiles the stub into a folder; false without its source. */
static bool make_stub(const char *path)
{
  char command[512];
  if (access("tests/stub/libnvidia-ml.c", R_OK) != 0) return false;
  snprintf(command, sizeof command, "cc -O1 -g -shared -fPIC -o %s tests/stub/libnvidia-ml.c", path);
  assert_int_equal(system(command), 0);
  setenv("WISP_NVML", path, 1);
  return true;
}

static int open_count(void *stub)
{
  int (*count)(void);
  void *symbol = dlsym(stub, "stub_nvml_open");
  assert_non_null(symbol);
  memcpy(&count, &symbol, sizeof symbol);
  return count();
}

TEST_IN_FOLDER(test_clock)
{
  const char *path = fixture_path(*state, "libnvidia-ml.so.1");
  if (!make_stub(path)) skip();
  void *stub = dlopen(path, RTLD_NOW);
  assert_non_null(stub);
  wisp_nvml *nvml = wisp_nvml_open(BUS);
  assert_non_null(nvml);
  assert_int_equal(open_count(stub), 1);
  setenv("STUB_CLOCK", "1980", 1);
  assert_true(wisp_nvml_clock_mhz(nvml) == 1980);
  setenv("STUB_CLOCK", "345", 1);
  assert_true(wisp_nvml_clock_mhz(nvml) == 345);
  unsetenv("STUB_CLOCK");
  assert_true(isnan(wisp_nvml_clock_mhz(nvml)));
  wisp_nvml_close(nvml);
  assert_null(wisp_nvml_open("0000:2C:00.0"));
  assert_int_equal(open_count(stub), 0);
  dlclose(stub);
}

TEST(test_unknown)
{
  setenv("WISP_NVML", "/no/such/libnvidia-ml.so.1", 1);
  assert_null(wisp_nvml_open(BUS));
  setenv("WISP_NVML", "libm.so.6", 1); /* a library, but without these functions */
  assert_null(wisp_nvml_open(BUS));
  assert_true(isnan(wisp_nvml_clock_mhz(NULL)));
  wisp_nvml_close(NULL);
  unsetenv("WISP_NVML");
}

/* A host has no such clock. */
TEST(test_host)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  GOOD(wisp_device_open(err, "host", &device));
  assert_true(isnan(wisp_device_clock_mhz(device)));
}
