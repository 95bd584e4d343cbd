/* Claim: a run on several devices writes the same file as one on one device, bit for bit (but for strategies whose
 * spaces say `ordered`, which keep to its energy and error): 2 and 3 ranks, parts by METIS
 * and at random, on a box with moved vertices whose elements name their corners in any order; nested and in low
 * storage, in both precisions and bases, with neighbours read in u and in trace, with sources; and with a part of one
 * element and an empty one; and the same records of probes. Energies and errors agree to rounding. Another number of
 * ranks goes on from a checkpoint. A rank that is killed ends all at once, in one line that names it, and nothing stays
 * behind; a signal leaves a checkpoint. What is not there yet is refused in one line. WISP_TEST_FULL=1: every
 * composition in three layouts, both precisions and both bases; and a rank that is stopped. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../runtime/device.h"
#include "../runtime/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define IRREGULAR "--jitter 0.2 --shuffle 3 --order as-given"

#define SOURCE "--source 'Ez@(0.3,0.4,0.55)=sin(9*t), Hx=y*exp(0-t)'"

/* So many devices of the test device's kind, with commas between them: of GPUs as many as there are, two at least.
 * Returns how many. */
static int name_devices(int count, char text[256])
{
  HELD(wisp_text_free) wisp_text gpus = {0};
  int used = 0;
  text[0] = '\0';
  for (int i = 0; i < count && test_device_is_host(); i++)
    used += snprintf(text + used, 256 - (size_t)used, "%shost", i ? "," : "");
  if (test_device_is_host()) return count;
  GOOD(wisp_device_list(err, true, &gpus));
  const int there = occurrences(gpus.data ? gpus.data : "", ":");
  if (there < 2) skip();
  if (count > there) count = there;
  for (int i = 0; i < count; i++)
    used += snprintf(text + used, 256 - (size_t)used, "%s%s:%d", i ? "," : "", test_device_name(), i);
  return count;
}

/* The file of a run, and of its report whether it has the bits of one device, its energy and its error. */
typedef struct solved {
  char *text;
  size_t length;
  bool same_bits;
  double energy, error;
} solved;

static void solved_free(solved *s)
{
  free(s->text);
}

/* A run as the options make it, on so many devices. */
static solved solve(const char *folder, int count, const char *partition, const char *options)
{
  char devices[256] = "";
  if (count > 1)
    name_devices(count, devices);
  else
    snprintf(devices, sizeof devices, "%s", test_device_name());
  const char *path = fixture_path(folder, "fields.vtu");
  HELD(forget)
  outcome o =
      run_with(folder, partition, "run maxwell -q --json --default -d %s --steps 12 --dt 0.004 %s -o %s/fields.vtu",
               devices, options, folder);
  if (o.status != 0) fail_msg("%s on %s: %s", options, devices, o.err);
  OWNED(cJSON_Delete) cJSON *json = cJSON_Parse(o.out);
  solved s = {.same_bits = count == 1 || cJSON_IsTrue(cJSON_GetObjectItem(json, "same_bits")),
              .energy = json_number(json, "energy_final")};
  s.error = cJSON_IsNumber(cJSON_GetObjectItem(json, "l2_error")) ? json_number(json, "l2_error") : NAN;
  s.text = fixture_read(path, &s.length);
  assert_int_equal(unlink(path), 0);
  return s;
}

/* false: other results than those of one device. */
static bool agree(const solved *one, const solved *several, const char *options)
{
  const double eps = strstr(options, "f32") ? 1e-5 : 1e-13;
  if (several->same_bits) return one->length == several->length && memcmp(one->text, several->text, one->length) == 0;
  return fabs(one->energy - several->energy) <= eps * fabs(one->energy) &&
         !(fabs(one->error - several->error) > 1e3 * eps * fabs(one->error)); /* of a restart there is none */
}

static void expect_same(const char *folder, int count, const char *partition, const char *options)
{
  HELD(solved_free) solved one = solve(folder, 1, "", options), several = solve(folder, count, partition, options);
  if (!agree(&one, &several, options)) fail_msg("%s on %d, %s: other fields", options, count, partition);
}

TEST_IN_FOLDER(test_same)
{
  static const struct {
    int count;
    const char *partition, *options;
  } cases[] = {
      {3, "", "-n 2 --box 2 " IRREGULAR " --composition gather+fused_nested"},
      {2, "WISP_PARTITION=random", "-n 2 --box 2 " IRREGULAR " -p f32 --composition volume+gather+lift+update"},
      {2, "", "-n 2 --box 2 " IRREGULAR " --composition trace+stage_traced_nested " SOURCE},
      {3, "WISP_PARTITION=random", "-n 1 --box 2 " IRREGULAR " -p f32 --basis bernstein"},
      {7, "", "-n 1 --box 1"}, /* six elements */
  };
  for (size_t i = 0; i < WISP_COUNT(cases); i++)
    expect_same(*state, cases[i].count, cases[i].partition, cases[i].options);
}

