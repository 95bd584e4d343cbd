/* Claim: `wisp best`, `bench`, `report` and `run` agree on what a solver takes. They take no entry that is stale, that
 * is not legal here; where nothing else is there, best and report show such an entry and say what it is, and bench and
 * run take the default. Another card's entry of this architecture is taken until one of this device is expected to be
 * faster; the report then shows this device's, and says that it is slower. */
#include "test.h"
#include "command.h"
#include "solving.h"
#include "store_fixture.h"
#include "../cache/columns.h"

static const char layout[] = "node-km1-pad16", strategy[] = "matrix-in-shared";

/* A lift's candidates in the layout: the last that is legal, and the last that is not. */
typedef struct candidates {
  const wisp_strategy *strategy;
  char legal[WISP_PARAMS_TEXT], illegal[WISP_PARAMS_TEXT];
} candidates;

static void print_values(const wisp_strategy *s, const int *values, char text[WISP_PARAMS_TEXT])
{
  size_t used = 0;
  for (int i = 0; i < s->params; i++)
    used +=
        (size_t)snprintf(text + used, WISP_PARAMS_TEXT - used, "%s%s=%d", i ? " " : "", s->param[i].name, values[i]);
}

static wisp_status visit_plan(wisp_error *err, void *context, const int *values, wisp_plan *plan, const char *reason)
{
  candidates *c = context;
  if (plan)
    snprintf(c->legal, sizeof c->legal, "%s", plan->params);
  else
    print_values(c->strategy, values, c->illegal);
  wisp_plan_destroy(plan);
  return WISP_OK;
}

static candidates list(const wisp_strategies *all, const wisp_limits *limits, const char *name)
{
  candidates c = {.strategy = wisp_strategies_find(all, "nodal", "lift", name)};
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 2, NULL, WISP_F64);
  const wisp_target target = wisp_limits_target(limits);
  wisp_layout l;
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  wisp_spec_name_kernel(&spec, "lift");
  assert_non_null(c.strategy);
  GOOD(wisp_layout_parse(err, layout, 10, 24, &l));
  GOOD(wisp_names_create(err, &spec, &l, &target, NULL, &names));
  GOOD(wisp_plan_enumerate(err, c.strategy, &spec, &l, names, visit_plan, &c));
  return c;
}

/* An entry of the lift, measured here. */
static wisp_trial entry(const wisp_strategies *all, const wisp_limits *limits, const char *name, const char *params,
                        double ms)
{
  wisp_trial t;
  wisp_trial_blank(&t);
  strcpy(t.spec, "nodal.lift:tet:p2:maxwell:f64");
  strcpy(t.layout, layout), strcpy(t.strategy, name), strcpy(t.params, params);
  strcpy(t.device, limits->name), strcpy(t.target, limits->target);
  strcpy(t.driver, limits->driver), strcpy(t.compiler, limits->compiler);
  wisp_strategy_hash(wisp_strategies_find(all, "nodal", "lift", name), "maxwell", limits->kind, t.template_hash);
  strcpy(t.version, WISP_VERSION), strcpy(t.mode, "made up"), strcpy(t.when, "2026-11-21T08:00:00Z");
  wisp_trial_end(&t, WISP_TRIAL_OK, "%s", "");
  t.units = limits->units, t.elements = 1000, t.ms = ms;
  return t;
}

static void add(const char *folder, const wisp_trial *t)
{
  fixture_put(fixture_path(folder, "user.db"), t, 1);
}

/* A command's line on the lift. */
typedef struct answer {
  char strategy[64], match[32], params[WISP_PARAMS_TEXT];
} answer;

/* Parameters are an object, or "name=value ...". */
static void print_params(const cJSON *params, char text[WISP_PARAMS_TEXT])
{
  const cJSON *one = NULL;
  size_t used = 0;
  if (cJSON_IsString(params)) snprintf(text, WISP_PARAMS_TEXT, "%s", cJSON_GetStringValue(params));
  if (!cJSON_IsObject(params)) return;
  cJSON_ArrayForEach(one, params) used += (size_t)snprintf(text + used, WISP_PARAMS_TEXT - used, "%s%s=%g",
                                                           used ? " " : "", one->string, cJSON_GetNumberValue(one));
}

