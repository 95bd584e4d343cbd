/* wisp db verify: stored winners, verified anew. */
#include "db_verify.h"
#include "cli.h"
#include "print.h"
#include "../runtime/process.h"
#include "../runtime/solve/choose.h"
#include "../tuner/recheck/recheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Which rows. */

typedef struct selection {
  const char *families, *kernels; /* lists with commas; NULL: all */
  wisp_orders orders;             /* count 0: all */
  wisp_layer layer;
  bool all; /* not winners alone */
} selection;

typedef struct checking {
  wisp_strategies *strategies;
  wisp_store *store;
  wisp_recheck recheck;
  size_t stale;      /* winners of other texts than today's, which nobody takes */
  const char *where; /* "shipped", or the store's path */
} checking;

static void free_checking(checking *c)
{
  wisp_recheck_free(&c->recheck);
  wisp_store_close(c->store);
  wisp_strategies_free(c->strategies);
}

/* Is it one of the words between the commas? */
static bool lists(const char *list, const char *name)
{
  return wisp_tune_wants(&(wisp_tune_request){.kernel = list}, name);
}

static bool is_selected(const selection *s, const wisp_trial *trial)
{
  wisp_spec spec;
  if (!wisp_trial_is_right(trial) || wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK) return false;
  return !wisp_spec_is_composition(&spec) && (!s->families || lists(s->families, spec.family)) &&
         (!s->kernels || lists(s->kernels, spec.kernel)) &&
         (!s->orders.count || wisp_orders_have(&s->orders, spec.order));
}

static wisp_status read_selection(wisp_error *err, const wisp_arguments *args, selection *out)
{
  *out = (selection){.families = wisp_option_value(args, "family"),
                     .kernels = wisp_option_value(args, "kernel"),
                     .layer = wisp_option_given(args, "shipped") ? WISP_LAYER_SHIPPED : WISP_LAYER_USER,
                     .all = wisp_option_given(args, "all")};
  OWNED(free) char *names = NULL;
  if (wisp_option_given(args, "orders")) CALL(wisp_option_orders(err, args, "orders", NULL, NULL, &out->orders));
  CALL(wisp_copy_text(err, out->families ? out->families : "", &names));
  for (char *name = names, *next; name && *names; name = next) {
    next = strchr(name, ',');
    if (next) *next++ = '\0';
    if (!wisp_family_find(name)) return wisp_family_refuse(err, name);
  }
  return WISP_OK;
}

static wisp_status collect(wisp_error *err, const selection *s, checking *c)
{
  OWNED(free) const wisp_trial **list = NULL;
  size_t count = 0;
  CALL(wisp_new(err, wisp_store_count(c->store) + 1, sizeof *list, &list));
  for (size_t i = 0; i < wisp_store_count(c->store); i++) {
    wisp_layer layer;
    const wisp_trial *trial = wisp_store_trial(c->store, i, &layer);
    if (layer != s->layer || !is_selected(s, trial)) continue;
    if (wisp_trial_is_current(c->strategies, trial))
      list[count++] = trial;
    else
      c->stale++;
  }
  if (!s->all) count = wisp_ranking_winners(count, list);
  for (size_t i = 0; i < count; i++) CALL(wisp_recheck_add(err, &c->recheck, list[i]));
  return wisp_require(err, count, WISP_EMISSING, "%s: no trial of today's kernel texts is right there%s: %s", c->where,
                      s->families || s->kernels || s->orders.count ? ", of those asked for" : "",
                      "'wisp db show' lists what stores have");
}

/* "2/4". */
static wisp_status read_share(wisp_error *err, const wisp_arguments *args, int *part, int *of)
{
  const char *text = wisp_option_value(args, "share");
  char end = 0;
  *part = *of = 1;
  if (!text) return WISP_OK;
  const bool good = sscanf(text, "%4d/%4d%c", part, of, &end) == 2 && *part >= 1 && *part <= *of;
  return wisp_require(err, good, WISP_EUSAGE, "option --share is '%s', must be I/N with I from 1 to N, such as 2/4",
                      text);
}

