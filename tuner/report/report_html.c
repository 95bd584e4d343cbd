#include "report_html.h"

#include "../../gen/language/template.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool wisp_report_seen(const wisp_report_cell *cell, const wisp_trial *trial)
{
  return (wisp_trial_is_right(trial)) && cell->timed && trial->elements == cell->elements &&
         wisp_ranking_meshes(trial, cell->timed) == 0 && trial->ms > 0 && isfinite(trial->ms);
}

bool wisp_report_same_subject(const wisp_report_cell *a, const wisp_report_cell *b)
{
  return strcmp(a->entries->trial->device, b->entries->trial->device) == 0 &&
         wisp_spec_subjects(&a->spec, &b->spec) == 0;
}

bool wisp_report_same_order(const wisp_report_cell *a, const wisp_report_cell *b)
{
  return wisp_report_same_subject(a, b) && wisp_spec_orders(&a->spec, &b->spec) == 0;
}

void wisp_page_print(wisp_page *page, const char *format, ...)
{
  char *piece = NULL;
  va_list list;
  if (page->status != WISP_OK) return;
  va_start(list, format);
  int length = vasprintf(&piece, format, list);
  va_end(list);
  if (length < 0) {
    page->status = wisp_fail(page->err, WISP_EMEMORY, "out of memory: a report");
    return;
  }
  page->status = wisp_text_add(page->err, page->text, piece, (size_t)length);
  free(piece);
}

static wisp_status expand_part(wisp_page *page, const char *part, size_t number)
{
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  char path[64];
  snprintf(path, sizeof path, "templates/report/%s.html", part);
  CALL(wisp_env_create(page->err, NULL, &names));
  CALL(wisp_env_int(page->err, names, "number", (int64_t)number));
  return wisp_expand(page->err, path, wisp_embedded_text(path), names, page->text);
}

void wisp_page_part(wisp_page *page, const char *part, size_t number)
{
  if (page->status == WISP_OK) page->status = expand_part(page, part, number);
}

void wisp_page_text(wisp_page *page, const char *text)
{
  static const struct {
    char what;
    const char *instead;
  } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  for (; *text && page->status == WISP_OK; text++) {
    const char *instead = NULL;
    for (size_t i = 0; i < WISP_COUNT(marks); i++)
      if (*text == marks[i].what) instead = marks[i].instead;
    if ((unsigned char)*text < ' ' || *text == 127) instead = " "; /* no control characters in HTML */
    page->status = instead ? wisp_text_add(page->err, page->text, instead, strlen(instead))
                           : wisp_text_add(page->err, page->text, text, 1);
  }
}

void wisp_page_around(wisp_page *page, const char *before, const char *text, const char *after)
{
  wisp_page_print(page, "%s", before);
  wisp_page_text(page, text);
  wisp_page_print(page, "%s", after);
}

const char *wisp_number(char out[WISP_NUMBER_TEXT], double value, int digits)
{
  char digits_text[WISP_NUMBER_TEXT] = "";
  if (!isfinite(value) || fabs(value) > 1e15) return strcpy(out, "–");
  int magnitude = value != 0 ? (int)floor(log10(fabs(value))) : 0;
  int decimals = digits > 0 ? digits - 1 - magnitude : 0;
  if (decimals < 0) value = round(value * pow(10, decimals)) * pow(10, -decimals); /* no more digits than asked for */
  snprintf(digits_text, sizeof digits_text, "%.*f", decimals < 0 ? 0 : decimals > 12 ? 12 : decimals, value);
  size_t integer = strcspn(digits_text, "."), used = 0;
  for (size_t i = 0; digits_text[i] && used + 4 < WISP_NUMBER_TEXT; i++) {
    if (i > 0 && i < integer && integer > 4 && (integer - i) % 3 == 0 && digits_text[i - 1] != '-') {
      memcpy(out + used, "\xe2\x80\x89", 3); /* thin space */
      used += 3;
    }
    out[used++] = digits_text[i];
  }
  out[used] = '\0';
  return out;
}

void wisp_page_number(wisp_page *page, double value, int digits)
{
  char number[WISP_NUMBER_TEXT];
  wisp_page_print(page, "<td class=\"n\">%s</td>", wisp_number(number, value, digits));
}

double wisp_axis_place(const wisp_axis *axis, double value)
{
  double share =
      axis->log ? log(value / axis->low) / log(axis->high / axis->low) : (value - axis->low) / (axis->high - axis->low);
  return axis->from + share * (axis->to - axis->from);
}

