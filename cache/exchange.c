/* Stores to and from texts: JSON, and the shipped form. An import takes all of a text or nothing. */
#include "change.h"
#include "reader.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
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

/* ---- The shipped form. */

/* Characters that stand as backslash and letter inside quotes. */
static const char escaped[] = "\"\\\n\r\t", letters[] = "\"\\nrt";

static wisp_status print_value(wisp_error *err, const char *value, wisp_text *out)
{
  const size_t unquoted = strcspn(value, " \"\\=#\n\r\t");
  size_t at = 0;
  for (size_t bytes; at < unquoted && (bytes = wisp_shown_bytes(value + at)); at += bytes) {}
  if (!value[at]) return wisp_text_add(err, out, value, at);
  CALL(wisp_text_add(err, out, "\"", 1));
  for (const char *c = value; *c;) {
    const char *special = strchr(escaped, *c);
    size_t bytes = wisp_shown_bytes(c);
    if (special)
      CALL(wisp_text_print(err, out, "\\%c", letters[special - escaped]));
    else if (bytes)
      CALL(wisp_text_add(err, out, c, bytes));
    else
      CALL(wisp_text_print(err, out, "\\x%02x", (unsigned char)*c));
    c += bytes ? bytes : 1;
  }
  return wisp_text_add(err, out, "\"", 1);
}

wisp_status wisp_shipped_print(wisp_error *err, const wisp_trial *trial, wisp_text *out)
{
  HELD(wisp_text_free) wisp_text value = {0};
  const char *between = "";
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) {
    const wisp_column *column = &wisp_columns[i];
    if (!wisp_column_known(column, trial)) continue;
    value.length = 0;
    CALL(wisp_column_print(err, column, trial, &value));
    CALL(wisp_text_print(err, out, "%s%s=", between, column->name));
    CALL(print_value(err, value.data, out));
    between = " ";
  }
  return wisp_text_add(err, out, "\n", 1);
}

/* Takes the value that begins at *at off the line, in place; NULL where its quotes do not close. */
static char *take_value(char **at)
{
  char *from = *at, *value = from, *to = from;
  if (*from != '"') {
    from += strcspn(from, " \t");
    *at = *from ? from + 1 : from;
    *from = '\0';
    return value;
  }
  for (from++; *from != '"'; from++) {
    const char *letter = NULL;
    unsigned byte = 0;
    if (from[0] == '\\' && from[1] == 'x') { /* two digits, and no NUL */
      if (!isxdigit((unsigned char)from[2]) || !isxdigit((unsigned char)from[3])) return NULL;
      if (sscanf(from + 2, "%2x", &byte) != 1 || byte == 0) return NULL;
      *to++ = (char)byte;
      from += 3;
      continue;
    }
    if (*from == '\\' && (!*++from || !(letter = strchr(letters, *from)))) return NULL;
    if (!*from) return NULL;
    *to++ = letter ? escaped[letter - letters] : *from;
  }
  if (from[1] && from[1] != ' ' && from[1] != '\t') return NULL;
  *at = from[1] ? from + 2 : from + 1;
  *to = '\0';
  return value;
}

/* One line, which is used up; WISP_EINPUT says what is wrong with it. */
static wisp_status parse_line(wisp_error *err, char *line, wisp_trial *out)
{
  wisp_trial trial;
  wisp_trial_blank(&trial);
  for (char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
    char *name = at, *equals = name + strcspn(name, "= \t");
    if (*equals != '=') return wisp_fail(err, WISP_EINPUT, "'%.40s' is not key=value", name);
    *equals = '\0';
    at = equals + 1;
    const char *value = take_value(&at);
    if (!value) return wisp_fail(err, WISP_EINPUT, "the quotes of %.40s do not close", name);
    const wisp_column *column = wisp_column_find(name);
    if (!column) return wisp_fail(err, WISP_EINPUT, "there is no field '%.40s'", name);
    if (!wisp_column_scan(column, value, &trial))
      return wisp_fail(err, WISP_EINPUT, "'%.60s' is no value of %s", value, name);
  }
  wisp_trial_take_words(&trial);
  *out = trial;
  CALL(wisp_trial_check(err, &trial));
  return wisp_trial_check_numbers(err, &trial);
}

