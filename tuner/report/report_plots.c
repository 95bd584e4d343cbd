/* Plots over all orders: the whole stage's throughput, and the roofline. */
#include "report_html.h"

#include "../../gen/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 540, HEIGHT = 330 };
static const wisp_precision precisions[] = {WISP_F32, WISP_F64};

static void open_plot(wisp_page *page, const char *label)
{
  wisp_page_print(page, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", WIDTH, HEIGHT, label);
}

/* ---- Whole stages: one line a composition. */

enum { MOST_LINES = 12 };
typedef struct line_list {
  const char *names[MOST_LINES];
  size_t count;
} line_list;

static size_t line_of(line_list *lines, const char *name)
{
  size_t at = 0;
  while (at < lines->count && strcmp(lines->names[at], name) != 0) at++;
  if (at == lines->count && at < MOST_LINES) lines->names[lines->count++] = name;
  return at;
}

/* Plots of a precision that there is nothing of are left out. */
static bool has_winner(const wisp_report_subject *subject, wisp_precision precision, bool composed)
{
  for (size_t i = 0; i < subject->count; i++) {
    const wisp_report_cell *cell = &subject->cells[i];
    if (cell->best && cell->spec.precision == precision && (!composed || wisp_spec_is_composition(&cell->spec)))
      return true;
  }
  return false;
}

static bool is_stage(const wisp_report_cell *cell)
{
  return wisp_spec_is_composition(&cell->spec) && cell->best;
}

/* The composition's fastest at this order, in any layout; NULL: none. */
static const wisp_trial *fastest_composition(const wisp_report_cell *cell, const char *name)
{
  const wisp_trial *best = NULL;
  for (size_t i = 0; i < cell->count; i++) {
    const wisp_trial *t = cell->entries[i].trial;
    if (wisp_report_timed(cell, t) && strcmp(t->strategy, name) == 0 && (!best || t->ms < best->ms)) best = t;
  }
  return best;
}

/* Which colour is whose. */
static void print_legend(wisp_page *page, const line_list *lines)
{
  wisp_page_print(page, "</div><p class=\"legend\">");
  for (size_t i = 0; i < lines->count; i++) {
    wisp_page_print(page, "<span><b style=\"background:%s\"></b>", wisp_colour(i));
    wisp_page_around(page, "", lines->names[i], "</span> ");
  }
  wisp_page_print(page, "</p></section>\n");
}

static void print_line(wisp_page *page, const wisp_report_subject *subject, wisp_precision precision, const char *name,
                       const char *colour, const wisp_axis *x, const wisp_axis *y)
{
  for (int pass = 0; pass < 2; pass++) { /* the line below, the points above it */
    int last = -1;                       /* no order comes after this one */
    if (pass == 0) wisp_page_print(page, "<path class=\"c\" stroke=\"%s\" d=\"", colour);
    for (size_t i = 0; i < subject->count; i++) {
      const wisp_report_cell *cell = &subject->cells[i];
      if (!is_stage(cell) || cell->spec.precision != precision) continue;
      const wisp_trial *t = fastest_composition(cell, name);
      if (!t) continue;
      double left = wisp_axis_place(x, cell->spec.order), top = wisp_axis_place(y, t->gdofs);
      if (pass == 0) { /* nothing is drawn over an order that lacks this composition */
        wisp_page_print(page, "%c%.1f,%.1f ", cell->spec.order == last + 1 ? 'L' : 'M', left, top);
        last = cell->spec.order;
        continue;
      }
      wisp_page_print(page, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"><title>N = %d, ", left, top,
                      t == cell->best ? "4.5" : "2.5", colour, cell->spec.order);
      wisp_page_around(page, "", name, ", ");
      wisp_page_text(page, t->layout);
      wisp_page_print(page, ": %.4g ms, %.4g GDOF/s</title></circle>\n", t->ms, t->gdofs);
    }
    if (pass == 0) wisp_page_print(page, "\"/>\n");
  }
}

static void print_orders(wisp_page *page, const wisp_axis *x, const wisp_axis *y)
{
  wisp_page_line(page, "b", x->from, y->from, x->to, y->from);
  for (int N = (int)ceil(x->low); N <= x->high; N++) {
    char order[12];
    snprintf(order, sizeof order, "%d", N);
    wisp_page_label(page, "t", wisp_axis_place(x, N), y->from + 15, "middle", order);
  }
  wisp_page_label(page, "a", x->to, y->from + 31, "end", "order <tspan font-style=\"italic\">N</tspan>");
}

void wisp_report_stages(wisp_page *page, const wisp_report_subject *subject)
{
  line_list lines = {0};
  double least = INFINITY, most = 0, top = 0;
  for (size_t i = 0; i < subject->count; i++) {
    const wisp_report_cell *cell = &subject->cells[i];
    if (!is_stage(cell)) continue;
    least = fmin(least, cell->spec.order), most = fmax(most, cell->spec.order), top = fmax(top, cell->best->gdofs);
    for (size_t e = 0; e < cell->count; e++)
      if (wisp_report_timed(cell, cell->entries[e].trial)) line_of(&lines, cell->entries[e].trial->strategy);
  }
  if (!lines.count || !(top > 0)) return;
  wisp_page_part(page, "whole", subject->number);
  for (size_t p = 0; p < 2; p++) {
    if (!has_winner(subject, precisions[p], true)) continue;
    wisp_axis x = {least - 0.3, most + 0.3, 48, WIDTH - 12, false}, y = {0, 1.06 * top, HEIGHT - 40, 46, false};
    open_plot(page, "GDOF/s of the whole stage over the order");
    wisp_page_frame_title(page, &x, &y, wisp_precision_name(precisions[p]));
    wisp_page_grid_y(page, &y, &x, "GDOF/s");
    print_orders(page, &x, &y);
    for (size_t i = 0; i < lines.count; i++)
      print_line(page, subject, precisions[p], lines.names[i], wisp_colour(i), &x, &y);
    wisp_page_print(page, "</svg></figure>\n");
  }
  print_legend(page, &lines);
}

/* ---- Roofline. */

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
static bool place_of(const wisp_report_cell *cell, double *intensity, double *gflops)
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

static void print_points(wisp_page *page, const wisp_report_subject *subject, wisp_precision precision,
                         line_list *kernels, const wisp_axis *x, const wisp_axis *y)
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
      if (!place_of(cell, &intensity, &gflops)) continue;
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
  line_list kernels = {0};
  double least = INFINITY, most = 0, low = INFINITY, high = 0, intensity, rate, gbps, gflops;
  for (size_t i = 0; i < subject->count; i++) {
    if (!place_of(&subject->cells[i], &intensity, &rate)) continue;
    line_of(&kernels, subject->cells[i].spec.kernel);
    least = fmin(least, intensity), most = fmax(most, intensity), low = fmin(low, rate), high = fmax(high, rate);
  }
  if (!kernels.count) return;
  wisp_page_part(page, "roofline", subject->number);
  for (size_t p = 0; p < 2; p++) {
    if (!has_winner(subject, precisions[p], false)) continue;
    find_ceilings(subject, precisions[p], &gbps, &gflops);
    wisp_axis x = wisp_axis_over(least, most, true, 48, WIDTH - 12);
    wisp_axis y = wisp_axis_over(low, isfinite(gflops) ? fmax(high, gflops) : high, true, HEIGHT - 40, 46);
    open_plot(page, "roofline");
    wisp_page_frame_title(page, &x, &y, wisp_precision_name(precisions[p]));
    wisp_page_grid_y(page, &y, &x, "GFLOP/s");
    wisp_page_grid_x(page, &x, &y, "FLOP/byte");
    if (gbps > 0) print_roof(page, gbps, gflops, &x, &y);
    print_points(page, subject, precisions[p], &kernels, &x, &y);
    wisp_page_print(page, "</svg></figure>\n");
  }
  print_legend(page, &kernels);
}
