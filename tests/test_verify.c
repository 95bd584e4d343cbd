/* Claim: verification tells a right kernel from wrong ones. Planted kernels (through $WISP_TEMPLATES) that write
 * outside an array, are wrong by 1e-3, are NaN in the last element only, read padding, or leave a result out: each is
 * caught, with its own reason; the same kernel without the fault passes. */
#include "each_plan.h"
#include "../runtime/kernel.h"
#include "../tuner/tolerance.h"
#include "../tuner/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* The assembly of rhs from derivatives, one group a block, with one statement more. */
static const char space[] =
    "kernel assemble\nlayouts node slab\nblock 32\ngrid groups ceil(NpM,32)\n"
    "arg in real dux\narg in real duy\narg in real duz\narg out real rhs\narg value int groups\n";
static const char text[] = "const INDEX m = bx;\n"
                           "FOR_Y(y, 1)\n"
                           "  FOR_X(x, 32)\n"
                           "    const INDEX at = by * 32 + x, here = m * {{= n * NpM}} + at;\n"
                           "    if (at < {{NpM}}) {\n"
                           "      {{#fields}}\n"
                           "      rhs[here + {{= f * NpM}}] = {{#terms}}{{coefficient}} * {{#if axis == "
                           "0}}dux{{/if}}{{#if axis == 1}}duy{{/if}}"
                           "{{#if axis == 2}}duz{{/if}}[here + {{= in * NpM}}]{{#if !last}} + {{/if}}{{/terms}};\n"
                           "      {{/fields}}\n"
                           "      %s\n"
                           "    }\n"
                           "  END_X\n"
                           "END_Y\n";

static const struct {
  const char *name, *fault, *reason; /* reason NULL: right */
} planted[] = {
    {"right", "", NULL},
    {"beyond", "if (m == groups - 1 && at == 0) rhs[groups * {{= n * NpM}} + 3] = 1;", "writes outside array rhs"},
    {"before", "if (m == 0 && at == 0) (rhs - 5)[0] = 1;", "writes outside array rhs"},
    {"neighbour", "if (m == 0 && at == 0) rhs[groups * {{= n * NpM}} + 255] = 1;", "writes outside array rhs"},
    {"thousandth", "rhs[here] *= (real)1.001;", "error 1.0"},
    {"one-dof", "if (m == 7 && at == 2) rhs[here] += (real)0.01;", "at slot 7, field Ex, node 2"},
    {"last-nan", "if (m == groups - 1) rhs[here] = (real)0 / (real)0;", "at slot 156, field Ex, node 0: not finite"},
    {"padding", "rhs[here] += 0 * dux[m * {{= n * NpM}} + {{NpM}} - 1];", "not finite"},
    {"left-out", "if (m == 9) rhs[here] = duz[here] * 0 + dux[(groups - 1) * {{= n * NpM}} + {{NpM}} - 1];",
     "at slot 9, field Ex, node 0: not finite"},
};
enum { PLANTED = sizeof planted / sizeof *planted };

static void write_file(const char *folder, const char *name, const char *ending, const char *content)
{
  char path[256];
  snprintf(path, sizeof path, "%s/nodal/assemble.%s.%s", folder, name, ending);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(content, file);
  fclose(file);
}

static void plant(const char *folder)
{
  char path[256], body[2048];
  snprintf(path, sizeof path, "%s/nodal", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  for (int i = 0; i < PLANTED; i++) {
    snprintf(body, sizeof body, text, planted[i].fault);
    write_file(folder, planted[i].name, "space", space);
    write_file(folder, planted[i].name, "k", body);
  }
  setenv("WISP_TEMPLATES", folder, 1);
}

static void uproot(const char *folder)
{
  char path[256];
  static const char *const endings[] = {"space", "k"};
  for (int i = 0; i < 2 * PLANTED; i++) {
    snprintf(path, sizeof path, "%s/nodal/assemble.%s.%s", folder, planted[i / 2].name, endings[i % 2]);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s/nodal", folder);
  rmdir(path);
  rmdir(folder);
  unsetenv("WISP_TEMPLATES");
}

static wisp_status verify(wisp_error *err, wisp_device *device, wisp_verifier *verifier, const wisp_strategy *s,
                          wisp_precision precision, double *error)
{
  wisp_status status = WISP_OK;
  const wisp_limits *limits = wisp_device_limits(device);
  const wisp_family *family = wisp_family_find("nodal");
  const wisp_spec spec = {"nodal", "assemble", "tet", 1, "maxwell", precision};
  const wisp_layout layout = wisp_layout_padded(4, 12, 16); /* 12 numbers of padding behind each element's 4 */
  wisp_target target = wisp_limits_target(limits);
  wisp_env *names = NULL;
  wisp_plan *plan = NULL;
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  TRY(family->names(err, &spec, &layout, &target, &names));
  TRY(wisp_plan_default(err, s, &spec, &layout, names, &plan));
  TRY(wisp_plan_compile(err, plan, limits->target, &binary));
  TRY(wisp_kernel_create(err, device, plan, &binary, &kernel));
  TRY(wisp_verifier_check(err, verifier, kernel, error));
  assert_true(*error <= wisp_tolerance(&spec, &layout));
done:
  wisp_kernel_destroy(kernel);
  free(binary.data);
  wisp_plan_destroy(plan);
  wisp_env_destroy(names);
  return status;
}

static void test_planted(void **state)
{
  (void)state;
  char folder[] = "/tmp/wisp-planted-XXXXXX";
  wisp_strategies *all = NULL;
  wisp_verifier *verifier = NULL;
  wisp_error err = {0};
  wisp_device *device = open_test_device();
  assert_non_null(mkdtemp(folder));
  plant(folder);
  if (wisp_strategies_load(&err, &all) != WISP_OK) fail_msg("%s", err.text);
  assert_int_equal(wisp_verifier_create(&err, device, &verifier), WISP_OK);
  for (int i = 0; i < 2 * PLANTED; i++) {
    const wisp_strategy *s = wisp_strategies_find(all, "nodal", "assemble", planted[i / 2].name);
    const char *reason = planted[i / 2].reason;
    double error = 0;
    assert_non_null(s);
    wisp_status status = verify(&err, device, verifier, s, i % 2 ? WISP_F64 : WISP_F32, &error);
    if (!reason ? status != WISP_OK : status != WISP_EWRONG || !strstr(err.text, reason))
      fail_msg("planted '%s': status %d: %s", planted[i / 2].name, (int)status, err.text);
  }
  wisp_verifier_destroy(verifier);
  wisp_strategies_free(all);
  wisp_device_close(device);
  uproot(folder);
}

/* An error of 1e-3 shows at every order, of every kernel, in single precision. */
static void test_tolerances(void **state)
{
  (void)state;
  const wisp_family *family = wisp_family_find("nodal");
  for (int order = 1; order <= 10; order++)
    for (int k = 0; family->kernels[k]; k++) {
      wisp_layout layouts[8];
      wisp_spec spec = {"nodal", "", "tet", order, "maxwell", WISP_F32};
      snprintf(spec.kernel, sizeof spec.kernel, "%s", family->kernels[k]);
      family->layouts(order, layouts);
      double single = wisp_tolerance(&spec, &layouts[0]);
      spec.precision = WISP_F64;
      double twice = wisp_tolerance(&spec, &layouts[0]);
      assert_true(single > 1e-7 && single < 1e-4);
      assert_true(twice > 1e-16 && twice < 1e-12);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planted),
      cmocka_unit_test(test_tolerances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
