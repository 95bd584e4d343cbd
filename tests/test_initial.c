/* Claim: a run starts from expressions as it does from the same fields of a system's file; fields and elements without
 * one are 0, groups of elements have their own; a start without energy is noted; wrong names, groups and expressions
 * are one line, before anything is written. */
#include "test.h"
#include "command.h"
#include "parts.h"
#include "store_fixture.h"

#include <unistd.h>

#define CAVITY "Ez=sin(pi*x)*sin(pi*y)"

/* The unit box: physical volume 7 below z = 1/2, and 3 above. */
static const char *write_halves(const char *folder)
{
  const char *path = fixture_path(folder, "halves.msh");
  wisp_mesh *mesh = make_grid(4, 2, 2, 2);
  for (size_t e = 0; e < mesh->elements; e++) mesh->region[e] = e < mesh->elements / 2 ? 7 : 3;
  write_mesh(path, mesh);
  return path;
}

static cJSON *start(const char *folder, const char *options, const char *initial)
{
  return solve_json(folder, "maxwell", "-n 3 --steps 5 --default %s --initial '%s'", options, initial);
}

static double energy(const char *folder, const char *options, const char *initial)
{
  OWNED(cJSON_Delete) cJSON *json = start(folder, options, initial);
  return json_number(json, "energy_initial");
}

static void expect_energy(const char *folder, const char *options, const char *initial, double expected)
{
  const double found = energy(folder, options, initial);
  if (!(fabs(found - expected) <= 1e-12 * expected)) fail_msg("%s: energy %.17g, not %.17g", initial, found, expected);
}

/* The mode of a cavity, from its text and from the system's file: the same fields, then the same steps. */
TEST_IN_FOLDER(test_same)
{
  static const char *const bases[] = {"nodal", "bernstein"};
  for (int b = 0; b < 2; b++) {
    char options[64];
    snprintf(options, sizeof options, "--box 2 --basis %s --dt 0.02", bases[b]);
    OWNED(cJSON_Delete) cJSON *given = start(*state, options, CAVITY);
    OWNED(cJSON_Delete)
    cJSON *stated = solve_json(*state, "maxwell", "-n 3 --steps 5 --default %s --start cavity", options);
    assert_true(fabs(json_number(given, "energy_final") / json_number(stated, "energy_final") - 1) < 1e-12);
    assert_string_equal(json_text(given, "start"), CAVITY);
  }
}

TEST_IN_FOLDER(test_groups)
{
  char options[128];
  snprintf(options, sizeof options, "--mesh %s", write_halves(*state));
  expect_energy(*state, options, "Ez=2", 2);
  expect_energy(*state, options, "Ez@7=2", 1);
  expect_energy(*state, options, "Ez=1, Ez@3 = 2", 0.25 + 1);
  expect_energy(*state, options, "Ez@3=2, Ez=1, Hx@7=min(4, 5)", 0.5 + 4);
  expect_energy(*state, options, "Ez=region == 7 ? 2 : 0, Hy=x", 1 + 1 / 6.0);
}

static const char *note_of(const cJSON *json, const char *key)
{
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "notes"))
  {
    if (strcmp(json_text(item, "key"), key) == 0) return json_text(item, "text");
  }
  return NULL;
}

TEST_IN_FOLDER(test_nothing)
{
  OWNED(cJSON_Delete) cJSON *nothing = start(*state, "--box 1", "Ez=0");
  OWNED(cJSON_Delete) cJSON *some = start(*state, "--box 1", "Ez=x");
  assert_non_null(note_of(nothing, "start_without_energy"));
  assert_null(note_of(some, "start_without_energy"));
  assert_true(json_number(nothing, "energy_final") == 0);
}

TEST_IN_FOLDER(test_refused)
{
  static const struct {
    const char *options, *why;
  } bad[] = {
      {"--initial Ew=1", "option --initial: 'Ew' is no field of maxwell: there are Ex, Ey, Ez, Hx, Hy, Hz"},
      {"--initial 1", "option --initial: '1' has no field: write FIELD=EXPRESSION"},
      {"--initial 'Ez=1,,Hx=1'", "option --initial: there is a value missing"},
      {"--initial 'Ez='", "option --initial: there is a value missing of Ez"},
      {"--initial '=1'", "option --initial: there is a name missing before =1"},
      {"--initial 'Ez=t'", "option --initial: Ez: expression 't', column 1: the name 't' is not defined"},
      {"--initial 'Ez=sin(x'", "option --initial: Ez: expression"},
      {"--initial 'Ez=1/x'", "option --initial: Ez is inf at (0, 0, 0)"},
      {"--initial 'Ez@9=1'", "option --initial: Ez: '9' is no tag, nor a name, of a physical volume: there are 3, 7"},
      {"--initial 'Ez@\"low=1'", "the quote \" has no end"},
      {"--initial 'Ez=region == wall'", "'wall' is no tag, nor a name, of a physical volume: there are 3, 7"},
      {"--initial Ez=1 --start pulse", "--initial gives the first fields, as --start and --mode do: leave one out"},
      {"--initial Ez=1 --mode 1,1,0", "--initial gives the first fields"},
  };
  const char *mesh = write_halves(*state);
  char path[256];
  snprintf(path, sizeof path, "%s", mesh);
  for (size_t i = 0; i < WISP_COUNT(bad); i++) {
    run_expect(*state, "", 2, bad[i].why, "run maxwell -q -n 1 --default -d %s --mesh %s -o %s/out.vtu %s",
               test_device_name(), path, (const char *)*state, bad[i].options);
    assert_int_not_equal(access(fixture_path(*state, "out.vtu"), F_OK), 0);
  }
}
