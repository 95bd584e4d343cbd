/* wisp db: what is stored, and the care of it: each action on the store at path; its operands are
 * args->operands[1..]. */
#include "cli.h"
#include "../cache/store.h"
#include "../gen/text.h"
#include "print.h"
#include "../gen/spec.h"
#include "../runtime/cache_folder.h"
#include "../runtime/solve/choose.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What removes something, or rescues it. */

/* Where the store is kept as it was; NULL: nowhere. */
static void print_backup(const char *backup)
{
  if (backup) printf("as it was: %s\n", backup);
}

/* ---- prune */

/* What prune was asked to remove. */
typedef struct pruning {
  const char *device, *before; /* NULL: whatever it is */
  bool failed;
  const wisp_strategies *strategies; /* NULL: staleness does not matter */
} pruning;

/* Does the text begin with a day that there is: YYYY-MM-DD? */
static bool is_day(const char *text)
{
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = 0, month = 0, day = 0;
  for (int i = 0; i < 10; i++)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  if (sscanf(text, "%4d-%2d-%2d", &year, &month, &day) != 3 || month < 1 || month > 12) return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day >= 1 && day <= days[month - 1] + (leap && month == 2);
}

/* When a trial was measured, its first ten characters; "unknown" where it does not say. */
static const char *day_of(const wisp_trial *trial)
{
  return is_day(trial->when) ? trial->when : "unknown";
}

/* What has no date is not old. ISO dates sort as texts. */
static bool is_older(const wisp_trial *trial, const char *day)
{
  return is_day(trial->when) && strncmp(trial->when, day, 10) < 0;
}

static bool keep(const void *context, const wisp_trial *trial)
{
  const pruning *how = context;
  if (how->device && strcmp(how->device, trial->device) != 0) return true;
  if (!how->before && !how->failed && !how->strategies) return false; /* all of a device */
  if (how->failed && !wisp_trial_is_right(trial)) return false;
  if (how->before && is_older(trial, how->before)) return false;
  return !how->strategies || wisp_trial_is_current(how->strategies, trial);
}

/* What goes of one device with one outcome. */
typedef struct going {
  const wisp_trial *first, *last; /* by date */
  size_t count;
} going;

static int by_device(const void *x, const void *y)
{
  const wisp_trial *a = *(const wisp_trial *const *)x, *b = *(const wisp_trial *const *)y;
  const int order[] = {strcmp(a->device, b->device), strcmp(a->outcome, b->outcome), strcmp(a->when, b->when)};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}

static void print_going(const going *g)
{
  char device[sizeof g->first->device], outcome[sizeof g->first->outcome];
  wisp_show_text(g->first->device, device, sizeof device);
  wisp_show_text(g->first->outcome, outcome, sizeof outcome);
  printf("%-40s %-14s %8zu  %.10s to %.10s\n", device, outcome, g->count, day_of(g->first), day_of(g->last));
}

/* What would go, by device and outcome. */
static wisp_status show_removal(wisp_error *err, const char *path, const pruning *how)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) const wisp_trial **list = NULL;
  size_t count = 0, whole = 0;
  wisp_layer layer;
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EMISSING, "%s: there is no such store", path));
  CALL(wisp_store_open(err, path, false, NULL, &store));
  CALL(wisp_new(err, wisp_store_count(store), sizeof *list, &list));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *trial = wisp_store_trial(store, i, &layer);
    whole += layer == WISP_LAYER_USER;
    if (layer == WISP_LAYER_USER && !keep(how, trial)) list[count++] = trial;
  }
  qsort(list, count, sizeof *list, by_device);
  for (size_t i = 0, from = 0; i < count; i++) {
    bool end = i + 1 == count || strcmp(list[i]->device, list[i + 1]->device) != 0 ||
               strcmp(list[i]->outcome, list[i + 1]->outcome) != 0;
    if (!end) continue;
    print_going(&(going){list[from], list[i], i + 1 - from});
    from = i + 1;
  }
  printf("%s: %zu trials would be removed, and %zu stay\n", path, count, whole - count);
  return WISP_OK;
}

