/* wisp db show: what is stored, by layer and device. */
#include "db.h"
#include "print.h"

#include <unistd.h>

bool wisp_db_is_day(const char *text)
{
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = 0, month = 0, day = 0;
  for (int i = 0; i < 10; i++)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  if (sscanf(text, "%4d-%2d-%2d", &year, &month, &day) != 3 || month < 1 || month > 12) return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day >= 1 && day <= days[month - 1] + (leap && month == 2);
}

const char *wisp_db_day_of(const wisp_trial *trial)
{
  return wisp_db_is_day(trial->when) ? trial->when : "unknown";
}

void wisp_db_print_backup(const char *backup)
{
  if (backup) printf("as it was: %s\n", backup);
}

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
  const bool bytes = strcmp(t->floor, "bytes") == 0;
  wisp_tally_add(&h->tally, t);
  h->by_bytes += bytes;
  h->by_units += *t->floor && !bytes;
  if (wisp_spec_parse(NULL, t->spec, &spec) == WISP_OK && spec.order >= 0 && spec.order < MOST_ORDERS)
    h->orders |= (uint64_t)1 << spec.order;
  if (!wisp_db_is_day(t->when)) return; /* ISO dates sort as texts */
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

/* "1-9", "1-3,7"; "-" for none. */
static wisp_status print_orders(wisp_error *err, uint64_t orders, wisp_text *out)
{
  out->length = 0;
  for (int N = 0; N < MOST_ORDERS; N++) {
    if (!(orders >> N & 1)) continue;
    CALL(wisp_text_print(err, out, "%s%d", out->length ? "," : "", N));
    const int first = N;
    while (N + 1 < MOST_ORDERS && orders >> (N + 1) & 1) N++;
    if (N > first) CALL(wisp_text_print(err, out, "-%d", N));
  }
  if (!out->length) CALL(wisp_text_add(err, out, "-", 1));
  return WISP_OK;
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
  if (h->first) snprintf(days, sizeof days, "%.10s", wisp_db_day_of(h->first));
  if (h->first && strncmp(h->first->when, h->last->when, 10) != 0)
    snprintf(days, sizeof days, "%.10s..%.10s", wisp_db_day_of(h->first), wisp_db_day_of(h->last));
  CALL(print_orders(err, h->orders, &orders));
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

wisp_status wisp_db_show(wisp_error *err, const wisp_arguments *args, const char *path)
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
