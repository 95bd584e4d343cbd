#include "best.h"
#include "print.h"
#include "../gen/family.h"

#include <math.h>
#include <unistd.h>

/* Parameters that have a column: the family's (wisp_family.shown), as many as there is room for. */
enum { COLUMNS = 8 };

static const char *shown_by(const wisp_best_row *row)
{
  const wisp_family *family = wisp_family_find(row->spec.family);
  return family ? family->shown : NULL;
}

/* The row's parameters and what its strategy does not vary: those with a column into cells ("-" where there is none),
 * the rest into one text. */
static void split_params(const wisp_best_row *row, char cells[COLUMNS][32], char rest[200])
{
  char name[32], value[32], column[32];
  size_t used = 0;
  rest[0] = '\0';
  for (int i = 0; i < COLUMNS; i++) strcpy(cells[i], "-");
  const char *params = row->trial->params, *constants = row->constants;
  while (wisp_next_param(&params, name, value) || wisp_next_param(&constants, name, value)) {
    int at = 0;
    while (at < COLUMNS && wisp_list_at(shown_by(row), at, column) && strcmp(column, name) != 0) at++;
    if (at < COLUMNS && *column)
      memcpy(cells[at], value, sizeof value);
    else if (used < 120)
      used += (size_t)snprintf(rest + used, 200 - used, "%s%s=%s", used ? " " : "", name, value);
  }
}

const char *wisp_best_match(const wisp_best_row *row)
{
  return *row->remark ? row->remark : wisp_match_name(row->match);
}

/* Whether two rows are of one device and subject, and so stand on one page. */
static bool same_page(const wisp_best_row *a, const wisp_best_row *b)
{
  return strcmp(a->of->device, b->of->device) == 0 && wisp_spec_subjects(&a->spec, &b->spec) == 0;
}

const char *wisp_best_remark(const wisp_best_row *row)
{
  const bool dropped = wisp_trial_outcome(row->trial) == WISP_TRIAL_SLOW; /* against one that is gone */
  return *row->remark || row->match == WISP_MATCH_ARCHITECTURE ? wisp_best_match(row) : dropped ? "dropped" : "";
}

static wisp_status add_row(wisp_error *err, wisp_table *table, const wisp_best_row *row)
{
  const wisp_trial *t = row->trial;
  char p[COLUMNS][32], rest[200], KM[16] = "-", count[4][16];
  const char *km = strstr(t->layout, "-km"); /* node-km4-pad144, slab-km32 */
  split_params(row, p, rest);
  if (km) snprintf(KM, sizeof KM, "%d", atoi(km + 3));
  const int counts[] = {t->registers, t->spill_bytes, t->shared_bytes, row->resident > 0 ? row->resident : -1};
  for (int i = 0; i < 4; i++) snprintf(count[i], sizeof count[i], counts[i] < 0 ? "-" : "%d", counts[i]);
  return wisp_table_print_row(err, table,
                              "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.4g\t%.4g\t%.2f\t%s\t%.4g\t%.2f\t"
                              "%s\t%s\t%s\t%s\t%s%s%s%s%s",
                              row->spec.order, row->spec.kernel, strncmp(t->layout, "slab", 4) == 0 ? "slab" : "node",
                              KM, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], t->ms, t->gdofs, t->efficiency,
                              t->floor, row->default_ms, row->default_ms / t->ms, count[0], count[1], count[2],
                              count[3], t->strategy, *rest ? " " : "", rest, *wisp_best_remark(row) ? ", " : "",
                              wisp_best_remark(row));
}

/* Rows from..to-1, which share a table. */
static wisp_status print_rows(wisp_error *err, const wisp_best_rows *rows, size_t from, size_t to, int window,
                              wisp_text *out)
{
  char symbol[COLUMNS][34];
  const wisp_table_column titles[] = {
      {"N", true},
      {"kernel", false},
      {"dofs", false},
      {"K_M", true},
      {symbol[0], true},
      {symbol[1], true},
      {symbol[2], true},
      {symbol[3], true},
      {symbol[4], true},
      {symbol[5], true},
      {symbol[6], true},
      {symbol[7], true},
      {"ms", true},
      {"GDOF/s", true},
      {"eff", true},
      {"floor", false},
      {"default", true},
      {"ratio", true},
      {"regs", true},
      {"spill", true},
      {"shared", true},
      {"threads", true},
      {"strategy and other parameters", false},
  };
  const wisp_best_row *first = &rows->rows[from];
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  char heading[sizeof first->of->device + 128];
  for (int i = 0; i < COLUMNS; i++) { /* w_p, as the papers have it, where the name has two letters */
    char name[32];
    wisp_list_at(shown_by(first), i, name);
    const bool index = strlen(name) == 2;
    snprintf(symbol[i], sizeof symbol[i], "%.*s%s%s", index ? 1 : 31, name, index ? "_" : "", index ? name + 1 : "");
  }
  snprintf(heading, sizeof heading, "%s (%s): %s, %s, %s, %s", first->of->device, first->of->target, first->spec.family,
           first->spec.element, first->spec.system, wisp_precision_name(first->spec.precision));
  CALL(wisp_table_create(err, heading, WISP_COUNT(titles), titles, &table));
  for (size_t i = from; i < to; i++) {
    const wisp_best_row *row = &rows->rows[i];
    if (i > from && row->spec.order != row[-1].spec.order) CALL(wisp_table_add(err, table, NULL));
    CALL(add_row(err, table, row));
  }
  return wisp_table_print(err, table, window, out);
}

