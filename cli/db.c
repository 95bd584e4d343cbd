/* wisp db: the care of stores. */
#include "against.h"
#include "cli.h"
#include "db_diff.h"
#include "db_verify.h"
#include "print.h"
#include "../cache/columns.h"
#include "../runtime/cache_folder.h"
#include "../runtime/process.h"

#include <unistd.h>

/* The day on which a trial was measured, its first ten characters; "unknown" where it does not say. */
static const char *day_of(const wisp_trial *trial)
{
  return wisp_is_day(trial->when) ? trial->when : "unknown";
}

/* ---- salvage */

static wisp_status salvage(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_salvaged found;
  OWNED(free) char *backup = NULL;
  const char *into = NULL;
  CALL(wisp_require(err, args->operand_count <= 2, WISP_EUSAGE, "salvage takes one file: wisp db salvage FILE"));
  CALL(wisp_option_output(err, args, "output", NULL, &into));
  if (args->operand_count == 2) path = args->operands[1];
  CALL(wisp_refuse_packed(err, path));
  CALL(wisp_store_salvage(err, path, into, &backup, &found));
  printf("%s: %lld trial%s rescued into %s; %lld damaged left out%s\n", path, found.rescued, wisp_plural(found.rescued),
         into ? into : path, found.damaged, found.complete ? "" : ", and parts that could not be read");
  if (backup) printf("as it was: %s\n", backup);
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

static wisp_status import_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(free) char *text = NULL;
  size_t length;
  long long added = 0;
  CALL(wisp_require(err, args->operand_count == 2, WISP_EUSAGE, "import takes one file, or - for standard input"));
  const char *name = args->operands[1];
  const bool from_stdin = strcmp(name, "-") == 0;
  CALL(wisp_read_file(err, from_stdin ? "/dev/stdin" : name, &text, &length));
  CALL(wisp_store_import(err, path, from_stdin ? "standard input" : name, text, length, &added));
  printf("%s: %lld trial%s added or renewed\n", path, added, wisp_plural(added));
  return WISP_OK;
}

/* The stores to take in, unpacked where they are packed: a folder each, which go with the list. */
typedef struct sources {
  size_t count;
  char (*folder)[WISP_PACKED_FOLDER];
  wisp_text *path;
} sources;

static void free_sources(sources *list)
{
  for (size_t i = 0; i < list->count; i++) wisp_scratch_remove(list->folder[i]), wisp_text_free(&list->path[i]);
  free(list->folder), free(list->path);
}

static wisp_status merge(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(free_sources) sources from = {0};
  OWNED(free) const char **paths = NULL;
  long long added = 0;
  const size_t count = (size_t)args->operand_count - 1;
  CALL(
      wisp_require(err, count >= 1, WISP_EUSAGE, "merge needs the stores to take in: wisp db merge --db INTO FILE..."));
  CALL(wisp_new(err, count, sizeof *from.folder, &from.folder));
  CALL(wisp_new(err, count, sizeof *from.path, &from.path));
  CALL(wisp_new(err, count, sizeof *paths, &paths));
  for (size_t i = 0; i < count; i++) {
    from.count = i + 1;
    CALL(wisp_unpack(err, args->operands[1 + i], from.folder[i], &from.path[i]));
    paths[i] = from.path[i].data;
  }
  CALL(wisp_store_merge(err, path, count, paths, &added));
  printf("%s: %lld trial%s added or renewed from %zu file%s\n", path, added, wisp_plural(added), count,
         wisp_plural((long long)count));
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

/* ---- export */

typedef struct export
{
  char device[128]; /* part of its name; "": all that the file holds */
  bool winners, as_text;
}
export;

/* The trials of a device in the first layer that has any. */
static wisp_status collect_trials(wisp_error *err, const wisp_store *store, const char *device, wisp_layer *from,
                                  wisp_trials *list)
{
  *from = WISP_LAYER_NONE;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *trial = wisp_store_trial(store, i, &layer);
    if (list->count && layer != *from) break;
    if (!strcasestr(trial->device, device)) continue;
    *from = layer;
    CALL(wisp_trials_add(err, list, trial));
  }
  return wisp_require(err, list->count, WISP_EMISSING, "nothing is stored for '%s': 'wisp db show' lists devices",
                      device);
}

