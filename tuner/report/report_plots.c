/* Plots of a subject: the roofline of its winners; and its kernels' strategies, or a stage's compositions, one line
 * each, over the order and over the size. */
#include "report_html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 540, HEIGHT = 330, MOST_KERNELS = 12, MOST_LINES = 48, MOST_POINTS = 64 };
static const wisp_precision precisions[] = {WISP_F32, WISP_F64};

/* ---- The roofline. */

/* The kernels of a plot, in the order of their colours. */
typedef struct kernel_list {
  const char *names[MOST_KERNELS];
  size_t count;
} kernel_list;

/* Ceilings are not stored, but follow from what is: rate / efficiency is the bandwidth where bytes set the floor, and
 * less elsewhere; it is at least the peak where multiply-adds set the floor, for no strategy states more operations
 * than the kernel declares. Infinite: no trial tells. */
static void find_ceilings(const wisp_report_subject *subject, wisp_precision precision, double *gbps, double *gflops)
{
  *gbps = 0, *gflops = INFINITY;
  for (size_t i = 0; i < subject->count; i++)
    for (size_t e = 0; e < subject->cells[i].count; e++) {
      const wisp_trial *t = subject->cells[i].entries[e].trial;
      if (subject->cells[i].spec.precision != precision || wisp_trial_outcome(t) != WISP_TRIAL_OK ||
          !(t->efficiency > 0))
        continue;
      if (isfinite(t->gbps)) *gbps = fmax(*gbps, t->gbps / t->efficiency);
      if (isfinite(t->gflops) && strcmp(t->floor, "fma") == 0) *gflops = fmin(*gflops, t->gflops / t->efficiency);
    }
}

/* The exact minimal counts of the cell's winner: operations per byte, and GFLOP/s. */
static bool find_rates(const wisp_report_cell *cell, double *intensity, double *gflops)
{
  const wisp_family *family = wisp_family_find(cell->spec.family);
  wisp_work work;
  if (!cell->best || !family) return false;
  if (wisp_family_work(NULL, &cell->spec, (double)cell->best->elements, &work) != WISP_OK) return false;
  *intensity = work.flops / work.bytes;
  *gflops = work.flops / cell->best->ms / 1e6;
  return *intensity > 0 && *gflops > 0;
}

static void print_roof(wisp_page *page, double gbps, double gflops, const wisp_axis *x, const wisp_axis *y)
{
  char number[WISP_NUMBER_TEXT], peak[WISP_NUMBER_TEXT + 16];
  double ridge = gflops / gbps;
  double left = fmax(x->low, y->low / gbps), bend = fmin(ridge, x->high);
  double from = wisp_axis_place(x, left), at = wisp_axis_place(x, bend), high = wisp_axis_place(y, bend * gbps);
  wisp_page_print(page, "<polyline class=\"roof\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", from,
                  wisp_axis_place(y, left * gbps), at, high, x->to, high);
  double slope = atan2(high - wisp_axis_place(y, left * gbps), at - from), middle = cbrt(left * left * bend);
  wisp_page_print(page,
                  "<text class=\"t\" text-anchor=\"middle\" transform=\"translate(%.1f %.1f) rotate(%.1f)\">copy %s "
                  "GB/s</text>\n",
                  wisp_axis_place(x, middle) + 10 * sin(slope), wisp_axis_place(y, middle * gbps) - 10 * cos(slope),
                  slope * 180 / acos(-1), wisp_number(number, gbps, 3));
  snprintf(peak, sizeof peak, "FMA %s GFLOP/s", wisp_number(number, gflops, 3));
  if (ridge < x->high) /* left of the bend is room above the slope */
    wisp_page_label(page, "t", at - 10, high + 4, "end", peak);
}

static void print_winners(wisp_page *page, const wisp_report_subject *subject, wisp_precision precision,
                          kernel_list *kernels, const wisp_axis *x, const wisp_axis *y)
{
  double intensity, gflops;
  for (size_t k = 0; k < kernels->count; k++) {
    const wisp_report_cell *last = NULL;
    double left = 0, top = 0;
    char order[12] = "";
    wisp_page_print(page, "<g fill=\"%s\">", wisp_colour(k));
    for (size_t i = 0; i < subject->count; i++) {
      const wisp_report_cell *cell = &subject->cells[i];
      if (cell->spec.precision != precision || strcmp(cell->spec.kernel, kernels->names[k]) != 0) continue;
      if (!find_rates(cell, &intensity, &gflops)) continue;
      left = wisp_axis_place(x, intensity), top = wisp_axis_place(y, gflops);
      wisp_page_print(page, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill-opacity=\".85\"><title>", left, top);
      wisp_page_text(page, cell->spec.kernel);
      wisp_page_print(page, ", N = %d: %.3g FLOP/byte, %.4g GFLOP/s, %.0f %% of the floor</title></circle>\n",
                      cell->spec.order, intensity, gflops, 100 * cell->best->efficiency);
      snprintf(order, sizeof order, "%d", cell->spec.order);
      if (!last) wisp_page_label(page, "q", left, top + 13, "middle", order);
      last = cell;
    }
    if (last) wisp_page_label(page, "q", left, top + 13, "middle", order);
    wisp_page_print(page, "</g>\n");
  }
}

