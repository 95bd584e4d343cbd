/* Claim: the step is made of the store's best entries that are current and legal here, of defaults where entries lack,
 * and says which; a winner that does not compile gives way to a default that fits the others. */
#include "test.h"
#include "each_plan.h"
#include "solving.h"
#include "step_case.h"
#include "../cache/columns.h"

static void check(const wisp_stage *stage, const char *kernel, const char *strategy, const char *params,
                  wisp_match match)
{
  const wisp_choice *c = step_choice(stage, kernel);
  assert_string_equal(c->strategy, strategy);
  if (params) assert_string_equal(c->params, params);
  assert_int_equal(c->match, match);
  assert_int_equal(c->layer, match == WISP_MATCH_DEFAULT ? WISP_LAYER_NONE : WISP_LAYER_USER);
  assert_true(match == WISP_MATCH_DEFAULT ? isnan(c->ms) : c->ms > 0);
}

/* A composition and layout that are not the defaults. */
static const char composition[] = "derivative+assemble+gather+lift+update", layout[] = "node-km1-pad16";

/* A condition on a strategy's candidates, and the last one that meets it. */
typedef struct wanted {
  const wisp_strategy *strategy;
  bool legal;
  int MB; /* 0: any */
  char params[WISP_PARAMS_TEXT];
} wanted;

