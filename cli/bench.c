/* wisp bench: every kernel's winner against the vendor's library, the default candidate and the floor. */
#include "cli.h"
#include "options.h"
#include "../tuner/compare.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const wisp_option options[] = {
    {"device", 'd', "DEV", "the device, as 'wisp devices' names it (auto: the first GPU, else the host)"},
    {"family", 'f', "FAMILY", "the family (nodal)"},
    {"orders", 'n', "ORDERS", "the orders, such as 3 or 1-4,7 (1-9)"},
    {"precision", 'p', "PRECS", "f32, f64 or both: f32,f64 (f32,f64)"},
    {"system", 0, "SYSTEM", "the system of equations (the family's own)"},
    {"kernel", 0, "KERNEL", "this kernel only; 'step' is the whole stage"},
    {"elements", 0, "K", "size of the problem (105456 on a GPU, less on the host)"},
    {"box", 0, "N", "the same as N cubes along each edge: 6 N^3 elements"},
    {"jobs", 'j', "JOBS", "compilations at a time (all cores)"},
    {"db", 0, "FILE", "the user's store to read, in place of the default one"},
    {"json", 0, NULL, "a JSON array, one object a kernel, and one a stage"},
};
static const wisp_syntax syntax = {
    "wisp bench [-d DEV] [-n ORDERS] [-p f32,f64] [--kernel KERNEL] [--elements K | --box N] [--db FILE] [--json]",
    "Times the stored winners, the default candidates and the vendor's library (cuBLAS; the system's BLAS on the "
    "host)\n"
    "side by side in this run, and whole stages. eff. is floor over measured, floor the minimal bytes at the measured\n"
    "copy bandwidth or the operations at the measured peak; x def. and x BLAS say how many times as fast ours is.",
    options, sizeof options / sizeof *options, 0};

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
  gain *g = &p->gain[row->spec.precision == WISP_F64][strcmp(row->spec.kernel, "step") == 0];
  if (row->ours.match == WISP_MATCH_DEFAULT || !(row->default_ms > 0)) return;
  g->count++;
  g->sum += log(row->default_ms / row->ms);
}

/* A number in so many columns, with as many digits as fit, or a dash. */
static void print_number(int width, int digits, double value)
{
  while (digits > 0 && snprintf(NULL, 0, "%.*f", digits, value) > width) digits--;
  if (isfinite(value))
    printf(" %*.*f", width, digits, value);
  else
    printf(" %*s", width, "-");
}

static void print_row(printer *p, const wisp_comparison *row)
{
  char who[sizeof row->ours.strategy + sizeof row->ours.layout + 1];
  if (!p->rows)
    printf("%-2s %-3s %-10s %-35s %8s %7s %6s %7s %5s %5s %6s %8s %6s\n", "N", "", "kernel", "strategy, layout", "ms",
           "GDOF/s", "GB/s", "GFLOP/s", "eff.", "copy", "x def.", "BLAS ms", "x BLAS");
  snprintf(who, sizeof who, "%s %s", row->ours.strategy, row->ours.layout);
  printf("%-2d %-3s %-10s %-35.35s", row->spec.order, wisp_precision_name(row->spec.precision), row->spec.kernel, who);
  print_number(8, 4, row->ms);
  print_number(7, 2, row->gdofs);
  print_number(6, 0, row->gbps);
  print_number(7, 0, row->gflops);
  print_number(5, 2, row->efficiency);
  print_number(5, 2, row->copy_share);
  print_number(6, 2, row->ours.match == WISP_MATCH_DEFAULT ? NAN : row->default_ms / row->ms);
  print_number(8, 4, row->rival_ms);
  print_number(6, 2, row->rival_ms / row->ms);
  printf("\n");
  fflush(stdout);
}

