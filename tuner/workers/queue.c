#include "queue.h"
#include "../sweep/sweep.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  int order;
  wisp_precision precision;
  int rounds; /* that it had */
  bool taken, begun, exhausted;
  double since, look; /* when it was taken; seconds of its first round */
  double expected;    /* gain of its next round */
  double hopes;       /* of a round that finds something; halved by each that does not */
} entry;

struct wisp_queue {
  double deadline;
  bool by_gain;
  size_t count;
  entry *entries; /* heaviest first; by_gain: lightest first */
};

static int by_weight(const void *a, const void *b)
{
  const entry *x = a, *y = b;
  if (x->order != y->order) return y->order - x->order;
  return (x->precision == WISP_F32) - (y->precision == WISP_F32);
}

static entry *find(const wisp_queue *queue, int order, wisp_precision precision)
{
  for (size_t i = 0; i < queue->count; i++)
    if (queue->entries[i].order == order && queue->entries[i].precision == precision) return &queue->entries[i];
  return NULL;
}

wisp_status wisp_queue_create(wisp_error *err, const int *orders, size_t order_count, const wisp_precision *precisions,
                              size_t precision_count, double deadline, bool by_gain, wisp_queue **out)
{
  OWNED(wisp_queue_destroy) wisp_queue *queue = NULL;
  CALL(wisp_new(err, 1, sizeof *queue, &queue));
  CALL(wisp_new(err, order_count * precision_count, sizeof *queue->entries, &queue->entries));
  queue->deadline = deadline;
  queue->by_gain = by_gain;
  for (size_t i = 0; i < order_count; i++)
    for (size_t p = 0; p < precision_count; p++)
      if (!find(queue, orders[i], precisions[p]))
        queue->entries[queue->count++] = (entry){.order = orders[i], .precision = precisions[p]};
  qsort(queue->entries, queue->count, sizeof *queue->entries, by_weight);
  for (size_t i = 0; by_gain && i < queue->count / 2; i++) {
    const entry last = queue->entries[queue->count - 1 - i];
    queue->entries[queue->count - 1 - i] = queue->entries[i];
    queue->entries[i] = last;
  }
  return GIVE(queue, out);
}

void wisp_queue_destroy(wisp_queue *queue)
{
  if (!queue) return;
  free(queue->entries);
  free(queue);
}

static bool is_due(const wisp_queue *queue, const entry *e, double now)
{
  return e->rounds == 0 || (isfinite(queue->deadline) && now < queue->deadline && !e->exhausted);
}

/* Does a comes before b? First rounds before others; then by the expected gain, or the fewest rounds. */
static bool goes_first(const wisp_queue *queue, const entry *a, const entry *b)
{
  if (!queue->by_gain || a->rounds == 0 || b->rounds == 0) return a->rounds < b->rounds;
  return a->expected > b->expected;
}

/* The first one of those that go first; *same: how many have as few rounds. */
static entry *find_next(const wisp_queue *queue, double now, int *same)
{
  entry *next = NULL;
  *same = 0;
  for (size_t i = 0; i < queue->count; i++) {
    entry *e = &queue->entries[i];
    if (!e->taken && is_due(queue, e, now) && (!next || goes_first(queue, e, next))) next = e;
  }
  for (size_t i = 0; next && i < queue->count; i++) {
    const entry *e = &queue->entries[i];
    *same += !e->taken && is_due(queue, e, now) && e->rounds == next->rounds;
  }
  return next;
}

/* The end of a later round: its part of the workers' time until the deadline, by expected gains. */
static double end_of_share(const wisp_queue *queue, const entry *e, int workers, double now)
{
  double all = 0;
  for (size_t i = 0; i < queue->count; i++)
    if (is_due(queue, &queue->entries[i], now)) all += queue->entries[i].expected;
  const double left = queue->deadline - now, share = all > 0 ? e->expected / all : 1;
  return now + fmin(left, fmax(e->look, workers * left * share));
}

bool wisp_queue_has(const wisp_queue *queue, double now)
{
  int same = 0;
  return find_next(queue, now, &same) != NULL;
}

bool wisp_queue_take(wisp_queue *queue, int workers, double now, wisp_unit *out)
{
  int same = 0;
  entry *e = find_next(queue, now, &same);
  if (!e) return false;
  int units = (same + workers - 1) / workers; /* how many units in a row each worker has before it */
  *out = (wisp_unit){.order = e->order, .precision = e->precision, .later_round = e->rounds > 0, .resumed = e->begun};
  out->first_look = queue->by_gain && !e->rounds && queue->count > (size_t)workers;
  out->until = now + (queue->deadline - now) / units;
  if (queue->by_gain && e->rounds) out->until = end_of_share(queue, e, workers, now);
  if (!e->begun) e->since = now;
  e->taken = e->begun = true;
  return true;
}

