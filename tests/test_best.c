/* Claim: wisp best shows what a solver would take. What was measured before its kernel's text changed gives way to what
 * was measured since, however fast it was; where there is nothing else it is shown, and called stale in every
 * format. It compares with what runs without a store, as the report does, and with nothing else. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../runtime/solve/choose.h"

/* The device that entries are measured on. */
typedef struct home {
  const char *family, *system, *element;
} home;

static const home tets = {"nodal", "maxwell", "tet"}, triangles = {"hdg", "helmholtz", "tri"};

/* An entry of a card that there is not. */
typedef struct entry {
  const char *kernel, *strategy;
  double ms;
  const char *hash;   /* NULL: today's */
  const char *layout; /* NULL: slabs */
} entry;

static void hash_of(const wisp_strategies *all, const home *of, const char *kernel, const char *strategy, char hash[20])
{
  const wisp_strategy *s = wisp_strategies_find(all, of->family, kernel, strategy);
  strcpy(hash, "0");
  if (s) wisp_strategy_hash(s, of->system, "cuda", hash);
}

/* A strategy's preferred parameters in a layout on the card; "" if it has none there. */
static void params_of(const wisp_strategies *all, const home *of, const char *kernel, const char *strategy,
                      const char *layout, char text[200])
{
  wisp_error err = {0};
  wisp_limits limits;
  wisp_layout l;
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  const wisp_family *family = wisp_family_find(of->family);
  const wisp_strategy *s = wisp_strategies_find(all, of->family, kernel, strategy);
  wisp_spec spec = wisp_family_spec(family, 2, NULL, WISP_F64);
  *text = '\0';
  if (!s) return;
  wisp_spec_name_kernel(&spec, kernel);
  assert_int_equal(wisp_target_limits(&err, "sm_90", &limits), WISP_OK);
  const wisp_target target = wisp_limits_target(&limits);
  assert_int_equal(wisp_layout_parse(&err, layout, 10, 24, &l), WISP_OK);
  assert_int_equal(wisp_names_create(&err, &spec, &l, &target, NULL, &names), WISP_OK);
  if (wisp_plan_default(&err, s, &spec, &l, names, &plan) == WISP_OK) strcpy(text, plan->params);
}

/* The hash of a step of two kernels. */
static void step_hash(const wisp_strategies *all, const home *of, const entry pair[2], char text[20])
{
  uint64_t hash = WISP_HASH_SEED;
  for (int i = 0; i < 2; i++) {
    hash_of(all, of, pair[i].kernel, pair[i].strategy, text);
    hash = wisp_composition_hash(hash, text);
  }
  snprintf(text, 20, "%016llx", (unsigned long long)hash);
}

static void add_to(const char *folder, const wisp_strategies *all, const home *of, const entry *e)
{
  wisp_trial t = fixture_trial(1);
  snprintf(t.spec, sizeof t.spec, "%s.%s:%s:p2:%s:f64", of->family, e->kernel, of->element, of->system);
  snprintf(t.strategy, sizeof t.strategy, "%s", e->strategy);
  hash_of(all, of, e->kernel, e->strategy, t.template_hash);
  if (e->hash) snprintf(t.template_hash, sizeof t.template_hash, "%s", e->hash);
  strcpy(t.layout, e->layout ? e->layout : "slab-km32");
  params_of(all, of, e->kernel, e->strategy, t.layout, t.params);
  strcpy(t.device, "Imaginary 1");
  t.ms = e->ms;
  fixture_put(fixture_path(folder, "user.db"), &t, 1);
}

static void add(const char *folder, const wisp_strategies *all, const entry *e)
{
  add_to(folder, all, &tets, e);
}

/* Does a row of best's JSON say this of a kernel? */
static void expect(const char *folder, const char *kernel, const char *strategy, const char *match)
{
  OWNED(cJSON_Delete) cJSON *json = run_json(folder, "", "best -d Imaginary --json");
  const cJSON *row = NULL;
  const char *shown[2] = {"nothing", "nothing"};
  cJSON_ArrayForEach(row, json)
  {
    if (strcmp(json_text(row, "kernel"), kernel) != 0) continue;
    shown[0] = json_text(row, "strategy"), shown[1] = json_text(row, "match");
  }
  if (strcmp(shown[0], strategy) != 0 || strcmp(shown[1], match) != 0)
    fail_msg("%s is %s, %s; not %s, %s", kernel, shown[0], shown[1], strategy, match);
}

