/* Claim: candidates give the reference's result on the test device, as the tuner verifies them. Of every family, every
 * strategy's default candidate: at N = 1 for every element and in every layout that it reads, above in one of them, up
 * to the family's highest order; precisions take turns, and at orders above 1 so do layouts and strategies; of every
 * system and form that ships. And at N = 2 candidates that have every value of every parameter that a legal one has.
 * At N = 1 kernels of the family's own system are compiled as for users in their first layout, with all cases of
 * values that solvers pass; others quickly, with some of these, above N = 1 with two.
 * Sanitized (WISP_TEST_SANITIZERS) every strategy is at N = 1 and 2, every second one at N = 3, in a layout and
 * precision each. WISP_TEST_FULL=1, an hour: every default in every layout and both precisions; at N = 2 every legal
 * candidate. WISP_TEST_FAMILY=NAME: of one family. WISP_TEST_WINNERS=4,f64 instead: what a solver takes there of each
 * kernel at that order in that precision, the store's winner or the default, and of a family's other systems the
 * store's winners, e.g. with compute-sanitizer (scripts/sanitize-gpu); 1-9,f32: at these orders.
 * WISP_TEST_KERNELS="condense recover": winners of these kernels. WISP_TEST_SHARE=0/4: every fourth strategy, or
 * winner. */
#include "test.h"
#include "each_plan.h"
#include "verifying.h"
#include "../runtime/solve/choose.h"

enum { LOW = 1, VALUES_ORDER = 2, COARSE_ORDER = 3, MOST = 16384, SOME = 5, FEW = 2 };

/* Are kernels slow, so that one of a strategy stands for others? */
static bool is_coarse(void)
{
  return getenv("WISP_TEST_COARSE") && !walks_in_full();
}

/* The least number to be verified, unless one family is asked for. */
static int least(int of_all)
{
  return getenv("WISP_TEST_FAMILY") ? 1 : of_all;
}

/* --- defaults --- */

/* At N = 1 in every layout of the family's first element; sanitized, other elements and forms by turns. */
static bool default_has_turn(const plan_case *c)
{
  const bool low = c->spec.order <= LOW, every_layout = (low && !c->repeated && !is_coarse()) || walks_in_full();
  const int number = c->strategy_number + c->system_number;
  return c->plan && share_has_turn((size_t)c->strategy_number) && (every_layout || layout_has_turn(c)) &&
         precision_has_turn(c) && system_has_turn(c) && order_has_turn(c, LOW) &&
         !(is_coarse() && low && (c->repeated || c->system_number) && number % 4 != 0) &&
         !(is_coarse() && !low && number % 2 != 0);
}

static void submit_default(verifying *all, const plan_case *c)
{
  wisp_plan *plan = NULL;
  GOOD(wisp_plan_from_text(err, c->strategy, &c->spec, &c->layout, c->names, c->plan->params, &plan));
  verifying_submit(all, plan);
}

/* Whether it is compiled as for users. */
static bool is_for_users(const plan_case *c)
{
  return c->spec.order <= LOW && !c->system_number && c->at == 0;
}

static void verify_for_users(void *context, const plan_case *c)
{
  if (is_for_users(c) && default_has_turn(c)) submit_default(context, c);
  if (c->last) verifying_rest(context);
}

static void verify_default(void *context, const plan_case *c)
{
  if (!is_for_users(c) && default_has_turn(c)) submit_default(context, c);
  if (c->last) verifying_rest(context);
}

TEST(test_defaults)
{
  const bool coarse = is_coarse(); /* two orders stand for the others */
  const plan_range ranges[] = {{{1, LOW}, {WISP_F32, WISP_F64}},
                               {{LOW + 1, HIGHEST_ORDER}, {WISP_F32, WISP_F64}},
                               {{COARSE_ORDER, COARSE_ORDER}, {WISP_F32, WISP_F64}}};
  verifying all = verifying_begin();
  const wisp_limits *limits = wisp_device_limits(all.device);
  all.may_refuse = true; /* nearby multiplications of tets, of rows beyond a block's */
  each_plan(limits, &ranges[0], verify_for_users, &all);
  compile_quickly();
  wisp_verifier_extremes(all.verifier, coarse ? 1 : SOME);
  each_plan_of_systems(limits, &ranges[0], verify_default, &all);
  wisp_verifier_extremes(all.verifier, coarse ? 1 : FEW);
  (coarse ? each_plan : each_plan_of_systems)(limits, &ranges[coarse ? 2 : 1], verify_default, &all);
  verifying_end(&all, least(coarse ? 60 : 300));
}

/* --- values of parameters --- */

typedef struct legal {
  const wisp_strategy *strategy;
  int count;
  wisp_plan *plan[MOST];
  unsigned char value[MOST][WISP_MAX_PARAMS]; /* of each parameter: which of its values */
} legal;

