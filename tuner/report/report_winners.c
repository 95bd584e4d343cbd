/* The winners: for each precision one table, by order and kernel. */
#include "report_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names of two letters, w_p and its kin, are symbols with an index, as in the papers; others are words. */
void wisp_page_param_name(wisp_page *page, const char *name)
{
  if (strlen(name) == 2)
    wisp_page_print(page, "<i>%c</i><sub>%c</sub>", name[0], name[1]);
  else
    wisp_page_text(page, name);
}

/* Whether the list has this name with this value. */
static bool has_param(const char *params, const char *name, const char *value)
{
  char other[32], its[32];
  while (wisp_next_param(&params, other, its))
    if (strcmp(other, name) == 0) return strcmp(its, value) == 0;
  return false;
}

/* What the family shows first is first; without what the list `known` says already (NULL: all). */
static void print_params(wisp_page *page, const char *shown, const char *params, const char *known)
{
  char name[32], value[32], first[32];
  bool more = true;
  for (int pass = 0; more; pass++) {
    more = wisp_list_at(shown, pass, first);
    for (const char *at = params; wisp_next_param(&at, name, value);) {
      const bool here = more ? strcmp(name, first) == 0 : !shown || !wisp_list_has(shown, name);
      if (!here || (known && has_param(known, name, value))) continue;
      wisp_page_print(page, "<span class=\"p\">");
      wisp_page_param_name(page, name);
      wisp_page_around(page, "&#8201;", value, "</span> ");
    }
  }
}

/* The parameters that a trial's family shows first. */
static const char *shown_by(const wisp_trial *t)
{
  wisp_spec spec;
  const wisp_family *family = wisp_spec_parse(NULL, t->spec, &spec) == WISP_OK ? wisp_family_find(spec.family) : NULL;
  return family ? family->shown : NULL;
}

void wisp_page_params(wisp_page *page, const wisp_trial *t)
{
  print_params(page, shown_by(t), t->params, NULL);
}

/* The floor's share of the time, as a number and a bar. */
static void print_efficiency(wisp_page *page, double efficiency)
{
  if (!isfinite(efficiency)) {
    wisp_page_print(page, "<td class=\"n\">–</td>");
    return;
  }
  double percent = fmin(fmax(100 * efficiency, 0), 100);
  wisp_page_print(page,
                  "<td class=\"e\"><span class=\"n\">%.0f&#8201;%%</span><span class=\"bar\"><span "
                  "style=\"width:%.0f%%\"></span></span></td>",
                  100 * efficiency, percent);
}

/* A composition may break after each '+', a name nowhere. */
static void print_strategy(wisp_page *page, const char *strategy)
{
  while (*strategy) {
    char word[sizeof((wisp_trial *)0)->strategy];
    size_t length = strcspn(strategy, "+");
    snprintf(word, sizeof word, "%.*s", (int)length, strategy);
    wisp_page_around(page, "<span class=\"z\">", word, "</span>");
    strategy += length;
    if (*strategy == '+') wisp_page_print(page, "&#8201;+<wbr/>&#8201;"), strategy++;
  }
}

/* How many times as long something else takes; a dash where that is not known. */
static void print_ratio(wisp_page *page, double ratio)
{
  if (isfinite(ratio))
    wisp_page_ratio(page, ratio);
  else
    wisp_page_print(page, "<td class=\"n\">–</td>");
}

/* How much longer the runner-up takes, and what it is. */
static void print_second(wisp_page *page, const wisp_trial *winner, const wisp_trial *other)
{
  print_ratio(page, other ? other->ms / winner->ms : NAN);
  wisp_page_print(page, "<td class=\"w\">");
  if (other && strcmp(other->strategy, winner->strategy) != 0)
    print_strategy(page, other->strategy);
  else if (other && strcmp(other->params, winner->params) != 0) /* the same strategy: what is different */
    print_params(page, shown_by(other), other->params, winner->params);
  else if (other)
    wisp_page_text(page, other->layout);
  wisp_page_print(page, "</td>");
}

static void print_row(wisp_page *page, const wisp_report_cell *cell, const wisp_trial *t, const char *remark,
                      const char *kind)
{
  wisp_page_print(page, "<tr class=\"%s\">", kind);
  wisp_page_around(page, "<td class=\"k\">", cell->spec.kernel, "</td><td class=\"s\">");
  print_strategy(page, t->strategy);
  wisp_page_print(page, "%s%s</td>", *remark ? ", " : "", remark);
  wisp_page_around(page, "<td class=\"l\">", t->layout, "</td><td class=\"w\">");
  wisp_page_params(page, t);
  wisp_page_print(page, "</td>");
  wisp_page_number(page, t->ms, 4);
  wisp_page_number(page, t->gdofs, 4);
  print_efficiency(page, t->efficiency);
  print_ratio(page, cell->default_ms / t->ms);
  print_second(page, t, wisp_report_second(cell, t));
  wisp_page_print(page, "</tr>\n");
}

/* One order: the fastest step and its kernels in its layout, then what is faster elsewhere or not part of it. */
static void print_order(wisp_page *page, const wisp_report_cell *cells, size_t count)
{
  bool any = false, stepped = false;
  for (size_t i = 0; i < count; i++) any |= cells[i].best != NULL, stepped |= cells[i].in_step != NULL;
  if (!any) return;
  wisp_page_print(page, "<tbody><tr class=\"o\"><th colspan=\"10\" scope=\"rowgroup\"><i>N</i> = %d</th></tr>\n",
                  cells->spec.order);
  for (size_t i = 0; i < count; i++)
    if (cells[i].in_step)
      print_row(page, &cells[i], cells[i].in_step, cells[i].step_remark,
                wisp_spec_is_step(&cells[i].spec) ? "in whole" : "in");
  for (size_t i = 0; i < count; i++)
    if (cells[i].best && cells[i].best != cells[i].in_step)
      print_row(page, &cells[i], cells[i].best, cells[i].remark, stepped ? "out" : "in");
  wisp_page_print(page, "</tbody>\n");
}

void wisp_report_winners(wisp_page *page, const wisp_report_subject *subject)
{
  wisp_page_part(page, "winners", subject->number);
  for (size_t i = 0; i < subject->count;) {
    size_t order_end = i;
    bool opens = i == 0 || subject->cells[i].spec.precision != subject->cells[i - 1].spec.precision;
    if (opens) {
      wisp_page_print(page, "%s<h3>%s</h3>\n", i ? "</table>\n" : "",
                      wisp_precision_name(subject->cells[i].spec.precision));
      wisp_page_part(page, "winners-table", subject->number);
    }
    while (order_end < subject->count && wisp_report_same_order(&subject->cells[order_end], &subject->cells[i]))
      order_end++;
    print_order(page, &subject->cells[i], order_end - i);
    i = order_end;
  }
  wisp_page_part(page, "winners-end", subject->number);
}
