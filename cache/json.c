#include "columns.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <string.h>

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
