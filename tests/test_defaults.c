/* Claim: what runs where nothing was measured is said in data and is good on its kind of device. On GPUs it is what it
 * always was; on the host it is not far behind the best of what all strategies would run by default. Every line of the
 * families' lists is of use, and a line that makes no sense is named. */
#include "test.h"
#include "each_plan.h"
#include "../gen/strategy/defaults.h"
#include "../gen/embedded.h"
#include "../runtime/kernel.h"
#include "../runtime/solve/choose.h"
#include "../tuner/trial/measure.h"
#include "../tuner/trial/problems.h"

/* The whole step that runs untuned on a device of that target, or one kernel of it. */
static wisp_stage standard(const wisp_strategies *all, const char *target, wisp_spec spec, const char *kernel)
{
  wisp_limits limits;
  wisp_stage stage = {.kernels = 0};
  wisp_spec_name_kernel(&spec, kernel);
  GOOD(wisp_target_limits(err, target, &limits));
  GOOD(wisp_choose(err, &(wisp_chooser){all, NULL, &limits, NULL}, &(wisp_choose_request){.spec = spec}, &stage));
  assert_true(stage.kernels > 0);
  return stage;
}

static wisp_strategies *load(void)
{
  wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  return all;
}

/* Is kernel k of the step what its strategy has for a default? */
static bool is_plain(const wisp_stage *stage, int k)
{
  const wisp_plan *plan = stage->plan[k];
  OWNED(wisp_plan_destroy) wisp_plan *plain = NULL;
  GOOD(wisp_plan_default(err, plan->strategy, &plan->spec, &stage->layout, stage->names, &plain));
  const bool same = strcmp(plan->params, plain->params) == 0;
  return same;
}

/* Figures for cards are given beside these defaults, which stay. */
TEST(test_gpus)
{
  static const char *const strategies[] = {"field-in-shared", "pairs", "field-in-shared", "stream"};
  static const char *const targets[] = {"sm_80", "sm_90"};
  OWNED(wisp_strategies_free) wisp_strategies *all = load();
  for (int i = 0; i < 2 * 2 * 9; i++) {
    const wisp_spec spec =
        wisp_family_spec(wisp_family_find("nodal"), i / 4 + 1, NULL, i / 2 % 2 ? WISP_F32 : WISP_F64);
    HELD(wisp_stage_free) wisp_stage stage = standard(all, targets[i % 2], spec, "step");
    wisp_layout layouts[8];
    wisp_family_layouts(&spec, layouts);
    assert_string_equal(stage.composition, "volume+gather+lift+update");
    assert_memory_equal(&stage.layout, layouts, sizeof *layouts);
    for (int k = 0; k < 4; k++) {
      assert_string_equal(stage.choice[k].strategy, strategies[k]);
      assert_true(is_plain(&stage, k));
    }
  }
}

/* Can each line be what decides, on some device, at some order? */
typedef struct line {
  char kernel[24], strategy[40], values[WISP_PARAMS_TEXT];
  bool used;
} line;

typedef struct lines {
  const wisp_strategies *all;
  line list[64];
  size_t count;
} lines;

static void read_lines(lines *out, const char *text)
{
  for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
    line *l = &out->list[out->count];
    char copy[256];
    int end = 0;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(at, "\n"), at);
    if (strstr(copy, " : ")) *strstr(copy, " : ") = '\0';
    if (sscanf(copy, "kernel %23s %39s %n", l->kernel, l->strategy, &end) != 2) continue;
    snprintf(l->values, sizeof l->values, "%s", copy + end);
    assert_true(++out->count < sizeof out->list / sizeof *out->list);
  }
}

/* On a discretisation with nothing fixed, or on the one that its own default asks for. */
static bool is_of_use(const line *l, const wisp_strategies *all, const plan_case *c)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_fixed fixed = {0};
  if (*l->kernel != '*' && strcmp(l->kernel, c->strategy->kernel) != 0) return false;
  if (strcmp(l->strategy, c->strategy->name) != 0) return false;
  if (c->strategy->params && c->strategy->param->mesh_constraint == WISP_MESH_REQUIRED) wisp_fixed_add(&fixed, c->plan);
  GOOD(wisp_defaults_plan(err, all, &c->spec, &c->layout, c->names, &fixed, false, &plan));
  bool used = strcmp(plan->strategy->name, l->strategy) == 0;
  for (const char *at = l->values; *at && used; at += strcspn(at, " "), at += strspn(at, " ")) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
    used = strstr(plan->params, word) != NULL;
  }
  return used;
}

static void look_for_use(void *context, const plan_case *c)
{
  lines *l = context;
  for (size_t i = 0; i < l->count && c->plan; i++)
    if (!l->list[i].used) l->list[i].used = is_of_use(&l->list[i], l->all, c);
}

TEST(test_every_line_is_of_use)
{
  static const plan_range range = {{1, 7}, {WISP_F64, WISP_F32}};
  static const char *const targets[] = {"host", "sm_90"};
  OWNED(wisp_strategies_free) wisp_strategies *all = load();
  lines found = {.all = all};
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    const char *name = strrchr(wisp_embedded_files[i].path, '/');
    if (strcmp(name ? name : "", "/defaults") == 0) read_lines(&found, wisp_embedded_files[i].text);
  }
  for (int i = 0; i < 2; i++) {
    wisp_limits limits;
    GOOD(wisp_target_limits(err, targets[i], &limits));
    each_plan(&limits, &range, look_for_use, &found);
  }
  assert_true(found.count > 0);
  for (size_t i = 0; i < found.count; i++) {
    const line *l = &found.list[i];
    if (!l->used) fail_msg("of no use: kernel %s %s %s", l->kernel, l->strategy, l->values);
  }
}

