/* Winning strategies as tables for a page: a line for kernels that the same strategies win, each with its orders. */
#include "best.h"

#include <stdlib.h>
#include <string.h>

static bool same_page(const wisp_best_row *a, const wisp_best_row *b)
{
  return strcmp(a->of->device, b->of->device) == 0 && strcmp(a->spec.family, b->spec.family) == 0 &&
         strcmp(a->spec.element, b->spec.element) == 0 && strcmp(a->spec.system, b->spec.system) == 0;
}

/* A strategy and the orders from..to that it wins one after the other. */
typedef struct run_of_orders {
  const char *strategy; /* NULL: none yet */
  int from, to;
} run_of_orders;

static wisp_status print_run(wisp_error *err, const run_of_orders *run, bool first, wisp_text *out)
{
  if (!run->strategy) return WISP_OK;
  CALL(wisp_text_print(err, out, "%s %s %d", first ? "" : ",", run->strategy, run->from));
  return run->to > run->from ? wisp_text_print(err, out, "-%d", run->to) : WISP_OK;
}

/* The kernel's winners in one precision; rows are sorted by order. */
static wisp_status print_cell(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end, const char *kernel,
                              wisp_precision precision, wisp_text *out)
{
  run_of_orders run = {0};
  bool begun = false;
  for (const wisp_best_row *row = first; row < end; row++) {
    if (strcmp(row->spec.kernel, kernel) != 0 || row->spec.precision != precision || *row->remark) continue;
    if (run.strategy && strcmp(run.strategy, row->trial->strategy) == 0 && row->spec.order == run.to + 1) {
      run.to++;
      continue;
    }
    CALL(print_run(err, &run, !begun, out));
    begun |= run.strategy != NULL;
    run = (run_of_orders){row->trial->strategy, row->spec.order, row->spec.order};
  }
  CALL(print_run(err, &run, !begun, out));
  return wisp_text_print(err, out, " |");
}

/* The kernels of a table, each with its cells. */
typedef struct lines {
  struct line {
    const char *kernel; /* NULL: printed already */
    wisp_text cells;
  } * list;
  size_t count;
} lines;

static void release_lines(lines *l)
{
  for (size_t i = 0; i < l->count; i++) wisp_text_free(&l->list[i].cells);
  free(l->list);
}

static wisp_status list_lines(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end, lines *out)
{
  CALL(wisp_new(err, (size_t)(end - first), sizeof *out->list, &out->list));
  for (const wisp_best_row *row = first; row < end; row++) {
    size_t at = 0;
    while (at < out->count && strcmp(out->list[at].kernel, row->spec.kernel) != 0) at++;
    if (at < out->count) continue;
    struct line *line = &out->list[out->count++];
    line->kernel = row->spec.kernel;
    CALL(print_cell(err, first, end, line->kernel, WISP_F32, &line->cells));
    CALL(print_cell(err, first, end, line->kernel, WISP_F64, &line->cells));
  }
  return WISP_OK;
}

static wisp_status print_table(wisp_error *err, const wisp_best_row *first, const wisp_best_row *end, wisp_text *out)
{
  HELD(release_lines) lines all = {0};
  CALL(list_lines(err, first, end, &all));
  CALL(wisp_text_print(err, out, "**%s: %s, %s, %s**\n\n| kernel | f32 | f64 |\n|---|---|---|\n", first->of->device,
                       first->spec.family, first->spec.element, first->spec.system));
  for (size_t i = 0; i < all.count; i++) {
    const char *separator = "|";
    if (!all.list[i].kernel) continue;
    for (size_t k = i; k < all.count; k++) {
      if (!all.list[k].kernel || strcmp(all.list[k].cells.data, all.list[i].cells.data) != 0) continue;
      CALL(wisp_text_print(err, out, "%s `%s`", separator, all.list[k].kernel));
      all.list[k].kernel = NULL;
      separator = ",";
    }
    CALL(wisp_text_print(err, out, " |%s\n", all.list[i].cells.data));
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
