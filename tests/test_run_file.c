/* Claim: a run file does what the command line does that says the same; options behind it count instead of its own; a
 * wrong key, value or file is one line, and nothing is written. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"

#include <unistd.h>

#define CASE                                                                                                          \
  "{\"problem\": \"acoustics\", \"orders\": 1, \"box\": 2, \"steps\": 4, \"dt\": 0.01, \"default\": true, \"json\": " \
  "true,"                                                                                                             \
  " \"boundary\": {\"1\": \"rigid\", \"2\": \"soft\"}, \"source\": {\"p\": \"x*exp(0-t)\", \"vx\": 2}, \"shuffle\": " \
  "null,"                                                                                                             \
  " \"quiet\": false, \"probe\": \"0.5,0.5,0.5\", \"probe-file\": \"%s/p.csv\"}"

static void write_case(const char *folder)
{
  char text[1024];
  snprintf(text, sizeof text, CASE, folder);
  fixture_text(folder, "case.json", text);
}

TEST_IN_FOLDER(test_same)
{
  const char *folder = *state;
  write_case(folder);
  OWNED(cJSON_Delete) cJSON *file = run_json_with(folder, "", "run %s/case.json -d %s", folder, test_device_name());
  assert_int_equal(access(fixture_path(folder, "p.csv"), F_OK), 0);
  OWNED(cJSON_Delete)
  cJSON *line = solve_json(folder, "acoustics",
                           "-n 1 --box 2 --steps 4 --dt 0.01 --default --boundary 1=rigid,2=soft --source "
                           "'p=x*exp(0-t),vx=2'");
  assert_true(json_number(file, "energy_final") > 0);
  assert_true(json_number(file, "energy_final") == json_number(line, "energy_final"));
  assert_string_equal(json_text(file, "boundary"), json_text(line, "boundary"));
  OWNED(cJSON_Delete)
  cJSON *other = run_json_with(folder, "", "run %s/case.json -n 2 --steps=3 -d %s", folder, test_device_name());
  assert_true(json_number(other, "order") == 2 && json_number(other, "steps") == 3);
}

TEST_IN_FOLDER(test_refused)
{
  static const struct {
    const char *text, *why;
    int status;
  } bad[] = {
      {"{\"problem\": \"maxwell\", \"orders\": 1, \"boundry\": \"pec\"}", "did you mean --boundary?", 2},
      {"{\"problem\": \"maxwel\"}", "'maxwel' cannot be solved: did you mean maxwell?", 2},
      {"{\"orders\": 1}", "name what to solve", 2},
      {"{\"problem\": \"maxwell\", \"orders\": true}", "needs a value", 2},
      {"{\"problem\": \"maxwell\", \"json\": 1}", "option --json takes no value", 2},
      {"{\"problem\": \"maxwell\", \"orders\": [[1]]}", "bad.json: 'orders' must be a number, a text", 1},
      {"{\"problem\": 3}", "bad.json: 'problem' must be a text", 1},
      {"[\"maxwell\"]", "bad.json: not an object of JSON", 1},
      {"{\"problem\": ", "bad.json: not an object of JSON", 1},
      {"", "bad.json: not an object of JSON", 1},
  };
  const char *folder = *state;
  for (size_t i = 0; i < WISP_COUNT(bad); i++) {
    fixture_text(folder, "bad.json", bad[i].text);
    run_expect(folder, "", bad[i].status, bad[i].why, "run %s/bad.json -q -o %s/out.vtu", folder, folder);
    assert_int_not_equal(access(fixture_path(folder, "out.vtu"), F_OK), 0);
  }
  run_expect(folder, "", 1, "none.json: cannot be opened", "run %s/none.json", folder);
}