void wisp_report_roofline(wisp_page *page, const wisp_report_subject *subject)
{
  kernel_list kernels = {0};
  double least = INFINITY, most = 0, low = INFINITY, high = 0, intensity, rate, gbps, gflops;
  for (size_t i = 0; i < subject->count; i++) {
    if (!find_rates(&subject->cells[i], &intensity, &rate)) continue;
    size_t at = 0;
    while (at < kernels.count && strcmp(kernels.names[at], subject->cells[i].spec.kernel) != 0) at++;
    if (at == kernels.count && at < MOST_KERNELS) kernels.names[kernels.count++] = subject->cells[i].spec.kernel;
    least = fmin(least, intensity), most = fmax(most, intensity), low = fmin(low, rate), high = fmax(high, rate);
  }
  if (!kernels.count) return;
  wisp_page_part(page, "roofline", subject->number);
  for (size_t p = 0; p < 2; p++) {
    bool any = false;
    for (size_t i = 0; i < subject->count; i++)
      any |= subject->cells[i].best && subject->cells[i].spec.precision == precisions[p];
    if (!any) continue;
    find_ceilings(subject, precisions[p], &gbps, &gflops);
    wisp_axis x = wisp_axis_over(least, most, true, 48, WIDTH - 12);
    wisp_axis y = wisp_axis_over(low, isfinite(gflops) ? fmax(high, gflops) : high, true, HEIGHT - 40, 46);
    wisp_page_figure(page, WIDTH, HEIGHT, "roofline", &x, &y, wisp_precision_name(precisions[p]), "GFLOP/s");
    wisp_page_grid_x(page, &x, &y, "FLOP/byte");
    if (gbps > 0) print_roof(page, gbps, gflops, &x, &y);
    print_winners(page, subject, precisions[p], &kernels, &x, &y);
    wisp_page_print(page, "</svg></figure>\n");
  }
  wisp_page_print(page, "</div><p class=\"legend\">");
  for (size_t i = 0; i < kernels.count; i++) {
    wisp_page_print(page, "<span><b style=\"background:%s\"></b>", wisp_colour(i));
    wisp_page_around(page, "", kernels.names[i], "</span> ");
  }
  wisp_page_print(page, "</p></section>\n");
}

/* ---- Strategies and compositions. A kernel that computes a whole stage has its strategies among the compositions.
 * Dashed lines show kernels that move the same bytes without the arithmetic. */

/* The subject of one plot: over the order if `order` is 0, else over the size at this order. */
typedef struct subject_plot {
  const wisp_report_subject *subject;
  const char *kernel;
  wisp_precision precision;
  int order;
} subject_plot;

/* A kernel that does what the stage does that the plot is of. */
static bool computes_stage(const subject_plot *p, const wisp_report_cell *cell)
{
  const wisp_family *family = wisp_family_find(cell->spec.family);
  return strcmp(p->kernel, WISP_COMPOSITION) == 0 && family && family->composition_kernel &&
         strcmp(cell->spec.kernel, family->composition_kernel) == 0;
}

/* A trial's place along the plot, NaN: it does not belong to it. */
static double place_of(const subject_plot *p, const wisp_report_cell *cell, const wisp_trial *t)
{
  const bool there =
      (strcmp(cell->spec.kernel, p->kernel) == 0 || computes_stage(p, cell)) && cell->spec.precision == p->precision;
  if (!there || (p->order && cell->spec.order != p->order)) return NAN;
  if (!p->order)
    return wisp_trial_outcome(t) == WISP_TRIAL_OK && wisp_report_seen(cell, t) ? (double)cell->spec.order : (double)NAN;
  return wisp_trial_outcome(t) == WISP_TRIAL_OK && t->ms > 0 && t->elements > 0 ? (double)t->elements : (double)NAN;
}

/* Over the order of whole stages: the axis begins at 0, and the winners' points are large. */
static bool is_of_stages(const subject_plot *p)
{
  return !p->order && strcmp(p->kernel, WISP_COMPOSITION) == 0;
}

typedef struct line {
  char name[2 * WISP_STRATEGY_TEXT];
  bool bare; /* without the arithmetic */
  size_t count;
  struct {
    double at;
    const wisp_trial *best;
    bool wins;          /* its cell */
  } point[MOST_POINTS]; /* ascending */
} line;

static void add_point(line *l, double at, const wisp_trial *t, bool wins)
{
  size_t i = 0;
  while (i < l->count && l->point[i].at < at) i++;
  if (i < l->count && l->point[i].at <= at) {
    if (t->gdofs > l->point[i].best->gdofs) l->point[i].best = t, l->point[i].wins = wins;
  } else if (l->count < MOST_POINTS) {
    memmove(&l->point[i + 1], &l->point[i], (l->count - i) * sizeof *l->point);
    l->count++, l->point[i].at = at, l->point[i].best = t, l->point[i].wins = wins;
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
      snprintf(name, sizeof name, "%s%s%s", computes_stage(p, &cells[c]) ? cells[c].spec.kernel : "",
               computes_stage(p, &cells[c]) ? "." : "", t->strategy);
      line *l = line_of(lines, count, name, bare);
      if (l) add_point(l, at, t, t == cells[c].best && is_of_stages(p));
    }
}

