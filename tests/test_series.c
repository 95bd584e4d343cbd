/* Claim: --every writes the fields at the start and every so many steps, and a list of the files with their times that
 * ParaView reads; fields named by x, y and z are vectors, and elements know their physical group. */
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

TEST_IN_FOLDER(test_refused)
{
  run_expect(*state, "", 2, "option --every wants --output: give both, or neither",
             "run maxwell -q -n 1 --default -d %s --every 3", test_device_name());
  run_expect(*state, "", 2, "option --every is '0', must be a whole number from 1",
             "run maxwell -q -n 1 --default -d %s --every 0 -o %s/x.vtu", test_device_name(), (const char *)*state);
  assert_int_not_equal(access(fixture_path(*state, "x.vtu"), F_OK), 0);
}
