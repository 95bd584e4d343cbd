#include "cli.h"
#include "print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Lines. */

static wisp_status print_kernels(wisp_error *err, const wisp_stage *stage, bool as_asked)
{
  static const wisp_column columns[] = {
      {"kernel", false}, {"strategy", false}, {"match", false}, {"layer", false}, {"params", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_table_create(err, "", WISP_COUNT(columns), columns, &table));
  for (int i = 0; i < stage->kernels; i++) {
    const wisp_choice *c = &stage->choice[i];
    const char *match = as_asked && c->match == WISP_MATCH_DEFAULT ? "default, as asked" : wisp_match_name(c->match);
    const char *const cells[] = {c->kernel, c->strategy, match, wisp_layer_name(c->layer), c->params};
    CALL(wisp_table_add(err, table, cells));
    char note[sizeof c->note + 64];
    snprintf(note, sizeof note, WISP_MESSAGE("the stored winner was not taken: %s"), c->note);
    if (*c->note) CALL(wisp_table_add(err, table, (const char *const[]){"", "", "", "", note}));
  }
  CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("\n%s\n", text.data);
  return WISP_OK;
}

/* The options of wisp tune that say what a kernel is of; those that it has by default are left out. */
static void print_subject(const wisp_spec *spec)
{
  const wisp_family *family = wisp_family_find(spec->family);
  printf(" -f %s", spec->family);
  if (strcmp(spec->system, family->default_system) != 0) printf(" --system %s", spec->system);
  if (strcmp(spec->element, family->elements->name) != 0) printf(" --element %s", spec->element);
  printf(" -n %d -p %s", spec->order, wisp_precision_name(spec->precision));
}

/* Kernels of one subject, of one family as well: another one may have lent some. */
enum { MOST_SUBJECTS = 8 };
typedef struct untuned {
  const wisp_spec *subject;
  int kernels, defaults;
} untuned;

static void count_kernel(const wisp_stage *stage, int kernel, int *count, untuned *list)
{
  const wisp_spec *spec = &stage->plan[kernel]->spec;
  int at = 0;
  while (at < *count && wisp_spec_subjects(list[at].subject, spec) != 0) at++;
  if (at == MOST_SUBJECTS) return;
  if (at == *count) list[(*count)++] = (untuned){.subject = spec};
  list[at].kernels++;
  list[at].defaults += stage->choice[kernel].match == WISP_MATCH_DEFAULT;
}

/* Prints the wisp tune commands for kernels that run defaults which nobody asked for. */
static void print_tuning(const wisp_arguments *args, const wisp_solver *s)
{
  untuned list[MOST_SUBJECTS];
  int subjects = 0;
  const char *device = wisp_option_value(args, "device"), *db = wisp_option_value(args, "db");
  for (int part = 0; part < WISP_SOLVER_STAGES; part++)
    for (int k = 0; k < s->stage[part].kernels; k++) count_kernel(&s->stage[part], k, &subjects, list);
  for (int i = 0; i < subjects; i++) {
    if (!list[i].defaults) continue;
    printf("untuned     %d of %d kernels run defaults; tune them by\n            wisp tune -d %s", list[i].defaults,
           list[i].kernels, device ? device : "auto");
    print_subject(list[i].subject);
    if (db) printf(" --db '%s'", db);
    printf("\n");
  }
}

static wisp_status print_lines(wisp_error *err, const wisp_arguments *args, const wisp_solver *s)
{
  const bool defaults = wisp_option_given(args, "default");
  const wisp_solver_report *report = &s->report;
  const char *output = wisp_option_value(args, "output");
  size_t last = 0; /* table of kernels */
  for (size_t i = 0; i < report->count; i++)
    if (report->row[i].kind == WISP_ROW_KERNELS) last = i;
  for (size_t i = 0; i < report->count; i++) {
    const wisp_solver_row *row = &report->row[i];
    if (row->kind == WISP_ROW_LINE) printf("%s\n", row->text);
    if (row->kind == WISP_ROW_KERNELS) CALL(print_kernels(err, &s->stage[(int)row->value], defaults));
    if (i == last && !defaults) print_tuning(args, s);
  }
  if (output) printf("output      %s\n", output);
  return WISP_OK;
}

/* ---- JSON. */

static cJSON *make_value(const wisp_solver_row *row)
{
  if (row->kind == WISP_ROW_TRUTH) return cJSON_CreateBool(row->value > 0);
  if (row->kind == WISP_ROW_NUMBER && row->value == row->value) return cJSON_CreateNumber(row->value);
  return row->text ? cJSON_CreateString(row->text) : cJSON_CreateNull();
}

/* "a.b" is b of the object a; a key that comes again makes a list. */
static void add_row(cJSON *object, const wisp_solver_row *row)
{
  const char *key = row->key, *dot = strchr(key, '.');
  char part[64];
  if (dot) {
    snprintf(part, sizeof part, "%.*s", (int)(dot - key), key);
    cJSON *inner = cJSON_GetObjectItem(object, part);
    object = inner ? inner : cJSON_AddObjectToObject(object, part);
    key = dot + 1;
  }
  cJSON *value = make_value(row), *there = cJSON_GetObjectItem(object, key);
  if (!there) {
    cJSON_AddItemToObject(object, key, value);
  } else if (cJSON_IsArray(there)) {
    cJSON_AddItemToArray(there, value);
  } else {
    cJSON *list = cJSON_CreateArray();
    cJSON_AddItemToArray(list, cJSON_DetachItemViaPointer(object, there));
    cJSON_AddItemToArray(list, value);
    cJSON_AddItemToObject(object, key, list);
  }
}

static void add_kernel(cJSON *kernels, const wisp_choice *choice)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "kernel", choice->kernel);
  cJSON_AddStringToObject(object, "strategy", choice->strategy);
  wisp_json_add_params(object, choice->params);
  cJSON_AddStringToObject(object, "layout", choice->layout);
  cJSON_AddStringToObject(object, "match", wisp_match_name(choice->match));
  cJSON_AddStringToObject(object, "layer", wisp_layer_name(choice->layer));
  cJSON_AddNumberToObject(object, "ms", choice->ms);
  if (*choice->note) cJSON_AddStringToObject(object, "note", choice->note);
  cJSON_AddItemToArray(kernels, object);
}

/* The kernels are those of the first stage. */
static cJSON *make_json(const wisp_solver *s)
{
  cJSON *object = cJSON_CreateObject();
  for (size_t i = 0; i < s->report.count; i++)
    if (s->report.row[i].key) add_row(object, &s->report.row[i]);
  cJSON *kernels = cJSON_AddArrayToObject(object, "kernels");
  for (int i = 0; i < s->stage->kernels; i++) add_kernel(kernels, &s->stage->choice[i]);
  wisp_json_add_notes(object, &s->mesh->notes);
  return object;
}

wisp_status wisp_run_print(wisp_error *err, const wisp_arguments *args, const wisp_solver *s)
{
  if (wisp_option_given(args, "json")) return wisp_json_put(err, make_json(s));
  return print_lines(err, args, s);
}