/* Exports one device: the trials of the file, or else the site's, or the shipped ones. */
static wisp_status export_device(wisp_error *err, const wisp_arguments *args, const char *path, const export *how,
                                 wisp_text *out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_trials_free) wisp_trials list = {0};
  OWNED(free) char *warning = NULL;
  wisp_layer layer;
  char note[512];
  CALL(wisp_store_open(err, path, false, &warning, &store));
  if (warning) wisp_cli_warn(args, warning);
  CALL(collect_trials(err, store, how->device, &layer, &list));
  snprintf(note, sizeof note, WISP_MESSAGE("%.300s has nothing of '%s': these are the trials of the %s layer"), path,
           how->device, wisp_layer_name(layer));
  if (layer != WISP_LAYER_USER) wisp_cli_warn(args, note);
  return wisp_trials_export(err, &list, how->winners, how->as_text, out);
}

static wisp_status export_trials(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(wisp_text_free) wisp_text text = {0};
  export how = {.winners = wisp_option_given(args, "winners")};
  size_t format = 0;
  const char *name = NULL;
  CALL(wisp_option_choice(err, args, "format", "json text", 0, &format));
  CALL(wisp_option_output(err, args, "output", NULL, &name));
  CALL(wisp_require(err, !name || !wisp_same_file(name, path), WISP_EUSAGE,
                    "option --output would overwrite the store %s: name another file", path));
  CALL(wisp_option_stored_device(err, args, how.device));
  how.as_text = format == 1;
  if (!*how.device)
    CALL(wisp_require(
        err, access(path, F_OK) == 0, WISP_EMISSING,
        "%s: there is no tuning store here: check the path, or fill one with wisp tune; -d DEV exports what ships",
        path));
  CALL(*how.device ? export_device(err, args, path, &how, &text)
                   : wisp_store_export(err, path, how.winners, how.as_text, &text));
  if (name) return wisp_write_file(err, name, wisp_fill_text, &text);
  return wisp_require(err, fwrite(text.data, 1, text.length, stdout) == text.length && fflush(stdout) == 0,
                      WISP_ESYSTEM, "the output could not be written: make room, or send it elsewhere");
}

/* ---- prune */

/* The trials to remove. */
typedef struct pruning {
  const char *device, *before; /* NULL: whatever it is */
  bool failed;
  const wisp_strategies *strategies; /* NULL: staleness does not matter */
} pruning;

static bool stays(const void *context, const wisp_trial *trial)
{
  const pruning *how = context;
  if (how->device && strcmp(how->device, trial->device) != 0) return true;
  if (!how->before && !how->failed && !how->strategies) return false; /* all of a device */
  if (how->failed && wisp_trial_verdict(trial) == WISP_VERDICT_FAILED) return false;
  /* A trial without a date is not old. ISO dates sort as texts. */
  if (how->before && wisp_is_day(trial->when) && strncmp(trial->when, how->before, 10) < 0) return false;
  return !how->strategies || wisp_trial_is_current(how->strategies, trial);
}

static int by_device(const void *x, const void *y)
{
  const wisp_trial *a = *(const wisp_trial *const *)x, *b = *(const wisp_trial *const *)y;
  const int order[] = {strcmp(a->device, b->device), strcmp(a->outcome, b->outcome), strcmp(a->when, b->when)};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}

/* Prints the trials to remove, by device and outcome, the days from the first to the last. */
static wisp_status show_removal(wisp_error *err, const char *path, const pruning *how)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) const wisp_trial **list = NULL;
  size_t count = 0, stored = 0;
  wisp_layer layer;
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EMISSING,
                    "%s: there is no tuning store here: check the path, or fill one with wisp tune", path));
  CALL(wisp_store_open(err, path, false, NULL, &store));
  CALL(wisp_new(err, wisp_store_count(store), sizeof *list, &list));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *trial = wisp_store_trial(store, i, &layer);
    stored += layer == WISP_LAYER_USER;
    if (layer == WISP_LAYER_USER && !stays(how, trial)) list[count++] = trial;
  }
  qsort(list, count, sizeof *list, by_device);
  for (size_t i = 0, from = 0; i < count; i++) {
    bool end = i + 1 == count || strcmp(list[i]->device, list[i + 1]->device) != 0 ||
               strcmp(list[i]->outcome, list[i + 1]->outcome) != 0;
    if (!end) continue;
    char device[sizeof list[i]->device], outcome[sizeof list[i]->outcome];
    wisp_show_text(list[i]->device, device, sizeof device);
    wisp_show_text(list[i]->outcome, outcome, sizeof outcome);
    printf("%-40s %-14s %8zu  %.10s to %.10s\n", device, outcome, i + 1 - from, day_of(list[from]), day_of(list[i]));
    from = i + 1;
  }
  printf("%s: %zu trial%s would be removed, and %zu stay\n", path, count, wisp_plural((long long)count),
         stored - count);
  return WISP_OK;
}