static int by_name(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Values as stored text: sorted by name. */
static void print_values(const wisp_strategy *strategy, const int *values, char text[WISP_PARAMS_TEXT])
{
  const wisp_param *param = strategy->param;
  const int count = strategy->params;
  char words[WISP_MAX_PARAMS][48];
  const char *sorted[WISP_MAX_PARAMS];
  for (int i = 0; i < count; i++) {
    snprintf(words[i], sizeof words[i], "%.23s=%d", param[i].name, values[i]);
    sorted[i] = words[i];
  }
  qsort(sorted, (size_t)count, sizeof *sorted, by_name);
  *text = '\0';
  for (int i = 0; i < count; i++)
    snprintf(text + strlen(text), WISP_PARAMS_TEXT - strlen(text), "%s%s", i ? " " : "", sorted[i]);
}

static wisp_status visit_plan(wisp_error *err, void *context, const int *values, wisp_plan *plan, const char *reason)
{
  wanted *w = context;
  if (w->legal == (plan != NULL) && (!w->MB || wisp_plan_value(plan, "MB", 0) == w->MB))
    print_values(w->strategy, values, w->params);
  wisp_plan_destroy(plan);
  return WISP_OK;
}

/* The last candidate of a kernel's strategy in the layout that is legal, or that is not. */
static void candidate(fixture *f, const char *kernel, const char *strategy, wanted *w)
{
  wisp_layout l;
  wisp_spec spec = {.family = "nodal", .element = "tet", .order = 2, .system = "maxwell", .precision = WISP_F64};
  wisp_spec_name_kernel(&spec, kernel);
  w->strategy = wisp_strategies_find(f->strategies, "nodal", kernel, strategy);
  assert_non_null(w->strategy);
  GOOD(wisp_layout_parse(err, layout, 10, 24, &l));
  wisp_env *names = plan_names(f->limits, &spec, &l);
  GOOD(wisp_plan_enumerate(err, w->strategy, &spec, &l, names, visit_plan, w));
  wisp_env_destroy(names);
  assert_true(strlen(w->params) > 0);
}

/* The entries of a whole step, none of them a default: a record, a gather of four groups a block, a lift. */
enum { STEP, GATHER, LIFT, WHOLE };
static void make_whole(fixture *f, wanted texts[WHOLE], entry e[WHOLE])
{
  texts[GATHER] = (wanted){.legal = true, .MB = 4};
  texts[LIFT] = (wanted){.legal = true};
  candidate(f, "gather", "pairs", &texts[GATHER]);
  candidate(f, "lift", "matrix-in-shared", &texts[LIFT]);
  e[STEP] = (entry){.kernel = "step", .layout = layout, .strategy = composition, .params = "", .ms = 2};
  e[GATHER] =
      (entry){.kernel = "gather", .layout = layout, .strategy = "pairs", .params = texts[GATHER].params, .ms = 1};
  e[LIFT] = (entry){
      .kernel = "lift", .layout = layout, .strategy = "matrix-in-shared", .params = texts[LIFT].params, .ms = 1};
}

static void check_whole(const wisp_stage *stage, const entry *e)
{
  assert_string_equal(stage->composition, composition);
  assert_int_equal(wisp_dg_MB(&stage->fixed), 4);
  check(stage, "gather", "pairs", e[GATHER].params, WISP_MATCH_EXACT);
  check(stage, "lift", "matrix-in-shared", e[LIFT].params, WISP_MATCH_EXACT);
  check(stage, "derivative", "field-in-shared", NULL, WISP_MATCH_DEFAULT);
}

/* The step is what runs without a store; test_defaults tells what that is on which device. */
static void check_standard(const fixture *f, const wisp_stage *stage)
{
  wisp_choose_request r = step_request();
  wisp_stage standard;
  GOOD(wisp_choose(err, &(wisp_chooser){f->strategies, NULL, f->limits, NULL}, &r, &standard));
  assert_string_equal(stage->composition, standard.composition);
  for (int i = 0; i < standard.kernels; i++) {
    const wisp_choice *c = &standard.choice[i];
    assert_string_equal(step_choice(stage, c->kernel)->layout, c->layout);
    check(stage, c->kernel, c->strategy, c->params, WISP_MATCH_DEFAULT);
  }
  wisp_stage_free(&standard);
}

TEST_WITH(test_empty, step_open, step_close)
{
  HELD(wisp_stage_free) wisp_stage stage = step_choose(*state);
  check_standard(*state, &stage);
}

TEST_WITH(test_whole, step_open, step_close)
{
  fixture *f = *state;
  wanted texts[WHOLE];
  entry e[WHOLE];
  make_whole(f, texts, e);
  for (int i = 0; i < WHOLE; i++) step_add(f, &e[i]);
  HELD(wisp_stage_free) wisp_stage stage = step_choose(f);
  check_whole(&stage, e);
  assert_int_equal(stage.record.match, WISP_MATCH_EXACT);
  assert_true(stage.record.layer == WISP_LAYER_USER && stage.record.stale); /* its hash is none */
  assert_true(wisp_dg_grouping(&stage.fixed) != WISP_GROUP_NATURAL);
}

/* One winner is gone: the others stay, and a default takes its place. */
TEST_WITH(test_winner_gone, step_open, step_close)
{
  fixture *f = *state;
  wanted texts[WHOLE];
  entry e[WHOLE];
  make_whole(f, texts, e);
  step_add(f, &e[STEP]);
  step_add(f, &e[GATHER]);
  HELD(wisp_stage_free) wisp_stage stage = step_choose(f);
  assert_string_equal(stage.composition, composition);
  check(&stage, "gather", "pairs", e[GATHER].params, WISP_MATCH_EXACT);
  check(&stage, "lift", "field-in-shared", NULL, WISP_MATCH_DEFAULT);
}

/* Entries of another kernel text, with values that the strategy has not, or that are illegal here, do not count; nor do
 * records of compositions and layouts that there are not, or that do not go together. */
TEST_WITH(test_unfit_entries, step_open, step_close)
{
  fixture *f = *state;
  wanted texts[WHOLE], illegal = {.legal = false};
  entry e[WHOLE];
  make_whole(f, texts, e);
  candidate(f, "lift", "field-in-shared", &illegal);
  const entry unfit[] = {
      {"gather", layout, "pairs", e[GATHER].params, 0.1, "0123456789abcdef", NULL, NULL, NULL},
      {"gather", layout, "pairs", "MB=3 grouping=1 wp=8", 0.2, NULL, NULL, NULL, NULL},
      {"gather", layout, "pairs", "", 0.3, NULL, NULL, NULL, NULL},
      {"gather", layout, "forgotten", "MB=1", 0.4, "0", NULL, NULL, NULL},
      {"gather", "slab-km32", "element-lanes", "", 0.5, NULL, NULL, NULL, NULL},
      {"lift", layout, "field-in-shared", illegal.params, 0.5, NULL, NULL, NULL, NULL},
      {"step", layout, "gather+guess", "", 0.1, NULL, NULL, NULL, NULL},
      {"step", "slab", "gather+fused", "", 0.2, NULL, NULL, NULL, NULL},
      {"step", "slab-km32", composition, "", 0.3, NULL, NULL, NULL, NULL},
  };
  for (int i = 0; i < WHOLE; i++) step_add(f, &e[i]);
  for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) step_add(f, &unfit[i]);
  HELD(wisp_stage_free) wisp_stage stage = step_choose(f);
  check_whole(&stage, e);
}

