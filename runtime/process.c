/* Programs run without a shell, by posix_spawn: it is safe with threads and cheap in a process with much memory. */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Our environment with these variables in place of its own. The caller frees the list, but not the strings. */
static wisp_status make_environment(wisp_error *err, char **first, size_t count, char ***out)
{
  char **list = NULL;
  size_t inherited = 0, n = 0;
  while (environ && environ[inherited]) inherited++;
  CALL(wisp_new(err, inherited + count + 1, sizeof *list, &list));
  for (size_t i = 0; i < count; i++) list[n++] = first[i];
  for (size_t i = 0; i < inherited; i++) {
    bool replaced = false;
    for (size_t k = 0; k < count; k++)
      replaced = replaced || strncmp(environ[i], first[k], strcspn(first[k], "=") + 1) == 0;
    if (!replaced) list[n++] = environ[i];
  }
  *out = list;
  return WISP_OK;
}

/* Starts argv in a process group of its own, so that what it starts can be ended with it. Gives an errno. */
static int spawn_group(char *const *argv, char *const *environment, const char *log, pid_t *pid)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none;
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) return failed;
  failed = posix_spawnattr_init(&how);
  if (failed) goto no_attributes;
  sigemptyset(&none);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  failed = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  if (!failed) failed = posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&files, 1, 2);
  if (!failed) failed = posix_spawnp(pid, argv[0], &files, &how, argv, environment);
  posix_spawnattr_destroy(&how);
no_attributes:
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

double wisp_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until it ends or the time is over; looks often at first, for most runs are short. */
static wisp_status wait_for(wisp_error *err, pid_t pid, double seconds, wisp_ending *ending, int *code)
{
  double end = wisp_seconds() + seconds;
  long nap = 200000;
  int how = 0;
  bool killed = false;
  for (;;) {
    pid_t got = waitpid(pid, &how, killed ? 0 : WNOHANG);
    if (got == pid) break;
    if (got < 0 && errno != EINTR)
      return wisp_fail(err, WISP_ESYSTEM, "cannot wait for process %d: %s", (int)pid, strerror(errno));
    if (got == 0 && wisp_seconds() >= end) {
      kill(-pid, SIGKILL);
      kill(pid, SIGKILL);
      killed = true;
    } else if (got == 0) {
      nanosleep(&(struct timespec){0, nap}, NULL);
      if (nap < 5000000) nap += nap / 4;
    }
  }
  *ending = killed ? WISP_TIMEOUT : WIFSIGNALED(how) ? WISP_KILLED : WISP_RAN;
  *code = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
  return WISP_OK;
}

static void (*watch)(pid_t leader, bool there);

void wisp_process_watch(void (*report)(pid_t leader, bool there))
{
  watch = report;
}

wisp_status wisp_process_run(wisp_error *err, char *const *argv, const char *folder, const char *log, double seconds,
                             wisp_ending *ending, int *code)
{
  OWNED(free) char **environment = NULL, *temporary = NULL;
  pid_t pid = 0;
  const size_t bytes = strlen(folder) + sizeof "TMPDIR=";
  CALL(wisp_new(err, bytes, 1, &temporary));
  snprintf(temporary, bytes, "TMPDIR=%s", folder);
  char language[] = "LC_ALL=C";
  CALL(make_environment(err, (char *[]){language, temporary}, 2, &environment));
  int failed = spawn_group(argv, environment, log, &pid);
  if (failed == ENOENT || failed == EACCES || failed == ENOEXEC || failed == ENOTDIR) {
    *ending = WISP_NO_PROGRAM;
    *code = failed;
    return WISP_OK;
  }
  CALL(wisp_require(err, !failed, WISP_ESYSTEM,
                    "%s: cannot be started: %s: see that there is memory, and raise the limit of processes (ulimit -u)",
                    argv[0], strerror(failed)));
  if (watch) watch(pid, true);
  const wisp_status status = wait_for(err, pid, seconds, ending, code);
  if (watch) watch(pid, false);
  if (status != WISP_OK) return status;
  /* A shell reports it so, and a posix_spawn that cannot know at once (under valgrind). */
  if (*ending == WISP_RAN && *code == 127) *ending = WISP_NO_PROGRAM, *code = ENOENT;
  return WISP_OK;
}

/* --- being rid of processes --- */

