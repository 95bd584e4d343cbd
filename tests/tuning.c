#include "tuning.h"
#include "test.h"
#include "each_plan.h"
#include "../runtime/kernel.h"

wisp_tune_request tune_request(const char *family, const char *kernel, const char *db)
{
  static const int order = 1;
  static const wisp_precision precision = WISP_F64;
  return (wisp_tune_request){.family = family,
                             .kernel = kernel,
                             .orders = &order,
                             .order_count = 1,
                             .precisions = &precision,
                             .precision_count = 1,
                             .db = db};
}

wisp_tune_summary run_tune(const wisp_tune_request *request)
{
  wisp_tune_summary summary = {0};
  GOOD(wisp_tune(err, test_device_name(), request, &summary));
  return summary;
}

const char *first_layout(void)
{
  static char text[WISP_LAYOUT_TEXT];
  wisp_layout layouts[8];
  wisp_family_layouts(&(wisp_spec){.family = "nodal", .order = 1}, layouts);
  wisp_layout_print(&layouts[0], text);
  return text;
}

void search_open(search_case *c, const char *spec, const char *target)
{
  const wisp_limits limits = target_limits(target);
  c->target = wisp_limits_target(&limits);
  GOOD(wisp_spec_parse(err, spec, &c->spec));
  GOOD(wisp_strategies_load(err, &c->strategies));
  GOOD(wisp_scope_create(err, wisp_family_find(c->spec.family), &c->spec, &c->target, NULL, &c->scope));
  GOOD(wisp_search_create(err, c->strategies, &c->scope, NULL, 1, &c->search));
}

void search_close(search_case *c)
{
  wisp_search_free(&c->search);
  wisp_scope_free(&c->scope);
  wisp_strategies_free(c->strategies);
}
