/* Claim: a problem whose arrays a GPU's kernels cannot count is refused by name, those that are addressed in 64 bits
 * not among them; on the host none is. */
#include "../runtime/discretisation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define GOOD(call)                                   \
  do {                                               \
    if ((call) != WISP_OK) fail_msg("%s", err.text); \
  } while (0)

/* Of order 7, where u has 512 numbers an element and the factors 7 times as many. */
static wisp_status check(wisp_error *err, const char *target, size_t elements)
{
  wisp_strategies *all = NULL;
  wisp_plan *plan = NULL;
  wisp_env *names = NULL;
  wisp_layout layout[8];
  wisp_limits limits;
  const wisp_family *family = wisp_family_find("tensor");
  const wisp_discretisation d = {.family = family,
                                 .counts = {{"elements", elements}, {"Np", 512}, {"glNp", 729}, {NULL, 0}}};
  wisp_spec spec = wisp_family_spec(family, 7, NULL, WISP_F64);
  wisp_spec_name_kernel(&spec, "collocated");
  if (wisp_target_limits(err, target, &limits) != WISP_OK) fail_msg("%s", err->text);
  const wisp_target seen = wisp_limits_target(&limits);
  family->layouts(7, layout);
  if (family->names(err, &spec, layout, &seen, &names) != WISP_OK) fail_msg("%s", err->text);
  if (wisp_strategies_load(err, &all) != WISP_OK) fail_msg("%s", err->text);
  for (size_t i = 0; i < wisp_strategies_count(all) && !plan; i++) {
    const wisp_strategy *s = wisp_strategies_at(all, i);
    if (strcmp(wisp_strategy_family(s), "tensor") == 0 && strcmp(wisp_strategy_kernel(s), "collocated") == 0)
      wisp_plan_default(err, s, &spec, layout, names, &plan);
  }
  assert_non_null(plan);
  *err = (wisp_error){WISP_OK, ""};
  const wisp_status status = wisp_discretisation_countable(err, &d, &limits, plan);
  wisp_plan_destroy(plan);
  wisp_env_destroy(names);
  wisp_strategies_free(all);
  return status;
}

static void test_limits(void **state)
{
  (void)state;
  wisp_error err = {0};
  GOOD(check(&err, "sm_90", 1000000)); /* 3.6e9 factors */
  GOOD(check(&err, "sm_90", INT32_MAX / 512));
  assert_int_equal(check(&err, "sm_90", INT32_MAX / 512 + 1), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "array u"));
  GOOD(check(&err, "host", 100000000));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
