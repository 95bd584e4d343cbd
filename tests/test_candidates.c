/* Claim: no strategy has silently stopped applying. Every strategy of the list has a legal default candidate at every
 * order it is meant for, in both precisions and in a layout of every kind that it reads, on the host and on GPUs; where
 * it has none there is a reason; and every default's text expands in both dialects. */
#include "each_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const plan_range all_orders = {{1, 9}, {WISP_F32, WISP_F64}};

/* Strategies that are not meant for every order: literals would not fit the instruction cache, nor the C compiler. */
static const struct {
  const char *name, *kernel;
  int highest_cuda, highest_host;
} limited[] = {
    {"literal", "volume", 5, 2},
    {"literal", "lift", 6, 3},
};

static bool meant_for(const plan_case *c, bool cuda)
{
  for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
    if (strcmp(limited[i].name, wisp_strategy_name(c->strategy)) == 0 &&
        strcmp(limited[i].kernel, wisp_strategy_kernel(c->strategy)) == 0)
      return c->spec.order <= (cuda ? limited[i].highest_cuda : limited[i].highest_host);
  return true;
}

enum { MAX_STRATEGIES = 128 };

/* Which strategies had a candidate, by kind of layout, order and precision. */
typedef struct coverage {
  bool cuda;
  int strategies;
  const wisp_strategy *strategy[MAX_STRATEGIES];
  char name[MAX_STRATEGIES][64];
  bool reads[MAX_STRATEGIES][2], meant[MAX_STRATEGIES][10];
  bool found[MAX_STRATEGIES][2][10][2];
} coverage;

static int index_of(coverage *all, const wisp_strategy *s)
{
  for (int i = 0; i < all->strategies; i++)
    if (all->strategy[i] == s) return i;
  assert_true(all->strategies < MAX_STRATEGIES);
  snprintf(all->name[all->strategies], sizeof *all->name, "%s.%s", wisp_strategy_kernel(s), wisp_strategy_name(s));
  all->strategy[all->strategies] = s;
  return all->strategies++;
}

static void check_expands(const plan_case *c)
{
  static const char *const dialects[] = {"cuda", "host"};
  for (size_t d = 0; d < 2; d++) {
    wisp_text source = {0};
    wisp_error err = {0};
    if (wisp_plan_source(&err, c->plan, dialects[d], &source) != WISP_OK)
      fail_msg("%s, %s: %s", plan_case_text(c), dialects[d], err.text);
    assert_non_null(strstr(source.data, wisp_plan_symbol(c->plan)));
    assert_null(strstr(source.data, "{{"));
    wisp_text_free(&source);
  }
}

static void note(void *context, const plan_case *c)
{
  coverage *all = context;
  int s = index_of(all, c->strategy), kind = c->layout.order == WISP_ELEMENT_FASTEST;
  int precision = c->spec.precision == WISP_F64;
  wisp_error err = {0};
  bool applies = wisp_strategy_applies(&err, c->strategy, &c->layout, c->names) == WISP_OK;
  if (!applies) assert_null(c->plan);
  /* `needs` may leave a strategy out on the host, never on every device. */
  bool reads = applies || !strstr(err.text, "reads only");
  all->reads[s][kind] |= reads && (applies || all->cuda);
  all->meant[s][c->spec.order] = meant_for(c, all->cuda);
  if (!c->plan) {
    assert_true(strlen(c->reason) > 0);
    return;
  }
  all->found[s][kind][c->spec.order][precision] = true;
  check_expands(c);
}

static void check_covered(const coverage *all)
{
  for (int s = 0; s < all->strategies; s++)
    for (int kind = 0; kind < 2; kind++)
      for (int order = 1; order <= 9; order++)
        for (int precision = 0; precision < 2; precision++)
          if (all->reads[s][kind] && all->meant[s][order] && !all->found[s][kind][order][precision])
            print_error("%s has no candidate in %s layouts at order %d in %s on %s\n", all->name[s],
                        kind ? "slab" : "node", order, precision ? "f64" : "f32", all->cuda ? "CUDA" : "the host");
  for (int s = 0; s < all->strategies; s++)
    for (int kind = 0; kind < 2; kind++)
      for (int order = 1; order <= 9; order++)
        for (int precision = 0; precision < 2; precision++)
          assert_true(!all->reads[s][kind] || !all->meant[s][order] || all->found[s][kind][order][precision]);
}

static void cover(const char *target)
{
  coverage all = {.cuda = strcmp(target, "host") != 0};
  wisp_limits limits;
  assert_int_equal(wisp_target_limits(NULL, target, &limits), WISP_OK);
  /* The list is loaded anew for each walk, so strategies are told apart within one walk only. */
  each_plan(&limits, &all_orders, note, &all);
  assert_true(all.strategies >= 10);
  check_covered(&all);
}

static void test_host(void **state)
{
  (void)state;
  cover("host");
}

static void test_gpus(void **state)
{
  (void)state;
  cover("sm_80");
  cover("sm_90");
}

/* Every kernel that a composition names can be made, in the same layout, at every order. */
static void note_kernel(void *context, const plan_case *c)
{
  char *made = context;
  if (c->plan) strcat(strcat(made, wisp_strategy_kernel(c->strategy)), "\n");
}

static void test_compositions(void **state)
{
  (void)state;
  static char made[1 << 16];
  wisp_limits limits;
  assert_int_equal(wisp_target_limits(NULL, "sm_90", &limits), WISP_OK);
  for (int order = 1; order <= 9; order++) {
    const plan_range one = {{order, order}, {WISP_F32, 0}};
    made[0] = '\0';
    each_plan(&limits, &one, note_kernel, made);
    for (int k = 0; wisp_families[0]->kernels[k]; k++)
      if (!strstr(made, wisp_families[0]->kernels[k]))
        fail_msg("no %s at order %d", wisp_families[0]->kernels[k], order);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_host),
      cmocka_unit_test(test_gpus),
      cmocka_unit_test(test_compositions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
