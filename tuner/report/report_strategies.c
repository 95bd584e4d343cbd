/* Plots of a kernel's strategies, or a stage's compositions, one line each: over the order, and over the size. A
 * kernel that does what a stage does has its strategies among the compositions. What moves the same bytes without the
 * arithmetic is dashed beside each. */
#include "report_html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 540, HEIGHT = 330, MOST_LINES = 48, MOST_POINTS = 64 };

/* What one plot is of. order 0: over the order; else over the size, at this one. */
typedef struct subject_plot {
  const wisp_report_subject *subject;
  const char *kernel;
  wisp_precision precision;
  int order;
} subject_plot;

/* A kernel that does what the stage does that the plot is of. */
static bool is_whole(const subject_plot *p, const wisp_report_cell *cell)
{
  const wisp_family *family = wisp_family_find(cell->spec.family);
  return strcmp(p->kernel, WISP_COMPOSITION) == 0 && family && family->composition_kernel &&
         strcmp(cell->spec.kernel, family->composition_kernel) == 0;
}

/* A trial's place along the plot, NaN: it does not belong to it. */
static double place_of(const subject_plot *p, const wisp_report_cell *cell, const wisp_trial *t)
{
  const bool there =
      (strcmp(cell->spec.kernel, p->kernel) == 0 || is_whole(p, cell)) && cell->spec.precision == p->precision;
  if (!there || (p->order && cell->spec.order != p->order)) return NAN;
  if (!p->order) return wisp_report_timed(cell, t) ? (double)cell->spec.order : (double)NAN;
  return wisp_trial_outcome(t) == WISP_TRIAL_OK && t->ms > 0 && t->elements > 0 ? (double)t->elements : (double)NAN;
}

typedef struct line {
  char name[2 * WISP_STRATEGY_TEXT];
  bool bare; /* without the arithmetic */
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

/* The line of a name, NULL: there is no room for it. */
static line *line_of(line *lines, size_t *count, const char *name, bool bare)
{
  size_t i = 0;
  while (i < *count && (lines[i].bare != bare || strcmp(lines[i].name, name) != 0)) i++;
  if (i == MOST_LINES) return NULL;
  if (i == *count) {
    lines[(*count)++] = (line){.bare = bare};
    snprintf(lines[i].name, sizeof lines[i].name, "%s", name);
  }
  return &lines[i];
}

/* The fastest of each strategy at each place. */
static void find_lines(const subject_plot *p, bool bare, line *lines, size_t *count)
{
  const wisp_report_cell *cells = bare ? p->subject->bare : p->subject->cells;
  char name[sizeof lines->name];
  for (size_t c = 0; c < (bare ? p->subject->bare_count : p->subject->count); c++)
    for (size_t e = 0; e < cells[c].count; e++) {
      const wisp_trial *t = cells[c].entries[e].trial;
      const double at = place_of(p, &cells[c], t);
      if (isnan(at) || !(t->gdofs > 0)) continue;
      snprintf(name, sizeof name, "%s%s%s", is_whole(p, &cells[c]) ? cells[c].spec.kernel : "",
               is_whole(p, &cells[c]) ? "." : "", t->strategy);
      line *l = line_of(lines, count, name, bare);
      if (l) add_point(l, at, t);
    }
}

/* Of a line and of what is dashed beside it. */
static const char *colour_of(const line *lines, size_t i)
{
  size_t k = 0;
  while (k < i && strcmp(lines[k].name, lines[i].name) != 0) k++;
  return wisp_colour(k);
}

static void print_line(wisp_page *page, const line *l, const char *colour, const wisp_axis *x, const wisp_axis *y)
{
  wisp_page_print(page, "<path class=\"c\" stroke=\"%s\"%s d=\"", colour, l->bare ? " stroke-dasharray=\"5 4\"" : "");
  for (size_t i = 0; i < l->count; i++)
    wisp_page_print(page, "%c%.1f,%.1f ", i ? 'L' : 'M', wisp_axis_place(x, l->point[i].at),
                    wisp_axis_place(y, l->point[i].best->gdofs));
  wisp_page_print(page, "\"/>\n");
  for (size_t i = 0; i < l->count; i++) {
    const wisp_trial *t = l->point[i].best;
    wisp_page_print(page, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"><title>",
                    wisp_axis_place(x, l->point[i].at), wisp_axis_place(y, t->gdofs), colour);
    wisp_page_around(page, l->bare ? "without arithmetic: " : "", l->name, " ");
    wisp_page_text(page, t->params);
    wisp_page_print(page, ": %.4g ms, %.4g GDOF/s, %lld elements</title></circle>\n", t->ms, t->gdofs,
                    (long long)t->elements);
  }
}

static void print_legend(wisp_page *page, const line *lines, size_t count)
{
  wisp_page_print(page, "<p class=\"legend\">");
  bool bare = false;
  for (size_t i = 0; i < count; bare |= lines[i++].bare) {
    if (lines[i].bare) continue;
    wisp_page_print(page, "<span><b style=\"background:%s\"></b>", colour_of(lines, i));
    wisp_page_around(page, "", lines[i].name, "</span> ");
  }
  wisp_page_print(page, "%s</p>\n", bare ? "Dashed: without the arithmetic" : "");
}

/* Nothing where there is nothing to compare: one line over the order, or one size. */
static void print_plot(wisp_page *page, const subject_plot *p)
{
  line lines[MOST_LINES];
  char title[96], order[24] = "";
  double least = INFINITY, most = 0, top = 0, low = INFINITY;
  size_t count = 0;
  find_lines(p, false, lines, &count);
  find_lines(p, true, lines, &count);
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
  for (size_t i = 0; i < count; i++) print_line(page, &lines[i], colour_of(lines, i), &x, &y);
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
