/* Plots of a kernel's strategies, or a stage's compositions, one line each: over the order, and over the size. */
#include "report_html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 540, HEIGHT = 330, MOST_LINES = 16, MOST_POINTS = 64 };

/* What one plot is of. order 0: over the order; else over the size, at this one. */
typedef struct subject_plot {
  const wisp_report_subject *subject;
  const char *kernel;
  wisp_precision precision;
  int order;
} subject_plot;

/* A trial's place along the plot, NaN: it does not belong to it. */
static double place_of(const subject_plot *p, const wisp_report_cell *cell, const wisp_trial *t)
{
  const bool there = strcmp(cell->spec.kernel, p->kernel) == 0 && cell->spec.precision == p->precision;
  if (!there || (p->order && cell->spec.order != p->order)) return NAN;
  if (!p->order) return wisp_report_timed(cell, t) ? (double)cell->spec.order : (double)NAN;
  return wisp_trial_outcome(t) == WISP_TRIAL_OK && t->ms > 0 && t->elements > 0 ? (double)t->elements : (double)NAN;
}

typedef struct line {
  const char *name;
  size_t count;
  struct {
    double at;
    const wisp_trial *best;
  } point[MOST_POINTS]; /* ascending */
} line;

static void add_point(line *l, double at, const wisp_trial *t)
{
  size_t i = 0;
  while (i < l->count && l->point[i].at < at) i++;
  if (i < l->count && l->point[i].at <= at) {
    if (t->gdofs > l->point[i].best->gdofs) l->point[i].best = t;
  } else if (l->count < MOST_POINTS) {
    memmove(&l->point[i + 1], &l->point[i], (l->count - i) * sizeof *l->point);
    l->count++, l->point[i].at = at, l->point[i].best = t;
  }
}

/* The fastest of each strategy at each place. */
static size_t find_lines(const subject_plot *p, line *lines)
{
  size_t count = 0;
  for (size_t c = 0; c < p->subject->count; c++)
    for (size_t e = 0; e < p->subject->cells[c].count; e++) {
      const wisp_trial *t = p->subject->cells[c].entries[e].trial;
      const double at = place_of(p, &p->subject->cells[c], t);
      size_t i = 0;
      if (isnan(at) || !(t->gdofs > 0)) continue;
      while (i < count && strcmp(lines[i].name, t->strategy) != 0) i++;
      if (i == MOST_LINES) continue;
      if (i == count) lines[count++] = (line){.name = t->strategy};
      add_point(&lines[i], at, t);
    }
  return count;
}

static void print_line(wisp_page *page, const line *l, const char *colour, const wisp_axis *x, const wisp_axis *y)
{
  wisp_page_print(page, "<path class=\"c\" stroke=\"%s\" d=\"", colour);
  for (size_t i = 0; i < l->count; i++)
    wisp_page_print(page, "%c%.1f,%.1f ", i ? 'L' : 'M', wisp_axis_place(x, l->point[i].at),
                    wisp_axis_place(y, l->point[i].best->gdofs));
  wisp_page_print(page, "\"/>\n");
  for (size_t i = 0; i < l->count; i++) {
    const wisp_trial *t = l->point[i].best;
    wisp_page_print(page, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"><title>",
                    wisp_axis_place(x, l->point[i].at), wisp_axis_place(y, t->gdofs), colour);
    wisp_page_around(page, "", l->name, " ");
    wisp_page_text(page, t->params);
    wisp_page_print(page, ": %.4g ms, %.4g GDOF/s, %lld elements</title></circle>\n", t->ms, t->gdofs,
                    (long long)t->elements);
  }
}

static void print_legend(wisp_page *page, const line *lines, size_t count)
{
  wisp_page_print(page, "<p class=\"legend\">");
  for (size_t i = 0; i < count; i++) {
    wisp_page_print(page, "<span><b style=\"background:%s\"></b>", wisp_colour(i));
    wisp_page_around(page, "", lines[i].name, "</span> ");
  }
  wisp_page_print(page, "</p>\n");
}

/* Nothing where there is nothing to compare: one line over the order, or one size. */
static void print_plot(wisp_page *page, const subject_plot *p)
{
  line lines[MOST_LINES];
  char title[96], order[24] = "";
  double least = INFINITY, most = 0, top = 0, low = INFINITY;
  const size_t count = find_lines(p, lines);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < lines[i].count; k++) {
      least = fmin(least, lines[i].point[k].at), most = fmax(most, lines[i].point[k].at);
      top = fmax(top, lines[i].point[k].best->gdofs), low = fmin(low, lines[i].point[k].best->gdofs);
    }
  if (p->order ? !(most > least) : count < 2) return;
  const wisp_axis x = p->order ? wisp_axis_over(least, most, true, 48, WIDTH - 12)
                               : (wisp_axis){least - 0.3, most + 0.3, 48, WIDTH - 12, false};
  const wisp_axis y = wisp_axis_over(low, top, true, HEIGHT - 40, 46);
  if (p->order) snprintf(order, sizeof order, ", N = %d", p->order);
  snprintf(title, sizeof title, "%s%s, %s", p->kernel, order, wisp_precision_name(p->precision));
  wisp_page_print(page, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"strategies over the %s\">\n",
                  WIDTH, HEIGHT, p->order ? "size" : "order");
  wisp_page_frame_title(page, &x, &y, title);
  wisp_page_grid_y(page, &y, &x, "GDOF/s");
  wisp_page_grid_x(page, &x, &y, p->order ? "elements" : "order");
  for (size_t i = 0; i < count; i++) print_line(page, &lines[i], wisp_colour(i), &x, &y);
  wisp_page_print(page, "</svg>");
  print_legend(page, lines, count);
  wisp_page_print(page, "</figure>\n");
}

void wisp_report_strategies(wisp_page *page, const wisp_report_subject *subject)
{
  static const wisp_precision precisions[] = {WISP_F32, WISP_F64};
  wisp_page_part(page, "strategies", subject->number);
  wisp_page_print(page, "<div class=\"two\">\n");
  for (size_t c = 0; c < subject->count; c++) {
    const wisp_spec *spec = &subject->cells[c].spec;
    bool seen = false;
    for (size_t b = 0; b < c; b++) seen |= strcmp(subject->cells[b].spec.kernel, spec->kernel) == 0;
    for (size_t p = 0; !seen && p < WISP_COUNT(precisions); p++)
      print_plot(page, &(subject_plot){subject, spec->kernel, precisions[p], 0});
    print_plot(page, &(subject_plot){subject, spec->kernel, spec->precision, spec->order});
  }
  wisp_page_print(page, "</div></section>\n");
}
