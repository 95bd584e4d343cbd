/* Claim: candidates give the reference's result on the test device, as the tuner verifies them. Of every family, every
 * strategy's default candidate: at N = 1 in every layout that it reads, above in one of them, up to the family's
 * highest order; precisions take turns, and at orders above 1 so do layouts and strategies; of every system that
 * ships. And at N = 2 candidates that have every value of every parameter that a legal one has. At N = 1 kernels are
 * compiled as for users, above quickly. Sanitized (WISP_TEST_SANITIZERS) every strategy is at N = 1, 2 and 3, in a
 * layout and precision each. WISP_TEST_FULL=1, an hour: every default in every layout and both precisions; at N = 2
 * every legal candidate. WISP_TEST_FAMILY=NAME: of one family. WISP_TEST_WINNERS=4,f64 instead: what a solver takes
 * there of each kernel at that order in that precision, the store's winner or the default, and of a family's other
 * systems the store's winners, e.g. with compute-sanitizer (scripts/sanitize-gpu); 1-9,f32: at these orders.
 * WISP_TEST_KERNELS="condense recover": winners of these kernels. WISP_TEST_SHARE=0/4: every fourth strategy, or
 * winner. */
#include "each_plan.h"
#include "good.h"
#include "verifying.h"
#include "../runtime/solve/choose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LOW = 1, VALUES_ORDER = 2, COARSE_ORDER = 3, MOST = 16384 };

/* Are kernels slow, so that one of a strategy stands for others? */
static bool is_coarse(void)
{
  return getenv("WISP_TEST_COARSE") && !walks_in_full();
}

/* How many are to be verified at least, unless one family is asked for. */
static int least(int of_all)
{
  return getenv("WISP_TEST_FAMILY") ? 1 : of_all;
}

/* --- defaults --- */

static void verify_default(void *context, const plan_case *c)
{
  verifying *all = context;
  wisp_plan *plan = NULL;
  const bool layout = (c->spec.order <= LOW && !is_coarse()) || walks_in_full() || layout_has_turn(c);
  const bool share = share_has_turn((size_t)c->strategy_number);
  if (c->plan && share && layout && precision_has_turn(c) && system_has_turn(c) && order_has_turn(c, LOW)) {
    const char *params = c->plan->params;
    assert_int_equal(wisp_plan_from_text(NULL, c->strategy, &c->spec, &c->layout, c->names, params, &plan), WISP_OK);
    verifying_submit(all, plan);
  }
  if (c->last) verifying_rest(all);
}

static void test_defaults(void **state)
{
  (void)state;
  const bool coarse = is_coarse(); /* two orders stand for the others */
  const plan_range ranges[2][2] = {
      {{{1, LOW}, {WISP_F32, WISP_F64}}, {{LOW + 1, 15}, {WISP_F32, WISP_F64}}},
      {{{1, LOW}, {WISP_F32, WISP_F64}}, {{COARSE_ORDER, COARSE_ORDER}, {WISP_F32, WISP_F64}}}};
  verifying all = verifying_begin();
  for (int i = 0; i < 2; i++) {
    each_plan_of_systems(wisp_device_limits(all.device), &ranges[coarse][i], verify_default, &all);
    compile_quickly();
  }
  verifying_end(&all, least(coarse ? 60 : 300));
}

/* --- values of parameters --- */

typedef struct legal {
  const wisp_param *params;
  int param_count, count;
  wisp_plan *plan[MOST];
} legal;

/* A wisp_visit. */
static wisp_status collect(wisp_error *err, void *context, const int *values, wisp_plan *plan, const char *reason)
{
  legal *l = context;
  (void)err, (void)values, (void)reason;
  if (!plan) return WISP_OK;
  assert_true(l->count < MOST);
  l->plan[l->count++] = plan;
  return WISP_OK;
}

/* Has it a value that none before it had? */
static bool has_new_value(const legal *l, const wisp_plan *plan, bool seen[WISP_MAX_PARAMS][WISP_MAX_VALUES])
{
  bool is_new = false;
  for (int p = 0; p < l->param_count; p++)
    for (int v = 0; v < l->params[p].count; v++) {
      if (wisp_plan_value(plan, l->params[p].name, 0) != l->params[p].values[v] || seen[p][v]) continue;
      seen[p][v] = is_new = true;
    }
  return is_new;
}

static void verify_values(void *context, const plan_case *c)
{
  enum { STRIDE = 7919 }; /* a prime: no neighbours, which have most values in common, and each once */
  verifying *all = context;
  static legal l;
  bool seen[WISP_MAX_PARAMS][WISP_MAX_VALUES] = {{false}};
  const bool share = share_has_turn((size_t)c->strategy_number);
  if (share && layout_has_turn(c) && precision_has_turn(c) && order_has_turn(c, VALUES_ORDER)) {
    l.count = 0, l.param_count = c->strategy->params, l.params = c->strategy->param;
    assert_int_equal(wisp_plan_enumerate(NULL, c->strategy, &c->spec, &c->layout, c->names, collect, &l), WISP_OK);
    for (int i = 0; i < l.count; i++) {
      wisp_plan *plan = l.plan[i * STRIDE % l.count];
      const bool has_turn = is_coarse() ? i == 1 % l.count : has_new_value(&l, plan, seen);
      if (has_turn || walks_in_full())
        verifying_submit(all, plan);
      else
        wisp_plan_destroy(plan);
    }
  }
  if (c->last) verifying_rest(all);
}

