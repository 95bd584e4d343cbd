/* wisp tune: a sweep with its progress, and a closing table of winners; --replay, the search against a stored one. */
#include "cli.h"
#include "print.h"
#include "../runtime/process.h"
#include "../tuner/search/replay.h"
#include "../tuner/workers/tune.h"

#include <unistd.h>

/* --- progress --- */

typedef struct part { /* what came of one device */
  char device[40];
  wisp_tune_summary summary;
} part;

typedef struct display {
  const wisp_arguments *args;
  const wisp_tune_request *request;
  wisp_progress progress;
  double done;      /* of an exhaustive sweep: its trials that there are, over all */
  char text[256];   /* of the newest trial */
  wisp_notes notes; /* on the mesh's file */
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
  const bool exhaustive = wisp_option_given(args, "exhaustive"), defaults = wisp_option_given(args, "defaults");
  CALL(wisp_option_known(err, args));
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
                           .defaults_only = wisp_option_given(args, "defaults"),
                           .jobs = (int)jobs};
  if (r->db) CALL(wisp_refuse_packed(err, r->db));
  CALL(wisp_option_duration(err, args, "budget", 600, &r->budget_seconds));
  CALL(wisp_require(err, !exhaustive + !defaults + !wisp_option_given(args, "budget") >= 2, WISP_EUSAGE,
                    "--budget, --exhaustive and --defaults exclude each other: take one"));
  if (exhaustive || defaults) r->budget_seconds = 0;
  CALL(wisp_option_elements(err, args, &r->elements));
  CALL(wisp_option_timed_mesh(err, args, source));
  r->source = source;
  return wisp_require(err, !source->file || !r->elements, WISP_EUSAGE,
                      "--mesh gives the size, and so does --elements or --box: leave one out");
}

/* --- winners: of what the request covers, as the store has them now --- */

/* The output of the winners of one kind of device: objects of a list, or rows of a table. */
typedef struct winners {
  cJSON *list; /* NULL: a table */
  wisp_table *table;
  wisp_store *store;
  size_t count;
} winners;

/* Adds the winner of one kernel, or of the stage, if it was measured here with today's texts. */
static wisp_status add_winner(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                              winners *out)
{
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  CALL(wisp_choose_if_any(err, from, request, &stage));
  const wisp_choice *c = &stage.record;
  if (!c->trial || c->match != WISP_MATCH_EXACT || c->stale) return WISP_OK;
  const wisp_spec *spec = &request->spec;
  const wisp_trial *t = c->trial;
  wisp_store_retime(out->store, t, c->timed);
  out->count++;
  if (out->list) return cJSON_AddItemToArray(out->list, wisp_trial_to_json(t)), WISP_OK;
  return wisp_table_print_row(err, out->table, "%d\t%s\t%s\t%s\t%.4f\t%.2f\t%.1f\t%.2f\t%s\t%s%s%s", spec->order,
                              wisp_precision_name(spec->precision), spec->kernel, t->layout, t->ms, t->gdofs, t->gbps,
                              t->efficiency, t->floor, t->strategy, *t->params ? " " : "", t->params);
}

/* Adds the winners by order, precision and kernel, those of the stages last. */
static wisp_status add_winners(wisp_error *err, const wisp_limits *limits, const wisp_tune_request *r, winners *out)
{
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  const wisp_family *family = wisp_family_find(r->family);
  const wisp_chooser from = {r->strategies, out->store, limits, &scopes};
  for (size_t i = 0; i < r->order_count * r->precision_count; i++) {
    const int order = r->orders[i / r->precision_count];
    const wisp_precision precision = r->precisions[i % r->precision_count];
    wisp_choose_request request = {
        .spec = wisp_family_spec(family, order, r->system, precision), .layout = r->layout, .elements = r->elements};
    if (r->element) wisp_spec_name_element(&request.spec, r->element);
    const wisp_kernel_decl *k = family->kernels;
    for (bool more = true; more; k++) {
      more = k->name != NULL;
      const char *kernel = more ? k->name : WISP_COMPOSITION;
      wisp_spec_name_kernel(&request.spec, kernel);
      if (wisp_tune_wants(r, kernel)) CALL(add_winner(err, &from, &request, out));
    }
  }
  return WISP_OK;
}

