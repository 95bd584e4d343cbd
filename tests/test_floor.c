/* Claim: the efficiency of a trial is a share of a true floor: bytes at the measured bandwidth, or the operations that
 * the strategy executes at the peak of the unit that executes them, where that is known. No shipped trial is above 1.05
 * of its floor unless its data fit a cache, and each names what sets its floor; the bytes of all trials of a card are
 * held to one bandwidth. A kernel whose size does not grow with the mesh has a floor that does not either. */
#include "test.h"
#include "store_fixture.h"
#include "../cache/columns.h"
#include "../gen/embedded.h"
#include "../gen/family.h"
#include "../gen/strategy/space_read.h"
#include "../runtime/kernel.h"
#include "../tuner/trial/trial.h"

/* --- what ships --- */

static const double MOST = 1.05, L2 = 50e6; /* in bytes, of an H200 and of an H100 */

static wisp_trials shipped(void)
{
  wisp_trials list = {0};
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    const wisp_embedded *file = &wisp_embedded_files[i];
    if (strncmp(file->path, "cache/shipped/", strlen("cache/shipped/")) != 0) continue;
    GOOD(wisp_shipped_parse(err, file->path, file->text, NULL, &list));
  }
  assert_true(list.count > 1000);
  return list;
}

/* The bytes moved are below twice the cache: much of them is still there from the launch before. */
static bool fits_a_cache(const wisp_trial *t)
{
  return 1e6 * t->gbps * t->ms < 2 * L2;
}

/* The bandwidths that a card's trials were held to. */
typedef struct bandwidths {
  char device[128];
  double least, most;
} bandwidths;

static void note_bandwidth(bandwidths *of, size_t most, const wisp_trial *t)
{
  bandwidths *b = of;
  while (b < of + most && *b->device && strcmp(b->device, t->device) != 0) b++;
  assert_true(b < of + most);
  if (!*b->device) *b = (bandwidths){.least = INFINITY};
  strcpy(b->device, t->device);
  b->least = fmin(b->least, t->gbps / t->efficiency), b->most = fmax(b->most, t->gbps / t->efficiency);
}

TEST(test_shipped_trials)
{
  wisp_trials list = shipped();
  int bad = 0, by_units = 0, by_cache = 0;
  bandwidths cards[8] = {{.device = ""}};
  for (size_t i = 0; i < list.count; i++) {
    const wisp_trial *t = &list.trials[i];
    const bool bytes = strcmp(t->floor, "bytes") == 0, fma = strcmp(t->floor, "fma") == 0,
               cached = strcmp(t->floor, WISP_FLOOR_CACHE) == 0;
    if (!(t->ms > 0)) continue;
    by_units += fma, by_cache += cached;
    if (!bytes && !fma && !cached && strcmp(t->floor, "adds") != 0)
      bad++, print_error("%s %s: no floor\n", t->spec, t->strategy);
    if (!(t->efficiency > 0) || (cached != (t->efficiency > MOST)) || (cached && !fits_a_cache(t)))
      bad++, print_error("%s %s %s: %.2f of its floor\n", t->spec, t->strategy, t->params, t->efficiency);
    if (!bytes || strstr(t->spec, ".zero") || strstr(t->spec, ".clear_blocks")) continue; /* those that only write */
    note_bandwidth(cards, WISP_COUNT(cards), t);
  }
  assert_int_equal(bad, 0);
  assert_true(by_units > 100 && by_cache > 0);
  for (const bandwidths *b = cards; *b->device; b++)
    if (b->most > 1.001 * b->least) fail_msg("%s: bandwidths from %g to %g", b->device, b->least, b->most);
  assert_true(*cards[1].device && !*cards[2].device); /* two cards ship */
  free(list.trials);
}

/* A time below its floor says that the bytes fit a cache, or has no efficiency; and so has a row of before floors were
 * true. */
