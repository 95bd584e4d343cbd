#include "journal.h"
#include "../sweep/sweep.h"
#include "../../cache/store.h"
#include "../../gen/text.h"
#include "../../runtime/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wisp_journal_free(wisp_journal *journal)
{
  free(journal->tried.list), free(journal->suspects.list);
  *journal = (wisp_journal){0};
}

/* --- what was tried --- */

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

static wisp_status remember(wisp_error *err, wisp_keys *k, const wisp_trial *trial)
{
  if (has(k, trial)) return WISP_OK;
  CALL(wisp_grow(err, &k->list, &k->room, k->count + 1, sizeof *k->list));
  k->list[k->count++] = key_of(trial);
  return WISP_OK;
}

/* --- the store --- */

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
  return status == WISP_OK ? remember(err, &j->tried, trial) : status;
}

wisp_status wisp_journal_suspect(wisp_error *err, wisp_journal *j, const wisp_trial *trial)
{
  return remember(err, &j->suspects, trial);
}
