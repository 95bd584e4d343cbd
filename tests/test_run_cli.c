/* Claim: wisp run solves the cavity and says with what, in text and JSON; whatever is wrong with the request or with
 * the store is one line on stderr and the right exit status. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../runtime/device.h"

/* The kernel of that name in kernels[]. */
static const cJSON *kernel(const cJSON *json, const char *name)
{
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "kernels"))
  {
    if (strcmp(json_text(item, "kernel"), name) == 0) return item;
  }
  fail_msg("there is no kernel %s", name);
  return NULL;
}

TEST_IN_FOLDER(test_json)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(*state, "maxwell", "-n 2 --box 2 --steps 10 --cfl 0.15 --composition gather+fused");
  assert_true(json_number(json, "elements") == 48 && json_number(json, "order") == 2 &&
              json_number(json, "steps") == 10);
  assert_true(json_number(json, "dofs") == 48 * 10 * 6);
  assert_string_equal(json_text(json, "precision"), "f64");
  assert_true(strlen(json_text(json, "device")) > 0 && strlen(json_text(json, "composition")) > 0);
  assert_true(json_number(json, "l2_error") > 1e-4 && json_number(json, "l2_error") < 5e-2);
  double first = json_number(json, "energy_initial"), last = json_number(json, "energy_final");
  assert_true(fabs(first - 0.125) < 0.01 && last <= first && last > 0.99 * first);
  const double limit = json_number(json, "dt_limit");
  assert_true(fabs(json_number(json, "dt") / (0.15 * limit) - 1) < 1e-12 &&
              fabs(json_number(json, "cfl") - 0.15) < 1e-9);
  assert_true(json_number(json, "time_error") > 0 && json_number(json, "time_error") < json_number(json, "l2_error"));
  assert_true(fabs(json_number(json, "seconds_per_time") * json_number(json, "time") / json_number(json, "seconds") -
                   1) < 1e-9);
  double ms = json_number(json, "ms_per_stage");
  assert_true(ms > 0 && fabs(json_number(json, "gdofs") * ms * 1e6 / (48 * 10 * 6) - 1) < 1e-9);
  assert_true(fabs(json_number(json, "time") - 10 * json_number(json, "dt")) < 1e-12);
  const cJSON *gather = kernel(json, "gather");
  assert_true(json_number(cJSON_GetObjectItem(gather, "params"), "MB") >= 1);
  assert_true(strlen(json_text(gather, "strategy")) > 0 && strlen(json_text(gather, "layout")) > 0);
  assert_true(strlen(json_text(gather, "match")) > 0 && strlen(json_text(gather, "layer")) > 0);
}

TEST_IN_FOLDER(test_options)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(*state, "maxwell",
                           "--orders=1 --box=2 -pf32 --time 0.1 --dt 0.03 --mode 1,0,1 --alpha 0.5 --default "
                           "--composition gather+fused --layout slab-km32");
  assert_string_equal(json_text(json, "precision"), "f32");
  assert_string_equal(json_text(json, "composition"), "gather+fused");
  assert_string_equal(json_text(kernel(json, "fused"), "layout"), "slab-km32");
  assert_string_equal(json_text(json, "start"), "cavity mode 1,0,1");
  assert_true(json_number(json, "steps") == 4 && fabs(json_number(json, "time") - 0.1) < 1e-12);
  cJSON_Delete(json);
  json = solve_json(*state, "maxwell", "-n 1 --box 1 --steps 0");
  assert_true(json_number(json, "time") == 0 &&
              json_number(json, "energy_initial") == json_number(json, "energy_final"));
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "gdofs")));
  cJSON_Delete(json);
  const char *const measured[] = {"dt_limit", "cfl", "time_error"};
  for (int i = 0; i < 3; i++) { /* by 36 stages: a run of 35 does without, one of 40 does not */
    json = solve_json(*state, "maxwell", "-n 1 --box 1 --steps 7");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, measured[i])) && json_number(json, "dt") > 0);
    cJSON_Delete(json);
    json = solve_json(*state, "maxwell", "-n 1 --box 1 --steps 8");
    assert_true(json_number(json, measured[i]) > 0);
    cJSON_Delete(json);
  }
  json = solve_json(*state, "maxwell", "-n 1 --box 1 --steps 1 --boundary absorbing");
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "l2_error")));
}

