/* wisp tune: a sweep with its progress, and a closing table of winners. */
#include "cli.h"
#include "json.h"
#include "mesh_options.h"
#include "progress.h"
#include "replay.h"
#include "winners.h"
#include "../gen/family.h"
#include "../tuner/workers/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const wisp_option options[] = {
    {"device", 'd', "DEVS",
     "a device as 'wisp devices' names it, several: cuda:0,cuda:1, or all GPUs: all (auto: one)"},
    {"family", 'f', "FAMILY", "the family: nodal, tensor, assembly or hdg (nodal)"},
    {"orders", 'n', "ORDERS", "the polynomial orders, such as 3 or 1-4,7 (1-4)"},
    {"precision", 'p', "PRECS", "f32, f64 or both: f32,f64 (f32,f64)"},
    {"system", 0, "SYSTEM", "the system of equations (the family's own)"},
    {"element", 0, "ELEMENT", "the element (the family's first)"},
    {"kernel", 'k', "KERNEL", "this kernel only"},
    {"strategy", 's', "STRATEGY", "this strategy only"},
    {"layout", 'l', "LAYOUT", "this layout only"},
    {"budget", 0, "TIME", "stop after 90s, 10m, 2h; shared out evenly (10m)"},
    {"exhaustive", 0, NULL, "every candidate, however long it takes"},
    {"elements", 0, "K", "size of the problem that kernels are timed on (chosen for the device)"},
    {"box", 0, "N", "the same as N cubes along each edge: 6 N^3 tets, or N^3 hexes"},
    WISP_MESH_OPTIONS("tets, or of hexes by --family tensor,"),
    {"jobs", 'j', "JOBS", "compilations at a time (all cores)"},
    {"db", 0, "FILE", "the store (the user's own)"},
    {"retry-failed", 0, NULL, "try again what went wrong before"},
    {"replay", 0, NULL, "no device: the budgeted search against an exhaustive sweep (--db, NAME.gz too), in percent"},
    {"seeded", 0, NULL, "with --replay: from the sweep's other orders and precisions (so)"},
    {"unseeded", 0, NULL, "with --replay: from the cost model alone"},
    {"json", 0, NULL, "a JSON object: counts and winners"},
};

/* --- progress --- */

typedef struct part { /* what came of one device */
  char device[40];
  wisp_tune_summary summary;
} part;

typedef struct display {
  const wisp_arguments *args;
  const wisp_tune_request *request;
  wisp_progress progress;
  double done;    /* of an exhaustive sweep: its trials that there are, over all */
  char text[256]; /* of the newest trial */
  size_t count;
  part *parts;
} display;

/* A budget ends by the clock; an exhaustive sweep by its trials. */
static void tick(void *context)
{
  display *d = context;
  double budget = d->request->budget_seconds;
  wisp_progress_show(&d->progress, budget > 0 ? wisp_progress_seconds(&d->progress) / budget : d->done, d->text);
}

static void show(void *context, const wisp_tune_progress *p)
{
  display *d = context;
  wisp_spec spec;
  if (wisp_spec_parse(NULL, p->spec, &spec) != WISP_OK) return;
  int length = snprintf(d->text, sizeof d->text, "%lld trials, %lld failed; N=%d %s %s", p->done, p->failed, spec.order,
                        wisp_precision_name(spec.precision), spec.kernel);
  if (p->best && length > 0 && (size_t)length < sizeof d->text)
    snprintf(d->text + length, sizeof d->text - (size_t)length, " %.4f ms %s, %s", p->best->ms, p->best->strategy,
             p->layout);
  d->done = (double)p->done / (double)p->total;
  tick(d);
}

static void warn(void *context, const char *text)
{
  display *d = context;
  wisp_progress_clear(&d->progress);
  wisp_cli_warn(d->args, text);
}

/* One that there is no memory for is not listed. */
static void note_device(void *context, const char *device, const wisp_tune_summary *summary)
{
  display *d = context;
  part *parts = realloc(d->parts, (d->count + 1) * sizeof *parts);
  if (!parts) return;
  d->parts = parts;
  part *last = &parts[d->count++];
  snprintf(last->device, sizeof last->device, "%s", device);
  last->summary = *summary;
}

