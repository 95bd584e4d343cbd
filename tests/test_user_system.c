/* Claim: docs/guide/systems.md is true. A system of equations is one file of the user's: tuned, solved, of order N +
 * 0.7 or better against the standing wave that it states, also from a program; what it says to kernels makes trials
 * stale, and a mistake in it is one line with its place. Runs in the root of the tree. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "page.h"
#include "store_fixture.h"
#include "../gen/strategy/strategy.h"

static const char file[] = "mine/systems/sound.system", path[] = "docs/guide/systems.md";

/* A folder with the page's file, and $WISP_TEMPLATES of this process and of the command. */
static int set_up(void **state)
{
  char folder[64];
  page p = page_read(path);
  fixture_folder(folder);
  page_write_file(&p, folder, file);
  setenv("WISP_TEMPLATES", fixture_path(folder, "mine"), 1);
  page_free(&p);
  *state = strdup(folder);
  return *state ? 0 : -1;
}

static int tear_down(void **state)
{
  unsetenv("WISP_TEMPLATES");
  fixture_remove(*state);
  free(*state);
  return 0;
}

/* The file with its first `from` replaced. */
static void edit(const char *folder, const char *from, const char *to)
{
  page p = page_read(path);
  page_write_file(&p, folder, file);
  page_free(&p);
  HELD(page_free) page text = page_read(fixture_path(folder, file));
  const char *at = page_find(&text, from);
  OWNED(free) char *edited = malloc(strlen(text.text) + strlen(to) + 1);
  assert_non_null(edited);
  sprintf(edited, "%.*s%s%s", (int)(at - text.text), text.text, to, at + strlen(from));
  fixture_write(fixture_path(folder, file), edited, strlen(edited));
}

TEST_WITH(test_page, set_up, tear_down)
{
  HELD(page_free) page p = page_read(path);
  OWNED(free) char *output = page_run(&p, *state, " --box 3");
  page_check_shown(&p, "## 2. See it", "## 3. Solve", output, 4);
  assert_non_null(strstr(output, ", sound, f64")); /* best's heading */
  assert_non_null(strstr(output, " right, 0 failed;"));
  assert_non_null(strstr(output, "standing mode 1,1,1, walls soft"));
}

TEST_WITH(test_convergence, set_up, tear_down)
{
  static const int boxes[][2] = {{4, 6}, {4, 6}, {4, 6}, {3, 4}};
  const int highest = getenv("WISP_TEST_COARSE") ? 2 : 4;
  for (int order = 1; order <= highest; order++) {
    double error[2];
    const int *box = boxes[order - 1];
    for (int i = 0; i < 2; i++)
      error[i] = solve_number(*state, "l2_error", "sound", "-n %d --box %d --time 0.3 --default", order, box[i]);
    const double found = log(error[0] / error[1]) / log((double)box[1] / box[0]);
    print_message("order %d: %.2f\n", order, found);
    if (!(found >= order + 0.7)) fail_msg("N = %d converges with order %.2f only", order, found);
  }
}

/* With the central flux the walls keep the energy, as much as the steps do; another mode is a solution too. */
TEST_WITH(test_energy, set_up, tear_down)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(*state, "sound", "-n 3 --box 3 --time 0.5 --default --alpha 0 --mode 1,2,1 --cfl 0.1");
  assert_true(fabs(json_number(json, "energy_final") / json_number(json, "energy_initial") - 1) < 1e-6);
  assert_true(json_number(json, "l2_error") < 2e-2);
}

/* A program gives the fields itself: pressure alone, whose energy is that of the file's weights. */
TEST_WITH(test_library, set_up, tear_down)
{
  api_solve s;
  wisp_solver_sizes sizes;
  api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "sound", .order = 2, .box = "2"});
  GOOD(wisp_solver_size(err, s.solver, &sizes));
  assert_int_equal(sizes.fields, 4);
  assert_string_equal(sizes.name[0], "p");
  OWNED(free) double *u = zeros(s.n * s.K * s.Np);
  for (size_t i = 0; i < s.K * s.Np; i++) u[i] = 3;
  GOOD(wisp_solver_set(err, s.solver, NULL, u));
  const double energy = api_number(&s, "energy_final");
  assert_true(fabs(energy - 0.5 / 2.25 * 9) < 1e-12);
  api_steps(&s, 0, 5);
  const double later = api_number(&s, "energy_final");
  assert_true(later < energy && later > 0);
  api_close(&s);
}