TEST(test_bad_lines)
{
  static const char *const bad[] = {
      "composition",           "composition a b",       "kernel volume",     "kernel",
      "kernels a b",           "composition a+b : N <", "kernel a b : (N=1", "kernel a b x=1 : 1 2",
      "kernel a b x=1 y=2 x=1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[128];
    wisp_defaults *defaults = NULL;
    wisp_error reason = {0};
    snprintf(text, sizeof text, "# none\ncomposition a+b : N == 1 # some\n\n%s\n", bad[i]);
    if (wisp_defaults_parse(&reason, "x/defaults", text, &defaults) != WISP_EINPUT) fail_msg("taken: %s", bad[i]);
    if (strncmp(reason.text, "x/defaults:4: ", 14) != 0) fail_msg("%s", reason.text);
    assert_null(defaults);
  }
}

/* --- how good the host's are --- */

typedef struct trial {
  const wisp_workload *workload;
  wisp_problem *problem;
  const wisp_kernel *kernel;
} trial;

static wisp_status launch(wisp_error *err, const void *context)
{
  const trial *t = context;
  return wisp_problems_launch(err, t->workload, t->problem, t->kernel, WISP_FOR_TIMING);
}

typedef struct race {
  wisp_device *device;
  const wisp_workload *workload;
  wisp_problems *problems;
  double best;
} race;

/* A plan's time in ms: the fastest of a few samples, three times. */
static double ms_of(race *r, const wisp_plan *plan)
{
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  trial t = {.workload = r->workload};
  wisp_problem_ref ref = {0};
  wisp_contender contender = {.run = launch, .context = &t};
  double ms = INFINITY;
  GOOD(wisp_plan_compile(err, plan, "host", &binary));
  GOOD(wisp_kernel_create(err, r->device, plan, &binary, &kernel));
  GOOD(wisp_problems_acquire(err, r->problems, &plan, 1, &ref));
  t.problem = ref.problem;
  t.kernel = kernel;
  for (int i = 0; i < 3; i++) {
    GOOD(wisp_probe(err, r->device, &contender));
    ms = fmin(ms, contender.ms);
  }
  wisp_problem_ref_end(&ref);
  wisp_kernel_destroy(kernel);
  free(binary.data);
  return ms;
}

typedef struct field {
  race race;
  const char *kernel;
} field;

static void take_part(void *context, const plan_case *c)
{
  field *f = context;
  const bool ours = strcmp(c->spec.family, "nodal") == 0 && c->element == c->family->elements;
  if (!c->plan || !ours || strcmp(c->strategy->kernel, f->kernel) != 0) return;
  f->race.best = fmin(f->race.best, ms_of(&f->race, c->plan));
}

/* The default's time over the best strategy's; the default takes part. */
static double ratio(wisp_device *device, const wisp_strategies *all, int order, wisp_precision precision,
                    const char *kernel)
{
  const plan_range range = {{order, order}, {precision, 0}};
  const wisp_mesh_source source = wisp_mesh_source_irregular();
  field f = {.race = {.device = device, .best = INFINITY}, .kernel = kernel};
  HELD(wisp_stage_free)
  wisp_stage stage = standard(all, "host", wisp_family_spec(wisp_family_find("nodal"), order, NULL, precision), kernel);
  GOOD(wisp_workload_find(err, "nodal", kernel, &f.race.workload));
  GOOD(wisp_problems_create(err, device, f.race.workload, &stage.plan[0]->spec, 384, &source, SIZE_MAX,
                            &f.race.problems));
  each_plan(wisp_device_limits(device), &range, take_part, &f);
  const double ours = ms_of(&f.race, stage.plan[0]);
  print_message("order %d, %s, %s: %s, %.2f times the best\n", order, wisp_precision_name(precision), kernel,
                stage.choice[0].strategy, ours / f.race.best);
  wisp_problems_destroy(f.race.problems);
  return ours / f.race.best;
}

/* The bound that tuned runs are promised to be within of untuned ones (scripts/untuned measures that), here against the
 * strategies as they come. */
TEST(test_host)
{
  static const char *const kernels[] = {"volume", "gather", "lift", "update"};
  static const struct {
    int order;
    wisp_precision precision;
  } cases[] = {{1, WISP_F32}, {3, WISP_F64}, {4, WISP_F64}};
  wisp_device *device = NULL;
  wisp_strategies *all = load();
  double sum = 0;
  if (strcmp(test_device_name(), "host") != 0 || getenv("WISP_TEST_COARSE") || getenv("WISP_TEST_QUICK")) {
    wisp_strategies_free(all);
    skip();
  }
  setenv("OMP_NUM_THREADS", "1", 1); /* two threads of a launch of 50 us wait for each other where others run too */
  GOOD(wisp_device_open(err, "host", &device));
  for (int i = 0; i < 12; i++)
    sum += log(ratio(device, all, cases[i / 4].order, cases[i / 4].precision, kernels[i % 4]));
  wisp_device_close(device);
  wisp_strategies_free(all);
  if (!(exp(sum / 12) < 1.5)) fail_msg("the host's defaults take %.2f times the best's time", exp(sum / 12));
}
