/* Claim: the calls to the CUDA driver keep its rules, give everything back, and pass its errors on. Shown over a stub
 * that takes the driver's place in this process (tests/stub/libcuda.c), so that no GPU is needed. Skipped where a
 * driver is installed: test_device_cuda holds the real one to the same contract. */
#include "test.h"
#include "device_checks.h"
#include "../runtime/cuda_parts.h"
#include "../tuner/workers/tune.h"

#include <dlfcn.h>

/* Compiles the stub and loads it first: the loader then takes it for libcuda.so.1 by its soname. NULL without sources.
 */
static void *load_stub(const char *folder)
{
  char path[128], command[512];
  if (access("tests/stub/libcuda.c", R_OK) != 0) return NULL;
  snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
  snprintf(command, sizeof command, "cc -O1 -g -shared -fPIC -Wl,-soname,libcuda.so.1 -o %s tests/stub/libcuda.c",
           path);
  assert_int_equal(system(command), 0);
  void *stub = dlopen(path, RTLD_NOW);
  if (!stub) fail_msg("%s", dlerror());
  return stub;
}

/* A real driver would be opened in the stub's place: NVRTC opens it, and what a process has opened stays. */
static bool driver_is_here(void)
{
  if (!dlopen("libcuda.so.1", RTLD_NOW)) return false;
  print_message("skipped: a driver is installed here, and opens in the stub's place\n");
  return true;
}

static bool stub_is_here(void)
{
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library && dlsym(library, "stub_live");
}

static int live_handles(void *stub)
{
  int (*live)(void);
  void *symbol = dlsym(stub, "stub_live");
  memcpy(&live, &symbol, sizeof symbol);
  return live();
}

/* NVRTC looks for a driver itself and trusts it: it compiles before the stub comes, and the checks read the cache. */
static void compile_early(void)
{
  const char *const kernels[][2] = {
      {"wisp_axpy", axpy_source("cuda")}, {"wisp_count", count_source("cuda")}, {"wisp_loop", wisp_cuda_loop_source}};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    wisp_binary binary = {0};
    GOOD(wisp_compile(err, "sm_90", kernels[i][0], kernels[i][1], &binary));
    free(binary.data);
  }
}

TEST(calls_keep_the_rules)
{
  wisp_error err = {0};
  wisp_device *device = NULL;
  wisp_nvrtc_api nvrtc;
  size_t count = 0;
  char **names = NULL;
  HELD(wisp_text_free) wisp_text all = {0};
  const char *folder = fresh_cache();
  if (driver_is_here() || wisp_nvrtc_api_open(&err, &nvrtc) != WISP_OK) skip();
  compile_early();
  void *stub = load_stub(folder);
  if (!stub) skip();
  assert_int_equal(wisp_device_list(&err, false, &all), WISP_OK);
  assert_string_equal(all.data, "cuda:0,cuda:1,host");
  assert_int_equal(wisp_devices_read(&err, "all", &count, &names), WISP_OK); /* GPUs are there: no host */
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "cuda:0");
  assert_string_equal(names[1], "cuda:1");
  wisp_devices_free(count, names);
  assert_int_equal(wisp_device_open(&err, "cuda:2", &device), WISP_EDEVICE);
  if (wisp_device_open(&err, "auto", &device) != WISP_OK) fail_msg("%s", err.text);
  assert_string_equal(wisp_device_limits(device)->name, "Stub 9000");
  assert_string_equal(wisp_device_limits(device)->target, "sm_90");
  assert_true(wisp_device_limits(device)->loops);
  check_device(device);
  check_adopted(device);
  wisp_device_close(device);
  assert_int_equal(live_handles(stub), 0);
  setenv("WISP_GRAPH_LOOPS", "host", 1);
  if (wisp_device_open(&err, "auto", &device) != WISP_OK) fail_msg("%s", err.text);
  unsetenv("WISP_GRAPH_LOOPS");
  assert_false(wisp_device_limits(device)->loops);
  check_device(device);
  wisp_device_close(device);
  assert_int_equal(live_handles(stub), 0);
}