static wisp_status prune(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(free) char *backup = NULL;
  long long removed = 0;
  pruning how = {.device = wisp_option_value(args, "device"),
                 .before = wisp_option_value(args, "before"),
                 .failed = wisp_option_given(args, "failed")};
  bool stale = wisp_option_given(args, "stale"), keep_old = !wisp_option_given(args, "no-backup");
  CALL(wisp_require(err, how.before || stale || how.failed || how.device, WISP_EUSAGE,
                    "prune needs to be told what to remove: --failed, --stale, --before DATE or -d DEV"));
  CALL(wisp_require(err, !how.before || (strlen(how.before) == 10 && is_day(how.before)), WISP_EUSAGE,
                    "option --before is '%s', must be a day such as 2026-11-21", how.before));
  if (stale) CALL(wisp_strategies_load(err, &strategies));
  how.strategies = strategies;
  if (wisp_option_given(args, "dry-run")) {
    CALL(show_removal(err, path, &how));
    return WISP_OK;
  }
  CALL(wisp_store_prune(err, path, keep, &how, keep_old ? &backup : NULL, &removed));
  printf("%s: %lld trials removed\n", path, removed);
  print_backup(backup);
  return WISP_OK;
}

/* ---- salvage */

static wisp_status salvage(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_salvaged found;
  OWNED(free) char *backup = NULL;
  const char *into = wisp_option_value(args, "output");
  CALL(wisp_require(err, args->operand_count <= 2, WISP_EUSAGE, "salvage takes one file"));
  if (args->operand_count == 2) path = args->operands[1];
  CALL(wisp_store_salvage(err, path, into, &backup, &found));
  printf("%s: %lld trials rescued into %s; %lld damaged ones left out%s\n", path, found.rescued, into ? into : path,
         found.damaged, found.whole ? "" : ", and parts that could not be read");
  print_backup(backup);
  return WISP_OK;
}

/* ---- cache */

static wisp_status cache(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_cache_contents there;
  bool clear = wisp_option_given(args, "clear");
  (void)path;
  CALL(wisp_cache_look(err, clear, &there));
  printf("%s: %lld compiled kernels, %.1f MB%s", there.path, there.entries, (double)there.bytes / (1 << 20),
         clear ? ": removed\n" : "");
  if (!clear) printf(" of at most %lld MB (WISP_CACHE_MB)\n", there.limit >> 20);
  return WISP_OK;
}

/* ---- show: what is stored, by layer and device. */

/* One line: what a layer holds of a device. */
typedef struct holding {
  wisp_layer layer;
  const wisp_trial *sample; /* for device and target */
  size_t trials, ok, slow;
  uint64_t orders;                /* bit N: some trial is of order N */
  const wisp_trial *first, *last; /* by date, of those that have one */
} holding;

enum { MOST_ORDERS = 64 };

static void count_in(holding *h, const wisp_trial *t)
{
  wisp_spec spec;
  h->trials++;
  h->ok += wisp_trial_outcome(t) == WISP_TRIAL_OK;
  h->slow += wisp_trial_outcome(t) == WISP_TRIAL_SLOW;
  if (wisp_spec_parse(NULL, t->spec, &spec) == WISP_OK && spec.order >= 0 && spec.order < MOST_ORDERS)
    h->orders |= (uint64_t)1 << spec.order;
  if (!is_day(t->when)) return; /* ISO dates sort as texts */
  if (!h->first || strcmp(t->when, h->first->when) < 0) h->first = t;
  if (!h->last || strcmp(t->when, h->last->when) > 0) h->last = t;
}

/* Trials by layer and device, in order of appearance: as many lines as it takes; free(*out). */
static wisp_status count_holdings(wisp_error *err, const wisp_store *store, size_t *lines, holding **out)
{
  OWNED(free) holding *list = NULL;
  size_t count = 0, room = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    size_t at = count; /* the same as the one before, mostly */
    while (at > 0 && (list[at - 1].layer != layer || strcmp(list[at - 1].sample->device, t->device) != 0 ||
                      strcmp(list[at - 1].sample->target, t->target) != 0))
      at--;
    CALL(wisp_grow(err, &list, &room, count + 1, sizeof *list));
    if (at == 0) list[count++] = (holding){.layer = layer, .sample = t};
    count_in(&list[at ? at - 1 : count - 1], t);
  }
  *lines = count;
  return GIVE(list, out);
}

/* The last of the orders in a row that begins with this one. */
static int end_of_row(uint64_t orders, int first)
{
  while (first + 1 < MOST_ORDERS && orders >> (first + 1) & 1) first++;
  return first;
}

/* "1-9", "1-3,7"; "-" for none. */
static wisp_status print_orders(wisp_error *err, uint64_t orders, wisp_text *out)
{
  out->length = 0;
  for (int N = 0; N < MOST_ORDERS; N++) {
    if (!(orders >> N & 1)) continue;
    const int last = end_of_row(orders, N);
    CALL(wisp_text_print(err, out, "%s%d", out->length ? "," : "", N));
    if (last > N) CALL(wisp_text_print(err, out, "-%d", last));
    N = last;
  }
  if (!out->length) CALL(wisp_text_add(err, out, "-", 1));
  return WISP_OK;
}

