#include "supervisor.h"
#include "queue.h"
#include "../sweep/sweep.h"
#include "../../gen/environment.h"
#include "../../runtime/process.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* A device whose workers die so often without having tried anything is given up. */
enum { MAX_IDLE_DEATHS = 8, MAX_SILENCES = 2 };
/* A worker that has said its last word, or whose socket is closed, ends within this time. */
static const double END_SECONDS = 20;
/* So often is the caller reported that time goes by. */
static const double TICK_SECONDS = 0.25;

typedef struct card { /* one kind of device: its entries in the store are the same */
  wisp_limits limits;
  wisp_queue *queue;
} card;

typedef struct member { /* a device of the crew, and the worker on it, if there is one just now */
  const char *device;
  wisp_worker *worker;
  card *card; /* NULL until a worker has opened it */
  wisp_flight flight;
  wisp_tune_summary summary; /* of its workers */
  int idle_deaths, silences;
  double last_note; /* when its worker said something last, or began */
  bool fresh;       /* its worker has not asked for anything */
  bool finishing;   /* its worker compares stages, which a budget's end does not stop at once */
  bool busy;        /* has a unit, with or without a worker: */
  wisp_unit unit;
  wisp_tune_summary before; /* the summary, before it */
  long long here, left;     /* trials in it: tried, to come */
  wisp_status given_up;     /* else WISP_OK */
  wisp_error why;
  bool reported; /* the caller */
} member;

typedef struct supervisor {
  const wisp_crew *crew;
  wisp_journal journal;
  size_t count, cards;
  wisp_worker *workers;
  member *members;
  card *card;
  struct pollfd *wait; /* for each member, and for a signal */
  long long skipped;   /* that the caller was reported of */
  int stopped;         /* by this signal */
} supervisor;

/* --- totals --- */

/* Rounds of one target on several devices: the first one knows what was before, the last one what is there now. */
static void add_target(wisp_tune_summary *sum, const wisp_tuned *part)
{
  wisp_tuned *all = wisp_summary_target(sum, part->order, part->precision, part->part);
  if (!all) return;
  all->trials += part->trials;
  all->seconds += part->seconds;
  if (!(all->before_ms > 0)) all->before_ms = part->before_ms;
  if (part->after_ms > 0) all->after_ms = part->after_ms;
}

static wisp_tune_summary sum_of(const supervisor *s)
{
  wisp_tune_summary sum = {0};
  for (size_t i = 0; i < s->count; i++) {
    const wisp_tune_summary *part = &s->members[i].summary;
    sum.trials += part->trials;
    sum.ok += part->ok;
    sum.refused += part->refused;
    if (!*sum.why || (part->failed && !sum.failed)) memcpy(sum.why, part->why, sizeof sum.why);
    sum.failed += part->failed;
    for (int f = 0; f < part->failures; f++) wisp_summary_fail(&sum, &part->failure[f]);
    for (int t = 0; t < part->targets; t++) add_target(&sum, &part->target[t]);
    sum.known += part->known;
    sum.known_ok += part->known_ok;
    sum.skipped += part->skipped;
    sum.left_out += part->left_out;
    sum.device_seconds += s->workers[i].seconds;
    for (int p = 0; p < WISP_PHASES; p++) sum.spent[p] += part->spent[p];
    if (!*sum.limits.kind) sum.limits = part->limits;
  }
  wisp_profile_balance(sum.spent, sum.device_seconds);
  return sum;
}

/* Trials that the sweep will have come to: units that nobody has begun are taken to be like the others. */
static long long estimate(const supervisor *s, long long trials)
{
  double left = 0, units = 0, waiting = 0;
  for (size_t i = 0; i < s->count; i++) {
    const member *m = &s->members[i];
    if (!m->busy) continue;
    left += (double)m->left;
    if (!m->unit.later_round && m->here > 0) units += (double)m->here / (double)(m->here + m->left);
  }
  for (size_t c = 0; c < s->cards; c++) {
    size_t idle, finished, all;
    wisp_queue_count(s->card[c].queue, &idle, &finished, &all);
    units += (double)finished;
    waiting += (double)idle;
  }
  return trials + (long long)(left + waiting * (double)trials / fmax(units, 0.01));
}

