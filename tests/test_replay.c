/* The replay: its percentages are those of the trials that it picked, nothing is picked twice, a space smaller than the
 * budget is searched to its end; on the shipped sweep the search keeps what docs/reference/search.md says. */
#include "test.h"
#include "tuning.h"
#include "../tuner/search/replay.h"

enum { STRATEGIES = 3, STEPS = 4, SPACE = STRATEGIES * STEPS * STEPS, ORDERS = 3 };

/* A valley in each strategy's two parameters; the last strategy is the best at the middle order only. */
static wisp_trial trial(int order, int strategy, int a, int b)
{
  wisp_trial t = {.ms = 1 + 0.3 * abs(a - 2) + 0.2 * abs(b - 1) + 0.001 * a + strategy * (order == 3 ? -0.1 : 0.2)};
  snprintf(t.spec, sizeof t.spec, "nodal.volume:tet:p%d:maxwell:f64", order);
  snprintf(t.layout, sizeof t.layout, "slab-km32");
  snprintf(t.strategy, sizeof t.strategy, "made-up-%d", strategy);
  snprintf(t.params, sizeof t.params, "wi=%d wp=%d", 1 << a, 1 << b);
  snprintf(t.target, sizeof t.target, "sm_90");
  snprintf(t.outcome, sizeof t.outcome, "ok");
  return t;
}

static size_t made_up(wisp_trial **out)
{
  size_t count = 0;
  wisp_trial *list = calloc(ORDERS * SPACE, sizeof *list);
  assert_non_null(list);
  for (int order = 2; order < 2 + ORDERS; order++)
    for (int s = 0; s < STRATEGIES; s++)
      for (int a = 0; a < STEPS; a++)
        for (int b = 0; b < STEPS; b++) list[count++] = trial(order, s, a, b);
  *out = list;
  return count;
}

static void check_target(const wisp_replay_target *t, const wisp_trial *trials)
{
  double best = INFINITY, optimum = INFINITY;
  int p = 0;
  assert_int_equal(t->candidates, SPACE);
  assert_int_equal(t->trials, SPACE);
  for (size_t i = 0; i < SPACE; i++) optimum = fmin(optimum, trials[(size_t)(t->order - 2) * SPACE + i].ms);
  for (size_t n = 0; n < t->trials; n++) {
    for (size_t k = 0; k < n; k++) assert_true(t->tried[k] != t->tried[n]);
    assert_true(t->tried[n] / SPACE == (size_t)t->order - 2);
    best = fmin(best, trials[t->tried[n]].ms);
    if (p < WISP_REPLAY_POINTS && (int)n + 1 == wisp_replay_after[p])
      assert_true(fabs(t->percent[p++] - 100 * optimum / best) < 1e-9);
  }
  assert_true(t->percent[3] >= 100 && t->percent[4] >= 100); /* 50 and 100 trials: more than the space has */
}

TEST(test_made_up_sweep)
{
  OWNED(free) wisp_trial *trials = NULL;
  size_t count = made_up(&trials);
  for (int seeded = 0; seeded < 2; seeded++) {
    wisp_replay_request request = {.family = "nodal", .seeded = seeded == 1};
    wisp_replay first = {0}, second = {0};
    GOOD(wisp_replay_run(err, count, trials, &request, &first));
    GOOD(wisp_replay_run(err, count, trials, &request, &second));
    assert_int_equal(first.count, ORDERS);
    for (size_t i = 0; i < first.count; i++) {
      check_target(&first.targets[i], trials);
      assert_memory_equal(first.targets[i].tried, second.targets[i].tried, sizeof first.targets[i].tried);
    }
    wisp_replay_free(&first);
    wisp_replay_free(&second);
  }
}

/* Another system of equations with the same valley, ten times as slow, tells where it is. */
TEST(test_other_systems_help)
{
  OWNED(free) wisp_trial *trials = NULL;
  double found[2] = {0, 0};
  const size_t count = made_up(&trials), shift = SPACE; /* orders 2 and 3 become one order of two systems */
  assert_int_equal(count, ORDERS * SPACE);
  for (size_t i = 0; i < shift; i++) {
    trials[i] = trials[shift + i];
    trials[i].ms *= 10;
    snprintf(trials[i].spec, sizeof trials[i].spec, "nodal.volume:tet:p3:acoustics:f64");
  }
  for (int seeded = 0; seeded < 2; seeded++) {
    const wisp_replay_request request = {.family = "nodal", .seeded = seeded == 1};
    wisp_replay replay = {0};
    GOOD(wisp_replay_run(err, 2 * shift, trials, &request, &replay));
    assert_int_equal(replay.count, 2);
    found[seeded] = fmin(replay.targets[0].percent[0], replay.targets[1].percent[0]);
    wisp_replay_free(&replay);
  }
  print_message("%.2f %% after 5 trials, unseeded %.2f\n", found[1], found[0]);
  assert_true(found[1] >= 99.9 && found[0] < found[1]);
}

/* The search must not know a target's own times beforehand: the first pick is the same whatever they are. */
TEST(test_own_times_are_not_seen)
{
  OWNED(free) wisp_trial *trials = NULL;
  size_t count = made_up(&trials), first[2] = {0};
  wisp_replay_request request = {.family = "nodal", .seeded = true, .orders = 1, .order = {3}};
  for (int turn = 0; turn < 2; turn++) {
    wisp_replay replay = {0};
    GOOD(wisp_replay_run(err, count, trials, &request, &replay));
    first[turn] = replay.targets[0].tried[0];
    wisp_replay_free(&replay);
    for (size_t i = SPACE; i < 2 * SPACE; i++) trials[i].ms = 10 - trials[i].ms;
  }
  assert_int_equal(first[0], first[1]);
  assert_true(fabs(trials[first[0] - SPACE].ms - trials[2 * STEPS + 1].ms) < 1e-12); /* N = 2's best */
}

