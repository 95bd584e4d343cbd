/* Rows that follow one another, in blocks whose columns are few: each once in a list, and of each nonzero its column's
 * number there, in 16 bits. Rows of neighbours along the elements have most columns in common. */
#include "list_kind.h"
#include "../parallel.h"

enum { WISP_BLOCK_HEAD = 4 };

typedef struct making {
  const wisp_pattern *p;
  size_t most; /* rows and columns of a block */
  size_t blocks, columns;
  int32_t *head; /* WISP_BLOCK_HEAD (blocks + 1): of each block its first row, nonzero and column, and 0 */
  int32_t *column, *slot;
} making;

/* Adds the columns of a row that the block has not. seen[column]: the last block that has it, from 1. How many. */
static size_t add_columns(making *m, size_t row, int32_t block, int32_t *seen)
{
  const size_t before = m->columns;
  for (int32_t i = m->p->start[row]; i < m->p->start[row + 1]; i++) {
    const int32_t column = m->p->column[i];
    if (seen[column] == block) continue;
    seen[column] = block;
    m->column[m->columns++] = column;
  }
  return m->columns - before;
}

static void begin_block(const making *m, size_t row)
{
  int32_t *head = m->head + WISP_BLOCK_HEAD * m->blocks;
  head[0] = (int32_t)row, head[1] = m->p->start[row], head[2] = (int32_t)m->columns;
}

/* Row by row, as many in a block as there is room for. */
static wisp_status make_blocks(wisp_error *err, making *m, size_t span)
{
  const wisp_pattern *p = m->p;
  OWNED(free) int32_t *seen = NULL;
  CALL(wisp_new(err, p->rows, sizeof *seen, &seen));
  for (size_t row = 0, first = 0; row < p->rows; row++) {
    const size_t before = m->columns, begin = (size_t)m->head[WISP_BLOCK_HEAD * m->blocks + 2];
    const size_t fresh = add_columns(m, row, (int32_t)m->blocks + 1, seen);
    const bool fits =
        row - first < m->most && m->columns - begin <= m->most && (size_t)(p->start[row + 1] - p->start[first]) <= span;
    if (fits) continue;
    CALL(wisp_require(err, row > first, WISP_EREFUSED, "row %zu has %d columns, more than a block of rows", row,
                      p->start[row + 1] - p->start[row]));
    for (size_t i = 0; i < fresh; i++) seen[m->column[before + i]] = 0;
    m->columns = before, m->blocks++, first = row;
    begin_block(m, row--);
  }
  m->blocks++;
  begin_block(m, p->rows);
  return WISP_OK;
}

/* A wisp_sweep over blocks: columns ascending, and where each nonzero's stands. */
static void place_columns(void *context, size_t from, size_t to)
{
  const making *m = context;
  for (size_t block = from; block < to; block++) {
    const int32_t *head = m->head + WISP_BLOCK_HEAD * block, *next = head + WISP_BLOCK_HEAD;
    int32_t *list = m->column + head[2];
    const size_t count = (size_t)(next[2] - head[2]);
    qsort(list, count, sizeof *list, wisp_by_index);
    for (int32_t i = head[1]; i < next[1]; i++) {
      const int32_t *at = bsearch(m->p->column + i, list, count, sizeof *list, wisp_by_index);
      m->slot[i] = (int32_t)(at - list);
    }
  }
}

/* Blocks of `tile_nonzeros` nonzeros at most, a quarter as many rows and columns. WISP_EREFUSED: a row has more. */
static wisp_status make(wisp_error *err, wisp_assembly *view, const wisp_fixed *fixed, wisp_index_list *list)
{
  const wisp_pattern *p = view->pattern;
  const size_t span = (size_t)wisp_fixed_value(fixed, "tile_nonzeros", 0);
  making m = {.p = p, .most = span / 4};
  *list =
      (wisp_index_list){.array = {{"near_head", NULL, NULL}, {"near_columns", NULL, NULL}, {"near_slots", NULL, NULL}}};
  CALL(wisp_new(err, WISP_BLOCK_HEAD * (p->rows + 1), sizeof *m.head, &list->array[0].ints));
  CALL(wisp_new(err, p->nonzeros + 1, sizeof *m.column, &list->array[1].ints));
  CALL(wisp_new(err, p->nonzeros, sizeof *m.slot, &list->array[2].ints));
  m.head = list->array[0].ints, m.column = list->array[1].ints, m.slot = list->array[2].ints;
  CALL(make_blocks(err, &m, span));
  wisp_parallel_for(m.blocks, place_columns, &m);
  const wisp_count counts[] = {{"near_blocks", m.blocks},
                               {"near_starts", m.blocks + 1},
                               {"near_count", m.columns},
                               {"near_nonzeros", p->nonzeros}};
  memcpy(list->count, counts, sizeof counts);
  return WISP_OK;
}

const wisp_list_kind wisp_list_column_blocks = {.param = "tile_nonzeros", .make = make};
