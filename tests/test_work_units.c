/* Claim: every strategy says how many units of work a block takes, as paper 0 counts them: w_p by other threads, w_i
 * inline in a thread, w_s one after the other. Each of the three is a parameter, or the space has its value and why it
 * is fixed. Values can be known for every candidate, agree with the names of the text, and are no more than there are
 * threads; and wisp best and wisp emit print all three. */
#include "test.h"
#include "command.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "verifying.h"

static const char *const units[] = {"wp", "wi", "ws"};

static const wisp_constant *find_constant(const wisp_strategy *s, const char *name)
{
  for (size_t i = 0; i < s->constants; i++)
    if (strcmp(s->constant[i].name, name) == 0) return &s->constant[i];
  return NULL;
}

static bool is_param(const wisp_strategy *s, const char *name)
{
  return wisp_strategy_param(s, name, strlen(name)) < s->params;
}

/* All that says nothing are named. */
TEST(test_each_of_the_three)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  int missing = 0;
  GOOD(wisp_strategies_load(err, &all));
  assert_true(all->count > 160);
  for (size_t i = 0; i < all->count; i++)
    for (size_t u = 0; u < WISP_COUNT(units); u++) {
      const wisp_strategy *s = all->list[i];
      const wisp_constant *constant = find_constant(s, units[u]);
      if (is_param(s, units[u]) != (constant != NULL)) {
        if (constant) assert_true(strlen(constant->reason) > 10);
        continue;
      }
      print_error("%s, %s.%s: %s is neither a parameter nor fixed for a reason\n", s->file[0], s->kernel, s->name,
                  units[u]);
      missing++;
    }
  assert_int_equal(missing, 0);
}

/* The value of what is fixed, in a text as wisp_strategy_constants prints it; -1: it has none. */
static long value_in(const char *text, const char *name)
{
  char of[32], value[32];
  while (wisp_next_param(&text, of, value))
    if (strcmp(of, name) == 0) return strcmp(value, "all") == 0 ? 0 : strtol(value, NULL, 10);
  return -1;
}

/* A plan_visit: *context counts values. */
static void check_values(void *context, const plan_case *c)
{
  char text[WISP_PARAMS_TEXT];
  if (!c->plan) return;
  const long threads = (long)c->plan->block[0] * c->plan->block[1] * c->plan->block[2];
  wisp_strategy_constants(c->strategy, c->plan->env, text);
  for (size_t u = 0; u < WISP_COUNT(units); u++) {
    int64_t named = 0;
    const wisp_constant *constant = find_constant(c->strategy, units[u]);
    const long value = constant ? value_in(text, units[u]) : wisp_plan_value(c->plan, units[u], -1);
    if (value < 0) fail_msg("%s: %s has no value", plan_case_text(c), units[u]);
    if (u == 0 && (value < 1 || value > threads))
      fail_msg("%s: %ld units side by side in %ld threads", plan_case_text(c), value, threads);
    if (wisp_env_get_int(c->plan->env, units[u], &named) && named != value)
      fail_msg("%s: %s is %ld in the space, %ld in its text", plan_case_text(c), units[u], value, (long)named);
    *(int *)context += constant != NULL;
  }
}

TEST(test_values)
{
  static const char *const targets[] = {"sm_90", "host"};
  const plan_range range = {{1, 4}, {WISP_F32, WISP_F64}};
  for (size_t t = 0; t < WISP_COUNT(targets); t++) {
    const wisp_limits limits = target_limits(targets[t]);
    int fixed = 0;
    each_plan(&limits, &range, check_values, &fixed);
    assert_true(fixed > 1000);
  }
}

/* Each winner that ships has all three, in columns, in JSON and in CSV. */
TEST_IN_FOLDER(test_best_prints_them)
{
  OWNED(cJSON_Delete) cJSON *rows = run_json(*state, "", "best -d 'NVIDIA H200' --any-layout --json");
  const cJSON *row = NULL;
  int kernels = 0;
  cJSON_ArrayForEach(row, rows)
  {
    if (strcmp(json_text(row, "kernel"), "step") == 0) continue;
    for (size_t u = 0; u < WISP_COUNT(units); u++) {
      const cJSON *param = cJSON_GetObjectItem(cJSON_GetObjectItem(row, "params"), units[u]);
      const cJSON *fixed = cJSON_GetObjectItem(cJSON_GetObjectItem(row, "fixed"), units[u]);
      if (!param == !fixed)
        fail_msg("%s %s of order %d: %s has no value, or two", json_text(row, "kernel"), json_text(row, "strategy"),
                 cJSON_GetObjectItem(row, "order")->valueint, units[u]);
    }
    kernels++;
  }
  assert_true(kernels > 1000);
  HELD(forget) outcome o = run_in(*state, "", "best -d 'NVIDIA H200' -f hdg -n 4 -p f32 --kernels");
  assert_non_null(strstr(o.out, "N kernel              dofs w_p w_i w_s"));
  assert_non_null(strstr(o.out, "   1 all "));
  forget(&o);
  o = run_in(*state, "", "best -d 'NVIDIA H200' -f tensor -n 4 -p f64 --format csv");
  assert_non_null(strstr(o.out, "params,fixed,system"));
  assert_non_null(strstr(o.out, ",wi=1 ws=1,poisson"));
}

/* The best of paper 0's Figure 10(b) is a candidate. */
TEST_IN_FOLDER(test_emit_prints_them)
{
  HELD(forget) outcome o = run_in(*state, "", "emit -f nodal -n 4 -s field-in-shared");
  assert_non_null(strstr(o.out, "    ws=1: the fields in shared memory are those"));
  forget(&o);
  o = run_in(*state, "", "emit -f nodal -n 4 -k derivative -s matrix-in-shared --dialect cuda --set wp=19,wi=2,ws=3");
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "sequential < 3;"));
  assert_non_null(strstr(o.out, "FOR_Y(y, 19)"));
}

/* It gives the reference's result, as does the corner of the space that is farthest from the default. */
TEST(test_wide_candidates_verify)
{
  static const char *const params[] = {"NR=32 wp=19 wi=2 ws=3", "NR=16 wp=32 wi=6 ws=8"};
  static const char *const kernels[] = {"derivative", "lift"};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_layout layouts[8];
  compile_quickly();
  verifying v = verifying_begin();
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 4, NULL, WISP_F32);
  GOOD(wisp_strategies_load(err, &all));
  wisp_family_layouts(&spec, layouts);
  OWNED(wisp_env_destroy) wisp_env *names = plan_names(wisp_device_limits(v.device), &spec, &layouts[0]);
  for (size_t k = 0; k < WISP_COUNT(kernels); k++) {
    wisp_plan *plan = NULL;
    wisp_spec_name_kernel(&spec, kernels[k]);
    const wisp_strategy *s = wisp_strategies_find(all, "nodal", kernels[k], "matrix-in-shared");
    GOOD(wisp_plan_from_text(err, s, &spec, &layouts[0], names, params[k], &plan));
    verifying_submit(&v, plan);
  }
  verifying_end(&v, 2);
}
