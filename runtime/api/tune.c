/* Tuning from within a program: CUDA survives no fork, so the command does it, in a process of its own. */
#include "../process.h"
#include "api.h"

#include <dlfcn.h>
#include <unistd.h>

/* A sweep ends with a final round, behind its budget. */
enum { PATIENCE = 1800, PATH_TEXT = 1024 };

/* The command lies near this library: installed, or in the folder that both were built in. */
static void find_command(const wisp_session *session, char path[PATH_TEXT])
{
  static const char *const near_by[] = {"../bin/wisp", "wisp", "../wisp"};
  Dl_info here;
  snprintf(path, PATH_TEXT, "%s", session->command ? session->command : "wisp");
  if (session->command || !dladdr((const void *)(uintptr_t)&wisp_version, &here) || !strchr(here.dli_fname, '/'))
    return;
  for (size_t i = 0; i < WISP_COUNT(near_by); i++) {
    char near[PATH_TEXT];
    const int folder = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
    const int length = snprintf(near, sizeof near, "%.*s/%s", folder, here.dli_fname, near_by[i]);
    if (length >= PATH_TEXT || access(near, X_OK) != 0) continue;
    snprintf(path, PATH_TEXT, "%s", near);
    return;
  }
}

static void last_line(const char *log, char line[256])
{
  char *text = NULL;
  size_t length = 0;
  snprintf(line, 256, "it said nothing");
  if (wisp_read_file(NULL, log, &text, &length) != WISP_OK) return;
  while (length && text[length - 1] == '\n') text[--length] = '\0';
  const char *last = strrchr(text, '\n');
  if (length) wisp_show_text(last ? last + 1 : text, line, 256);
  free(text);
}

static wisp_status run_command(wisp_error *err, char *const *argv, double seconds)
{
  HELD(wisp_scratch_remove) char folder[PATH_TEXT] = "";
  char log[PATH_TEXT + 8], line[256];
  wisp_ending ending = WISP_RAN;
  int code = 0;
  CALL(wisp_scratch_create(err, folder, sizeof folder));
  snprintf(log, sizeof log, "%s/log", folder);
  CALL(wisp_process_run(err, argv, folder, log, seconds + PATIENCE, &ending, &code));
  CALL(wisp_require(err, ending != WISP_NO_PROGRAM, WISP_EMISSING,
                    "%s cannot be run: name the command in the session's request", argv[0]));
  CALL(wisp_require(err, ending != WISP_TIMEOUT, WISP_ESYSTEM,
                    "%s tune did not end, and was ended: see that the device answers", argv[0]));
  last_line(log, line);
  return wisp_require(err, ending == WISP_RAN && code == 0, WISP_ESYSTEM, "%s tune failed: %s", argv[0], line);
}

wisp_status wisp_session_tune(wisp_error *err, wisp_session *session, const char *spec, double seconds)
{
  wisp_spec what;
  wisp_store *store = NULL;
  char *warning = NULL, command[PATH_TEXT], device[32], order[16], budget[32], precision[8];
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, spec));
  CALL(wisp_require(
      err, session->store, WISP_EUSAGE,
      "session: it reads no store, so that what is tuned would not count: open one without defaults_only"));
  CALL(wisp_spec_parse(err, spec, &what));
  CALL(wisp_require(err, seconds >= 1 && seconds < 1e7, WISP_EUSAGE, "tuning takes a second or more, not %g", seconds));
  find_command(session, command);
  wisp_device_name(session->device, device);
  snprintf(order, sizeof order, "%d", what.order);
  snprintf(budget, sizeof budget, "%.0fs", seconds);
  snprintf(precision, sizeof precision, "%s", wisp_precision_name(what.precision));
  const bool composed = wisp_spec_is_composition(&what);
  char *argv[32] = {command, "tune", "-d",      device,     "-f",        what.family, "-n",
                    order,   "-p",   precision, "--system", what.system, "--budget",  budget};
  size_t n = 14;
  if (!composed) argv[n++] = "-k", argv[n++] = what.kernel;
  if (session->path) argv[n++] = "--db", argv[n++] = session->path;
  CALL(run_command(err, argv, seconds));
  CALL(wisp_chooser_open_store(err, session->strategies, session->path, true, &warning, &store));
  wisp_store_close(session->store);
  free(session->warning);
  session->store = store;
  session->warning = warning;
  return WISP_OK;
}
