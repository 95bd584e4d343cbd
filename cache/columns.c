#include "columns.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY(kind, member, key, blank, otherwise, least, most)                                                      \
  {                                                                                                                  \
#member, kind, offsetof(wisp_trial, member), sizeof((wisp_trial *)0)->member, key, blank, otherwise, least, most \
  }
#define FIELD(kind, member, key, blank) ENTRY(kind, member, key, blank, "", 0, 0)
#define TEXT(member, key) FIELD(WISP_COLUMN_TEXT, member, key, 0)
#define REAL(member, least, most) ENTRY(WISP_COLUMN_REAL, member, false, 0, "", least, most)

/* Bounds of times, in ms: a nanosecond is less than a launch takes, and nobody measures for a day. */
#define SHORTEST 1e-6
#define LONGEST 86400e3

const wisp_column wisp_columns[WISP_COLUMN_COUNT] = {
    TEXT(spec, true),
    TEXT(layout, true),
    TEXT(strategy, true),
    TEXT(params, true),
    TEXT(device, true),
    TEXT(target, true),
    FIELD(WISP_COLUMN_INT, units, true, 0),
    TEXT(driver, true),
    TEXT(compiler, true),
    TEXT(template_hash, true),
    FIELD(WISP_COLUMN_LONG, elements, true, 0),
    ENTRY(WISP_COLUMN_TEXT, mesh, true, 0, WISP_MESH_BOX, 0, 0),
    TEXT(version, false),
    TEXT(mode, false),
    REAL(clock_mhz, 0, INFINITY),
    TEXT(when, false),
    TEXT(outcome, false),
    TEXT(reason, false),
    FIELD(WISP_COLUMN_INT, candidates, false, -1),
    REAL(ratio, 0, INFINITY),
    FIELD(WISP_COLUMN_INT, begun, false, -1),
    FIELD(WISP_COLUMN_INT, rules, false, -1),
    REAL(ms, SHORTEST, LONGEST),
    REAL(gdofs, 0, INFINITY),
    REAL(gbps, 0, INFINITY),
    REAL(gflops, 0, INFINITY),
    REAL(efficiency, 0, INFINITY),
    REAL(error, 0, INFINITY),
    FIELD(WISP_COLUMN_INT, registers, false, -1),
    FIELD(WISP_COLUMN_INT, spill_bytes, false, -1),
    FIELD(WISP_COLUMN_INT, shared_bytes, false, -1),
    FIELD(WISP_COLUMN_INT, is_default, false, 0),
    TEXT(tie, false),
    TEXT(floor, false),
    ENTRY(WISP_COLUMN_SAMPLES, samples, false, 0, "", SHORTEST, LONGEST),
};

static void *member(const wisp_column *column, wisp_trial *trial)
{
  return (char *)trial + column->offset;
}

static const void *member_of(const wisp_column *column, const wisp_trial *trial)
{
  return (const char *)trial + column->offset;
}

static const char *text_of(const wisp_column *column, const wisp_trial *trial)
{
  const char *text = member_of(column, trial);
  return *text ? text : column->otherwise;
}

const wisp_column *wisp_column_find(const char *name)
{
  for (int i = 0; i < WISP_COLUMN_COUNT; i++)
    if (*wisp_columns[i].name == *name && strcmp(wisp_columns[i].name, name) == 0) return &wisp_columns[i];
  return NULL;
}

static long long integer_of(const wisp_column *column, const wisp_trial *trial)
{
  return column->kind == WISP_COLUMN_INT ? *(const int *)member_of(column, trial)
                                         : *(const long long *)member_of(column, trial);
}

bool wisp_column_set_integer(const wisp_column *column, wisp_trial *trial, long long value)
{
  if (column->kind == WISP_COLUMN_LONG)
    *(long long *)member(column, trial) = value;
  else if (value < INT_MIN || value > INT_MAX)
    return false;
  else
    *(int *)member(column, trial) = (int)value;
  return true;
}

static double real_of(const wisp_column *column, const wisp_trial *trial)
{
  return *(const double *)member_of(column, trial);
}

void wisp_column_set_real(const wisp_column *column, wisp_trial *trial, double value)
{
  *(double *)member(column, trial) = value;
}

void wisp_trial_blank(wisp_trial *trial)
{
  memset(trial, 0, sizeof *trial);
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) {
    const wisp_column *column = &wisp_columns[i];
    if (column->kind == WISP_COLUMN_REAL) wisp_column_set_real(column, trial, NAN);
    if (column->kind == WISP_COLUMN_INT) wisp_column_set_integer(column, trial, column->blank);
    if (*column->otherwise) wisp_column_scan(column, column->otherwise, trial);
  }
}