static wisp_status print_winners(wisp_error *err, wisp_store *store, const wisp_limits *limits,
                                 const wisp_tune_request *r)
{
  static const wisp_table_column columns[] = {
      {"N", true},      {"prec", false}, {"kernel", false}, {"layout", false}, {"ms", true},
      {"GDOF/s", true}, {"GB/s", true},  {"eff.", true},    {"floor", false},  {"strategy and parameters", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_table_create(err, limits->name, WISP_COUNT(columns), columns, &table));
  winners all = {.table = table, .store = store};
  CALL(add_winners(err, limits, r, &all));
  if (all.count) CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("\n%s", all.count ? text.data : limits->name);
  if (!all.count) printf("\n");
  return WISP_OK;
}

/* --- what came of it --- */

/* The time of a part before and after, the trials and the seconds; or that it had no time. */
static void print_target(const wisp_tuned *t)
{
  printf("N=%d %s  ", t->order, wisp_precision_name(t->precision));
  if (!t->trials && !(t->before_ms > 0)) {
    printf("no time: left as it was%s%s\n", *t->part ? ": " : "", t->part);
    return;
  }
  if (*t->part)
    printf("%s ", t->part);
  else if (t->before_ms > 0)
    printf("stage ");
  if (t->after_ms > 0 && t->after_ms < t->before_ms)
    printf("%.4f ms -> %.4f ms (+%.1f %%), ", t->before_ms, t->after_ms, 100 * (t->before_ms / t->after_ms - 1));
  else if (t->before_ms > 0)
    printf("%.4f ms, none faster, ", t->before_ms);
  printf("%lld trials, %.0f s\n", t->trials, t->seconds);
}

/* A line for each part of each order and precision. */
static void print_targets(const wisp_tune_request *r, const wisp_tune_summary *s)
{
  for (size_t i = 0; i < r->order_count * r->precision_count; i++) {
    const wisp_tuned none = {.order = r->orders[i / r->precision_count],
                             .precision = r->precisions[i % r->precision_count]};
    int parts = 0;
    for (const wisp_tuned *t = s->target; t < s->target + s->targets; t++) {
      if (t->order != none.order || t->precision != none.precision) continue;
      print_target(t);
      parts++;
    }
    if (!parts) print_target(&none);
  }
}

/* Each device where there are several, all together, and each reason for which trials failed. */
static void print_summary(const display *d, const wisp_tune_summary *s)
{
  char time[16];
  size_t used = 0;
  if (d->request->budget_seconds > 0 && !d->request->kernel && !d->request->strategy) print_targets(d->request, s);
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
  if (s->skipped) printf(", %lld not compiled for lack of memory, stack, disk space or processes", s->skipped);
  if (s->left_out) printf(", %lld that failed on another card left out", s->left_out);
  printf("%s", s->failures ? "\nfailed:\n" : "\n");
  for (int i = 0; i < s->failures; i++)
    printf("  %6lld  %s: %s\n", s->failure[i].count, s->failure[i].outcome, s->failure[i].reason);
  printf("wall time %.1f s, %s time %.1f s on %zu device%s\n", s->seconds, s->limits.gpu ? "GPU" : "host",
         s->device_seconds, used, used == 1 ? "" : "s");
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
                                      {"left_out", (double)s->left_out},
                                      {"seconds", s->seconds},
                                      {"device_seconds", s->device_seconds},
                                      {"preparing", s->spent[WISP_PREPARING]},
                                      {"compiling", s->spent[WISP_COMPILING]},
                                      {"verifying", s->spent[WISP_VERIFYING]},
                                      {"timing", s->spent[WISP_TIMING]}};
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
}

/* The winners on every kind of device, once for those that are alike; printed where list is NULL. */
static wisp_status show_winners(wisp_error *err, const display *d, const wisp_tune_request *request, cJSON *list)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) char *warning = NULL;
  CALL(wisp_chooser_open_store(err, request->strategies, request->db, true, &warning, &store));
  for (size_t i = 0; i < d->count; i++) {
    const wisp_limits *limits = &d->parts[i].summary.limits;
    bool seen = !*limits->kind;
    for (size_t k = 0; k < i; k++) seen |= wisp_limits_alike(&d->parts[k].summary.limits, limits);
    if (seen) continue;
    CALL(list ? add_winners(err, limits, request, &(winners){.list = list, .store = store})
              : print_winners(err, store, limits, request));
  }
  return WISP_OK;
}

