/* Stores to and from texts: JSON, and the shipped form. An import takes all of a text or nothing. */
#include "change.h"
#include "columns.h"
#include "reader.h"
#include "shipped.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- One trial as JSON. */

/* One member as a JSON value; what is unknown is null. NULL: no memory. Numbers go in as text: cJSON would print them
 * to 15 digits, which does not always give the same number back. */
static cJSON *value_of(const wisp_column *column, const wisp_trial *trial)
{
  bool nullable = column->kind == WISP_COLUMN_REAL || column->blank != 0;
  wisp_text text = {0};
  cJSON *value = NULL;
  if (nullable && !wisp_column_known(column, trial)) return cJSON_CreateNull();
  if (wisp_column_print(NULL, column, trial, &text) == WISP_OK)
    value = column->kind == WISP_COLUMN_TEXT ? cJSON_CreateString(text.data) : cJSON_CreateRaw(text.data);
  wisp_text_free(&text);
  return value;
}

cJSON *wisp_trial_to_json(const wisp_trial *trial)
{
  cJSON *object = cJSON_CreateObject();
  for (int i = 0; object && i < WISP_COLUMN_COUNT; i++) {
    cJSON *value = value_of(&wisp_columns[i], trial);
    if (value && cJSON_AddItemToObject(object, wisp_columns[i].name, value)) continue;
    cJSON_Delete(value);
    cJSON_Delete(object);
    object = NULL;
  }
  return object;
}

static bool take_samples(const cJSON *value, wisp_trial *trial)
{
  const int most = (int)(WISP_COUNT(trial->samples));
  const cJSON *sample;
  int count = 0;
  if (!cJSON_IsArray(value)) return false;
  cJSON_ArrayForEach(sample, value)
  {
    if (count == most || !(cJSON_IsNumber(sample) || cJSON_IsNull(sample))) return false;
    trial->samples[count++] = cJSON_IsNumber(sample) ? sample->valuedouble : NAN;
  }
  trial->sample_count = count;
  return true;
}

/* A JSON value into its member; false where it is of another kind or does not fit. */
static bool take(const wisp_column *column, const cJSON *value, wisp_trial *trial)
{
  if (cJSON_IsNull(value)) return true;
  if (cJSON_IsRaw(value)) return wisp_column_scan(column, value->valuestring, trial); /* straight from value_of */
  if (column->kind == WISP_COLUMN_TEXT)
    return cJSON_IsString(value) && wisp_column_scan(column, value->valuestring, trial);
  if (column->kind == WISP_COLUMN_SAMPLES) return take_samples(value, trial);
  if (!cJSON_IsNumber(value)) return false;
  double number = value->valuedouble;
  if (column->kind == WISP_COLUMN_REAL)
    wisp_column_set_real(column, trial, number);
  else if (!(fabs(number) <= 9007199254740992.0) || number != floor(number) || /* 2^53: exact as a double */
           !wisp_column_set_integer(column, trial, (long long)number))
    return false;
  return true;
}

wisp_status wisp_trial_from_json(wisp_error *err, const cJSON *json, wisp_trial *out)
{
  wisp_trial trial;
  wisp_trial_blank(&trial);
  if (!cJSON_IsObject(json)) return wisp_fail(err, WISP_EINPUT, "a trial is a JSON object of its fields");
  for (const cJSON *value = json->child; value; value = value->next) {
    const wisp_column *column = wisp_column_find(value->string);
    if (!column) return wisp_fail(err, WISP_EINPUT, "a trial has no field '%.60s'", value->string);
    if (!take(column, value, &trial))
      return wisp_fail(err, WISP_EINPUT, "field '%s' has no fitting value", column->name);
  }
  wisp_trial_take_words(&trial);
  wisp_status status = wisp_trial_check(err, &trial);
  if (status == WISP_OK) *out = trial;
  return status;
}

wisp_status wisp_text_add_item(wisp_error *err, wisp_text *out, bool first, cJSON *object)
{
  char *text = object ? cJSON_PrintUnformatted(object) : NULL;
  wisp_status status = wisp_require(err, text, WISP_EMEMORY, "out of memory: a list as JSON");
  if (status == WISP_OK) status = wisp_text_print(err, out, "%s\n", first ? "" : ",");
  if (status == WISP_OK) status = wisp_text_add_json(err, out, text);
  cJSON_free(text);
  cJSON_Delete(object);
  return status;
}

