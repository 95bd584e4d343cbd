/* Claim: what candidates ask of the discretisation binds the other kernels of a stage as docs/reference/spaces.md says,
 * and where lists of one size have no room, others of the same strategy are found, the smallest first. */
#include "test.h"
#include "parsed.h"
#include "../gen/strategy/strategy.h"

static const wisp_spec spec = {"nodal", "volume", "tet", 3, "maxwell", WISP_F64};

/* The names that every plan asks a family for. */
static wisp_env *make_names(void)
{
  static const wisp_count ints[] = {{"real_bytes", 8}, {"max_threads", 1024}, {"max_shared", 65536}};
  wisp_env *env = NULL;
  GOOD(wisp_env_create(err, NULL, &env));
  for (size_t i = 0; i < WISP_COUNT(ints); i++) GOOD(wisp_env_int(err, env, ints[i].name, (int64_t)ints[i].value));
  return env;
}

static wisp_plan *plan_of(const wisp_strategy *s, const wisp_layout *layout, const wisp_env *names, int block, int how)
{
  wisp_plan *plan = NULL;
  GOOD(wisp_plan_create(err, s, &spec, layout, names, (const int[]){block, how, 0}, &plan));
  return plan;
}

/* A value that a space marks by `requires` binds all kernels of a stage, one of `prefers` none; the first asks, and
 * what nobody asks for is as the mark says. */
TEST(test_marks)
{
  OWNED(wisp_strategy_destroy)
  wisp_strategy *s = parse_trial("kernel volume\nlayouts node\nblock 1\ngrid 1\nparam block 1 2 4 requires 1\n"
                                 "param how 0 1 prefers 0\nparam free 0 1\n");
  wisp_layout layout = wisp_layout_padded(20, 40, 4);
  OWNED(wisp_env_destroy) wisp_env *names = make_names();
  OWNED(wisp_plan_destroy)
  wisp_plan *usual = plan_of(s, &layout, names, 1, 0), *other = plan_of(s, &layout, names, 4, 1);
  const wisp_fixed nothing = {0};
  wisp_fixed fixed = {0};
  assert_true(wisp_fixed_suits(&nothing, usual) && wisp_fixed_suits(&nothing, other));
  assert_true(wisp_fixed_suits(&(wisp_fixed){.made = true}, usual));
  assert_false(wisp_fixed_suits(&(wisp_fixed){.made = true}, other) || wisp_fixed_same(usual, other));
  wisp_fixed_add(&fixed, usual);
  assert_true(wisp_fixed_number(&fixed) == wisp_fixed_number(&nothing));
  fixed = nothing;
  wisp_fixed_add(&fixed, other);
  wisp_fixed_add(&fixed, usual);
  assert_int_equal(fixed.count, 2);
  assert_int_equal(wisp_fixed_value(&fixed, "block", 1), 4);
  assert_int_equal(wisp_fixed_value(&fixed, "free", 7), 7);
  assert_true(wisp_fixed_number(&fixed) != wisp_fixed_number(&nothing));
  assert_false(wisp_fixed_suits(&fixed, usual));
  wisp_plan_destroy(usual);
  usual = plan_of(s, &layout, names, 4, 0);
  assert_true(wisp_fixed_suits(&fixed, usual));
  wisp_plan_destroy(usual);

  /* A kernel without such a choice may expect one, whoever asks first. */
  OWNED(wisp_strategy_destroy)
  wisp_strategy *expecting = parse_trial("kernel volume\nlayouts node\nblock 1\ngrid 1\nrequires_absent block 1\n");
  GOOD(wisp_plan_default(err, expecting, &spec, &layout, names, &usual));
  assert_true(wisp_fixed_suits(&nothing, usual) && !wisp_fixed_suits(&fixed, usual));
  fixed = nothing, wisp_fixed_add(&fixed, usual);
  assert_false(wisp_fixed_suits(&fixed, other));
  wisp_plan_destroy(usual); /* before the strategy that it is of */
  usual = NULL;
}

/* With room for more: sizes of lists go up, fewest steps first, the last in the space before others of as many, what is
 * not legal left out; nothing else differs, and behind the last there is none. */
TEST(test_room_for_more)
{
  static const char *const larger[] = {"free=1 held=32 how=0 products=40", "free=1 held=64 how=0 products=20",
                                       "free=1 held=64 how=0 products=40", "free=1 held=64 how=0 products=90", NULL};
  OWNED(wisp_strategy_destroy)
  wisp_strategy *s = parse_trial("kernel volume\nlayouts node\nblock 1\ngrid 1\nparam held 16 32 64 requires 0\n"
                                 "param how 0 1 prefers 0\nparam products 10 20 40 90 requires 0\nparam free 0 1\n"
                                 "require products <= held+30 : more than are held\n");
  wisp_layout layout = wisp_layout_padded(20, 40, 4);
  OWNED(wisp_env_destroy) wisp_env *names = make_names();
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  GOOD(wisp_plan_from_text(err, s, &spec, &layout, names, "free=1 held=32 how=0 products=20", &plan));
  for (int n = 0; n < (int)WISP_COUNT(larger); n++) {
    OWNED(wisp_plan_destroy) wisp_plan *more = NULL;
    assert_int_equal(wisp_plan_next_larger(NULL, plan, n, &more), larger[n] ? WISP_OK : WISP_EREFUSED);
    if (larger[n]) assert_string_equal(more->params, larger[n]);
  }
}