/* ---- Progress. */

typedef struct display {
  const wisp_arguments *args;
  wisp_progress progress;
  size_t rows;
  double done;
  char text[128];
} display;

static void tick(void *context)
{
  display *d = context;
  wisp_progress_show(&d->progress, d->done, d->text);
}

static void show(void *context, const wisp_tune_progress *p)
{
  display *d = context;
  snprintf(d->text, sizeof d->text, "%lld of %zu, %lld failed; %.60s", p->done, d->rows, p->failed, p->spec);
  d->done = (double)p->done / (double)d->rows;
  tick(d);
}

static void warn(void *context, const char *text)
{
  display *d = context;
  wisp_progress_clear(&d->progress);
  wisp_cli_warn(d->args, text);
}

/* ---- Results. */

typedef struct counts {
  size_t rows, right, failed, refused, left;
} counts;

static void count_row(counts *c, const wisp_recheck_row *row)
{
  c->rows++;
  if (!*row->verdict.outcome || wisp_trial_verdict(&row->verdict) == WISP_VERDICT_UNFINISHED)
    c->left++;
  else if (wisp_trial_is_right(&row->verdict))
    c->right++;
  else if (wisp_trial_outcome(&row->verdict) == WISP_TRIAL_REFUSED)
    c->refused++;
  else
    c->failed++;
}

static counts count_rows(const wisp_recheck *r, const char *family)
{
  counts c = {0};
  for (size_t i = 0; i < r->count; i++)
    if (!family || strcmp(r->rows[i].spec.family, family) == 0) count_row(&c, &r->rows[i]);
  return c;
}

static bool has_failed(const wisp_recheck_row *row)
{
  counts c = {0};
  count_row(&c, row);
  return c.failed;
}

static wisp_status add_counts(wisp_error *err, wisp_table *table, const char *family, const counts *c)
{
  return wisp_table_print_row(err, table, "%s\t%zu\t%zu\t%zu\t%zu\t%zu", family, c->rows, c->right, c->failed,
                              c->refused, c->left);
}

