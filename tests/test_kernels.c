/* Claim: every strategy's default candidate, in every layout that it reads and both precisions, gives the reference's
 * result on the test device: all of them at N = 1..4, one layout of each kind up to N = 9. */
#include "each_plan.h"
#include "../tuner/pipeline.h"
#include "../tuner/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct check {
  wisp_device *device;
  wisp_verifier *verifier;
  wisp_pipeline *pipeline;
  bool some;
  int verified, failed;
} check;

/* The layouts that are checked at high orders. */
static bool stands_for_others(const wisp_layout *l)
{
  return l->order == WISP_ELEMENT_FASTEST ? l->KM == 32 : l->NpM % 16 == 0;
}

static void verify(check *all, wisp_job *job)
{
  wisp_kernel *kernel = NULL;
  wisp_error err = job->error;
  double error = 0;
  wisp_status status = job->status;
  if (status == WISP_OK) status = wisp_kernel_create(&err, all->device, job->plan, &job->binary, &kernel);
  if (status == WISP_OK) status = wisp_verifier_check(&err, all->verifier, kernel, &error);
  if (status != WISP_OK) {
    char spec[WISP_SPEC_TEXT], layout[WISP_LAYOUT_TEXT];
    wisp_spec_print(wisp_plan_spec(job->plan), spec);
    wisp_layout_print(wisp_plan_layout(job->plan), layout);
    print_error("%s %s %s %s: %s\n", spec, layout, wisp_strategy_name(wisp_plan_strategy(job->plan)),
                wisp_plan_params(job->plan), err.text);
    all->failed++;
  }
  all->verified++;
  wisp_kernel_destroy(kernel);
}

/* Compiled in parallel; verified where the layout ends. */
static void verify_case(void *context, const plan_case *c)
{
  check *all = context;
  wisp_plan *plan = NULL;
  wisp_job *job = NULL;
  if (strcmp(c->family->name, "nodal") != 0) return; /* test_tensor checks the other's */
  if (c->plan && (!all->some || stands_for_others(&c->layout))) {
    const char *params = wisp_plan_params(c->plan);
    assert_int_equal(wisp_plan_from_text(NULL, c->strategy, &c->spec, &c->layout, c->names, params, &plan), WISP_OK);
    assert_int_equal(wisp_pipeline_submit(NULL, all->pipeline, plan, true), WISP_OK);
  }
  while (c->last && (job = wisp_pipeline_take(all->pipeline))) {
    verify(all, job);
    wisp_job_free(job);
  }
}

static void verify_orders(check *all, int low, int high, bool some, int least)
{
  const bool coarse = getenv("WISP_TEST_COARSE") != NULL; /* kernels are slow: the lowest order stands for the others */
  const plan_range range = {{low, coarse ? low : high}, {WISP_F32, WISP_F64}};
  all->verified = all->failed = 0;
  all->some = some;
  each_plan(wisp_device_limits(all->device), &range, verify_case, all);
  assert_int_equal(all->failed, 0);
  assert_true(all->verified > (coarse ? least / 5 : least));
}

static int set_up(void **state)
{
  static check all;
  all.device = open_test_device();
  assert_int_equal(wisp_verifier_create(NULL, all.device, &all.verifier), WISP_OK);
  assert_int_equal(wisp_pipeline_create(NULL, wisp_device_limits(all.device)->target, 0, 1, &all.pipeline), WISP_OK);
  *state = &all;
  return 0;
}

static int tear_down(void **state)
{
  check *all = *state;
  wisp_pipeline_destroy(all->pipeline);
  wisp_verifier_destroy(all->verifier);
  wisp_device_close(all->device);
  return 0;
}

static void test_low_orders(void **state)
{
  verify_orders(*state, 1, 4, false, 100);
}

static void test_high_orders(void **state)
{
  verify_orders(*state, 5, 9, true, 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_low_orders),
      cmocka_unit_test(test_high_orders),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
