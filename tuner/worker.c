#include "worker.h"
#include "sweep.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the worker's end --- */

typedef struct job {
  wisp_worker_body *body;
  void *context;
  wisp_link link;
} job;

static void *work(void *context)
{
  job *j = context;
  wisp_note note = {.kind = WISP_NOTE_END};
  wisp_answer_note answer;
  note.status = j->body(&note.error, j->context, &j->link);
  wisp_link_ask(NULL, &j->link, &note, &answer);
  return NULL;
}

/* Ends with the tuner; leaves no core files; has none of its handlers. The work is done in a new thread: what libraries
 * such as OpenMP's keep for the calling one belongs to threads that a fork does not have. */
static _Noreturn void be_worker(job *j, pid_t tuner)
{
  struct rlimit none = {0, 0};
  sigset_t all;
  pthread_t thread;
  for (int signal_number = 1; signal_number < 32; signal_number++) signal(signal_number, SIG_DFL);
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != tuner) _exit(1);
  setrlimit(RLIMIT_CORE, &none);
  if (pthread_create(&thread, NULL, work, j) != 0) _exit(1);
  pthread_join(thread, NULL);
  _exit(0);
}

/* --- the tuner's end --- */

wisp_status wisp_worker_start(wisp_error *err, wisp_worker *all, size_t count, size_t which, const char *device,
                              wisp_worker_body *body, void *context)
{
  int ends[2];
  pid_t tuner = getpid();
  wisp_worker *worker = &all[which];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return wisp_fail(err, WISP_ESYSTEM, "cannot make a pair of sockets: %s", strerror(errno));
  pid_t pid = fork();
  if (pid == 0) {
    job j = {.body = body, .context = context, .link = {.socket = ends[1], .device = device}};
    close(ends[0]);
    for (size_t i = 0; i < count; i++)
      if (all[i].pid > 0) close(all[i].socket);
    be_worker(&j, tuner);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return wisp_fail(err, WISP_ESYSTEM, "cannot start a worker: %s", strerror(errno));
  }
  worker->pid = pid;
  worker->socket = ends[0];
  worker->since = wisp_seconds();
  return WISP_OK;
}

int wisp_worker_reap(wisp_worker *worker, bool end_it)
{
  int how = 0;
  if (worker->pid <= 0) return 0;
  if (end_it) kill(worker->pid, SIGKILL);
  while (waitpid(worker->pid, &how, 0) < 0 && errno == EINTR) continue;
  close(worker->socket);
  worker->pid = 0;
  worker->seconds += wisp_seconds() - worker->since;
  return how;
}