static void report_progress(const supervisor *s, const member *m, const wisp_trial *trial, const wisp_trial *best)
{
  const wisp_tune_request *request = s->crew->request;
  if (!request->progress) return;
  wisp_tune_summary sum = sum_of(s);
  wisp_tune_progress progress = {.spec = trial->spec,
                                 .layout = trial->layout,
                                 .device = m->device,
                                 .worker = m - s->members,
                                 .done = sum.trials,
                                 .total = estimate(s, sum.trials),
                                 .failed = sum.failed,
                                 .last = trial,
                                 .best = best && best->ms > 0 ? best : NULL};
  request->progress(request->context, &progress);
}

/* --- units --- */

static wisp_status find_card(wisp_error *err, supervisor *s, const wisp_limits *limits, card **out)
{
  const wisp_tune_request *r = s->crew->request;
  for (size_t c = 0; c < s->cards; c++)
    if (wisp_limits_alike(&s->card[c].limits, limits)) {
      *out = &s->card[c];
      return WISP_OK;
    }
  card *new = &s->card[s->cards];
  new->limits = *limits;
  CALL(wisp_queue_create(err, r->orders, r->order_count, r->precisions, r->precision_count, s->crew->deadline,
                         isfinite(s->crew->stop), &new->queue));
  s->cards++;
  *out = new;
  return WISP_OK;
}

/* Workers that share a card's units; what is not open yet may turn out to be one of them. */
static int team_of(const supervisor *s, const card *c)
{
  int team = 0;
  for (size_t i = 0; i < s->count; i++) {
    const member *m = &s->members[i];
    team += m->given_up == WISP_OK && (m->card == c || !m->card);
  }
  return team;
}

/* Tells of devices that are given up, once another goes on: where none does, that is the sweep's own error. */
static void report_given_up(const supervisor *s)
{
  const wisp_tune_request *request = s->crew->request;
  bool one_goes_on = false;
  for (size_t i = 0; i < s->count; i++) one_goes_on |= s->members[i].card && s->members[i].given_up == WISP_OK;
  for (size_t i = 0; one_goes_on && request->warn && i < s->count; i++) {
    member *m = &s->members[i];
    char text[sizeof m->why.text + 128];
    if (m->given_up == WISP_OK || m->reported) continue;
    snprintf(text, sizeof text, WISP_MESSAGE("device %s failed, the others continue: %s"), m->device, m->why.text);
    m->reported = true;
    request->warn(request->context, text);
  }
}

/* The worker that goes on with the unit counts these anew. */
static void uncount(member *m)
{
  m->summary.known = m->before.known;
  m->summary.known_ok = m->before.known_ok;
  m->summary.refused = m->before.refused;
  wisp_summary_recount(&m->summary, &m->before);
  m->unit.resumed = true;
}

/* A worker goes on with what the one before it was at, or takes the next. */
static wisp_status hand_out(wisp_error *err, supervisor *s, member *m, const wisp_note *note, wisp_answer_note *answer)
{
  if (!m->fresh && m->busy) {
    m->summary = note->summary;
    m->busy = false;
    m->unit.saved = note->unit.saved, m->unit.hopes = note->unit.hopes;
    wisp_queue_finish(m->card->queue, &m->unit, wisp_seconds(), m->here > 0);
  } else if (m->busy)
    uncount(m);
  m->fresh = m->finishing = false;
  m->summary.limits = note->summary.limits;
  if (!m->card) CALL(find_card(err, s, &m->summary.limits, &m->card));
  report_given_up(s);
  if (!m->busy && wisp_queue_take(m->card->queue, team_of(s, m->card), wisp_seconds(), &m->unit)) {
    m->busy = true;
    m->here = m->left = 0;
    m->before = m->summary;
  }
  answer->found = m->busy;
  answer->unit = m->unit;
  answer->summary = m->summary;
  return WISP_OK;
}

/* --- trials --- */

/* Stores a trial that has ended and tells the caller. */
static wisp_status add(wisp_error *err, supervisor *s, member *m, const wisp_trial *trial, const wisp_trial *best)
{
  CALL(wisp_journal_add(err, &s->journal, trial));
  m->flight.active = false;
  m->idle_deaths = m->silences = 0;
  m->here++;
  report_progress(s, m, trial, best);
  return WISP_OK;
}

