/* The tables: winners, for each precision one by order and kernel; what was refused, and what failed. */
#include "report_html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
  char other[32], found[32];
  while (wisp_next_param(&params, other, found))
    if (strcmp(other, name) == 0) return strcmp(found, value) == 0;
  return false;
}

/* Prints the parameters, those that the family shows first, without those that `known` has already (NULL: all). */
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

static void print_trial_params(wisp_page *page, const wisp_trial *t)
{
  print_params(page, shown_by(t), t->params, NULL);
}

/* The floor's share of the time, as a number and a bar; and what sets the floor. */
static void print_efficiency(wisp_page *page, double efficiency, const char *by)
{
  if (!isfinite(efficiency)) {
    wisp_page_number(page, NAN, 0);
    return;
  }
  double percent = fmin(fmax(100 * efficiency, 0), 100);
  wisp_page_print(page,
                  "<td class=\"e\"><span class=\"n\">%.0f&#8201;%%</span><span class=\"bar\"><span "
                  "style=\"width:%.0f%%\"></span></span> ",
                  100 * efficiency, percent);
  wisp_page_text(page, by);
  wisp_page_print(page, "</td>");
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

/* Prints how many times as long as a winner something takes; a dash where it is not known. What seems faster was timed
 * at another moment. */
static void print_ratio(wisp_page *page, double ratio)
{
  char number[WISP_NUMBER_TEXT];
  if (isfinite(ratio))
    wisp_page_print(page, "<td class=\"n\">%s&#8201;×</td>", ratio >= 1 ? wisp_number(number, ratio, 3) : "≈&#8201;1");
  else
    wisp_page_number(page, NAN, 0);
}

/* The trial that a winner is compared with besides the default: the fastest of another strategy, or else of the same
 * one. */
static const wisp_trial *second_of(const wisp_report_cell *cell, const wisp_trial *winner)
{
  const wisp_trial *other = NULL, *same = NULL;
  for (size_t i = 0; i < cell->count; i++) {
    const wisp_trial *t = cell->entries[i].trial;
    if (t == winner || !wisp_report_seen(cell, t) || strcmp(t->layout, winner->layout) != 0) continue;
    const wisp_trial **place = strcmp(t->strategy, winner->strategy) == 0 ? &same : &other;
    if (!*place || t->ms < (*place)->ms) *place = t;
  }
  return other ? other : same;
}

/* Prints the ratio of the runner-up, and its difference from the winner. */
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
  print_trial_params(page, t);
  wisp_page_print(page, "</td>");
  wisp_page_number(page, t->ms, 4);
  wisp_page_number(page, t->gdofs, 4);
  print_efficiency(page, t->efficiency, t->floor);
  print_ratio(page, cell->default_ms / t->ms);
  print_second(page, t, second_of(cell, t));
  wisp_page_print(page, "</tr>\n");
}

