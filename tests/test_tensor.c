/* Claim: the tensor family's operators are their formulas, written down here apart from the reference that the tuner
 * verifies every candidate with (test_kernels): that reference at every order, to 1e-13 of the largest number; and the
 * default candidate of every strategy at one of N = 1..4, precisions by turns, to 1e-13 in FP64 and 1e-5 in FP32,
 * on any number of elements: one, two, and more than fill whole blocks. WISP_TEST_FULL=1: at each of N = 1..8 in both
 * precisions. */
#include "each_plan.h"
#include "hex_case.h"
#include "../runtime/tensor/hex_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- the reference --- */

static double off_by(const double *y, const double *expected, size_t count)
{
  double most = 0, largest = 0;
  for (size_t i = 0; i < count; i++) {
    most = isfinite(y[i]) ? fmax(most, fabs(y[i] - expected[i])) : INFINITY;
    largest = fmax(largest, fabs(expected[i]));
  }
  return most / largest;
}

static void check_reference(const hex_case *c, const char *kernel)
{
  const size_t count = c->elements * (size_t)c->hex->Np;
  double *y = calloc(count, sizeof *y), *expected = calloc(count, sizeof *expected);
  wisp_hex_operator op = WISP_HEX_MASS;
  wisp_error err = {0};
  assert_true(y && expected && wisp_hex_operator_find(kernel, &op));
  hex_case_reference(c, kernel, expected);
  if (wisp_hex_apply(&err, c->hex, op, c->vertices, c->elements, c->lambda, c->u, y) != WISP_OK)
    fail_msg("%s", err.text);
  const double error = off_by(y, expected, count);
  if (!(error < 1e-13)) fail_msg("%s, order %d: off by %g", kernel, c->hex->N, error);
  free(y), free(expected);
}

static void test_reference(void **state)
{
  static const char *const kernels[] = {"mass",       "mass_trilinear",      "stiffness", "stiffness_trilinear",
                                        "collocated", "collocated_trilinear"};
  (void)state;
  for (int order = 1; order <= WISP_HEX_MAX_ORDER; order++) {
    hex_case problem;
    hex_case_make(&problem, order, 3);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) check_reference(&problem, kernels[k]);
    hex_case_free(&problem);
  }
}

/* --- candidates --- */

/* The last: no number of elements that a block takes divides it, but 1. */
static const size_t counts[] = {1, 2, 37};
enum { COUNTS = sizeof counts / sizeof *counts };

typedef struct check {
  wisp_device *device;
  hex_case problem; /* of the most elements: its first ones are a problem too */
  int verified;
} check;

static void verify(check *all, const plan_case *c)
{
  static const double tolerance[] = {1e-5, 1e-13};
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  wisp_error err = {0};
  wisp_status status = wisp_plan_compile(&err, c->plan, wisp_device_limits(all->device)->target, &binary);
  if (status == WISP_OK) status = wisp_kernel_create(&err, all->device, c->plan, &binary, &kernel);
  for (int i = 0; status == WISP_OK && i < COUNTS; i++) {
    double error = 0;
    all->problem.elements = counts[i];
    status = hex_case_error(&err, &all->problem, all->device, kernel, &error);
    if (status == WISP_OK && !(error <= tolerance[c->spec.precision == WISP_F64]))
      fail_msg("%s: %zu elements: error %g", plan_case_text(c), counts[i], error);
  }
  if (status != WISP_OK) fail_msg("%s: %s", plan_case_text(c), err.text);
  all->verified++;
  wisp_kernel_destroy(kernel);
  free(binary.data);
}

static void verify_case(void *context, const plan_case *c)
{
  check *all = context;
  wisp_hex_operator op;
  const bool turn = walks_in_full() || (c->spec.order <= 4 && (c->spec.order + c->strategy_number) % 4 == 0);
  if (!c->plan || !turn || !precision_has_turn(c)) return;
  if (strcmp(c->family->name, "tensor") != 0 || !wisp_hex_operator_find(c->strategy->kernel, &op)) return;
  if (!all->problem.hex || all->problem.hex->N != c->spec.order) {
    hex_case_free(&all->problem);
    hex_case_make(&all->problem, c->spec.order, counts[COUNTS - 1]);
  }
  verify(all, c);
}

static void test_strategies(void **state)
{
  (void)state;
  const plan_range range = {{1, 8}, {WISP_F64, WISP_F32}};
  check all = {.device = open_test_device()};
  each_plan(wisp_device_limits(all.device), &range, verify_case, &all);
  assert_true(all.verified >= 20);
  hex_case_free(&all.problem);
  wisp_device_close(all.device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reference),
      cmocka_unit_test(test_strategies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