bool wisp_column_known(const wisp_column *column, const wisp_trial *trial)
{
  if (column->kind == WISP_COLUMN_TEXT)
    return *text_of(column, trial) && strcmp(text_of(column, trial), column->otherwise) != 0;
  if (column->kind == WISP_COLUMN_REAL) return isfinite(real_of(column, trial));
  if (column->kind == WISP_COLUMN_SAMPLES) return trial->sample_count > 0;
  return integer_of(column, trial) != column->blank;
}

/* The fewest digits that read back as the same number. */
static wisp_status print_real(wisp_error *err, double value, wisp_text *out)
{
  char text[40] = "";
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return wisp_text_add(err, out, text, strlen(text));
}

/* The number of samples, never more than the array holds. */
static int sample_count(const wisp_trial *trial)
{
  const int most = (int)(WISP_COUNT(trial->samples));
  return trial->sample_count < 0 ? 0 : trial->sample_count > most ? most : trial->sample_count;
}

static wisp_status print_samples(wisp_error *err, const wisp_trial *trial, wisp_text *out)
{
  CALL(wisp_text_add(err, out, "[", 1));
  for (int i = 0; i < sample_count(trial); i++) {
    if (i) CALL(wisp_text_add(err, out, ",", 1));
    if (isfinite(trial->samples[i]))
      CALL(print_real(err, trial->samples[i], out));
    else
      CALL(wisp_text_add(err, out, "null", 4));
  }
  return wisp_text_add(err, out, "]", 1);
}

wisp_status wisp_column_print(wisp_error *err, const wisp_column *column, const wisp_trial *trial, wisp_text *out)
{
  const char *text = column->kind == WISP_COLUMN_TEXT ? text_of(column, trial) : NULL;
  if (text) return wisp_text_add(err, out, text, strnlen(text, column->size - 1));
  if (column->kind == WISP_COLUMN_REAL) return print_real(err, real_of(column, trial), out);
  if (column->kind == WISP_COLUMN_SAMPLES) return print_samples(err, trial, out);
  return wisp_text_print(err, out, "%lld", integer_of(column, trial));
}

static bool scan_real(const char **at, double *out)
{
  char *end = NULL;
  if (strncmp(*at, "null", 4) == 0) {
    *out = NAN;
    *at += 4;
    return true;
  }
  *out = strtod(*at, &end);
  if (end == *at || !isfinite(*out)) return false;
  *at = end;
  return true;
}

static bool scan_samples(const char *text, wisp_trial *trial)
{
  const int most = (int)(WISP_COUNT(trial->samples));
  int count = 0;
  if (*text++ != '[') return false;
  while (*text != ']') {
    if (count && *text++ != ',') return false;
    if (count == most || !scan_real(&text, &trial->samples[count])) return false;
    count++;
  }
  trial->sample_count = count;
  return text[1] == '\0';
}

bool wisp_column_scan(const wisp_column *column, const char *text, wisp_trial *trial)
{
  if (column->kind == WISP_COLUMN_TEXT) {
    if (strlen(text) >= column->size) return false;
    memcpy(member(column, trial), text, strlen(text) + 1);
    return true;
  }
  if (column->kind == WISP_COLUMN_SAMPLES) return scan_samples(text, trial);
  if (column->kind == WISP_COLUMN_REAL) {
    double value = 0;
    if (!scan_real(&text, &value) || *text) return false;
    wisp_column_set_real(column, trial, value);
    return true;
  }
  char *end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return end != text && *end == '\0' && errno == 0 && wisp_column_set_integer(column, trial, value);
}

static uint64_t hash_real(uint64_t hash, double value)
{
  uint64_t bits = 0; /* every NaN counts alike, and so do both zeros */
  if (isfinite(value) && value != 0) memcpy(&bits, &value, sizeof bits);
  return wisp_hash_number(hash, isfinite(value) ? bits : 1);
}

/* Over every known field, the same on every machine; a new column leaves old rows valid, as unknown fields do not
 * count.
 */
static uint64_t checksum_of(const wisp_trial *trial)
{
  uint64_t hash = WISP_HASH_SEED;
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) {
    const wisp_column *column = &wisp_columns[i];
    if (!wisp_column_known(column, trial)) continue;
    hash = wisp_hash(hash, column->name, strlen(column->name) + 1);
    if (column->kind == WISP_COLUMN_TEXT) {
      const char *text = member_of(column, trial);
      hash = wisp_hash(wisp_hash(hash, text, strnlen(text, column->size - 1)), "", 1);
    } else if (column->kind == WISP_COLUMN_REAL)
      hash = hash_real(hash, real_of(column, trial));
    else if (column->kind == WISP_COLUMN_SAMPLES)
      for (int s = 0; s < sample_count(trial); s++) hash = hash_real(hash, trial->samples[s]);
    else
      hash = wisp_hash_number(hash, (uint64_t)integer_of(column, trial));
  }
  return hash;
}

