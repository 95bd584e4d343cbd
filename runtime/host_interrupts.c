#include "host_interrupts.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* SIGURG is ignored where nobody handles it: a late one does no harm. */
enum { TICK = SIGURG, DEEPEST = 4 };
static const int taken[] = {TICK, SIGSEGV, SIGTRAP};

/* The work of a thread that runs some. */
static _Thread_local struct {
  wisp_piece *run; /* NULL: none */
  void *context;
  unsigned count;
  atomic_uint next; /* piece that was not begun */
  volatile int depth;
  uintptr_t page, from, past;          /* whole pages around what is watched */
  volatile bool is_protected, is_ajar; /* all of them; but those that one writing was let through to */
  unsigned draws;
  int timer; /* the kernel's */
  struct sigaction before[3];
} own;

static bool is_more_to_run(void)
{
  return own.run && atomic_load(&own.next) < own.count;
}

/* The system takes half a microsecond for each page that changes. A tick between these lines leaves the flags right. */
static void protect(bool on)
{
  if (own.is_protected == on && !own.is_ajar) return;
  own.is_ajar = false;
  if (own.past > own.from) mprotect((void *)own.from, own.past - own.from, on ? PROT_READ : PROT_READ | PROT_WRITE);
  own.is_protected = on;
}

/* For one writing, which may cross into the next page. */
static void open_pages(uintptr_t at)
{
  const uintptr_t from = at / own.page * own.page, two = from + 2 * own.page;
  mprotect((void *)from, (two < own.past ? two : own.past) - from, PROT_READ | PROT_WRITE);
  own.is_ajar = true;
}

/* 0 to 15, in an order without a pattern. */
static unsigned draw(void)
{
  return own.draws++ * 2654435761u >> 28;
}

/* Ticks once, in 4 to 11 microseconds: at another place of a piece each time. */
static void set_timer(void)
{
  const long after = 4000 + (long)draw() * 500;
  const struct itimerspec once = {.it_value = {0, after}};
  syscall(SYS_timer_settime, own.timer, 0, &once, NULL);
}

/* Runs the next piece, up to its first writing and further; false: all have begun. */
static bool run_next(void)
{
  const unsigned i = atomic_fetch_add(&own.next, 1);
  if (i >= own.count) return false;
  protect(own.depth < DEEPEST && is_more_to_run());
  own.run(own.context, i);
  return true;
}

/* From here on the next writing is interrupted. */
static void handle_tick(int signal)
{
  const int error = errno;
  (void)signal;
  if (own.depth < DEEPEST && is_more_to_run()) protect(true);
  errno = error;
}

/* A processor that stops behind the next instruction lets some writings pass: those of an element come one behind the
 * other. */
static bool stop_behind_next(void *context, bool on)
{
#ifdef __x86_64__
  enum { TRAP = 0x100 };
  greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
  *flags = on ? *flags | TRAP : *flags & ~(greg_t)TRAP;
  return true;
#else
  (void)context, (void)on;
  return false;
#endif
}

static void handle_stop(int signal, siginfo_t *info, void *context)
{
  (void)signal, (void)info;
  stop_behind_next(context, false);
  handle_tick(TICK);
}

static void handle_fault(int signal, siginfo_t *info, void *context)
{
  enum { PASS = 13 }; /* of 16 */
  const int error = errno;
  const uintptr_t at = (uintptr_t)info->si_addr;
  if (own.run && at >= own.from && at < own.past) {
    if (own.is_ajar) {
      protect(false); /* the same instruction writes elsewhere too */
    } else if (draw() < PASS && stop_behind_next(context, true)) {
      open_pages(at);
    } else {
      own.depth++;
      run_next();
      own.depth--;
      protect(false);
      if (is_more_to_run()) set_timer();
    }
  } else
    sigaction(signal, &own.before[1], NULL); /* comes again, and is its own */
  errno = error;
}

/* A timer that sends its signal to the calling thread alone. */
static bool make_timer(void)
{
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &own.timer) == 0;
}

static void take_signals(void)
{
  const struct sigaction ours[] = {{.sa_handler = handle_tick, .sa_flags = SA_NODEFER | SA_RESTART},
                                   {.sa_sigaction = handle_fault, .sa_flags = SA_NODEFER | SA_SIGINFO},
                                   {.sa_sigaction = handle_stop, .sa_flags = SA_NODEFER | SA_SIGINFO}};
  for (int i = 0; i < 3; i++) sigaction(taken[i], &ours[i], &own.before[i]);
}

static void set_range(const wisp_watched *watched)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)watched->from;
  own.page = page;
  own.from = from / page * page;
  own.past = (from + watched->bytes + page - 1) / page * page;
}

void wisp_run_interrupted(wisp_piece *run, void *context, unsigned count, const wisp_watched *watched)
{
  sigset_t ours, mask;
  own.run = run, own.context = context, own.count = count, own.depth = 0;
  atomic_store(&own.next, 0);
  sigemptyset(&ours);
  sigaddset(&ours, TICK);
  set_range(watched);
  take_signals();
  const bool timed = make_timer();
  pthread_sigmask(SIG_UNBLOCK, &ours, &mask);
  if (timed) set_timer();
  while (run_next()) continue;
  if (timed) syscall(SYS_timer_delete, own.timer);
  own.run = NULL;
  protect(false);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  for (int i = 0; i < 3; i++) sigaction(taken[i], &own.before[i], NULL);
}
