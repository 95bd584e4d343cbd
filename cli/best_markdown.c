/* What wins where, as tables for a page: a line a kernel, a column an order, the strategy in it. */
#include "best.h"

#include <stdio.h>
#include <string.h>

static bool same_page(const wisp_best_row *a, const wisp_best_row *b)
{
  return strcmp(a->of->device, b->of->device) == 0 && strcmp(a->spec.family, b->spec.family) == 0 &&
         strcmp(a->spec.element, b->spec.element) == 0 && strcmp(a->spec.system, b->spec.system) == 0 &&
         a->spec.precision == b->spec.precision;
}

/* The orders of rows first..end-1, in a line of cells each made by `cell`; rows are in the order of their orders. */
static wisp_status print_orders(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end,
                                const char *kernel, const char *rule, wisp_text *out)
{
  for (const wisp_best_row *row = first, *next; row < end; row = next) {
    const wisp_best_row *found = NULL;
    for (next = row; next < end && next->spec.order == row->spec.order; next++)
      if (kernel && strcmp(next->spec.kernel, kernel) == 0) found = next;
    if (rule)
      CALL(wisp_text_print(err, out, "%s|", rule));
    else if (!kernel)
      CALL(wisp_text_print(err, out, " %d |", row->spec.order));
    else
      CALL(wisp_text_print(err, out, " %s |", found && !*found->remark ? found->trial->strategy : ""));
  }
  return wisp_text_print(err, out, "\n");
}

static wisp_status print_table(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end, wisp_text *out)
{
  CALL(wisp_text_print(err, out, "**%s: %s, %s, %s, %s**\n\n| kernel |", first->of->device, first->spec.family,
                       first->spec.element, first->spec.system, wisp_precision_name(first->spec.precision)));
  CALL(print_orders(err, first, end, NULL, NULL, out));
  CALL(wisp_text_print(err, out, "|---|"));
  CALL(print_orders(err, first, end, NULL, "---", out));
  for (const wisp_best_row *row = first; row < end; row++) {
    const wisp_best_row *before = first;
    while (before < row && strcmp(before->spec.kernel, row->spec.kernel) != 0) before++;
    if (before < row) continue; /* its line stands there already */
    CALL(wisp_text_print(err, out, "| `%s` |", row->spec.kernel));
    CALL(print_orders(err, first, end, row->spec.kernel, NULL, out));
  }
  return WISP_OK;
}

wisp_status wisp_best_print_markdown(wisp_error *err, const wisp_best_rows *rows, wisp_text *out)
{
  const wisp_best_row *row = rows->rows, *const end = row + rows->count;
  for (const wisp_best_row *next; row < end; row = next) {
    for (next = row; next < end && same_page(next, row); next++) {}
    CALL(wisp_text_print(err, out, "%s", row == rows->rows ? "" : "\n"));
    CALL(print_table(err, row, next, out));
  }
  return WISP_OK;
}
