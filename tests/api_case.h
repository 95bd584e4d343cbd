/* Shared by tests of the public interface: calls that must fail in one line, and a session. */
#pragma once

#include "test.h"
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

/* A solver in such a session, and its sizes where it exchanges values; settings end with a NULL name. */
typedef struct api_solve {
  wisp_session *session;
  wisp_solver *solver;
  size_t K, Np, n;
} api_solve;
wisp_status api_try(wisp_error *err, api_solve *s, const wisp_solver_request *request);
void api_open(api_solve *s, const wisp_solver_request *request); /* must succeed */
void api_close(api_solve *s);
double api_number(const api_solve *s, const char *key); /* of the report */
/* So many steps of dt, 0: of the stable one. */
void api_steps(const api_solve *s, double dt, long long steps);