/* "2026-11-20", "2026-11-20..2026-11-22"; "-" where no trial has a date. */
static void print_days(const holding *h, char text[32])
{
  strcpy(text, "-");
  if (h->first) snprintf(text, 32, "%.10s", day_of(h->first));
  if (h->first && strncmp(h->first->when, h->last->when, 10) != 0)
    snprintf(text, 32, "%.10s..%.10s", day_of(h->first), day_of(h->last));
}

/* ---- as JSON */

static bool add_orders(cJSON *object, uint64_t orders)
{
  cJSON *list = cJSON_AddArrayToObject(object, "orders");
  bool good = list;
  for (int N = 0; good && N < MOST_ORDERS; N++)
    if (orders >> N & 1) good = cJSON_AddItemToArray(list, cJSON_CreateNumber(N));
  return good;
}

static bool add_day(cJSON *object, const char *name, const wisp_trial *trial)
{
  char day[11] = "";
  if (!trial) return cJSON_AddNullToObject(object, name);
  snprintf(day, sizeof day, "%.10s", trial->when);
  return cJSON_AddStringToObject(object, name, day);
}

static cJSON *holding_to_json(const holding *h)
{
  cJSON *object = cJSON_CreateObject();
  const struct {
    const char *name;
    size_t count;
  } counts[] = {{"trials", h->trials}, {"ok", h->ok}, {"slow", h->slow}, {"failed", h->trials - h->ok - h->slow}};
  bool good = cJSON_AddStringToObject(object, "layer", wisp_layer_name(h->layer)) &&
              cJSON_AddStringToObject(object, "device", h->sample->device) &&
              cJSON_AddStringToObject(object, "target", h->sample->target);
  for (size_t i = 0; good && i < WISP_COUNT(counts); i++)
    good = cJSON_AddNumberToObject(object, counts[i].name, (double)counts[i].count);
  good =
      good && add_orders(object, h->orders) && add_day(object, "first", h->first) && add_day(object, "last", h->last);
  if (good) return object;
  cJSON_Delete(object);
  return NULL;
}

static wisp_status show_json(wisp_error *err, size_t count, const holding *list)
{
  HELD(wisp_text_free) wisp_text out = {0};
  CALL(wisp_text_print(err, &out, "["));
  for (size_t i = 0; i < count; i++) CALL(wisp_text_add_item(err, &out, i == 0, holding_to_json(&list[i])));
  printf("%s\n]\n", out.data);
  return WISP_OK;
}

/* ---- as text */

static wisp_status add_row(wisp_error *err, wisp_table *table, const holding *h)
{
  HELD(wisp_text_free) wisp_text orders = {0};
  char counts[4][24], days[32];
  const size_t numbers[4] = {h->trials, h->ok, h->slow, h->trials - h->ok - h->slow};
  for (int i = 0; i < 4; i++) snprintf(counts[i], sizeof counts[i], "%zu", numbers[i]);
  print_days(h, days);
  CALL(print_orders(err, h->orders, &orders));
  return wisp_table_add(err, table,
                        (const char *const[]){wisp_layer_name(h->layer), h->sample->device, h->sample->target,
                                              counts[0], counts[1], counts[2], counts[3], orders.data, days});
}

static wisp_status show_text(wisp_error *err, const char *path, size_t count, const holding *list)
{
  static const wisp_column columns[] = {{"layer", false}, {"device", false}, {"target", false},
                                        {"trials", true}, {"ok", true},      {"slow", true},
                                        {"failed", true}, {"N", false},      {"measured", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text out = {0};
  char name[4096];
  wisp_show_text(path, name, sizeof name);
  printf("%s%s\n", name, access(path, F_OK) == 0 ? "" : " (not there yet)");
  CALL(wisp_table_create(err, "", WISP_COUNT(columns), columns, &table));
  for (size_t i = 0; i < count; i++) CALL(add_row(err, table, &list[i]));
  if (count) CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &out));
  if (count) fputs(out.data, stdout);
  return WISP_OK;
}

static wisp_status show(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) holding *list = NULL;
  size_t count = 0;
  OWNED(free) char *warning = NULL;
  bool json = wisp_option_given(args, "json");
  CALL(wisp_store_open(err, path, !wisp_option_given(args, "db"), &warning, &store));
  if (warning) wisp_cli_warn(args, warning);
  if (!json) wisp_store_show(store);
  CALL(count_holdings(err, store, &count, &list));
  return json ? show_json(err, count, list) : show_text(err, path, count, list);
}

