/* Claim: the tensor family's strategies, all at N = 1, 2, 3, 4, 7 in both precisions, pencils to N = 8 in both and to
 * N = 15 in one of them by turns, and every value of each of a strategy's parameters at N = 2 in FP64, where legal,
 * give what the operator's formula gives in double, to 1e-13 of the largest number in FP64 and 1e-5 in FP32; also where
 * w_p does not divide the number of elements. WISP_TEST_FULL=1, many minutes: every strategy at every order in both
 * precisions, and every value of each parameter at N = 2, 3, 7 in both. */
#include "each_plan.h"
#include "hex_case.h"
#include "../runtime/solve/hex_reference.h"
#include "../tuner/pipeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* No number of elements that a block takes divides it, but 1. */
enum { ELEMENTS = 37 };

typedef struct check {
  wisp_device *device;
  wisp_pipeline *pipeline;
  hex_case problem;
  bool full, variants;
  int verified, failed;
} check;

/* The short run leaves out what takes the C compiler long. */
static bool wanted(const check *all, const plan_case *c)
{
  int order = c->spec.order;
  if (all->full || all->variants || order <= 4 || order == 7) return true;
  if (strcmp(wisp_strategy_name(c->strategy), "pencils") != 0) return false;
  return order <= 8 || (c->spec.precision == WISP_F64) == (order % 2 == 1);
}

static void verify(check *all, wisp_job *job)
{
  static const double tolerance[] = {1e-5, 1e-13};
  wisp_kernel *kernel = NULL;
  wisp_error err = job->error;
  wisp_status status = job->status;
  const wisp_spec *spec = wisp_plan_spec(job->plan);
  double error = 0;
  if (status == WISP_OK) status = wisp_kernel_create(&err, all->device, job->plan, &job->binary, &kernel);
  if (status == WISP_OK) status = hex_case_error(&err, &all->problem, all->device, kernel, &error);
  if (status != WISP_OK || !(error <= tolerance[spec->precision == WISP_F64])) {
    char text[WISP_SPEC_TEXT];
    wisp_spec_print(spec, text);
    print_error("%s %s %s: %s, error %g\n", text, wisp_strategy_name(wisp_plan_strategy(job->plan)),
                wisp_plan_params(job->plan), status == WISP_OK ? "wrong" : err.text, error);
    all->failed++;
  }
  all->verified++;
  wisp_kernel_destroy(kernel);
}

static void verify_next(check *all)
{
  wisp_job *job = wisp_pipeline_take(all->pipeline);
  if (job) verify(all, job);
  wisp_job_free(job);
}

static void submit(check *all, wisp_plan *plan)
{
  if (wisp_pipeline_full(all->pipeline)) verify_next(all);
  assert_int_equal(wisp_pipeline_submit(NULL, all->pipeline, plan, false), WISP_OK);
}

/* The default candidate with one parameter changed, for each value of each, where it is legal. */
static void submit_variants(check *all, const plan_case *c)
{
  const wisp_param *params = NULL;
  int count = wisp_strategy_params(c->strategy, &params), values[WISP_MAX_PARAMS];
  for (int p = 0; p < count; p++)
    for (int v = 0; v < params[p].count; v++) {
      wisp_plan *plan = NULL;
      for (int i = 0; i < count; i++) values[i] = wisp_plan_value(c->plan, params[i].name, 0);
      if (values[p] == params[p].values[v]) continue;
      values[p] = params[p].values[v];
      wisp_status status = wisp_plan_create(NULL, c->strategy, &c->spec, &c->layout, c->names, values, &plan);
      assert_true(status == WISP_OK || status == WISP_EREFUSED);
      if (plan) submit(all, plan);
    }
}

static void verify_case(void *context, const plan_case *c)
{
  check *all = context;
  wisp_plan *plan = NULL;
  wisp_hex_operator op;
  if (strcmp(c->family->name, "tensor") != 0) return;
  if (!wisp_hex_operator_find(wisp_strategy_kernel(c->strategy), &op)) goto last; /* test_cg checks the others */
  if (!all->problem.hex || all->problem.hex->N != c->spec.order) {
    hex_case_free(&all->problem);
    hex_case_make(&all->problem, c->spec.order, ELEMENTS);
  }
  if (c->plan && wanted(all, c)) {
    const char *params = wisp_plan_params(c->plan);
    assert_int_equal(wisp_plan_from_text(NULL, c->strategy, &c->spec, &c->layout, c->names, params, &plan), WISP_OK);
    submit(all, plan);
    if (all->variants) submit_variants(all, c);
  }
last:
  while (c->last && !wisp_pipeline_empty(all->pipeline)) verify_next(all);
}

static void verify_orders(check *all, plan_range range, bool variants, int least)
{
  all->verified = all->failed = 0;
  all->variants = variants;
  each_plan(wisp_device_limits(all->device), &range, verify_case, all);
  assert_int_equal(all->failed, 0);
  assert_true(all->verified >= least);
}

static int set_up(void **state)
{
  static check all;
  const char *full = getenv("WISP_TEST_FULL");
  all.full = full && strcmp(full, "1") == 0;
  all.device = open_test_device();
  assert_int_equal(wisp_pipeline_create(NULL, wisp_device_limits(all.device)->target, 0, 2, &all.pipeline), WISP_OK);
  *state = &all;
  return 0;
}

static int tear_down(void **state)
{
  check *all = *state;
  hex_case_free(&all->problem);
  wisp_pipeline_destroy(all->pipeline);
  wisp_device_close(all->device);
  return 0;
}

static void test_defaults(void **state)
{
  verify_orders(*state, (plan_range){{1, 15}, {WISP_F64, WISP_F32}}, false, 6 * 2 * 5 + 6 * 2 * 3 + 6 * 7);
}

/* Halves of matrices with and without a middle row or column. */
static void test_variants(void **state)
{
  check *all = *state;
  verify_orders(all, (plan_range){{2, 2}, {WISP_F64, all->full ? WISP_F32 : 0}}, true, 60);
  if (!all->full) return;
  verify_orders(all, (plan_range){{3, 3}, {WISP_F64, WISP_F32}}, true, 60);
  verify_orders(all, (plan_range){{7, 7}, {WISP_F64, WISP_F32}}, true, 60);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_variants),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
