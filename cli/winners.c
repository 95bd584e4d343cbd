#include "winners.h"
#include "table.h"
#include "terminal.h"
#include "../gen/family.h"
#include "../runtime/solve/current.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static wisp_status add(wisp_error *err, wisp_winners *w, const wisp_trial *trial)
{
  if (w->count == w->room) {
    size_t room = w->room ? 2 * w->room : 64;
    const wisp_trial **trials = realloc(w->trials, room * sizeof *trials);
    if (!trials) return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu winners", room);
    w->trials = trials;
    w->room = room;
  }
  w->trials[w->count++] = trial;
  return WISP_OK;
}

/* The winners of one order and precision: measured here, with today's kernel texts. */
static wisp_status find_order(wisp_error *err, wisp_winners *w, const wisp_today *today, const wisp_tune_request *r,
                              int order, wisp_precision precision)
{
  const wisp_family *family = wisp_family_find(r->family);
  wisp_spec spec = wisp_family_spec(family, order, r->system, precision);
  char text[WISP_SPEC_TEXT];
  bool step = false;
  for (int k = 0; !step; k++) {
    wisp_answer answer;
    step = !family->kernels[k].name;
    const char *kernel = step ? "step" : family->kernels[k].name;
    if (r->kernel && strcmp(r->kernel, kernel) != 0) continue;
    snprintf(spec.kernel, sizeof spec.kernel, "%s", kernel);
    wisp_spec_print(&spec, text);
    wisp_store_find(w->store, today->asker, text, r->layout, r->elements, wisp_is_of_today, today, &answer);
    if (!answer.trial || answer.match != WISP_MATCH_EXACT) continue;
    wisp_status status = add(err, w, answer.trial);
    if (status != WISP_OK) return status;
  }
  return WISP_OK;
}

wisp_status wisp_winners_find(wisp_error *err, const wisp_limits *limits, const wisp_tune_request *r, wisp_winners *out)
{
  wisp_status status = WISP_OK;
  wisp_winners w = {0};
  wisp_asker asker = wisp_limits_asker(limits);
  wisp_strategies *strategies = NULL;
  TRY(wisp_strategies_load(err, &strategies));
  TRY(wisp_store_open(err, r->db, true, NULL, &w.store));
  const wisp_today today = {strategies, w.store, &asker};
  for (size_t i = 0; i < r->order_count; i++)
    for (size_t p = 0; p < r->precision_count; p++) TRY(find_order(err, &w, &today, r, r->orders[i], r->precisions[p]));
  *out = w;
done:
  wisp_strategies_free(strategies);
  if (status != WISP_OK) wisp_winners_free(&w);
  return status;
}

static wisp_status add_row(wisp_error *err, wisp_table *table, const wisp_trial *t)
{
  wisp_spec spec;
  char order[12], numbers[4][24], who[sizeof t->strategy + sizeof t->params + 1];
  if (wisp_spec_parse(NULL, t->spec, &spec) != WISP_OK) return WISP_OK;
  snprintf(order, sizeof order, "%d", spec.order);
  snprintf(numbers[0], sizeof numbers[0], "%.4f", t->ms);
  snprintf(numbers[1], sizeof numbers[1], "%.2f", t->gdofs);
  snprintf(numbers[2], sizeof numbers[2], "%.1f", t->gbps);
  snprintf(numbers[3], sizeof numbers[3], "%.2f", t->efficiency);
  snprintf(who, sizeof who, "%s%s%s", t->strategy, *t->params ? " " : "", t->params);
  const char *const cells[] = {order,       wisp_precision_name(spec.precision),
                               spec.kernel, t->layout,
                               numbers[0],  numbers[1],
                               numbers[2],  numbers[3],
                               who};
  return wisp_table_add(err, table, cells);
}

wisp_status wisp_winners_print(wisp_error *err, const char *device, const wisp_winners *w)
{
  static const wisp_column columns[] = {{"N", true},       {"prec", false}, {"kernel", false},
                                        {"layout", false}, {"ms", true},    {"GDOF/s", true},
                                        {"GB/s", true},    {"eff.", true},  {"strategy and parameters", false}};
  wisp_status status = WISP_OK;
  wisp_table *table = NULL;
  wisp_text text = {0};
  TRY(wisp_table_create(err, device, WISP_COUNT(columns), columns, &table));
  for (size_t i = 0; i < w->count; i++) TRY(add_row(err, table, w->trials[i]));
  if (w->count) TRY(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("\n%s", w->count ? text.data : device);
  if (!w->count) printf("\n");
done:
  wisp_text_free(&text);
  wisp_table_destroy(table);
  return status;
}

void wisp_winners_free(wisp_winners *w)
{
  wisp_store_close(w->store);
  free(w->trials);
  *w = (wisp_winners){0};
}
