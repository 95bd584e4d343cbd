/* The parameter study of paper 0's Figure 10(b): time over (w_p, w_i, w_s), or over a strategy's own parameters, one
 * small plot a strategy. */
#include "report_html.h"
#include "../trial/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 356, HEIGHT = 262, PARAMS = 8, VALUES = 12 };

/* One parameter and the values that it takes. */
typedef struct parameter {
  char name[32];
  double values[VALUES];
  int count;
} parameter;

/* One strategy of a cell, in its best layout. */
typedef struct study {
  const wisp_report_cell *cell;
  size_t from, to; /* its entries */
  const wisp_trial *best;
  parameter params[PARAMS];
  int param_count;
  int across, series, shape; /* which parameter is the abscissa, the colour, the mark; -1: none */
} study;

static const char *const marks[] = {"●", "■", "▲", "◆"}; /* templates/report/marks.html draws them */
enum { MARKS = WISP_COUNT(marks) };

static bool shown(const study *s, const wisp_trial *t)
{
  return wisp_report_seen(s->cell, t) && strcmp(t->layout, s->best->layout) == 0;
}

static void add_value(parameter *p, double value)
{
  int at = 0;
  while (at < p->count && p->values[at] < value) at++;
  if ((at < p->count && p->values[at] == value) || p->count == VALUES) return;
  memmove(&p->values[at + 1], &p->values[at], (size_t)(p->count - at) * sizeof *p->values);
  p->values[at] = value;
  p->count++;
}

static void list_params(study *s)
{
  char name[32], value[32];
  for (size_t i = s->from; i < s->to; i++) {
    const wisp_trial *t = s->cell->entries[i].trial;
    const char *at = t->params;
    if (!shown(s, t)) continue;
    while (wisp_next_param(&at, name, value)) {
      int p = 0;
      while (p < s->param_count && strcmp(s->params[p].name, name) != 0) p++;
      if (p == PARAMS) continue;
      if (p == s->param_count) memcpy(s->params[s->param_count++].name, name, sizeof name);
      add_value(&s->params[p], strtod(value, NULL));
    }
  }
}

/* The i-th parameter that the family shows, if it varies, else the one with the most values, of those not taken yet. */
static int choose(const study *s, int i, int taken, int taken_too)
{
  const wisp_family *family = wisp_family_find(s->cell->spec.family);
  char name[32];
  int most = -1;
  wisp_list_at(family ? family->shown : NULL, i, name);
  for (int p = 0; p < s->param_count; p++) {
    if (p == taken || p == taken_too || s->params[p].count < 2) continue;
    if (strcmp(s->params[p].name, name) == 0) return p;
    if (most < 0 || s->params[p].count > s->params[most].count) most = p;
  }
  return most;
}

/* Which of its values the parameter p has in this trial; 0 where it has none. */
static int value_of(const study *s, const wisp_trial *t, int p)
{
  char name[32], value[32];
  const char *at = t->params;
  while (p >= 0 && wisp_next_param(&at, name, value)) {
    if (strcmp(name, s->params[p].name) != 0) continue;
    double number = strtod(value, NULL);
    for (int v = 0; v < s->params[p].count; v++)
      if (s->params[p].values[v] == number) return v;
  }
  return 0;
}

static int values_of(const study *s, int p)
{
  return p < 0 ? 1 : s->params[p].count;
}

/* Values of the abscissa stand evenly; within one, colours and then marks stand side by side. */
static void print_points(wisp_page *page, const study *s, const wisp_axis *x, const wisp_axis *y)
{
  const double step = (x->to - x->from) / values_of(s, s->across);
  const double lanes = values_of(s, s->series) * values_of(s, s->shape);
  for (int v = 0; v < values_of(s, s->series); v++) {
    wisp_page_print(page, "<g fill=\"%s\">", wisp_colour((size_t)v));
    for (size_t i = s->from; i < s->to; i++) {
      const wisp_trial *t = s->cell->entries[i].trial;
      if (!shown(s, t) || value_of(s, t, s->series) != v) continue;
      const int shape = value_of(s, t, s->shape);
      const double lane = v * values_of(s, s->shape) + shape, within = 0.72 * ((lane + 0.5) / lanes - 0.5);
      const double left = x->from + step * (value_of(s, t, s->across) + 0.5 + within), top = wisp_axis_place(y, t->ms);
      if (t == s->best) wisp_page_print(page, "<circle class=\"best\" cx=\"%.1f\" cy=\"%.1f\" r=\"6.5\"/>", left, top);
      wisp_page_print(page, "<use href=\"#mark-%d\" x=\"%.1f\" y=\"%.1f\"%s><title>", shape % MARKS, left, top,
                      wisp_trial_outcome(t) == WISP_TRIAL_SLOW ? " fill-opacity=\".5\"" : "");
      wisp_page_text(page, t->params);
      wisp_page_print(page, ": %.4g ms</title></use>\n", t->ms);
    }
    wisp_page_print(page, "</g>\n");
  }
}