TEST_IN_FOLDER(test_kernels)
{
  const char *folder = *state;
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  add(folder, all, &(entry){"gather", "direct", 1, "0123456789abcdef", NULL});
  expect(folder, "gather", "direct", "stale");
  HELD(forget) outcome o = run_in(folder, "", "best -d Imaginary --kernels");
  assert_non_null(strstr(o.out, "stale\n"));
  assert_non_null(strstr(o.out, "1 of these are stale"));
  forget(&o);
  o = run_in(folder, "", "best -d Imaginary --format csv");
  assert_non_null(strstr(o.out, ",stale,user,"));
  assert_non_null(strstr(o.out, ",element\n"));
  assert_non_null(strstr(o.out, ",tet\n"));
  forget(&o);
  add(folder, all, &(entry){"gather", "forgotten", 0.5, "0123456789abcdef", NULL});
  expect(folder, "gather", "forgotten", "stale");
  add(folder, all, &(entry){"gather", "pairs", 9, NULL, "node-km1-pad16"});
  expect(folder, "gather", "pairs", "exact");
  o = run_in(folder, "", "best -d Imaginary --kernels");
  assert_null(strstr(o.out, "stale"));
}

/* A step is as old as the oldest of its kernels' texts, and its composition counts as long as that is today's, or its
 * kernels' winners are faster than what is. */
TEST_IN_FOLDER(test_steps)
{
  char hash[20];
  const char *folder = *state;
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  add(folder, all, &(entry){"step", "gather+fused", 5, "0123456789abcdef", NULL});
  expect(folder, "step", "gather+fused", "stale");
  step_hash(
      all, &tets,
      (const entry[]){{.kernel = "gather", .strategy = "element-lanes"}, {.kernel = "fused", .strategy = "literal"}},
      hash);
  add(folder, all, &(entry){"step", "gather+fused", 3, hash, NULL});
  HELD(forget) outcome o = run_in(folder, "", "best -d Imaginary");
  expect(folder, "step", "gather+fused", "older"); /* it was timed with other kernels than the defaults */
  assert_non_null(strstr(o.out, "wisp tune -k step"));
  add(folder, all, &(entry){"gather", "element-lanes", 1, NULL, NULL});
  add(folder, all, &(entry){"fused", "literal", 1, NULL, NULL});
  expect(folder, "step", "gather+fused", "exact");
  add(folder, all, &(entry){"step", "volume+gather+lift+update", 1, "0123456789abcdef", NULL});
  expect(folder, "step", "gather+fused", "exact");
  add(folder, all, &(entry){"step", "stage", 2, "0123456789abcdef", NULL}); /* its kernel has another winner since */
  expect(folder, "step", "gather+fused", "exact");
  add(folder, all, &(entry){"stage", "literal", 2.5, NULL, NULL});
  expect(folder, "step", "stage", "exact");                        /* which is the whole stage */
  add(folder, all, &(entry){"stage", "literal", 3.5, NULL, NULL}); /* measured again: slower than all of gather+fused */
  expect(folder, "step", "gather+fused", "exact");
}

/* Beside the kernels of a step stand those that no step has, a solver's; those of slower steps do not. */
TEST_IN_FOLDER(test_beside_steps)
{
  char hash[20];
  const char *folder = *state;
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  const entry two[] = {{"condense", "by-edge", 1, NULL, "none"}, {"assemble", "edges", 1, NULL, "none"}};
  GOOD(wisp_strategies_load(err, &all));
  for (int i = 0; i < 2; i++) add_to(folder, all, &triangles, &two[i]);
  add_to(folder, all, &triangles, &(entry){"build", "edges", 4, NULL, "none"});
  add_to(folder, all, &triangles, &(entry){"apply", "rows", 1, NULL, "none"});
  expect(folder, "build", "edges", "exact"); /* no step was measured */
  step_hash(all, &triangles, two, hash);
  add_to(folder, all, &triangles, &(entry){"step", "condense+assemble", 2, hash, "none"});
  expect(folder, "step", "condense+assemble", "exact");
  expect(folder, "assemble", "edges", "exact");
  expect(folder, "apply", "rows", "exact");
  expect(folder, "build", "nothing", "nothing");
}

/* Without a word about the device it is the one that is here; another's winners are shown where they are asked for. */
TEST_IN_FOLDER(test_devices)
{
  static const char *const all[] = {"best --all", "best -d all", "best -d Imaginary"};
  const char *folder = *state;
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  GOOD(wisp_strategies_load(err, &strategies));
  add(folder, strategies, &(entry){"gather", "element-lanes", 1, NULL, NULL});
  HELD(forget) outcome o = run_in(folder, "", "best");
  assert_int_equal(o.status, 1);
  assert_null(strstr(o.out, "Imaginary"));
  if (!strstr(o.err, "-d all")) fail_msg("%s", o.err);
  for (size_t i = 0; i < WISP_COUNT(all); i++) run_expect(folder, "", 0, "Imaginary 1", "%s", all[i]);
  run_expect(folder, "", 2, "", "best --all -d Imaginary");
}