wisp_status wisp_best_print_notes(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  static const struct {
    const char *remark, *meaning;
  } notes[] = {
      {"stale",
       "are stale: measured before a kernel's text changed, so that they no longer count: 'wisp tune' measures "
       "anew"},
      {"older",
       "are older than a winner of their kernels: the stage was timed with another one, and 'wisp tune -k step' times "
       "it anew"},
      {"refused", "are refused: what was measured then is not legal here now, and no solver takes it"},
      {"dropped", "were dropped for what is gone now, and answer until 'wisp tune' has measured them anew"},
  };
  for (size_t i = 0; i < WISP_COUNT(notes); i++) {
    size_t count = 0;
    for (size_t r = 0; r < rows->count; r++) count += strcmp(wisp_best_remark(&rows->rows[r]), notes[i].remark) == 0;
    if (count) CALL(wisp_text_print(err, out, "\n%zu of these %s\n", count, notes[i].meaning));
  }
  return WISP_OK;
}

wisp_status wisp_best_print_text(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  int window = wisp_terminal_columns(STDOUT_FILENO);
  for (size_t from = 0, to; from < rows->count; from = to) {
    const wisp_best_row *first = &rows->rows[from];
    for (to = from + 1; to < rows->count && same_page(&rows->rows[to], first); to++)
      if (rows->rows[to].spec.precision != first->spec.precision) break;
    CALL(wisp_text_print(err, out, "%s", from ? "\n" : ""));
    CALL(print_rows(err, rows, from, to, window, out));
  }
  return wisp_best_print_notes(err, rows, out);
}

/* One thing that JSON and CSV tell of a row: a text, or a number. */
typedef struct field {
  const char *name, *text;
  double number;
} field;
enum { FIELDS = 25, PARAMS = 6, CONSTANTS = 7 };

static void list_fields(const wisp_best_row *row, field out[FIELDS])
{
  const wisp_trial *t = row->trial;
  const field fields[FIELDS] = {
      {"device", row->of->device, 0},
      {"family", row->spec.family, 0},
      {"kernel", row->spec.kernel, 0},
      {"strategy", t->strategy, 0},
      {"order", NULL, row->spec.order},
      {"precision", wisp_precision_name(row->spec.precision), 0},
      [PARAMS] = {"params", t->params, 0},
      [CONSTANTS] = {"fixed", row->constants, 0},
      {"system", row->spec.system, 0},
      {"layout", t->layout, 0},
      {"ms", NULL, t->ms},
      {"gdofs", NULL, t->gdofs},
      {"gbps", NULL, t->gbps},
      {"gflops", NULL, t->gflops},
      {"efficiency", NULL, t->efficiency},
      {"floor", t->floor, 0},
      {"default_ms", NULL, row->default_ms},
      {"match", wisp_best_match(row), 0},
      {"layer", wisp_layer_name(row->layer), 0},
      {"elements", NULL, (double)t->elements},
      {"registers", NULL, t->registers < 0 ? (double)NAN : t->registers},
      {"spill_bytes", NULL, t->spill_bytes < 0 ? (double)NAN : t->spill_bytes},
      {"shared_bytes", NULL, t->shared_bytes < 0 ? (double)NAN : t->shared_bytes},
      {"resident_threads", NULL, row->resident > 0 ? row->resident : (double)NAN},
      {"element", row->spec.element, 0},
  };
  memcpy(out, fields, sizeof fields);
}

static cJSON *row_to_json(const wisp_best_row *row)
{
  field fields[FIELDS];
  cJSON *object = cJSON_CreateObject();
  list_fields(row, fields);
  for (const field *f = fields; f < fields + FIELDS; f++)
    if (f == &fields[PARAMS] || f == &fields[CONSTANTS])
      wisp_json_add_params(object, f->name, f->text);
    else if (f->text)
      cJSON_AddStringToObject(object, f->name, f->text);
    else /* NaN is printed as null */
      cJSON_AddNumberToObject(object, f->name, f->number);
  cJSON_AddStringToObject(object, "mesh", wisp_trial_mesh(row->trial));
  cJSON_AddStringToObject(object, "when", row->trial->when);
  if (row->then) cJSON_AddItemToObject(object, "against", row_to_json(row->then));
  return object;
}

wisp_status wisp_best_print_json(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  CALL(wisp_text_print(err, out, "["));
  for (size_t i = 0; i < rows->count; i++) CALL(wisp_text_add_item(err, out, i == 0, row_to_json(&rows->rows[i])));
  return wisp_text_print(err, out, "\n]\n");
}

