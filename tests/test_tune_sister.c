/* Claim: where another card of this architecture was tuned, a budget begins with the kernels of its best stage, as they
 * won there, and goes to no kernel that is only of stages which could not be the fastest; and afterwards a solver takes
 * no slower stage than before. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../runtime/solve/choose.h"
#include "../tuner/sweep/sweep.h"
#include "tuning.h"

#include <sys/wait.h>

static const char best[] = "gather+fused";
static const long long elements = 384;

/* The last legal candidate of a strategy: no default. */
typedef struct last {
  char params[WISP_PARAMS_TEXT];
} last;

static wisp_status visit_plan(wisp_error *err, void *context, const int *values, wisp_plan *plan, const char *reason)
{
  last *l = context;
  if (plan) snprintf(l->params, sizeof l->params, "%s", plan->params);
  wisp_plan_destroy(plan);
  return WISP_OK;
}

static void put(wisp_writer *writer, const wisp_limits *limits, const wisp_spec *spec, const char *layout,
                const char *strategy, const char *params, const char *hash, double ms)
{
  wisp_trial t;
  wisp_trial_blank(&t);
  wisp_spec_print(spec, t.spec);
  snprintf(t.layout, sizeof t.layout, "%s", layout);
  snprintf(t.strategy, sizeof t.strategy, "%s", strategy);
  snprintf(t.params, sizeof t.params, "%s", params);
  strcpy(t.device, "Imaginary 2");
  snprintf(t.target, sizeof t.target, "%s", limits->target);
  snprintf(t.driver, sizeof t.driver, "%s", limits->driver);
  snprintf(t.compiler, sizeof t.compiler, "%s", limits->compiler);
  snprintf(t.template_hash, sizeof t.template_hash, "%s", hash);
  strcpy(t.version, WISP_VERSION), strcpy(t.mode, "made up"), strcpy(t.when, "2026-11-21T08:00:00Z");
  strcpy(t.mesh, WISP_MESH_ORDERED);
  wisp_trial_end(&t, WISP_TRIAL_OK, "%s", "");
  t.units = limits->units, t.elements = elements, t.ms = ms;
  GOOD(wisp_writer_add(err, writer, &t));
}

/* The kernels of a composition in a layout on the other card, 1 ms each; of the best one 0.1, with other values than
 * the defaults; and a record of the whole. */
static void put_stage(wisp_writer *writer, const wisp_strategies *all, const wisp_limits *limits,
                      const char *composition, const char *layout)
{
  const bool wins = strcmp(composition, best) == 0;
  wisp_stage stage;
  char hash[20];
  wisp_spec step = wisp_family_spec(wisp_family_find("nodal"), 1, "maxwell", WISP_F64);
  const wisp_choose_request request = {.spec = step, .composition = composition, .layout = layout};
  GOOD(wisp_choose_if_any(err, &(wisp_chooser){all, NULL, limits, NULL}, &request, &stage));
  for (int i = 0; i < stage.kernels; i++) {
    const wisp_plan *plan = stage.plan[i];
    last l = {""};
    if (wins)
      GOOD(wisp_plan_enumerate(err, plan->strategy, &plan->spec, &plan->layout, stage.names, visit_plan, &l));
    else
      strcpy(l.params, plan->params);
    wisp_plan_hash(plan, limits->kind, hash);
    put(writer, limits, &plan->spec, layout, plan->strategy->name, l.params, hash, wins ? 0.1 : 1);
  }
  wisp_spec_name_kernel(&step, WISP_COMPOSITION);
  if (stage.kernels) {
    wisp_plans_hash(stage.plan, stage.kernels, limits->kind, hash);
    put(writer, limits, &step, layout, composition, "", hash, wins ? 0.2 : stage.kernels);
  }
  wisp_stage_free(&stage);
}

/* All compositions in all layouts where they run. */
static void put_stages(wisp_writer *writer, const wisp_strategies *all, const wisp_limits *limits)
{
  const wisp_family *nodal = wisp_family_find("nodal");
  const wisp_spec spec = wisp_family_spec(nodal, 1, "maxwell", WISP_F64);
  wisp_layout layout[8];
  char text[WISP_LAYOUT_TEXT];
  const int layouts = wisp_family_layouts(&spec, layout);
  for (const char *const *c = nodal->compositions; *c; c++)
    for (int l = 0; l < layouts; l++) {
      wisp_layout_print(&layout[l], text);
      put_stage(writer, all, limits, *c, text);
    }
}

static void prepare(const char *path)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_writer *writer = NULL;
  OWNED(wisp_device_close) wisp_device *device = NULL;
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_device_open(err, test_device_name(), &device));
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  put_stages(writer, all, wisp_device_limits(device));
  GOOD(wisp_writer_close(err, writer));
}

/* In a process of its own: CUDA does not begin in workers of one in which it has. */
static void prepare_apart(const char *path)
{
  int how = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    prepare(path);
    _exit(0);
  }
  assert_true(pid > 0 && waitpid(pid, &how, 0) == pid && WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

/* The trials in their order. */
typedef struct seen {
  int count;
  struct {
    char spec[112], params[200];
    bool is_default;
  } trial[512];
} seen;

static void on_progress(void *context, const wisp_tune_progress *progress)
{
  seen *s = context;
  if (s->count == 512) return;
  snprintf(s->trial[s->count].spec, sizeof s->trial->spec, "%s", progress->spec);
  snprintf(s->trial[s->count].params, sizeof s->trial->params, "%s", progress->last->params);
  s->trial[s->count++].is_default = progress->last->is_default == 1;
}

static bool is_of(const char *spec, const char *kernel)
{
  char head[64];
  snprintf(head, sizeof head, "nodal.%s:", kernel);
  return strncmp(spec, head, strlen(head)) == 0;
}

TEST_IN_FOLDER(test_budget)
{
  static const char *const first[] = {"gather", "fused"};
  prepare_apart(fixture_path(*state, "site.db"));
  OWNED(free) seen *s = calloc(1, sizeof *s);
  assert_non_null(s);
  setenv("WISP_SITE_DB", fixture_path(*state, "site.db"), 1);
  wisp_tune_request r = tune_request("nodal", NULL, fixture_path(*state, "user.db"));
  r.elements = elements, r.budget_seconds = 60, r.enough = 1e-9, r.at_least = 2; /* a few candidates */
  r.progress = on_progress, r.context = s;
  run_tune(&r);
  assert_true(s->count > 3);
  for (int i = 0; i < 2; i++)
    if (!is_of(s->trial[i].spec, first[i]) || s->trial[i].is_default)
      fail_msg("trial %d is of %s, %s", i, s->trial[i].spec, s->trial[i].params);
  for (int i = 0; i < s->count; i++)
    if (!is_of(s->trial[i].spec, "gather") && !is_of(s->trial[i].spec, "fused") && !is_of(s->trial[i].spec, "step"))
      fail_msg("%s could not be of the fastest stage", s->trial[i].spec);
  unsetenv("WISP_SITE_DB");
}

GROUP(no_shipped_winners, NULL)
