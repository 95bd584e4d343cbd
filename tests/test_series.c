/* Claim: probes record a known solution at their points, every so many steps, alike in both bases and precisions and in
 * whatever parts a run goes on; they do not change the steps. --every writes the fields at the start and every so many
 * steps, and a list of the files with their times that ParaView reads; fields named by x, y and z are vectors, and
 * elements know their physical group. */
#include "test.h"
#include "command.h"
#include "parts.h"
#include "store_fixture.h"

#include <unistd.h>

static char *read_text(const char *folder, const char *name)
{
  size_t length = 0;
  return fixture_read(fixture_path(folder, name), &length);
}

static void expect_words(const char *text, const char *words)
{
  if (!strstr(text, words)) fail_msg("there is no %s", words);
}

TEST_IN_FOLDER(test_files)
{
  const char *folder = *state;
  char mesh_file[256];
  snprintf(mesh_file, sizeof mesh_file, "%s", fixture_path(folder, "halves.msh"));
  wisp_mesh *mesh = make_grid(4, 2, 2, 2);
  for (size_t e = 0; e < mesh->elements; e++) mesh->region[e] = e < mesh->elements / 2 ? 7 : 3;
  write_mesh(mesh_file, mesh);
  const double time =
      solve_number(folder, "time", "acoustics", "-n 1 --mesh %s --default --dt 0.01 --steps 7 --every 3 -o %s/a.b.vtu",
                   mesh_file, folder);
  assert_true(fabs(time - 0.07) < 1e-15);
  OWNED(free) char *list = read_text(folder, "a.b.pvd");
  const char *at = strstr(list, "<DataSet timestep=\"0\" file=\"a.b_000000.vtu\"/>");
  assert_non_null(at);
  at = strstr(at, "<DataSet timestep=\"0.029999999999999999\" file=\"a.b_000003.vtu\"/>");
  assert_non_null(at);
  at = strstr(at, "<DataSet timestep=\"0.059999999999999998\" file=\"a.b_000006.vtu\"/>");
  assert_non_null(at);
  assert_null(strstr(at + 1, "<DataSet"));
  OWNED(free) char *step = read_text(folder, "a.b_000003.vtu");
  expect_words(step, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.029999999999999999<");
  expect_words(step, "type=\"Int32\" Name=\"region\" NumberOfComponents=\"1\"");
  expect_words(step, "Name=\"p\" NumberOfComponents=\"1\"");
  expect_words(step, "Name=\"v\" NumberOfComponents=\"3\"");
  OWNED(free) char *end = read_text(folder, "a.b.vtu");
  expect_words(end, ">0.070000000000000007<");
}

/* Files on the way do not change the steps. */
TEST_IN_FOLDER(test_steps)
{
  const char *folder = *state;
  const double plain = solve_number(folder, "energy_final", "maxwell", "-n 1 --box 2 --default --dt 0.01 --steps 9"),
               often = solve_number(folder, "energy_final", "maxwell",
                                    "-n 1 --box 2 --default --dt 0.01 --steps 9 --every 2 -o %s/x.vtu", folder);
  assert_true(plain == often);
}

/* ---- Probes. */

#define PROBE "--probe '0.5,0.5,0.5; (0.25,0.5,0.6)' --probe-every 5 --probe-file %s/p.csv"

/* The cavity's mode is cos(pi sqrt(2) t), at the second point times sin(pi / 4). */
TEST_IN_FOLDER(test_probes)
{
  const char *folder = *state;
  for (int i = 0; i < 3; i++) {
    char more[256] = "";
    if (i == 1) snprintf(more, sizeof more, "-p f32 --basis bernstein");
    if (i == 2) snprintf(more, sizeof more, "--every 2 -o %s/out.vtu", folder);
    OWNED(cJSON_Delete)
    cJSON *json = solve_json(folder, "maxwell", "-n 3 --box 2 --mode 1,1,0 --default --dt 0.02 --steps 12 %s " PROBE,
                             more, folder);
    OWNED(free) char *table = read_text(folder, "p.csv");
    const char *line = table;
    expect_words(table, "t,Ex@1,Ey@1,Ez@1,Hx@1,Hy@1,Hz@1,Ex@2,Ey@2,Ez@2,Hx@2,Hy@2,Hz@2\n0,");
    for (int row = 0; row < 3; row++) {
      double t = 0, one = 0, two = 0;
      line = strchr(line, '\n') + 1;
      assert_int_equal(sscanf(line, "%lf,%*f,%*f,%lf,%*f,%*f,%*f,%*f,%*f,%lf,", &t, &one, &two), 3);
      assert_true(fabs(t - 0.1 * row) < 1e-15);
      const double mode = cos(acos(-1.0) * sqrt(2) * t);
      assert_true(fabs(one - mode) < 0.03);
      assert_true(fabs(two - sqrt(0.5) * mode) < 0.03);
    }
    line = strchr(line, '\n') + 1;
    assert_true(*line == '\0');
    assert_true(json_number(json, "steps") == 12);
  }
}

TEST_IN_FOLDER(test_refused)
{
  static const char *const bad[][2] = {
      {"--probe 1,2 --probe-file D/x.csv", "option --probe: '1,2' is no point"},
      {"--probe '0,0,0;' --probe-every 0 --probe-file D/x.csv", "must be a whole number from 1"},
      {"--probe 3,3,3 --probe-file D/x.csv", "option --probe: the point (3, 3, 3) is in no element of the mesh"},
      {"--probe 0,0,0", "option --probe wants --probe-file"},
      {"--probe-file D/x.csv", "option --probe-file wants --probe"},
      {"--probe 0,0,0 --probe-file D/x.txt", "must end in .csv"},
  };
  for (size_t i = 0; i < WISP_COUNT(bad); i++) {
    char options[256] = "", *to = options;
    for (const char *at = bad[i][0]; *at; at++)
      to += at[0] == 'D' && at[1] == '/' ? sprintf(to, "%s", (const char *)*state) : sprintf(to, "%c", *at);
    run_expect(*state, "", 2, bad[i][1], "run maxwell -q -n 1 --box 1 --default -d %s %s", test_device_name(), options);
    assert_int_not_equal(access(fixture_path(*state, "x.csv"), F_OK), 0);
  }
  run_expect(*state, "", 2, "option --every wants --output: give both, or neither",
             "run maxwell -q -n 1 --default -d %s --every 3", test_device_name());
  run_expect(*state, "", 2, "option --every is '0', must be a whole number from 1",
             "run maxwell -q -n 1 --default -d %s --every 0 -o %s/x.vtu", test_device_name(), (const char *)*state);
  assert_int_not_equal(access(fixture_path(*state, "x.vtu"), F_OK), 0);
}