static wisp_status print_json(wisp_error *err, const display *d, const wisp_tune_request *request,
                              const wisp_tune_summary *s)
{
  cJSON *object = cJSON_CreateObject();
  add_numbers(object, s);
  cJSON *failures = cJSON_AddArrayToObject(object, "failures");
  for (int i = 0; i < s->failures; i++) {
    const wisp_failure *f = &s->failure[i];
    const wisp_json_text texts[] = {{"outcome", f->outcome}, {"reason", f->reason}};
    const wisp_json_number count = {"count", (double)f->count};
    cJSON_AddItemToArray(failures, wisp_json_object(WISP_COUNT(texts), texts, 1, &count));
  }
  cJSON *targets = cJSON_AddArrayToObject(object, "targets");
  for (int i = 0; i < s->targets; i++) {
    const wisp_tuned *t = &s->target[i];
    const wisp_json_text texts[] = {{"precision", wisp_precision_name(t->precision)}, {"part", t->part}};
    const wisp_json_number numbers[] = {{"order", t->order},
                                        {"trials", (double)t->trials},
                                        {"seconds", t->seconds},
                                        {"before_ms", t->before_ms},
                                        {"after_ms", t->after_ms}};
    cJSON_AddItemToArray(targets, wisp_json_object(WISP_COUNT(texts), texts, WISP_COUNT(numbers), numbers));
  }
  cJSON *devices = cJSON_AddArrayToObject(object, "devices");
  for (size_t i = 0; i < d->count; i++) {
    cJSON *device = cJSON_CreateObject();
    cJSON_AddStringToObject(device, "device", d->parts[i].device);
    cJSON_AddStringToObject(device, "name", d->parts[i].summary.limits.name);
    add_numbers(device, &d->parts[i].summary);
    cJSON_AddItemToArray(devices, device);
  }
  wisp_json_add_notes(object, &d->notes);
  const wisp_status status = show_winners(err, d, request, cJSON_AddArrayToObject(object, "winners"));
  if (status == WISP_OK) return wisp_json_put(err, object);
  cJSON_Delete(object);
  return status;
}

/* A sweep that leaves nothing behind that could run has failed, and so has one that could not try anything. */
static wisp_status judge(wisp_error *err, const wisp_tune_request *r, const wisp_tune_summary *s)
{
  if (s->ok || (s->known_ok && !s->failed && !s->skipped)) return WISP_OK;
  if (r->budget_seconds > 0 && !s->trials && !s->known && !s->skipped) return WISP_OK; /* there was no time for any */
  if (s->skipped && !s->trials)
    return wisp_fail(err, WISP_ESYSTEM, "nothing could be compiled: %lld candidates are left for another sweep",
                     s->skipped);
  if (s->trials) return wisp_fail(err, WISP_EWRONG, "none of %lld trials is right: the first: %s", s->trials, s->why);
  return wisp_fail(err, WISP_EWRONG, "no trial is right, and no candidate is left to try: %s%s", s->why,
                   s->known ? ": --retry-failed tries again what failed" : "");
}

/* --- the search against a stored sweep --- */

/* The sweep in the source tree that the shipped winners come from. */
static const char *const SWEEP = "bench/sweeps/nvidia-h200.db.gz";

static void print_percents(const char *name, const double percent[WISP_REPLAY_POINTS])
{
  printf("%-28s", name);
  for (int p = 0; p < WISP_REPLAY_POINTS; p++) printf(" %6.2f", percent[p]);
}

static void name_target(const wisp_replay_target *t, char text[WISP_NAME_TEXT + 24])
{
  snprintf(text, WISP_NAME_TEXT + 24, "%s N=%d %s", t->kernel, t->order, wisp_precision_name(t->precision));
}

static void print_replay(const wisp_replay *replay, bool seeded)
{
  char name[WISP_NAME_TEXT + 24];
  printf("percent of the optimum, %s", seeded ? "seeded" : "unseeded");
  printf("\n%-28s", "after trials");
  for (int p = 0; p < WISP_REPLAY_POINTS; p++) printf(" %6d", wisp_replay_after[p]);
  printf("  total  best ms\n");
  for (size_t i = 0; i < replay->count; i++) {
    const wisp_replay_target *t = &replay->targets[i];
    name_target(t, name);
    print_percents(name, t->percent);
    printf("  %5zu %8.4f\n", t->candidates, t->optimum);
  }
  print_percents("geometric mean", replay->mean);
  printf("\n");
  print_percents("at random, expected", replay->random);
  printf("\n");
  print_percents("worst", replay->worst);
  printf("\n");
  for (int p = 0; p < WISP_REPLAY_POINTS; p++) {
    name_target(&replay->targets[replay->worst_target[p]], name);
    printf("worst after %d: %s\n", wisp_replay_after[p], name);
  }
}

static cJSON *list_percents(const double percent[WISP_REPLAY_POINTS])
{
  return cJSON_CreateDoubleArray(percent, WISP_REPLAY_POINTS);
}

