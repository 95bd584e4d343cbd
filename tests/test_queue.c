/* Claim: a queue of units hands out each once a round, the heaviest first; one that is put back goes to another; a
 * budget is shared evenly among the units, whatever the number of workers, and brings further rounds over those that
 * gained something, until it is used up. A queue by gain has a first look at each, the lightest first, before any has
 * more; then time goes where the most is expected to be gained. */
#include "test.h"
#include "../tuner/workers/queue.h"

static const wisp_precision both[] = {WISP_F32, WISP_F64};

static wisp_queue *make(const int *orders, size_t count, size_t precisions, double deadline)
{
  wisp_queue *queue = NULL;
  GOOD(wisp_queue_create(err, orders, count, both, precisions, deadline, false, &queue));
  return queue;
}

static void assert_near(double value, double wanted)
{
  if (fabs(value - wanted) > 1e-9) fail_msg("%g, not %g", value, wanted);
}

/* Orders that are named twice are there once. */
TEST(test_each_once)
{
  static const int orders[] = {1, 3, 2, 3};
  OWNED(wisp_queue_destroy) wisp_queue *queue = make(orders, 4, 2, INFINITY);
  wisp_unit unit;
  size_t waiting, finished, all;
  for (int i = 0; i < 6; i++) {
    assert_true(wisp_queue_has(queue, 0));
    assert_true(wisp_queue_take(queue, 2, 0, &unit));
    assert_int_equal(unit.order, 3 - i / 2);
    assert_int_equal(unit.precision, i % 2 ? WISP_F32 : WISP_F64);
    assert_false(unit.later_round || unit.resumed);
    assert_true(isinf(unit.until));
    if (i % 2) wisp_queue_finish(queue, &unit, 0, true);
  }
  assert_false(wisp_queue_take(queue, 2, 0, &unit));
  wisp_queue_count(queue, &waiting, &finished, &all);
  assert_int_equal(waiting, 0);
  assert_int_equal(finished, 3);
  assert_int_equal(all, 6);
}

TEST(test_put_back)
{
  static const int orders[] = {1, 2};
  OWNED(wisp_queue_destroy) wisp_queue *queue = make(orders, 2, 1, INFINITY);
  wisp_unit first, second, unit;
  assert_true(wisp_queue_take(queue, 2, 0, &first));
  assert_true(wisp_queue_take(queue, 2, 0, &second));
  assert_false(wisp_queue_has(queue, 0));
  wisp_queue_put_back(queue, &first);
  assert_true(wisp_queue_take(queue, 1, 0, &unit));
  assert_int_equal(unit.order, first.order);
  assert_true(unit.resumed);
  wisp_queue_finish(queue, &unit, 0, false);
  wisp_queue_finish(queue, &second, 0, false);
  assert_false(wisp_queue_has(queue, 0));
}

/* Twelve seconds from 100 on, all of each share used. With five units, one of two workers has two of them, the other
 * three. */
TEST(test_shares)
{
  static const int orders[] = {1, 2, 3, 4, 5, 6};
  static const struct {
    size_t units;
    int workers;
    double least, most;
  } cases[] = {{6, 1, 2, 2}, {6, 2, 4, 4}, {6, 3, 6, 6}, {6, 8, 12, 12}, {5, 2, 4, 6}, {1, 2, 12, 12}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    OWNED(wisp_queue_destroy) wisp_queue *queue = make(orders, cases[c].units, 1, 112);
    double free_at[8] = {100, 100, 100, 100, 100, 100, 100, 100}, least = INFINITY, most = 0;
    wisp_unit unit;
    for (size_t i = 0; i < cases[c].units; i++) {
      int next = 0;
      for (int w = 1; w < cases[c].workers; w++)
        if (free_at[w] < free_at[next]) next = w;
      assert_true(wisp_queue_take(queue, cases[c].workers, free_at[next], &unit));
      least = fmin(least, unit.until - free_at[next]);
      most = fmax(most, unit.until - free_at[next]);
      free_at[next] = unit.until;
    }
    assert_near(least, cases[c].least);
    assert_near(most, cases[c].most);
  }
}