/* The line of wisp best about the one kernel's default. */
static double default_ms(const char *folder)
{
  OWNED(cJSON_Delete) cJSON *json = run_json(folder, "", "best -d Imaginary --json");
  const cJSON *ms = cJSON_GetObjectItem(cJSON_GetArrayItem(json, 0), "default_ms");
  return cJSON_IsNumber(ms) ? ms->valuedouble : 0;
}

/* A winner that is its strategy's own default, in its own layout, gains all that it gains over what runs without it. */
TEST_IN_FOLDER(test_default)
{
  const char *folder = *state;
  wisp_error err = {0};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_limits limits;
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_spec spec = {.family = "nodal", .kernel = "volume", .element = "tet", .system = "maxwell", .order = 2};
  wisp_trial winner = fixture_trial(1), other;
  spec.precision = WISP_F64;
  assert_int_equal(wisp_strategies_load(&err, &all), WISP_OK);
  assert_int_equal(wisp_target_limits(&err, "sm_90", &limits), WISP_OK);
  assert_int_equal(
      wisp_choose(&err, &(wisp_chooser){all, NULL, &limits, NULL}, &(wisp_choose_request){.spec = spec}, &stage),
      WISP_OK);
  assert_int_equal(stage.kernels, 1);
  assert_string_not_equal(stage.choice[0].strategy, "literal");
  strcpy(winner.spec, "nodal.volume:tet:p2:maxwell:f64");
  strcpy(winner.device, "Imaginary 1");
  strcpy(winner.strategy, "literal");
  strcpy(winner.layout, "slab-km32");
  hash_of(all, &tets, "volume", "literal", winner.template_hash);
  params_of(all, &tets, "volume", "literal", winner.layout, winner.params);
  winner.is_default = 1;
  winner.ms = 2;
  fixture_put(fixture_path(folder, "user.db"), &winner, 1);
  assert_true(default_ms(folder) == 0); /* not known, and not the winner itself */
  other = winner;
  strcpy(other.strategy, stage.choice[0].strategy);
  strcpy(other.layout, stage.choice[0].layout);
  strcpy(other.params, stage.choice[0].params);
  other.ms = 14;
  strcpy(other.template_hash, "0123456789abcdef"); /* of an older text */
  fixture_put(fixture_path(folder, "user.db"), &other, 1);
  assert_true(default_ms(folder) == 0);
  hash_of(all, &tets, "volume", other.strategy, other.template_hash);
  fixture_put(fixture_path(folder, "user.db"), &other, 1);
  assert_true(default_ms(folder) == 14);
  size_t length = 0;
  run_expect(folder, "", 0, "", "report -d Imaginary -o %s/report", folder);
  OWNED(free) char *page = fixture_read(fixture_path(folder, "report/index.html"), &length);
  if (!strstr(page, "<b>7.00&#8201;×</b>")) fail_msg("%.3000s", strstr(page, "tiles"));
}

