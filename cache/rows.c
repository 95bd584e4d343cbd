#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    code = sqlite3_bind_double(to, at, wisp_column_real(column, trial));
  else
    code = sqlite3_bind_int64(to, at, wisp_column_integer(column, trial));
  return wisp_database_fail(err, database, code);
}

wisp_status wisp_rows_insert(wisp_error *err, const wisp_database *database, sqlite3_stmt *insert,
                             const wisp_trial *trial, bool *changed)
{
  OWNED(sqlite3_reset) sqlite3_stmt *row = insert;
  char checksum[24];
  CALL(wisp_trial_check(err, trial));
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) CALL(bind(err, database, row, i + 1, &wisp_columns[i], trial));
  int length = snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)wisp_trial_checksum(trial));
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
  if (!good || !keyed || checksum != wisp_trial_checksum(&trial))
    return wisp_database_fail(err, database, SQLITE_CORRUPT);
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