static wisp_status prune(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(free) char *backup = NULL;
  long long removed = 0;
  char device[128] = "";
  pruning how = {.before = wisp_option_value(args, "before"), .failed = wisp_option_given(args, "failed")};
  bool stale = wisp_option_given(args, "stale"), keep_old = !wisp_option_given(args, "no-backup");
  CALL(wisp_option_stored_device(err, args, device));
  if (*device) how.device = device;
  CALL(wisp_require(err, how.before || stale || how.failed || how.device, WISP_EUSAGE,
                    "prune needs to be told what to remove: --failed, --stale, --before DATE or -d DEV"));
  CALL(wisp_require(err, !how.before || (strlen(how.before) == 10 && wisp_is_day(how.before)), WISP_EUSAGE,
                    "option --before is '%s', must be a day such as 2026-11-21", how.before));
  if (stale) CALL(wisp_strategies_load(err, &strategies));
  how.strategies = strategies;
  if (wisp_option_given(args, "dry-run")) return show_removal(err, path, &how);
  CALL(wisp_store_prune(err, path, stays, &how, keep_old ? &backup : NULL, &removed));
  printf("%s: %lld trial%s removed\n", path, removed, wisp_plural(removed));
  if (backup) printf("as it was: %s\n", backup);
  return WISP_OK;
}

/* ---- show: the holdings by layer and device. */

/* One line: what a layer holds of a device. */
typedef struct holding {
  wisp_layer layer;
  const wisp_trial *sample; /* for device and target */
  wisp_tally tally;
  size_t by_bytes, by_units;      /* trials whose floor bytes set, or operations of a unit */
  uint64_t orders;                /* bit N: some trial is of order N */
  const wisp_trial *first, *last; /* by date, of those that have one */
} holding;

enum { MOST_ORDERS = 64 };

static void count_in(holding *h, const wisp_trial *t)
{
  wisp_spec spec;
  const bool bytes = strcmp(t->floor, "bytes") == 0 || strcmp(t->floor, WISP_FLOOR_CACHE) == 0;
  wisp_tally_add(&h->tally, t);
  h->by_bytes += bytes;
  h->by_units += *t->floor && !bytes;
  if (wisp_spec_parse(NULL, t->spec, &spec) == WISP_OK && spec.order >= 0 && spec.order < MOST_ORDERS)
    h->orders |= (uint64_t)1 << spec.order;
  if (!wisp_is_day(t->when)) return; /* ISO dates sort as texts */
  if (!h->first || strcmp(t->when, h->first->when) < 0) h->first = t;
  if (!h->last || strcmp(t->when, h->last->when) > 0) h->last = t;
}

/* Trials of devices with this in their names, by layer and device, in order of appearance: as many lines as it takes;
 * free(*out). */
static wisp_status count_holdings(wisp_error *err, const wisp_store *store, const char *device, size_t *lines,
                                  holding **out)
{
  OWNED(free) holding *list = NULL;
  size_t count = 0, capacity = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    size_t at = count; /* the same as the one before, mostly */
    if (!strcasestr(t->device, device)) continue;
    while (at > 0 && (list[at - 1].layer != layer || strcmp(list[at - 1].sample->device, t->device) != 0 ||
                      strcmp(list[at - 1].sample->target, t->target) != 0))
      at--;
    CALL(wisp_grow(err, &list, &capacity, count + 1, sizeof *list));
    if (at == 0) list[count++] = (holding){.layer = layer, .sample = t};
    count_in(&list[at ? at - 1 : count - 1], t);
  }
  *lines = count;
  return GIVE(list, out);
}

/* ---- as JSON */

static void add_day(cJSON *object, const char *name, const wisp_trial *trial)
{
  char day[11] = "";
  if (trial) snprintf(day, sizeof day, "%.10s", trial->when);
  wisp_json_add_texts(object, 1, &(wisp_json_text){name, day});
}