/* Among step records, one of today's texts goes before a faster one of others. */
TEST_WITH(test_records_of_today, step_open, step_close)
{
  fixture *f = *state;
  char hash[20];
  wanted texts[WHOLE];
  entry e[WHOLE];
  wisp_choose_request r = step_request();
  make_whole(f, texts, e);
  for (int i = 0; i < WHOLE; i++) step_add(f, &e[i]);
  r.composition = "gather+fused", r.layout = "slab-km32";
  HELD(wisp_stage_free) wisp_stage stage = step_choose_for(f, &r);
  assert_int_equal(stage.record.match, WISP_MATCH_DEFAULT);
  wisp_plans_hash(stage.plan, stage.kernels, f->limits->kind, hash);
  wisp_stage_free(&stage);
  step_add(f, &(entry){"step", r.layout, r.composition, "", 3, hash, NULL, NULL, NULL});
  stage = step_choose(f);
  assert_string_equal(stage.composition, "gather+fused");
  assert_string_equal(stage.choice[0].layout, "slab-km32");
  assert_true(stage.record.match == WISP_MATCH_EXACT && !stage.record.stale);
}

/* Entries of another driver and of another chip are taken and named so; the strict mode refuses them. */
TEST_WITH(test_matches, step_open, step_close)
{
  fixture *f = *state;
  wisp_error reason = {0};
  wanted texts[WHOLE];
  entry e[WHOLE];
  make_whole(f, texts, e);
  e[STEP].device = e[GATHER].device = "another chip";
  e[LIFT].driver = "another driver";
  for (int i = 0; i < WHOLE; i++) step_add(f, &e[i]);
  wisp_stage stage = step_choose(f);
  assert_string_equal(stage.composition, composition);
  assert_int_equal(stage.record.match, WISP_MATCH_ARCHITECTURE);
  check(&stage, "gather", "pairs", e[GATHER].params, WISP_MATCH_ARCHITECTURE);
  check(&stage, "lift", "matrix-in-shared", e[LIFT].params, WISP_MATCH_DRIVER);
  wisp_stage_free(&stage);
  assert_int_equal(step_choose_exact(f, &reason), WISP_EMISSING);
  assert_non_null(strstr(reason.text, "nodal.derivative:tet:p2:maxwell:f64"));
}

/* The strict mode is content where every kernel has an entry of this machine. */
TEST_WITH(test_exact, step_open, step_close)
{
  fixture *f = *state;
  wisp_error reason = {0};
  wisp_stage stage = step_choose(f);
  for (int i = 0; i < stage.kernels; i++) {
    const wisp_choice *c = &stage.choice[i];
    step_add(f, &(entry){c->kernel, c->layout, c->strategy, c->params, 1, NULL, NULL, NULL, NULL});
  }
  wisp_stage_free(&stage);
  if (step_choose_exact(f, &reason) != WISP_OK) fail_msg("%s", reason.text);
}

/* Nothing of another architecture is taken. */
TEST_WITH(test_other_device, step_open, step_close)
{
  fixture *f = *state;
  wanted texts[WHOLE];
  entry e[WHOLE];
  make_whole(f, texts, e);
  for (int i = 0; i < WHOLE; i++) {
    e[i].device = "NVIDIA Imaginary", e[i].target = "sm_10";
    step_add(f, &e[i]);
  }
  HELD(wisp_stage_free) wisp_stage stage = step_choose(f);
  check_standard(f, &stage);
}

