#include "best.h"
#include "print.h"
#include "../gen/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parameters that have a column: the family's (wisp_family.shown), as many as there is room for. */
enum { COLUMNS = 8 };

static const char *shown_by(const wisp_best_row *row)
{
  const wisp_family *family = wisp_family_find(row->spec.family);
  return family ? family->shown : NULL;
}

/* The row's parameters: those with a column into cells ("-" where there is none), the rest into one text. */
static void split_params(const wisp_best_row *row, char cells[COLUMNS][32], char rest[200])
{
  char name[32], value[32], column[32];
  size_t used = 0;
  rest[0] = '\0';
  for (int i = 0; i < COLUMNS; i++) strcpy(cells[i], "-");
  for (const char *params = row->trial->params; wisp_next_param(&params, name, value);) {
    int at = 0;
    while (at < COLUMNS && wisp_list_at(shown_by(row), at, column) && strcmp(column, name) != 0) at++;
    if (at < COLUMNS && *column)
      memcpy(cells[at], value, sizeof value);
    else if (used < 120)
      used += (size_t)snprintf(rest + used, 200 - used, "%s%s=%s", used ? " " : "", name, value);
  }
}

/* K_M is part of the layout's name: node-km4-pad144, slab-km32. */
static void print_km(const char *layout, char out[16])
{
  int KM = 0;
  const char *at = strstr(layout, "-km");
  if (at && sscanf(at, "-km%d", &KM) == 1)
    snprintf(out, 16, "%d", KM);
  else
    strcpy(out, "-");
}

/* Whether the row is dropped: a candidate that was slow against one that is gone. */
static bool is_dropped(const wisp_best_row *row)
{
  return wisp_trial_outcome(row->trial) == WISP_TRIAL_SLOW;
}

/* The match of the answer, or why it does not count. */
static const char *match_name(const wisp_best_row *row)
{
  return *row->remark ? row->remark : wisp_match_name(row->match);
}

/* A remark on the row; mostly empty. */
static const char *remark(const wisp_best_row *row)
{
  return *row->remark || row->match == WISP_MATCH_ARCHITECTURE ? match_name(row) : is_dropped(row) ? "dropped" : "";
}

static bool same_table(const wisp_best_row *a, const wisp_best_row *b)
{
  return strcmp(a->of->device, b->of->device) == 0 && wisp_spec_subjects(&a->spec, &b->spec) == 0 &&
         a->spec.precision == b->spec.precision;
}

static wisp_status add_row(wisp_error *err, wisp_table *table, const wisp_best_row *row)
{
  const wisp_trial *t = row->trial;
  char p[COLUMNS][32], rest[200], KM[16];
  split_params(row, p, rest);
  print_km(t->layout, KM);
  return wisp_table_print_row(
      err, table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.4g\t%.4g\t%.2f\t%s\t%.4g\t%.2f\t%s%s%s%s%s",
      row->spec.order, row->spec.kernel, strncmp(t->layout, "slab", 4) == 0 ? "slab" : "node", KM, p[0], p[1], p[2],
      p[3], p[4], p[5], p[6], p[7], t->ms, t->gdofs, t->efficiency, t->floor, row->default_ms, row->default_ms / t->ms,
      t->strategy, *rest ? " " : "", rest, *remark(row) ? ", " : "", remark(row));
}

/* The title of a parameter's column: w_p, as the papers have it, where the name has two letters. */
static void print_symbol(const char *shown, int i, char out[34])
{
  char name[32];
  wisp_list_at(shown, i, name);
  const bool index = strlen(name) == 2;
  snprintf(out, 34, "%.*s%s%s", index ? 1 : 31, name, index ? "_" : "", index ? name + 1 : "");
}

/* Rows from..to-1, which share a table. */
static wisp_status print_rows(wisp_error *err, const wisp_best_rows *rows, size_t from, size_t to, int room,
                              wisp_text *out)
{
  char symbol[COLUMNS][34];
  const wisp_column titles[] = {
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
      {"strategy and other parameters", false},
  };
  const wisp_best_row *first = &rows->rows[from];
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  char heading[sizeof first->of->device + 128];
  for (int i = 0; i < COLUMNS; i++) print_symbol(shown_by(first), i, symbol[i]);
  snprintf(heading, sizeof heading, "%s (%s): %s, %s, %s, %s", first->of->device, first->of->target, first->spec.family,
           first->spec.element, first->spec.system, wisp_precision_name(first->spec.precision));
  CALL(wisp_table_create(err, heading, WISP_COUNT(titles), titles, &table));
  for (size_t i = from; i < to; i++) {
    const wisp_best_row *row = &rows->rows[i];
    if (i > from && row->spec.order != row[-1].spec.order) CALL(wisp_table_add(err, table, NULL));
    CALL(add_row(err, table, row));
  }
  return wisp_table_print(err, table, room, out);
}

wisp_status wisp_best_print_text(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  static const struct {
    const char *remark, *meaning;
  } notes[] = {
      {"stale",
       "are stale: measured before a kernel's text changed, so that they no longer count: 'wisp tune' measures "
       "anew"},
      {"refused", "are refused: what was measured then is not legal here now, and no solver takes it"},
      {"dropped", "were dropped for what is gone now, and answer until 'wisp tune' has measured them anew"},
  };
  int room = wisp_terminal_columns(STDOUT_FILENO);
  for (size_t from = 0, to; from < rows->count; from = to) {
    for (to = from + 1; to < rows->count && same_table(&rows->rows[to], &rows->rows[from]); to++) {}
    CALL(wisp_text_print(err, out, "%s", from ? "\n" : ""));
    CALL(print_rows(err, rows, from, to, room, out));
  }
  for (size_t i = 0; i < WISP_COUNT(notes); i++) {
    size_t count = 0;
    for (size_t r = 0; r < rows->count; r++) count += strcmp(remark(&rows->rows[r]), notes[i].remark) == 0;
    if (count) CALL(wisp_text_print(err, out, "\n%zu of these %s\n", count, notes[i].meaning));
  }
  return WISP_OK;
}

/* One thing that JSON and CSV tell of a row: a text, or a number. */
typedef struct field {
  const char *name, *text;
  double number;
} field;
enum { FIELDS = 20, PARAMS = 6 };

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
      {"system", row->spec.system, 0},
      {"layout", t->layout, 0},
      {"ms", NULL, t->ms},
      {"gdofs", NULL, t->gdofs},
      {"gbps", NULL, t->gbps},
      {"gflops", NULL, t->gflops},
      {"efficiency", NULL, t->efficiency},
      {"floor", t->floor, 0},
      {"default_ms", NULL, row->default_ms},
      {"match", match_name(row), 0},
      {"layer", wisp_layer_name(row->layer), 0},
      {"elements", NULL, (double)t->elements},
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
    if (f == &fields[PARAMS])
      wisp_json_add_params(object, f->text);
    else if (f->text)
      cJSON_AddStringToObject(object, f->name, f->text);
    else /* NaN is printed as null */
      cJSON_AddNumberToObject(object, f->name, f->number);
  cJSON_AddStringToObject(object, "mesh", wisp_trial_mesh(row->trial));
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