int wisp_process_await(pid_t pid, double seconds)
{
  double end = wisp_seconds() + seconds;
  int how = 0;
  for (;;) {
    pid_t got = waitpid(pid, &how, WNOHANG);
    if (got == pid || (got < 0 && errno != EINTR)) return how;
    if (got == 0 && wisp_seconds() >= end) kill(pid, SIGKILL);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
}

/* Reads a process's state from /proc; false where there is none. */
static bool read_state(pid_t pid, char *state, int *session)
{
  char path[64], line[512] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  const char *after = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  fclose(file);
  return after && sscanf(after, ") %c %*d %*d %d", state, session) == 2;
}

/* It has ended, and whoever has to know does not know yet. */
static bool is_zombie(char state)
{
  return state == 'Z' || state == 'X';
}

/* Ends those that are there now; how many there were. */
static int end_members(pid_t session)
{
  int count = 0;
  DIR *proc = opendir("/proc");
  for (struct dirent *entry; proc && (entry = readdir(proc));) {
    pid_t pid = (pid_t)atoi(entry->d_name);
    char state;
    int own;
    if (pid <= 0 || !read_state(pid, &state, &own) || own != session || is_zombie(state)) continue;
    kill(pid, SIGKILL);
    count++;
  }
  if (proc) closedir(proc);
  return count;
}

void wisp_session_end(pid_t leader)
{
  enum { TIMES = 100 }; /* a process that was ended may have started another, which is seen the next time */
  kill(-leader, SIGKILL);
  for (int i = 0; i < TIMES && end_members(leader) > 0; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* --- temporary folders: wisp-NAMESPACE-PID-XXXXXX --- */

static const char *scratch_root(void)
{
  const char *root = getenv("TMPDIR");
  return root && *root ? root : "/tmp";
}

/* Process numbers mean something within it only, and containers may share a folder. */
static unsigned long process_namespace(void)
{
  struct stat about;
  return stat("/proc/self/ns/pid", &about) == 0 ? (unsigned long)about.st_ino : 0;
}

wisp_status wisp_scratch_create(wisp_error *err, char *path, size_t size)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, wisp_scratch_sweep);
  int length = snprintf(path, size, "%s/wisp-%lx-%d-XXXXXX", scratch_root(), process_namespace(), (int)getpid());
  if (length < 0 || (size_t)length >= size)
    return wisp_fail(err, WISP_ESYSTEM, "TMPDIR: its name has %d characters, which is too long", length);
  return wisp_require(err, mkdtemp(path), WISP_ESYSTEM, "%s: cannot make a temporary folder: %s: set TMPDIR", path,
                      strerror(errno));
}

void wisp_scratch_remove(const void *path)
{
  DIR *folder = *(const char *)path ? opendir(path) : NULL;
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
  rmdir(path);
}

/* Whether process `owner` ran the program that is now `pid`: its TMPDIR, which comes first, is a folder of the process.
 */
static bool was_run_by(pid_t owner, pid_t pid)
{
  char path[64], text[PATH_MAX + 1], folder[64];
  snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
  snprintf(folder, sizeof folder, "/wisp-%lx-%d-", process_namespace(), (int)owner);
  FILE *file = fopen(path, "re");
  const size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[got] = '\0';
  for (size_t i = 0; i < got; i += strlen(text + i) + 1)
    if (strncmp(text + i, "TMPDIR=", 7) == 0) return strstr(text + i, folder) != NULL;
  return false;
}

void wisp_programs_end(pid_t owner)
{
  DIR *proc = opendir("/proc");
  for (struct dirent *entry; proc && (entry = readdir(proc));) {
    const pid_t pid = (pid_t)atoi(entry->d_name), group = pid > 0 ? getpgid(pid) : 0;
    if (group > 0 && group != getpgrp() && was_run_by(owner, pid)) kill(-group, SIGKILL);
  }
  if (proc) closedir(proc);
}

/* Its process is gone, and it is ours. */
static bool is_left_over(int root, const char *name)
{
  unsigned long owner_namespace = 0;
  int pid = 0, used = 0, session;
  char state;
  struct stat about;
  if (sscanf(name, "wisp-%lx-%d-%n", &owner_namespace, &pid, &used) != 2 || !used || strlen(name + used) != 6)
    return false;
  if (owner_namespace != process_namespace() || pid <= 0) return false;
  bool ended = kill(pid, 0) != 0 ? errno == ESRCH : read_state(pid, &state, &session) && is_zombie(state);
  if (!ended) return false;
  return fstatat(root, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode) && about.st_uid == getuid();
}

void wisp_scratch_sweep(void)
{
  const char *root = scratch_root();
  DIR *folder = opendir(root);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
    if (length > 0 && (size_t)length < sizeof path && is_left_over(dirfd(folder), entry->d_name))
      wisp_scratch_remove(path);
  }
  if (folder) closedir(folder);
}

/* --- packed stores --- */

static bool is_packed(const char *path)
{
  const size_t length = strlen(path);
  return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

wisp_status wisp_unpack(wisp_error *err, const char *path, char folder[WISP_PACKED_FOLDER], wisp_text *out)
{
  enum { SECONDS = 60 };
  wisp_ending ending = WISP_RAN;
  int code = 0;
  if (!is_packed(path)) return wisp_text_print(err, out, "%s", path);
  CALL(wisp_scratch_create(err, folder, WISP_PACKED_FOLDER));
  CALL(wisp_text_print(err, out, "%s/unpacked.db", folder));
  char *argv[] = {(char[]){"gunzip"}, (char[]){"-c"}, (char[]){"--"}, (char *)(uintptr_t)path, NULL};
  CALL(wisp_process_run(err, argv, folder, out->data, SECONDS, &ending, &code));
  return wisp_require(err, ending == WISP_RAN && code == 0, WISP_ESTORE,
                      "%s: gunzip cannot unpack it: fetch the file again", path);
}

wisp_status wisp_refuse_packed(wisp_error *err, const char *path)
{
  return wisp_require(err, !is_packed(path), WISP_EUSAGE,
                      "%s is packed and only read so: unpack it with gunzip, and name the unpacked file", path);
}
