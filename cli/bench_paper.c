#include "bench_paper.h"
#include "print.h"
#include "../tuner/trial/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct printer {
  cJSON *list; /* NULL: text, as it comes */
  int rows;
  char table[96];
} printer;

/* Three digits that count, in nine columns. */
static void print_cell(double value)
{
  if (isfinite(value))
    printf(" %8.*f", value < 0.0995 ? 4 : value < 0.995 ? 3 : value < 9.95 ? 2 : value < 99.5 ? 1 : 0, value);
  else
    printf(" %8s", "-");
}

static void print_row(printer *p, const wisp_paper_row *row)
{
  if (strcmp(p->table, row->table) != 0) {
    printf("\n%s (%s)\nN       ", row->table, row->units);
    for (size_t i = 0; i < row->columns; i++) printf(" %8s", row->column[i].name);
    printf("\n");
    snprintf(p->table, sizeof p->table, "%s", row->table);
  }
  printf("%-2d %-5s", row->order, row->published_by);
  for (size_t i = 0; i < row->columns; i++) print_cell(row->column[i].published);
  printf("\n%-2s %-5s", "", "ours");
  for (size_t i = 0; i < row->columns; i++) print_cell(row->column[i].ours);
  printf("\n");
  fflush(stdout);
}

/* Columns with what comes before them where their names begin with +: "local + copy". */
static void add_columns(cJSON *to, const wisp_paper_row *row)
{
  char name[96] = "", whole[128];
  for (size_t i = 0; i < row->columns; i++) {
    cJSON *both = cJSON_AddObjectToObject(to, "");
    const wisp_json_number numbers[] = {{"published", row->column[i].published}, {"ours", row->column[i].ours}};
    if (*row->column[i].name == '+')
      snprintf(whole, sizeof whole, "%s %s", name, row->column[i].name);
    else
      snprintf(whole, sizeof whole, "%s", row->column[i].name);
    snprintf(name, sizeof name, "%.95s", whole);
    wisp_json_add_numbers(both, WISP_COUNT(numbers), numbers);
    cJSON_AddItemToObject(to, whole, cJSON_DetachItemFromObjectCaseSensitive(to, ""));
  }
}

/* A wisp_paper_take. */
static wisp_status take(wisp_error *err, void *context, const wisp_paper_row *row)
{
  printer *p = context;
  (void)err;
  p->rows++;
  if (!p->list) return print_row(p, row), WISP_OK;
  cJSON *object = cJSON_CreateObject();
  wisp_json_add_texts(object, 1, &(wisp_json_text){"table", row->table});
  const wisp_json_number numbers[] = {{"order", row->order}, {"elements", (double)row->elements}};
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  add_columns(object, row);
  cJSON_AddItemToArray(p->list, object);
  return WISP_OK;
}

wisp_status wisp_bench_paper(wisp_error *err, const wisp_session *session, const char *family,
                             const wisp_orders *orders, long long most, bool alone, cJSON *list)
{
  printer p = {.list = list};
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, family, NULL, &workload));
  if (workload->paper) CALL(workload->paper(err, session, orders->list, (size_t)orders->count, most, take, &p));
  return wisp_require(err, p.rows || !alone, WISP_EUSAGE,
                      "the %s family has no published tables of these orders: leave --paper out", family);
}
