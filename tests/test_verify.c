/* Claim: verification tells a right kernel from wrong ones. Planted kernels (through $WISP_TEMPLATES) that write
 * outside an array, are wrong by 1e-3, are NaN in the last element only, read padding, or leave a result out: each is
 * caught, with its own reason; the same kernel without the fault passes. And it tells how large errors in single
 * precision are beside those of plain sums. */
#include "each_plan.h"
#include "edited.h"
#include "planted.h"
#include "store_fixture.h"
#include "../runtime/kernel.h"
#include "../tuner/trial/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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
  double tolerance = 0;
  TRY(wisp_names_create(err, &spec, &layout, &target, NULL, &names));
  TRY(wisp_plan_default(err, s, &spec, &layout, names, &plan));
  TRY(wisp_plan_compile(err, plan, limits->target, &binary));
  TRY(wisp_kernel_create(err, device, plan, &binary, &kernel));
  TRY(wisp_verifier_check(err, verifier, kernel, error));
  TRY(wisp_tolerance(err, &spec, &tolerance));
  assert_true(*error <= tolerance);
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
  char folder[64];
  wisp_strategies *all = NULL;
  wisp_verifier *verifier = NULL;
  wisp_error err = {0};
  wisp_device *device = open_test_device();
  fixture_folder(folder);
  for (int i = 0; i < PLANTED; i++) plant(folder, planted[i].name, planted[i].fault);
  setenv("WISP_TEMPLATES", folder, 1);
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
  unsetenv("WISP_TEMPLATES");
  fixture_remove(folder);
}

/* A strategy's default candidate, and what it is verified with. */
typedef struct candidate {
  wisp_env *names;
  wisp_plan *plan;
  wisp_binary binary;
  wisp_kernel *kernel;
  wisp_verifier *verifier;
} candidate;

static candidate make(wisp_device *device, const wisp_strategy *s, const wisp_spec *spec, const wisp_layout *layout)
{
  candidate c = {.kernel = NULL};
  const wisp_target target = wisp_limits_target(wisp_device_limits(device));
  assert_int_equal(wisp_verifier_create(NULL, device, &c.verifier), WISP_OK);
  assert_int_equal(wisp_names_create(NULL, spec, layout, &target, NULL, &c.names), WISP_OK);
  assert_int_equal(wisp_plan_default(NULL, s, spec, layout, c.names, &c.plan), WISP_OK);
  assert_int_equal(wisp_plan_compile(NULL, c.plan, wisp_device_limits(device)->target, &c.binary), WISP_OK);
  assert_int_equal(wisp_kernel_create(NULL, device, c.plan, &c.binary, &c.kernel), WISP_OK);
  return c;
}

static void discard(candidate *c)
{
  wisp_kernel_destroy(c->kernel);
  free(c->binary.data);
  wisp_plan_destroy(c->plan);
  wisp_env_destroy(c->names);
  wisp_verifier_destroy(c->verifier);
}

/* How many times as large as those of plain sums the errors of this strategy of volume are. */
static double excess(wisp_device *device, const wisp_strategies *all, const char *name, wisp_precision precision,
                     wisp_test_inputs numbers)
{
  const wisp_spec spec = {"nodal", "volume", "tet", 3, "maxwell", precision};
  const wisp_layout layout = wisp_layout_padded(20, 40, 16);
  double error = -1, plain = -1;
  candidate c = make(device, wisp_strategies_find(all, "nodal", "volume", name), &spec, &layout);
  assert_int_equal(wisp_verifier_compare_single(NULL, c.verifier, c.kernel, numbers, &error, &plain), WISP_OK);
  discard(&c);
  return plain > 0 ? error / plain : error;
}