static cJSON *to_json(const printer *p, const wisp_comparison *row)
{
  cJSON *object = cJSON_CreateObject();
  const struct {
    const char *key, *value;
  } texts[] = {{"device", p->device},
               {"family", row->spec.family},
               {"kernel", row->spec.kernel},
               {"strategy", row->ours.strategy},
               {"precision", wisp_precision_name(row->spec.precision)},
               {"system", row->spec.system},
               {"layout", row->ours.layout},
               {"params", row->ours.params},
               {"match", wisp_match_name(row->ours.match)},
               {"layer", wisp_layer_name(row->ours.layer)},
               {"default_strategy", row->standard.strategy},
               {"default_layout", row->standard.layout},
               {"default_params", row->standard.params},
               {"rival", row->rival}};
  const struct {
    const char *key;
    double value;
  } numbers[] = {{"order", row->spec.order},
                 {"elements", (double)row->elements},
                 {"ms", row->ms},
                 {"gdofs", row->gdofs},
                 {"gbps", row->gbps},
                 {"gflops", row->gflops},
                 {"efficiency", row->efficiency},
                 {"copy_share", row->copy_share},
                 {"default_ms", row->default_ms},
                 {"speedup", row->default_ms / row->ms},
                 {"rival_ms", row->rival_ms},
                 {"rival_error", row->rival_error},
                 {"ratio", row->rival_ms / row->ms}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (*texts[i].value) /* what is not there is null */
      cJSON_AddStringToObject(object, texts[i].key, texts[i].value);
    else
      cJSON_AddNullToObject(object, texts[i].key);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    cJSON_AddNumberToObject(object, numbers[i].key, numbers[i].value);
  return object;
}

static wisp_status take_row(wisp_error *err, void *context, const wisp_comparison *row)
{
  printer *p = context;
  (void)err;
  if (p->list)
    cJSON_AddItemToArray(p->list, to_json(p, row));
  else
    print_row(p, row);
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
                                wisp_precisions *precisions, wisp_compare_request *r)
{
  wisp_status status = WISP_OK;
  long long jobs = 0;
  const char *family = wisp_option_value(args, "family");
  if (!family) family = "nodal";
  TRY(wisp_option_orders(err, args, "orders", family, "1-9", orders));
  TRY(wisp_option_precisions(err, args, "precision", "f32,f64", precisions));
  TRY(wisp_option_integer(err, args, "jobs", 1, 1024, 0, &jobs));
  *r = (wisp_compare_request){.family = family,
                              .system = wisp_option_value(args, "system"),
                              .orders = orders->list,
                              .order_count = (size_t)orders->count,
                              .precisions = precisions->list,
                              .precision_count = (size_t)precisions->count,
                              .kernel = wisp_option_value(args, "kernel"),
                              .jobs = (int)jobs,
                              .row = take_row,
                              .warn = warn};
  TRY(wisp_option_elements(err, args, &r->elements));
done:
  return status;
}

static wisp_status print_json(wisp_error *err, const cJSON *list)
{
  char *text = cJSON_Print(list);
  if (!text) return wisp_fail(err, WISP_EMEMORY, "out of memory");
  printf("%s\n", text);
  cJSON_free(text);
  return WISP_OK;
}

int wisp_cli_bench(int argc, char **argv)
{
  wisp_arguments args;
  wisp_error err = {0};
  wisp_status status = WISP_OK;
  wisp_device *device = NULL;
  wisp_store *store = NULL;
  wisp_orders orders;
  wisp_precisions precisions;
  wisp_compare_request request;
  printer p = {.args = &args};
  char *warning = NULL;
  int exit_status = 0;
  if (!wisp_arguments_read(&syntax, argc, argv, &args, &exit_status)) return exit_status;
  const char *name = wisp_option_value(&args, "device"), *db = wisp_option_value(&args, "db");
  TRY(read_request(&err, &args, &orders, &precisions, &request));
  TRY(wisp_require(&err, !db || access(db, F_OK) == 0, WISP_EMISSING, "%s: there is no such file", db));
  TRY(wisp_store_open(&err, db, !db, &warning, &store));
  if (warning) wisp_cli_warn(&args, warning);
  TRY(wisp_device_open(&err, name ? name : "auto", &device));
  p.device = wisp_device_limits(device)->name;
  if (wisp_option_given(&args, "json")) p.list = cJSON_CreateArray();
  request.store = store;
  request.context = &p;
  TRY(wisp_compare(&err, device, &request));
  if (p.list)
    TRY(print_json(&err, p.list));
  else
    print_gains(&p);
done:
  cJSON_Delete(p.list);
  free(warning);
  wisp_store_close(store);
  wisp_device_close(device);
  return wisp_cli_end(&args, status, &err);
}