/* A CSV cell: quoted where it must be (RFC 4180). */
static wisp_status print_quoted(wisp_error *err, const char *text, wisp_text *out)
{
  if (!text[strcspn(text, ",\"\r\n")]) return wisp_text_print(err, out, "%s", text);
  CALL(wisp_text_print(err, out, "\""));
  for (; *text; text++) CALL(wisp_text_print(err, out, *text == '"' ? "\"%c" : "%c", *text));
  return wisp_text_print(err, out, "\"");
}

wisp_status wisp_best_print_csv(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  field fields[FIELDS];
  for (size_t i = 0; i < rows->count; i++) {
    list_fields(&rows->rows[i], fields);
    for (int f = 0; i == 0 && f < FIELDS; f++) CALL(wisp_text_print(err, out, "%s%s", f ? "," : "", fields[f].name));
    for (int f = 0; f < FIELDS; f++) {
      CALL(wisp_text_print(err, out, f ? "," : i ? "" : "\n"));
      if (fields[f].text)
        CALL(print_quoted(err, fields[f].text, out));
      else if (isfinite(fields[f].number)) /* an empty cell where it is not known */
        CALL(wisp_text_print(err, out, "%.10g", fields[f].number));
    }
    CALL(wisp_text_print(err, out, "\n"));
  }
  return WISP_OK;
}

/* ---- Tables for a page: a line for kernels that the same strategies win, each with its orders. */

/* A strategy and the orders from..to that it wins one after the other. */
typedef struct run_of_orders {
  const char *strategy; /* NULL: none yet */
  int from, to;
} run_of_orders;

static wisp_status print_run(wisp_error *err, const run_of_orders *run, bool first, wisp_text *out)
{
  if (!run->strategy) return WISP_OK;
  CALL(wisp_text_print(err, out, "%s %s %d", first ? "" : ",", run->strategy, run->from));
  return run->to > run->from ? wisp_text_print(err, out, "-%d", run->to) : WISP_OK;
}

/* The kernel's winners in one precision; rows are sorted by order. */
static wisp_status print_cell(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end, const char *kernel,
                              wisp_precision precision, wisp_text *out)
{
  run_of_orders run = {0};
  bool begun = false;
  for (const wisp_best_row *row = first; row < end; row++) {
    if (strcmp(row->spec.kernel, kernel) != 0 || row->spec.precision != precision || *row->remark) continue;
    if (run.strategy && strcmp(run.strategy, row->trial->strategy) == 0 && row->spec.order == run.to + 1) {
      run.to++;
      continue;
    }
    CALL(print_run(err, &run, !begun, out));
    begun |= run.strategy != NULL;
    run = (run_of_orders){row->trial->strategy, row->spec.order, row->spec.order};
  }
  CALL(print_run(err, &run, !begun, out));
  return wisp_text_print(err, out, " |");
}

/* The kernels of a table, each with its cells. */
typedef struct lines {
  struct line {
    const char *kernel; /* NULL: printed already */
    wisp_text cells;
  } * list;
  size_t count;
} lines;

static void release_lines(lines *l)
{
  for (size_t i = 0; i < l->count; i++) wisp_text_free(&l->list[i].cells);
  free(l->list);
}

static wisp_status list_lines(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end, lines *out)
{
  CALL(wisp_new(err, (size_t)(end - first), sizeof *out->list, &out->list));
  for (const wisp_best_row *row = first; row < end; row++) {
    size_t at = 0;
    while (at < out->count && strcmp(out->list[at].kernel, row->spec.kernel) != 0) at++;
    if (at < out->count) continue;
    struct line *line = &out->list[out->count++];
    line->kernel = row->spec.kernel;
    CALL(print_cell(err, first, end, line->kernel, WISP_F32, &line->cells));
    CALL(print_cell(err, first, end, line->kernel, WISP_F64, &line->cells));
  }
  return WISP_OK;
}

static wisp_status print_table(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end, wisp_text *out)
{
  HELD(release_lines) lines all = {0};
  CALL(list_lines(err, first, end, &all));
  CALL(wisp_text_print(err, out, "**%s: %s, %s, %s**\n\n| kernel | f32 | f64 |\n|---|---|---|\n", first->of->device,
                       first->spec.family, first->spec.element, first->spec.system));
  for (size_t i = 0; i < all.count; i++) {
    const char *separator = "|";
    if (!all.list[i].kernel) continue;
    for (size_t k = i; k < all.count; k++) {
      if (!all.list[k].kernel || strcmp(all.list[k].cells.data, all.list[i].cells.data) != 0) continue;
      CALL(wisp_text_print(err, out, "%s `%s`", separator, all.list[k].kernel));
      all.list[k].kernel = NULL;
      separator = ",";
    }
    CALL(wisp_text_print(err, out, " |%s\n", all.list[i].cells.data));
  }
  return WISP_OK;
}

wisp_status wisp_best_print_markdown(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  const wisp_best_row *row = rows->rows, *const end = row + rows->count;
  for (const wisp_best_row *next; row < end; row = next) {
    for (next = row; next < end && same_page(next, row); next++) {}
    CALL(wisp_text_print(err, out, "%s", row == rows->rows ? "" : "\n"));
    CALL(print_table(err, row, next, out));
  }
  return WISP_OK;
}
