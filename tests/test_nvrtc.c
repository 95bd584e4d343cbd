/* Claim: every strategy's default candidate compiles with NVRTC for sm_80, sm_90 and sm_100 where it is legal there,
 * and none spills absurdly: nodal at N = 1..9; tensor at N = 2 and, a third of them for each target, at N = 7; with
 * WISP_TEST_FULL=1 tensor at N = 1..9 and 15. Skipped where there is no NVRTC. Layouts take turns, so that the test
 * ends in minutes. */
#include "each_plan.h"
#include "../tuner/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ABSURD_SPILL = 4096 }; /* bytes a thread */

typedef struct check {
  wisp_pipeline *pipeline;
  int compiled, failed, turn;
} check;

static void look_at(check *all, const wisp_job *job)
{
  bool spills = job->status == WISP_OK && job->binary.usage.spill_bytes > ABSURD_SPILL;
  all->compiled++;
  if (job->status == WISP_OK && !spills && job->binary.length > 0) return;
  char spec[WISP_SPEC_TEXT], layout[WISP_LAYOUT_TEXT];
  wisp_spec_print(wisp_plan_spec(job->plan), spec);
  wisp_layout_print(wisp_plan_layout(job->plan), layout);
  print_error("%s %s %s %s: %s%d bytes spilled\n", spec, layout, wisp_strategy_name(wisp_plan_strategy(job->plan)),
              wisp_plan_params(job->plan), job->error.text, job->binary.usage.spill_bytes);
  all->failed++;
}

/* Orders 1 to 3: all layouts; above, every third case, in turn; of those above 9, the highest. */
static void compile_case(void *context, const plan_case *c)
{
  check *all = context;
  wisp_plan *plan = NULL;
  wisp_job *job = NULL;
  const char *full = getenv("WISP_TEST_FULL");
  bool few = strcmp(c->family->name, "tensor") == 0 && !(full && strcmp(full, "1") == 0);
  bool wanted = c->spec.order <= 9 || c->spec.order == c->family->orders[1];
  if (few) wanted = c->spec.order == 2 || c->spec.order == 7;
  if (c->plan && wanted && (c->spec.order <= 3 || all->turn++ % 3 == 0)) {
    const char *params = wisp_plan_params(c->plan);
    assert_int_equal(wisp_plan_from_text(NULL, c->strategy, &c->spec, &c->layout, c->names, params, &plan), WISP_OK);
    assert_int_equal(wisp_pipeline_submit(NULL, all->pipeline, plan, true), WISP_OK);
  }
  while (c->last && (job = wisp_pipeline_take(all->pipeline))) {
    look_at(all, job);
    wisp_job_free(job);
  }
}

static bool has_nvrtc(void)
{
  wisp_binary binary = {0};
  wisp_error err = {0};
  wisp_status status = wisp_compile(&err, "sm_90", "probe", "extern \"C\" __global__ void probe() {}", &binary);
  free(binary.data);
  if (status != WISP_OK) print_message("no NVRTC: %s\n", err.text);
  return status == WISP_OK;
}

static void compile_for(const char *target, int first_turn)
{
  const plan_range range = {{1, 15}, {WISP_F32, WISP_F64}};
  check all = {.turn = first_turn};
  wisp_limits limits;
  if (!has_nvrtc()) skip();
  assert_int_equal(wisp_target_limits(NULL, target, &limits), WISP_OK);
  assert_int_equal(wisp_pipeline_create(NULL, target, 0, 1, &all.pipeline), WISP_OK);
  each_plan(&limits, &range, compile_case, &all);
  wisp_pipeline_destroy(all.pipeline);
  assert_int_equal(all.failed, 0);
  assert_true(all.compiled > 200);
}

static void test_sm_80(void **state)
{
  (void)state;
  compile_for("sm_80", 0);
}

static void test_sm_90(void **state)
{
  (void)state;
  compile_for("sm_90", 1);
}

static void test_sm_100(void **state)
{
  (void)state;
  compile_for("sm_100", 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sm_80),
      cmocka_unit_test(test_sm_90),
      cmocka_unit_test(test_sm_100),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