TEST(test_times_below_the_floor)
{
  const wisp_limits gpu = {.gpu = true, .l2 = (size_t)L2}, host = {.l2 = 1 << 20};
  const wisp_floor floor = {.ms = 1, .bytes_ms = 1, .by = "bytes"};
  wisp_trial t = fixture_trial(1);
  t.ms = 0.96; /* the bandwidth is measured no better */
  wisp_trial_compare(&t, &gpu, 1e9, &floor);
  assert_string_equal(t.floor, "bytes");
  assert_true(fabs(t.efficiency - 1 / 0.96) < 1e-12);
  t.ms = 0.9;
  wisp_trial_compare(&t, &gpu, 99e6, &floor);
  assert_string_equal(t.floor, "cache");
  assert_true(fabs(t.efficiency - 1 / 0.9) < 1e-12);
  wisp_trial_compare(&t, &gpu, 101e6, &floor);
  assert_true(isnan(t.efficiency) && !*t.floor);
  wisp_trial_compare(&t, &host, 1e9, &floor);
  assert_string_equal(t.floor, "cache");
  wisp_trial_take_words(&t);
  assert_true(t.efficiency > 1);
  strcpy(t.floor, "fma");
  wisp_trial_take_words(&t);
  assert_true(isnan(t.efficiency) && !*t.floor);
}

/* --- what floors are made of --- */

static const wisp_ceilings card = {.copy_gbps = 4000,
                                   .fill_gbps = 3000,
                                   .fma_gflops_f32 = 60e3,
                                   .fma_gflops_f64 = 30e3,
                                   .add_gops_f32 = 500,
                                   .add_gops_f64 = 500};
enum { ELEMENTS = 100000 };

/* The floor of a strategy's default candidate on a card of sm_90, and its kernel's least work. */
static wisp_floor floor_of(const wisp_strategies *all, const char *kernel, const char *strategy, int order,
                           wisp_precision precision, wisp_work *work)
{
  wisp_limits limits;
  wisp_layout layouts[8];
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_floor floor = {0};
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), order, NULL, precision);
  const wisp_strategy *s = wisp_strategies_find(all, "nodal", kernel, strategy);
  int l = 0;
  wisp_spec_name_kernel(&spec, kernel);
  assert_non_null(s);
  GOOD(wisp_target_limits(err, "sm_90", &limits));
  const wisp_target target = wisp_limits_target(&limits);
  const int count = wisp_family_layouts(&spec, layouts);
  while (l < count && !wisp_strategy_reads(s, &layouts[l])) l++;
  assert_true(l < count);
  GOOD(wisp_family_names(err, &spec, &target, 1, &layouts[l], &names));
  GOOD(wisp_plan_default(err, s, &spec, &layouts[l], names, &plan));
  GOOD(wisp_family_work(err, &spec, ELEMENTS, work));
  GOOD(wisp_floor_find(err, &card, &spec, work, ELEMENTS, plan, &floor));
  return floor;
}

/* Dense products are held to the peak of multiply-adds; by half turns on tensor cores, whose peak is not known, the
 * same kernel is held to its bytes. */
TEST(test_operations_that_are_executed)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_work work;
  GOOD(wisp_strategies_load(err, &all));
  for (int f64 = 0; f64 < 2; f64++) {
    const wisp_precision precision = f64 ? WISP_F64 : WISP_F32;
    const double peak = f64 ? card.fma_gflops_f64 : card.fma_gflops_f32;
    const wisp_floor dense = floor_of(all, "volume", "field-in-shared", 9, precision, &work);
    assert_string_equal(dense.by, "fma");
    assert_true(fabs(dense.ms / (work.flops / peak / 1e6) - 1) < 1e-9);
    assert_true(dense.bytes_ms < dense.ms);
    const wisp_floor half_turned = floor_of(all, "volume", "half-turn-cores", 9, precision, &work);
    assert_string_equal(half_turned.by, "bytes");
    assert_true(fabs(half_turned.ms / (work.bytes / card.copy_gbps / 1e6) - 1) < 1e-12);
    assert_true(fabs(half_turned.ms - half_turned.bytes_ms) < 1e-12 && half_turned.ms < dense.ms);
  }
  assert_string_equal(floor_of(all, "volume", "literal", 4, WISP_F32, &work).by, "bytes");
  assert_string_equal(floor_of(all, "update", "thread", 4, WISP_F32, &work).by, "bytes");
}