static wisp_status export_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  static const char *const formats[] = {"json", "text"};
  HELD(wisp_text_free) wisp_text text = {0};
  size_t format;
  const char *name = wisp_option_value(args, "output");
  CALL(wisp_option_choice(err, args, "format", 2, formats, 0, &format));
  bool winners = wisp_option_given(args, "winners");
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EMISSING, "%s: there is no such store", path));
  CALL(format == 0 ? wisp_store_export(err, path, winners, &text)
                   : wisp_store_print_shipped(err, path, winners, &text));
  if (name)
    CALL(wisp_write_file(err, name, wisp_fill_text, &text));
  else
    CALL(wisp_require(err, fwrite(text.data, 1, text.length, stdout) == text.length && fflush(stdout) == 0,
                      WISP_ESYSTEM, "standard output cannot be written"));
  return WISP_OK;
}

static wisp_status import_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(free) char *text = NULL;
  size_t length;
  long long added = 0;
  CALL(wisp_require(err, args->operand_count == 2, WISP_EUSAGE, "import takes one file, or - for standard input"));
  const char *name = args->operands[1];
  CALL(wisp_read_file(err, strcmp(name, "-") == 0 ? "/dev/stdin" : name, &text, &length));
  CALL(wisp_store_import(err, path, text, length, &added));
  printf("%s: %lld trials added or renewed\n", path, added);
  return WISP_OK;
}

static wisp_status merge(wisp_error *err, const wisp_arguments *args, const char *path)
{
  long long added = 0;
  size_t count = (size_t)args->operand_count - 1;
  CALL(
      wisp_require(err, count >= 1, WISP_EUSAGE, "merge needs the stores to take in: wisp db merge --db INTO FILE..."));
  CALL(wisp_store_merge(err, path, count, (const char *const *)args->operands + 1, &added));
  printf("%s: %lld trials added or renewed from %zu files\n", path, added, count);
  return WISP_OK;
}

static wisp_status check(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(wisp_text_free) wisp_text report = {0};
  (void)args;
  CALL(wisp_store_check(err, path, &report));
  char line[4096 + 512];
  report.data[strcspn(report.data, "\n")] = '\0';
  wisp_show_text(report.data, line, sizeof line);
  puts(line);
  return WISP_OK;
}

/* An action on the store at path; its operands are args->operands[1..]. */
typedef wisp_status (*action)(wisp_error *err, const wisp_arguments *args, const char *path);

/* A wisp_store_note. */
static void note(void *context, const char *text)
{
  wisp_cli_warn(context, text);
}

/* Waits, and says for whom, until nobody holds the store; and those that it takes in. */
static wisp_status await(wisp_error *err, wisp_arguments *args, action act, const char *path)
{
  const bool reads = act == show || act == check || act == export_all;
  if (act == cache || (act == show && !wisp_option_given(args, "db"))) return WISP_OK;
  CALL(wisp_store_await(err, path, !reads, note, args));
  for (int i = 1; act == merge && i < args->operand_count; i++)
    CALL(wisp_store_await(err, args->operands[i], false, note, args));
  return WISP_OK;
}

static wisp_status act(wisp_error *err, wisp_arguments *args)
{
  static const struct {
    const char *name;
    action act;
    bool takes_files;
  } actions[] = {{"show", show, false},      {"export", export_all, false}, {"import", import_all, true},
                 {"merge", merge, true},     {"check", check, false},       {"prune", prune, false},
                 {"salvage", salvage, true}, {"cache", cache, false}};
  static const char known[] = "show, export, import, merge, check, prune, salvage or cache";
  OWNED(free) char *path = NULL;
  CALL(wisp_require(err, args->operand_count >= 1, WISP_EUSAGE, "say what to do: %s", known));
  const char *db = wisp_option_value(args, "db");
  CALL(wisp_require(err, !db || *db, WISP_EUSAGE, "option --db is empty, must be a store's file"));
  for (size_t i = 0; i < WISP_COUNT(actions); i++) {
    if (strcmp(actions[i].name, args->operands[0]) != 0) continue;
    CALL(wisp_require(err, actions[i].takes_files || args->operand_count == 1, WISP_EUSAGE,
                      "%s takes no file ('%s'): name the store with --db", actions[i].name, args->operands[1]));
    if (!db && actions[i].act != cache) CALL(wisp_store_user_path(err, &path));
    CALL(await(err, args, actions[i].act, db ? db : path));
    return actions[i].act(err, args, db ? db : path);
  }
  return wisp_fail(err, WISP_EUSAGE, "there is no '%s': it is %s", args->operands[0], known);
}

const wisp_syntax wisp_db_syntax = {.page = "db", .act = act, .most_operands = -1};
