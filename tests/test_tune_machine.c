/* Claim: what goes wrong with the machine while a sweep runs is no verdict on a candidate, keeps no sweep waiting for
 * ever, and leaves nothing behind: compilers that are killed or find no room, signals, damaged stores, closed
 * descriptors. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Nine candidates; none of what the device itself compiles is called so. */
#define SOME "tune -d host -n 1 -p f32 -k update -s stream -l slab-km32 --elements 48 -j 1"
#define TUNE SOME " --exhaustive"

static void nap(long milliseconds)
{
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* A compiler that does this first, where it is given the n-th candidate. */
static void write_compiler(const char *folder, const char *does)
{
  char text[1024];
  snprintf(text, sizeof text,
           "#!/bin/sh\ncd %s\ncase \"$*\" in *nodal_update*)\n  n=$(cat calls 2>/dev/null)\n  n=$((n+1))\n"
           "  echo $n >calls\n  %s ;;\nesac\nexec cc \"$@\"\n",
           folder, does);
  assert_int_equal(chmod(fixture_text(folder, "cc", text), 0700), 0);
  unlink(fixture_path(folder, "calls"));
}

static const char *surroundings(const char *folder)
{
  static char text[512];
  snprintf(text, sizeof text, "WISP_SHIPPED=none WISP_CFLAGS=-O0 WISP_CC=%s/cc WISP_CACHE_DIR=%s/cache TMPDIR=%s",
           folder, folder, folder);
  return text;
}

/* The number of trials in the store with this outcome; NULL: all. */
static long count(const char *folder, const char *with)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(fixture_path(folder, "user.db"));
  long found = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++)
    found += !with || strcmp(wisp_store_trial(store, i, NULL)->outcome, with) == 0;
  return found;
}

static void expect(const outcome *o, int status, const char *out, const char *err)
{
  if (o->status != status || !strstr(o->out, out) || !strstr(o->err, err))
    fail_msg("status %d; out: %s; err: %s", o->status, o->out, o->err);
}

/* Killed, by whatever it says, without room, unable to start a process, without a word: the rest is tried, and these by
 * the next sweep. */
TEST_IN_FOLDER(test_compilers_fail)
{
  const char *folder = *state;
  write_compiler(folder, "case $n in 3) kill -KILL $$;;\n"
                         "  4) echo 'cc: fatal error: Killed signal terminated program cc1' >&2; exit 1;;\n"
                         "  5) echo '/tmp/x.s: fatal error: error writing: No space left on device' >&2; exit 1;;\n"
                         "  6) echo 'cc: fatal error: vfork: Resource temporarily unavailable' >&2; exit 1;;\n"
                         "  7) exit 1;; esac");
  HELD(forget) outcome o = run_in(folder, surroundings(folder), TUNE);
  expect(&o, 0, "4 trials", "not stored");
  if (!strstr(o.out, "5 not compiled")) fail_msg("%s", o.out);
  forget(&o);
  assert_int_equal(count(folder, "compile-error"), 0);
  assert_int_equal(count(folder, NULL), 4);
  o = run_in(folder, surroundings(folder), TUNE);
  expect(&o, 0, "5 trials", "");
}

/* The worker is stopped during one candidate's compilation, once it has said what it waits for, and so is the next one
 * at the same: that candidate alone is at fault, for good. */
TEST_IN_FOLDER(test_overdue)
{
  char before[600];
  const char *folder = *state;
  write_compiler(folder, "case $n in 3|4) sleep 2; kill -STOP $PPID; exit 1;; esac");
  snprintf(before, sizeof before, "%s WISP_COMPILE_SECONDS=4", surroundings(folder));
  HELD(forget) outcome o = run_in(folder, before, TUNE);
  expect(&o, 0, "9 trials", "");
  if (!strstr(o.out, "1 failed")) fail_msg("%s", o.out);
  forget(&o);
  assert_int_equal(count(folder, "compile-error"), 1);
  assert_int_equal(count(folder, "ok") + count(folder, "slow"), 8);
  o = run_in(folder, before, "db export --format text");
  expect(&o, 0, "its compilation did not end within 12 s: see WISP_COMPILE_SECONDS", "");
}

/* If nothing compiles any more, the sweep ends; a kernel's own mistake is still its verdict. */
TEST_IN_FOLDER(test_no_compiler_works)
{
  const char *folder = *state;
  write_compiler(folder, "kill -KILL $$");
  HELD(forget) outcome o = run_in(folder, surroundings(folder), TUNE);
  expect(&o, 1, "", "candidates in a row: ");
  forget(&o);
  assert_int_equal(count(folder, NULL), 0);
  write_compiler(folder, "echo 'x.c:1:1: error: this kernel is not C' >&2; exit 1");
  o = run_in(folder, surroundings(folder), TUNE);
  expect(&o, 1, "9 failed", "none of 9 trials is right: the first: stream");
  if (!strstr(o.err, "this kernel is not C")) fail_msg("%s", o.err);
  forget(&o);
  o = run_in(folder, surroundings(folder), TUNE); /* the same again, when all of it is known */
  expect(&o, 1, "0 trials", "this kernel is not C: --retry-failed");
}

/* A compiler that fails whatever it is given, as without its linker, is no verdict on candidates, though all that the
 * device itself needs is compiled already. */
