/* Claim: what NVRTC cannot do on this machine is the machine's fault, which is what a sweep stores no verdict for
 * (test_tune_machine): no memory, a part of it that is missing, an architecture that it does not know. Nothing is
 * remembered, and the same text compiles once that is mended. What NVRTC refuses is the text's fault. The NVRTC that is
 * taken is the one in CUDA_HOME, however it was installed there, unless it is newer than the driver. Shown over stubs
 * (tests/stub), so that neither NVRTC nor a driver is needed. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../runtime/device.h"

#include <dlfcn.h>

#define OUT_OF_MEMORY "1" /* nvrtcResult */
#define INVALID_OPTION "5"
#define COMPILATION "6"
#define NO_BUILTINS "7"

/* Compiles a stub to a file. */
static void build(const char *options, const char *name, const char *path)
{
  char command[1024];
  snprintf(command, sizeof command,
           "mkdir -p \"$(dirname '%s')\" && cc -O1 -g -shared -fPIC %s -o '%s' tests/stub/%s.c", path, options, path,
           name);
  assert_int_equal(system(command), 0);
}

/* Loads stubs first: the loader then takes them for the libraries of these names by their sonames. What they compile
 * goes to a cache of its own, where no real NVRTC looks for it. *state is the folder; NULL without their sources. */
static int load_stubs(void **state)
{
  static const char *const names[][2] = {{"libnvrtc", "libnvrtc.so.13"}, {"libcuda", "libcuda.so.1"}};
  static char folder[64];
  char path[256], soname[64];
  if (access("tests/stub/libnvrtc.c", R_OK) != 0) return 0;
  fixture_folder(folder);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i][1]);
    snprintf(soname, sizeof soname, "-Wl,-soname,%s", names[i][1]);
    build(soname, names[i][0], path);
    if (!dlopen(path, RTLD_NOW)) fail_msg("%s", dlerror());
  }
  unsetenv("CUDA_HOME"), unsetenv("CUDA_PATH"), unsetenv("STUB_CUDA");
  setenv("WISP_CACHE_DIR", folder, 1);
  *state = folder;
  return 0;
}

static int drop_stubs(void **state)
{
  if (*state) fixture_remove(*state);
  return 0;
}

/* A kernel's text, where NVRTC ends so and with this log; the error is to have these words. */
static void expect_for(const char *target, const char *text, const char *result, const char *log, wisp_status status,
                       const char *words)
{
  HELD(wisp_binary_free) wisp_binary binary = {0};
  wisp_error err = {0};
  setenv("STUB_NVRTC", result, 1);
  setenv("STUB_NVRTC_LOG", log, 1);
  assert_int_equal(wisp_compile(&err, target, "kernel", text, &binary), status);
  if (!strstr(err.text, words)) fail_msg("%s", err.text);
  assert_null(strchr(err.text, '\n'));
  assert_int_equal(binary.data != NULL, status == WISP_OK);
}

static void expect(const char *text, const char *result, const char *log, wisp_status status, const char *words)
{
  expect_for("sm_90", text, result, log, status, words);
}

TEST(test_no_memory)
{
  if (!*state) skip();
  expect("text", OUT_OF_MEMORY, "", WISP_ESYSTEM, "kernel: sm_90: NVRTC_ERROR_OUT_OF_MEMORY");
  expect("text", OUT_OF_MEMORY, "k.cu(1): catastrophic error: out of memory\n", WISP_ESYSTEM, "OUT_OF_MEMORY");
  expect("text", "0", "", WISP_OK, "");
  expect("other text", COMPILATION, "warning\nk.cu(1): error: expected a ;\n", WISP_ECOMPILE, "error: expected a ;");
}

/* Both lines that NVRTC says of it are passed on, and what to do. */
TEST(test_a_part_is_missing)
{
  static const char log[] = "nvrtc: error: failed to open libnvrtc-builtins.so.13.0.\n"
                            "  Make sure that libnvrtc-builtins.so.13.0 is installed correctly.";
  if (!*state) skip();
  expect("a part", NO_BUILTINS, log, WISP_ESYSTEM, "failed to open libnvrtc-builtins.so.13.0. Make sure that");
  expect("a part", NO_BUILTINS, log, WISP_ESYSTEM, "NVRTC 13.0 is not whole");
  expect("a part", NO_BUILTINS, log, WISP_ESYSTEM, "CUDA_HOME");
  expect("a part", "0", "", WISP_OK, "");
}

