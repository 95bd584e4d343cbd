/* Claim: a kind of device is a table of functions and a line in a list, which a program may add to. "fence"
 * (tests/fence), which the library knows nothing of, keeps the contract of all kinds; solvers and the tuner run on it,
 * and a kernel that goes one number past its array is stopped there. docs/guide/add-a-device.md shows what stands in
 * the sources. */
#include "test.h"
#include "device_checks.h"
#include "fence/fence.h"
#include "page.h"
#include "solving.h"
#include "store_fixture.h"
#include "tuning.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* The line in the list. */
const wisp_device_kind *const wisp_own_kinds[] = {&wisp_kind_fence, NULL};

TEST(test_page)
{
  static const char *const files[] = {"tests/fence/fence.c", "tests/test_own_device.c"};
  if (access("tests/test_own_device.c", R_OK) != 0) skip(); /* carried without its sources */
  check_page("docs/guide/add-a-device.md", files, 2, 4);
}

TEST_WITH(test_contract, NULL, drop_cache)
{
  wisp_error reason = {0};
  wisp_device *device = NULL;
  HELD(wisp_text_free) wisp_text names = {0};
  fresh_cache();
  GOOD(wisp_device_open(err, "fence", &device));
  assert_string_equal(wisp_device_limits(device)->name, "fenced host");
  check_device(device);
  wisp_device_close(device);
  GOOD(wisp_device_list(err, false, &names));
  assert_string_equal(strstr(names.data, "host"), "host,fence");
  assert_int_equal(wisp_device_open(&reason, "fence:1", &device), WISP_EDEVICE);
}

/* The same kernels, the same numbers. */
TEST(test_solves)
{
  static const char *const devices[] = {"host", "fence"};
  double l2[2];
  for (int d = 0; d < 2; d++) {
    wisp_error reason = {0};
    wisp_mesh *mesh = NULL;
    solving s;
    setenv("WISP_TEST_DEVICE", devices[d], 1);
    GOOD(wisp_mesh_box(err, 2, &mesh));
    if (!solving_open(&reason, &s, mesh, &(solving_setup){.order = 2})) fail_msg("%s", reason.text);
    l2[d] = cavity_error(&s, 0.1, 1);
    solving_close(&s);
  }
  assert_true(l2[0] > 0 && l2[0] == l2[1]);
}

TEST_IN_FOLDER(test_tuned)
{
  wisp_tune_summary summary = {0};
  wisp_tune_request request = tune_request("nodal", "gather", fixture_path(*state, "fence.db"));
  request.strategy = "direct", request.elements = 300;
  GOOD(wisp_tune(err, "fence", &request, &summary));
  if (summary.failed || summary.ok < 3)
    fail_msg("%lld right, %lld failed: %s", summary.ok, summary.failed, summary.why);
  assert_string_equal(summary.limits.name, "fenced host");
}

/* Writes COUNT + past numbers to an array of COUNT; ends with 0 where nothing stops it. */
static int write_past(int past)
{
  enum { COUNT = 1000 };
  static const char source[] = "void fill(void **args, unsigned x, unsigned y)\n{\n  (void)x, (void)y;\n"
                               "  for (int i = 0; i < *(int *)args[1]; i++) (*(double **)args[0])[i] = i;\n}\n";
  wisp_error reason = {0};
  wisp_device *device = NULL;
  wisp_module *module = NULL;
  wisp_binary binary = {0};
  wisp_pointer array = 0;
  GOOD(wisp_compile(err, "host", "fill", source, &binary));
  const pid_t child = fork();
  if (child == 0) {
    union {
      long long whole;
      int count;
    } numbers = {.count = COUNT + past};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the next test */
    bool good = wisp_device_open(&reason, "fence", &device) == WISP_OK &&
                wisp_module_load(&reason, device, &binary, "fill", 0, &module) == WISP_OK &&
                wisp_device_alloc(&reason, device, COUNT * sizeof(double), &array) == WISP_OK;
    good = good && wisp_launch(&reason, module, NULL, (unsigned[]){1, 1}, (unsigned[]){1, 1, 1},
                               (void *[]){&array, &numbers}, 2) == WISP_OK;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  free(binary.data);
  return status;
}

TEST(test_stopped)
{
  assert_int_equal(write_past(0), 0);
  assert_true(WIFSIGNALED(write_past(1)));
}
