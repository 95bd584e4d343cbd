/* wisp report: what a store knows, as one HTML page. */
#include "against.h"
#include "cli.h"
#include "../tuner/report/report_data.h"

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_report_request *out)
{
  wisp_orders orders;
  wisp_precisions precisions;
  const char *study = wisp_option_value(args, "kernel"); /* "gather:3", "gather": in the foreground */
  int read = 0;
  *out = (wisp_report_request){.family = wisp_option_value(args, "family")};
  CALL(wisp_option_stored_device(err, args, out->device));
  CALL(wisp_option_known(err, args));
  CALL(wisp_option_orders(err, args, "orders", out->family, "all", &orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", &precisions));
  const int fields = study ? sscanf(study, "%31[^:]%n:%2d%n", out->kernel, &read, &out->order, &read) : 0;
  const bool in_range = fields < 2 || (out->order >= 1 && out->order <= WISP_HIGHEST_ORDER);
  CALL(wisp_require(err, !study || (fields > 0 && !study[read] && in_range), WISP_EUSAGE,
                    "option --kernel is '%s', must be a kernel and perhaps its order, as volume:4", study));
  for (int N = 0; N < WISP_REPORT_ORDERS; N++) out->orders[N] = wisp_orders_have(&orders, N);
  for (int i = 0; i < precisions.count; i++) *(precisions.list[i] == WISP_F32 ? &out->f32 : &out->f64) = true;
  return WISP_OK;
}

static wisp_status report(wisp_error *err, wisp_arguments *args)
{
  wisp_report_request request;
  OWNED(wisp_session_close) wisp_session *session = NULL;
  HELD(wisp_against_close) wisp_against against = {.session = NULL};
  HELD(wisp_text_free) wisp_text page = {0};
  const char *folder = wisp_option_value(args, "out");
  CALL(wisp_require(err, folder && *folder, WISP_EUSAGE, "say where to write the page: -o DIR"));
  CALL(read_request(err, args, &request));
  CALL(wisp_cli_open_store(err, args, !wisp_option_given(args, "db"), &session));
  if (wisp_option_given(args, "against")) CALL(wisp_against_open(err, args, request.device, &against));
  const wisp_report_against other = {against.session, against.device, against.name};
  if (against.session) request.against = &other;
  CALL(wisp_report_page(err, session, &request, &page));
  CALL(wisp_report_write(err, folder, &page));
  printf("%s/index.html\n", folder);
  return WISP_OK;
}

const wisp_syntax wisp_report_syntax = {.page = "report", .act = report};