/* A line and the dashed one of the same name share a colour. */
static const char *colour_of(const line *lines, size_t i)
{
  size_t k = 0;
  while (k < i && strcmp(lines[k].name, lines[i].name) != 0) k++;
  return wisp_colour(k);
}

/* Over the order nothing is drawn across an order that the line lacks. */
static void print_line(wisp_page *page, const subject_plot *p, const line *l, const char *colour, const wisp_axis *x,
                       const wisp_axis *y)
{
  wisp_page_print(page, "<path class=\"c\" stroke=\"%s\"%s d=\"", colour, l->bare ? " stroke-dasharray=\"5 4\"" : "");
  for (size_t i = 0; i < l->count; i++)
    wisp_page_print(page, "%c%.1f,%.1f ", i && (p->order || l->point[i].at <= l->point[i - 1].at + 1) ? 'L' : 'M',
                    wisp_axis_place(x, l->point[i].at), wisp_axis_place(y, l->point[i].best->gdofs));
  wisp_page_print(page, "\"/>\n");
  for (size_t i = 0; i < l->count; i++) {
    const wisp_trial *t = l->point[i].best;
    wisp_page_print(page, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"><title>",
                    wisp_axis_place(x, l->point[i].at), wisp_axis_place(y, t->gdofs), l->point[i].wins ? "4.5" : "2.5",
                    colour);
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
  char title[96], label[48], order[24] = "";
  double least = INFINITY, most = 0, top = 0, low = INFINITY;
  size_t count = 0;
  find_lines(p, false, lines, &count);
  find_lines(p, true, lines, &count);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < lines[i].count; k++) {
      least = fmin(least, lines[i].point[k].at), most = fmax(most, lines[i].point[k].at);
      top = fmax(top, lines[i].point[k].best->gdofs), low = fmin(low, lines[i].point[k].best->gdofs);
    }
  if (p->order ? !(most > least) : count < (is_of_stages(p) ? 1 : 2)) return;
  const wisp_axis x = p->order ? wisp_axis_over(least, most, true, 48, WIDTH - 12)
                               : (wisp_axis){least - 0.3, most + 0.3, 48, WIDTH - 12, false};
  const wisp_axis y = is_of_stages(p) ? (wisp_axis){0, 1.06 * top, HEIGHT - 40, 46, false}
                                      : wisp_axis_over(low, top, true, HEIGHT - 40, 46);
  if (p->order) snprintf(order, sizeof order, ", N = %d", p->order);
  snprintf(title, sizeof title, "%s%s, %s", p->kernel, order, wisp_precision_name(p->precision));
  snprintf(label, sizeof label, "%s over the %s", is_of_stages(p) ? "GDOF/s of the whole stage" : "strategies",
           p->order ? "size" : "order");
  wisp_page_figure(page, WIDTH, HEIGHT, label, &x, &y, title, "GDOF/s");
  wisp_page_grid_x(page, &x, &y, p->order ? "elements" : "order");
  for (size_t i = 0; i < count; i++) print_line(page, p, &lines[i], colour_of(lines, i), &x, &y);
  wisp_page_print(page, "</svg>");
  print_legend(page, lines, count);
  wisp_page_print(page, "</figure>\n");
}

void wisp_report_stages(wisp_page *page, const wisp_report_subject *subject)
{
  bool any = false;
  for (size_t i = 0; i < subject->count; i++)
    any |= wisp_spec_is_composition(&subject->cells[i].spec) && subject->cells[i].best;
  if (!any) return;
  wisp_page_part(page, "whole", subject->number);
  for (size_t p = 0; p < WISP_COUNT(precisions); p++)
    print_plot(page, &(subject_plot){subject, WISP_COMPOSITION, precisions[p], 0});
  wisp_page_print(page, "</div></section>\n");
}

void wisp_report_strategies(wisp_page *page, const wisp_report_subject *subject)
{
  wisp_page_part(page, "strategies", subject->number);
  wisp_page_print(page, "<div class=\"two\">\n");
  for (size_t c = 0; c < subject->count; c++) {
    const wisp_spec *spec = &subject->cells[c].spec;
    bool seen = wisp_spec_is_composition(spec);
    for (size_t b = 0; b < c; b++) seen |= strcmp(subject->cells[b].spec.kernel, spec->kernel) == 0;
    for (size_t p = 0; !seen && p < WISP_COUNT(precisions); p++)
      print_plot(page, &(subject_plot){subject, spec->kernel, precisions[p], 0});
    print_plot(page, &(subject_plot){subject, spec->kernel, spec->precision, spec->order});
  }
  wisp_page_print(page, "</div></section>\n");
}