/* In single precision every number of a flux is single, whatever it looks like; none is divided as an integer. */
TEST_WITH(test_numbers, set_up, tear_down)
{
  edit(*state, "0.5 * kappa", "1 / 3 * kappa * 1.5e-3 / 2e20");
  HELD(forget) outcome o = run_in(*state, "", "emit -n 1 -p f32 --system sound -k gather -s direct");
  if (!strstr(o.out, "1.0f / 3.0f * 2.25f * 0.00150000001f / 2.00000004e+20f * (")) fail_msg("%s%s", o.out, o.err);
}

/* The hashes that trials of two kernels are stored with: the first reads fluxes and boundaries, the second rates. */
static void hash_of(const char *system, char hash[2][20])
{
  static const char *const names[][2] = {{"gather", "direct"}, {"volume", "element-per-thread"}};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  for (int i = 0; i < 2; i++) {
    const wisp_strategy *s = wisp_strategies_find(all, "nodal", names[i][0], names[i][1]);
    assert_non_null(s);
    wisp_strategy_hash(s, system, "host", hash[i]);
  }
}

TEST_WITH(test_stale, set_up, tear_down)
{
  static const struct {
    const char *from, *to;
    bool gather, volume;
  } edits[] = {
      {"kappa = 2.25", "kappa = 2.5", true, true},
      {"alpha / Z", "2 * alpha / Z", true, false},
      {"p_p = -p_m", "p_p = p_m", true, false},
      {"-1 / rho * p.x", "-2 / rho * p.x", false, true},
      {"kappa = 2.25", "kappa = 9 / 4", false, false},
      {"# the impedance", "# what a wall feels", false, false},
      {"energy    0.5/kappa", "energy    1/kappa", false, false},
      {"sin(kx * x) *", "0 * sin(kx * x) *", false, false},
  };
  char before[2][20], after[2][20], maxwell[2][20];
  hash_of("sound", before);
  hash_of("maxwell", maxwell);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    edit(*state, edits[i].from, edits[i].to);
    hash_of("sound", after);
    if ((strcmp(before[0], after[0]) != 0) != edits[i].gather) fail_msg("%s: the gather", edits[i].to);
    if ((strcmp(before[1], after[1]) != 0) != edits[i].volume) fail_msg("%s: the volume", edits[i].to);
    hash_of("maxwell", after);
    for (int k = 0; k < 2; k++) assert_string_equal(maxwell[k], after[k]);
  }
}

static void check_bad(const char *folder, const char *arguments, const char *words)
{
  HELD(forget) outcome o = run_in(folder, "", arguments);
  char *end = strchr(o.err, '\n');
  if (o.status == 0 || !strstr(o.err, words) || !end || end[1])
    fail_msg("wisp %s: status %d, not '%s': %s", arguments, o.status, words, o.err);
}

TEST_WITH(test_mistakes, set_up, tear_down)
{
  static const struct {
    const char *from, *to, *words;
  } edits[] = {
      {"rate      vx", "rate      q", "sound.system:9: rate of 'q': there is no such field"},
      {"kappa = 2.25", "kappa = many", "sound.system:3: expression 'many', column 1: the name 'many'"},
      {"0.5 / rho", "sqrt(rho)", "a flux and a boundary call nothing"},
      {"cos(omega * t)", "cos(omega * s)", "sound.system:39: expression"},
      {"soft 1 1 1", "soft 1 one", "sound.system:33: '1 one' is no mode"},
      {"standing soft", "standing hard", "sound.system:33: there is no boundary 'hard' above"},
  };
  static const char *const commands[] = {"emit --system sound -n 1", "run sound -n 1",
                                         "tune --system sound -n 1 --budget 1s"};
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    edit(*state, edits[i].from, edits[i].to);
    check_bad(*state, commands[i % 3], edits[i].words);
  }
}

