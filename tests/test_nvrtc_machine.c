/* Claim: that NVRTC has no memory left is the machine's fault, whatever its log says, which is what a sweep stores no
 * verdict for (test_tune_machine): nothing is remembered, and the same text compiles once there is room. What NVRTC
 * refuses is the text's fault. Shown over a stub (tests/stub/libnvrtc.c), so that no NVRTC is needed. */
#include "store_fixture.h"
#include "../runtime/device.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define OUT_OF_MEMORY "1" /* nvrtcResult */
#define COMPILATION "6"

/* Compiles the stub and loads it first: the loader then takes it for libnvrtc.so.13 by its soname. What it compiles
 * goes to a cache of its own, where no real NVRTC looks for it. False without its source. */
static bool load_stub(const char *folder)
{
  char path[128], command[512];
  if (access("tests/stub/libnvrtc.c", R_OK) != 0) return false;
  snprintf(path, sizeof path, "%s/libnvrtc.so.13", folder);
  snprintf(command, sizeof command, "cc -O1 -g -shared -fPIC -Wl,-soname,libnvrtc.so.13 -o %s tests/stub/libnvrtc.c",
           path);
  assert_int_equal(system(command), 0);
  if (!dlopen(path, RTLD_NOW)) fail_msg("%s", dlerror());
  setenv("WISP_CACHE_DIR", folder, 1);
  return true;
}

/* A kernel's text, where NVRTC ends so and with this log; the error is to have these words. */
static void expect(const char *text, const char *result, const char *log, wisp_status status, const char *words)
{
  wisp_binary binary = {0};
  wisp_error err = {0};
  setenv("STUB_NVRTC", result, 1);
  setenv("STUB_NVRTC_LOG", log, 1);
  assert_int_equal(wisp_compile(&err, "sm_90", "kernel", text, &binary), status);
  if (!strstr(err.text, words)) fail_msg("%s", err.text);
  assert_int_equal(binary.data != NULL, status == WISP_OK);
  wisp_binary_free(&binary);
}

static void test_no_memory(void **state)
{
  char folder[64];
  (void)state;
  fixture_folder(folder);
  if (!load_stub(folder)) skip();
  expect("text", OUT_OF_MEMORY, "", WISP_ESYSTEM, "kernel: sm_90: NVRTC_ERROR_OUT_OF_MEMORY");
  expect("text", OUT_OF_MEMORY, "k.cu(1): catastrophic error: out of memory\n", WISP_ESYSTEM, "OUT_OF_MEMORY");
  expect("text", "0", "", WISP_OK, "");
  expect("other text", COMPILATION, "warning\nk.cu(1): error: expected a ;\n", WISP_ECOMPILE, "error: expected a ;");
  fixture_remove(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
