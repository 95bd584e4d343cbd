/* Claim: planning asks for sizes and makes no table. Every strategy's default candidate in every layout, and every
 * choice of a solver among the shipped winners, leaves all tables unmade and LAPACK not loaded. The text that needs a
 * table gets it, by the name that the family announced. */
#include "test.h"
#include "each_plan.h"
#include "../gen/language/expr_tree.h"
#include "../runtime/kernel.h"
#include "../runtime/solve/choose.h"

#include <dlfcn.h>
#include <pthread.h>

/* ---- An environment and a maker of tables. */

static const wisp_value *get(const wisp_env *env, const char *name, wisp_kind kind)
{
  const wisp_value *value = NULL;
  GOOD(wisp_env_get(err, env, name, kind, &value));
  return value;
}

/* A maker's recipe, of which the environment keeps a copy: the counter, and whether to fail. */
typedef struct recipe {
  int *count;
  bool fails;
} recipe;

static wisp_status make_tables(wisp_error *err, const void *self, wisp_env *values)
{
  const recipe *o = self;
  ++*o->count;
  if (o->fails) return wisp_fail(err, WISP_ESYSTEM, "no table today");
  CALL(wisp_env_reals(err, values, "M", (const double[]){0, 0.5}, 2));
  return wisp_env_ints(err, values, "at", (const int[]){7, 8, 9}, 3);
}

static wisp_env *deferred_env(bool fails, int *count)
{
  wisp_env *env = NULL;
  recipe o = {count, fails};
  GOOD(wisp_env_create(err, NULL, &env));
  GOOD(wisp_env_int(err, env, "n", 2));
  GOOD(wisp_env_defer(err, env, "M at", make_tables, &o, sizeof o));
  o = (recipe){NULL, true};
  return env;
}

TEST(tables_are_made_once_when_asked_for)
{
  int count = 0;
  int64_t value = 0;
  wisp_env *outer = deferred_env(false, &count), *env = NULL;
  GOOD(wisp_env_create(err, outer, &env));
  assert_true(wisp_env_has(env, "at") && !wisp_env_get_int(env, "at", &value));
  GOOD(wisp_eval_int(err, "n > 2 && at[0]", env, &value));
  assert_int_equal(count, 0);
  assert_int_equal(wisp_env_made(env), 0);
  GOOD(wisp_eval_int(err, "at[n] + nonzero(M, 0) + nonzero(M, 1) + count(M)", env, &value));
  assert_int_equal(value, 9 + 0 + 1 + 2);
  assert_int_equal(count, 1);
  assert_int_equal(wisp_env_made(env), 1);
  assert_ptr_equal(get(env, "M", WISP_KIND_REALS), get(outer, "M", WISP_KIND_REALS));
  GOOD(wisp_env_int(err, env, "M", 3));
  GOOD(wisp_eval_int(err, "M", env, &value));
  assert_int_equal(value, 3);
  wisp_env_destroy(env);
  wisp_env_destroy(outer);
  wisp_env_destroy(deferred_env(false, &count));
  assert_int_equal(count, 1);
}

TEST(what_cannot_be_made_says_why)
{
  int count = 0;
  int64_t value = 0;
  wisp_error err = {0};
  OWNED(wisp_env_destroy) wisp_env *env = deferred_env(true, &count);
  for (int i = 1; i <= 2; i++) {
    assert_int_equal(wisp_eval_int(&err, "count(M)", env, &value), WISP_ESYSTEM);
    assert_string_equal(err.text, "no table today");
    assert_int_equal(count, i);
  }
  assert_int_equal(wisp_env_made(env), 0);
}

static void *look_up(void *env)
{
  return (void *)(uintptr_t)get(env, "at", WISP_KIND_INTS)->as.ints;
}

TEST(threads_share_what_is_made)
{
  int count = 0;
  OWNED(wisp_env_destroy) wisp_env *env = deferred_env(false, &count);
  pthread_t thread[8];
  void *found[8];
  for (int i = 0; i < 8; i++) assert_int_equal(pthread_create(&thread[i], NULL, look_up, env), 0);
  for (int i = 0; i < 8; i++) assert_int_equal(pthread_join(thread[i], &found[i]), 0);
  for (int i = 1; i < 8; i++) assert_ptr_equal(found[i], found[0]);
  assert_int_equal(count, 1);
}

/* ---- LAPACK is loaded for the first table. */

