/* What was not measured: refused candidates by reason, and failures one by one. */
#include "report_parts.h"
#include "../../cache/store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One reason, whatever numbers stand in it. */
typedef struct refusal {
  char key[400];
  const char *example;
  char kernels[120];
  long long candidates;
  size_t kinds; /* trials that say so: one a strategy and layout */
} refusal;

/* The reason with each number as '#'. */
static void make_key(const char *why, char key[400])
{
  size_t used = 0;
  for (; *why && used < 399; why++) {
    bool digit = isdigit((unsigned char)*why);
    if (!digit)
      key[used++] = *why;
    else if (!used || key[used - 1] != '#')
      key[used++] = '#';
  }
  key[used] = '\0';
}

static void add_kernel(char list[120], const char *kernel)
{
  size_t used = strlen(list);
  if (strstr(list, kernel)) return;
  snprintf(list + used, 120 - used, "%s%s", used ? ", " : "", kernel);
}

static int by_candidates(const void *x, const void *y)
{
  const refusal *a = x, *b = y;
  if (a->candidates != b->candidates) return a->candidates < b->candidates ? 1 : -1;
  return strcmp(a->key, b->key);
}

/* Gathers the subject's refusals into list, which has room for one a trial. */
static size_t list_refusals(const wisp_report_subject *subject, refusal *list)
{
  size_t count = 0;
  for (size_t i = 0; i < subject->count; i++)
    for (size_t e = 0; e < subject->cells[i].count; e++) {
      const wisp_trial *t = subject->cells[i].entries[e].trial;
      if (wisp_trial_outcome(t) != WISP_TRIAL_REFUSED) continue;
      long long candidates;
      char key[400];
      const char *why = wisp_reason_candidates(t, &candidates);
      make_key(why, key);
      size_t at = 0;
      while (at < count && strcmp(list[at].key, key) != 0) at++;
      if (at == count) {
        memset(&list[count], 0, sizeof *list);
        memcpy(list[count].key, key, sizeof key);
        list[count++].example = why;
      }
      list[at].candidates += candidates;
      list[at].kinds++;
      add_kernel(list[at].kernels, subject->cells[i].spec.kernel);
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
  refusal *list = calloc(most, sizeof *list);
  if (!list) {
    if (page->status == WISP_OK) page->status = wisp_fail(page->err, WISP_EMEMORY, "out of memory: %zu refusals", most);
    return;
  }
  size_t count = list_refusals(subject, list);
  char number[WISP_NUMBER_TEXT];
  wisp_page_part(page, "refused", subject->number);
  for (size_t i = 0; i < count; i++) {
    wisp_page_print(page, "<tr><td class=\"n\">%s</td>", wisp_number(number, (double)list[i].candidates, 0));
    wisp_page_around(page, "<td class=\"w\">", list[i].example, "</td>");
    wisp_page_around(page, "<td class=\"m\">", list[i].kernels, "</td></tr>\n");
  }
  wisp_page_print(page, "</tbody></table></section>\n");
  free(list);
}

static bool is_failure(const wisp_trial *t)
{
  return !wisp_trial_is_right(t) && wisp_trial_outcome(t) != WISP_TRIAL_REFUSED;
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
  wisp_page_params(page, t);
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
      if (is_failure(subject->cells[i].entries[e].trial))
        print_failure(page, &subject->cells[i], subject->cells[i].entries[e].trial);
  wisp_page_print(page, "</tbody></table></section>\n");
}
