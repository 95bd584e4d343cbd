/* wisp bench --accuracy: what single precision loses from size to size, as a table or JSON. */
#include "bench_accuracy.h"
#include "print.h"
#include "../tuner/trial/accuracy.h"

#include <math.h>
#include <stdio.h>

typedef struct printer {
  cJSON *list;                           /* NULL: text, as it comes */
  double before[WISP_ACCURACY_VARIANTS]; /* the last size's medians; 0: there was none */
} printer;

static void print_heading(const wisp_accuracy *row)
{
  printf("%8s", "");
  for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) printf("  %-22s", row->variant[w]);
  printf("  published\n%8s", "nodes");
  for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) printf("  %7s %7s %6s", "mean", "median", "times");
  printf("  %9s\n", "mean");
}

static void print_row(printer *p, const wisp_accuracy *row)
{
  if (!(p->before[0] > 0)) print_heading(row);
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
static wisp_status take(wisp_error *err, void *context, const wisp_accuracy *row)
{
  printer *p = context;
  (void)err;
  if (!p->list) return print_row(p, row), WISP_OK;
  for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) {
    cJSON *object = cJSON_CreateObject();
    const wisp_json_text variant = {"coordinates", row->variant[w]};
    const wisp_json_number numbers[] = {{"elements", (double)row->elements},
                                        {"nodes", (double)row->nodes},
                                        {"mean", row->mean[w]},
                                        {"median", row->median[w]},
                                        {"published_mean", row->published}};
    wisp_json_add_texts(object, 1, &variant);
    wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
    cJSON_AddItemToArray(p->list, object);
  }
  return WISP_OK;
}

wisp_status wisp_bench_accuracy(wisp_error *err, const wisp_session *session, const char *family, long long most,
                                bool json)
{
  printer p = {.list = json ? cJSON_CreateArray() : NULL};
  const wisp_status status = wisp_accuracy_study(err, session, family, most, take, &p);
  if (status == WISP_OK && p.list) return wisp_json_put(err, p.list);
  cJSON_Delete(p.list);
  return status;
}