wisp_status wisp_trial_check(wisp_error *err, const wisp_trial *trial)
{
  const struct {
    const char *name, *value;
  } needed[] = {{"spec", trial->spec}, {"strategy", trial->strategy}, {"outcome", trial->outcome}};
  for (size_t i = 0; i < WISP_COUNT(needed); i++)
    if (!*needed[i].value)
      return wisp_fail(err, WISP_EINPUT, "a trial without %s cannot be stored: give it one", needed[i].name);
  return WISP_OK;
}

static wisp_status check_number(wisp_error *err, const wisp_column *column, double value)
{
  const bool good = isnan(value) || (value >= column->least && value <= column->most);
  return wisp_require(err, good, WISP_EINPUT, "%s is %g, must be from %g to %g", column->name, value, column->least,
                      column->most);
}

wisp_status wisp_trial_check_numbers(wisp_error *err, const wisp_trial *trial)
{
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) {
    const wisp_column *column = &wisp_columns[i];
    if (column->kind == WISP_COLUMN_REAL) CALL(check_number(err, column, real_of(column, trial)));
    for (int s = 0; column->kind == WISP_COLUMN_SAMPLES && s < sample_count(trial); s++)
      CALL(check_number(err, column, trial->samples[s]));
  }
  return wisp_require(err, !isnan(trial->ms) || !wisp_trial_is_right(trial), WISP_EINPUT,
                      "the outcome is %s, and there is no time: give ms", trial->outcome);
}

/* ---- In and out of SQLite. */

/* Adds the columns' quoted names with a separator between them; only those of the key where asked. */
static wisp_status names(wisp_error *err, wisp_text *sql, const char *separator, bool only_key, const char *after)
{
  const char *between = "";
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) {
    if (only_key && !wisp_columns[i].key) continue;
    CALL(wisp_text_print(err, sql, "%s\"%s\"%s", between, wisp_columns[i].name, after));
    between = separator;
  }
  return WISP_OK;
}

static wisp_status prepare(wisp_error *err, const wisp_database *database, const wisp_text *sql, sqlite3_stmt **out)
{
  int code = sqlite3_prepare_v3(database->db, sql->data, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
  return wisp_database_fail(err, database, code);
}

wisp_status wisp_rows_prepare_insert(wisp_error *err, const wisp_database *database, wisp_insert how,
                                     sqlite3_stmt **out)
{
  HELD(wisp_text_free) wisp_text sql = {0};
  CALL(wisp_text_print(err, &sql, "INSERT INTO trial ("));
  CALL(names(err, &sql, ", ", false, ""));
  CALL(wisp_text_print(err, &sql, ", \"checksum\") VALUES (?"));
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) CALL(wisp_text_print(err, &sql, ", ?"));
  CALL(wisp_text_print(err, &sql, ") ON CONFLICT ("));
  CALL(names(err, &sql, ", ", true, ""));
  CALL(wisp_text_print(err, &sql, ") DO UPDATE SET \"checksum\" = excluded.\"checksum\""));
  for (int i = 0; i < WISP_COLUMN_COUNT; i++)
    if (!wisp_columns[i].key)
      CALL(wisp_text_print(err, &sql, ", \"%s\" = excluded.\"%s\"", wisp_columns[i].name, wisp_columns[i].name));
  if (how == WISP_INSERT_NEWER) CALL(wisp_text_print(err, &sql, " WHERE excluded.\"when\" > trial.\"when\""));
  return prepare(err, database, &sql, out);
}

wisp_status wisp_rows_prepare_keyed(wisp_error *err, const wisp_database *database, const char *verb,
                                    sqlite3_stmt **out)
{
  HELD(wisp_text_free) wisp_text sql = {0};
  CALL(wisp_text_print(err, &sql, "%s WHERE ", verb));
  CALL(names(err, &sql, " AND ", true, " = ?"));
  return prepare(err, database, &sql, out);
}

/* Binds one member; what is unknown becomes NULL, except in the columns that may not be. */
static wisp_status bind(wisp_error *err, const wisp_database *database, sqlite3_stmt *to, int at,
                        const wisp_column *column, const wisp_trial *trial)
{
  HELD(wisp_text_free) wisp_text text = {0};
  int code = SQLITE_OK;
  if (column->kind == WISP_COLUMN_TEXT || column->kind == WISP_COLUMN_SAMPLES) {
    CALL(wisp_column_print(err, column, trial, &text));
    code = sqlite3_bind_text(to, at, text.data, (int)text.length, SQLITE_TRANSIENT);
  } else if (!wisp_column_known(column, trial) && (column->kind == WISP_COLUMN_REAL || column->blank != 0))
    code = sqlite3_bind_null(to, at);
  else if (column->kind == WISP_COLUMN_REAL)
    code = sqlite3_bind_double(to, at, real_of(column, trial));
  else
    code = sqlite3_bind_int64(to, at, integer_of(column, trial));
  return wisp_database_fail(err, database, code);
}