/* The candidate in flight came to a bad end. */
static wisp_status record_failure(wisp_error *err, supervisor *s, member *m, wisp_outcome outcome, const char *reason)
{
  wisp_trial trial = m->flight.trial;
  wisp_trial_end(&trial, outcome, "%s", reason);
  wisp_summary_count(&m->summary, &trial);
  return add(err, s, m, &trial, NULL);
}

/* --- the ends of workers --- */

static void give_up(supervisor *s, member *m, wisp_status status, const wisp_error *why)
{
  m->given_up = status;
  m->why = *why;
  if (m->busy) {
    uncount(m);
    wisp_queue_put_back(m->card->queue, &m->unit);
    m->busy = false;
  }
  report_given_up(s);
}

static wisp_status overdue(wisp_error *err, supervisor *s, member *m)
{
  char reason[128];
  bool compiling = m->flight.kind == WISP_NOTE_COMPILE;
  wisp_worker_reap(m->worker, s->crew->warden, 0);
  snprintf(reason, sizeof reason, WISP_MESSAGE("%s did not end within %.3g s: see %s"),
           compiling ? "its compilation" : "it", m->flight.seconds,
           compiling ? "WISP_COMPILE_SECONDS" : "WISP_TRIAL_SECONDS");
  if (compiling && m->flight.begun < WISP_MAX_BEGUN) { /* the worker may have been stopped */
    m->flight.active = false;
    return wisp_keys_add(err, &s->journal.suspects, &m->flight.trial);
  }
  return record_failure(err, s, m, compiling ? WISP_TRIAL_COMPILE_ERROR : WISP_TRIAL_HANG, reason);
}

/* It says nothing, and no trial is in flight that could be to blame. */
static void fell_silent(supervisor *s, member *m)
{
  wisp_error why = {0};
  wisp_worker_reap(m->worker, s->crew->warden, 0);
  wisp_status status = wisp_require(&why, ++m->silences < MAX_SILENCES, WISP_ESYSTEM,
                                    "its worker sent nothing for %.3g s, nor did the next: the device or its driver "
                                    "hangs, or is slow: see WISP_WORKER_SECONDS",
                                    wisp_environment_number("WISP_WORKER_SECONDS"));
  if (status != WISP_OK) give_up(s, m, status, &why);
}

/* The worker is gone without a word, or has so many seconds to go. */
static wisp_status died(wisp_error *err, supervisor *s, member *m, double seconds)
{
  char reason[128];
  int how = wisp_worker_reap(m->worker, s->crew->warden, seconds);
  if (WIFSIGNALED(how))
    snprintf(reason, sizeof reason, WISP_MESSAGE("the worker died of signal %d (%s)"), WTERMSIG(how),
             strsignal(WTERMSIG(how)));
  else
    snprintf(reason, sizeof reason, WISP_MESSAGE("the worker ended with status %d"), WEXITSTATUS(how));
  if (!m->flight.active) {
    wisp_error why = {0};
    wisp_status status =
        wisp_require(&why, ++m->idle_deaths < MAX_IDLE_DEATHS, WISP_ESYSTEM, "%s, outside of any trial", reason);
    if (status != WISP_OK) give_up(s, m, status, &why);
    return WISP_OK;
  }
  m->flight.active = false;
  if (m->flight.begun >= WISP_MAX_BEGUN) return record_failure(err, s, m, WISP_TRIAL_CRASH, reason);
  return wisp_keys_add(err, &s->journal.suspects, &m->flight.trial);
}

/* --- what workers ask --- */

/* The caller hears of the first. */
static void skipped(supervisor *s, member *m, const wisp_note *note)
{
  const wisp_tune_request *request = s->crew->request;
  char text[sizeof note->error.text + 128];
  m->summary = note->summary;
  if (s->skipped++ || !request->warn) return;
  snprintf(text, sizeof text, WISP_MESSAGE("not stored, and for another sweep to try: %s"), note->error.text);
  request->warn(request->context, text);
}