TEST_IN_FOLDER(test_table)
{
  static const char *const words[] = {"48 tets",  "order 1", "stable up to", "cfl 0.85", "volume", "gather",
                                      "strategy", "default", "L2 error",     "energy",   "GDOF/s", "a unit of time"};
  outcome o =
      run_with(*state, "", "run maxwell -n 1 --box 2 --steps 8 --default --composition volume+gather+lift+update -d %s",
               test_device_name());
  if (o.status != 0) fail_msg("%s", o.err);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strstr(o.out, words[i])) fail_msg("no '%s' in: %s", words[i], o.out);
  assert_string_equal(o.err, "");
  forget(&o);
}

/* One tet of another shape than the box, in Gmsh's first format. */
static const char one_tet[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n"
                              "$EndNodes\n$Elements\n1\n1 4 2 0 0 1 2 3 4\n$EndElements\n";

/* A domain without a known solution, and its file for viewers. */
TEST_IN_FOLDER(test_other_domain)
{
  const char *vtu = fixture_path(*state, "out.vtu"), *mesh = fixture_text(*state, "one.msh", one_tet);
  cJSON *json = solve_json(*state, "maxwell", "-n 3 --mesh %s --steps 5 --output %s", mesh, vtu);
  assert_true(json_number(json, "elements") == 1 && json_number(json, "energy_initial") > 0);
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "l2_error")));
  cJSON_Delete(json);
  size_t length = 0;
  OWNED(free) char *file = fixture_read(vtu, &length);
  assert_non_null(strstr(file, "<VTKFile"));
  assert_non_null(strstr(file, "Name=\"H\""));
}

/* The last run left nothing on stdout. */
static void expect_silence(const char *folder)
{
  size_t length = 0;
  free(fixture_read(fixture_path(folder, "out"), &length));
  assert_int_equal(length, 0);
}

