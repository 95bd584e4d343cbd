/* wisp best: the fastest that is stored of each stage or kernel. */
#include "against.h"
#include "best.h"
#include "cli.h"
#include "../runtime/api/api.h"

/* The device that is meant where none is named: the one that would be tuned here. "": any. */
static wisp_status read_device(wisp_error *err, const wisp_arguments *args, char name[128])
{
  const char *given = wisp_option_value(args, "device");
  OWNED(wisp_device_close) wisp_device *device = NULL;
  bool every = wisp_option_given(args, "all"), all = given && strcmp(given, "all") == 0;
  name[0] = '\0';
  CALL(wisp_require(err, !every || !given || all, WISP_EUSAGE, "--all and -d %s exclude each other: leave one out",
                    given));
  if (every || all) return WISP_OK;
  if (given) return wisp_option_stored_device(err, args, name);
  CALL(wisp_device_open(err, "auto", &device));
  snprintf(name, 128, "%s", wisp_device_limits(device)->name);
  return WISP_OK;
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_best_request *out)
{
  *out = (wisp_best_request){.family = wisp_option_value(args, "family"),
                             .system = wisp_option_value(args, "system"),
                             .element = wisp_option_value(args, "element"),
                             .strategy = wisp_option_value(args, "strategy"),
                             .layout = wisp_option_value(args, "layout"),
                             .any_layout = wisp_option_given(args, "any-layout")};
  CALL(wisp_option_known(err, args));
  CALL(read_device(err, args, out->device));
  CALL(wisp_option_orders(err, args, "orders", out->family, "all", &out->orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", &out->precisions));
  return wisp_require(err, !out->any_layout || !(out->strategy || out->layout), WISP_EUSAGE,
                      "--any-layout and --strategy or --layout exclude each other: leave one out");
}

/* The rows that the others are compared with, each by its spec; the compared one is another device's perhaps. */
static void match_rows(const wisp_best_rows *then, wisp_best_rows *now)
{
  for (size_t i = 0; i < now->count; i++)
    for (size_t k = 0; k < then->count && !now->rows[i].then; k++) {
      const wisp_spec *a = &now->rows[i].spec, *b = &then->rows[k].spec;
      if (wisp_spec_orders(a, b) == 0 && strcmp(a->kernel, b->kernel) == 0) now->rows[i].then = &then->rows[k];
    }
}

/* Fills the rows of the store, device or day that --against names. */
static wisp_status fill_against(wisp_error *err, const wisp_arguments *args, const wisp_best_request *request,
                                wisp_against *against, wisp_best_rows *then, wisp_best_rows *now)
{
  wisp_best_request other = *request;
  if (now->count && request->stages) /* the subject that is shown */
    other.family = now->rows->spec.family, other.system = now->rows->spec.system,
    other.element = now->rows->spec.element;
  CALL(wisp_against_open(err, args, request->device, against));
  snprintf(other.device, sizeof other.device, "%s", against->device);
  CALL(wisp_best_fill(err, against->session, &other, then));
  CALL(wisp_require(err, then->count, WISP_EMISSING, "--against %s: nothing of these is stored there", against->name));
  match_rows(then, now);
  now->against = against->name;
  return WISP_OK;
}

static wisp_status best(wisp_error *err, wisp_arguments *args)
{
  static const wisp_best_print printers[] = {wisp_best_print_text, wisp_best_print_json, wisp_best_print_csv,
                                             wisp_best_print_markdown};
  wisp_best_request request;
  OWNED(wisp_session_close) wisp_session *session = NULL;
  HELD(wisp_against_close) wisp_against against = {.session = NULL};
  HELD(wisp_best_free) wisp_best_rows then = {.count = 0}, rows = {.count = 0};
  HELD(wisp_text_free) wisp_text text = {0};
  size_t format;
  CALL(wisp_option_rename_strategy(err, args));
  CALL(wisp_require(err, !wisp_option_given(args, "json") || !wisp_option_given(args, "format"), WISP_EUSAGE,
                    "--json and --format both say how to print: leave one out"));
  CALL(wisp_option_choice(err, args, "format", "text json csv markdown", wisp_option_given(args, "json"), &format));
  CALL(wisp_require(err, !wisp_option_given(args, "against") || format < 2, WISP_EUSAGE,
                    "--against is printed as text or JSON alone: leave --format out"));
  CALL(read_request(err, args, &request));
  const bool details =
      wisp_option_given(args, "kernels") || request.any_layout || request.strategy || request.layout || format > 0;
  request.stages = !details;
  wisp_best_print print = details ? printers[format] : wisp_best_print_stages;
  CALL(wisp_cli_open_store(err, args, true, &session));
  if (print != wisp_best_print_json) wisp_store_show(session->store); /* JSON escapes by itself */
  CALL(wisp_best_fill(err, session, &request, &rows));
  CALL(wisp_require(err, rows.count, WISP_EMISSING,
                    "nothing is stored for %s%s: 'wisp tune' fills the store, and "
                    "'wisp db show' tells what is there, -d all shows it",
                    *request.device ? request.device : "any device",
                    *request.device ? " and these options" : " with these options"));
  if (wisp_option_given(args, "against")) {
    CALL(fill_against(err, args, &request, &against, &then, &rows));
    if (format == 0) print = wisp_best_print_against;
  }
  CALL(print(err, &rows, &text));
  fwrite(text.data, 1, text.length, stdout);
  return WISP_OK;
}

const wisp_syntax wisp_best_syntax = {.page = "best", .act = best};