/* By half turns the volume takes a quarter of the dense products, in single precision each as three of halves. */
TEST(test_emulated_precision)
{
  static const char *const values[] = {"E=16 fp16=0 min_blocks=0 persistent=0 prefetch=0 unroll=1",
                                       "E=16 fp16=1 min_blocks=0 persistent=0 prefetch=0 unroll=1"};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_limits limits;
  wisp_layout slab = {0}, layouts[8];
  char text[WISP_LAYOUT_TEXT];
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_target_limits(err, "sm_90", &limits));
  const wisp_target target = wisp_limits_target(&limits);
  const wisp_strategy *s = wisp_strategies_find(all, "nodal", "volume", "half-turn-cores");
  for (int c = 0; c < 3; c++) {
    const wisp_exec_unit unit = c == 0 ? WISP_UNIT_TENSOR_TF32 : c == 1 ? WISP_UNIT_TENSOR_FP16 : WISP_UNIT_TENSOR_FP64;
    wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 7, NULL, c == 2 ? WISP_F64 : WISP_F32);
    OWNED(wisp_env_destroy) wisp_env *names = NULL;
    OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
    wisp_work work;
    wisp_spec_name_kernel(&spec, "volume");
    for (int l = wisp_family_layouts(&spec, layouts); l-- > 0;) {
      wisp_layout_print(&layouts[l], text);
      if (strncmp(text, "slab", 4) == 0) slab = layouts[l];
    }
    GOOD(wisp_family_names(err, &spec, &target, 1, &slab, &names));
    GOOD(wisp_plan_from_text(err, s, &spec, &slab, names, values[c == 1], &plan));
    GOOD(wisp_family_work(err, &spec, ELEMENTS, &work));
    for (int u = 0; u < WISP_UNITS; u++) {
      double executed = 0;
      GOOD(wisp_plan_executed(err, plan, (wisp_exec_unit)u, ELEMENTS, work.flops, &executed));
      const double share = executed / work.flops / (c == 2 ? 1 : 3);
      if (u == (int)unit ? share < 0.24 || share > 0.251 : executed > 0)
        fail_msg("%s: %g of the dense operations", wisp_unit_names[u], share);
    }
  }
}

/* A node that is on several faces is read once, and a neighbour's where its own element reads it: the least that a
 * gather and a whole stage move is below a traffic of all face nodes. The smallest matrix of hybridized DG's second
 * level is as small on a large mesh. */
TEST(test_bytes)
{
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 1, NULL, WISP_F64);
  wisp_work work, more;
  wisp_spec_name_kernel(&spec, "gather");
  GOOD(wisp_family_work(err, &spec, 1, &work));
  assert_true(work.bytes <
              8 * (6 * (4 + 12) + 4 * 4 + 5)); /* six fields, 4 nodes, 12 on faces; a face's normal, scale */
  wisp_spec_name_kernel(&spec, "stage_nested");
  GOOD(wisp_family_work(err, &spec, 1, &work));
  assert_true(work.bytes < 8 * (6 * 3 * 4 + 9 + 4 * 4 + 5));
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION); /* no stage moves less than a nested one in one pass */
  GOOD(wisp_family_work(err, &spec, 1, &more));
  assert_true(work.bytes <= more.bytes && work.bytes >= more.bytes);
  spec = wisp_family_spec(wisp_family_find("hdg"), 3, NULL, WISP_F64);
  wisp_spec_name_kernel(&spec, "coarsest");
  GOOD(wisp_family_work(err, &spec, 1e3, &work));
  GOOD(wisp_family_work(err, &spec, 1e6, &more));
  assert_true(work.bytes <= more.bytes && work.bytes >= more.bytes && work.bytes < 64 * 64 * 2 * 8);
  assert_true(work.flops <= more.flops && work.flops >= more.flops);
}

/* A wrong statement in a space is refused. */
TEST(test_bad_statements)
{
  static const char *const bad[][2] = {{"work gpu flops", "'gpu' is none of"},
                                       {"work fma flops +", "x.space:"},
                                       {"work fma flops\nwork fma 1", "twice"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[256];
    wisp_error err = {0};
    wisp_strategy *s = NULL;
    const wisp_template_path template_path = {wisp_embedded_files, wisp_embedded_count, 0, ""};
    snprintf(text, sizeof text, "kernel update\nlayouts slab\nblock 32\ngrid groups\n%s\n", bad[i][0]);
    const wisp_file_text space = {"x.space", text}, kernel = {"x.k", ""};
    assert_int_equal(wisp_space_read(&err, &template_path, "nodal", "x", NULL, space, &kernel, &s), WISP_EINPUT);
    if (!strstr(err.text, bad[i][1])) fail_msg("%s", err.text);
  }
}