static int lines_of(const char *text)
{
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

/* Without options it is one line an order and precision of one subject, and names the others; with --kernels each
 * kernel, with its registers and resident threads. */
TEST_IN_FOLDER(test_lengths)
{
  HELD(forget) outcome o = run_in(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200'");
  assert_int_equal(o.status, 0);
  if (lines_of(o.out) > 26) fail_msg("%d lines:\n%s", lines_of(o.out), o.out);
  assert_non_null(strstr(o.out, "\n9 f64  stage_nested "));
  assert_non_null(strstr(o.out, "hdg tri helmholtz"));
  forget(&o);
  o = run_in(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' -f hdg -n 4");
  assert_non_null(strstr(o.out, "\n4 f32  40 kernels ")); /* no whole stage */
  forget(&o);
  o = run_in(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' -f nodal --element tet -n 4 -p f64 --kernels");
  assert_non_null(strstr(o.out, "regs spill shared threads"));
  forget(&o);
  o = run_in(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' -n 4 -p f64 -f nodal --strategy half-turns --json");
  assert_null(strstr(o.out, "literal"));
  assert_non_null(strstr(o.out, "\"half-turns\""));
  forget(&o);
  o = run_in(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' -n 4 -p f64 -f nodal --layout node --json");
  assert_null(strstr(o.out, "slab"));
  assert_non_null(strstr(o.out, "\"node-km4-pad144\""));
}

/* Registers, shared memory and blocks bound the threads that a multiprocessor holds. */
TEST_IN_FOLDER(test_resident_threads)
{
  OWNED(cJSON_Delete) cJSON *json = run_json(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' -n 1-9 --json");
  const cJSON *row = NULL;
  int known = 0;
  cJSON_ArrayForEach(row, json)
  {
    const cJSON *threads = cJSON_GetObjectItem(row, "resident_threads");
    if (!cJSON_IsNumber(threads)) continue;
    const double registers = json_number(row, "registers"), shared = json_number(row, "shared_bytes");
    known++;
    if (threads->valuedouble > 2048 || threads->valuedouble < 32 || threads->valuedouble * registers > 65536 ||
        shared > 228 * 1024)
      fail_msg("%s: %g threads of %g registers", json_text(row, "kernel"), threads->valuedouble, registers);
  }
  assert_true(known > 500);
}

/* The ratio that --against prints of the one kernel; 0: none. */
static double against(const char *folder, const char *what)
{
  OWNED(cJSON_Delete) cJSON *json = run_json_with(folder, "", "best -d 'Imaginary 1' --json --against '%s'", what);
  const cJSON *row = cJSON_GetArrayItem(json, 0), *then = cJSON_GetObjectItem(row, "against");
  return then ? json_number(then, "ms") / json_number(row, "ms") : 0;
}

/* Beside another day, store or device. */
TEST_IN_FOLDER(test_against)
{
  const char *folder = *state;
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_trial t = fixture_trial(1);
  GOOD(wisp_strategies_load(err, &all));
  strcpy(t.spec, "nodal.gather:tet:p2:maxwell:f64"), strcpy(t.layout, "slab-km32"), strcpy(t.device, "Imaginary 1");
  strcpy(t.strategy, "element-lanes"), hash_of(all, &tets, "gather", t.strategy, t.template_hash);
  params_of(all, &tets, "gather", t.strategy, t.layout, t.params);
  t.ms = 8, t.gdofs = 1, strcpy(t.when, "2026-11-21T08:00:00Z");
  fixture_put(fixture_path(folder, "old.db"), &t, 1);
  fixture_put(fixture_path(folder, "user.db"), &t, 1);
  strcpy(t.device, "Imaginary 2"), t.ms = 4;
  fixture_put(fixture_path(folder, "user.db"), &t, 1);
  strcpy(t.device, "Imaginary 1"), t.ms = 2, t.gdofs = 4, strcpy(t.when, "2026-11-23T08:00:00Z");
  strcpy(t.strategy, "pairs"), strcpy(t.layout, "node-km1-pad16"),
      hash_of(all, &tets, "gather", t.strategy, t.template_hash);
  params_of(all, &tets, "gather", t.strategy, t.layout, t.params);
  fixture_put(fixture_path(folder, "user.db"), &t, 1);
  assert_true(against(folder, "2026-11-22") == 4);
  assert_true(against(folder, "2026-11-23") == 1);
  assert_true(against(folder, "Imaginary 2") == 2);
  assert_true(against(folder, fixture_path(folder, "old.db")) == 4);
  run_expect(folder, "", 0, "4.00 times as fast as 2026-11-21", "best -d 'Imaginary 1' --against 2026-11-21");
  run_expect(folder, "", 1, "nothing of these", "best -d 'Imaginary 1' --against 2026-11-20");
  run_expect(folder, "", 2, "--format", "best -d 'Imaginary 1' --against 2026-11-20 --format csv");
}

/* A request must name what exists; any part of its name finds a device. */
TEST_IN_FOLDER(test_preferred)
{
  static const struct {
    const char *arguments, *word;
    int status;
  } cases[] = {{"-n 99", "orders from 1 to 15", 2},   {"-n 16 -f nodal", "orders from 1 to 15", 2},
               {"-f foo", "no family 'foo'", 2},      {"--system euler", "no system 'euler'", 2},
               {"-d h200 -n 1", "NVIDIA H200", 0},    {"-d NVIDIA -n 1", "NVIDIA H200", 0},
               {"-d Voodoo", "nothing is stored", 1}, {"-d H200 -n all -p f32 -f tensor", "NVIDIA H200", 0}};
  for (size_t i = 0; i < WISP_COUNT(cases); i++)
    run_expect(*state, "-u WISP_SHIPPED", cases[i].status, cases[i].word, "best %s", cases[i].arguments);
  run_expect(*state, "", 2, "twice", "emit --kernel update --strategy stream --set wi=1,wi=1");
}

/* docs/results/winners.md has what the command prints of the winners that ship. */
TEST_IN_FOLDER(test_page)
{
  size_t length = 0;
  HELD(forget) outcome o = run_in(*state, "-u WISP_SHIPPED", "best -d 'NVIDIA H200' --any-layout --format markdown");
  OWNED(free) char *page = fixture_read("docs/results/winners.md", &length);
  assert_int_equal(o.status, 0);
  if (strlen(o.out) < 1000 || !strstr(page, o.out))
    fail_msg("docs/results/winners.md is to hold what it says prints it:\n%s", o.out);
}

GROUP(no_shipped_winners, NULL)