/* A wisp_visit. */
static wisp_status collect(wisp_error *err, void *context, const int *values, wisp_plan *plan, const char *reason)
{
  legal *l = context;
  if (!plan) return WISP_OK;
  assert_true(l->count < MOST);
  for (int p = 0; p < l->strategy->params; p++) {
    const wisp_param *param = &l->strategy->param[p];
    int v = 0;
    while (v < param->count && param->values[v] != values[p]) v++;
    assert_true(v < param->count);
    l->value[l->count][p] = (unsigned char)v;
  }
  l->plan[l->count++] = plan;
  return WISP_OK;
}

enum { STRIDE = 7919 }; /* a prime: no neighbours, which have most values in common */

typedef bool seen_values[WISP_MAX_PARAMS][WISP_MAX_VALUES];

/* Which has most values that none taken before it has; -1: none has one. */
static int find_newest(const legal *l, seen_values seen)
{
  int best = -1, most = 0;
  for (int i = 0; i < l->count; i++) {
    const int at = i * STRIDE % l->count;
    int fresh = 0;
    for (int p = 0; p < l->strategy->params; p++) fresh += !seen[p][l->value[at][p]];
    if (fresh > most) most = fresh, best = at;
  }
  for (int p = 0; best >= 0 && p < l->strategy->params; p++) seen[p][l->value[best][p]] = true;
  return best;
}

static void submit_one(verifying *all, legal *l, int at)
{
  verifying_submit(all, l->plan[at]);
  l->plan[at] = NULL;
}

static void submit_covering(verifying *all, legal *l)
{
  seen_values seen = {{false}};
  for (int at; (at = find_newest(l, seen)) >= 0;) submit_one(all, l, at);
}

static void verify_values(void *context, const plan_case *c)
{
  verifying *all = context;
  static legal l;
  const bool share = share_has_turn((size_t)c->strategy_number);
  if (share && layout_has_turn(c) && precision_has_turn(c) && order_has_turn(c, VALUES_ORDER)) {
    l.count = 0, l.strategy = c->strategy;
    GOOD(wisp_plan_enumerate(err, c->strategy, &c->spec, &c->layout, c->names, collect, &l));
    if (is_coarse() && l.count) submit_one(all, &l, STRIDE % l.count);
    if (!is_coarse() && !walks_in_full()) submit_covering(all, &l);
    for (int i = 0; i < l.count; i++)
      if (walks_in_full())
        submit_one(all, &l, i);
      else
        wisp_plan_destroy(l.plan[i]);
  }
  if (c->last) verifying_rest(all);
}

TEST(test_values)
{
  const plan_range range = {{VALUES_ORDER, VALUES_ORDER}, {WISP_F32, WISP_F64}};
  compile_quickly();
  verifying all = verifying_begin();
  wisp_verifier_extremes(all.verifier, is_coarse() ? 1 : FEW);
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

/* Is the kernel one of WISP_TEST_KERNELS, or are all asked for? */
static bool is_asked(const char *kernel)
{
  const char *only = getenv("WISP_TEST_KERNELS");
  return !only || wisp_list_has(only, kernel);
}

/* Takes of systems other than the family's own the store's winners alone: test_defaults has the defaults. */
static void verify_winner(void *context, const plan_case *c)
{
  choosing *w = context;
  wisp_stage stage = {.kernels = 0};
  wisp_plan *plan = NULL;
  if (c->plan && is_asked(c->spec.kernel)) {
    GOOD(wisp_choose_if_any(err, &w->from, &(wisp_choose_request){.spec = c->spec}, &stage));
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
TEST(test_winners)
{
  const plan_range range = read_range(getenv("WISP_TEST_WINNERS"));
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(wisp_store_close) wisp_store *store = NULL;
  wisp_scopes scopes = {0};
  choosing w = {.all = verifying_begin()};
  GOOD(wisp_strategies_load(err, &strategies));
  GOOD(wisp_store_open(err, NULL, false, NULL, &store));
  w.all.reports = true;
  w.from = (wisp_chooser){strategies, store, wisp_device_limits(w.all.device), &scopes};
  each_plan_of_every_system(wisp_device_limits(w.all.device), &range, verify_winner, &w);
  print_message("%d of them of the store\n", w.stored);
  wisp_scopes_free(&scopes);
  verifying_end(&w.all, 1);
}

/* As users compile them, or with sanitizers. Winners stand for themselves. */
static __attribute__((constructor)) void choose_flags_and_tests(void)
{
  const char *sanitizers = getenv("WISP_TEST_SANITIZERS");
  unsetenv("WISP_CFLAGS");
  if (sanitizers) setenv("WISP_CFLAGS", sanitizers, 1);
  (getenv("WISP_TEST_WINNERS") ? cmocka_set_test_filter : cmocka_set_skip_filter)("test_winners");
}