void wisp_queue_finish(wisp_queue *queue, const wisp_unit *unit, double now, bool gained)
{
  static const double NO_GAIN = 0.005; /* less is noise */
  entry *e = find(queue, unit->order, unit->precision);
  e->taken = e->begun = false;
  if (!e->rounds) e->look = now - e->since, e->hopes = 1;
  if (e->rounds && !(unit->saved > NO_GAIN)) e->hopes /= 2;
  e->expected = fmax(unit->saved, e->hopes * unit->hopes);
  e->exhausted = !gained || (queue->by_gain && !(e->expected > 0));
  e->rounds++;
}

void wisp_queue_put_back(wisp_queue *queue, const wisp_unit *unit)
{
  find(queue, unit->order, unit->precision)->taken = false;
}

void wisp_queue_count(const wisp_queue *queue, size_t *waiting, size_t *finished, size_t *all)
{
  *waiting = *finished = 0;
  *all = queue->count;
  for (size_t i = 0; i < queue->count; i++) {
    *waiting += queue->entries[i].rounds == 0 && !queue->entries[i].taken;
    *finished += queue->entries[i].rounds > 0;
  }
}

/* ---- The journal. */

void wisp_journal_free(wisp_journal *journal)
{
  free(journal->tried.list), free(journal->suspects.list);
  *journal = (wisp_journal){0};
}

static uint64_t key_of(const wisp_trial *t)
{
  const char *const parts[] = {t->spec,          t->layout, t->strategy, t->params,
                               t->template_hash, t->device, t->target,   wisp_trial_mesh(t)};
  uint64_t hash = wisp_hash(WISP_HASH_SEED, &t->units, sizeof t->units);
  for (size_t i = 0; i < WISP_COUNT(parts); i++) hash = wisp_hash(hash, parts[i], strlen(parts[i]) + 1);
  return hash;
}

static bool has(const wisp_keys *k, const wisp_trial *trial)
{
  const uint64_t key = key_of(trial);
  for (size_t i = 0; i < k->count; i++)
    if (k->list[i] == key) return true;
  return false;
}

wisp_status wisp_keys_add(wisp_error *err, wisp_keys *k, const wisp_trial *trial)
{
  if (has(k, trial)) return WISP_OK;
  CALL(wisp_grow(err, &k->list, &k->capacity, k->count + 1, sizeof *k->list));
  k->list[k->count++] = key_of(trial);
  return WISP_OK;
}

wisp_status wisp_journal_look_up(wisp_error *err, wisp_journal *j, const wisp_trial *key, wisp_answer_note *answer)
{
  CALL(wisp_writer_has(err, j->writer, key, &answer->found, &answer->trial));
  answer->tried = has(&j->tried, key);
  int begun = answer->found ? wisp_reason_begun(&answer->trial) : 0;
  if (begun >= WISP_MAX_BEGUN) {
    wisp_trial_end(&answer->trial, WISP_TRIAL_CRASH, "the tuner ended during this trial, twice");
    CALL(wisp_writer_add(err, j->writer, &answer->trial));
  } else if (begun > 0)
    answer->found = false;
  return WISP_OK;
}

/* A measurement that is made anew keeps its row until then. */
wisp_status wisp_journal_begin(wisp_error *err, wisp_journal *j, const wisp_note *note, wisp_flight *f)
{
  wisp_trial row;
  bool found = false;
  int begun = 1 + has(&j->suspects, &note->trial);
  *f = (wisp_flight){.kind = note->kind, .trial = note->trial, .seconds = note->seconds};
  if (note->kind == WISP_NOTE_LAUNCH) {
    CALL(wisp_writer_has(err, j->writer, &note->trial, &found, &row));
    bool good = found && wisp_trial_is_right(&row);
    if (!good) {
      begun = 1 + (found ? wisp_reason_begun(&row) : 0);
      row = note->trial;
      wisp_reason_begin(&row, begun);
      CALL(wisp_writer_add(err, j->writer, &row));
    }
  }
  f->begun = begun;
  f->active = true;
  f->until = wisp_seconds() + note->seconds;
  return WISP_OK;
}

wisp_status wisp_journal_add(wisp_error *err, wisp_journal *j, const wisp_trial *trial)
{
  wisp_status status = wisp_writer_add(err, j->writer, trial);
  return status == WISP_OK ? wisp_keys_add(err, &j->tried, trial) : status;
}