static wisp_status print_replay_json(wisp_error *err, const wisp_replay *replay, bool seeded)
{
  cJSON *object = cJSON_CreateObject(), *list = NULL;
  cJSON_AddBoolToObject(object, "seeded", seeded);
  cJSON_AddItemToObject(object, "trials", cJSON_CreateIntArray(wisp_replay_after, WISP_REPLAY_POINTS));
  cJSON_AddItemToObject(object, "geometric_mean", list_percents(replay->mean));
  cJSON_AddItemToObject(object, "random", list_percents(replay->random));
  cJSON_AddItemToObject(object, "worst", list_percents(replay->worst));
  list = cJSON_AddArrayToObject(object, "targets");
  for (size_t i = 0; i < replay->count; i++) {
    const wisp_replay_target *t = &replay->targets[i];
    const wisp_json_text kernel = {"kernel", t->kernel};
    cJSON *item = wisp_json_object(1, &kernel, 1, &(wisp_json_number){"order", t->order});
    const wisp_json_number numbers[] = {{"candidates", (double)t->candidates}, {"optimum_ms", t->optimum}};
    wisp_json_add_texts(item, 1, &(wisp_json_text){"precision", wisp_precision_name(t->precision)});
    wisp_json_add_numbers(item, WISP_COUNT(numbers), numbers);
    cJSON_AddItemToObject(item, "percent", list_percents(t->percent));
    cJSON_AddItemToArray(list, item);
  }
  return wisp_json_put(err, object);
}

static wisp_status replay_sweep(wisp_error *err, const wisp_arguments *args)
{
  const char *path = wisp_option_value(args, "db"), *family = wisp_option_family(args);
  bool unseeded = wisp_option_given(args, "unseeded");
  wisp_orders orders;
  wisp_precisions precisions;
  size_t count = 0;
  OWNED(free) wisp_trial *trials = NULL;
  HELD(wisp_replay_free) wisp_replay replay = {0};
  CALL(wisp_require(err, !unseeded || !wisp_option_given(args, "seeded"), WISP_EUSAGE,
                    "--seeded and --unseeded exclude each other: leave one out"));
  CALL(wisp_option_orders(err, args, "orders", family, NULL, &orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", &precisions));
  wisp_replay_request request = {.family = family,
                                 .kernel = wisp_option_value(args, "kernel"),
                                 .orders = orders.count,
                                 .precisions = precisions.count,
                                 .seeded = !unseeded};
  for (int i = 0; i < orders.count; i++) request.order[i] = orders.list[i];
  for (int i = 0; i < precisions.count; i++) request.precision[i] = precisions.list[i];
  CALL(wisp_replay_load(err, path ? path : SWEEP, &count, &trials));
  CALL(wisp_replay_run(err, count, trials, &request, &replay));
  if (wisp_option_given(args, "json"))
    CALL(print_replay_json(err, &replay, !unseeded));
  else
    print_replay(&replay, !unseeded);
  return WISP_OK;
}

/* --- the command --- */

static void end_display(display *d)
{
  wisp_progress_clear(&d->progress);
  wisp_notes_free(&d->notes);
  free(d->parts);
}

static wisp_status tune(wisp_error *err, wisp_arguments *args)
{
  wisp_orders orders;
  wisp_precisions precisions;
  wisp_mesh_source source;
  wisp_tune_request request;
  wisp_tune_summary summary = {0};
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  HELD(end_display) display d = {.args = args, .request = &request, .text = "no trial has ended yet"};
  const char *name = wisp_option_value(args, "device");
  if (wisp_option_given(args, "replay")) return replay_sweep(err, args);
  CALL(wisp_option_rename_strategy(err, args));
  CALL(read_request(err, args, &orders, &precisions, &source, &request));
  CALL(wisp_cli_note_mesh(err, args, &source, &d.notes));
  d.progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  CALL(wisp_strategies_load(err, &strategies));
  request.strategies = strategies;
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
    CALL(show_winners(err, &d, &request, NULL));
    print_summary(&d, &summary);
  }
  if (!summary.stopped) return judge(err, &request, &summary);
  fflush(stdout);
  fprintf(stderr, "wisp %s: stopped by signal %d (%s): the trials so far are stored, and the next sweep continues\n",
          args->command, summary.stopped, strsignal(summary.stopped));
  args->exit_status = 128 + summary.stopped; /* as a shell tells of the signal */
  return WISP_OK;
}

const wisp_syntax wisp_tune_syntax = {.page = "tune", .act = tune};
