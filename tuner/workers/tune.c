/* The tuner's side of a sweep: a request that means something, a store to write to, devices, and what they came to.
 * Workers (sweep.c) do the rest. */
#include "devices.h"
#include "supervisor.h"
#include "../sweep/sweep.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_layout(const wisp_spec *spec, const char *name)
{
  wisp_layout layouts[8];
  char text[WISP_LAYOUT_TEXT];
  int count = wisp_family_layouts(spec, layouts);
  for (int i = 0; i < count; i++) {
    wisp_layout_print(&layouts[i], text);
    if (!name || strcmp(text, name) == 0) return true;
  }
  return false;
}

static bool has_strategy(const wisp_sweep *sweep)
{
  const char *kernel = sweep->request->kernel, *strategy = sweep->request->strategy;
  for (size_t i = 0; i < sweep->strategies->count; i++) {
    const wisp_strategy *s = sweep->strategies->list[i];
    if (strcmp(s->family, sweep->family->name) == 0 && (!kernel || strcmp(s->kernel, kernel) == 0) &&
        (!strategy || strcmp(s->name, strategy) == 0))
      return true;
  }
  return false;
}

/* Everything that could make the sweep end in the middle for a misspelt word. */
static wisp_status check_request(wisp_error *err, const wisp_sweep *sweep)
{
  const wisp_tune_request *r = sweep->request;
  const wisp_family *family = sweep->family;
  int kernels = 0;
  CALL(wisp_require(err, family, WISP_EUSAGE, "there is no family '%s'", r->family));
  for (size_t i = 0; i < r->order_count; i++) {
    const wisp_spec spec = wisp_sweep_spec(sweep, r->orders[i], WISP_F64);
    CALL(wisp_family_check(err, &spec));
    CALL(wisp_require(err, has_layout(&spec, r->layout), WISP_EUSAGE,
                      "order %d has no layout '%s': 'wisp emit -n %d' lists its layouts", r->orders[i], r->layout,
                      r->orders[i]));
  }
  for (int k = 0; family->kernels[k].name; k++) kernels += wisp_sweep_wants(sweep, k);
  CALL(wisp_require(err, kernels > 0, WISP_EUSAGE, "family %s has no kernel '%s' to tune: 'wisp emit' lists them",
                    family->name, r->kernel));
  return wisp_require(err, has_strategy(sweep), WISP_EUSAGE, "no strategy '%s' for %s: 'wisp emit' lists them",
                      r->strategy ? r->strategy : "", r->kernel ? r->kernel : family->name);
}

/* A file with a row that cannot be read would take new trials and give none back: it is found before anything is
 * written. */
static wisp_status check_rows(wisp_error *err, const char *path)
{
  wisp_text report = {0};
  wisp_error why = {0};
  wisp_status status = wisp_store_check(&why, path, &report);
  wisp_text_free(&report);
  if (status == WISP_OK || status == WISP_EMISSING) return WISP_OK;
  return wisp_fail(err, status, "%s", why.text);
}

static wisp_status open_store(wisp_error *err, const wisp_tune_request *request, wisp_writer **out)
{
  OWNED(free) char *own = NULL, *warning = NULL;
  if (!request->db) CALL(wisp_store_user_path(err, &own));
  const char *path = own ? own : request->db;
  CALL(check_rows(err, path));
  CALL(wisp_writer_open(err, path, &warning, out));
  if (warning && request->warn) request->warn(request->context, warning);
  return WISP_OK;
}

/* Two workers on one device disturb each other: whoever asks for that should know. */
static void warn_of_pairs(const wisp_tune_request *request, size_t count, char *const *names)
{
  for (size_t i = 0; i < count && request->warn; i++)
    for (size_t k = 0; k < i; k++) {
      char text[160];
      if (strcmp(names[i], names[k]) != 0) continue;
      snprintf(text, sizeof text, "device %.40s is in the list twice: its workers share it, and their times suffer",
               names[i]);
      request->warn(request->context, text);
      return;
    }
}

wisp_status wisp_tune(wisp_error *err, const char *devices, const wisp_tune_request *request, wisp_tune_summary *out)
{
  wisp_status status = WISP_OK, closed = WISP_OK;
  wisp_sweep sweep = {.request = request, .start = wisp_seconds()};
  wisp_writer *writer = NULL;
  wisp_tune_summary summary = {0};
  wisp_warden warden = {0};
  wisp_interrupt interrupt = {.fd = -1};
  char **names = NULL;
  sweep.family = wisp_family_find(request->family);
  sweep.deadline = request->budget_seconds > 0 ? sweep.start + request->budget_seconds : INFINITY;
  TRY(wisp_strategies_load(err, &sweep.strategies));
  TRY(check_request(err, &sweep));
  TRY(wisp_devices_read(err, devices, &sweep.workers, &names));
  warn_of_pairs(request, sweep.workers, names);
  TRY(wisp_warden_start(err, &warden)); /* before there are files open, which it would keep open */
  TRY(wisp_interrupt_begin(err, &interrupt));
  TRY(open_store(err, request, &writer));
  wisp_crew crew = {.request = request,
                    .count = sweep.workers,
                    .devices = names,
                    .writer = writer,
                    .body = wisp_sweep_work,
                    .context = &sweep,
                    .warden = &warden,
                    .interrupt = &interrupt,
                    .start = sweep.start,
                    .deadline = sweep.deadline};
  TRY(wisp_supervise(err, &crew, &summary));
  summary.seconds = wisp_seconds() - sweep.start;
  *out = summary;
done:
  wisp_warden_dismiss(&warden);
  wisp_scratch_sweep();
  closed = wisp_writer_close(status == WISP_OK ? err : NULL, writer);
  if (interrupt.fd >= 0) wisp_interrupt_end(&interrupt);
  wisp_strategies_free(sweep.strategies);
  wisp_devices_free(sweep.workers, names);
  return status == WISP_OK ? closed : status;
}