static void print_abscissa(wisp_page *page, const study *s, const wisp_axis *x, const wisp_axis *y)
{
  double step = (x->to - x->from) / values_of(s, s->across);
  wisp_page_line(page, "b", x->from, y->from, x->to, y->from);
  if (s->across < 0) return;
  for (int v = 0; v < s->params[s->across].count; v++) {
    char value[WISP_NUMBER_TEXT];
    snprintf(value, sizeof value, "%g", s->params[s->across].values[v]);
    if (v) wisp_page_line(page, "g", x->from + v * step, y->from, x->from + v * step, y->to);
    wisp_page_label(page, "t", x->from + (v + 0.5) * step, y->from + 15, "middle", value);
  }
}

/* "w_p across, w_i ● 1 ● 2, w_s ● 1 ■ 2". */
static void print_key(wisp_page *page, const study *s)
{
  wisp_page_print(page, "<figcaption>");
  if (s->across < 0)
    wisp_page_print(page, "<span>one candidate</span>");
  else {
    wisp_page_print(page, "<span>across: ");
    wisp_page_param_name(page, s->params[s->across].name);
    wisp_page_print(page, "</span> ");
  }
  for (int pass = 0; pass < 2; pass++) {
    int p = pass == 0 ? s->series : s->shape;
    if (p < 0) continue;
    wisp_page_print(page, "<span>");
    wisp_page_param_name(page, s->params[p].name);
    for (int v = 0; v < s->params[p].count; v++)
      wisp_page_print(page, " &#160;<b style=\"color:%s\">%s</b>&#8201;%g",
                      pass == 0 ? wisp_colour((size_t)v) : "#66707a", pass == 0 ? "●" : marks[v % MARKS],
                      s->params[p].values[v]);
    wisp_page_print(page, "</span> ");
  }
  wisp_page_print(page, "</figcaption>");
}

static void print_plot(wisp_page *page, const study *s, double least, double most)
{
  char title[192];
  wisp_axis x = {0, 1, 44, WIDTH - 6, false}, y = wisp_axis_over(least, most, true, HEIGHT - 22, 46);
  double winner = wisp_axis_place(&y, s->cell->best->ms), floor_ms = s->cell->best->ms * s->cell->best->efficiency;
  snprintf(title, sizeof title, "%s, %s", s->best->strategy, s->best->layout);
  wisp_page_figure(page, WIDTH, HEIGHT, "time over parameters", &x, &y, title, "ms");
  print_abscissa(page, s, &x, &y);
  wisp_page_line(page, "win", x.from, winner, x.to, winner);
  if (floor_ms >= y.low && floor_ms <= y.high)
    wisp_page_line(page, "floor", x.from, wisp_axis_place(&y, floor_ms), x.to, wisp_axis_place(&y, floor_ms));
  print_points(page, s, &x, &y);
  wisp_page_print(page, "</svg>");
  print_key(page, s);
  wisp_page_print(page, "</figure>\n");
}

/* Takes the next strategy of the cell that has times, from entry `at` on; false at the end. */
static bool next_study(const wisp_report_cell *cell, size_t *at, study *s)
{
  while (*at < cell->count) {
    *s = (study){.cell = cell, .from = *at};
    const char *strategy = cell->entries[*at].trial->strategy;
    for (; *at < cell->count && strcmp(cell->entries[*at].trial->strategy, strategy) == 0; ++*at) {
      const wisp_trial *t = cell->entries[*at].trial;
      if (wisp_report_seen(cell, t) && (!s->best || t->ms < s->best->ms)) s->best = t;
    }
    s->to = *at;
    if (!s->best) continue;
    list_params(s);
    s->across = choose(s, 0, -1, -1);
    s->series = choose(s, 1, s->across, -1);
    s->shape = choose(s, 2, s->across, s->series);
    return true;
  }
  return false;
}

