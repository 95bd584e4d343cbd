/* The short tables of `wisp best`: a line an order and precision, and what differs from another store, device or day.
 */
#include "best.h"
#include "print.h"
#include "../gen/family.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Whether two rows are of one device, subject, precision and order; or of one table. */
static bool same_table(const wisp_best_row *a, const wisp_best_row *b)
{
  return strcmp(a->of->device, b->of->device) == 0 && wisp_spec_subjects(&a->spec, &b->spec) == 0;
}

static bool same_line(const wisp_best_row *a, const wisp_best_row *b)
{
  return same_table(a, b) && a->spec.precision == b->spec.precision && a->spec.order == b->spec.order;
}

/* A line for rows from..to-1, the kernels of one order and precision, where no whole stage was timed: the
 * geometric means of their shares of the floor and of what they logs. */
static wisp_status add_means(wisp_error *err, wisp_table *table, const wisp_best_rows *rows, size_t from, size_t to)
{
  const wisp_best_row *first = &rows->rows[from];
  double share = 0, logs = 0;
  int shares = 0, known = 0;
  for (size_t i = from; i < to; i++) {
    const wisp_best_row *row = &rows->rows[i];
    if (row->trial->efficiency > 0) share += log(row->trial->efficiency), shares++;
    if (row->default_ms > 0) logs += log(row->default_ms / row->trial->ms), known++;
  }
  return wisp_table_print_row(err, table, "%d\t%s\t%zu kernel%s\t-\t-\t%.0f\t%.2f\t%s", first->spec.order,
                              wisp_precision_name(first->spec.precision), to - from,
                              wisp_plural((long long)(to - from)), shares ? 100 * exp(share / shares) : (double)NAN,
                              known ? exp(logs / known) : (double)NAN, "");
}

static wisp_status add_stage(wisp_error *err, wisp_table *table, const wisp_best_row *row)
{
  const wisp_trial *t = row->trial;
  return wisp_table_print_row(err, table, "%d\t%s\t%s\t%.4g\t%.4g\t%.0f\t%.2f\t%s", row->spec.order,
                              wisp_precision_name(row->spec.precision), t->strategy, t->ms, t->gdofs,
                              100 * t->efficiency, row->default_ms / t->ms, wisp_best_remark(row));
}

/* The lines of one table, rows from..to-1. */
static wisp_status print_table(wisp_error *err, const wisp_best_rows *rows, size_t from, size_t to, wisp_text *out)
{
  static const wisp_table_column titles[] = {{"N", true},         {"prec", false},  {"whole stage", false},
                                             {"ms", true},        {"GDOF/s", true}, {"% of floor", true},
                                             {"x default", true}, {"remark", false}};
  const wisp_best_row *first = &rows->rows[from];
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  char heading[sizeof first->of->device + 128];
  snprintf(heading, sizeof heading, "%s (%s): %s, %s, %s", first->of->device, first->of->target, first->spec.family,
           first->spec.element, first->spec.system);
  CALL(wisp_table_create(err, heading, WISP_COUNT(titles), titles, &table));
  for (size_t end; from < to; from = end) {
    for (end = from + 1; end < to && same_line(&rows->rows[end], &rows->rows[from]);) end++;
    const wisp_best_row *last = &rows->rows[end - 1];
    CALL(wisp_spec_is_composition(&last->spec) ? add_stage(err, table, last) : add_means(err, table, rows, from, end));
  }
  return wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), out);
}

wisp_status wisp_best_print_stages(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  for (size_t from = 0, to; from < rows->count; from = to) {
    for (to = from + 1; to < rows->count && same_table(&rows->rows[to], &rows->rows[from]);) to++;
    CALL(wisp_text_print(err, out, "%s", from ? "\n" : ""));
    CALL(print_table(err, rows, from, to, out));
  }
  CALL(wisp_best_print_notes(err, rows, out));
  HELD(wisp_text_free) wisp_text more = {0};
  if (rows->others.length)
    CALL(wisp_text_print(err, &more, "also stored: %s (-f FAMILY, --element ELEMENT, --system SYSTEM); ",
                         rows->others.data));
  CALL(wisp_text_print(err, &more, "--kernels lists the kernels and their parameters"));
  CALL(wisp_text_print(err, out, "\n"));
  const int window = wisp_terminal_columns(STDOUT_FILENO);
  return wisp_wrap(err, out, more.data, 0, 0, window ? window : 80);
}

/* --- beside another store, device or day --- */

/* The speed now over that of then; NaN: one of both is not known. */
static double speedup(const wisp_best_row *row)
{
  if (!row->then || !(row->then->trial->gdofs > 0)) return NAN;
  return row->trial->gdofs / row->then->trial->gdofs;
}

static wisp_status add_pair(wisp_error *err, wisp_table *table, const wisp_best_row *row)
{
  const wisp_trial *now = row->trial, *then = row->then ? row->then->trial : NULL;
  const bool same = then && strcmp(then->strategy, now->strategy) == 0 && strcmp(then->layout, now->layout) == 0;
  return wisp_table_print_row(err, table, "%d\t%s\t%s\t%.4g\t%.4g\t%.2f\t%s\t%s\t%s", row->spec.order,
                              wisp_precision_name(row->spec.precision), row->spec.kernel, now->gdofs,
                              then ? then->gdofs : (double)NAN, speedup(row), now->strategy,
                              !then                                            ? "not there"
                              : same && strcmp(then->params, now->params) == 0 ? "the same"
                              : strcmp(then->strategy, now->strategy) == 0     ? "other parameters"
                                                                               : then->strategy,
                              wisp_best_remark(row));
}

wisp_status wisp_best_print_against(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  static const wisp_table_column titles[] = {{"N", true},      {"prec", false},    {"kernel", false},
                                             {"GDOF/s", true}, {"against", true},  {"ratio", true},
                                             {"now", false},   {"against", false}, {"remark", false}};
  double logs = 0;
  int known = 0;
  for (size_t from = 0, to; from < rows->count; from = to) {
    const wisp_best_row *first = &rows->rows[from];
    OWNED(wisp_table_destroy) wisp_table *table = NULL;
    char heading[sizeof first->of->device + 256];
    snprintf(heading, sizeof heading, "%s%s: %s, %s, %s, against %.100s", from ? "\n" : "", first->of->device,
             first->spec.family, first->spec.element, first->spec.system, rows->against);
    CALL(wisp_table_create(err, heading, WISP_COUNT(titles), titles, &table));
    for (to = from; to < rows->count && same_table(&rows->rows[to], first); to++) {
      const double ratio = speedup(&rows->rows[to]);
      CALL(add_pair(err, table, &rows->rows[to]));
      if (ratio > 0) logs += log(ratio), known++;
    }
    CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), out));
  }
  if (known)
    CALL(wisp_text_print(err, out, "\n%.2f times as fast as %s (geometric mean of %d)\n", exp(logs / known),
                         rows->against, known));
  return wisp_best_print_notes(err, rows, out);
}