static wisp_status print_text(wisp_error *err, const checking *c, const wisp_tune_summary *s)
{
  static const wisp_table_column columns[] = {{"family", false}, {"kernels", true},        {"right", true},
                                              {"failed", true},  {"not legal here", true}, {"left", true}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  const wisp_recheck *r = &c->recheck;
  const counts all = count_rows(r, NULL);
  CALL(wisp_table_create(err, s->limits.name, WISP_COUNT(columns), columns, &table));
  for (size_t i = 0; wisp_family_at(i); i++) {
    const counts own = count_rows(r, wisp_family_at(i)->name);
    if (own.rows) CALL(add_counts(err, table, wisp_family_at(i)->name, &own));
  }
  CALL(add_counts(err, table, "all", &all));
  CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("%s", text.data);
  for (size_t i = 0; i < r->count; i++) {
    const wisp_recheck_row *row = &r->rows[i];
    if (!has_failed(row)) continue;
    printf("FAILED %s %s %s%s%s: %s: %s\n", row->trial->spec, row->trial->layout, row->trial->strategy,
           *row->trial->params ? " " : "", row->trial->params, row->verdict.outcome, row->verdict.reason);
  }
  if (c->stale) printf("%zu of other kernel texts than today's were left out\n", c->stale);
  printf("%.1f s, %.1f s on devices: %.0f %% preparing, %.0f %% compiling, %.0f %% verifying\n", s->seconds,
         s->device_seconds, 100 * s->spent[WISP_PREPARING] / fmax(s->device_seconds, 1e-9),
         100 * s->spent[WISP_COMPILING] / fmax(s->device_seconds, 1e-9),
         100 * s->spent[WISP_VERIFYING] / fmax(s->device_seconds, 1e-9));
  return WISP_OK;
}

static wisp_status print_json(wisp_error *err, const checking *c, const wisp_tune_summary *s)
{
  const counts all = count_rows(&c->recheck, NULL);
  const wisp_json_number numbers[] = {{"kernels", (double)all.rows},  {"right", (double)all.right},
                                      {"failed", (double)all.failed}, {"refused", (double)all.refused},
                                      {"left", (double)all.left},     {"stale", (double)c->stale},
                                      {"seconds", s->seconds}};
  const wisp_json_text device = {"device", s->limits.name};
  cJSON *object = wisp_json_object(1, &device, WISP_COUNT(numbers), numbers);
  cJSON *list = cJSON_AddArrayToObject(object, "not_right");
  for (size_t i = 0; i < c->recheck.count; i++) {
    const wisp_recheck_row *row = &c->recheck.rows[i];
    const wisp_json_text texts[] = {{"spec", row->trial->spec},         {"layout", row->trial->layout},
                                    {"strategy", row->trial->strategy}, {"params", row->trial->params},
                                    {"outcome", row->verdict.outcome},  {"reason", row->verdict.reason}};
    if (*row->verdict.outcome && !wisp_trial_is_right(&row->verdict))
      cJSON_AddItemToArray(list, wisp_json_object(WISP_COUNT(texts), texts, 0, NULL));
  }
  return wisp_json_put(err, object);
}

/* ---- The command. */

static wisp_status run(wisp_error *err, const wisp_arguments *args, checking *c, wisp_tune_summary *summary)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text scratch = {0};
  const char *device = wisp_option_value(args, "device"), *kept = NULL;
  long long jobs = 0, workers = 1;
  CALL(wisp_option_output(err, args, "output", NULL, &kept));
  CALL(wisp_option_integer(err, args, "jobs", 1, 1024, 0, &jobs));
  CALL(wisp_option_integer(err, args, "workers", 1, 64, 1, &workers));
  if (!kept) {
    CALL(wisp_scratch_create(err, folder, sizeof folder));
    CALL(wisp_text_print(err, &scratch, "%s/verdicts.db", folder));
  }
  display d = {.args = args, .rows = c->recheck.count, .text = "nothing is verified yet"};
  d.progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const wisp_tune_request request = {.db = kept ? kept : scratch.data,
                                     .strategies = c->strategies,
                                     .jobs = (int)jobs,
                                     .progress = show,
                                     .tick = tick,
                                     .warn = warn,
                                     .context = &d};
  const wisp_status status =
      wisp_recheck_run(err, device ? device : "auto", (int)workers, &request, &c->recheck, summary);
  wisp_progress_clear(&d.progress);
  return status;
}

static wisp_status judge(wisp_error *err, const checking *c, const wisp_tune_summary *s)
{
  const counts all = count_rows(&c->recheck, NULL);
  CALL(wisp_require(err, !all.failed, WISP_EWRONG, "%zu of %zu stored kernels failed: tune them again", all.failed,
                    all.rows));
  return wisp_require(err, !s->stopped, WISP_ESYSTEM,
                      "stopped by signal %d (%s) with %zu of %zu kernels left: with -o the next call goes on",
                      s->stopped, strsignal(s->stopped), all.left, all.rows);
}

wisp_status wisp_db_verify(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(free_checking) checking c = {.where = wisp_option_given(args, "shipped") ? "shipped" : path};
  OWNED(free) char *warning = NULL;
  selection s;
  wisp_tune_summary summary = {0};
  int part = 1, of = 1;
  CALL(wisp_require(err, !wisp_option_given(args, "shipped") || !wisp_option_given(args, "db"), WISP_EUSAGE,
                    "--shipped and --db exclude each other: leave one out"));
  CALL(read_selection(err, args, &s));
  CALL(read_share(err, args, &part, &of));
  CALL(wisp_strategies_load(err, &c.strategies));
  CALL(wisp_store_open(err, path, false, &warning, &c.store));
  if (warning) wisp_cli_warn(args, warning);
  CALL(collect(err, &s, &c));
  CALL(wisp_recheck_divide(err, &c.recheck, part, of));
  CALL(run(err, args, &c, &summary));
  CALL(wisp_option_given(args, "json") ? print_json(err, &c, &summary) : print_text(err, &c, &summary));
  fflush(stdout);
  return judge(err, &c, &summary);
}