TEST(test_senseless_requests)
{
  wisp_trial *trials = NULL;
  size_t count = made_up(&trials);
  wisp_error err = {0};
  wisp_replay replay;
  wisp_replay_request request = {.family = "nodal", .kernel = "lift"};
  assert_int_equal(wisp_replay_run(&err, count, trials, &request, &replay), WISP_EUSAGE);
  free(trials);
  trials = NULL;
  assert_int_equal(wisp_replay_load(&err, "/no/such/sweep.db", &count, &trials), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "/no/such/sweep.db"));
}

/* The same guide behind a tuner's search: every candidate of every problem comes once, the first on a problem that has
 * a default is one. */
TEST(test_guided_search)
{
  search_case a;
  wisp_search *const search = &a.search;
  size_t count = 0;
  search_open(&a, "nodal.volume:tet:p3:maxwell:f64", "sm_90");
  GOOD(wisp_search_guide(err, search, &a.target, 0, NULL));
  OWNED(free) bool *seen = calloc(search->count, sizeof *seen);
  assert_non_null(seen);
  while (wisp_search_next_problem(search)) {
    bool first = true, any = false;
    for (size_t i = search->begin; i < search->end; i++) any = any || search->candidates[i].is_default;
    for (const wisp_candidate *c = NULL; (c = wisp_search_next(search)); first = false) {
      assert_true(c >= &search->candidates[search->begin] && c < &search->candidates[search->end]);
      assert_true(!first || !any || c->is_default);
      assert_false(seen[c - search->candidates]);
      seen[c - search->candidates] = true;
      count++;
    }
  }
  assert_true(count > 100);
  assert_int_equal(count, search->count);
  search_close(&a);
}

/* A trial of a candidate that took so long elsewhere: on another mesh, say. */
static void add_seed(wisp_seeds *seeds, const wisp_scope *scope, const wisp_candidate *c, double ms)
{
  wisp_trial t = {.ms = ms, .target = "sm_90", .device = "card", .outcome = "ok"};
  wisp_plan *plan = NULL;
  GOOD(wisp_candidate_plan(err, scope, c, &plan));
  wisp_spec_print(&plan->spec, t.spec);
  wisp_layout_print(&plan->layout, t.layout);
  snprintf(t.strategy, sizeof t.strategy, "%s", c->strategy->name);
  snprintf(t.params, sizeof t.params, "%s", plan->params);
  wisp_plan_destroy(plan);
  GOOD(wisp_seeds_add(err, seeds, &t));
}

/* The fastest candidate elsewhere is tried first, its problem gets most of the time, and of each layout one problem
 * comes before the others. */
TEST(test_expected)
{
  search_case a;
  wisp_search *const search = &a.search;
  wisp_seeds seeds = {.device = "card", .gpu = true};
  OWNED(free) wisp_point *known = NULL;
  size_t count = 0, problems = 0;
  unsigned layouts = 0, early = 0;
  search_open(&a, "nodal.gather:tet:p3:maxwell:f64", "sm_90");
  const wisp_candidate best = search->candidates[search->count - 1]; /* of the problem that came last without seeds */
  assert_false(best.is_default);
  for (size_t i = 0; i < search->count; i++) {
    add_seed(&seeds, &a.scope, &search->candidates[i], i == search->count - 1 ? 1 : 3);
    layouts |= 1u << search->candidates[i].layout;
  }
  GOOD(wisp_seeds_for(err, &seeds, &a.spec, &count, &known));
  GOOD(wisp_search_guide(err, search, &a.target, count, known));
  for (; wisp_search_next_problem(search); problems++) {
    const double share = wisp_search_share(search);
    const wisp_candidate *first = wisp_search_next(search);
    assert_non_null(first);
    if (problems == 0) {
      assert_true(first->strategy == best.strategy && first->problem == best.problem);
      assert_memory_equal(first->values, best.values, sizeof best.values);
      assert_true(share > 0.5);
    }
    if (early != layouts) assert_false(early & 1u << first->layout);
    early |= 1u << first->layout;
  }
  assert_true(problems > 4);
  wisp_seeds_free(&seeds);
  search_close(&a);
}

/* 95 % of the optimum within 25 trials seeded, 98 % within 100: geometric means over kernels, orders, precisions. */
TEST(test_shipped_sweep)
{
  size_t count = 0;
  OWNED(free) wisp_trial *trials = NULL;
  wisp_replay replay = {0};
  wisp_replay_request request = {.family = "nodal", .seeded = true};
  GOOD(wisp_replay_load(err, "bench/sweeps/nvidia-h200.db.gz", &count, &trials));
  GOOD(wisp_replay_run(err, count, trials, &request, &replay));
  assert_true(replay.count > 100);
  assert_true(replay.mean[2] >= 95);
  assert_true(replay.mean[4] >= 98);
  assert_true(replay.worst[2] >= 90); /* docs/reference/search.md */
  for (size_t i = 0; i < replay.count; i++)
    for (size_t n = 1; n < replay.targets[i].trials; n++)
      for (size_t k = 0; k < n; k++) assert_true(replay.targets[i].tried[k] != replay.targets[i].tried[n]);
  wisp_replay_free(&replay);
}
