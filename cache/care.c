#include "change.h"
#include "columns.h"
#include "reader.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { EXPORT_VERSION = 1 }; /* of the JSON that wisp_store_export writes: docs/store.md */

/* Reads a file that must be there. */
static wisp_status load(wisp_error *err, const char *path, bool thorough, wisp_trials *list)
{
  bool there = false;
  wisp_status status = wisp_reader_load(err, path, thorough, &there, list);
  if (status != WISP_OK || there) return status;
  return wisp_fail(err, WISP_EMISSING, "%s: there is no tuning store here: check the path, or fill one with wisp tune",
                   path);
}

wisp_status wisp_store_check(wisp_error *err, const char *path, wisp_text *report)
{
  static const char *const outcomes[] = {"ok",    "slow", "wrong",     "refused", "compile-error",
                                         "crash", "hang", "unfinished"};
  enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };
  size_t counts[OUTCOMES + 1] = {0};
  wisp_status status = WISP_OK;
  wisp_trials list = {0};
  TRY(load(err, path, true, &list));
  for (size_t i = 0; i < list.count; i++) {
    size_t at = 0;
    while (at < OUTCOMES && strcmp(list.trials[i].outcome, outcomes[at]) != 0) at++;
    counts[at]++;
  }
  TRY(wisp_text_print(err, report, "%s: whole; %zu trials, each with its checksum", path, list.count));
  for (size_t at = 0; at <= OUTCOMES; at++)
    if (counts[at]) TRY(wisp_text_print(err, report, ", %zu %s", counts[at], at < OUTCOMES ? outcomes[at] : "other"));
  TRY(wisp_text_print(err, report, "\n"));
done:
  free(list.trials);
  return status;
}

/* Adds a list's trials, each unless the file has a later one. */
static wisp_status add_newer(wisp_error *err, wisp_writer *writer, const void *context, long long *changed)
{
  const wisp_trials *list = context;
  for (size_t i = 0; i < list->count; i++) {
    bool written = false;
    wisp_status status = wisp_rows_insert(err, &writer->database, writer->newer, &list->trials[i], &written);
    if (status != WISP_OK) return status;
    *changed += written;
  }
  return WISP_OK;
}

wisp_status wisp_store_merge(wisp_error *err, const char *into, size_t count, const char *const *from, long long *added)
{
  wisp_status status = WISP_OK;
  wisp_trials list = {0};
  for (size_t i = 0; i < count; i++) TRY(load(err, from[i], false, &list));
  TRY(wisp_store_change(err, into, add_newer, &list, added));
done:
  free(list.trials);
  return status;
}

typedef struct pruning {
  wisp_current keep;
  const void *context;
} pruning;

static wisp_status remove_unkept(wisp_error *err, wisp_writer *writer, const void *context, long long *changed)
{
  wisp_status status = WISP_OK;
  const pruning *how = context;
  wisp_trials list = {0};
  TRY(wisp_rows_read(err, &writer->database, &list));
  for (size_t i = 0; i < list.count; i++) {
    if (how->keep(how->context, &list.trials[i])) continue;
    TRY(wisp_rows_bind_key(err, &writer->database, writer->remove, &list.trials[i]));
    TRY(wisp_database_fail(err, &writer->database, sqlite3_step(writer->remove)));
    (*changed)++;
  }
done:
  sqlite3_reset(writer->remove);
  free(list.trials);
  return status;
}

wisp_status wisp_store_prune(wisp_error *err, const char *path, wisp_current keep, const void *context,
                             long long *removed)
{
  wisp_status status = WISP_OK;
  pruning how = {keep, context};
  wisp_trials list = {0};
  TRY(load(err, path, false, &list)); /* it is there, and whole */
  TRY(wisp_store_change(err, path, remove_unkept, &how, removed));
done:
  free(list.trials);
  return status;
}

wisp_status wisp_store_export(wisp_error *err, const char *path, wisp_text *json)
{
  wisp_status status = WISP_OK;
  wisp_trials list = {0};
  TRY(load(err, path, false, &list));
  TRY(wisp_text_print(err, json, "{\"wisp_store\": %d, \"trials\": [", EXPORT_VERSION));
  for (size_t i = 0; i < list.count; i++) { /* one trial a line */
    cJSON *object = wisp_trial_to_json(&list.trials[i]);
    char *text = object ? cJSON_PrintUnformatted(object) : NULL;
    status = text ? wisp_text_print(err, json, "%s\n%s", i ? "," : "", text)
                  : wisp_fail(err, WISP_EMEMORY, "%s: out of memory", path);
    cJSON_free(text);
    cJSON_Delete(object);
    TRY(status);
  }
  TRY(wisp_text_print(err, json, "\n]}\n"));
done:
  free(list.trials);
  return status;
}

static wisp_status parse_export(wisp_error *err, const char *path, const char *json, wisp_trials *list)
{
  wisp_status status = WISP_OK;
  wisp_trial trial;
  const cJSON *item;
  cJSON *root = cJSON_Parse(json);
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "wisp_store");
  const cJSON *trials = cJSON_GetObjectItemCaseSensitive(root, "trials");
  TRY(wisp_require(err, root, WISP_EINPUT, "import into %s: the text is not JSON (or is cut off)", path));
  TRY(wisp_require(err, cJSON_IsNumber(version) && cJSON_IsArray(trials), WISP_EINPUT,
                   "import into %s: this JSON is no export of a store: it lacks \"wisp_store\" or \"trials\"", path));
  TRY(wisp_require(err, version->valuedouble == EXPORT_VERSION, WISP_EINPUT,
                   "import into %s: the export is of version %g, this wisp reads %d: update wisp", path,
                   version->valuedouble, EXPORT_VERSION));
  cJSON_ArrayForEach(item, trials)
  {
    status = wisp_trial_from_json(err, item, &trial);
    TRY(wisp_context(err, status, "import into %s: trial %zu: ", path, list->count + 1));
    TRY(wisp_trials_add(err, list, &trial));
  }
done:
  cJSON_Delete(root);
  return status;
}

wisp_status wisp_store_import(wisp_error *err, const char *path, const char *json, long long *added)
{
  wisp_status status = WISP_OK;
  wisp_trials list = {0};
  TRY(parse_export(err, path, json, &list));
  TRY(wisp_store_change(err, path, add_newer, &list, added));
done:
  free(list.trials);
  return status;
}