static cJSON *holding_to_json(const holding *h)
{
  const wisp_json_text texts[] = {
      {"layer", wisp_layer_name(h->layer)}, {"device", h->sample->device}, {"target", h->sample->target}};
  cJSON *object = wisp_json_object(WISP_COUNT(texts), texts, 1, &(wisp_json_number){"trials", (double)h->tally.trials});
  for (int v = 0; v < WISP_VERDICTS; v++)
    cJSON_AddNumberToObject(object, wisp_verdict_name((wisp_verdict)v), (double)h->tally.of[v]);
  const wisp_json_number numbers[] = {{"floor_bytes", (double)h->by_bytes},
                                      {"floor_operations", (double)h->by_units},
                                      {"refused_candidates", (double)h->tally.refused_candidates}};
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  cJSON *list = cJSON_AddArrayToObject(object, "orders");
  for (int N = 0; N < MOST_ORDERS; N++)
    if (h->orders >> N & 1) cJSON_AddItemToArray(list, cJSON_CreateNumber(N));
  add_day(object, "first", h->first);
  add_day(object, "last", h->last);
  return object;
}

/* ---- as text */

enum { FIRST_COUNT = 4, COLUMNS = FIRST_COUNT + WISP_VERDICTS + 3 };

/* A number, or the dash that a table leaves out where a column has no other. */
static void print_count(size_t count, char text[24])
{
  snprintf(text, 24, "%zu", count);
  if (!count) strcpy(text, "-");
}

/* A line: "bytes 517, operations 12" trials that each sets the floor of, "2026-11-20..2026-11-22". */
static wisp_status add_row(wisp_error *err, wisp_table *table, const holding *h)
{
  HELD(wisp_text_free) wisp_text orders = {0};
  char trials[24], counts[WISP_VERDICTS][24], days[32] = "-", bytes[32] = "", operations[32] = "", floors[64];
  const char *cells[COLUMNS] = {wisp_layer_name(h->layer), h->sample->device, h->sample->target, trials};
  print_count(h->tally.trials, trials);
  for (int v = 0; v < WISP_VERDICTS; v++) {
    print_count(h->tally.of[v], counts[v]);
    cells[FIRST_COUNT + v] = counts[v];
  }
  if (h->first) snprintf(days, sizeof days, "%.10s", day_of(h->first));
  if (h->first && strncmp(h->first->when, h->last->when, 10) != 0)
    snprintf(days, sizeof days, "%.10s..%.10s", day_of(h->first), day_of(h->last));
  for (int N = 0; N < MOST_ORDERS; N++) { /* "1-9", "1-3,7"; "-" for none */
    if (!(h->orders >> N & 1)) continue;
    CALL(wisp_text_print(err, &orders, "%s%d", orders.length ? "," : "", N));
    const int first = N;
    while (N + 1 < MOST_ORDERS && h->orders >> (N + 1) & 1) N++;
    if (N > first) CALL(wisp_text_print(err, &orders, "-%d", N));
  }
  if (!orders.length) CALL(wisp_text_add(err, &orders, "-", 1));
  if (h->by_bytes) snprintf(bytes, sizeof bytes, "bytes %zu", h->by_bytes);
  if (h->by_units) snprintf(operations, sizeof operations, "operations %zu", h->by_units);
  snprintf(floors, sizeof floors, "%.28s%s%.31s", *bytes || *operations ? bytes : "-",
           *bytes && *operations ? ", " : "", operations);
  cells[COLUMNS - 3] = floors, cells[COLUMNS - 2] = orders.data, cells[COLUMNS - 1] = days;
  return wisp_table_add(err, table, cells);
}

static wisp_status show_text(wisp_error *err, const char *path, size_t count, const holding *list)
{
  wisp_table_column columns[COLUMNS] = {{"layer", false}, {"device", false}, {"target", false}, {"trials", true}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text out = {0};
  char name[4096];
  wisp_show_text(path, name, sizeof name);
  printf("%s%s\n", name, access(path, F_OK) == 0 ? "" : " (not there yet)");
  for (int v = 0; v < WISP_VERDICTS; v++)
    columns[FIRST_COUNT + v] = (wisp_table_column){wisp_verdict_name((wisp_verdict)v), true};
  columns[COLUMNS - 3] = (wisp_table_column){"floor", false};
  columns[COLUMNS - 2] = (wisp_table_column){"N", false}, columns[COLUMNS - 1] = (wisp_table_column){"measured", false};
  CALL(wisp_table_create(err, "", COLUMNS, columns, &table));
  for (size_t i = 0; i < count; i++) CALL(add_row(err, table, &list[i]));
  if (count) CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &out));
  if (count) fputs(out.data, stdout);
  return WISP_OK;
}

