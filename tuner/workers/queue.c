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
} entry;

struct wisp_queue {
  double deadline;
  size_t count;
  entry *entries; /* heaviest first */
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
                              size_t precision_count, double deadline, wisp_queue **out)
{
  OWNED(wisp_queue_destroy) wisp_queue *queue = NULL;
  CALL(wisp_new(err, 1, sizeof *queue, &queue));
  CALL(wisp_new(err, order_count * precision_count, sizeof *queue->entries, &queue->entries));
  queue->deadline = deadline;
  for (size_t i = 0; i < order_count; i++)
    for (size_t p = 0; p < precision_count; p++)
      if (!find(queue, orders[i], precisions[p]))
        queue->entries[queue->count++] = (entry){.order = orders[i], .precision = precisions[p]};
  qsort(queue->entries, queue->count, sizeof *queue->entries, by_weight);
  return GIVE(queue, out);
}

void wisp_queue_destroy(wisp_queue *queue)
{
  if (!queue) return;
  free(queue->entries);
  free(queue);
}

/* The heaviest of those with the fewest rounds; *same: how many have as few. */
static entry *find_next(const wisp_queue *queue, double now, int *same)
{
  entry *next = NULL;
  *same = 0;
  for (size_t i = 0; i < queue->count; i++) {
    entry *e = &queue->entries[i];
    const bool due = e->rounds == 0 || (isfinite(queue->deadline) && now < queue->deadline && !e->exhausted);
    if (e->taken || !due) continue;
    if (!next || e->rounds < next->rounds) next = e, *same = 0;
    *same += e->rounds == next->rounds;
  }
  return next;
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
  out->until = now + (queue->deadline - now) / units;
  e->taken = e->begun = true;
  return true;
}

void wisp_queue_finish(wisp_queue *queue, const wisp_unit *unit, bool gained)
{
  entry *e = find(queue, unit->order, unit->precision);
  e->taken = e->begun = false;
  e->exhausted = !gained;
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
