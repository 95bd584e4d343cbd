/* Shared by tests of the store: a folder that goes away, trials made from a number, files as bytes. */
#pragma once

#include "../cache/store.h"

/* An empty folder of the test's own, and the path of a file in it, which stays valid. */
void fixture_folder(char folder[64]);
void fixture_remove(const char *folder);
const char *fixture_path(const char *folder, const char *name);

/* cmocka's set-up and tear-down: *state is such a folder. The tear-down unsets WISP_SITE_DB and WISP_TEMPLATES, which a
 * case may have set. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);
#define TEST_IN_FOLDER(name) TEST_WITH(name, fixture_set_up, fixture_tear_down)

/* A complete trial, different for each number; when grows with the number. */
wisp_trial fixture_trial(int number);
/* Every field alike, NaN like NaN. */
bool fixture_same(const wisp_trial *a, const wisp_trial *b);

/* Adds trials to the file at path, those from..to-1 of the above; fails the test where that fails. */
void fixture_put(const char *path, const wisp_trial *trials, size_t count);
void fixture_fill(const char *path, int from, int to);

/* A store opened from path, which must be good. */
wisp_store *fixture_open(const char *path);
/* The next of the user's own trials, from *at on, which moves behind it; NULL: there are no more. */
const wisp_trial *fixture_next(const wisp_store *store, size_t *at);
/* The number of trials in a store opened from path alone; -1: it cannot be opened. */
long fixture_count(const char *path);

/* The trial that answers. */
wisp_answer fixture_answer(const wisp_store *store, const wisp_asker *asker, const char *spec, const char *layout,
                           long long elements, wisp_current current);

/* Changes (or makes) a SQLite file by statements. */
void fixture_sql(const char *path, const char *sql);

/* A file as bytes; fixture_write replaces it. */
char *fixture_read(const char *path, size_t *length);
void fixture_write(const char *path, const void *data, size_t length);
/* Makes a file of the folder, and the folders in its name; gives its path. */
const char *fixture_text(const char *folder, const char *name, const char *text);
