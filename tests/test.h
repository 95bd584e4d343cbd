/* The headers that every test needs, cmocka's among them, and GOOD. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka's tests have a parameter, which most do not need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A call that the test expects to succeed; else the test fails with its message: GOOD(wisp_thing_create(err, ...)),
 * where err is the macro's own. */
#define GOOD(call)                                       \
  do {                                                   \
    wisp_error failure = {0};                            \
    wisp_error *const err = &failure;                    \
    if ((call) != WISP_OK) fail_msg("%s", failure.text); \
  } while (0)
