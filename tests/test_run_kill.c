/* Claim: a command that compiles leaves neither compilers nor folders behind when a signal ends it, whichever it is;
 * and the next command removes what nobody could, the folders of a process that is gone with all that watched it. */
#include "test.h"
#include "store_fixture.h"
#include "../runtime/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60 };

/* A compiler that notes its process and then takes for ever; the folders are TMPDIR's. */
static void plant_compiler(const char *folder)
{
  char body[512];
  const char *cc = getenv("WISP_CC");
  snprintf(body, sizeof body,
           "#!/bin/sh\nfor a; do test \"$a\" = --version && exec %s --version; done\necho $$ >'%s/new'\n"
           "mv '%s/new' '%s/pid'\nsleep 1000 &\nwait\n",
           cc ? cc : "cc", folder, folder, folder);
  fixture_write(fixture_path(folder, "cc"), body, strlen(body));
  assert_int_equal(chmod(fixture_path(folder, "cc"), 0700), 0);
  assert_int_equal(mkdir(fixture_path(folder, "tmp"), 0700), 0);
  assert_int_equal(mkdir(fixture_path(folder, "kernels"), 0700), 0);
}

/* Starts a run that compiles, in a session of its own. */
static pid_t start(const char *folder, const char *compiler)
{
  const char *command = getenv("WISP_COMMAND");
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid) return pid;
  setsid();
  signal(SIGINT, SIG_DFL), signal(SIGHUP, SIG_DFL), signal(SIGTERM, SIG_DFL);
  setenv("WISP_CC", compiler, 1);
  setenv("TMPDIR", fixture_path(folder, "tmp"), 1);
  setenv("WISP_CACHE_DIR", fixture_path(folder, "kernels"), 1);
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  execl(command ? command : "build/wisp", "wisp", "run", "heat", "-n", "1", "--box", "2", "-d", "host", "--default",
        "--quiet", (char *)NULL);
  _exit(127);
}

static void nap(void)
{
  nanosleep(&(struct timespec){0, 10000000}, NULL);
}

/* The compiler's process, once it runs. */
static pid_t await_compiler(const char *folder)
{
  const double end = wisp_seconds() + PATIENCE;
  while (access(fixture_path(folder, "pid"), R_OK) != 0 && wisp_seconds() < end) nap();
  char *text = fixture_read(fixture_path(folder, "pid"), &(size_t){0});
  const pid_t pid = (pid_t)atoi(text);
  assert_true(pid > 1);
  free(text);
  unlink(fixture_path(folder, "pid"));
  return pid;
}

/* Whether some process of a group runs; one that has ended and that nobody waits for does not. */
static bool runs(pid_t group)
{
  bool found = false;
  DIR *proc = opendir("/proc");
  for (struct dirent *entry; proc && (entry = readdir(proc));) {
    char path[300], line[512] = "", state = 'Z';
    int own = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
    const char *after = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (after && sscanf(after, ") %c %*d %d", &state, &own) == 2) found |= own == group && state != 'Z' && state != 'X';
    if (file) fclose(file);
  }
  if (proc) closedir(proc);
  return found;
}

static int entries(const char *path)
{
  int count = 0;
  DIR *folder = opendir(path);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));) count += *entry->d_name != '.';
  closedir(folder);
  return count;
}

TEST(test_signals)
{
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGKILL};
  char folder[64], cc[128];
  fixture_folder(folder);
  plant_compiler(folder);
  snprintf(cc, sizeof cc, "%s", fixture_path(folder, "cc"));
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    int how = 0;
    const pid_t run = start(folder, cc), compiler = await_compiler(folder);
    assert_true(runs(compiler) && entries(fixture_path(folder, "tmp")) > 0);
    kill(run, signals[i]);
    assert_true(waitpid(run, &how, 0) == run);
    if (!WIFSIGNALED(how) || WTERMSIG(how) != signals[i]) fail_msg("signal %d: it ended with %x", signals[i], how);
    const double end = wisp_seconds() + PATIENCE;
    while ((runs(compiler) || entries(fixture_path(folder, "tmp"))) && wisp_seconds() < end) nap();
    assert_false(runs(compiler));
    assert_int_equal(entries(fixture_path(folder, "tmp")), 0);
    unlink(fixture_path(folder, "pid")); /* of a second one */
  }
  fixture_remove(folder);
}

/* The folder of a process that is gone, as mkdtemp made it, and what is no such folder. */
TEST(test_sweep)
{
  char folder[64], left[160], other[160];
  struct stat about;
  int how = 0;
  fixture_folder(folder);
  assert_int_equal(mkdir(fixture_path(folder, "tmp"), 0700), 0);
  assert_int_equal(mkdir(fixture_path(folder, "kernels"), 0700), 0);
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  assert_true(waitpid(gone, &how, 0) == gone && stat("/proc/self/ns/pid", &about) == 0);
  snprintf(left, sizeof left, "%s/tmp/wisp-%lx-%d-abcdef", folder, (unsigned long)about.st_ino, (int)gone);
  snprintf(other, sizeof other, "%s/tmp/wisp-mine", folder);
  assert_int_equal(mkdir(left, 0700), 0);
  assert_int_equal(mkdir(other, 0700), 0);
  strcat(left, "/kernel.c");
  fixture_write(left, "int k;\n", 7);
  const pid_t run = start(folder, getenv("WISP_CC") ? getenv("WISP_CC") : "cc");
  assert_true(waitpid(run, &how, 0) == run);
  assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  assert_true(access(left, F_OK) != 0 && access(other, F_OK) == 0);
  assert_int_equal(entries(fixture_path(folder, "tmp")), 1);
  rmdir(other);
  fixture_remove(folder);
}

GROUP(no_shipped_winners, NULL)
