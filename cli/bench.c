/* wisp bench: every kernel's winner against the vendor's library, the default candidate and the floor. */
#include "bench.h"
#include "cli.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Logarithms of how many times as fast as the default the tuned ones are. */
typedef struct gain {
  int count;
  double sum;
} gain;

typedef struct printer {
  const wisp_arguments *args;
  cJSON *list; /* NULL: text, as it comes */
  int rows;
  gain gain[2][2]; /* [double precision][whole stage] */
  const char *device;
} printer;

static void add_gain(printer *p, const wisp_comparison *row)
{
  gain *g = &p->gain[row->spec.precision == WISP_F64][wisp_spec_is_step(&row->spec)];
  if (row->ours.match == WISP_MATCH_DEFAULT || !(row->default_ms > 0)) return;
  g->count++;
  g->sum += log(row->default_ms / row->ms);
}

static wisp_status take_row(wisp_error *err, void *context, const wisp_comparison *row)
{
  printer *p = context;
  (void)err;
  if (p->list)
    cJSON_AddItemToArray(p->list, wisp_bench_row(p->device, row));
  else
    wisp_bench_print(row, p->rows == 0);
  add_gain(p, row);
  p->rows++;
  return WISP_OK;
}

static void warn(void *context, const char *text)
{
  const printer *p = context;
  wisp_cli_warn(p->args, text);
}

static void print_gains(const printer *p)
{
  for (int d = 0; d < 2; d++) {
    const gain *kernels = &p->gain[d][0], *stages = &p->gain[d][1];
    if (!kernels->count && !stages->count) continue;
    printf("%s: tuned against default, geometric means:", d ? "f64" : "f32");
    if (kernels->count) printf(" %.2f over %d kernels", exp(kernels->sum / kernels->count), kernels->count);
    if (stages->count)
      printf("%s %.2f over %d stages", kernels->count ? "," : "", exp(stages->sum / stages->count), stages->count);
    printf("\n");
  }
}

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_orders *orders,
                                wisp_precisions *precisions, wisp_mesh_source *beside, wisp_compare_request *r)
{
  long long jobs = 0;
  const char *family = wisp_option_family(args);
  CALL(wisp_option_orders(err, args, "orders", family, "1-9", orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", precisions));
  CALL(wisp_option_integer(err, args, "jobs", 1, 1024, 0, &jobs));
  *r = (wisp_compare_request){.family = family,
                              .system = wisp_option_value(args, "system"),
                              .element = wisp_option_value(args, "element"),
                              .orders = orders->list,
                              .order_count = (size_t)orders->count,
                              .precisions = precisions->list,
                              .precision_count = (size_t)precisions->count,
                              .kernel = wisp_option_value(args, "kernel"),
                              .composition = wisp_option_value(args, "composition"),
                              .jobs = (int)jobs,
                              .row = take_row,
                              .warn = warn};
  if (r->composition && !r->kernel) r->kernel = WISP_WHOLE_STEP;
  CALL(wisp_option_timed_mesh(err, args, beside));
  r->beside = beside;
  CALL(wisp_option_elements(err, args, &r->elements));
  CALL(wisp_option_real(err, args, "nodes", 1, 1e12, 0, &r->nodes));
  return wisp_require(err, !(r->nodes > 0) || !r->elements, WISP_EUSAGE,
                      "--nodes, --elements and --box all give the size: leave all but one out");
}

static wisp_status bench(wisp_error *err, wisp_arguments *args)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  wisp_orders orders;
  wisp_precisions precisions;
  wisp_mesh_source beside;
  wisp_compare_request request;
  const char *name = wisp_option_value(args, "device");
  CALL(read_request(err, args, &orders, &precisions, &beside, &request));
  CALL(wisp_cli_open_store(err, args, !wisp_option_given(args, "db"), &session));
  CALL(wisp_device_open(err, name ? name : "auto", &session->device));
  printer p = {.args = args, .device = wisp_device_limits(session->device)->name};
  if (wisp_option_given(args, "json")) p.list = cJSON_CreateArray();
  request.context = &p;
  const wisp_status status = wisp_compare(err, session, &request);
  if (status == WISP_OK && p.list) return wisp_json_put(err, p.list);
  if (status == WISP_OK) print_gains(&p);
  cJSON_Delete(p.list);
  return status;
}

const wisp_syntax wisp_bench_syntax = {.page = "bench", .act = bench};
