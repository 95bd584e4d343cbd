/* The headers that most tests need, cmocka's among them, and the macros TEST, GROUP and GOOD. tests/main.c has main.
 */
#pragma once

#include "../gen/check.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

WISP_OWNED(cJSON, cJSON_Delete)

/* cmocka's tests have a parameter, which most do not need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The device that tests run on: $WISP_TEST_DEVICE, "host" unless set. */
const char *test_device_name(void);
bool test_device_is_host(void);

/* The number of times that words stand in a text. */
int occurrences(const char *text, const char *words);

/* A call that the test expects to succeed; else the test fails with its message: GOOD(wisp_thing_create(err, ...)),
 * where err is the macro's own. */
#define GOOD(call)                                       \
  do {                                                   \
    wisp_error failure = {0};                            \
    wisp_error *const err = &failure;                    \
    if ((call) != WISP_OK) fail_msg("%s", failure.text); \
  } while (0)

/* A case of this program: TEST(name) { ... }. The cases run in the order of their lines. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
/* A case with its own set-up and tear-down, which cmocka calls before and after it. */
#define TEST_WITH(name, set_up, tear_down)                                        \
  static void name(void **state);                                                 \
  static __attribute__((constructor)) void enlist_##name(void)                    \
  {                                                                               \
    enlist(&(struct CMUnitTest){#name, name, set_up, tear_down, NULL}, __LINE__); \
  }                                                                               \
  static void name(void **state)
/* The set-up before all cases of this program, and the tear-down after them. */
#define GROUP(set_up, tear_down)                              \
  static __attribute__((constructor)) void enlist_group(void) \
  {                                                           \
    enlist_fixtures(set_up, tear_down);                       \
  }

void enlist(const struct CMUnitTest *test, int line);
void enlist_fixtures(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* A set-up: only winners that the test stores answer. */
int no_shipped_winners(void **state);

/* Memory that the caller frees: uninitialised, for so many items of so many bytes; or zeros. */
void *allocate(size_t count, size_t size);
double *zeros(size_t count);
/* Seconds since some moment. */
double clock_now(void);

/* The JSON of a file, with a path as printf makes it; the caller deletes it. */
cJSON *json_file(const char *format, ...) __attribute__((format(printf, 1, 2)));
