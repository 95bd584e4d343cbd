/* Claim: wisp verify, and wisp run --verify, find a wrong winner of a user's store on the run's own mesh, in each
 * family, and name it: a scalar that is clamped to what its checks draw, elements or edges left out beyond a size, a
 * branch that only a first iteration takes. Right kernels pass, and the run after that is the run without it. A run
 * that fails says which kernel is wrong, and a true residual stops one that its own residual does not. */
#include "test.h"
#include "command.h"
#include "edited.h"
#include "store_fixture.h"
#include "../runtime/solve/choose.h"
#include "../cache/columns.h"
#include "../cache/store.h"

typedef struct planted {
  const char *family, *element, *kernel, *base; /* base: the default's strategy */
  int order;
  const char *composition; /* whose kernel it is; NULL: the family's */
  edit edits[2];
  const char *run; /* without the order */
} planted;

#define CLAMPED(name, condition, value)                                                                \
  {                                                                                                    \
    "^", "const real clamped_" #name " = " condition " ? (real)" value " : " #name ";\n#define " #name \
         " clamped_" #name "\n"                                                                        \
  }

static const planted table[] = {
    {"nodal",
     NULL,
     "update",
     "thread",
     3,
     "volume+gather+lift+update",
     {CLAMPED(a, "a < (real)-1", "-1")},
     "maxwell --box 3 --steps 3 --composition volume+gather+lift+update"},
    {"tensor",
     NULL,
     "update",
     "stream",
     3,
     "update+spread+collocated+gather+advance",
     {{"before > 0 ?", "1 ?"}},
     "poisson --box 3 --geometry stored"},
    {"assembly",
     "tri",
     "multiply",
     "rows",
     3,
     "invert+multiply+tensor.advance+tensor.update",
     {{"row < unknowns", "row < unknowns && row < 900"}},
     "heat"},
    {"hdg",
     NULL,
     "recover",
     "thread",
     2,
     "recover+postprocess",
     {{"e < elements", "e < elements && e < 400"}},
     "helmholtz --box 24"},
};

/* Faults that a run comes to by itself, with what it says. */
static const struct failing {
  planted plant;
  const char *says;
} failing[] = {
    {{"nodal",
      NULL,
      "update",
      "thread",
      2,
      "volume+gather+lift+update",
      {CLAMPED(b, "b < (real)0.9", "9")},
      "maxwell --box 2 --dt 0.01 --composition volume+gather+lift+update"},
     "blew up"},
    {{"hdg",
      NULL,
      "precondition",
      "edges",
      3,
      "invert+apply+precondition+tensor.update",
      {{"alpha * Ap[edge * {{n}} + {{i}}]",
        "alpha * Ap[edge * {{n}} + {{i}}], own[{{i}}] = edge < 600 ? own[{{i}}] : 0"}},
      "helmholtz --box 24 --preconditioner edge-blocks --matrix blocks"},
     "the true residual"},
};

/* Puts into the user's store that the plant takes next to no time. */
static void store_winner(const char *folder, const planted *p, const char *name, int rules)
{
  wisp_strategies *strategies = NULL;
  wisp_device *device = NULL;
  wisp_writer *writer = NULL;
  wisp_plan *plan = NULL;
  wisp_stage stage = {.kernels = 0};
  wisp_trial t;
  wisp_choose_request request = {.spec = wisp_family_spec(wisp_family_find(p->family), p->order, NULL, WISP_F64),
                                 .elements = 1000,
                                 .composition = p->composition};
  int i = 0;
  if (p->element) wisp_spec_name_element(&request.spec, p->element);
  GOOD(wisp_strategies_load(err, &strategies));
  GOOD(wisp_device_open(err, "host", &device));
  const wisp_limits *limits = wisp_device_limits(device);
  GOOD(wisp_choose(err, &(wisp_chooser){strategies, NULL, limits, NULL}, &request, &stage));
  while (i < stage.kernels - 1 && strcmp(stage.choice[i].kernel, p->kernel) != 0) i++;
  assert_string_equal(stage.choice[i].strategy, p->base);
  const wisp_strategy *s = wisp_strategies_find(strategies, p->family, p->kernel, name);
  GOOD(wisp_plan_from_text(err, s, &stage.plan[i]->spec, &stage.plan[i]->layout, stage.names, stage.choice[i].params,
                           &plan));
  wisp_trial_blank(&t);
  t.units = limits->units, t.elements = 1000, t.ms = 1e-6, t.rules = rules;
  wisp_spec_print(&plan->spec, t.spec);
  wisp_layout_print(&plan->layout, t.layout);
  strcpy(t.strategy, name), strcpy(t.params, plan->params);
  strcpy(t.device, limits->name), strcpy(t.target, limits->target);
  strcpy(t.driver, limits->driver), strcpy(t.compiler, limits->compiler);
  wisp_plan_hash(plan, limits->kind, t.template_hash);
  strcpy(t.version, WISP_VERSION), strcpy(t.mode, "made up"), strcpy(t.outcome, "ok");
  strcpy(t.when, "2026-11-21T08:00:00Z");
  GOOD(wisp_writer_open(err, fixture_path(folder, "user.db"), NULL, &writer));
  GOOD(wisp_writer_add(err, writer, &t));
  GOOD(wisp_writer_close(err, writer));
  wisp_plan_destroy(plan);
  wisp_stage_free(&stage);
  wisp_device_close(device);
  wisp_strategies_free(strategies);
}

