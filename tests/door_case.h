/* What the tests of the public door share: calls that must succeed, calls that must fail in one line, and a session. */
#ifndef WISP_DOOR_CASE_H
#define WISP_DOOR_CASE_H

#include <wisp.h>

/* Both want a wisp_error err. */
#define GOOD(call)                                   \
  do {                                               \
    if ((call) != WISP_OK) fail_msg("%s", err.text); \
  } while (0)

/* It gives this status, and a line with these words. */
#define BAD(call, expected, words)                                               \
  do {                                                                           \
    err = (wisp_error){WISP_OK, ""};                                             \
    if ((call) != (expected)) fail_msg("%s: status %d", #call, (int)err.status); \
    if (!strstr(err.text, words)) fail_msg("%s says: %s", #call, err.text);      \
    assert_null(strchr(err.text, '\n'));                                         \
  } while (0)

/* On the device under test, with no store but what ships. */
wisp_session *door_session(void);

#endif
