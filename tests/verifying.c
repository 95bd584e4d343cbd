#include "verifying.h"
#include "test.h"
#include "each_plan.h"

verifying verifying_begin(void)
{
  verifying all = {.device = open_test_device()};
  GOOD(wisp_verifier_create(err, all.device, &all.verifier));
  GOOD(wisp_pipeline_create(err, wisp_device_limits(all.device)->target, 0, 2, &all.pipeline));
  return all;
}

static void verify(verifying *all, wisp_job *job)
{
  OWNED(wisp_kernel_destroy) wisp_kernel *kernel = NULL;
  wisp_error err = job->error;
  double error = 0;
  bool refused = false;
  wisp_status status = job->status;
  if (status == WISP_OK) status = wisp_kernel_create(&err, all->device, job->plan, &job->binary, &kernel);
  if (status == WISP_OK) {
    status = wisp_verifier_check(&err, all->verifier, kernel, &error);
    refused = status == WISP_EREFUSED;
  }
  if (status != WISP_OK) {
    char spec[WISP_SPEC_TEXT], layout[WISP_LAYOUT_TEXT];
    wisp_spec_print(&job->plan->spec, spec);
    wisp_layout_print(&job->plan->layout, layout);
    print_error("%s %s %s %s: %s\n", spec, layout, job->plan->strategy->name, job->plan->params, err.text);
  }
  all->refused += refused;
  all->failed += status != WISP_OK && !refused;
  all->verified += !refused;
  if (all->reports && status == WISP_OK)
    print_message("%s.%s %s\n", job->plan->spec.kernel, job->plan->strategy->name, job->plan->params);
}

static void verify_next(verifying *all)
{
  wisp_job *job = wisp_pipeline_take(all->pipeline);
  if (job) verify(all, job);
  wisp_job_free(job);
}

void verifying_submit(verifying *all, wisp_plan *plan)
{
  if (wisp_pipeline_full(all->pipeline)) verify_next(all);
  GOOD(wisp_pipeline_submit(err, all->pipeline, plan, false));
}

void verifying_rest(verifying *all)
{
  while (!wisp_pipeline_empty(all->pipeline)) verify_next(all);
}

void verifying_end(verifying *all, int least)
{
  verifying_rest(all);
  wisp_pipeline_destroy(all->pipeline);
  wisp_verifier_destroy(all->verifier);
  wisp_device_close(all->device);
  print_message("%d verified, %d refused\n", all->verified, all->refused);
  assert_int_equal(all->failed, 0);
  assert_true(20 * all->refused <= (all->may_refuse ? all->verified : 0));
  assert_true(all->verified >= least);
}

static wisp_status plan_default(wisp_error *err, const wisp_device *device, const wisp_strategy *strategy,
                                const wisp_spec *spec, const wisp_layout *layout, wisp_env **names, wisp_plan **plan)
{
  const wisp_target target = wisp_limits_target(wisp_device_limits(device));
  CALL(wisp_names_create(err, spec, layout, &target, NULL, names));
  return wisp_plan_default(err, strategy, spec, layout, *names, plan);
}

wisp_status verify_strategy(wisp_error *err, wisp_device *device, wisp_verifier *verifier,
                            const wisp_strategy *strategy, const wisp_spec *spec, const wisp_layout *layout,
                            double *error)
{
  wisp_status status = WISP_EREFUSED;
  wisp_layout layouts[8];
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  for (int l = layout ? 1 : wisp_family_layouts(spec, layouts); status == WISP_EREFUSED && l-- > 0;) {
    wisp_env_destroy(names), names = NULL;
    status = plan_default(err, device, strategy, spec, layout ? layout : &layouts[l], &names, &plan);
  }
  TRY(status);
  TRY(wisp_plan_compile(err, plan, wisp_device_limits(device)->target, &binary));
  TRY(wisp_kernel_create(err, device, plan, &binary, &kernel));
  TRY(wisp_verifier_check(err, verifier, kernel, error));
done:
  wisp_kernel_destroy(kernel);
  free(binary.data);
  return status;
}
