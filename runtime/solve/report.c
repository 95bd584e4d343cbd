/* The report of a solver: its rows. */
#include "solver.h"

#include <stdarg.h>

void wisp_report_clear(wisp_solver_report *report)
{
  for (size_t i = 0; i < report->count; i++) free((char *)report->row[i].key), free((char *)report->row[i].text);
  free(report->row);
  *report = (wisp_solver_report){.count = 0};
}

static wisp_status add_row(wisp_error *err, wisp_solver_report *to, const wisp_solver_row *row)
{
  OWNED(free) char *key = NULL, *text = NULL;
  CALL(wisp_copy_text(err, row->key, &key));
  CALL(wisp_copy_text(err, row->text, &text));
  CALL(wisp_grow(err, &to->row, &to->capacity, to->count + 1, sizeof *to->row));
  wisp_solver_row *out = &to->row[to->count++];
  *out = *row;
  out->key = key, out->text = text;
  key = text = NULL;
  return WISP_OK;
}

wisp_status wisp_report_numbers(wisp_error *err, wisp_solver_report *to, size_t count,
                                const wisp_report_number *numbers)
{
  for (size_t i = 0; i < count; i++)
    CALL(
        add_row(err, to, &(wisp_solver_row){WISP_ROW_NUMBER, numbers[i].key, numbers[i].value, numbers[i].unit, NULL}));
  return WISP_OK;
}

wisp_status wisp_report_text(wisp_error *err, wisp_solver_report *to, const char *key, const char *text)
{
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_TEXT, key, NAN, "", text});
}

wisp_status wisp_report_truth(wisp_error *err, wisp_solver_report *to, const char *key, bool truth)
{
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_TRUTH, key, truth, "", NULL});
}

wisp_status wisp_report_line(wisp_error *err, wisp_solver_report *to, const char *label, const char *format, ...)
{
  char text[2048];
  const int length = snprintf(text, sizeof text, "%-11s ", label);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
  va_end(arguments);
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_LINE, NULL, NAN, "", text});
}

wisp_status wisp_report_kernels(wisp_error *err, wisp_solver_report *to, int stage)
{
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_KERNELS, NULL, stage, "", NULL});
}