/* Prints how much slower a random choice is: paper 0 asks this of its figure. */
static void print_spread(wisp_page *page, const wisp_report_cell *cell)
{
  double *times = calloc(cell->count, sizeof *times);
  char median[WISP_NUMBER_TEXT], last[WISP_NUMBER_TEXT];
  size_t count = 0;
  study s;
  for (size_t at = 0; times && next_study(cell, &at, &s);)
    for (size_t i = s.from; i < s.to; i++)
      if (shown(&s, cell->entries[i].trial)) times[count++] = cell->entries[i].trial->ms;
  if (count > 1) {
    qsort(times, count, sizeof *times, wisp_measure_order);
    wisp_page_print(page,
                    "%zu candidates, each strategy in its best layout: the median takes %s times the best one's "
                    "time, the slowest %s times. ",
                    count, wisp_number(median, times[count / 2] / times[0], 3),
                    wisp_number(last, times[count - 1] / times[0], 3));
  }
  free(times);
}

static void print_study(wisp_page *page, const wisp_report_subject *subject, const wisp_report_cell *cell)
{
  study s;
  double least = cell->best->ms, most = 0;
  double floor_ms = cell->best->ms * cell->best->efficiency;
  for (size_t at = 0; next_study(cell, &at, &s);)
    for (size_t i = s.from; i < s.to; i++)
      if (shown(&s, cell->entries[i].trial)) most = fmax(most, cell->entries[i].trial->ms);
  if (floor_ms > 0.4 * least && floor_ms < least) least = floor_ms;
  wisp_page_print(page, "<div class=\"study%s\" id=\"study-%zu\"><h3>", cell->front ? " front" : "",
                  subject->first + (size_t)(cell - subject->cells));
  wisp_page_text(page, cell->spec.kernel);
  wisp_page_print(page, ", <i>N</i> = %d, %s</h3><p class=\"about\">", cell->spec.order,
                  wisp_precision_name(cell->spec.precision));
  print_spread(page, cell);
  wisp_page_print(page, "</p>\n<div class=\"three\">");
  for (size_t at = 0; next_study(cell, &at, &s);) print_plot(page, &s, least, most);
  wisp_page_print(page, "</div></div>\n");
}

static bool has_study(const wisp_report_cell *cell)
{
  return cell->best && !wisp_spec_is_composition(&cell->spec);
}

/* All studies by kernel, order and precision, to choose one from. */
static void print_index(wisp_page *page, const wisp_report_subject *subject)
{
  wisp_page_print(page, "<nav class=\"index\">");
  for (size_t i = 0; i < subject->count; i++) {
    const wisp_report_cell *cell = &subject->cells[i];
    bool seen = false;
    for (size_t j = 0; j < i; j++) seen |= strcmp(subject->cells[j].spec.kernel, cell->spec.kernel) == 0;
    if (seen || wisp_spec_is_composition(&cell->spec)) continue;
    wisp_page_around(page, "<div><b>", cell->spec.kernel, "</b>");
    for (size_t j = i; j < subject->count; j++) {
      const wisp_report_cell *other = &subject->cells[j];
      if (j == i || other->spec.precision != other[-1].spec.precision)
        wisp_page_print(page, "%s<span><em>%s</em>", j > i ? "</span>" : "",
                        wisp_precision_name(other->spec.precision));
      if (has_study(other) && strcmp(other->spec.kernel, cell->spec.kernel) == 0)
        wisp_page_print(page, " <a href=\"#study-%zu\">%d</a>", subject->first + j, other->spec.order);
    }
    wisp_page_print(page, "</span></div>\n");
  }
  wisp_page_print(page, "</nav>\n");
}

void wisp_report_studies(wisp_page *page, const wisp_report_subject *subject)
{
  bool any = false;
  for (size_t i = 0; i < subject->count; i++) any |= has_study(&subject->cells[i]);
  if (!any) return;
  wisp_page_part(page, "studies", subject->number);
  print_index(page, subject);
  for (size_t i = 0; i < subject->count; i++)
    if (has_study(&subject->cells[i])) print_study(page, subject, &subject->cells[i]);
  wisp_page_print(page, "</section>\n");
}