wisp_status wisp_shipped_parse(wisp_error *err, const char *name, const char *text, wisp_text *warning,
                               wisp_trials *list)
{
  HELD(wisp_text_free) wisp_text line = {0};
  const char *const end = text + strlen(text);
  wisp_error why = {0};
  wisp_trial trial;
  for (int number = 1; text < end; number++) {
    CALL(wisp_text_take_line(err, &text, end, &line));
    const char *first = line.data + strspn(line.data, " \t");
    if (!*first || *first == '#') continue;
    if (parse_line(&why, line.data, &trial) == WISP_OK)
      CALL(wisp_trials_add(err, list, &trial));
    else if (warning)
      CALL(wisp_text_print(err, warning, "%s%s:%d: %s", warning->length ? "\n" : "", name, number, why.text));
  }
  return WISP_OK;
}

static int by_competition(const void *x, const void *y)
{
  return wisp_ranking_compare(x, y);
}

/* Is there one of its strategy among the last of these, of the same competition? */
static bool has_strategy(const wisp_trial *trial, const wisp_trial *kept, size_t count)
{
  while (count > 0 && wisp_ranking_order(trial, &kept[count - 1]) == 0)
    if (strcmp(trial->strategy, kept[--count].strategy) == 0) return true;
  return false;
}

/* A failure that another card of the architecture need not find again. */
static bool is_lasting(const wisp_trial *trial)
{
  const wisp_outcome outcome = wisp_trial_outcome(trial);
  return outcome == WISP_TRIAL_WRONG || outcome == WISP_TRIAL_COMPILE_ERROR;
}

void wisp_shipped_select(wisp_trials *list, bool winners_only)
{
  size_t kept = 0;
  if (list->count) qsort(list->trials, list->count, sizeof *list->trials, by_competition);
  for (size_t i = 0; winners_only && i < list->count; i++) {
    wisp_trial *trial = &list->trials[i];
    /* The one before is the last one kept: every competition's first is. */
    bool first = kept == 0 || wisp_ranking_order(trial, &list->trials[kept - 1]) != 0;
    bool ok = wisp_trial_outcome(trial) == WISP_TRIAL_OK;
    bool counts = (ok && (first || *trial->tie || !has_strategy(trial, list->trials, kept))) ||
                  (wisp_trial_is_right(trial) && trial->is_default == 1) || is_lasting(trial);
    trial->sample_count = 0;
    if (counts) list->trials[kept++] = *trial;
  }
  if (winners_only) list->count = kept;
}

/* ---- Out. */

enum { EXPORT_VERSION = 1 }; /* of exports as JSON: docs/reference/store.md */

static const char blanks[] = " \t\r\n";

wisp_status wisp_trials_export(wisp_error *err, wisp_trials *list, bool winners_only, bool as_text, wisp_text *out)
{
  if (winners_only || as_text) wisp_shipped_select(list, winners_only);
  for (size_t i = 0; as_text && i < list->count; i++) CALL(wisp_shipped_print(err, &list->trials[i], out));
  if (as_text) return wisp_text_add(err, out, "", 0); /* a text, where there is none */
  CALL(wisp_text_print(err, out, "{\"wisp_store\": %d, \"trials\": [", EXPORT_VERSION));
  for (size_t i = 0; i < list->count; i++)
    CALL(wisp_text_add_item(err, out, i == 0, wisp_trial_to_json(&list->trials[i])));
  return wisp_text_print(err, out, "\n]}\n");
}

wisp_status wisp_store_export(wisp_error *err, const char *path, bool winners_only, bool as_text, wisp_text *out)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_reader_load_there(err, path, false, &list));
  return wisp_trials_export(err, &list, winners_only, as_text, out);
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

wisp_status wisp_store_import(wisp_error *err, const char *path, const char *name, const char *text, size_t length,
                              long long *added)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  HELD(wisp_text_free) wisp_text warning = {0};
  const char *first = text + strspn(text, blanks);
  CALL(wisp_require(err, strlen(text) == length, WISP_EINPUT,
                    "%s: there is a NUL at byte %zu: it is no export, or damaged", name, strlen(text) + 1));
  CALL(wisp_require(err, *first, WISP_EINPUT, "%s: the text is empty: it is not JSON, nor the shipped form", name));
  if (*first == '#' || first[strcspn(first, "=\"{[ \t\r\n")] == '=') /* a comment, or key=value */
    CALL(wisp_shipped_parse(err, name, text, &warning, &list));
  else
    CALL(wisp_context(err, parse_json(err, text, length, &list), "%s: ", name));
  CALL(wisp_require(err, !warning.length, WISP_EINPUT, "%.*s", (int)strcspn(warning.data, "\n"), warning.data));
  CALL(wisp_trials_rehash(err, &list, 0));
  return wisp_store_change(err, path, wisp_change_add_newer, &list, added);
}
