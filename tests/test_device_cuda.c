/* Claim: NVRTC compiles for every architecture that we ship for, tells usage and errors, and a GPU keeps the contract
 * of devices; where NVRTC or a GPU is missing, the error names what to install. */
#include "test.h"
#include "device_checks.h"
#include "../runtime/compilers.h"
#include "../runtime/cuda_api.h"

static const char *const targets[] = {"sm_80", "sm_90", "sm_100"};
enum { TARGETS = sizeof targets / sizeof *targets };

/* Keeps 100 doubles a thread where 1024 threads leave 32 registers for them, and 2 KB of static shared memory. */
static const char spilling[] =
    "extern \"C\" __global__ void __launch_bounds__(1024) spilling(double *x, const double *y)\n"
    "{\n"
    "  __shared__ double s[256];\n"
    "  double a[100];\n"
    "  s[threadIdx.x % 256] = y[threadIdx.x];\n"
    "  __syncthreads();\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 100; i++) a[i] = y[i * 7 + threadIdx.x] + s[i];\n"
    "  for (int r = 0; r < 9; r++) {\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 100; i++) a[i] = a[i] * a[(i * 7 + 3) % 100];\n"
    "  }\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 100; i++) x[i * 1024 + threadIdx.x] = a[i];\n"
    "}\n";

/* Whether NVRTC is here; where it is not, checks that the error says what to install, and marks the case as skipped. */
static void need_nvrtc(void)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  wisp_nvrtc_api api;
  if (wisp_nvrtc_api_open(&err, &api) == WISP_OK) return;
  fresh_cache();
  assert_int_equal(wisp_compile(&err, "sm_90", "spilling", spilling, &binary), WISP_EDEVICE);
  assert_non_null(strstr(err.text, "libnvrtc"));
  assert_non_null(strstr(err.text, "install"));
  print_message("no NVRTC here: %s\n", err.text);
  skip();
}

TEST(compiles_for_every_target)
{
  need_nvrtc();
  fresh_cache();
  for (int cached = 0; cached < 2; cached++) /* usage comes from the compiler, then from the cache */
    for (int t = 0; t < TARGETS; t++) {
      wisp_binary binary = {0};
      wisp_limits limits;
      GOOD(wisp_compile(err, targets[t], "spilling", spilling, &binary));
      assert_memory_equal(binary.data, "\177ELF", 4);
      assert_in_range(binary.usage.registers, 32, 64); /* 65536 / 1024 at most */
      assert_true(binary.usage.spill_bytes > 100);
      assert_int_equal(binary.usage.shared_bytes, 2048);
      GOOD(wisp_target_limits(err, targets[t], &limits));
      assert_string_equal(limits.target, targets[t]);
      assert_true(limits.max_shared > 160 * 1024 && limits.shared_per_unit > limits.max_shared);
      free(binary.data);
    }
}

/* The instructions that a warp issues for so many more multiplications in a row, or in a loop. */
static int issued_by(int more, bool loop, bool cut)
{
  wisp_binary binary = {0};
  char source[4096];
  int at = snprintf(source, sizeof source, "extern \"C\" __global__ void one(float *x, int n)\n{\n  float a = x[0];\n");
  at += loop ? snprintf(source + at, sizeof source - (size_t)at, "  for (int i = 0; i < n; i++)\n") : 0;
  for (int i = 0; i < more; i++)
    at += snprintf(source + at, sizeof source - (size_t)at, "  a = __fmaf_rn(a, %d.5f, x[%d]);\n", i, i + 1);
  snprintf(source + at, sizeof source - (size_t)at, "  x[threadIdx.x] = a;\n}\n");
  GOOD(wisp_compile(err, "sm_90", "one", source, &binary));
  int issued = binary.usage.issued;
  for (size_t length = 0; cut && length < binary.length; length += 61) {
    OWNED(free) char *part = malloc(length + 1);
    assert_non_null(part);
    memcpy(part, binary.data, length);
    issued = wisp_cubin_issued(part, length) > issued ? -1 : issued;
  }
  free(binary.data);
  return issued;
}

