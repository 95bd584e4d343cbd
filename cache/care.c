#include "change.h"
#include "place.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

wisp_status wisp_store_check(wisp_error *err, const char *path, wisp_text *report)
{
  size_t counts[WISP_TRIAL_OTHER + 1] = {0};
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_reader_load_there(err, path, true, &list));
  for (size_t i = 0; i < list.count; i++) counts[wisp_trial_outcome(&list.trials[i])]++;
  CALL(wisp_text_print(err, report, "%s: whole; %zu trials, each with its checksum", path, list.count));
  for (int at = 0; at <= WISP_TRIAL_OTHER; at++)
    if (counts[at]) CALL(wisp_text_print(err, report, ", %zu %s", counts[at], wisp_outcome_name((wisp_outcome)at)));
  return wisp_text_print(err, report, "\n");
}

wisp_status wisp_change_add_newer(wisp_error *err, wisp_writer *writer, const void *context, long long *changed)
{
  const wisp_trials *list = context;
  for (size_t i = 0; i < list->count; i++) {
    bool written = false;
    CALL(wisp_rows_insert(err, &writer->database, writer->newer, &list->trials[i], &written));
    *changed += written;
  }
  return WISP_OK;
}

wisp_status wisp_store_merge(wisp_error *err, const char *into, size_t count, const char *const *from, long long *added)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  for (size_t i = 0; i < count; i++) CALL(wisp_reader_load_there(err, from[i], false, &list));
  return wisp_store_change(err, into, wisp_change_add_newer, &list, added);
}

typedef struct pruning {
  wisp_current keep;
  const void *context;
  const char *path;
  char **backup;
} pruning;

static wisp_status remove_unkept(wisp_error *err, wisp_writer *writer, const void *context, long long *changed)
{
  OWNED(sqlite3_reset) sqlite3_stmt *deletion = writer->remove;
  const pruning *how = context;
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_rows_read(err, &writer->database, &list));
  for (size_t i = 0; i < list.count; i++) {
    if (how->keep(how->context, &list.trials[i])) continue;
    if (how->backup && *changed == 0) { /* all that the file holds now, under a name of its own */
      CALL(wisp_store_backup_name(err, how->path, how->backup));
      CALL(wisp_store_write_new(err, *how->backup, how->path, &list));
    }
    CALL(wisp_rows_bind_key(err, &writer->database, deletion, &list.trials[i]));
    CALL(wisp_database_fail(err, &writer->database, sqlite3_step(deletion)));
    (*changed)++;
  }
  return WISP_OK;
}

wisp_status wisp_store_prune(wisp_error *err, const char *path, wisp_current keep, const void *context, char **backup,
                             long long *removed)
{
  wisp_status status = WISP_OK;
  OWNED(free) char *real = NULL;
  HELD(wisp_trials_free) wisp_trials list = {0};
  if (backup) *backup = NULL;
  TRY(wisp_reader_load_there(err, path, false, &list)); /* it is there, and whole */
  TRY(wisp_place_resolve(err, path, &real));
  const pruning how = {keep, context, real, backup};
  TRY(wisp_store_change(err, path, remove_unkept, &how, removed));
done:
  if (status != WISP_OK && backup && *backup) { /* nothing was removed */
    unlink(*backup);
    free(*backup);
    *backup = NULL;
  }
  return status;
}