static void test_values(void **state)
{
  (void)state;
  const plan_range range = {{VALUES_ORDER, VALUES_ORDER}, {WISP_F32, WISP_F64}};
  compile_quickly();
  verifying all = verifying_begin();
  each_plan(wisp_device_limits(all.device), &range, verify_values, &all);
  verifying_end(&all, least(is_coarse() ? 80 : 150));
}

/* --- winners --- */

typedef struct choosing {
  verifying all;
  wisp_chooser from;
  size_t chosen;
  int stored; /* of those submitted: the store's */
} choosing;

/* Is this the case's strategy, in its layout? Then its plan, of which the names are the walk's. */
static wisp_plan *plan_of_winner(const plan_case *c, const wisp_stage *stage)
{
  char layouts[2][WISP_LAYOUT_TEXT];
  wisp_plan *plan = NULL;
  wisp_layout_print(&c->layout, layouts[0]);
  wisp_layout_print(&stage->layout, layouts[1]);
  if (strcmp(stage->choice[0].strategy, c->strategy->name) != 0 || strcmp(layouts[0], layouts[1]) != 0) return NULL;
  GOOD(wisp_plan_from_text(err, c->strategy, &c->spec, &c->layout, c->names, stage->choice[0].params, &plan));
  return plan;
}

/* Of those in WISP_TEST_KERNELS, or any. */
static bool is_asked(const char *kernel)
{
  const char *only = getenv("WISP_TEST_KERNELS");
  return !only || wisp_list_has(only, kernel);
}

/* Of a system beside the family's own what the store knows alone: defaults are test_defaults'. */
static void verify_winner(void *context, const plan_case *c)
{
  choosing *w = context;
  wisp_stage stage = {.kernels = 0};
  wisp_plan *plan = NULL;
  if (c->plan && is_asked(c->spec.kernel)) {
    GOOD(wisp_choose_if_any(err, &w->from, &(wisp_wish){.spec = c->spec}, &stage));
    const bool stored = stage.kernels && stage.choice[0].trial;
    if (stage.kernels && (stored || !c->system_number)) plan = plan_of_winner(c, &stage);
    if (plan && !share_has_turn(w->chosen++)) wisp_plan_destroy(plan), plan = NULL;
    if (plan) w->stored += stored;
    if (plan) verifying_submit(&w->all, plan);
    wisp_stage_free(&stage);
  }
  if (c->last) verifying_rest(&w->all);
}

/* $WISP_TEST_WINNERS, "4,f64" or "1-9,f32". */
static plan_range read_range(const char *text)
{
  plan_range range = {{0, 0}, {WISP_F64, 0}};
  char precision[4] = "";
  if (sscanf(text, "%d-%d,%3s", &range.orders[0], &range.orders[1], precision) != 3) {
    assert_int_equal(sscanf(text, "%d,%3s", &range.orders[0], precision), 2);
    range.orders[1] = range.orders[0];
  }
  assert_true(strcmp(precision, "f32") == 0 || strcmp(precision, "f64") == 0);
  if (strcmp(precision, "f32") == 0) range.precisions[0] = WISP_F32;
  return range;
}

/* By the store of this user, and what ships. */
static void test_winners(void **state)
{
  (void)state;
  const plan_range range = read_range(getenv("WISP_TEST_WINNERS"));
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(wisp_store_close) wisp_store *store = NULL;
  wisp_scopes scopes = {0};
  choosing w = {.all = verifying_begin()};
  GOOD(wisp_strategies_load(err, &strategies));
  GOOD(wisp_store_open(err, NULL, false, NULL, &store));
  w.all.told = true;
  w.from = (wisp_chooser){strategies, store, wisp_device_limits(w.all.device), &scopes};
  each_plan_of_every_system(wisp_device_limits(w.all.device), &range, verify_winner, &w);
  print_message("%d of them of the store\n", w.stored);
  wisp_scopes_free(&scopes);
  verifying_end(&w.all, 1);
}

int main(void)
{
  const struct CMUnitTest winners[] = {cmocka_unit_test(test_winners)};
  const char *sanitizers = getenv("WISP_TEST_SANITIZERS");
  unsetenv("WISP_CFLAGS"); /* as users compile them */
  if (sanitizers) setenv("WISP_CFLAGS", sanitizers, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_values),
  };
  choose_tests();
  return getenv("WISP_TEST_WINNERS") ? cmocka_run_group_tests(winners, NULL, NULL)
                                     : cmocka_run_group_tests(tests, NULL, NULL);
}
