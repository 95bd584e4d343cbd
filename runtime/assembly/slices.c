#include "slices.h"
#include "list_kind.h"

static int32_t length_of(const wisp_pattern *p, size_t row)
{
  return p->start[row + 1] - p->start[row];
}

/* The longest of the slice's rows; rows behind the last are empty. */
static int32_t longest_of(const wisp_pattern *p, size_t slice)
{
  int32_t longest = 0;
  for (size_t row = slice * WISP_SLICE_ROWS; row < p->rows && row < (slice + 1) * WISP_SLICE_ROWS; row++)
    if (length_of(p, row) > longest) longest = length_of(p, row);
  return longest;
}

size_t wisp_slices_nonzero(const wisp_slices *slices, const wisp_pattern *p, size_t place)
{
  size_t low = 0, high = slices->count - 1;
  while (low < high) {
    const size_t middle = (low + high + 1) / 2;
    if ((size_t)slices->start[middle] <= place)
      low = middle;
    else
      high = middle - 1;
  }
  const size_t row = low * WISP_SLICE_ROWS + place % WISP_SLICE_ROWS;
  const int32_t slot = (int32_t)(place - (size_t)slices->start[low]) / WISP_SLICE_ROWS;
  return row < p->rows && slot < length_of(p, row) ? (size_t)(p->start[row] + slot) : SIZE_MAX;
}

/* Entries that fill a slice up stand in their row's own column, or in the first where there is no such row. */
static void fill(const wisp_pattern *p, wisp_slices *slices)
{
  for (size_t row = 0, place; row < slices->count * WISP_SLICE_ROWS; row++) {
    const size_t slice = row / WISP_SLICE_ROWS, end = (size_t)slices->start[slice + 1];
    int32_t slot = 0;
    for (place = (size_t)slices->start[slice] + row % WISP_SLICE_ROWS; place < end; place += WISP_SLICE_ROWS, slot++)
      slices->column[place] = row >= p->rows             ? 0
                              : slot < length_of(p, row) ? p->column[p->start[row] + slot]
                                                         : (int32_t)row;
  }
}

wisp_status wisp_slices_create(wisp_error *err, const char *name, const wisp_pattern *p, wisp_slices **out)
{
  OWNED(wisp_slices_destroy) wisp_slices *slices = NULL;
  double size = 0;
  CALL(wisp_new(err, 1, sizeof *slices, &slices));
  slices->count = (p->rows + WISP_SLICE_ROWS - 1) / WISP_SLICE_ROWS;
  CALL(wisp_new(err, slices->count + 1, sizeof *slices->start, &slices->start));
  for (size_t i = 0; i < slices->count; i++) size += (double)longest_of(p, i) * WISP_SLICE_ROWS;
  CALL(wisp_require(err, size + (double)p->rows <= INT32_MAX, WISP_EUSAGE,
                    "%s: slices of %d rows have %.4g places, more than 2^31 - 1: take compressed rows", name,
                    WISP_SLICE_ROWS, size));
  slices->size = (size_t)size;
  for (size_t i = 0; i < slices->count; i++)
    slices->start[i + 1] = slices->start[i] + longest_of(p, i) * WISP_SLICE_ROWS;
  CALL(wisp_new(err, slices->size, sizeof *slices->column, &slices->column));
  fill(p, slices);
  return GIVE(slices, out);
}

wisp_status wisp_slices_compress(wisp_error *err, const wisp_slices *slices, const wisp_pattern *p, double **values)
{
  double *list = NULL;
  CALL(wisp_new(err, p->nonzeros, sizeof *list, &list));
  for (size_t row = 0; row < p->rows; row++)
    for (int32_t slot = 0; slot < length_of(p, row); slot++)
      list[p->start[row] + slot] = (*values)[wisp_slices_position(slices, (int32_t)row, slot)];
  free(*values);
  *values = list;
  return WISP_OK;
}

void wisp_slices_destroy(wisp_slices *slices)
{
  if (!slices) return;
  free(slices->start), free(slices->column);
  free(slices);
}

/* --- of a discretisation --- */

static wisp_status make(wisp_error *err, wisp_assembly *view, const wisp_fixed *fixed, wisp_index_list *list)
{
  (void)fixed;
  CALL(wisp_slices_create(err, "the matrix", view->pattern, &view->slices));
  *list = (wisp_index_list){.count = {{"slices", view->slices->count}},
                            .array = {{"slice_start", view->slices->start, NULL}},
                            .shared = true};
  return WISP_OK;
}

const wisp_list_kind wisp_list_slices = {.param = "sliced", .make = make};
