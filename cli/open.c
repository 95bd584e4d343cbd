#include "open.h"

#include <stdio.h>
#include <unistd.h>

static void tell(const wisp_arguments *args, const wisp_session *session)
{
  if (session->warning) wisp_cli_warn(args, session->warning);
}

wisp_status wisp_cli_open_store(wisp_error *err, const wisp_arguments *args, bool tolerant, wisp_session **out)
{
  const char *db = wisp_option_value(args, "db");
  CALL(wisp_require(err, !db || !*db || access(db, F_OK) == 0, WISP_EMISSING, "%s: there is no such file", db));
  CALL(wisp_session_read(err, &(wisp_session_request){.store = db}, tolerant, out));
  tell(args, *out);
  return WISP_OK;
}

wisp_status wisp_cli_open_device(wisp_error *err, const wisp_arguments *args, const char *device, const char *db,
                                 bool defaults, wisp_session **out)
{
  const wisp_session_request request = {.device = device, .store = db, .defaults_only = defaults};
  char note[512];
  if (db && access(db, F_OK) != 0) {
    snprintf(note, sizeof note, "%s: there is no such file; going on with what else is known", db);
    wisp_cli_warn(args, note);
  }
  CALL(wisp_session_open(err, &request, out));
  tell(args, *out);
  return WISP_OK;
}
