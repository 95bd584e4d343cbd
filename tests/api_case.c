#include "good.h"
#include "api_case.h"
#include "solving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

wisp_session *api_session(void)
{
  wisp_session *session = NULL;
  const wisp_session_request request = {.device = test_device(), .store = "/nonexistent/wisp.db"};
  GOOD(wisp_session_open(err, &request, &session));
  return session;
}