/* One order: the fastest step and its kernels in its layout, then what is faster elsewhere or not part of it. */
static void print_order(wisp_page *page, const wisp_report_cell *cells, size_t count)
{
  bool any = false, stepped = false;
  for (size_t i = 0; i < count; i++) any |= cells[i].best != NULL, stepped |= cells[i].in_composition != NULL;
  if (!any) return;
  wisp_page_print(page, "<tbody><tr class=\"o\"><th colspan=\"10\" scope=\"rowgroup\"><i>N</i> = %d</th></tr>\n",
                  cells->spec.order);
  for (size_t i = 0; i < count; i++)
    if (cells[i].in_composition)
      print_row(page, &cells[i], cells[i].in_composition, cells[i].composition_remark,
                wisp_spec_is_composition(&cells[i].spec) ? "in whole" : "in");
  for (size_t i = 0; i < count; i++)
    if (cells[i].best && cells[i].best != cells[i].in_composition)
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

/* ---- What was not measured. */

/* One reason, whatever numbers stand in it. */
typedef struct refusal {
  const char *example;
  char kernels[120];
  long long candidates;
} refusal;

static int by_candidates(const void *x, const void *y)
{
  const refusal *a = x, *b = y;
  if (a->candidates != b->candidates) return a->candidates < b->candidates ? 1 : -1;
  return strcmp(a->example, b->example);
}

/* Gathers the subject's refusals into list, which has room for one a trial. */
static size_t list_refusals(const wisp_report_subject *subject, refusal *list)
{
  size_t count = 0;
  for (size_t i = 0; i < subject->count; i++)
    for (size_t e = 0; e < subject->cells[i].count; e++) {
      const wisp_trial *t = subject->cells[i].entries[e].trial;
      if (wisp_trial_outcome(t) != WISP_TRIAL_REFUSED) continue;
      size_t at = 0;
      while (at < count && !wisp_reason_alike(list[at].example, t->reason)) at++;
      if (at == count) list[count++] = (refusal){.example = t->reason};
      list[at].candidates += wisp_reason_candidates(t);
      char *kernels = list[at].kernels;
      const char *kernel = subject->cells[i].spec.kernel;
      const size_t used = strlen(kernels);
      if (!strstr(kernels, kernel))
        snprintf(kernels + used, sizeof list->kernels - used, "%s%s", used ? ", " : "", kernel);
    }
  qsort(list, count, sizeof *list, by_candidates);
  return count;
}

void wisp_report_refusals(wisp_page *page, const wisp_report_subject *subject)
{
  size_t most = 0;
  for (size_t i = 0; i < subject->count; i++) most += subject->cells[i].refused;
  wisp_page_print(page, "<section id=\"refused-%zu\"><h2>Refused</h2>\n", subject->number);
  if (!most) {
    wisp_page_print(page, "<p class=\"about\">No refused candidates are stored.</p></section>\n");
    return;
  }
  OWNED(free) refusal *list = NULL;
  if (page->status == WISP_OK) page->status = wisp_new(page->err, most, sizeof *list, &list);
  if (!list) return;
  size_t count = list_refusals(subject, list);
  char number[WISP_NUMBER_TEXT];
  wisp_page_part(page, "refused", subject->number);
  for (size_t i = 0; i < count; i++) {
    wisp_page_print(page, "<tr><td class=\"n\">%s</td>", wisp_number(number, (double)list[i].candidates, 0));
    wisp_page_around(page, "<td class=\"w\">", list[i].example, "</td>");
    wisp_page_around(page, "<td class=\"m\">", list[i].kernels, "</td></tr>\n");
  }
  wisp_page_print(page, "</tbody></table></section>\n");
}

static void print_failure(wisp_page *page, const wisp_report_cell *cell, const wisp_trial *t)
{
  wisp_page_around(page, "<tr><td><span class=\"tag\">", t->outcome, "</span></td>");
  wisp_page_around(page, "<td class=\"k\">", cell->spec.kernel, "</td>");
  wisp_page_print(page, "<td class=\"n\">%d</td><td>%s</td>", cell->spec.order,
                  wisp_precision_name(cell->spec.precision));
  wisp_page_around(page, "<td class=\"s\">", t->strategy, "</td>");
  wisp_page_around(page, "<td class=\"l\">", t->layout, "</td>");
  wisp_page_print(page, "<td class=\"w\">");
  print_trial_params(page, t);
  wisp_page_around(page, "</td><td class=\"w\">", t->reason, "</td></tr>\n");
}

void wisp_report_failures(wisp_page *page, const wisp_report_subject *subject)
{
  size_t bad = 0, others = 0;
  for (size_t i = 0; i < subject->count; i++) {
    bad += subject->cells[i].bad;
    others += subject->cells[i].slow + subject->cells[i].refused;
  }
  wisp_page_print(page, "<section id=\"failures-%zu\"><h2>Failures</h2>\n", subject->number);
  if (!bad) { /* a store of winners alone does not know */
    wisp_page_print(page, "<p class=\"about\">None stored%s.</p></section>\n",
                    others ? ": no candidate crashed, hung, failed to compile or computed a wrong result" : "");
    return;
  }
  wisp_page_part(page, "failures", subject->number);
  for (size_t i = 0; i < subject->count; i++)
    for (size_t e = 0; e < subject->cells[i].count; e++)
      if (wisp_trial_verdict(subject->cells[i].entries[e].trial) == WISP_VERDICT_FAILED)
        print_failure(page, &subject->cells[i], subject->cells[i].entries[e].trial);
  wisp_page_print(page, "</tbody></table></section>\n");
}
