/* Claim: the tuner or one of its workers, killed at any instant, leaves a store that checks and holds every trial that
 * was reported; a worker is replaced; the next sweep goes on and repeats no trial that was reported. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/random.h"
#include "tuning.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { KILLS = 50, MAX_REPORTED = 1024, MAX_WORKERS = 2 };

typedef struct name { /* of a trial */
  char text[512];
  bool slow, crash;
} name;

typedef struct tuner {
  char folder[64], db[128], devices[64];
  int stores, workers_killed, tuners_killed, trials;
  pid_t pid;   /* 0: none is running */
  int reports; /* the pipe that it reports through */
  int count;   /* reported, of this store */
  name reported[MAX_REPORTED];
} tuner;

static name name_of(const wisp_trial *t)
{
  name n = {.slow = wisp_trial_outcome(t) == WISP_TRIAL_SLOW, .crash = wisp_trial_outcome(t) == WISP_TRIAL_CRASH};
  snprintf(n.text, sizeof n.text, "%s %s %s %s", t->spec, t->layout, t->strategy, t->params);
  return n;
}

/* In the tuner: what the callback hears of is stored. A worker killed twice under the same one of a final round makes
 * that one a crash: the trial's second report, and not a repetition. What was slow against it has to be tried again. */
static void report(void *context, const wisp_tune_progress *progress)
{
  name n = name_of(progress->last);
  if (write(*(int *)context, &n, sizeof n) != (ssize_t)sizeof n) _exit(2);
}

static wisp_status sweep(wisp_error *err, const tuner *t, int *reports, wisp_tune_summary *summary)
{
  static const wisp_precision precisions[] = {WISP_F64, WISP_F32};
  wisp_tune_request r = tune_request("nodal", "update", t->db);
  r.precisions = precisions, r.precision_count = 2, r.elements = 48;
  r.progress = reports ? report : NULL, r.context = reports;
  return wisp_tune(err, t->devices, &r, summary);
}