static outcome call(const char *folder, const char *verb, const planted *p, const char *more)
{
  char line[512], before[256];
  snprintf(before, sizeof before, "WISP_TEMPLATES=%s", folder);
  snprintf(line, sizeof line, "%s %s -n %d -d host %s", verb, p->run, p->order, more);
  return run_in(folder, before, line);
}

static void expect_found(const char *folder, const planted *p, const char *name)
{
  char kernel[64];
  snprintf(kernel, sizeof kernel, "kernel %s (%s", p->kernel, name);
  outcome o = call(folder, "verify", p, "");
  if (o.status != 1 || !strstr(o.err, kernel) || !strstr(o.out, "WRONG")) fail_msg("%s: %s%s", p->run, o.out, o.err);
  forget(&o);
  o = call(folder, "run", p, "--verify");
  if (o.status != 1 || !strstr(o.err, kernel)) fail_msg("%s: %s%s", p->run, o.out, o.err);
  forget(&o);
}

/* All kernels that a run of the defaults launches are right, the run is the same, and takes a few seconds more. */
static void expect_right(const char *folder, const planted *p)
{
  char line[512];
  snprintf(line, sizeof line, "run %s -n %d -d host --default --json", p->run, p->order);
  cJSON *plain = run_json(folder, "", line);
  snprintf(line, sizeof line, "run %s -n %d -d host --default --json --verify", p->run, p->order);
  cJSON *verified = run_json(folder, "", line);
  const char *error = strstr(p->run, "helmholtz") ? "l2_u" : "l2_error";
  assert_true(json_number(verified, "seconds_verify") < 60);
  assert_true(json_number(plain, error) == json_number(verified, error));
  cJSON_Delete(plain), cJSON_Delete(verified);
}

TEST_IN_FOLDER(test_plants)
{
  const char *folder = *state;
  char name[32];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    snprintf(name, sizeof name, "plant-%zu", i);
    plant_edited(folder, table[i].family, table[i].kernel, table[i].base, name, table[i].edits, 2);
  }
  setenv("WISP_TEMPLATES", folder, 1);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    snprintf(name, sizeof name, "plant-%zu", i);
    store_winner(folder, &table[i], name, WISP_VERIFYING_RULES);
    expect_found(folder, &table[i], name);
  }
  unsetenv("WISP_TEMPLATES");
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) expect_right(folder, &table[i]);
}

TEST_IN_FOLDER(test_failing_runs)
{
  const char *folder = *state;
  char name[32], kernel[64];
  for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
    const planted *p = &failing[i].plant;
    snprintf(name, sizeof name, "fault-%zu", i);
    plant_edited(folder, p->family, p->kernel, p->base, name, p->edits, 2);
  }
  setenv("WISP_TEMPLATES", folder, 1);
  for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
    const planted *p = &failing[i].plant;
    snprintf(name, sizeof name, "fault-%zu", i);
    store_winner(folder, p, name, WISP_VERIFYING_RULES);
    snprintf(kernel, sizeof kernel, "kernel %s (%s", p->kernel, name);
    outcome o = call(folder, "run", p, "");
    if (o.status != 1 || !strstr(o.err, failing[i].says) || !strstr(o.err, kernel)) fail_msg("%s%s", o.out, o.err);
    assert_null(strchr(strstr(o.err, failing[i].says), '\n')[1] ? "another line" : NULL);
    forget(&o);
  }
  unsetenv("WISP_TEMPLATES");
}