static wisp_status show(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) holding *list = NULL;
  HELD(wisp_text_free) wisp_text out = {0};
  size_t count = 0;
  OWNED(free) char *warning = NULL;
  bool json = wisp_option_given(args, "json");
  char device[128] = "";
  CALL(wisp_option_stored_device(err, args, device));
  CALL(wisp_store_open(err, path, !wisp_option_given(args, "db"), &warning, &store));
  if (warning) wisp_cli_warn(args, warning);
  if (!json) wisp_store_show(store);
  CALL(count_holdings(err, store, device, &count, &list));
  CALL(wisp_require(err, count || !*device, WISP_EMISSING, "nothing is stored for '%s': 'wisp db show' lists devices",
                    device));
  if (!json) return show_text(err, path, count, list);
  CALL(wisp_text_print(err, &out, "["));
  for (size_t i = 0; i < count; i++) CALL(wisp_text_add_item(err, &out, i == 0, holding_to_json(&list[i])));
  printf("%s\n]\n", out.data);
  return WISP_OK;
}

/* ---- The list of actions. */

/* An action on the store at path; its operands are args->operands[1..]. */
typedef struct action {
  const char *name;
  wisp_status (*act)(wisp_error *err, const wisp_arguments *args, const char *path);
  bool takes_files, reads; /* reads: changes nothing, so that the store may be a packed one */
  bool elsewhere;          /* it is not about the user's store */
} action;

static const action actions[] = {
    {"show", show, false, true, false},         {"export", export_trials, false, true, false},
    {"import", import_all, true, false, false}, {"merge", merge, true, false, false},
    {"check", check, false, true, false},       {"prune", prune, false, false, false},
    {"salvage", salvage, true, false, false},   {"cache", cache, false, false, true},
    {"diff", wisp_db_diff, true, true, true},   {"verify", wisp_db_verify, false, true, false},
};

/* A wisp_store_note. */
static void note(void *context, const char *text)
{
  wisp_cli_warn(context, text);
}

/* --db, or the default place. */
static wisp_status act_on_store(wisp_error *err, const wisp_arguments *args, const action *a)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text unpacked = {0};
  OWNED(free) char *own = NULL;
  const char *path = wisp_option_value(args, "db");
  CALL(wisp_require(err, !path || *path, WISP_EUSAGE, "option --db is empty, must be a store's file"));
  if (!path && !a->elsewhere) CALL(wisp_store_user_path(err, &own));
  /* Waits, and says for whom, until nobody holds the store, nor those that it takes in. */
  if (!a->elsewhere && !(a->act == show && !path))
    CALL(wisp_store_await(err, path ? path : own, !a->reads, note, (void *)args));
  for (int i = 1; a->act == merge && i < args->operand_count; i++)
    CALL(wisp_store_await(err, args->operands[i], false, note, (void *)args));
  if (!path) return a->act(err, args, own);
  if (!a->reads) CALL(wisp_refuse_packed(err, path));
  if (access(path, F_OK) != 0) return a->act(err, args, path);
  CALL(wisp_unpack(err, path, folder, &unpacked));
  return a->act(err, args, unpacked.data);
}

static wisp_status act(wisp_error *err, wisp_arguments *args)
{
  static const char known[] = "show, export, import, merge, check, prune, salvage, diff, verify or cache";
  CALL(wisp_require(err, args->operand_count >= 1, WISP_EUSAGE, "say what to do: %s", known));
  for (size_t i = 0; i < WISP_COUNT(actions); i++) {
    const action *a = &actions[i];
    if (strcmp(a->name, args->operands[0]) != 0) continue;
    CALL(wisp_require(err, a->takes_files || args->operand_count == 1, WISP_EUSAGE,
                      "%s takes no file ('%s'): name the store with --db", a->name, args->operands[1]));
    return act_on_store(err, args, a);
  }
  return wisp_fail(err, WISP_EUSAGE, "there is no '%s': it is %s", args->operands[0], known);
}

const wisp_syntax wisp_db_syntax = {.page = "db", .act = act, .most_operands = -1};
