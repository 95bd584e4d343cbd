/* The roofline plot of a subject's winners. */
#include "report_html.h"

#include "../../gen/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 540, HEIGHT = 330, MOST_KERNELS = 12 };

/* The kernels of a plot, in the order of their colours. */
typedef struct kernel_list {
  const char *names[MOST_KERNELS];
  size_t count;
} kernel_list;

static void add_kernel(kernel_list *kernels, const char *name)
{
  size_t at = 0;
  while (at < kernels->count && strcmp(kernels->names[at], name) != 0) at++;
  if (at == kernels->count && at < MOST_KERNELS) kernels->names[kernels->count++] = name;
}

/* Plots of a precision that there is nothing of are left out. */
static bool has_winner(const wisp_report_subject *subject, wisp_precision precision)
{
  for (size_t i = 0; i < subject->count; i++)
    if (subject->cells[i].best && subject->cells[i].spec.precision == precision) return true;
  return false;
}

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
  static const wisp_precision precisions[] = {WISP_F32, WISP_F64};
  kernel_list kernels = {0};
  double least = INFINITY, most = 0, low = INFINITY, high = 0, intensity, rate, gbps, gflops;
  for (size_t i = 0; i < subject->count; i++) {
    if (!place_of(&subject->cells[i], &intensity, &rate)) continue;
    add_kernel(&kernels, subject->cells[i].spec.kernel);
    least = fmin(least, intensity), most = fmax(most, intensity), low = fmin(low, rate), high = fmax(high, rate);
  }
  if (!kernels.count) return;
  wisp_page_part(page, "roofline", subject->number);
  for (size_t p = 0; p < 2; p++) {
    if (!has_winner(subject, precisions[p])) continue;
    find_ceilings(subject, precisions[p], &gbps, &gflops);
    wisp_axis x = wisp_axis_over(least, most, true, 48, WIDTH - 12);
    wisp_axis y = wisp_axis_over(low, isfinite(gflops) ? fmax(high, gflops) : high, true, HEIGHT - 40, 46);
    wisp_page_print(page, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"roofline\">\n", WIDTH, HEIGHT);
    wisp_page_frame_title(page, &x, &y, wisp_precision_name(precisions[p]));
    wisp_page_grid_y(page, &y, &x, "GFLOP/s");
    wisp_page_grid_x(page, &x, &y, "FLOP/byte");
    if (gbps > 0) print_roof(page, gbps, gflops, &x, &y);
    print_points(page, subject, precisions[p], &kernels, &x, &y);
    wisp_page_print(page, "</svg></figure>\n");
  }
  wisp_page_print(page, "</div><p class=\"legend\">");
  for (size_t i = 0; i < kernels.count; i++) {
    wisp_page_print(page, "<span><b style=\"background:%s\"></b>", wisp_colour(i));
    wisp_page_around(page, "", kernels.names[i], "</span> ");
  }
  wisp_page_print(page, "</p></section>\n");
}
