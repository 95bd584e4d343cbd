/* Claim: a program can have a kernel tuned: what wins is stored, and opened from then on, ahead of the default, by the
 * rules that solvers choose by. What cannot be tuned is an error that says why. */
#include "test.h"
#include "api_case.h"
#include "solving.h"
#include "store_fixture.h"

static const char spec[] = "nodal.update:tet:p1:maxwell:f32";

static wisp_session *open_session(const char *store, const char *command)
{
  wisp_session *session = NULL;
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = test_device_name(), .store = store,
                                        .command = command};
  GOOD(wisp_session_open(err, &request, &session));
  return session;
}

/* The kernel that the session opens now; the info's texts live as long as the kernel. */
static wisp_kernel_info describe(wisp_session *session, wisp_kernel **kernel)
{
  wisp_kernel_info info;
  wisp_kernel_close(*kernel);
  GOOD(wisp_kernel_open(err, session, spec, NULL, kernel));
  GOOD(wisp_kernel_describe(err, *kernel, &info));
  return info;
}

/* A choice keeps its entry of the store when the session tunes, here without anything new. */
static void check_choice_stays(const char *store)
{
  OWNED(wisp_session_close) wisp_session *session = open_session(store, "/bin/true");
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request request = {.layout = NULL};
  wisp_kernel *kernel = NULL;
  describe(session, &kernel); /* something is open */
  GOOD(wisp_spec_parse(err, spec, &request.spec));
  const wisp_chooser from = wisp_session_chooser(session);
  GOOD(wisp_choose(err, &from, &request, &stage));
  for (int i = 0; i < 2; i++) {
    assert_string_equal(stage.choice->trial->spec, spec);
    GOOD(wisp_session_tune(err, session, spec, 1));
  }
  assert_string_equal(stage.choice->trial->spec, spec);
  wisp_kernel_close(kernel);
}

TEST_IN_FOLDER(test_tuned)
{
  char store[128];
  setenv("WISP_SHIPPED", "none", 1);
  snprintf(store, sizeof store, "%s", fixture_path(*state, "tuned.db"));
  OWNED(wisp_session_close) wisp_session *session = open_session(store, getenv("WISP_COMMAND"));
  wisp_kernel *kernel = NULL;
  wisp_kernel_info info = describe(session, &kernel);
  assert_string_equal(info.match, "default");
  assert_string_equal(info.layer, "none");
  GOOD(wisp_session_tune(err, session, spec, 2));
  info = describe(session, &kernel);
  assert_string_equal(info.match, "exact");
  assert_string_equal(info.layer, "user");
  wisp_store *opened = NULL;
  double fastest = 0, chosen = 0; /* as trials compete */
  GOOD(wisp_store_open(err, store, false, NULL, &opened));
  for (size_t i = 0; i < wisp_store_count(opened); i++) {
    const wisp_trial *t = wisp_store_trial(opened, i, NULL);
    assert_string_equal(t->spec, spec);
    if (strcmp(t->outcome, "ok") != 0) continue;
    const double ms = wisp_ranking_ms(t);
    if (!(fastest > 0) || ms < fastest) fastest = ms;
    if (strcmp(t->strategy, info.strategy) == 0 && strcmp(t->params, info.params) == 0 &&
        strcmp(t->layout, info.layout) == 0)
      chosen = ms;
  }
  assert_true(fastest > 0 && chosen == fastest);
  wisp_store_close(opened);
  wisp_kernel_close(kernel);
  check_choice_stays(store);
}

TEST_IN_FOLDER(test_what_cannot)
{
  char store[128];
  snprintf(store, sizeof store, "%s", fixture_path(*state, "none.db"));
  OWNED(wisp_session_close) wisp_session *session = open_session(store, "/nonexistent/wisp");
  BAD(wisp_session_tune(err, session, spec, 2), WISP_EMISSING, "/nonexistent/wisp");
  wisp_session_close(session);
  session = open_session(store, getenv("WISP_COMMAND"));
  BAD(wisp_session_tune(err, NULL, spec, 2), WISP_EUSAGE, "session is NULL");
  BAD(wisp_session_tune(err, session, NULL, 2), WISP_EUSAGE, "spec is NULL");
  BAD(wisp_session_tune(err, session, "nonsense", 2), WISP_EINPUT, "nonsense");
  BAD(wisp_session_tune(err, session, spec, 0), WISP_EUSAGE, "a second");
  BAD(wisp_session_tune(err, session, "nodal.bolume:tet:p1:maxwell:f32", 2), WISP_ESYSTEM, "bolume");
  wisp_session_close(session);
  GOOD(wisp_session_open(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = test_device_name(), .defaults_only = 1},
      &session));
  BAD(wisp_session_tune(err, session, spec, 2), WISP_EUSAGE, "no store");
  wisp_session_close(session);
  const wisp_session_request strict = {WISP_INIT(wisp_session_request), .device = test_device_name(), .store = store,
                                       .exact_match_only = 1};
  wisp_kernel *kernel = NULL;
  setenv("WISP_SHIPPED", "none", 1);
  GOOD(wisp_session_open(err, &strict, &session));
  BAD(wisp_kernel_open(err, session, spec, NULL, &kernel), WISP_EMISSING, "tune");
}