wisp_axis wisp_axis_over(double least, double most, bool log, double from, double to)
{
  wisp_axis axis = {least, most, from, to, log};
  if (log) {
    double margin = pow(most / least, 0.06);
    margin = fmax(margin, 1.04);
    axis.low = least / margin, axis.high = most * margin;
  } else {
    double margin = most > least ? 0.06 * (most - least) : 1;
    axis.low = least - (least == 0 ? 0 : margin), axis.high = most + margin;
  }
  return axis;
}

/* Round values within the axis, ascending; how many, at most 24. */
static int axis_ticks(const wisp_axis *axis, double ticks[24])
{
  int count = 0;
  if (!(axis->high > axis->low) || !isfinite(axis->high) || !isfinite(axis->low)) return 0;
  double decades = axis->log ? log10(axis->high / axis->low) : 0;
  if (!axis->log || decades < 0.6) {
    double fifth = (axis->high - axis->low) / 5, base = pow(10, floor(log10(fifth))), rest = fifth / base;
    double step = base * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
    for (double v = ceil(axis->low / step) * step; v <= axis->high && count < 24; v += step)
      ticks[count++] = fabs(v) < step / 2 ? 0 : v;
    return count;
  }
  for (int power = (int)floor(log10(axis->low)); pow(10, power) <= axis->high; power++)
    for (int digit = 1; digit < 10; digit++) {
      double v = digit * pow(10, power);
      bool shown =
          digit == 1 || (decades < 3 && (digit == 2 || digit == 5)) || (decades < 1 && (digit == 3 || digit == 7));
      if (shown && v >= axis->low && v <= axis->high && count < 24) ticks[count++] = v;
    }
  return count;
}

/* As few digits as a round value needs. */
static const char *tick_text(char out[WISP_NUMBER_TEXT], double value)
{
  char grouped[WISP_NUMBER_TEXT];
  snprintf(out, WISP_NUMBER_TEXT, "%.6g", value);
  if (value >= 10000) strcpy(out, wisp_number(grouped, value, 3));
  return out;
}

void wisp_page_line(wisp_page *page, const char *kind, double x1, double y1, double x2, double y2)
{
  wisp_page_print(page, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", kind, x1, x2, y1, y2);
}

void wisp_page_label(wisp_page *page, const char *kind, double x, double y, const char *anchor, const char *label)
{
  wisp_page_print(page, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", kind, x, y, anchor,
                  label);
}

void wisp_page_figure(wisp_page *page, int width, int height, const char *label, const wisp_axis *x, const wisp_axis *y,
                      const char *title, const char *unit)
{
  double ticks[24];
  char text[WISP_NUMBER_TEXT];
  wisp_page_print(page, "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", width, height, label);
  wisp_page_print(page, "<text class=\"h\" x=\"%.1f\" y=\"%.1f\">", x->from - 36, y->to - 28);
  wisp_page_around(page, "", title, "</text>\n");
  const int count = axis_ticks(y, ticks);
  for (int i = 0; i < count; i++) {
    double at = wisp_axis_place(y, ticks[i]);
    wisp_page_line(page, "g", x->from, at, x->to, at);
    wisp_page_label(page, "t", x->from - 6, at + 3.5, "end", tick_text(text, ticks[i]));
  }
  wisp_page_label(page, "a", x->from - 36, y->to - 9, "start", unit);
}

void wisp_page_grid_x(wisp_page *page, const wisp_axis *x, const wisp_axis *y, const char *title)
{
  double ticks[24];
  char text[WISP_NUMBER_TEXT];
  int count = axis_ticks(x, ticks);
  wisp_page_line(page, "b", x->from, y->from, x->to, y->from);
  for (int i = 0; i < count; i++)
    wisp_page_label(page, "t", wisp_axis_place(x, ticks[i]), y->from + 15, "middle", tick_text(text, ticks[i]));
  wisp_page_label(page, "a", x->to, y->from + 31, "end", title);
}

const char *wisp_colour(size_t i)
{
  static const char *const colours[] = {"#35679a", "#c9702f", "#48875c", "#a04f78", "#3f97a8",
                                        "#8f7a2e", "#b3463c", "#6f5fa5", "#66707a"};
  return colours[i % (WISP_COUNT(colours))];
}
