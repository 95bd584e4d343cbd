#include "api_case.h"
#include "test.h"
#include "solving.h"

wisp_session *api_session(void)
{
  wisp_session *session = NULL;
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = test_device_name(),
                                        .store = "/nonexistent/wisp.db"};
  GOOD(wisp_session_open(err, &request, &session));
  return session;
}

wisp_status api_try(wisp_error *err, api_solve *s, const wisp_solver_request *request)
{
  *s = (api_solve){.session = api_session()};
  const wisp_status status = wisp_solver_create(err, s->session, request, &s->solver);
  if (status != WISP_OK) api_close(s);
  return status;
}

void api_open(api_solve *s, const wisp_solver_request *request)
{
  wisp_solver_sizes sizes = {.elements = 0};
  GOOD(api_try(err, s, request));
  if (wisp_solver_size(NULL, s->solver, &sizes) == WISP_OK)
    s->K = sizes.elements, s->Np = sizes.nodes, s->n = sizes.fields;
}

void api_close(api_solve *s)
{
  wisp_solver_destroy(s->solver);
  wisp_session_close(s->session);
}

double api_number(const api_solve *s, const char *key)
{
  double value = 0;
  GOOD(wisp_solver_number(err, s->solver, key, &value));
  return value;
}

void api_steps(const api_solve *s, double dt, long long steps)
{
  GOOD(wisp_solver_advance(err, s->solver, &(wisp_until){WISP_INIT(wisp_until), .steps = steps, .dt = dt}));
}