enum { EXPORT_VERSION = 1 }; /* of the JSON that wisp_store_export writes: docs/reference/store.md */

static const char blanks[] = " \t\r\n";

/* ---- Out. */

wisp_status wisp_trials_print_json(wisp_error *err, const wisp_trials *list, wisp_text *out)
{
  CALL(wisp_text_print(err, out, "{\"wisp_store\": %d, \"trials\": [", EXPORT_VERSION));
  for (size_t i = 0; i < list->count; i++)
    CALL(wisp_text_add_item(err, out, i == 0, wisp_trial_to_json(&list->trials[i])));
  return wisp_text_print(err, out, "\n]}\n");
}

wisp_status wisp_store_export(wisp_error *err, const char *path, bool winners_only, wisp_text *json)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_reader_load_there(err, path, false, &list));
  if (winners_only) wisp_shipped_select(&list, true);
  return wisp_trials_print_json(err, &list, json);
}

/* ---- In. */

static wisp_status take_document(wisp_error *err, const cJSON *root, wisp_trials *list)
{
  wisp_trial trial;
  size_t number = 0;
  const cJSON *item, *version = cJSON_GetObjectItemCaseSensitive(root, "wisp_store"),
                     *trials = cJSON_GetObjectItemCaseSensitive(root, "trials");
  CALL(wisp_require(
      err, cJSON_IsNumber(version) && cJSON_IsArray(trials), WISP_EINPUT,
      "this JSON is no export of a store: it lacks \"wisp_store\" or \"trials\": make one by 'wisp db export'"));
  CALL(wisp_require(err, version->valuedouble == EXPORT_VERSION, WISP_EINPUT,
                    "the export is of version %g, this wisp reads %d: update wisp", version->valuedouble,
                    EXPORT_VERSION));
  cJSON_ArrayForEach(item, trials)
  {
    number++;
    wisp_status status = wisp_trial_from_json(err, item, &trial);
    if (status == WISP_OK) status = wisp_trial_check_numbers(err, &trial);
    CALL(wisp_context(err, status, "trial %zu: ", number));
    CALL(wisp_trials_add(err, list, &trial));
  }
  return WISP_OK;
}

/* Every document of a text: exports may be written one behind the other. */
static wisp_status parse_json(wisp_error *err, const char *text, size_t length, wisp_trials *list)
{
  const char *at = text, *end = text + length;
  for (size_t number = 1; at < end; number++) {
    cJSON *root = cJSON_ParseWithLengthOpts(at, (size_t)(end - at), &at, false);
    const wisp_status status =
        root ? take_document(err, root, list)
             : wisp_fail(err, WISP_EINPUT, "the text is not JSON (or is cut off) at byte %zu", (size_t)(at - text) + 1);
    cJSON_Delete(root);
    if (number > 1) wisp_context(err, status, "document %zu: ", number);
    CALL(status);
    at += strspn(at, blanks);
  }
  return WISP_OK;
}

/* Does the text begin as the shipped form does: a comment, or key=value? */
static bool is_shipped(const char *text)
{
  text += strspn(text, blanks);
  return *text == '#' || text[strcspn(text, "=\"{[ \t\r\n")] == '=';
}

wisp_status wisp_store_import(wisp_error *err, const char *path, const char *name, const char *text, size_t length,
                              long long *added)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  HELD(wisp_text_free) wisp_text warning = {0};
  CALL(wisp_require(err, strlen(text) == length, WISP_EINPUT,
                    "%s: there is a NUL at byte %zu: it is no export, or damaged", name, strlen(text) + 1));
  CALL(wisp_require(err, text[strspn(text, blanks)], WISP_EINPUT,
                    "%s: the text is empty: it is not JSON, nor the shipped form", name));
  if (is_shipped(text))
    CALL(wisp_shipped_parse(err, name, text, &warning, &list));
  else
    CALL(wisp_context(err, parse_json(err, text, length, &list), "%s: ", name));
  CALL(wisp_require(err, !warning.length, WISP_EINPUT, "%.*s", (int)strcspn(warning.data, "\n"), warning.data));
  CALL(wisp_trials_rehash(err, &list, 0));
  return wisp_store_change(err, path, wisp_change_add_newer, &list, added);
}