TEST_WITH(test_requests, step_open, step_close)
{
  fixture *f = *state;
  const struct {
    wisp_choose_request request;
    wisp_status status;
    const char *words;
  } bad[] = {
      {{.spec = {"modal", .system = "maxwell", .order = 2}}, WISP_EUSAGE, "modal"},
      {{.spec = {"nodal", .system = "maxwell", .order = 0}}, WISP_EUSAGE, "use 1 to 15"},
      {{.spec = {"nodal", .system = "maxwell", .order = 16}}, WISP_EUSAGE, "use 1 to 15"},
      {{.spec = {"nodal", .system = "weather", .order = 2}}, WISP_EUSAGE, "weather"},
      {{.spec = {"nodal", .system = "maxwell", .order = 2}, .composition = "lift"}, WISP_EUSAGE, "gather+fused"},
      {{.spec = {"nodal", .system = "maxwell", .order = 2}, .layout = "slab-km0"}, WISP_EUSAGE, "slab-km0"},
      {{.spec = {"nodal", .system = "maxwell", .order = 2}, .layout = "node-km1-pad16", .composition = "gather+fused"},
       WISP_EREFUSED,
       "fused"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error reason = {0};
    wisp_choose_request r = bad[i].request;
    wisp_stage stage;
    r.spec.precision = WISP_F64;
    assert_int_equal(wisp_choose(&reason, &(wisp_chooser){f->strategies, NULL, f->limits, NULL}, &r, &stage),
                     bad[i].status);
    if (!strstr(reason.text, bad[i].words)) fail_msg("'%s' does not say '%s'", reason.text, bad[i].words);
  }
}

/* A gather of four groups a block that is well described but is no C, and the fastest. */
static void add_broken(fixture *f)
{
  fixture_text(
      f->folder, "nodal/gather.broken.space",
      "kernel    gather\ntitle     no C\nlayouts   node\nparam     MB 4 requires 1\nparam     grouping 1 prefers 0\n"
      "block     32\ngrid      blocks\narg       in int pair_block\narg       in real u\narg       out real flux\n");
  fixture_text(f->folder, "nodal/gather.broken.k", "this is not a statement\n");
  setenv("WISP_TEMPLATES", f->folder, 1);
  wisp_strategies_free(f->strategies);
  f->strategies = NULL;
  GOOD(wisp_strategies_load(err, &f->strategies));
  step_add(f, &(entry){"gather", layout, "broken", "MB=4 grouping=1", 0.01, NULL, NULL, NULL, NULL});
}

/* Its place is taken by a default with the same blocks, and the solution is right. */
TEST_WITH(test_broken_winner, step_open, step_close)
{
  fixture *f = *state;
  wisp_error reason = {0};
  solving s;
  wanted texts[WHOLE];
  entry e[WHOLE];
  make_whole(f, texts, e);
  step_add(f, &e[STEP]);
  step_add(f, &e[LIFT]);
  add_broken(f);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(f->path);
  const solving_setup setup = {.order = 2, .store = store};
  assert_true(solving_open(&reason, &s, ragged_box(2, 5), &setup));
  unsetenv("WISP_TEMPLATES");
  assert_string_equal(s.stage.composition, composition);
  check(&s.stage, "gather", "pairs", NULL, WISP_MATCH_DEFAULT);
  assert_true(s.dg->pairs > 0 && strlen(step_choice(&s.stage, "gather")->note) > 0);
  assert_int_equal(wisp_dg_MB(&s.stage.fixed), 4);
  for (int i = 0; i < s.stage.kernels; i++) assert_int_equal(wisp_plan_value(s.stage.plan[i], "MB", 4), 4);
  check(&s.stage, "lift", "matrix-in-shared", e[LIFT].params, WISP_MATCH_EXACT);
  size_t size = wisp_dg_volume_size(s.dg);
  double *u = zeros(size), dt = wisp_dg_safe_dt(s.dg), expected = 0, energy = 0;
  random_solution(s.dg, u);
  GOOD(wisp_arrays_upload(err, s.problem->arrays, "u", u));
  reference_steps(s.dg, &wisp_lsrk45, 1, dt, 3, u);
  GOOD(wisp_stepper_advance(err, s.solver, dt, 3, NULL));
  GOOD(wisp_solution_energy(err, s.problem, &energy));
  GOOD(wisp_dg_energy(err, s.dg, u, &expected));
  assert_true(fabs(energy - expected) < 1e-12 * expected);
  free(u);
  solving_close(&s);
}

GROUP(no_shipped_winners, NULL)
