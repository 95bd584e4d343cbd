#include "pattern.h"
#include "../../gen/assembly/simplex.h"
#include "../parallel.h"
#include "../solve/sparse.h"
#include "list_kind.h"

#include <unistd.h>

double wisp_pattern_nonzeros(int order, const size_t count[4])
{
  int nodes[4], pairs[4];
  double nonzeros = 0;
  wisp_simplex_own(order, nodes, pairs);
  for (int k = 0; k < 4; k++) nonzeros += (double)count[k] * pairs[k];
  return nonzeros;
}

void wisp_pattern_count(const wisp_mesh *mesh, size_t count[4])
{
  const size_t corners = (size_t)mesh->corners, K = mesh->elements;
  const bool solid = wisp_mesh_dimension(mesh) == 3;
  size_t facets = corners * K;
  if (!wisp_mesh_cell(mesh)->is_connected) {
    count[0] = mesh->vertices, count[1] = count[2] = 0, count[3] = K;
    return;
  }
  for (size_t i = 0; i < corners * K; i++) facets += mesh->neighbour[i] == WISP_BOUNDARY;
  facets /= 2;
  count[0] = mesh->vertices, count[3] = solid ? K : 0;
  count[1] = solid ? mesh->vertices + facets - K - 1 : facets;
  count[2] = solid ? facets : K;
}

static wisp_status check_memory(wisp_error *err, const char *what, int order, double bytes, double memory)
{
  return wisp_require(err, bytes <= memory, WISP_EUSAGE,
                      "%s of order %d: the matrix alone takes %.3g GB, and there are %.3g: take fewer elements or a "
                      "lower order",
                      what, order, bytes / 1e9, memory / 1e9);
}

wisp_status wisp_pattern_check(wisp_error *err, const char *what, int order, const size_t count[4],
                               wisp_precision precision, const wisp_limits *limits)
{
  const double nonzeros = wisp_pattern_nonzeros(order, count), column = sizeof(int32_t);
  const double host = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  const bool shared = !limits->gpu;
  CALL(wisp_require(err, nonzeros <= INT32_MAX, WISP_EUSAGE,
                    "%s of order %d: the matrix has %.4g nonzeros, more than 2^31 - 1: take fewer elements or a lower "
                    "order",
                    what, order, nonzeros));
  CALL(check_memory(err, what, order, nonzeros * ((double)precision + (shared ? 2 : 1) * column),
                    (double)limits->memory));
  return check_memory(err, what, order, nonzeros * column, host);
}

/* --- elements around a row --- */

static wisp_status look_around(wisp_error *err, const wisp_simplexnodes *nodes, wisp_pattern *p)
{
  const size_t count = nodes->elements * (size_t)nodes->Np;
  OWNED(free) int32_t *next = NULL;
  CALL(wisp_new(err, p->rows + 1, sizeof *p->around_start, &p->around_start));
  CALL(wisp_new(err, p->rows, sizeof *next, &next));
  for (size_t i = 0; i < count; i++)
    if ((size_t)nodes->node[i] < p->rows) p->around_start[nodes->node[i] + 1]++;
  for (size_t row = 0; row < p->rows; row++) {
    p->around_start[row + 1] += p->around_start[row];
    next[row] = p->around_start[row];
  }
  p->incidences = (size_t)p->around_start[p->rows];
  CALL(wisp_new(err, p->incidences, sizeof *p->around, &p->around));
  for (size_t i = 0; i < count; i++)
    if ((size_t)nodes->node[i] < p->rows) p->around[next[nodes->node[i]]++] = (int32_t)i;
  return WISP_OK;
}

/* --- columns --- */

/* Rows are short, but for a fan's. */
static void sort(int32_t *list, size_t count)
{
  enum { FEW = 64 };
  if (count > FEW) {
    qsort(list, count, sizeof *list, wisp_by_index);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    const int32_t moved = list[i];
    size_t j = i;
    for (; j && list[j - 1] > moved; j--) list[j] = list[j - 1];
    list[j] = moved;
  }
}

typedef struct making {
  const wisp_simplexnodes *nodes;
  wisp_pattern *pattern;
} making;