TEST_IN_FOLDER(test_bad_requests)
{
  static const struct {
    const char *arguments, *words;
    int status;
  } bad[] = {
      {"run", "maxwell", 2},
      {"run elastics -n 3", "'elastics' cannot be solved: there are acoustics, maxwell, maxwell_media, poisson", 2},
      {"run maxwell elastics -n 3", "elastics", 2},
      {"run maxwell -n 3 --system elastics", "elastics", 2},
      {"run maxwell", "-n 1 to 15", 2},
      {"run maxwell -n 0", "1 to 15", 2},
      {"run maxwell -n 16", "1 to 15", 2},
      {"run maxwell -n 11 --basis bernstein -o x.vtu", "orders up to 10", 2},
      {"run maxwell -n three", "three", 2},
      {"run maxwell -n 3 --colour blue", "--colour", 2},
      {"run maxwell -n 3 --box 0", "--box", 2},
      {"run maxwell -n 3 --box 2 --mesh x.msh", "leave one out", 2},
      {"run maxwell -n 3 --steps 3 --time 1", "leave one out", 2},
      {"run maxwell -n 3 --steps -1", "--steps", 2},
      {"run maxwell -n 3 --time nan", "--time", 2},
      {"run maxwell -n 3 --dt 0", "--dt", 2},
      {"run maxwell -n 3 --alpha 2", "--alpha", 2},
      {"run maxwell -n 3 --mode 1,1", "1,1,0", 2},
      {"run maxwell -n 3 --mode 1,0,0", "not finite", 2},
      {"run maxwell -n 3 --mode 1,1,-1", "negative", 2},
      {"run maxwell -n 3 --start storm", "there are: cavity, pulse", 2},
      {"run maxwell -n 3 --start pulse --mode 1,1,1", "pulse has no modes", 2},
      {"run maxwell -n 3 --boundary open", "pec or absorbing", 2},
      {"run maxwell -n 3 -p f16", "f16", 2},
      {"run maxwell -n 3 --match best", "best", 2},
      {"run maxwell -n 3 --default --match exact", "--default", 2},
      {"run maxwell -n 3 --composition lift", "gather+fused", 2},
      {"run maxwell -n 3 --layout slab", "slab", 2},
      {"run maxwell -n 3 --box 400", "take fewer elements", 2},
      {"run maxwell -n 3 -d abacus", "abacus", 2},
      {"run maxwell -n 3 --match exact", "tune it", 1},
      {"run maxwell -n 3 --mesh /nowhere/at/all.msh", "/nowhere/at/all.msh", 1},
      {"run maxwell -q -n 2 --box 2 --steps 200 --dt 1", "leave --dt out", 1},
      {"run maxwell -q -n 2 --box 2 --steps 5 --dt 1e3", "leave --dt out", 1},
      {"run maxwell -q -n 2 --box 2 --steps 200 --cfl 50", "take a --cfl below 1", 1},
      {"run maxwell -q -n 2 --box 2 --steps 200 --cfl 50 --default", "take a --cfl below 1", 1},
      {"run acoustics -n 2 --box 2 --rho 1e-300", "rho is 1e-300 in element 0, must be from 1e-30 to 1e+30 in f64", 2},
      {"run acoustics -n 2 --box 2 --kappa 1e16 -p f32", "must be from 1e-15 to 1e+15 in f32", 2},
      {"run maxwell -n 2 --cfl 0", "--cfl", 2},
      {"run maxwell -n 2 --cfl -0.5", "--cfl", 2},
      {"run maxwell -n 2 --cfl nan", "--cfl", 2},
      {"run maxwell -n 2 --cfl fast", "--cfl", 2},
      {"run maxwell -n 2 --scheme rk5", "must be one of auto, accurate, lsrk45", 2},
      {"run maxwell -n 2 --scheme rk4s8 --time-error 1e-3", "--time-error is for --scheme auto", 2},
      {"run maxwell -n 2 --scheme accurate --time-error 1e-3", "--time-error is for --scheme auto", 2},
      {"run maxwell -n 2 --scheme auto --time-error 0", "--time-error", 2},
      {"run maxwell -n 2 --scheme auto --time-error few", "--time-error", 2},
      {"run maxwell -n 2 --cfl 0.5 --dt 0.01", "leave one out", 2},
      {"run maxwell -n 1 --box 1 --steps 1000000 -o /", "cannot be written", 1},
      {"run maxwell -n 2 --box 1 --steps 1 -o /nowhere/at/all.vtu", "/nowhere/at/all.vtu", 1},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const bool has_device = strstr(bad[i].arguments, "-d ") || !strstr(bad[i].arguments, "-n");
    run_expect(*state, "", bad[i].status, bad[i].words, "%s%s%s", bad[i].arguments, has_device ? "" : " -d ",
               has_device ? "" : test_device_name());
    expect_silence(*state);
  }
}

/* A named scheme is in both reports; its polynomial's steps are longer; equations that are not linear refuse it. */
TEST_IN_FOLDER(test_scheme)
{
  static const char bent[] =
      "fields q\nrate q = -q.x\nflux\n flux_q = 0.5 * (nx + 1 / (1 + q_p * q_p)) * (q_m - q_p)\nend\n"
      "boundary wall\n q_p = q_m\nend\nspeed 1\nenergy 1\nstart s\n q = x\nend\n";
  char before[128];
  OWNED(cJSON_Delete) cJSON *json = solve_json(*state, "maxwell", "-n 2 --box 2 --time 0.2 --default --scheme rk4s10");
  assert_string_equal(json_text(json, "scheme"), "rk4s10");
  assert_true(json_number(json, "scheme_speedup") > 1.3 &&
              json_number(json, "time_error") < json_number(json, "l2_error"));
  assert_true(fabs(json_number(json, "seconds") / (json_number(json, "ms_per_stage") * json_number(json, "steps")) -
                   10e-3) < 1e-9);
  run_expect(*state, "", 0, "rk4s10, order 4 in 10 stages, in low storage",
             "run maxwell -n 2 --box 2 --time 0.2 --default --scheme rk4s10 -d %s", test_device_name());
  fixture_text(*state, "systems/bent.system", bent);
  snprintf(before, sizeof before, "WISP_TEMPLATES=%s", (const char *)*state);
  run_expect(*state, before, 2, "take lsrk45 or ndb14", "run bent -n 2 --box 2 --scheme rk4s8 -d %s",
             test_device_name());
  HELD(forget)
  outcome o = run_with(*state, before, "run bent -n 2 --box 2 --start s --steps 2 --cfl 0.2 --scheme ndb14 -d %s",
                       test_device_name());
  if (o.status != 0 || !strstr(o.out, "ndb14, order 4 in 14 stages, in low storage")) fail_msg("%s%s", o.out, o.err);
}

