/* Claim: of the stages of two cards of one architecture the other card's is taken until the kernels of this one are
 * expected to be faster together; they may be partly of here and partly of there. What ships of a card's own sweep
 * stays: its stage whatever is expected, a kernel unless another card's is clearly faster. */
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

/* ---- Both cards ship. */

/* Moves all that was added to the shipped layer. */
static void ship(fixture *f)
{
  HELD(wisp_text_free) wisp_text text = {0};
  GOOD(wisp_store_export(err, f->path, false, true, &text));
  fixture_write(fixture_path(f->folder, "cards.txt"), text.data, text.length);
  assert_int_equal(remove(f->path), 0);
  setenv("WISP_SHIPPED", f->folder, 1);
}

static int close_shipped(void **state)
{
  setenv("WISP_SHIPPED", "none", 1);
  return step_close(state);
}

/* This card is 1.25 times as slow by what both have, so 5 there are 6.25 here. */
static void add_cards(fixture *f)
{
  add_stage(f, sister, composition, layout, NULL, 1, 5);
  add_stage(f, sister, ours, our_layout, NULL, 1.6, 0);
  add_stage(f, NULL, ours, our_layout, NULL, 2, 8);
}

TEST_WITH(test_own_record_stays, step_open, close_shipped)
{
  fixture *f = *state;
  add_cards(f);
  expect_stage(f, composition, 0);
  ship(f);
  expect_stage(f, ours, 4);
  wisp_stage stage = step_choose(f);
  assert_true(stage.record.match == WISP_MATCH_EXACT && !stage.record.stale);
  wisp_stage_free(&stage);
}

/* Another lift of the other card is expected to take `expected` here, beside 2 of the own one. */
static void expect_lift(fixture *f, double expected, bool taken)
{
  const entry other = {"lift", our_layout, "half-turns-blocked", "R=8 lanes=16", expected / 1.25, NULL, sister,
                       NULL,   NULL};
  setenv("WISP_SHIPPED", "none", 1);
  add_cards(f);
  step_add(f, &other);
  ship(f);
  HELD(wisp_stage_free) wisp_stage stage = step_choose(f);
  assert_string_equal(stage.composition, ours);
  assert_true((step_choice(&stage, "lift")->match == WISP_MATCH_ARCHITECTURE) == taken);
}

TEST_WITH(test_own_kernel_stays, step_open, close_shipped)
{
  expect_lift(*state, 1.3, false);
  expect_lift(*state, 1.1, true);
}

/* A card whose sweep measured the kernels, and no stage of them, takes its defaults rather than another card's stage.
 */
TEST_WITH(test_own_sweep_without_stage, step_open, close_shipped)
{
  fixture *f = *state;
  add_stage(f, sister, composition, layout, NULL, 1, 5);
  add_stage(f, NULL, composition, layout, NULL, 2, 0);
  expect_stage(f, composition, 5);
  ship(f);
  HELD(wisp_stage_free) wisp_stage stage = step_choose(f);
  assert_true(!stage.record.trial && strcmp(stage.composition, composition) != 0);
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
