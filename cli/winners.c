#include "winners.h"
#include "../gen/family.h"
#include "../runtime/solve/current.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    step = !family->kernels[k];
    const char *kernel = step ? "step" : family->kernels[k];
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
  wisp_store_show(w.store);
  const wisp_today today = {strategies, w.store, &asker};
  for (size_t i = 0; i < r->order_count; i++)
    for (size_t p = 0; p < r->precision_count; p++) TRY(find_order(err, &w, &today, r, r->orders[i], r->precisions[p]));
  *out = w;
  w = (wisp_winners){0};
done:
  wisp_strategies_free(strategies);
  wisp_winners_free(&w);
  return status;
}

/* Of the column that their names stand in. */
static int kernel_width(const wisp_winners *w)
{
  size_t width = 10;
  for (size_t i = 0; i < w->count; i++) {
    wisp_spec spec;
    if (wisp_spec_parse(NULL, w->trials[i]->spec, &spec) != WISP_OK) continue;
    width = strlen(spec.kernel) > width ? strlen(spec.kernel) : width;
  }
  return (int)width;
}

void wisp_winners_print(const wisp_winners *w)
{
  const int width = kernel_width(w);
  if (w->count)
    printf("%-2s %-4s %-*s %-18s %-20s %9s %8s %8s %5s  %s\n", "N", "", width, "kernel", "layout", "strategy", "ms",
           "GDOF/s", "GB/s", "eff.", "parameters");
  for (size_t i = 0; i < w->count; i++) {
    const wisp_trial *t = w->trials[i];
    wisp_spec spec;
    if (wisp_spec_parse(NULL, t->spec, &spec) != WISP_OK) continue;
    printf("%-2d %-4s %-*s %-18s %-20s %9.4f %8.2f %8.1f %5.2f  %s\n", spec.order, wisp_precision_name(spec.precision),
           width, spec.kernel, t->layout, t->strategy, t->ms, t->gdofs, t->gbps, t->efficiency, t->params);
  }
}

void wisp_winners_free(wisp_winners *w)
{
  wisp_store_close(w->store);
  free(w->trials);
  *w = (wisp_winners){0};
}