/* A matrix of 11 bits where there should be 24 makes errors some 2^12 times as large, but for those of sums. */
static void test_excess(void **state)
{
  (void)state;
  static const edit coarse[] = {{"+q/(3*Np)]", "+q/(3*Np)] part 1"}};
  char folder[64];
  wisp_strategies *all = NULL;
  wisp_device *device = open_test_device();
  fixture_folder(folder);
  plant_edited(folder, "nodal", "volume", "field-in-shared", "coarse", coarse, 1);
  setenv("WISP_TEMPLATES", folder, 1);
  assert_int_equal(wisp_strategies_load(NULL, &all), WISP_OK);
  for (wisp_test_inputs numbers = WISP_SIZES; numbers <= WISP_DECADES; numbers++) {
    const double plain = excess(device, all, "field-in-shared", WISP_F32, numbers);
    assert_true(plain > 0.25 && plain < 2);
    assert_true(excess(device, all, "coarse", WISP_F32, numbers) > 100);
  }
  assert_true(excess(device, all, "field-in-shared", WISP_F64, WISP_SIZES) == 0);
  wisp_strategies_free(all);
  wisp_device_close(device);
  unsetenv("WISP_TEMPLATES");
  fixture_remove(folder);
}

/* An error of 1e-3 shows at every order, of every kernel, in single precision. */
static void test_tolerances(void **state)
{
  (void)state;
  const wisp_family *family = wisp_family_find("nodal");
  for (int order = 1; order <= 10; order++)
    for (int k = 0; family->kernels[k].name; k++) {
      double single = 0, twice = 0;
      wisp_spec spec = {"nodal", "", "tet", order, "maxwell", WISP_F32};
      snprintf(spec.kernel, sizeof spec.kernel, "%s", family->kernels[k].name);
      assert_int_equal(wisp_tolerance(NULL, &spec, &single), WISP_OK);
      spec.precision = WISP_F64;
      assert_int_equal(wisp_tolerance(NULL, &spec, &twice), WISP_OK);
      assert_true(single > 1e-7 && single < 1e-4);
      assert_true(twice > 1e-16 && twice < 1e-12);
    }
}

/* Does a strategy have candidates here? */
static bool applies(wisp_device *device, const wisp_strategy *s, const wisp_spec *spec, const wisp_layout *layout)
{
  const wisp_target target = wisp_limits_target(wisp_device_limits(device));
  wisp_env *names = NULL;
  assert_int_equal(wisp_names_create(NULL, spec, layout, &target, NULL, &names), WISP_OK);
  const bool does = wisp_strategy_applies(NULL, s, layout, names) == WISP_OK;
  wisp_env_destroy(names);
  return does;
}

/* What is infinite or NaN comes out as such, and does not spread: whole stages that see nodes in classes, at orders
 * with orbits of two nodes and without. */
static void test_unbounded(void **state)
{
  (void)state;
  wisp_strategies *all = NULL;
  wisp_device *device = open_test_device();
  compile_quickly();
  assert_int_equal(wisp_strategies_load(NULL, &all), WISP_OK);
  for (int order = 2; order <= 3; order++) {
    wisp_spec spec = {"nodal", "stage", "tet", order, "maxwell", WISP_F32};
    const int Nfp = (order + 1) * (order + 2) / 2;
    const wisp_layout layout = wisp_layout_slab(Nfp * (order + 3) / 3, 4 * Nfp, 32);
    int tried = 0;
    for (size_t i = 0; i < all->count; i++) {
      wisp_error err = {0};
      if (!all->list[i]->mixes || strcmp(all->list[i]->kernel, spec.kernel) != 0) continue;
      if (!applies(device, all->list[i], &spec, &layout)) continue;
      candidate c = make(device, all->list[i], &spec, &layout);
      if (wisp_verifier_unbounded(&err, c.verifier, c.kernel) != WISP_OK)
        fail_msg("%s, order %d: %s", all->list[i]->name, order, err.text);
      discard(&c);
      tried++;
    }
    assert_true(tried >= (order == 2 ? 3 : 2)); /* unrolled products end at 2 on the host */
  }
  wisp_strategies_free(all);
  wisp_device_close(device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planted),
      cmocka_unit_test(test_excess),
      cmocka_unit_test(test_unbounded),
      cmocka_unit_test(test_tolerances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
