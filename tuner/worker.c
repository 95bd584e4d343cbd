#include "worker.h"
#include "../gen/text.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A candidate that was begun so often and never ended is not tried again; neither is a worker that dies idle. */
enum { MAX_BEGUN = 2, MAX_IDLE_DEATHS = 8 };

typedef struct keys { /* hashes of trials, sorted */
  size_t count, room;
  uint64_t *list;
} keys;

typedef struct flight { /* what the worker is at */
  bool active;
  wisp_note_kind kind; /* COMPILE or LAUNCH */
  wisp_trial trial;
  double seconds, until;
  int begun; /* how often, this time included */
} flight;

typedef struct supervisor {
  const wisp_tune_request *request;
  wisp_writer *writer;
  wisp_worker_body *body;
  void *context;
  wisp_tune_summary *summary;
  pid_t pid;
  int socket; /* the tuner's end */
  int restarts, idle_deaths;
  flight flight;
  keys tried;
  keys suspects; /* a worker died under them, whoever's fault that was */
  long long total;
  double seconds_left;
} supervisor;

typedef enum verdict { GOES_ON, REPLACED, ENDED } verdict;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void wisp_summary_count(wisp_tune_summary *summary, const wisp_trial *trial)
{
  bool ok = strcmp(trial->outcome, "ok") == 0 || strcmp(trial->outcome, "slow") == 0;
  bool refused = strcmp(trial->outcome, "refused") == 0;
  summary->trials++;
  summary->ok += ok;
  summary->refused += refused;
  summary->failed += !ok && !refused;
}

/* --- what was tried --- */

static uint64_t key_of(const wisp_trial *t)
{
  const char *const parts[] = {t->spec, t->layout, t->strategy, t->params, t->template_hash};
  uint64_t hash = WISP_HASH_SEED;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hash = wisp_hash(hash, parts[i], strlen(parts[i]) + 1);
  return hash;
}