TEST(test_unknown_architecture)
{
  static const char log[] = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
  wisp_error err = {0};
  if (!*state) skip();
  expect_for("sm_120", "new", INVALID_OPTION, log, WISP_ESYSTEM,
             "NVRTC 13.0 does not know sm_120, only sm_75 to sm_90: CUDA 12.8 or later does");
  expect_for("sm_70", "old", INVALID_OPTION, log, WISP_ESYSTEM, "does not know sm_70, only sm_75 to sm_90: an earlier");
  expect("other", INVALID_OPTION, "nvrtc: error: unrecognized option -v found\n", WISP_ESYSTEM, "option -v found");
  /* Before a sweep an empty text says as much of the machine; and that is no text's fault, whatever NVRTC calls it. */
  assert_int_equal(wisp_compiler_probe(&err, "sm_90"), WISP_ESYSTEM);
  setenv("STUB_NVRTC", COMPILATION, 1);
  assert_int_equal(wisp_compiler_probe(&err, "sm_90"), WISP_ESYSTEM);
  assert_non_null(strstr(err.text, "does nothing"));
  setenv("STUB_NVRTC", "0", 1);
  assert_int_equal(wisp_compiler_probe(&err, "sm_90"), WISP_OK);
}

/* The NVRTC that compiles, by its version. */
static void expect_version(const char *version)
{
  const wisp_limits limits = target_limits("sm_90");
  if (strncmp(limits.compiler, version, strlen(version)) != 0) fail_msg("%s, not %s", limits.compiler, version);
}

/* CUDA_HOME comes before what the loader finds, whatever the folders below it are called. */
TEST(test_places)
{
  static const char *const below[] = {"lib64",
                                      "lib",
                                      "targets/x86_64-linux/lib",
                                      "cuda_nvrtc/lib",
                                      "nvidia/cu13/lib",
                                      "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib",
                                      "."};
  static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
  const char *folder = *state;
  char home[128], path[256], options[32], version[32];
  if (!*state) skip();
  setenv("STUB_CUDA", "13090", 1);
  for (int i = 0; i < (int)(sizeof below / sizeof *below); i++) {
    snprintf(home, sizeof home, "%s/a [home] no %d", folder, i); /* nothing in a name is a pattern */
    snprintf(path, sizeof path, "%s/%s/libnvrtc.so.13", home, below[i]);
    snprintf(options, sizeof options, "-DMINOR=%d", i + 1);
    snprintf(version, sizeof version, "NVRTC 13.%d", i + 1);
    build(options, "libnvrtc", path);
    expect_version("NVRTC 13.0");
    setenv(variables[i % 2], home, 1);
    expect_version(version);
    unsetenv(variables[i % 2]);
  }
}

/* An NVRTC that makes code which the driver does not load is passed over; the error names it where there is no other.
 */
TEST(test_newer_than_the_driver)
{
  const char *folder = *state;
  char path[128];
  wisp_error err = {0};
  wisp_binary binary = {0};
  if (!*state) skip();
  snprintf(path, sizeof path, "%s/lib64/libnvrtc.so.13", folder);
  build("-DMINOR=8", "libnvrtc", path);
  snprintf(path, sizeof path, "%s/lib/libnvrtc.so.12", folder);
  build("-DMAJOR=12 -DMINOR=4", "libnvrtc", path);
  setenv("CUDA_HOME", folder, 1);
  setenv("STUB_CUDA", "13080", 1);
  expect_version("NVRTC 13.8");
  setenv("STUB_CUDA", "13020", 1);
  expect_version("NVRTC 12.4"); /* also an older one is better than one newer than the driver */
  setenv("STUB_CUDA", "12040", 1);
  expect_version("NVRTC 12.4");
  setenv("STUB_CUDA", "12000", 1);
  expect_version("NVRTC 12."); /* of its major version, newer: where there is no better one */
  setenv("STUB_CUDA", "1000", 1);
  expect_version("");
  assert_int_equal(wisp_compile(&err, "sm_90", "kernel", "never compiled", &binary), WISP_ESYSTEM);
  if (!strstr(err.text, "the driver loads code of CUDA 1.0 and older")) fail_msg("%s", err.text);
  if (!strstr(err.text, "update the driver")) fail_msg("%s", err.text);
  unsetenv("CUDA_HOME"), unsetenv("STUB_CUDA");
}

GROUP(load_stubs, drop_stubs)
