/* Tuning from within a program: CUDA survives no fork, so the command does it, in a process of its own. */
#include "tune.h"
#include "../process.h"
#include "../../gen/family.h"

#include <cjson/cJSON.h>
#include <dlfcn.h>
#include <math.h>
#include <unistd.h>

/* A sweep ends with a final round, behind its budget. */
enum { PATIENCE = 1800, PATH_TEXT = 1024 };

/* The command lies near this library: installed, or in the folder that both were built in. */
static void find_command(const char *command, char path[PATH_TEXT])
{
  static const char *const near_by[] = {"../bin/wisp", "wisp", "../wisp"};
  Dl_info here;
  snprintf(path, PATH_TEXT, "%s", command ? command : "wisp");
  if (command || !dladdr((const void *)(uintptr_t)&wisp_version, &here) || !strchr(here.dli_fname, '/')) return;
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

/* Adds the numbers that the command prints as JSON in its log. */
static void add_numbers(const char *log, wisp_tuning *to)
{
  OWNED(free) char *text = NULL;
  size_t length = 0;
  if (wisp_read_file(NULL, log, &text, &length) != WISP_OK) return;
  const char *begin = strchr(text, '{');
  cJSON *json = begin ? cJSON_Parse(begin) : NULL;
  const cJSON *trials = cJSON_GetObjectItem(json, "trials"), *target = NULL;
  if (cJSON_IsNumber(trials)) to->trials += (long long)trials->valuedouble;
  cJSON_ArrayForEach(target, cJSON_GetObjectItem(json, "targets"))
  {
    const cJSON *before = cJSON_GetObjectItem(target, "before_ms"), *after = cJSON_GetObjectItem(target, "after_ms");
    if (!cJSON_IsNumber(before) || !cJSON_IsNumber(after)) continue;
    to->before_ms += before->valuedouble, to->after_ms += after->valuedouble;
  }
  cJSON_Delete(json);
}

/* out NULL: what it prints is no JSON. */
static wisp_status run_command(wisp_error *err, char *const *argv, double seconds, wisp_tuning *out)
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
  CALL(wisp_require(err, ending == WISP_RAN && code == 0, WISP_ESYSTEM, "%s tune failed: %s", argv[0], line));
  if (out) add_numbers(log, out);
  return WISP_OK;
}

static wisp_status check_seconds(wisp_error *err, double seconds)
{
  return wisp_require(err, seconds >= 1 && seconds < 1e7, WISP_EUSAGE, "tuning takes a second or more, not %g",
                      seconds);
}

static wisp_status check_store(wisp_error *err, const wisp_session *session)
{
  return wisp_require(
      err, session->store, WISP_EUSAGE,
      "session: it reads no store, so that what is tuned would not count: open one without defaults_only");
}

/* Reads the store anew, so that what is opened from now on takes what won. The one of before stays for what is open. */
static wisp_status read_again(wisp_error *err, wisp_session *session)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  char *warning = NULL;
  CALL(wisp_grow(err, &session->earlier, &session->earlier_capacity, session->earlier_count + 1,
                 sizeof *session->earlier));
  CALL(wisp_chooser_open_store(err, session->strategies, session->path, true, &warning, &store));
  if (session->handles)
    session->earlier[session->earlier_count++] = session->store;
  else
    wisp_store_close(session->store);
  free(session->warning);
  session->warning = warning;
  return GIVE(store, &session->store);
}

wisp_status wisp_session_tune(wisp_error *err, wisp_session *session, const char *spec, double seconds)
{
  wisp_spec what;
  char command[PATH_TEXT], device[32], order[16], budget[32], precision[8];
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, spec));
  CALL(check_store(err, session));
  CALL(wisp_spec_parse(err, spec, &what));
  CALL(check_seconds(err, seconds));
  find_command(session->command, command);
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
  CALL(run_command(err, argv, seconds, NULL));
  return read_again(err, session);
}

/* ---- The kernels of a solver, on its mesh. */

