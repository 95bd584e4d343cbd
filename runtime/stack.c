#include "stack.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

/* OWN: more than wisp's functions take, and LAPACK's. AMPLE: what wisp's threads get. MARGIN: besides a kernel's own
 * functions, those of libm and of OpenMP, and the loader's, which finds a function at its first call. */
enum { OWN = 192 << 10, AMPLE = 1 << 20, MARGIN = 24 << 10 };

/* Bytes between here and the end of this thread's stack; SIZE_MAX where the system does not tell. */
static size_t bytes_left(void)
{
  pthread_attr_t about;
  void *end = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &about) != 0) return SIZE_MAX;
  const int failed = pthread_attr_getstack(&about, &end, &size);
  pthread_attr_destroy(&about);
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  return failed || here < (uintptr_t)end ? SIZE_MAX : here - (uintptr_t)end;
}

int wisp_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
  pthread_attr_t about;
  size_t usual = 0;
  int failed = pthread_attr_init(&about);
  if (failed) return failed;
  if (pthread_attr_getstacksize(&about, &usual) == 0 && usual < AMPLE) pthread_attr_setstacksize(&about, AMPLE);
  failed = pthread_create(thread, &about, run, argument);
  pthread_attr_destroy(&about);
  return failed;
}

wisp_status wisp_stack_check(wisp_error *err)
{
  const size_t left = bytes_left();
  return wisp_require(err, left >= OWN, WISP_ESYSTEM,
                      "wisp needs %d KB of stack, and the thread that calls it has %zu KB left: raise the limit "
                      "('ulimit -s 8192'), or call from a thread with more",
                      OWN >> 10, left >> 10);
}

/* The bytes of a value of OMP_STACKSIZE: a number of KB, or of the letter's unit. 0: OpenMP ignores the value. */
static size_t openmp_bytes(const char *text)
{
  static const char units[] = "BKMG";
  char *end = NULL;
  const unsigned long long number = strtoull(text, &end, 10);
  end += strspn(end, " \t");
  const char *unit = end != text && *end ? strchr(units, toupper((unsigned char)*end)) : &units[1];
  const int shift = unit ? 10 * (int)(unit - units) : 0;
  if (end == text || !unit || (*end && end[1 + strspn(end + 1, " \t")]) || number > SIZE_MAX >> shift) return 0;
  return (size_t)number << shift;
}

static void *do_nothing(void *argument)
{
  return argument;
}

/* The user's own choice stands. A block's shared arrays lie on stacks. A thread that waits sleeps: one that spins keeps
 * the core from whom it waits for as soon as another process runs, and stages took from twice to twenty times as long.
 */
void wisp_openmp_prepare(void)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  setenv("OMP_STACKSIZE", "16M", 0);
  setenv("OMP_WAIT_POLICY", "passive", 0);
  pthread_mutex_unlock(&lock);
}

wisp_status wisp_openmp_check(wisp_error *err)
{
  const char *text = getenv("OMP_STACKSIZE");
  const size_t bytes = text ? openmp_bytes(text) : 0;
  pthread_attr_t about;
  pthread_t thread;
  int failed = 0;
  if (!bytes || pthread_attr_init(&about) != 0) return WISP_OK;
  if (pthread_attr_setstacksize(&about, bytes) == 0) { /* else OpenMP does not take it either, and says so */
    failed = pthread_create(&thread, &about, do_nothing, NULL);
    if (!failed) pthread_join(thread, NULL);
  }
  pthread_attr_destroy(&about);
  return wisp_require(
      err, failed != EINVAL, WISP_ESYSTEM,
      "OMP_STACKSIZE is '%s', which is too little for any thread: unset OMP_STACKSIZE, or set it to 16M", text);
}

/* The findings of the threads of a parallel region. */
typedef struct survey {
  pthread_t caller;
  _Atomic size_t least;
} survey;

static void survey_thread(void *context)
{
  survey *s = context;
  const size_t own = bytes_left();
  if (pthread_equal(pthread_self(), s->caller)) return;
  size_t least = atomic_load(&s->least);
  while (own < least && !atomic_compare_exchange_weak(&s->least, &least, own)) {}
}

/* The process in which OpenMP has threads for this one; 0: there are none yet. */
static _Thread_local pid_t team_process;

/* A child has the calling thread alone of its parent's, and OpenMP would wait for the others. */
static wisp_status check_process(wisp_error *err, const char *name)
{
  return wisp_require(err, !team_process || team_process == getpid(), WISP_ESYSTEM,
                      "%s: this thread ran kernels before a fork, and OpenMP's threads are not in process %d: run it "
                      "in a new thread, or in the parent",
                      name, (int)getpid());
}

/* The least stack of OpenMP's threads. Compilers, and libomp, make GOMP_parallel of a parallel region. */
static wisp_status survey_team(wisp_error *err, void *object, const char *name, wisp_host_stacks *stacks)
{
  void (*parallel)(void (*work)(void *), void *context, unsigned threads, unsigned flags) = NULL;
  void *symbol = dlsym(object, "GOMP_parallel");
  survey s = {.caller = pthread_self()};
  if (!symbol) return WISP_OK;
  CALL(check_process(err, name));
  memcpy(&parallel, &symbol, sizeof parallel);
  atomic_init(&s.least, SIZE_MAX);
  parallel(survey_thread, &s, 0, 0);
  stacks->team = atomic_load(&s.least);
  stacks->knows_team = true;
  if (stacks->team != SIZE_MAX) team_process = getpid();
  return WISP_OK;
}

wisp_status wisp_host_stacks_check(wisp_error *err, wisp_host_stacks *stacks, void *object, const char *name,
                                   size_t bytes)
{
  const size_t need = bytes + MARGIN;
  if (!stacks->knows_team && object) CALL(survey_team(err, object, name, stacks));
  if (!stacks->knows_caller || !pthread_equal(stacks->thread, pthread_self())) {
    if (stacks->knows_team) CALL(check_process(err, name));
    if (stacks->knows_team && stacks->team != SIZE_MAX) team_process = getpid();
    stacks->knows_caller = true;
    stacks->thread = pthread_self();
    stacks->caller = bytes_left();
  }
  CALL(wisp_require(err, !stacks->knows_team || need <= stacks->team, WISP_ESYSTEM,
                    "%s needs %zu KB of stack in each thread, and OpenMP's have %zu KB: unset OMP_STACKSIZE, or set it "
                    "to 16M",
                    name, need >> 10, stacks->team >> 10));
  return wisp_require(
      err, need <= stacks->caller, WISP_ESYSTEM,
      "%s needs %zu KB of stack, and the thread that calls it has %zu KB left: raise the limit ('ulimit "
      "-s 8192'), or call from a thread with more",
      name, need >> 10, stacks->caller >> 10);
}
