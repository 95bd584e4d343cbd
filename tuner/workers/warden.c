#include "warden.h"
#include "../../runtime/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MOST_WORKERS = 1024 };

typedef struct message {
  pid_t worker;
  bool there;
} message;

/* One worker more or less. */
static void note(pid_t workers[MOST_WORKERS], size_t *count, const message *m)
{
  size_t at = 0;
  while (at < *count && workers[at] != m->worker) at++;
  if (m->there && at == *count && *count < MOST_WORKERS)
    workers[(*count)++] = m->worker;
  else if (!m->there && at < *count)
    workers[at] = workers[--*count];
}

/* Keeps the list until the tuner's end of the pipe is closed, however that came about. */
static _Noreturn void be_warden(int pipe_end)
{
  pid_t workers[MOST_WORKERS];
  size_t count = 0;
  message m;
  prctl(PR_SET_NAME, "wisp-warden");
  setsid(); /* Ctrl-C is not for it */
  for (;;) {
    ssize_t got = read(pipe_end, &m, sizeof m);
    if (got < 0 && errno == EINTR) continue;
    if (got != (ssize_t)sizeof m) break;
    note(workers, &count, &m);
  }
  for (size_t i = 0; i < count; i++) wisp_session_end(workers[i]);
  wisp_scratch_sweep();
  _exit(0);
}

wisp_status wisp_warden_start(wisp_error *err, wisp_warden *out)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return wisp_fail(err, WISP_ESYSTEM, "cannot make a pipe: %s", strerror(errno));
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[1]);
    be_warden(ends[0]);
  }
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return wisp_fail(err, WISP_ESYSTEM, "cannot start a process: %s", strerror(errno));
  }
  *out = (wisp_warden){.pid = pid, .pipe = ends[1]};
  return WISP_OK;
}

/* Where the warden itself was killed there is nobody to tell. */
void wisp_warden_tell(const wisp_warden *warden, pid_t worker, bool there)
{
  message m;
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  if (warden->pid <= 0) return;
  memset(&m, 0, sizeof m);
  m.worker = worker;
  m.there = there;
  sigaction(SIGPIPE, &ignore, &before);
  while (write(warden->pipe, &m, sizeof m) < 0 && errno == EINTR) continue;
  sigaction(SIGPIPE, &before, NULL);
}

void wisp_warden_dismiss(wisp_warden *warden)
{
  if (warden->pid <= 0) return;
  close(warden->pipe);
  wisp_process_await(warden->pid, 10);
  *warden = (wisp_warden){0};
}
