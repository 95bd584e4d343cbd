#include "warden.h"
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LEADERS = 1024 };

typedef struct message {
  pid_t leader;
  bool there;
} message;

/* One leader more or less. */
static void note(pid_t leaders[MOST_LEADERS], size_t *count, const message *m)
{
  size_t at = 0;
  while (at < *count && leaders[at] != m->leader) at++;
  if (m->there && at == *count && *count < MOST_LEADERS)
    leaders[(*count)++] = m->leader;
  else if (!m->there && at < *count)
    leaders[at] = leaders[--*count];
}

/* Waits until the members of a group are gone, so that none makes another file in a folder that is removed. */
static void await_group(pid_t leader)
{
  enum { TIMES = 100 };
  for (int i = 0; i < TIMES && kill(-leader, SIGKILL) == 0; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Ends programs that the command had started and not reported so far; one that was about to begin is seen later. */
static void end_unreported(pid_t owner)
{
  enum { TIMES = 3 };
  for (int i = 0; i < TIMES; i++) {
    wisp_programs_end(owner);
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
}

/* Keeps the list until the command's end of the socket is closed, however that came about. */
static _Noreturn void be_warden(int socket_end, pid_t owner)
{
  pid_t leaders[MOST_LEADERS];
  size_t count = 0;
  message m;
  prctl(PR_SET_NAME, "wisp-warden");
  setsid();
  signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN), signal(SIGHUP, SIG_IGN); /* it ends with the command */
  for (;;) {
    const ssize_t got = recv(socket_end, &m, sizeof m, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != (ssize_t)sizeof m) break;
    note(leaders, &count, &m);
  }
  for (size_t i = 0; i < count; i++) wisp_session_end(leaders[i]);
  for (size_t i = 0; i < count; i++) await_group(leaders[i]);
  end_unreported(owner);
  wisp_scratch_sweep();
  _exit(0);
}

wisp_status wisp_warden_start(wisp_error *err, wisp_warden *out)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return wisp_fail(err, WISP_ESYSTEM, "cannot make a pair of sockets: %s: raise the limit of open files (ulimit -n)",
                     strerror(errno));
  const pid_t owner = getpid();
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[1]);
    be_warden(ends[0], owner);
  }
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return wisp_fail(err, WISP_ESYSTEM, "cannot start a process: %s: raise the limit of processes (ulimit -u)",
                     strerror(errno));
  }
  *out = (wisp_warden){.pid = pid, .socket = ends[1]};
  return WISP_OK;
}

/* A warden that was killed is not told. */
void wisp_warden_report(const wisp_warden *warden, pid_t leader, bool there)
{
  message m;
  if (warden->pid <= 0) return;
  memset(&m, 0, sizeof m);
  m.leader = leader;
  m.there = there;
  while (send(warden->socket, &m, sizeof m, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

void wisp_warden_dismiss(wisp_warden *warden)
{
  if (warden->pid <= 0) return;
  close(warden->socket);
  wisp_process_await(warden->pid, 10);
  *warden = (wisp_warden){0};
}

/* ---- Programs that are run. */

static const wisp_warden *watching;

static void report_program(pid_t leader, bool there)
{
  wisp_warden_report(watching, leader, there);
}

void wisp_warden_watch(const wisp_warden *warden)
{
  watching = warden;
  wisp_process_watch(warden ? report_program : NULL);
}