static bool lapack_is_loaded(void)
{
  void *library = dlopen("liblapacke.so.3", RTLD_LAZY | RTLD_NOLOAD);
  if (library) dlclose(library);
  return library;
}

static wisp_limits limits_of(const char *target)
{
  wisp_limits limits;
  GOOD(wisp_target_limits(err, target, &limits));
  return limits;
}

/* ---- Plans. */

static void expect_no_table(void *context, const plan_case *c)
{
  int *plans = context;
  *plans += c->plan != NULL;
  if (wisp_env_made(c->plan ? c->plan->env : c->names)) fail_msg("%s makes a table", plan_case_text(c));
}

TEST(plans_make_no_table)
{
  const wisp_limits limits = limits_of("sm_90");
  const plan_range range = {{1, HIGHEST_ORDER}, {WISP_F64, 0}};
  int plans = 0;
  each_plan_of_systems(&limits, &range, expect_no_table, &plans);
  assert_true(plans > 1000);
  assert_false(lapack_is_loaded());
}

/* ---- What a solver takes. */

static int choose_all(const wisp_chooser *from, const wisp_family *family, int order, wisp_precision precision)
{
  wisp_choose_request request = {.spec = wisp_family_spec(family, order, NULL, precision)};
  wisp_stage stage = {.kernels = 0};
  int stored = 0;
  for (const wisp_kernel_decl *k = NULL; !k || k->name; k = k ? k + 1 : family->kernels) { /* NULL: a whole stage */
    double ms;
    if (k) wisp_spec_name_kernel(&request.spec, k->name);
    GOOD(wisp_choose_if_any(err, from, &request, &stage));
    for (int i = 0; i < stage.kernels; i++) {
      assert_int_equal(wisp_env_made(stage.plan[i]->env), 0);
      stored += stage.choice[i].trial != NULL;
      if (stage.choice[i].trial) GOOD(wisp_standard_ms(err, from, stage.choice[i].trial, &ms));
    }
    wisp_stage_free(&stage);
  }
  return stored;
}

TEST(choices_make_no_table)
{
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  wisp_limits limits = limits_of("sm_90");
  const wisp_family *family = NULL;
  int stored = 0;
  snprintf(limits.name, sizeof limits.name, "NVIDIA H200");
  GOOD(wisp_strategies_load(err, &strategies));
  GOOD(wisp_store_open(err, "/nowhere", true, NULL, &store));
  const wisp_chooser from = {strategies, store, &limits, &scopes};
  for (size_t f = 0; (family = wisp_family_at(f)); f++)
    for (int order = family->elements->orders[0]; order <= family->elements->orders[1]; order++)
      stored += choose_all(&from, family, order, WISP_F32) + choose_all(&from, family, order, WISP_F64);
  assert_true(stored > 100);
  assert_false(lapack_is_loaded());
}

/* ---- Whoever looks a table up gets it. */

static wisp_status check_name(wisp_error *err, void *context, const char *name, const wisp_value *value)
{
  int *tables = context;
  *tables += value->kind == WISP_KIND_REALS || value->kind == WISP_KIND_INTS;
  assert_true(value->kind < WISP_KIND_OTHER);
  return WISP_OK;
}

/* As many names as the environment has, and none of them missing from what its makers make. */
TEST(every_name_gets_its_table)
{
  wisp_error err = {0};
  const wisp_limits limits = limits_of("sm_90");
  const wisp_target target = wisp_limits_target(&limits);
  const wisp_family *family = NULL;
  for (size_t f = 0; (family = wisp_family_at(f)); f++)
    for (const wisp_element *e = family->elements; e->name; e++)
      for (int order = 1; order <= 4; order++) {
        wisp_spec spec = wisp_family_spec(family, order, NULL, WISP_F64);
        wisp_layout layouts[8];
        OWNED(wisp_env_destroy) wisp_env *names = NULL;
        int tables = 0;
        wisp_spec_name_element(&spec, e->name);
        wisp_family_layouts(&spec, layouts);
        if (wisp_family_names(&err, &spec, &target, 1, layouts, &names) != WISP_OK) fail_msg("%s", err.text);
        assert_int_equal(wisp_env_made(names), 0);
        if (wisp_env_each(&err, names, check_name, &tables) != WISP_OK) fail_msg("%s: %s", family->name, err.text);
        assert_true(tables > 2 && wisp_env_made(names) > 0);
      }
  assert_true(lapack_is_loaded());
}