/* --- the request --- */

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_orders *orders,
                                wisp_precisions *precisions, wisp_mesh_source *source, wisp_tune_request *r)
{
  long long jobs = 0;
  const char *family = wisp_option_family(args);
  bool exhaustive = wisp_option_given(args, "exhaustive");
  CALL(wisp_option_orders(err, args, "orders", family, "1-4", orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", precisions));
  CALL(wisp_option_integer(err, args, "jobs", 1, 1024, 0, &jobs));
  *r = (wisp_tune_request){.family = family,
                           .system = wisp_option_value(args, "system"),
                           .element = wisp_option_value(args, "element"),
                           .orders = orders->list,
                           .order_count = (size_t)orders->count,
                           .precisions = precisions->list,
                           .precision_count = (size_t)precisions->count,
                           .kernel = wisp_option_value(args, "kernel"),
                           .strategy = wisp_option_value(args, "strategy"),
                           .layout = wisp_option_value(args, "layout"),
                           .db = wisp_option_value(args, "db"),
                           .retry_failed = wisp_option_given(args, "retry-failed"),
                           .jobs = (int)jobs};
  CALL(wisp_option_duration(err, args, "budget", 600, &r->budget_seconds));
  CALL(wisp_require(err, !exhaustive || !wisp_option_given(args, "budget"), WISP_EUSAGE,
                    "--budget and --exhaustive exclude each other: leave one out"));
  if (exhaustive) r->budget_seconds = 0;
  CALL(wisp_option_elements(err, args, &r->elements));
  CALL(wisp_option_timed_mesh(err, args, source));
  r->source = source;
  return wisp_require(err, !source->file || !r->elements, WISP_EUSAGE,
                      "--mesh gives the size, and so does --elements or --box: leave one out");
}

/* --- what came of it --- */

/* Each device where there are several, and all together. */
static void print_summary(const display *d, const wisp_tune_summary *s)
{
  char time[16];
  size_t used = 0;
  for (size_t i = 0; i < d->count; i++) {
    const wisp_tune_summary *one = &d->parts[i].summary;
    bool opened = *one->limits.kind;
    used += opened;
    if (d->count > 1)
      printf("%-8s %-24s %lld trials in %.1f s\n", d->parts[i].device, opened ? one->limits.name : "not opened",
             one->trials, one->seconds);
  }
  wisp_print_duration(s->seconds, time);
  printf("%lld trials in %s: %lld right, %lld failed; %lld candidates refused, %lld known before", s->trials, time,
         s->ok, s->failed, s->refused, s->known);
  if (s->skipped) printf(", %lld not compiled for want of memory, room or processes", s->skipped);
  putchar('\n');
  printf("wall time %.1f s, %s time %.1f s on %zu device%s\n", s->seconds,
         strcmp(s->limits.kind, "host") == 0 ? "host" : "GPU", s->device_seconds, used, used == 1 ? "" : "s");
  if (s->device_seconds > 0)
    printf("of that %.0f %% preparing, %.0f %% compiling, %.0f %% verifying, %.0f %% timing, %.0f %% else\n",
           100 * s->spent[WISP_PREPARING] / s->device_seconds, 100 * s->spent[WISP_COMPILING] / s->device_seconds,
           100 * s->spent[WISP_VERIFYING] / s->device_seconds, 100 * s->spent[WISP_TIMING] / s->device_seconds,
           100 * s->spent[WISP_ELSE] / s->device_seconds);
}

static void add_numbers(cJSON *object, const wisp_tune_summary *s)
{
  const wisp_json_number numbers[] = {{"trials", (double)s->trials},
                                      {"ok", (double)s->ok},
                                      {"refused", (double)s->refused},
                                      {"failed", (double)s->failed},
                                      {"known", (double)s->known},
                                      {"skipped", (double)s->skipped},
                                      {"seconds", s->seconds},
                                      {"device_seconds", s->device_seconds},
                                      {"preparing", s->spent[WISP_PREPARING]},
                                      {"compiling", s->spent[WISP_COMPILING]},
                                      {"verifying", s->spent[WISP_VERIFYING]},
                                      {"timing", s->spent[WISP_TIMING]}};
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
}

static cJSON *to_json(const display *d, const wisp_tune_summary *s)
{
  cJSON *object = cJSON_CreateObject();
  add_numbers(object, s);
  cJSON *devices = cJSON_AddArrayToObject(object, "devices");
  for (size_t i = 0; i < d->count; i++) {
    cJSON *device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "device", d->parts[i].device);
    cJSON_AddStringToObject(device, "name", d->parts[i].summary.limits.name);
    add_numbers(device, &d->parts[i].summary);
    cJSON_AddItemToArray(devices, device);
  }
  return object;
}

/* The winners on every kind of device, once for those that are alike; printed where list is NULL. */
static wisp_status add_winners(wisp_error *err, const display *d, const wisp_tune_request *request, cJSON *list)
{
  wisp_winners winners = {0};
  for (size_t i = 0; i < d->count; i++) {
    const wisp_limits *limits = &d->parts[i].summary.limits;
    bool seen = !*limits->kind;
    for (size_t k = 0; k < i; k++) seen |= wisp_limits_alike(&d->parts[k].summary.limits, limits);
    if (seen) continue;
    CALL(wisp_winners_find(err, limits, request, &winners));
    for (size_t w = 0; list && w < winners.count; w++)
      cJSON_AddItemToArray(list, wisp_trial_to_json(winners.trials[w]));
    if (!list) CALL(wisp_winners_print(err, limits->name, &winners));
    wisp_winners_free(&winners);
  }
  return WISP_OK;
}

static wisp_status print_json(wisp_error *err, const display *d, const wisp_tune_request *request,
                              const wisp_tune_summary *s)
{
  cJSON *object = to_json(d, s);
  const wisp_status status = add_winners(err, d, request, cJSON_AddArrayToObject(object, "winners"));
  if (status == WISP_OK) return wisp_json_put(err, object);
  cJSON_Delete(object);
  return status;
}

/* The exit status is how a shell tells of the signal. */
static void say_stopped(wisp_arguments *args, const wisp_tune_summary *s)
{
  fflush(stdout);
  fprintf(stderr,
          "wisp %s: stopped by signal %d (%s): what was measured is stored, and the next sweep goes on from it\n",
          args->command, s->stopped, strsignal(s->stopped));
  args->exit_status = 128 + s->stopped;
}

/* A sweep that leaves nothing behind that could run has failed, and so has one that could not try anything. */
static wisp_status judge(wisp_error *err, const wisp_tune_summary *s)
{
  if (s->ok || (s->known_ok && !s->failed && !s->skipped)) return WISP_OK;
  if (s->skipped && !s->trials)
    return wisp_fail(err, WISP_ESYSTEM, "nothing could be compiled: %lld candidates are left for another sweep",
                     s->skipped);
  if (s->trials) return wisp_fail(err, WISP_EWRONG, "none of %lld trials is right: the first: %s", s->trials, s->why);
  return wisp_fail(err, WISP_EWRONG, "nothing is right, and nothing is left to try: %s%s", s->why,
                   s->known ? ": --retry-failed tries again what failed" : "");
}

static void end_display(display *d)
{
  wisp_progress_clear(&d->progress);
  free(d->parts);
}

static wisp_status tune(wisp_error *err, wisp_arguments *args)
{
  wisp_orders orders;
  wisp_precisions precisions;
  wisp_mesh_source source;
  wisp_tune_request request;
  wisp_tune_summary summary = {0};
  HELD(end_display) display d = {.args = args, .request = &request, .text = "no trial has ended yet"};
  const char *name = wisp_option_value(args, "device");
  if (wisp_option_given(args, "replay")) return wisp_cli_replay(err, args);
  CALL(wisp_require(err, !wisp_option_given(args, "seeded") && !wisp_option_given(args, "unseeded"), WISP_EUSAGE,
                    "--seeded and --unseeded are for --replay"));
  CALL(read_request(err, args, &orders, &precisions, &source, &request));
  d.progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  request.progress = show;
  request.tick = tick;
  request.warn = warn;
  request.device_done = note_device;
  request.context = &d;
  CALL(wisp_tune(err, name ? name : "auto", &request, &summary));
  wisp_progress_clear(&d.progress);
  if (wisp_option_given(args, "json"))
    CALL(print_json(err, &d, &request, &summary));
  else {
    CALL(add_winners(err, &d, &request, NULL));
    print_summary(&d, &summary);
  }
  if (!summary.stopped) return judge(err, &summary);
  say_stopped(args, &summary);
  return WISP_OK;
}

const wisp_syntax wisp_tune_syntax = {
    .usage = "wisp tune [options]",
    .about = "Compiles, verifies and times candidates on a device, stores every trial, and lists the "
             "winners. What the store knows is not repeated.",
    .options = options,
    .count = WISP_COUNT(options),
    .act = tune,
};
