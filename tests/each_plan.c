#include "each_plan.h"
#include "../runtime/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void visit_strategies(const wisp_strategies *all, plan_case *c, plan_visit *visit, void *context)
{
  size_t last = 0;
  for (size_t i = 0; i < wisp_strategies_count(all); i++)
    if (strcmp(wisp_strategy_family(wisp_strategies_at(all, i)), c->family->name) == 0) last = i;
  for (size_t i = 0; i < wisp_strategies_count(all); i++) {
    wisp_plan *plan = NULL;
    wisp_error err = {0};
    c->strategy = wisp_strategies_at(all, i);
    c->last = i == last;
    if (strcmp(wisp_strategy_family(c->strategy), c->family->name) != 0) continue;
    snprintf(c->spec.kernel, sizeof c->spec.kernel, "%s", wisp_strategy_kernel(c->strategy));
    wisp_status status = wisp_plan_default(&err, c->strategy, &c->spec, &c->layout, c->names, &plan);
    if (status != WISP_OK && status != WISP_EREFUSED) fail_msg("%s: %s", plan_case_text(c), err.text);
    c->plan = plan;
    c->reason = err.text;
    visit(context, c);
    wisp_plan_destroy(plan);
  }
}

static void visit_layouts(const wisp_strategies *all, plan_case *c, const wisp_target *target, plan_visit *visit,
                          void *context)
{
  wisp_layout layouts[8];
  int count = c->family->layouts(c->spec.order, layouts);
  for (int l = 0; l < count; l++) {
    wisp_env *names = NULL;
    wisp_error err = {0};
    if (c->family->names(&err, &c->spec, &layouts[l], target, &names) != WISP_OK) fail_msg("%s", err.text);
    c->layout = layouts[l];
    c->names = names;
    visit_strategies(all, c, visit, context);
    wisp_env_destroy(names);
  }
}

void each_plan(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context)
{
  wisp_strategies *all = NULL;
  wisp_error err = {0};
  wisp_target target = wisp_limits_target(limits);
  if (wisp_strategies_load(&err, &all) != WISP_OK) fail_msg("%s", err.text);
  for (size_t f = 0; wisp_family_at(f); f++)
    for (int order = range->orders[0]; order <= range->orders[1] && order <= wisp_family_at(f)->orders[1]; order++)
      for (int p = 0; p < 2 && range->precisions[p]; p++) {
        plan_case c = {.family = wisp_family_at(f)};
        c.spec = wisp_family_spec(c.family, order, NULL, range->precisions[p]);
        visit_layouts(all, &c, &target, visit, context);
      }
  wisp_strategies_free(all);
}

const char *plan_case_text(const plan_case *c)
{
  static char text[256];
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&c->layout, layout);
  snprintf(text, sizeof text, "%s.%s %s p%d %s%s%s", wisp_strategy_kernel(c->strategy), wisp_strategy_name(c->strategy),
           layout, c->spec.order, wisp_precision_name(c->spec.precision), c->plan ? " " : "",
           c->plan ? wisp_plan_params(c->plan) : "");
  return text;
}

const char *test_device_name(void)
{
  const char *name = getenv("WISP_TEST_DEVICE");
  return name && *name ? name : "host";
}

wisp_device *open_test_device(void)
{
  wisp_device *device = NULL;
  wisp_error err = {0};
  if (wisp_device_open(&err, test_device_name(), &device) != WISP_OK) fail_msg("%s", err.text);
  return device;
}
