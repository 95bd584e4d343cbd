/* A crew at its work: the store that it writes to, signals that end it in order, and a warden for what outlives it. */
#include "supervisor.h"
#include "../../runtime/process.h"

#include <stdlib.h>

/* A file with a row that cannot be read would take new trials and give none back: it is found before anything is
 * written. */
static wisp_status open_store(wisp_error *err, const wisp_tune_request *request, wisp_writer **out)
{
  OWNED(free) char *own = NULL, *warning = NULL;
  HELD(wisp_text_free) wisp_text report = {0};
  wisp_error why = {0};
  if (!request->db) CALL(wisp_store_user_path(err, &own));
  const char *path = own ? own : request->db;
  CALL(wisp_store_await(err, path, true, request->warn, request->context));
  const wisp_status rows = wisp_store_check(&why, path, &report);
  CALL(wisp_require(err, rows == WISP_OK || rows == WISP_EMISSING, rows, "%s", why.text));
  CALL(wisp_writer_open(err, path, &warning, out));
  wisp_writer_report_waits(*out, request->warn, request->context);
  if (warning && request->warn) request->warn(request->context, warning);
  return WISP_OK;
}

wisp_status wisp_crew_work(wisp_error *err, wisp_crew *crew, wisp_tune_summary *summary)
{
  wisp_status status = WISP_OK, closed = WISP_OK;
  wisp_warden warden = {0};
  wisp_interrupt interrupt = {.fd = -1};
  wisp_writer *writer = NULL;
  TRY(wisp_warden_start(err, &warden)); /* before there are files open, which it would keep open */
  TRY(wisp_interrupt_begin(err, &interrupt));
  TRY(open_store(err, crew->request, &writer));
  crew->writer = writer, crew->warden = &warden, crew->interrupt = &interrupt;
  TRY(wisp_supervise(err, crew, summary));
done:
  wisp_warden_dismiss(&warden);
  wisp_scratch_sweep();
  closed = wisp_writer_close(status == WISP_OK ? err : NULL, writer);
  if (interrupt.fd >= 0) wisp_interrupt_end(&interrupt);
  crew->writer = NULL, crew->warden = NULL, crew->interrupt = NULL;
  return status == WISP_OK ? closed : status;
}