/* Other paths of the solvers, in either precision: thin elements, slices, halves, coarse levels, given values. */
TEST_IN_FOLDER(test_right)
{
  static const char *const runs[] = {"maxwell -n 2 --box 2 -p f32 --composition gather+fused",
                                     "acoustics -n 1 --box 2 --rho 1+x --kappa 2-y --boundary soft --alpha 0",
                                     "maxwell -n 2 --box 2 --basis bernstein",
                                     "poisson -n 2 --box 2,2,16 -p f32 --geometry trilinear --preconditioner chebyshev",
                                     "poisson -n 1 --box 3 --problem bp1 --preconditioner none",
                                     "heat -n 2 --box 4 --matrix sliced-ell -p f32",
                                     "heat -n 1 --element tet --box 3 --kappa '1+exp(-u)' --fix 1=2,2=1 --source 3",
                                     "helmholtz -n 3 --box 6,2 -p f32 --preconditioner edge-blocks --matrix halves",
                                     "helmholtz -n 2 --box 6 -p f32 --preconditioner two-levels",
                                     "helmholtz -n 1 --box 4 --preconditioner diagonal --matrix unstored --kappa 1e-6"};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char line[512];
    snprintf(line, sizeof line, "verify %s -d host --default", runs[i]);
    outcome o = run_in(*state, "", line);
    if (o.status || strstr(o.out, "WRONG") || strstr(o.out, "not compared"))
      fail_msg("%s: %s%s", runs[i], o.out, o.err);
    forget(&o);
  }
}

/* A user's winner of earlier rules is verified at its first use: a wrong one is stored as such and not taken, a right
 * one is not looked at again. */
TEST_IN_FOLDER(test_first_use)
{
  const char *folder = *state;
  const planted *p = &table[0];
  plant_edited(folder, p->family, p->kernel, p->base, "old-wrong", p->edits, 2);
  plant_edited(folder, p->family, p->kernel, p->base, "old-right", p->edits, 0);
  setenv("WISP_TEMPLATES", folder, 1);
  store_winner(folder, p, "old-wrong", -1);
  outcome o = call(folder, "run", p, "");
  if (o.status || !strstr(o.err, "is wrong on this mesh") || strstr(o.out, "old-wrong")) fail_msg("%s%s", o.out, o.err);
  forget(&o);
  o = call(folder, "run", p, "");
  if (o.status || *o.err || strstr(o.out, "old-wrong")) fail_msg("%s%s", o.out, o.err);
  forget(&o);
  store_winner(folder, p, "old-right", -1);
  o = call(folder, "run", p, "");
  if (o.status || !strstr(o.err, "1 winners of the user's store") || !strstr(o.out, "old-right"))
    fail_msg("%s%s", o.out, o.err);
  forget(&o);
  o = call(folder, "run", p, "");
  if (o.status || *o.err || !strstr(o.out, "old-right")) fail_msg("%s%s", o.out, o.err);
  forget(&o);
  unsetenv("WISP_TEMPLATES");
}

/* Timings of a kernel of another stage than the one that runs are named, with the command that lets them count. */
TEST_IN_FOLDER(test_unused)
{
  static const planted p = {"nodal", NULL,           "stage_nested", "literal",
                            2,       "stage_nested", {{NULL, NULL}}, "maxwell --box 2 --steps 1"};
  const char *folder = *state;
  store_winner(folder, &p, p.base, WISP_VERIFYING_RULES);
  outcome o = call(folder, "run", &p, "");
  if (o.status || !strstr(o.out, "stored timings of stage_nested are not used") ||
      !strstr(o.out, " -n 2 -p f64 -k step"))
    fail_msg("%s%s", o.out, o.err);
  forget(&o);
  o = call(folder, "run", &p, "--composition stage_nested");
  if (o.status || strstr(o.out, "not used")) fail_msg("%s%s", o.out, o.err);
  forget(&o);
}