void wisp_tuning_targets_of(const wisp_solver *s, wisp_tuning_targets *out)
{
  *out = (wisp_tuning_targets){.source = s->source, .elements = s->mesh->elements};
  for (int part = 0; part < WISP_SOLVER_STAGES; part++)
    for (int k = 0; k < s->stage[part].kernels; k++) {
      const wisp_spec *spec = &s->stage[part].plan[k]->spec;
      int at = 0;
      if (strcmp(spec->family, s->kind->family) != 0) continue; /* what another family lends is a small part */
      while (at < out->count && wisp_spec_orders(&out->spec[at], spec) != 0) at++;
      if (at < out->count || at == WISP_TUNING_TARGETS) continue;
      out->spec[out->count] = *spec;
      out->spec[out->count++].kernel[0] = '\0';
    }
}

/* Tunes one target for so many seconds. */
static wisp_status tune_target(wisp_error *err, char *command, const char *device, const char *path,
                               const wisp_tuning_targets *targets, const wisp_spec *spec, double seconds,
                               wisp_tuning *out)
{
  const wisp_mesh_source *mesh = &targets->source;
  char text[8][PATH_TEXT];
  const char *argv[40] = {command, "tune", "-q", "--json", "-d", device, "-f", spec->family};
  const wisp_family *family = wisp_family_find(spec->family);
  size_t n = 8;
  snprintf(text[0], PATH_TEXT, "%d", spec->order);
  snprintf(text[1], PATH_TEXT, "%.0fs", seconds);
  snprintf(text[2], PATH_TEXT, "%zu", targets->elements);
  snprintf(text[3], PATH_TEXT, "%.17g", mesh->merge);
  snprintf(text[4], PATH_TEXT, "%.17g", mesh->jitter);
  snprintf(text[5], PATH_TEXT, "%llu", (unsigned long long)mesh->seed);
  if (strcmp(spec->system, family->default_system) != 0) argv[n++] = "--system", argv[n++] = spec->system;
  argv[n++] = "--element", argv[n++] = spec->element, argv[n++] = "-n", argv[n++] = text[0];
  argv[n++] = "-p", argv[n++] = wisp_precision_name(spec->precision), argv[n++] = "--budget", argv[n++] = text[1];
  if (path) argv[n++] = "--db", argv[n++] = path;
  if (mesh->file && !mesh->data) {
    argv[n++] = "--mesh", argv[n++] = mesh->file;
    if (mesh->merge > 0) argv[n++] = "--merge", argv[n++] = text[3];
    if (mesh->cracks) argv[n++] = "--cracks";
  } else
    argv[n++] = "--elements", argv[n++] = text[2];
  if (mesh->jitter > 0) argv[n++] = "--jitter", argv[n++] = text[4];
  if (mesh->shuffle) argv[n++] = "--shuffle", argv[n++] = text[5];
  char *words[40];
  for (size_t i = 0; i <= n; i++) memcpy(&words[i], &argv[i], sizeof words[i]); /* execvp takes them as not constant */
  return run_command(err, words, seconds, out);
}

wisp_status wisp_tune_targets(wisp_error *err, const char *command, const char *device, const char *path,
                              const wisp_tuning_targets *targets, double seconds, wisp_tuning *out)
{
  char found[PATH_TEXT];
  const double began = wisp_seconds();
  wisp_tuning tuning = {.trials = 0};
  CALL(check_seconds(err, seconds));
  find_command(command, found);
  for (int i = 0; i < targets->count; i++) {
    const double left = seconds - (wisp_seconds() - began);
    CALL(tune_target(err, found, device, path, targets, &targets->spec[i], fmax(1, left / (targets->count - i)),
                     &tuning));
  }
  tuning.seconds = wisp_seconds() - began;
  *out = tuning;
  return WISP_OK;
}

wisp_status wisp_solver_tune(wisp_error *err, const wisp_solver *solver, double seconds, wisp_tuning *out)
{
  wisp_tuning_targets targets;
  char device[32];
  CALL(WISP_OPEN(err, "solver", solver));
  CALL(WISP_GIVEN(err, out));
  wisp_session *session = solver->handle.session;
  CALL(check_store(err, session));
  wisp_device_name(session->device, device);
  wisp_tuning_targets_of(solver, &targets);
  CALL(wisp_tune_targets(err, session->command, device, session->path, &targets, seconds, out));
  return read_again(err, session);
}
