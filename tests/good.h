/* What a test expects to succeed, or else the test says why not: GOOD(wisp_thing_create(err, ...)), where err is the
 * macro's own. */
#pragma once

#define GOOD(call)                                       \
  do {                                                   \
    wisp_error failure = {0};                            \
    wisp_error *const err = &failure;                    \
    if ((call) != WISP_OK) fail_msg("%s", failure.text); \
  } while (0)