TEST_IN_FOLDER(test_compiler_is_broken)
{
  const char *folder = *state;
  write_compiler(folder, ":");
  outcome o = run_in(folder, surroundings(folder), SOME " --defaults");
  expect(&o, 0, "1 trials", "");
  forget(&o);
  static const char script[] = "#!/bin/sh\n[ \"$1\" = --version ] && exec cc --version\n"
                               "echo \"cc: fatal error: cannot find 'ld'\" >&2\nexit 1\n";
  fixture_write(fixture_path(folder, "cc"), script, sizeof script - 1);
  o = run_in(folder, surroundings(folder), TUNE);
  expect(&o, 1, "", "the compiler fails on a kernel that does nothing: wisp_probe: cc: fatal error: cannot find 'ld'");
  forget(&o);
  assert_int_equal(count(folder, "compile-error"), 0);
  assert_int_equal(count(folder, NULL), 1);
}

/* Said at once, not after minutes of making it. */
TEST_IN_FOLDER(test_oversize)
{
  const char *folder = *state;
  HELD(forget)
  outcome o = run_in(folder, "WISP_SHIPPED=none", "tune -d host -n 10 -p f64 --elements 100000000 --budget 2s");
  expect(&o, 1, "", "take fewer elements");
}

/* One altered row: refused before anything is written. */
TEST_IN_FOLDER(test_damaged_row)
{
  const char *folder = *state;
  const char *path = fixture_path(folder, "user.db");
  fixture_fill(path, 0, 20);
  size_t before = 0, after = 0;
  char *was = fixture_read(path, &before), *mode = memmem(was, before, "median of 9", 11);
  assert_non_null(mode);
  mode[10] = '8';
  fixture_write(path, was, before);
  HELD(forget) outcome o = run_in(folder, "WISP_SHIPPED=none", TUNE);
  expect(&o, 1, "", "damaged");
  OWNED(free) char *is = fixture_read(path, &after);
  assert_int_equal(before, after);
  assert_memory_equal(was, is, before);
  free(was);
}

/* --- processes --- */

/* The command, as a child whose output goes to out and err. */
static pid_t start(const char *folder)
{
  char line[1024];
  snprintf(line, sizeof line, "exec env WISP_DB=%s/user.db %s %s " TUNE " >%s/out 2>%s/err </dev/null", folder,
           surroundings(folder), command_path(), folder, folder);
  pid_t pid = fork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
  }
  return pid;
}

/* Files in the folder whose names begin so. */
static int files(const char *folder, const char *begin)
{
  int found = 0;
  DIR *open = opendir(folder);
  for (struct dirent *entry; (entry = readdir(open));) found += strncmp(entry->d_name, begin, strlen(begin)) == 0;
  closedir(open);
  return found;
}

/* Whether a process, and what it became, is gone within a minute, however busy the machine is. */
static bool is_gone(pid_t pid)
{
  for (int i = 0; i < 6000; i++, nap(10)) {
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) return true;
    const char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    if (!end || end[2] == 'Z') return true; /* whoever it belongs to now has to reap it */
  }
  return false;
}

/* The process ids that the compiler wrote of itself and its child, once it hangs. */
static void await_hanging(const char *folder, pid_t pids[2])
{
  for (int i = 0; i < 12000; i++, nap(10)) {
    FILE *file = fopen(fixture_path(folder, "hanging"), "r");
    int read = file ? fscanf(file, "%d %d", &pids[0], &pids[1]) : 0;
    if (file) fclose(file);
    if (read == 2) return;
  }
  fail_msg("no compiler was started");
}

/* The compiler and its child hang in the middle of a sweep; a signal ends all of it. */
TEST(test_signals)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
  for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) {
    char folder[64];
    pid_t compilers[2] = {0};
    int how = 0;
    fixture_folder(folder);
    write_compiler(folder, "if [ $n = 4 ]; then sleep 1000 & echo $$ $! >hanging; wait; fi");
    pid_t pid = start(folder);
    await_hanging(folder, compilers);
    assert_int_equal(kill(pid, signals[s]), 0);
    assert_int_equal(waitpid(pid, &how, 0), pid);
    for (int i = 0; i < 2; i++) assert_true(is_gone(compilers[i]));
    for (int i = 0; i < 6000 && files(folder, "wisp-"); i++) nap(10); /* the warden's work, after SIGKILL */
    assert_int_equal(files(folder, "wisp-"), 0);
    long stored = count(folder, "ok") + count(folder, "slow");
    assert_true(stored > 0);
    if (signals[s] != SIGKILL) {
      size_t length = 0;
      char *out = fixture_read(fixture_path(folder, "out"), &length), summary[32];
      snprintf(summary, sizeof summary, "\n%ld trials in", stored);
      assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 128 + signals[s]);
      assert_non_null(strstr(out, summary));
      assert_int_equal(files(folder, "user.db-"), 0);
      free(out);
    }
    fixture_remove(folder);
  }
}

/* Nothing that is printed may end up in a file that happens to have the number of a closed descriptor. */
TEST_IN_FOLDER(test_closed_descriptors)
{
  char line[1024];
  const char *folder = *state;
  size_t length = 0;
  snprintf(line, sizeof line, "WISP_SHIPPED=none WISP_DB=%s/user.db %s " TUNE " <&- >&- 2>&-", folder, command_path());
  assert_int_equal(system(line), 0);
  free(fixture_read(fixture_path(folder, "user.db.lock"), &length));
  assert_int_equal(length, 0);
  assert_int_equal(count(folder, NULL), 9);
}

GROUP(no_shipped_winners, NULL)
