/* A subject's winners beside those of another store, card or day. */
#include "report_html.h"

#include <math.h>
#include <string.h>

/* The same kernel, order and precision there; NULL: it has no winner. */
static const wisp_report_cell *find_then(const wisp_report_subject *subject, const wisp_report_cell *cell)
{
  for (size_t i = 0; i < subject->then_count; i++) {
    const wisp_report_cell *then = &subject->then[i];
    if (wisp_spec_orders(&then->spec, &cell->spec) == 0 && strcmp(then->spec.kernel, cell->spec.kernel) == 0)
      return then->best ? then : NULL;
  }
  return NULL;
}

static const char *name_change(const wisp_trial *now, const wisp_trial *then)
{
  if (strcmp(now->strategy, then->strategy) != 0) return then->strategy;
  const bool same = strcmp(now->layout, then->layout) == 0 && strcmp(now->params, then->params) == 0;
  return same ? "the same" : "other parameters";
}

static void print_pair(wisp_page *page, const wisp_report_cell *cell, const wisp_trial *then)
{
  const wisp_trial *now = cell->best;
  wisp_page_print(page, "<tr class=\"%s\">", wisp_spec_is_composition(&cell->spec) ? "in whole" : "in");
  wisp_page_print(page, "<td class=\"n\">%d</td><td>%s</td>", cell->spec.order,
                  wisp_precision_name(cell->spec.precision));
  wisp_page_around(page, "<td class=\"k\">", cell->spec.kernel, "</td>");
  wisp_page_around(page, "<td class=\"s\">", now->strategy, "</td>");
  wisp_page_number(page, now->gdofs, 4);
  wisp_page_number(page, then->gdofs, 4);
  wisp_page_number(page, now->gdofs / then->gdofs, 3);
  wisp_page_around(page, "<td class=\"w\">", name_change(now, then), "</td></tr>\n");
}

void wisp_report_compare(wisp_page *page, const wisp_report_subject *subject)
{
  double logs = 0;
  int known = 0;
  if (!subject->against) return;
  wisp_page_print(page, "<section><h2>Compared</h2>\n<table class=\"winners\"><thead><tr><th><i>N</i></th><th></th>"
                        "<th>kernel</th><th>strategy</th><th class=\"n\">GDOF/s</th>");
  wisp_page_around(page, "<th class=\"n\">", subject->against, "</th>");
  wisp_page_print(page, "<th class=\"n\">ratio</th><th>there</th></tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < subject->count; i++) {
    const wisp_report_cell *cell = &subject->cells[i], *then = cell->best ? find_then(subject, cell) : NULL;
    if (!then || !(cell->best->gdofs > 0) || !(then->best->gdofs > 0)) continue;
    print_pair(page, cell, then->best);
    logs += log(cell->best->gdofs / then->best->gdofs), known++;
  }
  wisp_page_print(page, "</tbody></table>\n");
  if (known)
    wisp_page_print(page, "<p class=\"note\">%.2f times as fast, geometric mean of %d.</p>\n", exp(logs / known),
                    known);
  wisp_page_print(page, "</section>\n");
}
