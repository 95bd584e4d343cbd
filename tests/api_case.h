/* What the tests of the public interface share: calls that must fail in one line, and a session. */
#ifndef WISP_API_CASE_H
#define WISP_API_CASE_H

#include "good.h"
#include <wisp.h>

/* It gives this status, and a line with these words: BAD(wisp_thing_create(err, ...), WISP_EUSAGE, "words"). */
#define BAD(call, expected, words)                                                 \
  do {                                                                             \
    wisp_error error = {0};                                                        \
    wisp_error *const err = &error;                                                \
    if ((call) != (expected)) fail_msg("%s: status %d", #call, (int)error.status); \
    if (!strstr(error.text, words)) fail_msg("%s says: %s", #call, error.text);    \
    assert_null(strchr(error.text, '\n'));                                         \
  } while (0)

/* On the device under test, with no store but what ships. */
wisp_session *api_session(void);

#endif
