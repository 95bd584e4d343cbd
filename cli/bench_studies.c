/* wisp bench --accuracy and --paper: studies of a family, as tables or JSON. */
#include "cli.h"
#include "print.h"
#include "../tuner/trial/workload.h"

/* --- errors of single precision, from size to size */

typedef struct accuracy_printer {
  cJSON *list;                           /* NULL: text, as it comes */
  double before[WISP_ACCURACY_VARIANTS]; /* the last size's medians; 0: there was none */
} accuracy_printer;

static void print_accuracy(accuracy_printer *p, const wisp_accuracy *row)
{
  if (!(p->before[0] > 0)) {
    printf("%8s", "");
    for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) printf("  %-22s", row->variant[w]);
    printf("  published\n%8s", "nodes");
    for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) printf("  %7s %7s %6s", "mean", "median", "times");
    printf("  %9s\n", "mean");
  }
  printf("%8zu", row->nodes);
  for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) {
    char times[16] = "-";
    if (p->before[w] > 0) snprintf(times, sizeof times, "%.2f", row->median[w] / p->before[w]);
    printf("  %7.1e %7.1e %6s", row->mean[w], row->median[w], times);
    p->before[w] = row->median[w];
  }
  printf("  %9.1e\n", row->published);
  fflush(stdout);
}

/* A wisp_accuracy_row. */
static wisp_status take_accuracy(wisp_error *err, void *context, const wisp_accuracy *row)
{
  accuracy_printer *p = context;
  (void)err;
  if (!p->list) return print_accuracy(p, row), WISP_OK;
  for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) {
    const wisp_json_text variant = {"coordinates", row->variant[w]};
    const wisp_json_number numbers[] = {{"elements", (double)row->elements},
                                        {"nodes", (double)row->nodes},
                                        {"mean", row->mean[w]},
                                        {"median", row->median[w]},
                                        {"published_mean", row->published}};
    cJSON_AddItemToArray(p->list, wisp_json_object(1, &variant, WISP_COUNT(numbers), numbers));
  }
  return WISP_OK;
}

wisp_status wisp_bench_accuracy(wisp_error *err, const wisp_session *session, const char *family, long long most,
                                bool json)
{
  accuracy_printer p = {.list = NULL};
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, family, NULL, &workload));
  CALL(wisp_require(err, workload->accuracy, WISP_EUSAGE,
                    "the %s family has no study of single precision from size to size: leave --accuracy out", family));
  if (json) p.list = cJSON_CreateArray();
  const wisp_status status = workload->accuracy(err, session, most, take_accuracy, &p);
  if (status == WISP_OK && p.list) return wisp_json_put(err, p.list);
  cJSON_Delete(p.list);
  return status;
}

/* --- a published program's tables beside ours */

typedef struct paper_printer {
  cJSON *list; /* NULL: text, as it comes */
  int rows;
  char table[96];
} paper_printer;

/* Three digits that count, in nine columns. */
static void print_cell(double value)
{
  if (isfinite(value))
    printf(" %8.*f", value < 0.0995 ? 4 : value < 0.995 ? 3 : value < 9.95 ? 2 : value < 99.5 ? 1 : 0, value);
  else
    printf(" %8s", "-");
}

static void print_paper_row(paper_printer *p, const wisp_paper_row *row)
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

/* Adds the columns; a name that begins with + follows the name before it: "local + copy". */
static void add_columns(cJSON *to, const wisp_paper_row *row)
{
  char name[96] = "", before[96];
  for (size_t i = 0; i < row->columns; i++) {
    const char *own = row->column[i].name;
    const wisp_json_number numbers[] = {{"published", row->column[i].published}, {"ours", row->column[i].ours}};
    memcpy(before, name, sizeof name);
    snprintf(name, sizeof name, "%.63s%s%.31s", *own == '+' ? before : "", *own == '+' ? " " : "", own);
    cJSON_AddItemToObject(to, name, wisp_json_object(0, NULL, WISP_COUNT(numbers), numbers));
  }
}

/* A wisp_paper_take. */
static wisp_status take_paper_row(wisp_error *err, void *context, const wisp_paper_row *row)
{
  paper_printer *p = context;
  (void)err;
  p->rows++;
  if (!p->list) return print_paper_row(p, row), WISP_OK;
  const wisp_json_text table = {"table", row->table};
  const wisp_json_number numbers[] = {{"order", row->order}, {"elements", (double)row->elements}};
  cJSON *object = wisp_json_object(1, &table, WISP_COUNT(numbers), numbers);
  add_columns(object, row);
  cJSON_AddItemToArray(p->list, object);
  return WISP_OK;
}

wisp_status wisp_bench_paper(wisp_error *err, const wisp_session *session, const char *family,
                             const wisp_orders *orders, long long most, bool alone, cJSON *list)
{
  paper_printer p = {.list = list};
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, family, NULL, &workload));
  if (workload->paper)
    CALL(workload->paper(err, session, orders->list, (size_t)orders->count, most, take_paper_row, &p));
  return wisp_require(err, p.rows || !alone, WISP_EUSAGE,
                      "the %s family has no published tables of these orders: leave --paper out", family);
}
