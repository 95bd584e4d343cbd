#include "interrupt.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <ucontext.h>
#include <unistd.h>

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
