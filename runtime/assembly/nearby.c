#include "nearby.h"
#include "list_kind.h"
#include "../parallel.h"

typedef struct making {
  const wisp_pattern *p;
  size_t most; /* rows and columns of a block */
  wisp_nearby *made;
} making;

/* Columns of a row that the block at hand has not: seen[column] is the last block, from 1, that has it. They are added
 * to the list. */
static size_t add_columns(const making *m, size_t row, int32_t block, int32_t *seen)
{
  wisp_nearby *made = m->made;
  const size_t before = made->columns;
  for (int32_t i = m->p->start[row]; i < m->p->start[row + 1]; i++) {
    const int32_t column = m->p->column[i];
    if (seen[column] == block) continue;
    seen[column] = block;
    made->column[made->columns++] = column;
  }
  return made->columns - before;
}

static void begin_block(const making *m, size_t row)
{
  int32_t *head = m->made->head + WISP_NEARBY_HEAD * m->made->blocks;
  head[0] = (int32_t)row, head[1] = m->p->start[row], head[2] = (int32_t)m->made->columns;
}

/* Row by row, as many in a block as there is room for. */
static wisp_status make_blocks(wisp_error *err, making *m, size_t span)
{
  const wisp_pattern *p = m->p;
  wisp_nearby *made = m->made;
  OWNED(free) int32_t *seen = NULL;
  CALL(wisp_new(err, p->rows, sizeof *seen, &seen));
  for (size_t row = 0, first = 0; row < p->rows; row++) {
    const size_t before = made->columns, begin = (size_t)made->head[WISP_NEARBY_HEAD * made->blocks + 2];
    const size_t fresh = add_columns(m, row, (int32_t)made->blocks + 1, seen);
    const bool fits = row - first < m->most && made->columns - begin <= m->most &&
                      (size_t)(p->start[row + 1] - p->start[first]) <= span;
    if (fits) continue;
    CALL(wisp_require(err, row > first, WISP_EREFUSED, "row %zu has %d columns, more than a block of rows", row,
                      p->start[row + 1] - p->start[row]));
    for (size_t i = 0; i < fresh; i++) seen[made->column[before + i]] = 0;
    made->columns = before, made->blocks++, first = row;
    begin_block(m, row--);
  }
  made->blocks++;
  begin_block(m, p->rows);
  return WISP_OK;
}

static int ascending(const void *left, const void *right)
{
  const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
  return (a > b) - (a < b);
}

static int32_t place_of(const int32_t *list, int32_t count, int32_t column)
{
  int32_t low = 0;
  for (int32_t high = count - 1; low < high;) {
    const int32_t middle = (low + high + 1) / 2;
    if (list[middle] <= column)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* A wisp_sweep over blocks: columns ascending, and where each nonzero's stands. */
static void place_columns(void *context, size_t from, size_t to)
{
  const making *m = context;
  wisp_nearby *made = m->made;
  for (size_t block = from; block < to; block++) {
    const int32_t *head = made->head + WISP_NEARBY_HEAD * block, *next = head + WISP_NEARBY_HEAD;
    int32_t *list = made->column + head[2];
    qsort(list, (size_t)(next[2] - head[2]), sizeof *list, ascending);
    for (int32_t i = head[1]; i < next[1]; i++) made->slot[i] = place_of(list, next[2] - head[2], m->p->column[i]);
  }
}

wisp_status wisp_nearby_create(wisp_error *err, const wisp_pattern *p, size_t span, wisp_nearby **out)
{
  OWNED(wisp_nearby_destroy) wisp_nearby *made = NULL;
  CALL(wisp_new(err, 1, sizeof *made, &made));
  CALL(wisp_new(err, WISP_NEARBY_HEAD * (p->rows + 1), sizeof *made->head, &made->head));
  CALL(wisp_new(err, p->nonzeros + 1, sizeof *made->column, &made->column));
  CALL(wisp_new(err, p->nonzeros, sizeof *made->slot, &made->slot));
  making m = {.p = p, .most = span / 4, .made = made};
  CALL(make_blocks(err, &m, span));
  wisp_parallel_for(made->blocks, place_columns, &m);
  return GIVE(made, out);
}

void wisp_nearby_destroy(wisp_nearby *nearby)
{
  if (!nearby) return;
  free(nearby->head), free(nearby->column), free(nearby->slot);
  free(nearby);
}

/* --- of a discretisation --- */

static wisp_status make_list(wisp_error *err, wisp_assembly *view, const wisp_fixed *fixed, void **list)
{
  wisp_nearby *made = NULL;
  CALL(wisp_nearby_create(err, view->pattern, (size_t)wisp_fixed_value(fixed, "tile_nonzeros", 0), &made));
  *list = made;
  return WISP_OK;
}

static wisp_listed show(const wisp_assembly *view, const void *list)
{
  const wisp_nearby *near = list;
  return (wisp_listed){.count = {{"near_blocks", near->blocks},
                                 {"near_starts", near->blocks + 1},
                                 {"near_count", near->columns},
                                 {"near_nonzeros", view->pattern->nonzeros}},
                       .array = {{"near_head", .ints = near->head},
                                 {"near_columns", .ints = near->column},
                                 {"near_slots", .ints = near->slot}}};
}

static void destroy(void *list)
{
  wisp_nearby_destroy(list);
}

const wisp_list_kind wisp_list_nearby = {.param = "tile_nonzeros", .make = make_list, .show = show, .destroy = destroy};