static char *probe(const char *folder, int count, size_t *length)
{
  char devices[256];
  count > 1 ? name_devices(count, devices) : snprintf(devices, sizeof devices, "%s", test_device_name());
  run_expect(folder, "", 0, "",
             "run maxwell -q --default -d %s -n 1 --box 2 " IRREGULAR " --initial Ez=x+y*z,Hx=1+x --steps 12 --dt 0.01 "
             "--probe '0.1,0.1,0.1;0.5,0.5,0.5;0.9,0.8,0.95' --probe-every 3 --probe-file %s/p.csv",
             devices, folder);
  return fixture_read(fixture_path(folder, "p.csv"), length);
}

TEST_IN_FOLDER(test_probes)
{
  size_t length[2];
  OWNED(free) char *one = probe(*state, 1, &length[0]), *three = probe(*state, 3, &length[1]);
  assert_true(length[0] > 300);
  assert_string_equal(one, three);
}

/* Every composition that runs here. */
TEST_IN_FOLDER(test_all)
{
  static const char *const layouts[] = {"slab-km32", "node-km8-pad80", "node-km1-pad16"};
  const char *const *compositions = wisp_family_find("nodal")->compositions;
  char options[256];
  size_t ran = 0;
  if (!getenv("WISP_TEST_FULL")) skip();
  for (size_t c = 0; compositions[c]; c++)
    for (int i = 0; i < 12; i++) {
      snprintf(options, sizeof options, "-n 2 --box 2 " IRREGULAR " --composition %s --layout %s -p %s --basis %s",
               compositions[c], layouts[i / 4], i & 1 ? "f32" : "f64", i & 2 ? "bernstein" : "nodal");
      outcome o = run_with(*state, "", "run maxwell -q --default -d %s %s --steps 1", test_device_name(), options);
      const bool runs = o.status == 0;
      forget(&o);
      if (!runs) continue;
      for (int random = 0; random < 2; random++) expect_same(*state, 3, random ? "WISP_PARTITION=random" : "", options);
      ran++;
    }
  assert_true(ran > 40);
}

/* A state that three ranks have written, which two go on from. */
TEST_IN_FOLDER(test_checkpoint)
{
  const char *folder = *state;
  HELD(solved_free) solved one = solve(folder, 1, "", "-n 2 --box 2 " IRREGULAR);
  char options[256], devices[256];
  name_devices(3, devices);
  run_expect(folder, "", 0, "",
             "run maxwell -q --default -d %s -n 2 --box 2 " IRREGULAR " --steps 5 --dt 0.004 --checkpoint %s/five.ckpt",
             devices, folder);
  snprintf(options, sizeof options, "-n 2 --box 2 " IRREGULAR " --restart %s/five.ckpt --steps 7", folder);
  HELD(solved_free) solved two = solve(folder, 2, "WISP_PARTITION=random", options);
  assert_true(agree(&one, &two, options));
}

TEST_IN_FOLDER(test_report)
{
  static const char options[] = "-n 2 --box 2 --default --time 0.2 --json -q";
  char devices[256];
  const int count = name_devices(3, devices);
  OWNED(cJSON_Delete)
  cJSON *one = run_json_with(*state, "", "run acoustics -d %s %s", test_device_name(), options);
  OWNED(cJSON_Delete)
  cJSON *three = run_json_with(*state, "", "run acoustics -d %s %s", devices, options);
  static const char *const exact[] = {"energy_initial", "l2_error", "elements", "dofs"};
  for (size_t i = 0; i < WISP_COUNT(exact); i++) {
    const double a = json_number(one, exact[i]), b = json_number(three, exact[i]);
    if (!(fabs(a - b) <= (i == 1 ? 1e-4 : 1e-13) * fabs(a))) fail_msg("%s: %.17g and %.17g", exact[i], a, b);
  }
  assert_true(fabs(json_number(three, "dt_limit") / json_number(one, "dt_limit") - 1) < 0.02); /* other random sums */
  assert_int_equal((int)json_number(three, "ranks"), count);
}

TEST_IN_FOLDER(test_refusals)
{
  const char *folder = *state;
  run_expect(folder, "", 2, "is not solved on several devices yet", "run poisson -n 2 --box 2 -d host,host --default");
  run_expect(folder, "", 2, "must be of one kind", "run maxwell -n 2 --box 2 -d host,cuda --default");
  run_expect(folder, "", 2, "device cuda:1 comes twice", "run maxwell -n 2 --box 2 -d cuda:1,cuda:1 --default");
  run_expect(folder, "", 2, "option --tune is for one device so far", "run maxwell -n 2 -d host,host --tune 1s");
  run_expect(folder, "", 1, "there.msh", "run maxwell -n 2 --mesh %s/not-there.msh -d host,host --default", folder);
}

