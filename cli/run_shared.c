#include "run.h"
#include "table.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static wisp_status list_kernels(wisp_error *err, const wisp_stage *step, bool as_asked, wisp_text *out)
{
  static const wisp_column columns[] = {
      {"kernel", false}, {"strategy", false}, {"match", false}, {"layer", false}, {"params", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  CALL(wisp_table_create(err, "", WISP_COUNT(columns), columns, &table));
  for (int i = 0; i < step->kernels; i++) {
    const wisp_choice *c = &step->choice[i];
    const char *match = as_asked && c->match == WISP_MATCH_DEFAULT ? "default, as asked" : wisp_match_name(c->match);
    const char *const cells[] = {c->kernel, c->strategy, match, wisp_layer_name(c->layer), c->params};
    CALL(wisp_table_add(err, table, cells));
    char note[sizeof c->note + 64];
    snprintf(note, sizeof note, "the stored winner was not taken: %s", c->note);
    if (*c->note) CALL(wisp_table_add(err, table, (const char *const[]){"", "", "", "", note}));
  }
  return wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), out);
}

void wisp_run_print_kernels(const wisp_stage *step, bool as_asked)
{
  wisp_error err = {0};
  wisp_text text = {0};
  printf("\n%s\n", list_kernels(&err, step, as_asked, &text) == WISP_OK ? text.data : err.text);
  wisp_text_free(&text);
}

static void add_choice(cJSON *kernels, const wisp_choice *choice)
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

void wisp_run_add_kernels(cJSON *object, const wisp_stage *step)
{
  cJSON *kernels = cJSON_AddArrayToObject(object, "kernels");
  for (int i = 0; i < step->kernels; i++) add_choice(kernels, &step->choice[i]);
}
