/* Claim: of the stages of two cards of one architecture the other card's is taken until the kernels of this one are
 * expected to be faster together; they may be partly of here and partly of there. */
#include "test.h"
#include "step_case.h"

static const char composition[] = "derivative+assemble+gather+lift+update", layout[] = "node-km1-pad16";
static const char sister[] = "Imaginary 2", ours[] = "volume+gather+lift+update", our_layout[] = "slab-km32";

/* The defaults of a composition's kernels, or of one of them, took so long each, and where `whole` is a time the stage
 * that; on this device, or on another card. */
static void add_stage(fixture *f, const char *device, const char *name, const char *place, const char *kernel,
                      double each, double whole)
{
  wisp_choose_request r = step_request();
  wisp_stage stage;
  char hash[20];
  r.composition = name, r.layout = place;
  GOOD(wisp_choose(err, &(wisp_chooser){f->strategies, NULL, f->limits, NULL}, &r, &stage));
  for (int i = 0; i < stage.kernels; i++) {
    const wisp_choice *c = &stage.choice[i];
    if (kernel && strcmp(kernel, c->kernel) != 0) continue;
    step_add(f, &(entry){c->kernel, place, c->strategy, c->params, each, NULL, device, NULL, NULL});
  }
  wisp_plans_hash(stage.plan, stage.kernels, f->limits->kind, hash);
  if (whole > 0) step_add(f, &(entry){"step", place, name, "", whole, hash, device, NULL, NULL});
  wisp_stage_free(&stage);
}

/* The stage that is taken, and how many of its kernels are entries of this device. */
static void expect_stage(fixture *f, const char *name, int exact)
{
  HELD(wisp_stage_free) wisp_stage stage = step_choose(f);
  assert_string_equal(stage.composition, name);
  for (int i = 0; i < stage.kernels; i++) {
    assert_true(stage.choice[i].match == WISP_MATCH_EXACT || stage.choice[i].match == WISP_MATCH_ARCHITECTURE);
    exact -= stage.choice[i].match == WISP_MATCH_EXACT;
  }
  assert_int_equal(exact, 0);
}

/* 5 on another card against 8 here: it stays while nothing tells how much slower this one is, and while that is less
 * than 1.6 times. */
TEST_WITH(test_sister_stays, step_open, step_close)
{
  fixture *f = *state;
  add_stage(f, sister, composition, layout, NULL, 1, 5);
  expect_stage(f, composition, 0);
  add_stage(f, NULL, ours, our_layout, NULL, 2, 8);
  expect_stage(f, composition, 0);
  wisp_stage stage = step_choose(f);
  assert_int_equal(stage.record.match, WISP_MATCH_ARCHITECTURE);
  assert_string_equal(stage.record.strategy, stage.composition);
  assert_non_null(strstr(stage.record.note, "expected to be faster"));
  wisp_stage_free(&stage);
  add_stage(f, sister, ours, our_layout, NULL, 1.5, 0);
  expect_stage(f, composition, 0);
}

/* If this card is twice as slow, 8 here are less than 10, the sum over the other's kernels. Two kernels of these
 * take 0.5 and 1 here: 7.5, partly of here and partly of there, is less again, until the whole of it was measured here.
 */
TEST_WITH(test_sums_of_two_cards, step_open, step_close)
{
  fixture *f = *state;
  add_stage(f, sister, composition, layout, NULL, 1, 5);
  add_stage(f, NULL, ours, our_layout, NULL, 2, 8);
  add_stage(f, sister, ours, our_layout, NULL, 1, 0);
  expect_stage(f, ours, 4);
  add_stage(f, NULL, composition, layout, "gather", 0.5, 0);
  expect_stage(f, ours, 4);
  add_stage(f, NULL, composition, layout, "lift", 1, 0);
  expect_stage(f, composition, 2);
  add_stage(f, NULL, composition, layout, "lift", 1, 9);
  expect_stage(f, ours, 4);
}

/* The strict mode asks for this device alone. */
TEST_WITH(test_exact_of_two_cards, step_open, step_close)
{
  fixture *f = *state;
  wisp_error reason = {0};
  add_stage(f, NULL, ours, our_layout, NULL, 2, 8);
  add_stage(f, sister, ours, our_layout, NULL, 1, 4);
  add_stage(f, sister, composition, layout, NULL, 0.5, 2);
  if (step_choose_exact(f, &reason) != WISP_OK) fail_msg("%s", reason.text);
}

GROUP(no_shipped_winners, NULL)