static wisp_status serve(wisp_error *err, supervisor *s, member *m, const wisp_note *note, wisp_answer_note *answer)
{
  switch (note->kind) {
    case WISP_NOTE_NEXT:
      return hand_out(err, s, m, note, answer);
    case WISP_NOTE_HAS:
      return wisp_journal_look_up(err, &s->journal, &note->trial, answer);
    case WISP_NOTE_PUT:
      return wisp_writer_add(err, s->journal.writer, &note->trial);
    case WISP_NOTE_COMPILE:
    case WISP_NOTE_LAUNCH:
      return wisp_journal_begin(err, &s->journal, note, &m->flight);
    case WISP_NOTE_FINISH:
      m->finishing = true;
      return WISP_OK;
    case WISP_NOTE_COMPILED:
    case WISP_NOTE_RAN:
      m->flight.active = false;
      return WISP_OK;
    case WISP_NOTE_ADD:
      m->summary = note->summary;
      m->left = note->left;
      return add(err, s, m, &note->trial, &note->best);
    case WISP_NOTE_SKIP:
      skipped(s, m, note);
      return WISP_OK;
    case WISP_NOTE_RESTART:
    case WISP_NOTE_END:
      break;
  }
  return WISP_OK;
}

/* There is something to read from its socket. A failing store is reported through the worker, which ends in order. */
static wisp_status attend(wisp_error *err, supervisor *s, member *m)
{
  wisp_note note;
  wisp_answer_note answer;
  if (!wisp_link_receive(m->worker->socket, &note, sizeof note)) {
    bool stopped = errno == EAGAIN || errno == EWOULDBLOCK; /* in the middle of a note */
    if (!stopped || m->flight.active) return died(err, s, m, stopped ? 0 : END_SECONDS);
    fell_silent(s, m);
    return WISP_OK;
  }
  memset(&answer, 0, sizeof answer);
  answer.status = serve(&answer.error, s, m, &note, &answer);
  wisp_link_send(m->worker->socket, &answer, sizeof answer);
  m->last_note = wisp_seconds();
  if (note.kind == WISP_NOTE_RESTART) wisp_worker_reap(m->worker, s->crew->warden, 0);
  if (note.kind == WISP_NOTE_END) {
    wisp_worker_reap(m->worker, s->crew->warden, END_SECONDS);
    if (note.status != WISP_OK) give_up(s, m, note.status, &note.error);
  }
  return WISP_OK;
}

/* --- the crew --- */

/* The budget is over: workers end now, but for those whose kernel runs, and for a while those that compare stages. */
static void end_in_time(supervisor *s)
{
  const double now = wisp_seconds();
  if (now < s->crew->stop) return;
  for (size_t i = 0; i < s->count; i++) {
    member *m = &s->members[i];
    const bool waits =
        (m->flight.active && m->flight.kind == WISP_NOTE_LAUNCH) || (m->finishing && now < s->crew->late);
    if (m->worker->pid > 0 && !waits) wisp_worker_reap(m->worker, s->crew->warden, 0);
  }
}

/* A device needs a worker to be opened, to go on with a unit, or for a unit that came back. */
static wisp_status start_wanted(wisp_error *err, supervisor *s, size_t *running)
{
  const bool over = wisp_seconds() >= s->crew->stop;
  *running = 0;
  for (size_t i = 0; i < s->count; i++) {
    member *m = &s->members[i];
    if (m->worker->pid <= 0 && m->given_up == WISP_OK && !over &&
        (!m->card || m->busy || wisp_queue_has(m->card->queue, wisp_seconds()))) {
      m->fresh = true;
      m->flight.active = false;
      CALL(wisp_worker_start(err, s->workers, s->count, i, m->device, s->crew->body, s->crew->context));
      wisp_warden_report(s->crew->warden, m->worker->pid, true);
      m->last_note = wisp_seconds();
    }
    *running += m->worker->pid > 0;
  }
  return WISP_OK;
}

/* When it must have said something; its worker runs. */
static double limit_of(const member *m)
{
  return m->flight.active ? m->flight.until : m->last_note + wisp_environment_number("WISP_WORKER_SECONDS");
}

