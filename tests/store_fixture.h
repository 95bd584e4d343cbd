/* Shared by tests of the store: a folder that goes away, trials made from a number, files as bytes. */
#pragma once

#include "../cache/store.h"

/* An empty folder of the test's own, and the path of a file in it. A later call gives the same text another content. */
void fixture_folder(char folder[64]);
void fixture_remove(const char *folder);
const char *fixture_path(const char *folder, const char *name);

/* cmocka's set-up and tear-down: *state is such a folder. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);
#define TEST_IN_FOLDER(name) TEST_WITH(name, fixture_set_up, fixture_tear_down)

/* A complete trial, different for each number; when grows with the number. */
wisp_trial fixture_trial(int number);
/* Every field alike, NaN like NaN. */
bool fixture_same(const wisp_trial *a, const wisp_trial *b);

/* Adds trials from..to-1 to the file at path; fails the test where that fails. */
void fixture_fill(const char *path, int from, int to);
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
