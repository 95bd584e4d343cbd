#include "winners.h"
#include "table.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static wisp_status add(wisp_error *err, wisp_winners *w, const wisp_trial *trial)
{
  CALL(wisp_grow(err, &w->trials, &w->room, w->count + 1, sizeof *w->trials));
  w->trials[w->count++] = trial;
  return WISP_OK;
}

/* The winner of one kernel, if it was measured here with today's texts. */
static wisp_status find(wisp_error *err, wisp_winners *w, const wisp_chooser *from, const wisp_wish *wish)
{
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  CALL(wisp_choose_if_any(err, from, wish, &stage));
  const wisp_choice *c = &stage.whole;
  if (c->trial && c->match == WISP_MATCH_EXACT && !c->stale) CALL(add(err, w, c->trial));
  return WISP_OK;
}

/* Of one order and precision: kernel after kernel, and the whole stage. */
static wisp_status find_order(wisp_error *err, wisp_winners *w, const wisp_chooser *from, const wisp_tune_request *r,
                              wisp_wish *wish)
{
  const wisp_kernel_decl *k = wisp_family_find(r->family)->kernels;
  for (bool more = true; more; k++) {
    more = k->name != NULL;
    const char *kernel = more ? k->name : WISP_WHOLE_STEP;
    wisp_spec_name_kernel(&wish->spec, kernel);
    if (!r->kernel || strcmp(r->kernel, kernel) == 0) CALL(find(err, w, from, wish));
  }
  return WISP_OK;
}

wisp_status wisp_winners_find(wisp_error *err, const wisp_limits *limits, const wisp_tune_request *r, wisp_winners *out)
{
  HELD(wisp_winners_free) wisp_winners w = {0};
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  CALL(wisp_session_read(err, &(wisp_session_request){.store = r->db}, true, &w.session));
  const wisp_chooser from = {w.session->strategies, w.session->store, limits, &scopes};
  for (size_t i = 0; i < r->order_count * r->precision_count; i++) {
    const int order = r->orders[i / r->precision_count];
    const wisp_precision precision = r->precisions[i % r->precision_count];
    wisp_wish wish = {.spec = wisp_family_spec(wisp_family_find(r->family), order, r->system, precision),
                      .layout = r->layout,
                      .elements = r->elements};
    if (r->element) wisp_spec_name_element(&wish.spec, r->element);
    CALL(find_order(err, &w, &from, r, &wish));
  }
  return GIVE(w, out);
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
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_table_create(err, device, WISP_COUNT(columns), columns, &table));
  for (size_t i = 0; i < w->count; i++) CALL(add_row(err, table, w->trials[i]));
  if (w->count) CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("\n%s", w->count ? text.data : device);
  if (!w->count) printf("\n");
  return WISP_OK;
}

void wisp_winners_free(wisp_winners *w)
{
  wisp_session_close(w->session);
  free(w->trials);
  *w = (wisp_winners){0};
}