/* Where a key is in the list, or belongs. */
static size_t place_of(const keys *k, uint64_t key)
{
  size_t low = 0, high = k->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (k->list[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool has(const keys *k, const wisp_trial *trial)
{
  uint64_t key = key_of(trial);
  size_t at = place_of(k, key);
  return at < k->count && k->list[at] == key;
}

static wisp_status remember(wisp_error *err, keys *k, const wisp_trial *trial)
{
  uint64_t key = key_of(trial);
  size_t at = place_of(k, key);
  if (at < k->count && k->list[at] == key) return WISP_OK;
  if (k->count == k->room) {
    size_t room = k->room ? 2 * k->room : 256;
    uint64_t *list = realloc(k->list, room * sizeof *list);
    if (!list) return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu trials", room);
    k->list = list;
    k->room = room;
  }
  memmove(k->list + at + 1, k->list + at, (k->count - at) * sizeof *k->list);
  k->list[at] = key;
  k->count++;
  return WISP_OK;
}

/* --- the store --- */

static void set_outcome(wisp_trial *t, const char *outcome, const char *reason)
{
  snprintf(t->outcome, sizeof t->outcome, "%s", outcome);
  snprintf(t->reason, sizeof t->reason, "%.*s", (int)sizeof t->reason - 1, reason);
}

/* How often a trial was begun without coming to an end. */
static int times_begun(const wisp_trial *t)
{
  int times = 0;
  if (strcmp(t->outcome, "unfinished") != 0) return 0;
  return sscanf(t->reason, "begun %d", &times) == 1 && times > 0 ? times : 1;
}

/* Stores a trial that has ended and tells the caller. */
static wisp_status add(wisp_error *err, supervisor *s, const wisp_trial *trial, const wisp_trial *best)
{
  wisp_status status = WISP_OK;
  wisp_tune_progress progress = {.spec = trial->spec,
                                 .layout = trial->layout,
                                 .done = s->summary->trials,
                                 .failed = s->summary->failed,
                                 .seconds_left = s->seconds_left,
                                 .last = trial,
                                 .best = best && best->ms > 0 ? best : NULL};
  TRY(wisp_writer_add(err, s->writer, trial));
  TRY(remember(err, &s->tried, trial));
  s->flight.active = false;
  s->idle_deaths = 0;
  progress.total = s->total > progress.done ? s->total : progress.done;
  if (s->request->progress) s->request->progress(s->request->context, &progress);
done:
  return status;
}

/* The candidate in flight came to a bad end. */
static wisp_status record_failure(wisp_error *err, supervisor *s, const char *outcome, const char *reason)
{
  wisp_trial trial = s->flight.trial;
  set_outcome(&trial, outcome, reason);
  wisp_summary_count(s->summary, &trial);
  return add(err, s, &trial, NULL);
}

/* Known: what came to an end, and what was begun too often. */
static wisp_status look_up(wisp_error *err, supervisor *s, const wisp_trial *key, wisp_answer_note *answer)
{
  wisp_status status = WISP_OK;
  TRY(wisp_writer_has(err, s->writer, key, &answer->found, &answer->trial));
  answer->tried = has(&s->tried, key);
  int begun = answer->found ? times_begun(&answer->trial) : 0;
  if (begun >= MAX_BEGUN) {
    set_outcome(&answer->trial, "crash", "the tuner ended during this trial, twice");
    TRY(wisp_writer_add(err, s->writer, &answer->trial));
  } else if (begun > 0)
    answer->found = false;
done:
  return status;
}

/* The journal: on disk before the launch. A measurement that is made anew keeps its row until then. */
static wisp_status begin(wisp_error *err, supervisor *s, const wisp_note *note)
{
  wisp_status status = WISP_OK;
  wisp_trial row;
  bool found = false;
  flight *f = &s->flight;
  bool same = f->kind == note->kind && key_of(&f->trial) == key_of(&note->trial);
  int begun = same ? f->begun + 1 : 1;
  *f = (flight){.kind = note->kind, .trial = note->trial, .seconds = note->seconds};
  if (note->kind == WISP_NOTE_LAUNCH) {
    TRY(wisp_writer_has(err, s->writer, &note->trial, &found, &row));
    bool good = found && (strcmp(row.outcome, "ok") == 0 || strcmp(row.outcome, "slow") == 0);
    begun = good ? 1 + has(&s->suspects, &note->trial) : 1 + (found ? times_begun(&row) : 0);
    if (!good) {
      row = note->trial;
      set_outcome(&row, "unfinished", "");
      snprintf(row.reason, sizeof row.reason, "begun %d times, never ended", begun);
      TRY(wisp_writer_add(err, s->writer, &row));
    }
  }
  f->begun = begun;
  f->active = true;
  f->until = now() + note->seconds;
done:
  return status;
}

/* --- the worker's end --- */

typedef struct job {
  supervisor *s;
  wisp_link link;
} job;

static void *work(void *context)
{
  job *j = context;
  wisp_note note = {.kind = WISP_NOTE_END, .summary = *j->s->summary};
  wisp_answer_note answer;
  note.summary.known = note.summary.refused = 0; /* counted anew */
  note.status = j->s->body(&note.error, j->s->context, &j->link, &note.summary);
  wisp_link_ask(NULL, &j->link, &note, &answer);
  return NULL;
}

/* Ends with the tuner; leaves no core files; has none of its handlers. The work is done in a new thread: what libraries
 * such as OpenMP's keep for the calling one belongs to threads that a fork does not have. */
static _Noreturn void be_worker(supervisor *s, pid_t tuner, int socket)
{
  struct rlimit none = {0, 0};
  sigset_t all;
  pthread_t thread;
  job j = {.s = s, .link = {.socket = socket, .restarts = s->restarts}};
  for (int signal_number = 1; signal_number < 32; signal_number++) signal(signal_number, SIG_DFL);
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != tuner) _exit(1);
  setrlimit(RLIMIT_CORE, &none);
  if (pthread_create(&thread, NULL, work, &j) != 0) _exit(1);
  pthread_join(thread, NULL);
  _exit(0);
}

static wisp_status start(wisp_error *err, supervisor *s)
{
  int ends[2];
  pid_t tuner = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return wisp_fail(err, WISP_ESYSTEM, "cannot make a pair of sockets: %s", strerror(errno));
  s->pid = fork();
  if (s->pid == 0) {
    close(ends[0]);
    be_worker(s, tuner, ends[1]);
  }
  close(ends[1]);
  s->socket = ends[0];
  if (s->pid > 0) return WISP_OK;
  close(ends[0]);
  return wisp_fail(err, WISP_ESYSTEM, "cannot start a worker: %s", strerror(errno));
}

/* --- the tuner's end --- */

static int reap(supervisor *s, bool end_it)
{
  int how = 0;
  if (s->pid <= 0) return 0;
  if (end_it) kill(s->pid, SIGKILL);
  while (waitpid(s->pid, &how, 0) < 0 && errno == EINTR) continue;
  close(s->socket);
  s->pid = 0;
  return how;
}

static wisp_status overdue(wisp_error *err, supervisor *s)
{
  char reason[128];
  bool compiling = s->flight.kind == WISP_NOTE_COMPILE;
  reap(s, true);
  snprintf(reason, sizeof reason, "%s did not end within %.3g s: see %s", compiling ? "its compilation" : "it",
           s->flight.seconds, compiling ? "WISP_COMPILE_SECONDS" : "WISP_TRIAL_SECONDS");
  return record_failure(err, s, compiling ? "compile-error" : "hang", reason);
}

/* The worker is gone without a word. */
static wisp_status died(wisp_error *err, supervisor *s)
{
  char reason[128];
  int how = reap(s, false);
  if (WIFSIGNALED(how))
    snprintf(reason, sizeof reason, "the worker died of signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
  else
    snprintf(reason, sizeof reason, "the worker ended with status %d", WEXITSTATUS(how));
  if (!s->flight.active)
    return wisp_require(err, ++s->idle_deaths < MAX_IDLE_DEATHS, WISP_ESYSTEM, "%s, outside of any trial", reason);
  s->flight.active = false;
  if (s->flight.begun >= MAX_BEGUN) return record_failure(err, s, "crash", reason);
  return remember(err, &s->suspects, &s->flight.trial);
}

static wisp_status serve(wisp_error *err, supervisor *s, const wisp_note *note, wisp_answer_note *answer, verdict *out)
{
  *out = GOES_ON;
  if (note->kind == WISP_NOTE_HAS) return look_up(err, s, &note->trial, answer);
  if (note->kind == WISP_NOTE_PUT) return wisp_writer_add(err, s->writer, &note->trial);
  if (note->kind == WISP_NOTE_COMPILE || note->kind == WISP_NOTE_LAUNCH) return begin(err, s, note);
  if (note->kind == WISP_NOTE_COMPILED || note->kind == WISP_NOTE_RAN) {
    s->flight.active = false;
    return WISP_OK;
  }
  if (note->kind == WISP_NOTE_RESTART) {
    *out = REPLACED;
    return WISP_OK;
  }
  *s->summary = note->summary;
  if (note->kind == WISP_NOTE_ADD) {
    s->total = note->total;
    s->seconds_left = note->seconds_left;
    return add(err, s, &note->trial, &note->best);
  }
  *out = ENDED;
  return wisp_require(err, note->status == WISP_OK, note->status, "%s", note->error.text);
}

/* Serves one worker to its end, whichever that is. */
static wisp_status watch(wisp_error *err, supervisor *s, verdict *out)
{
  wisp_status status = WISP_OK;
  wisp_note note;
  wisp_answer_note answer;
  *out = GOES_ON;
  while (*out == GOES_ON) {
    struct pollfd wait = {.fd = s->socket, .events = POLLIN};
    double left = s->flight.active ? fmax(s->flight.until - now(), 0) : 1000;
    int ready = poll(&wait, 1, (int)fmin(ceil(1000 * left), 1e6));
    if (ready < 0 && errno != EINTR)
      return wisp_fail(err, WISP_ESYSTEM, "cannot wait for the worker: %s", strerror(errno));
    if (ready == 0 && s->flight.active && now() >= s->flight.until) {
      *out = REPLACED;
      TRY(overdue(err, s));
    } else if (ready > 0 && !wisp_link_receive(s->socket, &note, sizeof note)) {
      *out = REPLACED;
      TRY(died(err, s));
    } else if (ready > 0) {
      memset(&answer, 0, sizeof answer);
      answer.status = serve(&answer.error, s, &note, &answer, out);
      wisp_link_send(s->socket, &answer, sizeof answer);
      /* A failing store is reported through the worker, which ends in order. */
      if (*out == ENDED && answer.status != WISP_OK) TRY(wisp_fail(err, answer.status, "%s", answer.error.text));
    }
  }
done:
  return status;
}

wisp_status wisp_worker_supervise(wisp_error *err, const wisp_tune_request *request, wisp_writer *writer,
                                  wisp_worker_body *body, void *context, wisp_tune_summary *summary)
{
  wisp_status status = WISP_OK;
  supervisor s = {.request = request, .writer = writer, .body = body, .context = context, .summary = summary};
  verdict last = REPLACED;
  s.seconds_left = NAN;
  while (last != ENDED) {
    TRY(start(err, &s));
    TRY(watch(err, &s, &last));
    reap(&s, last == REPLACED);
    s.restarts++;
  }
done:
  reap(&s, true);
  free(s.tried.list);
  free(s.suspects.list);
  return status;
}