/* A multiplication takes itself and its load; a loop's are not counted, and a file that is cut off is none. */
TEST(straight_code_is_counted)
{
  need_nvrtc();
  fresh_cache();
  const int few = issued_by(2, false, true);
  assert_in_range(few, 6, 24);
  assert_int_equal(issued_by(22, false, true), few + 40);
  assert_int_equal(issued_by(1, true, false), 0);
}

TEST(errors_carry_the_line)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  need_nvrtc();
  fresh_cache();
  const char *wrong = "extern \"C\" __global__ void wrong(double *x)\n{\n  x[0] = undeclared_thing;\n}\n";
  assert_int_equal(wisp_compile(&err, "sm_90", "wrong", wrong, &binary), WISP_ECOMPILE);
  assert_non_null(strstr(err.text, "wrong.cu(3)"));
  assert_non_null(strstr(err.text, "undeclared_thing"));
  assert_null(strchr(err.text, '\n'));
  const char *large = "extern \"C\" __global__ void large(double *x)\n{\n  __shared__ double s[20000];\n"
                      "  s[threadIdx.x] = x[0];\n  __syncthreads();\n  x[1] = s[threadIdx.x + 5];\n}\n";
  assert_int_equal(wisp_compile(&err, "sm_90", "large", large, &binary), WISP_ECOMPILE);
  assert_non_null(strstr(err.text, "160000 bytes"));
  assert_int_equal(wisp_compile(&err, "sm_99", "wrong", wrong, &binary), WISP_ESYSTEM); /* it is no text's fault */
  assert_non_null(strstr(err.text, "does not know sm_99"));
  assert_int_equal(wisp_compile(&err, "sm_90x", "wrong", wrong, &binary), WISP_EUSAGE);
  assert_null(binary.data);
}

static bool compiles(int number)
{
  wisp_error err = {0};
  wisp_binary binary = {0};
  char source[256];
  snprintf(source, sizeof source, "extern \"C\" __global__ void one(double *x) { x[threadIdx.x] = %d; }\n", number / 2);
  bool good =
      wisp_compile(&err, targets[number % TARGETS], "one", source, &binary) == WISP_OK && binary.usage.registers > 0;
  free(binary.data);
  return good;
}

TEST(threads_compile_at_once)
{
  need_nvrtc();
  check_threads(compiles);
}

/* The device named in $WISP_TEST_DEVICE must open; a GPU that nobody asked for is checked where there is one. */
TEST(gpu_keeps_its_contract)
{
  wisp_error err = {0};
  OWNED(wisp_device_close) wisp_device *device = NULL;
  const char *asked = getenv("WISP_TEST_DEVICE");
  bool demanded = asked && strncmp(asked, "cuda", 4) == 0;
  wisp_status status = wisp_device_open(&err, demanded ? asked : "cuda", &device);
  if (status != WISP_OK && demanded) fail_msg("%s: %s", asked, err.text);
  if (status != WISP_OK) {
    assert_int_equal(status, WISP_EDEVICE);
    assert_non_null(strstr(err.text, "cuda"));
    print_message("no GPU here: %s\n", err.text);
    skip();
  }
  fresh_cache();
  check_device(device);
  check_adopted(device);
  wisp_device_close(device);
  /* Loops are the driver's where it has them; the others' way must hold as well. */
  setenv("WISP_GRAPH_LOOPS", "host", 1);
  status = wisp_device_open(&err, demanded ? asked : "cuda", &device);
  unsetenv("WISP_GRAPH_LOOPS");
  if (status != WISP_OK) fail_msg("%s", err.text);
  assert_false(wisp_device_limits(device)->loops);
  check_device(device);
}

GROUP(NULL, drop_cache)