static answer ask(const char *folder, const char *format, ...)
{
  answer s = {.params = ""};
  char line[256];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  OWNED(cJSON_Delete) cJSON *json = run_json(folder, "WISP_SHIPPED=none", line);
  const cJSON *row = NULL, *rows = cJSON_IsArray(json) ? json : cJSON_GetObjectItem(json, "kernels");
  cJSON_ArrayForEach(row, rows)
  {
    if (strcmp(json_text(row, "kernel"), "lift") != 0) continue;
    snprintf(s.strategy, sizeof s.strategy, "%s", json_text(row, "strategy"));
    snprintf(s.match, sizeof s.match, "%s", json_text(row, "match"));
    print_params(cJSON_GetObjectItem(row, "params"), s.params);
  }
  if (!*s.strategy) fail_msg("%s says nothing of the lift", line);
  return s;
}

static void expect(const char *who, const answer *s, const char *match, const wisp_trial *t)
{
  if (strcmp(s->match, match) != 0) fail_msg("%s: %s is %s, not %s", who, s->strategy, s->match, match);
  if (t && (strcmp(s->strategy, t->strategy) != 0 || strcmp(s->params, t->params) != 0))
    fail_msg("%s: %s %s, not %s %s", who, s->strategy, s->params, t->strategy, t->params);
}

/* shown: what best and report show, and as what; taken: what bench and run take, NULL: the default, and best shows
 * where there is one. */
static void agree(const char *folder, const wisp_trial *shown, const char *remark, const wisp_trial *taken)
{
  char row[512];
  const char *device = test_device_name();
  const char *match = !taken ? "default" : strncmp(taken->device, "Imaginary", 9) == 0 ? "same architecture" : "exact";
  answer s = ask(folder, "best -d %s -f nodal --json", device);
  expect("best", &s, taken ? match : remark, taken ? taken : shown);
  s = ask(folder, "bench -d %s -n 2 -p f64 -k lift --elements 1000 --json", device);
  expect("bench", &s, match, taken);
  s = ask(folder, "run maxwell -d %s -n 2 --box 2 --steps 1 -l %s --composition volume+gather+lift+update --json",
          device, layout);
  expect("run", &s, match, taken);
  run_expect(folder, "WISP_SHIPPED=none", 0, "", "report -d %s -o %s/report", device, folder);
  size_t length = 0;
  OWNED(free) char *page = fixture_read(fixture_path(folder, "report/index.html"), &length);
  snprintf(row, sizeof row, "<td class=\"k\">lift</td><td class=\"s\"><span class=\"z\">%s</span>%s%s</td>",
           shown->strategy, *remark ? ", " : "", remark);
  const char *at = strstr(page, row), *end = at ? strstr(at, "</tr>") : NULL;
  snprintf(row, sizeof row, "<td class=\"n\">%.4g</td>", shown->ms);
  const char *ms = at ? strstr(at, row) : NULL;
  if (!ms || ms > end) fail_msg("the report has no row of %s, %s, %g ms", shown->strategy, remark, shown->ms);
}

TEST_IN_FOLDER(test_agreement)
{
  const char *folder = *state;
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_device *device = NULL;
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_device_open(err, test_device_name(), &device));
  const wisp_limits limits = *wisp_device_limits(device);
  wisp_device_close(device);
  const candidates good = list(all, &limits, strategy), bad = list(all, &limits, "field-in-shared");
  assert_true(*good.legal && *bad.legal && *bad.illegal);
  wisp_trial t = entry(all, &limits, "field-in-shared", bad.legal, 0.2345);
  strcpy(t.template_hash, "0123456789abcdef");
  add(folder, &t);
  agree(folder, &t, "stale", NULL);
  wisp_trial refused = entry(all, &limits, "field-in-shared", bad.illegal, 0.1234);
  add(folder, &refused);
  agree(folder, &refused, "refused", NULL);
  t = entry(all, &limits, strategy, good.legal, 0.05);
  strcpy(t.device, "Imaginary 1"), strcpy(t.target, "sm_10");
  add(folder, &t);
  const wisp_trial winner = entry(all, &limits, strategy, good.legal, 1.234);
  add(folder, &winner);
  t = entry(all, &limits, "field-in-shared", bad.legal, 0.04);
  agree(folder, &winner, "", &winner);
  wisp_trial_end(&refused, WISP_TRIAL_REFUSED, "made up");
  add(folder, &refused);
  strcpy(t.device, "Imaginary 2"), strcpy(t.target, limits.target);
  add(folder, &t);
  agree(folder, &winner, "slower", &t);
  wisp_trial common = winner;
  strcpy(common.device, "Imaginary 2");
  common.ms = 0.041; /* so that 0.04 there are 1.2 here */
  add(folder, &common);
  agree(folder, &winner, "slower", &t);
  common.ms = 0.039; /* and this one is the best there */
  add(folder, &common);
  agree(folder, &winner, "", &winner);
}