/* Notes of every file that is left out, the command's end, and what it says besides. */
static void check_noted(const char *folder, const char *arguments, const char *const *files)
{
  HELD(forget) outcome o = run_in(folder, "", arguments);
  if (o.status != 0) fail_msg("wisp %s: %s", arguments, o.err);
  for (; *files; files++) {
    const char *at = strstr(o.err, *files), *line = at;
    while (line && line > o.err && line[-1] != '\n') line--;
    if (!at || !strstr(line, "note: ") || !strstr(at, "left out"))
      fail_msg("%s: no note of %s: %s", arguments, *files, o.err);
  }
}

/* A file that cannot be used stops those who ask for it, and is a note to all others. */
TEST_WITH(test_broken, set_up, tear_down)
{
  static const char *const broken[] = {"brace.system:16: expression", "gone.system: cannot be opened", NULL};
  static const char *const others[] = {"run heat -d host -n 1 --box 2 --steps 1",
                                       "run sound -n 1 --box 1 --steps 1",
                                       "run maxwell -n 1 --box 1 --steps 1",
                                       "best -d H200 -n 1 -f hdg",
                                       "emit -n 1 -k update",
                                       "tune -d host -n 1 -p f64 -k update -s stream --elements 48 --defaults",
                                       "bench -d host -n 1 -p f64 -k update --elements 48"};
  static const char *const asked[] = {"run brace -n 1", "best --system brace", "emit --system brace -n 1",
                                      "tune --system brace -d host -n 1 --budget 1s", "bench --system brace -n 1"};
  char line[256];
  edit(*state, "push = 0.5 / rho", "push = {{0.5}}");
  assert_int_equal(rename(fixture_path(*state, file), fixture_path(*state, "mine/systems/brace.system")), 0);
  edit(*state, "# Sound", "# Sounds");
  assert_int_equal(symlink("nowhere", fixture_path(*state, "mine/systems/gone.system")), 0);
  assert_int_equal(symlink("me@host", fixture_path(*state, "mine/systems/.#sound.system")), 0); /* an editor's lock */
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) check_noted(*state, others[i], broken);
  snprintf(line, sizeof line, "report -d H200 -n 1 -f hdg -o %s/page", (char *)*state);
  check_noted(*state, line, broken);
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) check_bad(*state, asked[i], "brace.system:16: ");
  check_bad(*state, "run gone -n 1", "gone.system: cannot be opened");
  check_bad(*state, "run nosuch -n 1", "there are acoustics, maxwell, maxwell_media");
}

/* Stored trials of a system whose file is broken now leave all others readable. */
TEST_WITH(test_broken_since, set_up, tear_down)
{
  static const char *const broken[] = {"sound.system:16: ", NULL}, *const systems[] = {"sound", "maxwell"};
  char line[256];
  for (int s = 0; s < 2; s++)
    run_expect(*state, "", 0, "",
               "tune -q -d host -n 1 -p f64 --system %s -k update -s stream --elements 48 --defaults", systems[s]);
  edit(*state, "push = 0.5 / rho", "push = {{0.5}}");
  check_noted(*state, "best -d host -n 1 -p f64", broken);
  snprintf(line, sizeof line, "report -d host -n 1 -p f64 -o %s/page", (char *)*state);
  check_noted(*state, line, broken);
  check_noted(*state, "run maxwell -d host -n 1 --box 1 --steps 1", broken);
}

/* Trials name no file: a system's name is one file's. */
TEST_WITH(test_names, set_up, tear_down)
{
  edit(*state, "# Sound", "# Sounds");
  rename(fixture_path(*state, file), strcat(strcpy((char[128]){0}, *state), "/mine/systems/maxwell.system"));
  check_bad(*state, "run maxwell -n 1", "maxwell.system: there is a system 'maxwell' already");
  check_noted(*state, "run acoustics -n 1 --box 1 --steps 1", (const char *const[]){"maxwell.system: there is", NULL});
}
