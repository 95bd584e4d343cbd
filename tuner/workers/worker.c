#include "worker.h"
#include "../sweep/sweep.h"
#include "../../gen/environment.h"
#include "../../runtime/process.h"
#include "../../runtime/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- Signals. */

static const int signals[WISP_INTERRUPTS] = {SIGINT, SIGTERM, SIGHUP};

/* A thread that a library started does not block what the tuner's does, and would be chosen to take the signal: it
 * blocks it from now on, and sends it back to the process. */
static void pass_on(int number, siginfo_t *about, void *context)
{
  ucontext_t *thread = context;
  (void)about;
  sigaddset(&thread->uc_sigmask, number);
  kill(getpid(), number);
}

wisp_status wisp_interrupt_begin(wisp_error *err, wisp_interrupt *out)
{
  sigset_t wanted;
  struct sigaction how = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&wanted);
  sigfillset(&how.sa_mask);
  for (int i = 0; i < WISP_INTERRUPTS; i++) {
    sigaction(signals[i], NULL, &out->before[i]);
    if (out->before[i].sa_handler != SIG_IGN) sigaddset(&wanted, signals[i]);
  }
  pthread_sigmask(SIG_BLOCK, &wanted, &out->mask);
  out->fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (out->fd < 0) {
    pthread_sigmask(SIG_SETMASK, &out->mask, NULL);
    return wisp_fail(err, WISP_ESYSTEM, "cannot wait for signals: %s", strerror(errno));
  }
  for (int i = 0; i < WISP_INTERRUPTS; i++)
    if (sigismember(&wanted, signals[i])) sigaction(signals[i], &how, NULL);
  return WISP_OK;
}

void wisp_interrupt_end(wisp_interrupt *interrupt)
{
  while (wisp_interrupt_take(interrupt)) continue; /* a second Ctrl-C while the sweep ended on the first */
  for (int i = 0; i < WISP_INTERRUPTS; i++) sigaction(signals[i], &interrupt->before[i], NULL);
  pthread_sigmask(SIG_SETMASK, &interrupt->mask, NULL);
  close(interrupt->fd);
}

int wisp_interrupt_take(const wisp_interrupt *interrupt)
{
  struct signalfd_siginfo about;
  return read(interrupt->fd, &about, sizeof about) == (ssize_t)sizeof about ? (int)about.ssi_signo : 0;
}

/* ---- Workers. */

/* The rest of a note that has begun to arrive is there at once, or its sender is stopped. */
enum { NOTE_SECONDS = 10 };

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
  note.status = j->body(&note.error, j->context, &j->link);
  wisp_link_ask(NULL, &j->link, &note, NULL);
  return NULL;
}

/* Ends with the tuner; leaves no core files; has none of its handlers. The work is done in a new thread: what libraries
 * such as OpenMP's keep for the calling one belongs to threads that a fork does not have. */
static _Noreturn void be_worker(job *j, pid_t tuner)
{
  struct rlimit none = {0, 0};
  sigset_t all;
  pthread_t thread;
  prctl(PR_SET_NAME, "wisp-worker");
  setsid(); /* Ctrl-C is for the tuner; and what this process starts can be found when it is gone */
  for (int signal_number = 1; signal_number < 32; signal_number++) signal(signal_number, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of file sizes fails, and is reported */
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != tuner) _exit(1);
  setrlimit(RLIMIT_CORE, &none);
  if (wisp_thread_start(&thread, work, j) != 0) _exit(1);
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
    return wisp_fail(err, WISP_ESYSTEM, "cannot make a pair of sockets: %s: raise the limit of open files (ulimit -n)",
                     strerror(errno));
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
    return wisp_fail(err, WISP_ESYSTEM, "cannot start a worker: %s: raise the limit of processes (ulimit -u)",
                     strerror(errno));
  }
  struct timeval rest = {.tv_sec = (long)ceil(fmin(NOTE_SECONDS, wisp_environment_number("WISP_WORKER_SECONDS")))};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &rest, sizeof rest);
  worker->pid = pid;
  worker->socket = ends[0];
  worker->since = wisp_seconds();
  return WISP_OK;
}

int wisp_worker_reap(wisp_worker *worker, const wisp_warden *warden, double seconds)
{
  if (worker->pid <= 0) return 0;
  if (seconds <= 0) kill(worker->pid, SIGKILL);
  int how = wisp_process_await(worker->pid, seconds);
  wisp_session_end(worker->pid);
  wisp_warden_report(warden, worker->pid, false);
  close(worker->socket);
  worker->pid = 0;
  worker->seconds += wisp_seconds() - worker->since;
  return how;
}