/* Nobody is told of kernels, or of --default, where the step, the system or the media explain a solution that grows. */
TEST_IN_FOLDER(test_blame)
{
  static const char system[] = "fields p v\nrate p = -v.x\nrate v = -p.x\nflux\n flux_p = 0\n flux_v = 0\nend\n"
                               "boundary wall\n p_p = p_m\n v_p = -v_m\nend\nspeed 1\nenergy 0.5 0.5\n"
                               "solution s wall\n p = cos(pi * x) * cos(pi * t)\n v = sin(pi * x) * sin(pi * t)\nend\n";
  static const char *const runs[] = {"maxwell -n 2 --box 2 --steps 200 --cfl 50", "free -n 2 --box 2 --steps 4000",
                                     "free -n 2 --box 2 --steps 4000 --default"};
  static const char *const says[] = {"--cfl", "the flux of system free adds energy",
                                     "the flux of system free adds energy"};
  char before[128];
  fixture_text(*state, "systems/free.system", system);
  snprintf(before, sizeof before, "WISP_TEMPLATES=%s", (const char *)*state);
  for (int i = 0; i < 3; i++) {
    HELD(forget) outcome o = run_with(*state, before, "run %s -q -d %s", runs[i], test_device_name());
    if (o.status != 1 || !strstr(o.err, "blew up") || !strstr(o.err, says[i]) || strstr(o.err, "try --default") ||
        strstr(o.err, "--dt out"))
      fail_msg("%s: status %d: %s", runs[i], o.status, o.err);
  }
  HELD(forget)
  outcome o = run_with(*state, "", "run acoustics -n 1 --box 2 --steps 2 -d %s --rho 'x < 0.5 ? 1e-12 : 1e12'",
                       test_device_name());
  if (!strstr(o.err, "note: rho differs by a factor of 1e+24 between elements")) fail_msg("%s", o.err);
}

/* Steps of attoseconds, of light in a box of micrometres. */
TEST_IN_FOLDER(test_short_steps)
{
  for (int single = 0; single < 2; single++) {
    OWNED(cJSON_Delete)
    cJSON *json = solve_json(*state, "maxwell", "-n 2 --box 2 --steps 3 --dt 1e-18 -p %s", single ? "f32" : "f64");
    assert_true(json_number(json, "dt") == 1e-18 && fabs(json_number(json, "time") - 3e-18) < 1e-30);
    assert_true(json_number(json, "energy_final") > 0);
  }
}

/* Meshes that are none, or none for a mode; a machine that lacks something. */
TEST_IN_FOLDER(test_bad_surroundings)
{
  wisp_error error = {0};
  wisp_device *host = NULL;
  char before[512];
  const char *half = fixture_path(*state, "half.msh"), *one = fixture_text(*state, "one.msh", one_tet);
  fixture_write(half, one_tet, strlen(one_tet) / 2);
  run_expect(*state, "", 1, "half.msh", "run maxwell -n 2 --mesh %s", half);
  expect_silence(*state);
  run_expect(*state, "", 2, "unit box", "run maxwell -n 2 --mesh %s --mode 1,1,0", one);
  snprintf(before, sizeof before, "WISP_CC=/nowhere/cc WISP_CACHE_DIR=%s/none", (const char *)*state);
  run_expect(*state, before, 1, "/nowhere/cc", "run maxwell -n 2 --box 1 -d host");
  expect_silence(*state);
  assert_int_equal(wisp_device_open(&error, "host", &host), WISP_OK);
  double gigabytes = (double)wisp_device_limits(host)->memory / 1e9;
  wisp_device_close(host);
  if (gigabytes < 60) run_expect(*state, "", 1, "GB", "run maxwell -n 1 --box 240 -d host");
}

/* The few candidates of two kernels in one layout, for a store with winners. */
static void tune(const char *folder)
{
  static const char *const kernels[] = {"gather --strategy element-lanes", "fused --strategy register-blocked"};
  for (int i = 0; i < 2; i++)
    run_expect(folder, "", 0, "", "tune -n 1 -p f64 -d %s --kernel %s --layout slab-km32 --elements 48 --budget 30s",
               test_device_name(), kernels[i]);
}