wisp_status wisp_rows_insert(wisp_error *err, const wisp_database *database, sqlite3_stmt *insert,
                             const wisp_trial *trial, bool *changed)
{
  OWNED(sqlite3_reset) sqlite3_stmt *row = insert;
  char checksum[24];
  CALL(wisp_trial_check(err, trial));
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) CALL(bind(err, database, row, i + 1, &wisp_columns[i], trial));
  int length = snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)checksum_of(trial));
  CALL(wisp_database_fail(err, database,
                          sqlite3_bind_text(row, WISP_COLUMN_COUNT + 1, checksum, length, SQLITE_TRANSIENT)));
  int code = sqlite3_step(row);
  if (changed) *changed = sqlite3_changes(database->db) > 0;
  return wisp_database_fail(err, database, code);
}

wisp_status wisp_rows_bind_key(wisp_error *err, const wisp_database *database, sqlite3_stmt *keyed,
                               const wisp_trial *trial)
{
  int at = 0;
  sqlite3_reset(keyed);
  for (int i = 0; i < WISP_COLUMN_COUNT; i++)
    if (wisp_columns[i].key) CALL(bind(err, database, keyed, ++at, &wisp_columns[i], trial));
  return WISP_OK;
}

/* One value of a row into its member; false where it is of another kind or does not fit. */
static bool take(sqlite3_stmt *row, int at, const wisp_column *column, wisp_trial *trial)
{
  int type = sqlite3_column_type(row, at);
  if (type == SQLITE_NULL) return true; /* unknown */
  if (column->kind == WISP_COLUMN_TEXT || column->kind == WISP_COLUMN_SAMPLES) {
    const char *text = type == SQLITE_TEXT ? (const char *)sqlite3_column_text(row, at) : NULL;
    return text && strlen(text) == (size_t)sqlite3_column_bytes(row, at) && wisp_column_scan(column, text, trial);
  }
  if (column->kind == WISP_COLUMN_REAL) {
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return false;
    wisp_column_set_real(column, trial, sqlite3_column_double(row, at));
    return true;
  }
  return type == SQLITE_INTEGER && wisp_column_set_integer(column, trial, sqlite3_column_int64(row, at));
}

wisp_status wisp_rows_fetch(wisp_error *err, const wisp_database *database, sqlite3_stmt *row, wisp_trial *out)
{
  wisp_trial trial;
  unsigned long long checksum = 0;
  bool good = true, keyed = true;
  int keys = 0, needed = 0;
  wisp_trial_blank(&trial);
  for (int at = 0; at < sqlite3_column_count(row); at++) {
    const char *name = sqlite3_column_name(row, at);
    const wisp_column *column = name ? wisp_column_find(name) : NULL;
    if (column) {
      good = good && take(row, at, column, &trial);
      keys += column->key && !*column->otherwise;
    } else if (name && strcmp(name, "checksum") == 0) {
      const char *text = (const char *)sqlite3_column_text(row, at);
      good = good && text && sscanf(text, "%16llx", &checksum) == 1;
    }
  }
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) needed += wisp_columns[i].key && !*wisp_columns[i].otherwise;
  keyed = keys == needed;
  if (!good || !keyed || checksum != checksum_of(&trial)) return wisp_database_fail(err, database, SQLITE_CORRUPT);
  wisp_trial_take_words(&trial);
  *out = trial;
  return WISP_OK;
}

void wisp_trials_free(wisp_trials *list)
{
  free(list->trials);
}

wisp_status wisp_trials_add(wisp_error *err, wisp_trials *list, const wisp_trial *trial)
{
  CALL(wisp_grow(err, &list->trials, &list->capacity, list->count + 1, sizeof *trial));
  list->trials[list->count++] = *trial;
  return WISP_OK;
}

wisp_status wisp_rows_read(wisp_error *err, const wisp_database *database, wisp_trials *list)
{
  OWNED(sqlite3_finalize) sqlite3_stmt *rows = NULL;
  HELD(wisp_text_free) wisp_text sql = {0};
  wisp_trial trial;
  int code;
  CALL(wisp_text_print(err, &sql, "SELECT * FROM trial"));
  CALL(prepare(err, database, &sql, &rows));
  while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
    CALL(wisp_rows_fetch(err, database, rows, &trial));
    CALL(wisp_trials_add(err, list, &trial));
  }
  return wisp_database_fail(err, database, code);
}