TEST(errors_are_passed_on)
{
  wisp_error err = {0};
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_module *module = NULL;
  wisp_pointer pointer = 0;
  char elf[128] = "\177ELF";
  wisp_binary binary = {.data = elf, .length = sizeof elf};
  if (!stub_is_here()) skip(); /* the case before put it there, or was skipped */
  assert_int_equal(wisp_device_open(&err, "cuda", &device), WISP_OK);
  assert_int_equal(wisp_module_load(&err, device, &binary, "unheard_of", 0, &module), WISP_EDEVICE);
  assert_non_null(strstr(err.text, "unheard_of"));
  assert_non_null(strstr(err.text, "STUB_ERROR"));
  assert_non_null(strstr(err.text, "as the stub says"));
  assert_int_equal(wisp_module_load(&err, device, &binary, "wisp_axpy", 300000, &module), WISP_EUSAGE);
  assert_int_equal(wisp_device_alloc(&err, device, (size_t)1 << 40, &pointer), WISP_EMEMORY);
  assert_non_null(strstr(err.text, "12345 bytes are free"));
  /* A launch of the wrong shape: more than the driver takes. */
  assert_int_equal(wisp_module_load(&err, device, &binary, "wisp_axpy", 0, &module), WISP_OK);
  assert_int_equal(wisp_launch(&err, module, NULL, (unsigned[]){1, 1}, (unsigned[]){2048, 1, 1}, (void *[]){NULL}, 0),
                   WISP_EDEVICE);
  assert_non_null(strstr(err.text, "launch wisp_axpy"));
  assert_int_equal(wisp_module_cluster(&err, module, 8), WISP_OK);
  assert_int_equal(wisp_module_cluster(&err, module, -1), WISP_EDEVICE);
  assert_non_null(strstr(err.text, "form clusters of wisp_axpy"));
  wisp_module_unload(module);
}

/* A program's own context and stream come through the public interface, and stay the program's. */
TEST(a_session_borrows)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_session *session = NULL;
  void *memory = NULL;
  double there[] = {3, 1, 4}, back[3] = {0};
  if (!stub_is_here()) skip();
  void *stub = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  GOOD(wisp_device_open(err, "cuda:0", &device));
  const int live = live_handles(stub);
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .context = wisp_cuda_of(device)->context,
                                        .stream = wisp_cuda_of(device)->stream, .defaults_only = 1};
  GOOD(wisp_session_open(err, &request, &session));
  GOOD(wisp_memory_create(err, session, sizeof there, &memory));
  GOOD(wisp_memory_put(err, session, memory, there, sizeof there));
  GOOD(wisp_memory_get(err, session, back, memory, sizeof back));
  assert_memory_equal(there, back, sizeof back);
  wisp_memory_destroy(session, memory);
  wisp_session_close(session);
  assert_int_equal(live_handles(stub), live);
  GOOD(wisp_device_finish(err, device));
}

/* Each GPU's clock is asked for by its bus; the stub knows that of the first one. */
TEST(clocks_are_those_of_the_device)
{
  wisp_device *device = NULL;
  char path[128], command[512];
  if (!stub_is_here()) skip();
  snprintf(path, sizeof path, "%s/libnvidia-ml.so.1", fresh_cache());
  snprintf(command, sizeof command, "cc -O1 -g -shared -fPIC -o %s tests/stub/libnvidia-ml.c", path);
  assert_int_equal(system(command), 0);
  setenv("WISP_NVML", path, 1);
  setenv("STUB_CLOCK", "1755", 1);
  for (int i = 0; i < 2; i++) {
    GOOD(wisp_device_open(err, i ? "cuda:1" : "cuda:0", &device));
    double mhz = wisp_device_clock_mhz(device);
    assert_true(i ? isnan(mhz) : mhz == 1755);
    wisp_device_close(device);
  }
  unsetenv("WISP_NVML");
}

GROUP(NULL, drop_cache)