/* The origin of the gather kernel in a short run of the two. */
static const char *layer_of(const char *folder, const char *arguments)
{
  static char layer[32];
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(folder, "maxwell", "-n 1 --box 1 --steps 1 --composition gather+fused --layout slab-km32 %s",
                           arguments);
  snprintf(layer, sizeof layer, "%s", json_text(kernel(json, "gather"), "layer"));
  return layer;
}

/* The store's winners are used and named; without the store, or with one of no use, the run goes on and says so. */
TEST_IN_FOLDER(test_store)
{
  char line[512];
  const char *user = wisp_layer_name(WISP_LAYER_USER), *copy = fixture_path(*state, "gone.db");
  tune(*state);
  assert_string_equal(layer_of(*state, ""), user);
  assert_string_equal(layer_of(*state, "--match exact"), user);
  assert_string_not_equal(layer_of(*state, "--default"), user);
  assert_string_not_equal(layer_of(*state, "-n 2"), user);
  snprintf(line, sizeof line, "--db %s", copy);
  assert_string_not_equal(layer_of(*state, line), user);
  assert_int_equal(rename(fixture_path(*state, "user.db"), copy), 0);
  assert_string_equal(layer_of(*state, line), user);
  assert_string_not_equal(layer_of(*state, ""), user);
}

TEST_IN_FOLDER(test_corrupt_store)
{
  static const char junk[] =
      "this is no store, and longer than the header that a store's file begins with: nothing here "
      "may be overwritten or lost";
  const char *db = fixture_path(*state, "user.db");
  size_t length = 0;
  fixture_write(db, junk, sizeof junk);
  outcome o = run_in(*state, "", "run maxwell -n 1 --box 1 --steps 1 -d host"); /* goes on with the other layers */
  if (o.status != 0 || !strstr(o.err, "note: ") || !strstr(o.err, "user.db"))
    fail_msg("status %d: %s", o.status, o.err);
  forget(&o);
  char *after = fixture_read(db, &length);
  assert_int_equal(length, sizeof junk);
  assert_memory_equal(after, junk, sizeof junk);
  free(after);
  assert_string_not_equal(layer_of(*state, "--default"), wisp_layer_name(WISP_LAYER_USER));
}

/* The report on the whole step tells what its kernels run with: a record does not speak for kernels that fell
 * back to defaults. */
TEST_IN_FOLDER(test_origin)
{
  static const char start[] = "-n 1 --box 1 --steps 1 --composition gather+fused --layout slab-km32";
  cJSON *json = solve_json(*state, "maxwell", "%s", start);
  assert_string_equal(json_text(json, "match"), "default");
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "step_record")));
  cJSON_Delete(json);
  tune(*state);
  json = solve_json(*state, "maxwell", "%s", start);
  assert_string_equal(json_text(kernel(json, "gather"), "match"), "exact");
  assert_string_equal(json_text(kernel(json, "fused"), "match"), "exact");
  assert_string_equal(json_text(json, "match"), "exact");
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "step_record"))); /* the request named them, not a record */
  cJSON_Delete(json);
  HELD(forget)
  outcome o = run_with(*state, "",
                       "run maxwell -d %s -n 1 --box 1 --steps 1 --layout slab-km32 --composition "
                       "volume+gather+lift+update",
                       test_device_name());
  if (o.status != 0) fail_msg("%s", o.err);
  assert_non_null(strstr(o.out, "chosen by   the request"));
  assert_non_null(strstr(o.out, "3 of 4 kernels run defaults"));
}

/* Without a place for a user's store the run goes on and says so in one line. */
TEST_IN_FOLDER(test_no_home)
{
  HELD(forget)
  outcome o = run_with(*state, "-u HOME -u XDG_DATA_HOME -u WISP_DB", "run maxwell -n 1 --box 1 --steps 1 -d %s",
                       test_device_name());
  char *end = strchr(o.err, '\n');
  if (o.status != 0 || strncmp(o.err, "wisp run: ", 10) != 0 || !end || end[1] || !strstr(o.err, "HOME"))
    fail_msg("status %d: %s", o.status, o.err);
}

GROUP(no_shipped_winners, NULL)