/* The unknowns of the elements around a row, each once; their number. list has room for all. last_row: of each unknown
 * the row that had it last, and 1 more. */
static size_t find_columns(const making *m, size_t row, int32_t *last_row, int32_t *list)
{
  const wisp_pattern *p = m->pattern;
  const size_t Np = (size_t)m->nodes->Np;
  size_t count = 0;
  for (int32_t i = p->around_start[row]; i < p->around_start[row + 1]; i++) {
    const int32_t *node = m->nodes->node + (size_t)p->around[i] / Np * Np;
    for (size_t b = 0; b < Np; b++) {
      if ((size_t)node[b] >= p->rows || last_row[node[b]] == (int32_t)row + 1) continue;
      last_row[node[b]] = (int32_t)row + 1;
      list[count++] = node[b];
    }
  }
  return count;
}

static size_t longest(const making *m, size_t from, size_t to)
{
  int32_t most = 0;
  for (size_t row = from; row < to; row++) {
    const int32_t count = m->pattern->around_start[row + 1] - m->pattern->around_start[row];
    if (count > most) most = count;
  }
  return (size_t)most * (size_t)m->nodes->Np;
}

/* A wisp_range over rows: counts the columns, or fills them in, ascending, where there is room. */
static wisp_status put_columns(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  const wisp_pattern *p = m->pattern;
  OWNED(free) int32_t *list = NULL, *last_row = NULL;
  CALL(wisp_new(err, longest(m, from, to), sizeof *list, &list));
  CALL(wisp_new(err, p->rows, sizeof *last_row, &last_row));
  for (size_t row = from; row < to; row++) {
    const size_t count = find_columns(m, row, last_row, list);
    if (p->column) {
      sort(list, count);
      memcpy(p->column + p->start[row], list, count * sizeof *list);
    } else
      p->start[row + 1] = (int32_t)count;
  }
  return WISP_OK;
}

wisp_status wisp_pattern_create(wisp_error *err, const char *name, const wisp_simplexnodes *nodes, wisp_pattern **out)
{
  OWNED(wisp_pattern_destroy) wisp_pattern *p = NULL;
  const double most = wisp_pattern_nonzeros(nodes->N, nodes->count);
  CALL(wisp_require(err, most <= INT32_MAX, WISP_EUSAGE,
                    "%s: a matrix of order %d on %zu elements has %.4g nonzeros, more than 2^31 - 1: take fewer "
                    "elements or a lower order",
                    name, nodes->N, nodes->elements, most));
  CALL(wisp_require(
      err, nodes->unknowns, WISP_EUSAGE,
      "%s: all %zu nodes are fixed, and nothing is left to solve for: take more elements or a higher order", name,
      nodes->nodes));
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->rows = nodes->unknowns;
  CALL(look_around(err, nodes, p));
  CALL(wisp_new(err, p->rows + 1, sizeof *p->start, &p->start));
  making m = {nodes, p};
  CALL(wisp_parallel(err, p->rows, put_columns, &m));
  for (size_t row = 0; row < p->rows; row++) p->start[row + 1] += p->start[row];
  p->nonzeros = (size_t)p->start[p->rows];
  CALL(wisp_new(err, p->nonzeros, sizeof *p->column, &p->column));
  CALL(wisp_parallel(err, p->rows, put_columns, &m));
  return GIVE(p, out);
}

void wisp_pattern_destroy(wisp_pattern *p)
{
  if (!p) return;
  WISP_FREE(p->start, p->column, p->around_start, p->around, p);
}

int32_t wisp_pattern_slot(const wisp_pattern *p, int32_t row, int32_t column)
{
  return wisp_sparse_find(p->column, p->start[row], p->start[row + 1], column) - p->start[row];
}

void wisp_pattern_open_row(const wisp_pattern *p, int32_t row, int32_t *slot)
{
  for (int32_t i = p->start[row]; i < p->start[row + 1]; i++) slot[p->column[i]] = i - p->start[row];
}

/* --- slices --- */

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
  WISP_FREE(slices->start, slices->column, slices);
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

const wisp_list_kind wisp_list_slices = {.param = "sliced_ell", .make = make};