/* Waits until some worker says something, a signal comes, or the first limit is over. */
static wisp_status attend_all(wisp_error *err, supervisor *s)
{
  double first = INFINITY;
  for (size_t i = 0; i < s->count; i++) {
    const member *m = &s->members[i];
    s->wait[i] = (struct pollfd){.fd = m->worker->pid > 0 ? m->worker->socket : -1, .events = POLLIN};
    if (m->worker->pid > 0) first = fmin(first, limit_of(m));
  }
  const double stop = wisp_seconds() < s->crew->stop ? s->crew->stop : s->crew->late;
  if (wisp_seconds() < stop) first = fmin(first, stop);
  s->wait[s->count] = (struct pollfd){.fd = s->crew->interrupt ? s->crew->interrupt->fd : -1, .events = POLLIN};
  const wisp_tune_request *request = s->crew->request;
  double left = fmin(fmax(first - wisp_seconds(), 0), request->tick ? TICK_SECONDS : INFINITY);
  int ready = poll(s->wait, (nfds_t)s->count + 1, (int)fmin(ceil(1000 * left), 1e6));
  const int failure = ready < 0 ? errno : 0; /* before the tick, which may set another */
  double now = wisp_seconds();
  if (request->tick) request->tick(request->context);
  if (failure) return wisp_require(err, failure == EINTR, WISP_ESYSTEM, "cannot wait: %s", strerror(failure));
  if (s->wait[s->count].revents) s->stopped = wisp_interrupt_take(s->crew->interrupt);
  for (size_t i = 0; i < s->count && !s->stopped; i++) {
    member *m = &s->members[i];
    if (m->worker->pid <= 0) continue;
    if (s->wait[i].revents)
      CALL(attend(err, s, m));
    else if (now >= limit_of(m) && m->flight.active)
      CALL(overdue(err, s, m));
    else if (now >= limit_of(m))
      fell_silent(s, m);
  }
  return WISP_OK;
}

/* Fails where a unit is left, with the reason. */
static wisp_status conclude(wisp_error *err, const supervisor *s)
{
  const member *failed = NULL, *left = NULL;
  size_t good = 0;
  for (size_t i = 0; i < s->count; i++) {
    const member *m = &s->members[i];
    size_t waiting, finished = 0, all = 0;
    good += m->given_up == WISP_OK;
    if (m->given_up != WISP_OK) failed = m;
    if (m->card) wisp_queue_count(m->card->queue, &waiting, &finished, &all);
    if (m->given_up != WISP_OK && finished < all) left = m;
  }
  if (good && !left) return WISP_OK;
  failed = left ? left : failed;
  wisp_fail(err, failed->given_up, "%s", failed->why.text);
  return s->count > 1 ? wisp_context(err, failed->given_up, "device %s: ", failed->device) : failed->given_up;
}

wisp_status wisp_supervise(wisp_error *err, const wisp_crew *crew, wisp_tune_summary *summary)
{
  wisp_status status = WISP_OK;
  supervisor s = {.crew = crew, .count = crew->count, .journal = {.writer = crew->writer}};
  size_t running = 0;
  TRY(wisp_new(err, s.count, sizeof *s.workers, &s.workers));
  TRY(wisp_new(err, s.count, sizeof *s.members, &s.members));
  TRY(wisp_new(err, s.count, sizeof *s.card, &s.card));
  TRY(wisp_new(err, s.count + 1, sizeof *s.wait, &s.wait));
  for (size_t i = 0; i < s.count; i++) s.members[i] = (member){.device = crew->devices[i], .worker = &s.workers[i]};
  while (!s.stopped) {
    TRY(start_wanted(err, &s, &running));
    if (!running) break;
    TRY(attend_all(err, &s));
    end_in_time(&s);
  }
  for (size_t i = 0; i < s.count; i++) wisp_worker_reap(&s.workers[i], crew->warden, 0);
  if (!s.stopped) TRY(conclude(err, &s));
  *summary = sum_of(&s);
  summary->stopped = s.stopped;
  for (size_t i = 0; i < s.count && crew->request->device_done; i++) {
    wisp_tune_summary part = s.members[i].summary;
    part.seconds = part.device_seconds = s.workers[i].seconds;
    wisp_profile_balance(part.spent, part.device_seconds);
    crew->request->device_done(crew->request->context, s.members[i].device, &part);
  }
done:
  for (size_t i = 0; s.wait && i < s.count; i++) wisp_worker_reap(&s.workers[i], crew->warden, 0);
  for (size_t c = 0; c < s.cards; c++) wisp_queue_destroy(s.card[c].queue);
  wisp_journal_free(&s.journal);
  free(s.workers), free(s.members), free(s.card), free(s.wait);
  return status;
}