TEST(test_rounds)
{
  static const int orders[] = {1, 2};
  OWNED(wisp_queue_destroy) wisp_queue *queue = make(orders, 2, 1, 10);
  wisp_unit two, one, unit;
  assert_true(wisp_queue_take(queue, 1, 0, &two));
  wisp_queue_finish(queue, &two, 0, true);
  assert_true(wisp_queue_take(queue, 1, 2, &one));
  assert_int_equal(one.order, 1); /* before a second round of the other */
  wisp_queue_finish(queue, &one, 0, false);
  assert_true(wisp_queue_take(queue, 1, 4, &unit));
  assert_int_equal(unit.order, 2); /* the other gained nothing */
  assert_true(unit.later_round);
  assert_near(unit.until, 10);
  wisp_queue_finish(queue, &unit, 0, true);
  assert_false(wisp_queue_has(queue, 10));
  wisp_queue_destroy(queue);
  queue = make(orders, 2, 1, 10);
  assert_true(wisp_queue_take(queue, 1, 11, &unit)); /* the first round is for all, late or not */
}

/* --- by gain --- */

/* Takes a unit at a planted time, works until its end or for so many seconds, and reports. */
typedef struct planted {
  int order;            /* the one that is expected */
  double seconds;       /* 0: as long as it may */
  double until;         /* expected; 0: any */
  double saved, hopes;  /* reported */
  bool look, none_left; /* none_left: it found no new candidate */
} planted;

static void follow(wisp_queue *queue, size_t count, const planted *steps, double now)
{
  for (const planted *p = steps; p < steps + count; p++) {
    wisp_unit unit;
    assert_true(wisp_queue_take(queue, 1, now, &unit));
    if (unit.order != p->order) fail_msg("step %zu: order %d, not %d", (size_t)(p - steps), unit.order, p->order);
    assert_true(unit.first_look == p->look && unit.later_round != p->look);
    if (p->until > 0) assert_near(unit.until, p->until);
    now = p->seconds > 0 ? now + p->seconds : unit.until;
    unit.saved = p->saved, unit.hopes = p->hopes;
    wisp_queue_finish(queue, &unit, now, !p->none_left);
  }
}

/* A hundred seconds and three orders. Each has its look, the heaviest last; 2 and 3 hope for more than 1. */
TEST(test_by_gain)
{
  static const int orders[] = {3, 1, 2};
  static const planted steps[] = {
      {.order = 1, .seconds = 4, .until = 100.0 / 3, .hopes = 0.05, .look = true},
      {.order = 2, .seconds = 6, .until = 4 + 96.0 / 2, .saved = 0.01, .hopes = 0.25, .look = true},
      {.order = 3, .seconds = 10, .until = 100, .hopes = 0.2, .look = true},
      {.order = 2, .until = 20 + 80 * 0.25 / 0.5, .saved = 0.1, .hopes = 0.25}, /* as its share of what all hope for */
      {.order = 2, .until = 60 + 40 * 0.25 / 0.5, .hopes = 0.25},               /* it found nothing */
      {.order = 3, .until = 80 + 20 * 0.2 / 0.375, .hopes = 0.15},
      {.order = 2, .seconds = 1, .none_left = true, .hopes = 0.25},
      {.order = 3, .until = 100},
  };
  wisp_queue *queue = NULL;
  wisp_unit unit;
  GOOD(wisp_queue_create(err, orders, 3, both, 1, 100, true, &queue));
  follow(queue, WISP_COUNT(steps), steps, 0);
  assert_false(wisp_queue_take(queue, 1, 100, &unit));
  wisp_queue_destroy(queue);
}

/* A round is as long as the look at least, and ends at the deadline; without hopes there is none. One target alone has
 * all of the time at once. */
TEST(test_by_gain_ends)
{
  static const int orders[] = {1, 2};
  static const planted steps[] = {
      {.order = 1, .seconds = 2, .look = true},
      {.order = 2, .seconds = 12, .hopes = 0.02, .look = true},
      {.order = 2, .until = 20, .hopes = 0},
  };
  wisp_queue *queue = NULL;
  wisp_unit unit;
  GOOD(wisp_queue_create(err, orders, 2, both, 1, 20, true, &queue));
  follow(queue, WISP_COUNT(steps), steps, 0);
  assert_false(wisp_queue_has(queue, 19));
  wisp_queue_destroy(queue);
  GOOD(wisp_queue_create(err, orders, 1, both, 1, 20, true, &queue));
  assert_true(wisp_queue_take(queue, 1, 0, &unit));
  assert_false(unit.first_look);
  assert_near(unit.until, 20);
  wisp_queue_destroy(queue);
}
