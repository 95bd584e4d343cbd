/* The fields of a trial as a table. Schema, statements, JSON and the shipped text all walk it: a new field is one
 * member of wisp_trial, one line here and one ALTER TABLE in the next schema_N.sql. */
#pragma once

#include "database.h"

typedef enum wisp_column_kind {
  WISP_COLUMN_TEXT,
  WISP_COLUMN_INT,
  WISP_COLUMN_LONG,
  WISP_COLUMN_REAL,
  WISP_COLUMN_SAMPLES /* wisp_trial's samples and sample_count; as text a JSON array */
} wisp_column_kind;

typedef struct wisp_column {
  const char *name;
  wisp_column_kind kind;
  size_t offset, size;   /* of the member */
  bool key;              /* part of what makes a trial one and the same */
  int blank;             /* an integer's value where nothing is known */
  const char *otherwise; /* a text's: what rows and lines have that do not say */
  double least, most;    /* of a real, in what is imported */
} wisp_column;

enum { WISP_COLUMN_COUNT = 35 };
extern const wisp_column wisp_columns[WISP_COLUMN_COUNT];

/* NULL: there is no such column. */
const wisp_column *wisp_column_find(const char *name);

bool wisp_column_known(const wisp_column *column, const wisp_trial *trial);

/* Sets a number by its column; false where the value does not fit the member. */
bool wisp_column_set_integer(const wisp_column *column, wisp_trial *trial, long long value);
void wisp_column_set_real(const wisp_column *column, wisp_trial *trial, double value);

/* The text that stands for a member, read back bit for bit. wisp_column_scan is false where the text is no such value.
 */
wisp_status wisp_column_print(wisp_error *err, const wisp_column *column, const wisp_trial *trial, wisp_text *out);
bool wisp_column_scan(const wisp_column *column, const char *text, wisp_trial *trial);

/* Members that have to be there for a trial to mean anything: WISP_EINPUT names the first that is not. */
wisp_status wisp_trial_check(wisp_error *err, const wisp_trial *trial);

/* Checks a trial from elsewhere: WISP_EINPUT names a number that no measurement gives, such as a time below 0, or the
 * time that a right trial lacks. */
wisp_status wisp_trial_check_numbers(wisp_error *err, const wisp_trial *trial);

/* ---- Trials in and out of SQLite, by the table of columns. */

typedef enum wisp_insert {
  WISP_INSERT_REPLACE, /* a trial of the same key gives way */
  WISP_INSERT_NEWER    /* it gives way only to one measured later */
} wisp_insert;
wisp_status wisp_rows_prepare_insert(wisp_error *err, const wisp_database *database, wisp_insert how,
                                     sqlite3_stmt **out);
/* *changed (may be NULL): whether the row was written. */
wisp_status wisp_rows_insert(wisp_error *err, const wisp_database *database, sqlite3_stmt *insert,
                             const wisp_trial *trial, bool *changed);

/* "verb WHERE key = ?...": verb is "SELECT * FROM trial" or "DELETE FROM trial". */
wisp_status wisp_rows_prepare_keyed(wisp_error *err, const wisp_database *database, const char *verb,
                                    sqlite3_stmt **out);
wisp_status wisp_rows_bind_key(wisp_error *err, const wisp_database *database, sqlite3_stmt *keyed,
                               const wisp_trial *trial);

/* The row that a SELECT * stands on. Columns that an older file lacks are unknown. WISP_ESTORE where the row is
 * damaged. */
wisp_status wisp_rows_fetch(wisp_error *err, const wisp_database *database, sqlite3_stmt *row, wisp_trial *out);

/* As wisp_store_export writes them; sorts the list. */
wisp_status wisp_trials_export(wisp_error *err, wisp_trials *list, bool winners_only, bool as_text, wisp_text *out);

/* All rows, appended. */
wisp_status wisp_rows_read(wisp_error *err, const wisp_database *database, wisp_trials *list);

/* ---- The shipped form of trials: one line a trial, readable and diffable (docs/reference/store.md). */

wisp_status wisp_shipped_print(wisp_error *err, const wisp_trial *trial, wisp_text *out);

/* Appends the trials of a text. A line that is none is skipped, and said so in warning (may be NULL) as "name:line:
 * why". */
wisp_status wisp_shipped_parse(wisp_error *err, const char *name, const char *text, wisp_text *warning,
                               wisp_trials *list);

/* Appends the shipped trials: those of the library, or those of the .txt files in the folder that $WISP_SHIPPED names,
 * by name; none where it says "none". */
wisp_status wisp_shipped_load(wisp_error *err, wisp_text *warning, wisp_trials *list);

/* Sorts by competition; where winners_only, leaves winners, ties, defaults, the fastest of each strategy, and what is
 * wrong or does not compile, without raw samples. */
void wisp_shipped_select(wisp_trials *list, bool winners_only);

/* ---- Hashes that changed while what is compiled did not: a text was rewritten in other words, or hashes came to cover
 * something else. cache/rehashed.list names them, one a line, as scripts/rehash proved them; trials that have such
 * a hash count like those that have the one of today. */

typedef struct wisp_rehashing wisp_rehashing; /* the list, read */
wisp_status wisp_rehashing_load(wisp_error *err, wisp_rehashing **out);
void wisp_rehashing_free(wisp_rehashing *rehashing);
WISP_OWNED(wisp_rehashing, wisp_rehashing_free)

/* Gives a trial today's names of its strategy and parameters (gen/strategy/renamed.h), and its texts' hash of today
 * where the list has its own; a step's where it has those of its kernels. False where the trial stays as it is. */
bool wisp_rehashing_apply(const wisp_rehashing *rehashing, wisp_trial *trial);

/* The same of a list's trials from this one on. */
wisp_status wisp_trials_rehash(wisp_error *err, wisp_trials *list, size_t from);