static void start(tuner *t)
{
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  t->pid = fork();
  if (t->pid == 0) {
    wisp_tune_summary summary;
    wisp_error err = {0};
    for (int s = 1; s < 32; s++) signal(s, SIG_DFL);
    wisp_status status = sweep(&err, t, &ends[1], &summary);
    if (status != WISP_OK) fprintf(stderr, "tuner: %s\n", err.text);
    _exit(status == WISP_OK ? 0 : 1);
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  t->reports = ends[0];
}

static void forget_slow(tuner *t)
{
  int kept = 0;
  for (int i = 0; i < t->count; i++)
    if (!t->reported[i].slow) t->reported[kept++] = t->reported[i];
  t->count = kept;
}

/* Reads what was reported; none may have been before. */
static void listen_to(tuner *t)
{
  name n;
  while (read(t->reports, &n, sizeof n) == (ssize_t)sizeof n) {
    if (n.crash) forget_slow(t);
    for (int i = 0; i < t->count && !n.crash; i++)
      if (strcmp(t->reported[i].text, n.text) == 0) fail_msg("repeated: %s", n.text);
    assert_true(t->count < MAX_REPORTED);
    if (!n.crash) t->reported[t->count++] = n;
  }
}

/* One of the tuner's children, which are its workers: 0 where there is none just now. */
static pid_t worker_of(pid_t parent, uint64_t random)
{
  pid_t found[MAX_WORKERS] = {0};
  size_t count = 0;
  DIR *proc = opendir("/proc");
  assert_non_null(proc);
  for (struct dirent *entry; (entry = readdir(proc)) && count < MAX_WORKERS;) {
    char path[300], line[512] = "";
    int of = 0;
    pid_t pid = (pid_t)atoi(entry->d_name);
    if (pid <= 0) continue;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    bool warden = strstr(line, "(wisp-warden)") != NULL; /* it is the tuner's child, too */
    if (name_end && !warden && sscanf(name_end, ") %*c %d", &of) == 1 && of == parent) found[count++] = pid;
    fclose(file);
  }
  closedir(proc);
  return count ? found[random % count] : 0;
}

/* The store opens, checks and holds what was reported. */
static void check_store(const tuner *t)
{
  wisp_error err = {0};
  wisp_text text = {0};
  wisp_status status = wisp_store_check(&err, t->db, &text);
  wisp_text_free(&text);
  if (status == WISP_EMISSING && t->count == 0) return;
  if (status != WISP_OK) fail_msg("%s", err.text);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(t->db);
  int found = 0;
  size_t at = 0;
  for (const wisp_trial *trial; (trial = fixture_next(store, &at));) {
    if (wisp_trial_outcome(trial) == WISP_TRIAL_UNFINISHED) continue;
    name n = name_of(trial);
    for (int r = 0; r < t->count; r++) found += strcmp(t->reported[r].text, n.text) == 0;
  }
  assert_int_equal(found, t->count);
}

/* Waits for the tuner's end, and looks at what it leaves. */
static int finish(tuner *t)
{
  int how = 0;
  assert_int_equal(waitpid(t->pid, &how, 0), t->pid);
  listen_to(t);
  close(t->reports);
  t->pid = 0;
  check_store(t);
  return how;
}

static void new_store(tuner *t)
{
  t->trials += t->count;
  t->count = 0;
  snprintf(t->db, sizeof t->db, "%s/tune%d.db", t->folder, t->stores++);
}

/* The work that is done once a machine (ceilings) or takes long the first time is over before anything is killed. */
static void await_first(tuner *t)
{
  start(t);
  for (int i = 0; i < 30000 && !t->count; i++) {
    nanosleep(&(struct timespec){0, 10000000}, NULL);
    listen_to(t);
  }
  assert_true(t->count > 0);
}

static bool has_ended(const tuner *t)
{
  siginfo_t ended = {0};
  assert_int_equal(waitid(P_PID, (id_t)t->pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
  return ended.si_pid == t->pid;
}

/* One or the other, at random. */
static void strike(tuner *t, uint64_t random)
{
  bool tuner_itself = random >> 63;
  pid_t worker = tuner_itself ? 0 : worker_of(t->pid, random >> 32);
  if (worker && kill(worker, SIGKILL) == 0)
    t->workers_killed++;
  else {
    kill(t->pid, SIGKILL);
    int how = finish(t);
    t->tuners_killed += WIFSIGNALED(how);
    if (WIFSIGNALED(how)) return;
    assert_int_equal(how, 0); /* it came to its end a moment before */
    new_store(t);
  }
}

/* After all kills: the sweep comes to its end, and nothing is left for another. */
static void complete(tuner *t)
{
  wisp_tune_summary summary = {0};
  if (!t->pid) start(t);
  assert_int_equal(finish(t), 0);
  GOOD(sweep(err, t, NULL, &summary));
  assert_int_equal(summary.trials, 0);
  assert_true(summary.known >= t->count);
}

static void kill_often(const char *devices)
{
  static tuner t;
  uint64_t random = WISP_RANDOM_SEED;
  t = (tuner){0};
  snprintf(t.devices, sizeof t.devices, "%s", devices);
  fixture_folder(t.folder);
  new_store(&t);
  await_first(&t);
  const int kills = getenv("WISP_TEST_COARSE") ? KILLS / 4 : KILLS; /* sanitized, a worker takes long to begin */
  while (t.workers_killed + t.tuners_killed < kills) {
    if (!t.pid) start(&t);
    struct timespec instant = {0, (long)(wisp_random_next(&random) >> 40) % 400 * 1000000};
    nanosleep(&instant, NULL);
    listen_to(&t);
    if (has_ended(&t)) {
      assert_int_equal(finish(&t), 0);
      new_store(&t);
    } else
      strike(&t, wisp_random_next(&random));
  }
  complete(&t);
  t.trials += t.count;
  print_message("%d workers and %d tuners killed, %d stores, %d trials\n", t.workers_killed, t.tuners_killed, t.stores,
                t.trials);
  assert_true(t.trials > kills / 2);
  fixture_remove(t.folder);
}

TEST(test_one_worker)
{
  kill_often(test_device_name());
}

TEST(test_two_workers)
{
  char devices[64];
  snprintf(devices, sizeof devices, "%s,%s", test_device_name(), test_device_name());
  kill_often(devices);
}