/* ---- Ends. */

enum { PATIENCE = 60, WITHIN = 5 };

/* Starts a run that lasts for minutes, with its errors in a file. */
static pid_t start_run(const char *folder, const char *devices)
{
  char state[256];
  char errors[256];
  snprintf(errors, sizeof errors, "%s/errors", folder);
  snprintf(state, sizeof state, "%s/state.ckpt", folder);
  const pid_t pid = fork();
  if (pid) return pid;
  setsid();
  const int nothing = open("/dev/null", O_WRONLY), file = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(nothing, STDOUT_FILENO), dup2(file, STDERR_FILENO);
  execl(command_path(), "wisp", "run", "maxwell", "-n", "1", "--box", "2", "-d", devices, "--default", "--dt", "0.001",
        "--steps", "900000000", "--quiet", "--checkpoint", state, (char *)NULL);
  _exit(127);
}

/* The processes of a session that have this parent, 0: any; how many. */
static int list_processes(pid_t session, pid_t parent, pid_t list[16])
{
  int count = 0;
  DIR *proc = opendir("/proc");
  for (struct dirent *entry; proc && (entry = readdir(proc));) {
    char path[300], line[512] = "", state = 'Z';
    int ppid = 0, own = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
    const char *after = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    const bool known = after && sscanf(after, ") %c %d %*d %d", &state, &ppid, &own) == 3;
    if (file) fclose(file);
    if (known && own == session && (!parent || ppid == parent) && state != 'Z' && state != 'X' && count < 16)
      list[count++] = (pid_t)atoi(entry->d_name);
  }
  if (proc) closedir(proc);
  return count;
}

/* Seconds of a process's own time. */
static double busy(pid_t pid)
{
  char path[64], line[512] = "";
  long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  const char *after = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  if (after) sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system);
  if (file) fclose(file);
  return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* The ranks, once they run: the children of the first process that have worked; its warden has not. */
static int await_ranks(pid_t first, int wanted, pid_t rank[16])
{
  const double end = wisp_seconds() + PATIENCE;
  int working = 0;
  while (working < wanted && wisp_seconds() < end) {
    pid_t all[16];
    const int count = list_processes(first, first, all);
    working = 0;
    for (int i = 0; i < count; i++)
      if (busy(all[i]) > 0.05) rank[working++] = all[i];
    usleep(20000);
  }
  return working;
}

/* Sends a signal to rank 1, or to the first process, and waits for the end: with this status, within so many seconds,
 * in one line with these words, and nothing left. */
static void end_run(const char *folder, bool of_rank, int signal, double within, int expected, const char *words)
{
  pid_t rank[16], left[16];
  int status = 0;
  char devices[256];
  const int count = name_devices(3, devices);
  const pid_t first = start_run(folder, devices);
  assert_int_equal(await_ranks(first, count, rank), count);
  const double begin = wisp_seconds();
  kill(of_rank ? rank[1] : first, signal);
  while (waitpid(first, &status, WNOHANG) == 0 && wisp_seconds() < begin + PATIENCE) usleep(20000);
  const double took = wisp_seconds() - begin;
  const int still = list_processes(first, 0, left);
  for (int i = 0; i < still; i++) kill(left[i], SIGKILL);
  OWNED(free) char *line = fixture_read(fixture_path(folder, "errors"), &(size_t){0});
  if (!WIFEXITED(status) || WEXITSTATUS(status) != expected || took > within || still)
    fail_msg("status %d after %.1f s, %d processes left: %s", status, took, still, line);
  const char *end = strchr(line, '\n');
  if (strncmp(line, "wisp run: ", 10) != 0 || !strstr(line, words) || !end || end[1]) fail_msg("it says: %s", line);
}

TEST_IN_FOLDER(test_killed)
{
  end_run(*state, true, SIGKILL, WITHIN, 1, "was ended by signal 9 (Killed): all ranks are ended");
}

TEST_IN_FOLDER(test_signal)
{
  end_run(*state, false, SIGTERM, WITHIN, 128 + SIGTERM, "stopped by signal 15 (Terminated): --restart ");
  assert_int_equal(access(fixture_path(*state, "state.ckpt"), R_OK), 0);
}

TEST_IN_FOLDER(test_stopped)
{
  if (!getenv("WISP_TEST_FULL")) skip();
  end_run(*state, true, SIGSTOP, 2 * WITHIN, 1, "was stopped for 5 s: all ranks are ended");
}
