/* Claim: a run that goes on from a checkpoint makes the same steps, bit for bit: 40 steps are 20, a file and 20, with
 * sources, in both bases and precisions, nested and in low storage. A signal leaves a checkpoint. A file that is cut
 * off, changed in a byte, of another problem, order or mesh is refused by one line, and nothing is written. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCE "--source 'Ez@(0.3,0.4,0.55)=sin(9*t), Hx=y*exp(0-t)'"

static void run_steps(const char *folder, const char *begin, int steps, const char *file, const char *options)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(folder, "maxwell", "-n 2 --box 2 --default %s " SOURCE " --steps %d %s --checkpoint %s/%s",
                           begin, steps, options, folder, file);
  (void)json;
}

static void expect_same(const char *folder, const char *one, const char *other)
{
  size_t length[2];
  OWNED(free) char *a = fixture_read(fixture_path(folder, one), &length[0]);
  OWNED(free) char *b = fixture_read(fixture_path(folder, other), &length[1]);
  assert_int_equal(length[0], length[1]);
  assert_memory_equal(a, b, length[0]);
}

TEST_IN_FOLDER(test_same)
{
  static const char *const options[] = {"", "-p f32", "--basis bernstein", "--scheme rk4s8",
                                        "--composition volume+gather+lift+update_nested"};
  const char *folder = *state;
  for (size_t i = 0; i < WISP_COUNT(options); i++) {
    char restart[128];
    snprintf(restart, sizeof restart, "--restart %s/half.ckpt %s", folder, i == 1 ? "-p f32" : "");
    run_steps(folder, "--initial Ez=x --dt 0.01", 40, "all.ckpt", options[i]);
    run_steps(folder, "--initial Ez=x --dt 0.01", 20, "half.ckpt", options[i]);
    run_steps(folder, restart, 20, "half.ckpt", ""); /* over the file that it begins with */
    expect_same(folder, "all.ckpt", "half.ckpt");
  }
}

/* Checkpoints on the way do not change the steps; the time of --time counts from 0. */
TEST_IN_FOLDER(test_schedule)
{
  const char *folder = *state;
  char options[128];
  run_steps(folder, "--initial Ez=x --dt 0.01", 23, "plain.ckpt", "");
  run_steps(folder, "--initial Ez=x --dt 0.01", 23, "often.ckpt", "--checkpoint-every 4");
  expect_same(folder, "plain.ckpt", "often.ckpt");
  snprintf(options, sizeof options, "--restart %s/plain.ckpt --time 0.4", folder);
  OWNED(cJSON_Delete) cJSON *json = solve_json(folder, "maxwell", "-n 2 --box 2 --default %s " SOURCE, options);
  assert_true(json_number(json, "steps") == 40 && json_number(json, "dt") == 0.01);
  assert_true(fabs(json_number(json, "time") - 0.4) < 1e-15);
}

/* Fields that sources have driven go on without them. */
TEST_IN_FOLDER(test_without_sources)
{
  const char *folder = *state;
  run_steps(folder, "--dt 0.01", 20, "driven.ckpt", "");
  const double before = solve_number(folder, "energy_final", "maxwell",
                                     "-n 2 --box 2 --default --restart %s/driven.ckpt --steps 0", folder),
               after = solve_number(folder, "energy_final", "maxwell",
                                    "-n 2 --box 2 --default --restart %s/driven.ckpt --steps 20", folder);
  assert_true(before > 0 && after > 0 && after <= before);
}

/* A run that would last for minutes is stopped: 143, one line that names the file, and a file to go on from. */
TEST_IN_FOLDER(test_signal)
{
  const char *folder = *state, *file = fixture_path(folder, "stopped.ckpt");
  char path[256];
  snprintf(path, sizeof path, "%s", file);
  const pid_t child = fork();
  if (!child) {
    char *const arguments[] = {(char *)"wisp",
                               (char *)"run",
                               (char *)"maxwell",
                               (char *)"-n",
                               (char *)"2",
                               (char *)"--box",
                               (char *)"2",
                               (char *)"--default",
                               (char *)"-d",
                               (char *)test_device_name(),
                               (char *)"-q",
                               (char *)"--dt",
                               (char *)"0.001",
                               (char *)"--steps",
                               (char *)"900000000",
                               (char *)"--checkpoint",
                               path,
                               (char *)"--checkpoint-every",
                               (char *)"10",
                               NULL};
    if (!freopen("/dev/null", "w", stderr)) _exit(99);
    execv(command_path(), arguments);
    _exit(99);
  }
  while (access(path, F_OK) != 0 && waitpid(child, NULL, WNOHANG) == 0) usleep(20000);
  int status = 0;
  kill(child, SIGTERM);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(folder, "maxwell", "-n 2 --box 2 --default --restart %s --steps 1", path);
  assert_true(json_number(json, "steps") > 10);
}

TEST_IN_FOLDER(test_refused)
{
  static const struct {
    const char *options, *why;
    int status;
  } bad[] = {
      {"maxwell -n 2 --box 2 --restart D/cut.ckpt", "cut.ckpt: the checkpoint is cut off or damaged", 1},
      {"maxwell -n 2 --box 2 --restart D/changed.ckpt", "changed.ckpt: the checkpoint is cut off or damaged", 1},
      {"maxwell -n 2 --box 2 --restart D/text.ckpt", "text.ckpt: not a checkpoint of this version", 1},
      {"maxwell -n 2 --box 2 --restart D/none.ckpt", "none.ckpt: cannot be opened", 1},
      {"maxwell -n 3 --box 2 --restart D/good.ckpt", "good.ckpt: the checkpoint is of order 2: give -n 2", 2},
      {"acoustics -n 2 --box 2 --restart D/good.ckpt", "is of maxwell, and the problem is acoustics", 2},
      {"maxwell -n 2 --box 3 --restart D/good.ckpt", "of another mesh or system: give the same --mesh or --box", 2},
      {"maxwell -n 2 --box 2 --basis bernstein --restart D/good.ckpt", "is of the basis nodal: give --basis nodal", 2},
      {"maxwell -n 2 --box 2 --restart D/good.ckpt --initial Ez=1", "--restart gives the first fields", 2},
      {"maxwell -n 2 --box 2 --checkpoint-every 3", "option --checkpoint-every wants --checkpoint", 2},
      {"maxwell -n 2 --box 2 --checkpoint D/a.vtu", "must end in .ckpt", 2},
      {"maxwell -n 2 --box 2 --checkpoint-every 0 --checkpoint D/a.ckpt", "must be a whole number from 1", 2},
  };
  const char *folder = *state;
  size_t length = 0;
  run_steps(folder, "--initial Ez=x --dt 0.01", 2, "good.ckpt", "");
  OWNED(free) char *data = fixture_read(fixture_path(folder, "good.ckpt"), &length);
  fixture_write(fixture_path(folder, "cut.ckpt"), data, length - 1);
  data[length / 2] ^= 1;
  fixture_write(fixture_path(folder, "changed.ckpt"), data, length);
  fixture_write(fixture_path(folder, "text.ckpt"), "wisp", 4);
  for (size_t i = 0; i < WISP_COUNT(bad); i++) {
    char options[256] = "", *to = options;
    for (const char *at = bad[i].options; *at; at++)
      to += at[0] == 'D' && at[1] == '/' ? sprintf(to, "%s", folder) : sprintf(to, "%c", *at);
    run_expect(folder, "", bad[i].status, bad[i].why, "run -q --default -d %s -o %s/out.vtu %s", test_device_name(),
               folder, options);
    assert_int_not_equal(access(fixture_path(folder, "out.vtu"), F_OK), 0);
  }
}
